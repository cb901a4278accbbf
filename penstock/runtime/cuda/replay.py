"""How does a plan on a GPU run without paying for each launch? What never changes is captured once and replayed.

Steps that only start kernels, and whose sizes follow from those of the feeds, are captured as a CUDA graph once a
program has run with feeds of the same shapes: a replay is one call, whatever it holds. A step that makes sizes which
depend on values (a partition), or talks to the host, ends a segment; it runs as always, and the next segment begins.

    step 0   copy of a feed to the GPU       as always
    steps 1-7                                one replay: inputs are copied into places of its own first
    step 8   dynamic_partition               as always, the host reads the sizes
    steps 9-12                               as always: their sizes differ from run to run

A captured segment has memory of its own, from a pool of its own, and is used by one run at a time; a second run at the
same moment goes step by step.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ...errors import InvalidArgumentError, ResourceExhaustedError
from ...graph.op_declaration import OPS
from ..backends import backend_of, find_backend
from ..base.launch_count import LAUNCHES
from ..base.session_config import SessionConfig
from ..execution.bind import backend_for
from ..execution.executor import Program
from ..execution.row_major import row_major_copy
from ..execution.run_errors import FindOp
from ..ir.fused_ir import Body
from ..ir.kernel_protocol import SessionRef
from ..observe.recorder import StepListener
from ..planning.aliasing import aliases_of
from ..planning.donation import donated_again
from ..planning.plan import Plan, Slot, Step
from ..planning.planner import TO_DEVICE, TO_HOST
from ..planning.step_effects import effects_of_step, first_that_may_not_repeat
from .cuda_group import group_of
from .cuda_source import as_compiled
from .split_copies import together

Shapes = tuple[tuple[int, ...], ...]
FEWEST: Final = 2
"""Steps a segment must have: one launch costs no more than one replay."""
WARM: Final = 2
"""Runs of the same shapes before a capture: kernels are compiled by then, and CuPy's pool holds what they need."""
KEPT: Final = 8
"""Combinations of feed shapes whose captures a program keeps."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Steps from `start` to `stop` that may be replayed: the slots they read from outside, those others read."""

    start: int
    stop: int
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]


def segments_of(plan: Plan, known: Callable[[Slot], bool]) -> tuple[Segment, ...]:
    """The segments of a plan. known: whether a slot's size follows from the shapes of the feeds."""
    constants = {slot for slot, _, _ in plan.constants}
    sent = copies_of_constants(plan)  # such a copy is made once, wherever it stands
    constants |= {plan.steps[i].outputs[0] for i in sent}
    runs: list[tuple[int, int]] = []
    start = 0
    for i, step in enumerate((*plan.steps, None)):
        if i not in sent and (step is None or not _is_replayable(step, constants, known)):
            if i - start - len(sent & set(range(start, i))) >= FEWEST:
                runs.append((start, i))
            start = i + 1
    return tuple([_segment(plan, a, b, constants) for a, b in runs])


def copies_of_constants(plan: Plan) -> set[int]:
    """The positions of the steps that copy a constant to the GPU."""
    constants = {slot for slot, _, _ in plan.constants}
    return {i for i, step in enumerate(plan.steps) if step.op == TO_DEVICE and step.inputs[0] in constants}


def _note_divisors(plan: Plan) -> None:
    """Tell the groups of a plan in which of their inputs there is no zero."""
    for step in plan.steps:
        if step.device == "gpu" and step.args and isinstance(step.args[-1], Body):
            group = group_of(step.args[-1])
            if group.divisors:
                group.note_constants(plan, step)


def _is_replayable(step: Step, constants: set[Slot], known: Callable[[Slot], bool]) -> bool:
    opdef = OPS.get(step.op)
    if step.device != "gpu" or step.op in (TO_HOST, TO_DEVICE) or opdef is None or not opdef.replayable:
        return False
    if not all(map(known, step.outputs)) or not effects_of_step(step).may_capture:
        return False
    if isinstance(step.args[-1], Body) and group_of(step.args[-1]).waits:
        return False
    # What is read on the host is part of the capture: it must be the same in every run.
    hosts = [step.args[i] for i, _, operand in opdef.operands if operand.host]
    return all(a in constants for a in hosts if isinstance(a, Slot))


def _segment(plan: Plan, start: int, stop: int, constants: set[Slot]) -> Segment:
    steps = plan.steps[start:stop]
    made = {slot for step in steps for slot in step.outputs} - constants
    read = dict.fromkeys([s for step in steps for s in step.inputs if s not in made and s not in constants])
    later = {s for step in plan.steps[stop:] for s in step.inputs} | set(plan.fetches)
    return Segment(start, stop, tuple(read), tuple([s for s in made if s in later]))


