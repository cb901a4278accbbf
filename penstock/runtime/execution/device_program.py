"""Programs with steps on a GPU: constants are copied once, and segments are captured and replayed.

Run number `WARM` with feeds of the same shapes captures the segments of the plan (`cuda.graph_capture`); later runs
with these shapes replay them. A concurrent second run goes step by step. A run for which the GPU has too little memory
can continue on the CPU.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from ...errors import InvalidArgumentError, ResourceExhaustedError
from ..backends import backend_of
from ..base.pending_writes import PendingWrites
from ..base.session_config import SessionConfig
from ..base.stop_signal import has_deadline
from ..cuda.graph_capture import Captured, can_capture, capture, copies_of_constants, note_divisors, segments_of
from ..cuda.split_copies import with_parts_cut
from ..ir.kernel_protocol import SessionRef
from ..planning.aliasing import aliases_of
from ..planning.donation import with_new_donors
from ..planning.plan import Plan, first_that_may_not_repeat, overwrites_state
from .bind import BoundStep, backend_for
from .executor import Program
from .row_major import row_major_copy
from .run_errors import FindOp
from .step_listener import StepListener

Shapes = tuple[tuple[int, ...], ...]
WARM: Final = 2
"""The run with the same shapes that captures: kernels are compiled by then, and CuPy's pool holds the memory."""
KEPT: Final = 8
"""The most combinations of feed shapes whose captures a program keeps."""


def on_cpu(plan: Plan) -> Plan:
    """The plan with every step on the CPU. Copies between devices then do nothing, and donors are chosen again."""
    return with_new_donors(replace(plan, steps=tuple([replace(step, device="cpu") for step in plan.steps])))


def _is_view(array: Any) -> bool:
    """True if an array on the device is a view of another array, which a replay may overwrite."""
    return array.__class__ is not np.ndarray and getattr(array, "base", None) is not None


