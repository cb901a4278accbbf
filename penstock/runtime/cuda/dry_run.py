"""A dry run of a step's kernels: the launches and sources that a GPU would get, without a GPU.

The kernel of a step is called with arrays that have a dtype, a shape and an address but no elements, and with an array
module that notes what is compiled and launched. A kernel that needs elements, or a function of CuPy, ends the dry run;
the launches before that point are known. The noted text is the text that a GPU compiles.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.launch_count import LAUNCHES
from ..ir.strides import contiguous_strides


class DryRunEnds(Exception):
    """The next operation needs a GPU; the message names it."""


@dataclass(frozen=True, slots=True)
class NotedLaunch:
    """A launch of a kernel.

    blocks: blocks of the grid.
    threads: threads of a block.
    source: the whole CUDA source.
    nest: what it computes, "" if it is no nest.
    """

    kernel: str
    blocks: int
    threads: int
    source: str
    nest: str


class _Pointer:
    """The address of an array, as CuPy gives it."""

    ptr = 512


class ShapedArray:
    """An array without elements: a NumPy array over the memory of one element, for its shape and strides alone."""

    data = _Pointer()

    def __init__(self, hidden: Any) -> None:
        self._hidden = hidden

    @property
    def T(self) -> ShapedArray:
        """The transpose."""
        return ShapedArray(self._hidden.T)

    def transpose(self, axes: Any) -> ShapedArray:
        """With its axes in another order."""
        return ShapedArray(self._hidden.transpose(axes))

    def astype(self, dtype: Any, order: str = "K", copy: bool = True) -> ShapedArray:
        """As another dtype."""
        return empty(self.shape, dtype)

    def copy(self, order: str = "C") -> ShapedArray:
        """A row-major copy, made by a kernel of CuPy's."""
        return empty(self.shape, self.dtype)

    def reshape(self, *shape: Any) -> ShapedArray:
        """In another shape."""
        if not self._hidden.flags.c_contiguous:
            raise DryRunEnds("CuPy's reshape of an array that is not row-major")
        return ShapedArray(self._hidden.reshape(*shape))

    def view(self, dtype: Any) -> ShapedArray:
        """Its bytes as another dtype."""
        return ShapedArray(self._hidden.view(dtype))

    def __getitem__(self, key: Any) -> ShapedArray:
        return ShapedArray(self._hidden[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        raise DryRunEnds("CuPy's assignment")

    def __len__(self) -> int:
        return len(self._hidden)

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "ndim", "dtype", "strides", "size", "nbytes", "itemsize", "flags"):
            return getattr(self._hidden, name)
        raise DryRunEnds(f"CuPy's {name} of an array")


def empty(shape: Any, dtype: Any = np.float64) -> ShapedArray:
    """An array of a shape."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    dtype = np.dtype(dtype)
    strides = contiguous_strides(shape, dtype.itemsize)
    return ShapedArray(np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape, strides))


class _Notes(threading.local):
    started: list[NotedLaunch] | None = None
    nest = ""


_NOTES = _Notes()


def note_nest(nest: object) -> None:
    """In a dry run: what the next launch computes."""
    if _NOTES.started is not None:
        _NOTES.nest = str(nest)


class _NotedModule:
    def __init__(self, code: str) -> None:
        self._code = code

    def get_function(self, name: str) -> Callable[..., None]:
        """A function that notes a launch."""

        def start(grid: tuple[int, ...], block: tuple[int, ...], args: tuple[Any, ...]) -> None:
            if _NOTES.started is not None:
                _NOTES.started.append(NotedLaunch(name, grid[0], block[0], self._code, _NOTES.nest))
                _NOTES.nest = ""

        return start


class DryRunModule:
    """The array module."""

    def RawModule(self, code: str, options: tuple[str, ...] = (), **_: Any) -> _NotedModule:  # CuPy's name
        """The source, not compiled."""
        return _NotedModule(code)

    def empty(self, shape: Any, dtype: Any = np.float64) -> ShapedArray:
        """New memory."""
        return empty(shape, dtype)

    zeros = empty

    def full(self, shape: Any, value: Any, dtype: Any = np.float64) -> ShapedArray:
        """New memory."""
        return empty(shape, dtype)

    def asarray(self, value: Any, dtype: Any = None) -> ShapedArray:
        """An array of the GPU with the shape of `value`."""
        return value if isinstance(value, ShapedArray) else empty(np.shape(value), dtype or np.asarray(value).dtype)

    def asnumpy(self, array: Any) -> Any:
        """Ends the dry run: only a run knows the elements."""
        raise DryRunEnds("a value that the host reads from the GPU")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "cuda":
            raise AttributeError(name)
        raise DryRunEnds(f"CuPy's {name}")


MODULE = DryRunModule()


def launches_of(call: Callable[[Any], Any]) -> tuple[list[NotedLaunch], str]:
    """The launches of `call(array module)`, and the operation that ended the dry run, "" if none did."""
    launches: list[NotedLaunch] = []
    before = LAUNCHES.count
    _NOTES.started = launches
    try:
        call(MODULE)
    except DryRunEnds as end:
        return launches, str(end)
    finally:
        _NOTES.started, _NOTES.nest = None, ""
        LAUNCHES.count = before
    return launches, ""
