"""A played CuPy: the stand-in array module, with CuPy's interface to compile, launch and capture kernels.

The CPU runs the kernels (`shim`). While a stream captures, kernels are noted and not run, as on a GPU; a launch of the
graph runs them on the same memory. Functions of the module run at once too, since their results need memory, and again
at each launch. Calls that CUDA refuses during a capture are refused. Where CuPy's functions do less than NumPy's or
something else, these do as CuPy's: each such place was seen with CuPy itself (`host_cuda`). Names and parameters that
CuPy does not have are refused (`cupy_names`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import numpy as np

from penstock.graph.shapes.dtypes import bfloat16

from ..standin import LISTENERS, DeviceArray, DeviceModule, StandIn, on_device, unwrapped
from . import shim
from .cupy_names import check_call, check_name


class Capture:
    """What is being captured: None, or the work of a graph; by which stream; and whether CUDA has given it up."""

    work: list[Callable[[], None]] | None = None
    stream: Stream | None = None
    broken = False


def _captures() -> bool:
    """Whether work that starts now is captured; an error if it would make a capturing stream wait for the default one.

    Another thread's work, on the default stream, does so unless the stream that captures is a non-blocking one.
    """
    if Capture.work is None or Capture.stream is None:
        return False
    if _now() is Capture.stream:
        return True
    if not Capture.stream.non_blocking:
        Capture.broken = True
        raise RuntimeError("cudaErrorStreamCaptureImplicit: operation would make the legacy stream depend on a "
                           "capturing blocking stream")  # fmt: skip
    return False


def _note(result: Any, again: Callable[[], Any]) -> None:
    """Note what a method or an operator computes while a stream captures."""
    if _captures() and Capture.work is not None:
        Capture.work.append(partial(_fill, result, again))


def _fill(place: Any, again: Callable[[], Any]) -> None:
    found = again()
    if isinstance(place, np.ndarray) and not np.may_share_memory(place, found):
        place.flags.writeable = True  # of what was broadcast, NumPy warns who writes
        place[...] = found


LISTENERS.append(_note)


class _Function:
    def __init__(self, code: str, name: str) -> None:
        self.code, self.name = code, name

    def __call__(self, grid: tuple[int, ...], block: tuple[int, ...], args: tuple[Any, ...]) -> None:
        given = []
        for arg in args:
            if isinstance(arg, np.ndarray):
                raise TypeError("a kernel was handed a NumPy array")
            given.append(arg._hidden if isinstance(arg, DeviceArray) else arg)

        def run() -> None:
            shim.launch(self.code, self.name, grid, block, given)

        if not _captures():
            run()
        elif Capture.work is not None:
            Capture.work.append(run)


class _Module:
    def __init__(self, code: str, options: tuple[str, ...]) -> None:
        self.code = code

    def get_function(self, name: str) -> _Function:
        return _Function(self.code, name)


class Graph:
    """CuPy's graph."""

    def __init__(self, work: list[Callable[[], None]]) -> None:
        self._work = work

    def launch(self, stream: Any = None) -> None:
        """Do the work."""
        assert Capture.work is None, "a graph was launched within a capture"
        for run in self._work:
            run()


class Stream:
    """CuPy's stream."""

    def __init__(self, null: bool = False, non_blocking: bool = False) -> None:
        self.non_blocking = non_blocking

    def __enter__(self) -> Stream:
        _entered().append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _entered().pop()

    def synchronize(self) -> None:
        """Nothing runs later here; a stream that captures must not be waited for."""
        if Capture.stream is self:
            Capture.broken = True
            raise RuntimeError("cudaErrorStreamCaptureUnsupported: operation not permitted when stream is capturing")

    def begin_capture(self) -> None:
        """Write down from now on."""
        assert Capture.work is None
        Capture.work, Capture.stream, Capture.broken = [], self, False

    def end_capture(self) -> Graph:
        """What was written down."""
        work, broken = Capture.work, Capture.broken
        Capture.work, Capture.stream, Capture.broken = None, None, False
        assert work is not None
        if broken:
            raise RuntimeError("cudaErrorStreamCaptureInvalidated: operation failed due to a previous error")
        return Graph(work)


_streams = threading.local()
_NULL = Stream(null=True)


def _entered() -> list[Stream]:
    """The streams in force in this thread, the innermost last."""
    found: list[Stream] = vars(_streams).setdefault("entered", [])
    return found


def _now() -> Stream:
    return _entered()[-1] if _entered() else _NULL