class DeviceProgram(Program):
    """A program with steps on a GPU.

    Attributes:
        captures: what is captured for each combination of feed shapes.
        replays: how often captures were replayed.
    """

    def __init__(self, plan: Plan, find_op: FindOp, config: SessionConfig, session: SessionRef = None) -> None:
        super().__init__(plan, find_op, config, session)
        self._on_cpu: Program | None = None
        self._turn = deque([None])  # one token: the run that holds it may use the captures
        self._runs: dict[Shapes, int] = {}
        self.captures: dict[Shapes, list[Captured]] = {}
        self._may_repeat = first_that_may_not_repeat(plan) is None and not overwrites_state(plan)
        self.replays = 0
        self._gpu = backend_for("gpu")
        self._device = self._device_in_force()
        for i in copies_of_constants(plan):
            self._bound[i] = self._copied_once(self._bound[i])
        self._wait()  # a run may be in another stream than these copies
        note_divisors(plan)
        calls = with_parts_cut(self._gpu.xp, plan, [bound.call for bound in self._bound])
        self._bound = [bound._replace(call=call) for bound, call in zip(self._bound, calls, strict=True)]
        self._only = None  # it would call the step as it was

    def _copied_once(self, bound: BoundStep) -> BoundStep:
        array = bound.call(self._template[bound.inputs[0]])
        self._template[bound.output] = array  # a replayed segment skips the step
        return bound._replace(call=lambda _: array)

    def _device_in_force(self) -> int:
        device = getattr(self._gpu, "device", None)
        return int(device()) if device is not None else 0

    def _wait(self) -> None:
        cuda = getattr(self._gpu.xp, "cuda", None)
        if cuda is not None:
            cuda.get_current_stream().synchronize()

    def run(
        self, feeds: Sequence[Any], trace: StepListener | None = None, writes: PendingWrites | None = None
    ) -> list[Any]:
        """As `Program.run`. A traced run and one with a timeout replay nothing."""
        now = self._device_in_force()
        if now != self._device:
            raise InvalidArgumentError(
                message=f"A plan was run with /gpu:{now} as the current device, but its constants are on "
                f"/gpu:{self._device}: a session serves one GPU. Make another session for /gpu:{now}, and run it "
                f"inside `with cupy.cuda.Device({now}):`"
            )
        try:
            if trace is not None or has_deadline():
                return super().run(feeds, trace, writes)
            return self._within(self._run_on_device, feeds, writes)
        except ResourceExhaustedError as error:
            if not self._config.fallback_to_cpu or not self._may_repeat:
                raise
            words = error.message.splitlines()[0]
        warnings.warn(f"The run continues on the CPU, since the GPU has too little memory: {words}", stacklevel=4)
        return self._run_on_cpu(feeds, trace)

    def _run_on_cpu(self, feeds: Sequence[Any], trace: StepListener | None) -> list[Any]:
        if self._on_cpu is None:
            self._on_cpu = Program(on_cpu(self.plan), self._find_op, self._config, self._session)
        on_host = [x if x.__class__ is np.ndarray else backend_of(x).to_host(x) for x in feeds]
        results = self._on_cpu.run(on_host, trace)
        # The caller knows which results own their memory for the plan on the GPU, not for this one.
        given = aliases_of(self._on_cpu.plan).returnable(self._on_cpu.plan.fetches)
        threads = self.threads
        return [result if own else row_major_copy(result, threads) for result, own in zip(results, given, strict=True)]

    def _run_on_device(self, feeds: Sequence[Any], writes: PendingWrites | None) -> list[Any]:
        shapes = tuple([x.shape for x in feeds])
        try:
            self._turn.pop()
            has_captures = True
        except IndexError:  # another run uses the captures: another thread's, or one that a signal handler interrupted
            has_captures = False
        try:
            captured = self.captures.get(shapes, []) if has_captures else []
            slots = self._filled(feeds)
            slots[-1] = writes
            if has_captures and self._is_to_capture(shapes):
                self.captures[shapes] = self._run_and_capture(shapes, slots)
            else:
                position = 0
                for each in captured:
                    self._in_sequence(self._bound[position : each.segment.start], position, slots, None)
                    each.replay(self._gpu.xp, slots)
                    self.replays += 1
                    position = each.segment.stop
                self._in_sequence(self._bound[position:], position, slots, None)
            fetched = [slots[i] for i in self._fetches]
            if captured:  # the next replay overwrites the outputs of a segment
                own = {id(a) for each in captured for a in each.outputs}
                fetched = [f.copy(order="C") if id(f) in own or _is_view(f) else f for f in fetched]
            elif has_captures:
                self._runs[shapes] = self._runs.get(shapes, 0) + 1
            return fetched
        finally:
            if has_captures:
                self._turn.append(None)

    # ---- captures ---------------------------------------------------------------------------

    def _is_to_capture(self, shapes: Shapes) -> bool:
        """Whether the next run with such feeds captures the segments: it runs their steps several times."""
        next_run = self._runs.get(shapes, 0) + 1
        return next_run == WARM and self._may_repeat and can_capture(self._gpu.xp)

    def _run_and_capture(self, shapes: Shapes, slots: list[Any]) -> list[Captured]:
        """The captures of a run, which gives its results too: what it draws or prints between segments happens once."""
        if len(self.captures) >= KEPT:
            for each in (c for captured in self.captures.values() for c in captured if c.stream is not None):
                each.stream.synchronize()  # the last replay may still use memory that is released now
            self.captures.clear()
        memory = {b.slot: b.size for b in self.memory(shapes).buffers}
        keeping = [bound._replace(frees=()) for bound in self._bound]
        captures = []

        def run(start: int, stop: int, slots: list[Any]) -> None:
            self._in_sequence(keeping[start:stop], start, slots, None)

        position = 0
        for segment in segments_of(self.plan, lambda slot: memory.get(slot) is not None):
            start, stop = segment.start, segment.stop
            run(position, start, slots)  # fills the inputs of the segment, so that their shapes are known
            before = list(slots)
            run(start, stop, slots)
            captured = capture(self._gpu.xp, segment, before, partial(run, start, stop))
            position = stop
            if captured is not None:
                captures.append(captured)
        run(position, len(keeping), slots)
        return captures
