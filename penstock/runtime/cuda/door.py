"""When are the kernels of a GPU loaded? When the first op that runs there asks for them."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...graph.loading import load


@cache
def loops() -> Any:
    """The module with the kernels that ops ask for by name."""
    load("penstock.runtime.cuda.loops")
    from . import loops

    return loops