class _Pool:
    def malloc(self, size: int) -> None:
        """Never called: NumPy finds the memory."""


class _Cuda:
    Stream = Stream
    MemoryPool = _Pool

    @staticmethod
    def get_current_stream() -> Any:
        """The stream that work goes to."""
        return _now()

    @staticmethod
    @contextmanager
    def using_allocator(allocator: Any) -> Iterator[None]:
        """CuPy's allocator for a block of code."""
        yield


class _Recorded:
    """A function of the module that is run again at each launch of what captured it."""

    def __init__(self, function: Any, name: str) -> None:
        self._function, self._name = function, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        check_call("cupy", self._name, args, kwargs)
        function, result = self._function, self._function(*args, **kwargs)
        if not _captures():
            return result
        if isinstance(result, DeviceArray) and self._name != "empty":
            place = result._hidden

            def again() -> None:
                place[...] = unwrapped(function(*args, **kwargs))

            assert Capture.work is not None
            Capture.work.append(again)
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


class _Add(_Recorded):
    """CuPy's ufunc, which has `at` for some dtypes."""

    def at(self, *args: Any) -> None:
        """Add at places that may be equal."""
        on_device(_add_at)(*args)


# ---- where CuPy is not NumPy --------------------------------------------------------------------


def _where(*args: Any) -> Any:
    """CuPy has no `where` of bfloat16: it gives float32."""
    found = np.where(*args)
    return found.astype(np.float32) if isinstance(found, np.ndarray) and found.dtype == bfloat16.np else found


def _remainder(x: Any, y: Any) -> Any:
    """CuPy's remainder of floats is nan for an infinite `y` and inexact for large quotients."""
    found = np.remainder(x, y)
    return found if found.dtype.kind in "iub" else (x - np.floor(x / y) * y).astype(found.dtype)


def _without_bfloat16(name: str) -> Callable[..., Any]:
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        if x.dtype == bfloat16.np:
            raise RuntimeError(f"cupy.{name}: no operator matches these operands: bfloat16, bfloat16")
        return getattr(np, name)(x, *args, **kwargs)

    return call


_ADDED_AT = tuple(np.dtype(d) for d in ("i4", "i8", "f2", "f4", "f8", "u4", "u8"))


def _add_at(out: Any, *rest: Any) -> None:
    if out.dtype not in _ADDED_AT:
        raise TypeError(f"cupy.add.at only supports {', '.join(map(str, _ADDED_AT))} as data type")
    np.add.at(out, *rest)


def _empty(shape: Any, dtype: Any = float, **_: Any) -> Any:
    """New memory holds rubbish."""
    found = np.empty(shape, dtype)
    found.reshape(-1).view("u1")[...] = RUBBISH
    return found


RUBBISH: Final = 0xCB
_OWN: dict[str, Callable[..., Any]] = {
    "where": _where, "remainder": _remainder, "empty": _empty,
    **{name: _without_bfloat16(name) for name in ("cumsum", "cumprod", "sort", "argsort")},
}  # fmt: skip


class FakeCupy(DeviceModule):
    """The part of CuPy that the package uses."""

    cuda = _Cuda()

    def asarray(self, value: Any, dtype: Any = None, copy: bool | None = None) -> DeviceArray:
        """The value on the device. CuPy asks whether a copy from the host is over, which ends a capture; the memory of
        a scalar is filled, and with 0.0 for -0.0."""
        if not isinstance(value, DeviceArray):
            Capture.broken |= _captures()
            if np.ndim(value) == 0 and not value:
                value = np.zeros_like(value)
        return super().asarray(value, dtype, copy)

    def RawModule(self, code: str, options: tuple[str, ...] = (), **_: Any) -> _Module:  # CuPy's name
        return _Module(code, options)

    def asnumpy(self, array: DeviceArray) -> Any:
        """A copy on the host; a capture cannot wait for one."""
        _now().synchronize()
        return super().asnumpy(array)

    def __getattr__(self, name: str) -> Any:
        check_name("cupy", name)
        if name in _OWN:
            return _Recorded(on_device(_OWN[name]), name)
        found = super().__getattr__(name)
        if name == "add":
            return _Add(found, name)
        if isinstance(found, type) or not callable(found):
            return found

        return _Recorded(found, name)


class FakeGpu(StandIn):
    """The backend "gpu", played."""

    name = "gpu"
    xp: Any = FakeCupy()
    in_force = 0

    def device(self) -> int:
        """The number of the GPU in force."""
        return self.in_force
