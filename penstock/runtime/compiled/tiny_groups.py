"""What computes very few elements, in frames that the native driver runs.

The fuse pass sets no size limit for groups whose shapes are known and tiny. So a graph of 100,000 operations on four
numbers is one step with one frame (see runtime.numpy.reused_buffers), and a run is one call of the native driver.
Constants are written into the frame once; a run does not copy them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.fp_context import collector_paused
from ..ir.fused_ir import Body
from ..ir.kernel_protocol import Kernel, KernelTier
from ..llvm.native_driver import PROMOTION, driver
from ..numpy.interpreter import Interpreter
from ..numpy.reused_buffers import Frame, make_frame


class FrameRunner:
    """What runs in frames: a run copies its inputs into one that is idle, and the results out. Thread-safe."""

    def __init__(self) -> None:
        self._idle: deque[Frame] = deque()

    def __call__(self, *inputs: Any) -> list[Any]:
        """The results, each an array of its own."""
        return self._run(inputs)

    def only(self, *inputs: Any) -> Any:
        """The only result.

        It does the same as a call with less overhead: 1000 steps take 4.6 us, so 2 us of function calls and lists of
        one element would matter.
        """
        try:
            frame = self._idle.pop()
        except IndexError:
            return self._run(inputs)[0]
        native = frame.only_call
        if native is None or len(inputs) != len(frame.inputs):
            self._idle.append(frame)
            return self._run(inputs)[0]
        for own, given in zip(frame.inputs, inputs):  # noqa: B905  # compared above; strict=True takes 40 ns more
            if own.shape != given.shape:
                self._idle.append(frame)
                return self._in_parts(inputs)[0]
            own[...] = given
        native()
        result = frame.results[0].copy()
        self._idle.append(frame)
        return result

    def into(self, place: Any, *inputs: Any) -> Any:
        """The only result, in `place`: flat memory of its dtype and size that no input shares."""
        return self._run(inputs, place)[0]

    def _run(self, inputs: Sequence[Any], *places: Any) -> list[Any]:
        try:
            frame = self._idle.pop()
        except IndexError:
            fresh = self._frame(inputs)
            if fresh is None:
                return self._in_parts(inputs, *places)
            frame = fresh
        for own, given in zip(frame.inputs, inputs):  # noqa: B905  # as many; strict=True takes 40 ns more
            if own.shape != given.shape:  # static shapes do not exclude it
                self._idle.append(frame)
                return self._in_parts(inputs, *places)
            own[...] = given
        if places or frame.only_call is None:
            return frame.results_of_run(self._idle, *places)
        frame.only_call()
        results = [result.copy() for result in frame.results]
        self._idle.append(frame)
        return results

    @abstractmethod
    def _frame(self, inputs: Sequence[Any]) -> Frame | None:
        """A new frame; None if these inputs are not tiny."""

    @abstractmethod
    def _in_parts(self, inputs: Sequence[Any], *places: Any) -> list[Any]:
        """The results without a frame, a single one in `places[0]` if it is given."""


class TinyGroup(FrameRunner):
    """Runs one body.

    `constants` are the inputs, by position, that are the same in every run; calls pass only the others.
    """

    def __init__(
        self, body: Body, constants: Mapping[int, Any] | None = None, interpreter: Interpreter | None = None
    ) -> None:
        super().__init__()
        self.body = body
        self.interpreter = interpreter or Interpreter(body)
        self._constants = dict(constants or {})
        self._open = [i for i in range(len(body.inputs)) if i not in self._constants]

    def with_constants(self, constants: Mapping[int, Any]) -> TinyGroup:
        """The same group for calls that leave out these inputs."""
        return TinyGroup(self.body, constants, self.interpreter) if constants else self

    @property
    def kernel(self) -> Kernel:
        """The kernel of a fused step."""
        return Kernel(self, self.into, self.only, True, lambda constants: self.with_constants(constants).kernel,
                      tier=lambda: KernelTier(self.tier, str(PROMOTION)))  # fmt: skip

    @property
    def tier(self) -> str:
        """The tier that ran last: "native driver" or "interpreter"."""
        return "native driver" if any(frame.native for frame in self._idle) else "interpreter"

    def _frame(self, inputs: Sequence[Any]) -> Frame | None:
        with collector_paused():
            layout = self.interpreter.layout(self._every(inputs))
            if layout is None:
                return None
            frame = make_frame(layout, driver())
        for i, constant in self._constants.items():
            frame.inputs[i][...] = constant
        frame.inputs[:] = [frame.inputs[i] for i in self._open]
        return frame

    def _in_parts(self, inputs: Sequence[Any], *places: Any) -> list[Any]:
        every = self._every(inputs)
        return [self.interpreter.into(*places, *every)] if places else self.interpreter(*every)

    def _every(self, inputs: Sequence[Any]) -> list[Any]:
        given = iter(inputs)
        return [self._constants[i] if i in self._constants else next(given) for i in range(len(self.body.inputs))]
