"""A GPU for tests: the stand-in array module with CuPy's way to compile and start kernels, which the CPU runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..standin import DeviceArray, DeviceModule, StandIn
from . import shim


class _Function:
    def __init__(self, code: str, name: str) -> None:
        self.code, self.name = code, name

    def __call__(self, grid: tuple[int, ...], block: tuple[int, ...], args: tuple[Any, ...]) -> None:
        given = []
        for arg in args:
            if isinstance(arg, np.ndarray):
                raise TypeError("a kernel was handed a NumPy array")
            if isinstance(arg, DeviceArray) and not arg._hidden.flags.c_contiguous:
                raise AssertionError(f"{self.name}: a kernel was handed an array that is not contiguous")
            given.append(arg._hidden if isinstance(arg, DeviceArray) else arg)
        shim.launch(self.code, self.name, grid, block, given)


class _Module:
    def __init__(self, code: str, options: tuple[str, ...]) -> None:
        self.code = code

    def get_function(self, name: str) -> _Function:
        return _Function(self.code, name)


class FakeCupy(DeviceModule):
    """The part of CuPy that the package uses."""

    def RawModule(self, code: str, options: tuple[str, ...] = (), **_: Any) -> _Module:  # CuPy's name
        return _Module(code, options)


class FakeGpu(StandIn):
    """The backend "gpu", played."""

    name = "gpu"
    xp: Any = FakeCupy()
