"""Loads the GPU kernels when the first op that runs on a GPU asks for them."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...graph.lazy_import import load


@cache
def kernels() -> Any:
    """The module whose attributes are the kernels that ops call."""
    load("penstock.runtime.cuda.cuda_kernels")
    from . import cuda_kernels

    return cuda_kernels