@dataclass(slots=True)
class Captured:
    """A segment as a CUDA graph: where its inputs are put, the graph, where its outputs are found, and the stream of
    its last replay."""

    segment: Segment
    inputs: list[Any]
    graph: Any
    outputs: list[Any]
    kept: Any
    stream: Any = None


def on_cpu(plan: Plan) -> Plan:
    """The same plan with every step on the CPU, where copies between devices do nothing: other updates may be in
    place there."""
    return donated_again(replace(plan, steps=tuple([replace(step, device="cpu") for step in plan.steps])))


def _is_view(array: Any) -> bool:
    """Whether it lies on the device in memory of another array, which a captured segment may write over."""
    return array.__class__ is not np.ndarray and getattr(array, "base", None) is not None


def _device_in_force() -> int:
    device = getattr(find_backend("gpu"), "device", None)
    return int(device()) if device is not None else 0


def _wait() -> None:
    cuda = getattr(getattr(find_backend("gpu"), "xp", None), "cuda", None)
    if cuda is not None:
        cuda.get_current_stream().synchronize()


class DeviceProgram(Program):
    """A program with steps on a GPU."""

    def __init__(self, plan: Plan, find_op: FindOp, config: SessionConfig, session: SessionRef = None) -> None:
        super().__init__(plan, find_op, config, session)
        self._config = config
        self._session = session
        self._on_cpu: Program | None = None
        self._turn = deque([None])  # whoever takes it out may use the captures
        self._runs: dict[Shapes, int] = {}
        self._captured: dict[Shapes, list[Captured]] = {}
        self._may_repeat = first_that_may_not_repeat(plan) is None
        self.replays = 0
        self._device = _device_in_force()
        self._fixed = self._copied_once()
        _wait()  # runs may be in other streams than the one that these copies are in
        _note_divisors(plan)
        self._bound = together(plan, self._bound)

    def _copied_once(self) -> set[int]:
        """Constants go to the GPU once, not in each run; the positions of the steps that are done so."""
        done = copies_of_constants(self.plan)
        for i in done:
            step = self.plan.steps[i]
            self._template[step.outputs[0]] = self._bound[i].call(self._template[step.inputs[0]])
        return done

    def run(self, feeds: Sequence[Any], trace: StepListener | None = None) -> list[Any]:
        """As of `Program`; runs that somebody listens to go step by step."""
        now = _device_in_force()
        if now != self._device:
            raise InvalidArgumentError(
                message=f"A plan was run with /gpu:{now} in force, but it was made ready on /gpu:{self._device}, where "
                f"its constants lie: a session serves one GPU. Make another session for /gpu:{now}, and run it with "
                f"cupy.cuda.Device({now}) in force"
            )
        try:
            if trace is not None:
                return super().run(feeds, trace)
            return self._within(self._run_there, feeds)
        except ResourceExhaustedError as error:
            if not self._config.fallback_to_cpu or not self._may_repeat:
                raise
            words = error.message.splitlines()[0]
        warnings.warn(f"The run goes on on the CPU, since the GPU has no memory for it: {words}", stacklevel=4)
        if self._on_cpu is None:
            self._on_cpu = Program(on_cpu(self.plan), self._find_op, self._config, self._session)
        at_home = [x if x.__class__ is np.ndarray else backend_of(x).to_host(x) for x in feeds]
        results = self._on_cpu.run(at_home, trace)
        # The caller's entry knows whose memory results lie in when the plan runs on the GPU.
        given = aliases_of(self._on_cpu.plan).may_hand_over(self._on_cpu.plan.fetches)
        return [result if own else row_major_copy(result) for result, own in zip(results, given, strict=True)]

    def _run_there(self, feeds: Sequence[Any]) -> list[Any]:
        shapes = tuple([x.shape for x in feeds])
        try:
            self._turn.pop()
            alone = True
        except IndexError:  # another run is at it, or, where a signal handler runs, this very thread's
            alone = False
        try:
            captured = self._captures(shapes) if alone else []
            slots = self._template.copy()
            for slot, array in zip(self._feeds, feeds, strict=True):
                slots[slot] = array
            position = 0
            for each in captured:
                self._some(position, each.segment.start, slots)
                self._replay(each, slots)
                position = each.segment.stop
            self._some(position, len(self._bound), slots)
            fetched = [slots[i] for i in self._fetches]
            if captured:  # what a segment made is written over by its next replay
                own = {id(a) for each in captured for a in each.outputs}
                fetched = [f.copy(order="C") if id(f) in own or _is_view(f) else f for f in fetched]
            elif alone:
                self._count(shapes, slots, feeds)
            return fetched
        finally:
            if alone:
                self._turn.append(None)

    def _some(self, start: int, stop: int, slots: list[Any]) -> None:
        steps = [b for i, b in enumerate(self._bound[start:stop], start) if i not in self._fixed]
        if len(steps) == stop - start:
            self._one_by_one(steps, start, slots, None)
            return
        for i in range(start, stop):
            if i not in self._fixed:
                self._one_by_one(self._bound[i : i + 1], i, slots, None)

    # ---- captures ---------------------------------------------------------------------------

    def _captures(self, shapes: Shapes) -> list[Captured]:
        return self._captured.get(shapes, [])

    def _count(self, shapes: Shapes, slots: list[Any], feeds: Sequence[Any]) -> None:
        """Note a run; after enough of them capture what can be."""
        runs = self._runs.get(shapes, 0) + 1
        self._runs[shapes] = runs
        if runs != WARM or not self._may_repeat:  # what a capture needs is found by doing the run again
            return
        if len(self._captured) >= KEPT:
            for each in (c for captured in self._captured.values() for c in captured if c.stream is not None):
                each.stream.synchronize()  # the last replay may still read what is given back now
            self._captured.clear()
        self._captured[shapes] = self._capture_all(shapes, feeds)

    def _capture_all(self, shapes: Shapes, feeds: Sequence[Any]) -> list[Captured]:
        backend = find_backend("gpu")
        stream_class = getattr(getattr(getattr(backend, "xp", None), "cuda", None), "Stream", None)
        if backend is None or stream_class is None or not hasattr(stream_class, "begin_capture"):
            return []
        memory = {b.slot: b.size for b in self.memory(shapes).buffers}
        found = []
        slots = self._template.copy()
        for slot, array in zip(self._feeds, feeds, strict=True):
            slots[slot] = array
        position = 0
        for segment in segments_of(self.plan, lambda slot: memory.get(slot) is not None):
            # Up to the segment everything runs once more, freeing nothing: its inputs show how to make places for them.
            self._keeping(position, segment.start, slots)
            captured = self._capture(backend.xp, segment, slots)
            self._keeping(segment.start, segment.stop, slots)
            position = segment.stop
            if captured is not None:
                found.append(captured)
        return found

    def _keeping(self, start: int, stop: int, slots: list[Any]) -> None:
        steps = [b._replace(frees=()) for b in self._bound[start:stop]]
        for i, bound in enumerate(steps, start):
            if i not in self._fixed:
                self._one_by_one([bound], i, slots, None)

    def _capture(self, xp: Any, segment: Segment, slots: list[Any]) -> Captured | None:
        """The segment as a graph, or None where CUDA refuses to capture some step of it."""
        values = list(slots)
        inputs = [values[i].copy() for i in segment.inputs]
        for slot, place in zip(segment.inputs, inputs, strict=True):
            values[slot] = place
        pool = xp.cuda.MemoryPool()
        # Whatever another thread starts on the default stream would end the capture of a stream that waits for it. So
        # this one waits for none, and for it what its inputs come from must be over.
        stream = xp.cuda.Stream(non_blocking=True)
        _wait()
        places = [i for i in range(segment.start, segment.stop) if i not in self._fixed]
        steps = [self._bound[i]._replace(frees=()) for i in places]
        with xp.cuda.using_allocator(pool.malloc):
            warm = list(values)
            with stream:  # CuPy's pool keeps apart what each stream freed
                self._one_by_one(steps, segment.start, warm, None)  # it has all it needs when the capture begins
            stream.synchronize()
            del warm
            try:
                with stream, as_compiled():
                    stream.begin_capture()
                    try:
                        self._one_by_one(steps, segment.start, values, None)
                    finally:
                        graph = stream.end_capture()
            except Exception:  # whatever the reason, step by step it works or says why it does not
                return None
        outputs = [values[i] for i in segment.outputs]
        return Captured(segment, inputs, graph, outputs, (values, pool))

    def _replay(self, captured: Captured, slots: list[Any]) -> None:
        now = backend_for("gpu").xp.cuda.get_current_stream()
        if captured.stream is not None and captured.stream != now:
            captured.stream.synchronize()  # the places of the inputs may still be read there
        captured.stream = now
        for slot, place in zip(captured.segment.inputs, captured.inputs, strict=True):
            place[...] = slots[slot]
        captured.graph.launch(now)  # on the stream of the copies before and after it, so that they are in order
        self.replays += 1
        LAUNCHES.replays += 1
        for slot, array in zip(captured.segment.outputs, captured.outputs, strict=True):
            slots[slot] = array
