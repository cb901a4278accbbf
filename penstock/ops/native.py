"""The door to the kernels of a GPU for the ops that move elements; see `runtime.cuda`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_device: list[Callable[[], Any]] = []


def fill_device(loops: Callable[[], Any]) -> None:
    """Say who knows the kernels of a GPU: what the function returns has them as attributes."""
    _device[:] = [loops]


def on_device() -> Any:
    """The kernels of a GPU, functions of (array module, arrays ...): see `runtime.cuda.cuda_kernels`."""
    return _device[0]()
