"""Which kernels would a step start on a GPU, where there is none?

A step's kernel is called with arrays that have a dtype, a shape and a place, and no elements, and with an array module
that writes down what is compiled and started. What needs elements, or CuPy, ends the sketch; what was started before it
is known then. So the text that is shown is the text that is compiled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..base.launch_count import LAUNCHES


class SketchEnds(Exception):
    """What comes next is not known without a GPU; the message says what it is."""


@dataclass(frozen=True, slots=True)
class Started:
    """A launch: the kernel's name, the blocks and the threads of each, the source."""

    kernel: str
    blocks: int
    threads: int
    source: str


class Place:
    """An address, as CuPy gives it."""

    ptr = 512


class Sketched:
    """An array without elements. NumPy works out shapes and strides on memory that is not there, and is never read."""

    data = Place()

    def __init__(self, hidden: Any) -> None:
        self._hidden = hidden

    @property
    def T(self) -> Sketched:
        """Turned round."""
        return Sketched(self._hidden.T)

    def astype(self, dtype: Any, order: str = "K", copy: bool = True) -> Sketched:
        """As another dtype."""
        return empty(self.shape, dtype)

    def copy(self, order: str = "C") -> Sketched:
        """A row-major copy, which CuPy's own kernel makes."""
        return empty(self.shape, self.dtype)

    def reshape(self, *shape: Any) -> Sketched:
        """In another shape."""
        if not self._hidden.flags.c_contiguous:
            raise SketchEnds("CuPy's reshape of what is not row-major")
        return Sketched(self._hidden.reshape(*shape))

    def view(self, dtype: Any) -> Sketched:
        """Its bytes as another dtype."""
        return Sketched(self._hidden.view(dtype))

    def __getitem__(self, key: Any) -> Sketched:
        return Sketched(self._hidden[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        raise SketchEnds("CuPy's assignment")

    def __len__(self) -> int:
        return len(self._hidden)

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "ndim", "dtype", "strides", "size", "nbytes", "itemsize", "flags"):
            return getattr(self._hidden, name)
        raise SketchEnds(f"CuPy's {name} of an array")


def empty(shape: Any, dtype: Any = np.float64) -> Sketched:
    """An array of a shape."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    dtype = np.dtype(dtype)
    strides = [prod(shape[i + 1 :]) * dtype.itemsize for i in range(len(shape))]
    return Sketched(np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape, strides))


class _Drawn(threading.local):
    started: list[Started] | None = None


_DRAWN = _Drawn()


class _Module:
    def __init__(self, code: str) -> None:
        self._code = code

    def get_function(self, name: str) -> Callable[..., None]:
        """What notes a launch."""

        def start(grid: tuple[int, ...], block: tuple[int, ...], args: tuple[Any, ...]) -> None:
            if _DRAWN.started is not None:
                _DRAWN.started.append(Started(name, grid[0], block[0], self._code))

        return start


class Sketch:
    """The array module."""

    def RawModule(self, code: str, options: tuple[str, ...] = (), **_: Any) -> _Module:  # CuPy's name
        """The source, not compiled."""
        return _Module(code)

    def empty(self, shape: Any, dtype: Any = np.float64) -> Sketched:
        """New memory."""
        return empty(shape, dtype)

    zeros = empty

    def full(self, shape: Any, value: Any, dtype: Any = np.float64) -> Sketched:
        """New memory."""
        return empty(shape, dtype)

    def asarray(self, value: Any, dtype: Any = None) -> Sketched:
        """What is copied to the GPU."""
        return value if isinstance(value, Sketched) else empty(np.shape(value), dtype or np.asarray(value).dtype)

    def asnumpy(self, array: Any) -> Any:
        """What only a run knows."""
        raise SketchEnds("what the host reads from the GPU")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "cuda":
            raise AttributeError(name)
        raise SketchEnds(f"CuPy's {name}")


SKETCH = Sketch()


def started_by(call: Callable[[Any], Any]) -> tuple[list[Started], str]:
    """The launches of `call(array module)`, and what ended the sketch, "" if nothing did."""
    found: list[Started] = []
    before = LAUNCHES.count
    _DRAWN.started = found
    try:
        call(SKETCH)
    except SketchEnds as end:
        return found, str(end)
    finally:
        _DRAWN.started = None
        LAUNCHES.count = before
    return found, ""
