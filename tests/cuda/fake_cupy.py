"""A GPU for tests: the stand-in array module with CuPy's way to compile, start and capture kernels, which the CPU runs.

While a stream captures, kernels are written down and not run, as on a GPU; a launch of the graph runs them on the same
memory. The module's own functions run at once too, since their results need memory, and once more at each launch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..standin import DeviceArray, DeviceModule, StandIn, unwrapped
from . import shim


class Capture:
    """What is being captured: None, or the work of a graph."""

    work: list[Callable[[], None]] | None = None


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

        if Capture.work is None:
            run()
        else:
            Capture.work.append(run)


class _Module:
    def __init__(self, code: str, options: tuple[str, ...]) -> None:
        self.code = code

    def get_function(self, name: str) -> _Function:
        return _Function(self.code, name)


class _Graph:
    def __init__(self, work: list[Callable[[], None]]) -> None:
        self._work = work

    def launch(self, stream: Any = None) -> None:
        assert Capture.work is None, "a graph was launched within a capture"
        for run in self._work:
            run()


class Stream:
    """CuPy's stream."""

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def synchronize(self) -> None:
        """Nothing runs later here."""

    def begin_capture(self) -> None:
        """Write down from now on."""
        assert Capture.work is None
        Capture.work = []

    def end_capture(self) -> _Graph:
        """What was written down."""
        work, Capture.work = Capture.work, None
        assert work is not None
        return _Graph(work)


class _Pool:
    def malloc(self, size: int) -> None:
        """Never called: NumPy finds the memory."""


class _Cuda:
    Stream = Stream
    MemoryPool = _Pool

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
        function, result = self._function, self._function(*args, **kwargs)
        if Capture.work is not None and isinstance(result, DeviceArray) and self._name != "empty":
            place = result._hidden

            def again() -> None:
                place[...] = unwrapped(function(*args, **kwargs))

            Capture.work.append(again)
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


class FakeCupy(DeviceModule):
    """The part of CuPy that the package uses."""

    cuda = _Cuda()

    def RawModule(self, code: str, options: tuple[str, ...] = (), **_: Any) -> _Module:  # CuPy's name
        return _Module(code, options)

    def asnumpy(self, array: DeviceArray) -> Any:
        """A copy on the host; a capture cannot wait for one."""
        if Capture.work is not None:
            raise RuntimeError("cudaErrorStreamCaptureUnsupported: operation not permitted when stream is capturing")
        return super().asnumpy(array)

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        if isinstance(found, type) or not callable(found):
            return found

        return _Recorded(found, name)


class FakeGpu(StandIn):
    """The backend "gpu", played."""

    name = "gpu"
    xp: Any = FakeCupy()
