"""CUDA graph capture: steps of a plan that only launch kernels are captured once and replayed.

Steps that only launch kernels, and whose sizes follow from those of the feeds, form a segment. A step whose result
sizes depend on values (a partition), or in which the host takes part, ends a segment and runs step by step; the next
segment begins after it, if the sizes are known there again.

    step 0   copy of a feed to the GPU       step by step
    steps 1-7                                one replay; its inputs are copied to their fixed places first
    step 8   dynamic_partition               step by step: the host reads the sizes
    steps 9-12                               step by step: their sizes differ from run to run

A captured segment has memory of its own, from a pool of its own, and serves one run at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ...graph.declare.op_declaration import OPS
from ..base.launch_count import LAUNCHES
from ..ir.fused_ir import Body
from ..planning.plan import Plan, Slot, Step, effects_of_step
from ..planning.planner import TO_DEVICE, TO_HOST
from .cuda_group import group_of
from .cuda_source import as_compiled

FEWEST: Final = 2
"""Steps of the shortest segment: one launch costs no more than one replay."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Steps of a plan that may be replayed.

    start, stop: the positions of the first step and behind the last one.
    inputs: slots that the steps read and other steps fill.
    outputs: slots that the steps fill and later steps, or the caller, read.
    """

    start: int
    stop: int
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]


def segments_of(plan: Plan, known: Callable[[Slot], bool]) -> tuple[Segment, ...]:
    """The segments of a plan. known: whether the size of a slot follows from the shapes of the feeds."""
    constants = {slot for slot, _, _ in plan.constants}
    copies = copies_of_constants(plan)
    constants |= {plan.steps[i].outputs[0] for i in copies}
    runs: list[tuple[int, int]] = []
    start = 0
    for i, step in enumerate((*plan.steps, None)):
        if i not in copies and (step is None or not _is_replayable(step, constants, known)):
            if i - start - len(copies & set(range(start, i))) >= FEWEST:
                runs.append((start, i))
            start = i + 1
    return tuple([_segment(plan, a, b, constants) for a, b in runs])


def copies_of_constants(plan: Plan) -> set[int]:
    """The positions of the steps that copy a constant to the GPU, which happens once and not in each run."""
    constants = {slot for slot, _, _ in plan.constants}
    return {i for i, step in enumerate(plan.steps) if step.op == TO_DEVICE and step.inputs[0] in constants}


def note_divisors(plan: Plan) -> None:
    """Tell the fused groups of a plan which of their inputs are constants without a zero."""
    for step in plan.steps:
        if step.device == "gpu" and step.args and isinstance(step.args[-1], Body):
            group = group_of(step.args[-1])
            if group.divisors:
                group.note_constants(plan, step)


def _is_replayable(step: Step, constants: set[Slot], known: Callable[[Slot], bool]) -> bool:
    opdef = OPS.get(step.op)
    if step.device != "gpu" or step.op in (TO_HOST, TO_DEVICE) or opdef is None or not opdef.facts.replayable:
        return False
    if not all(map(known, step.outputs)) or not effects_of_step(step).may_capture:
        return False
    if isinstance(step.args[-1], Body) and group_of(step.args[-1]).waits:
        return False
    # A value that the host reads becomes part of the capture, so it must be the same in every run.
    hosts = [step.args[i] for i, _, operand in opdef.operands if operand.host]
    return all(a in constants for a in hosts if isinstance(a, Slot))


def _segment(plan: Plan, start: int, stop: int, constants: set[Slot]) -> Segment:
    steps = plan.steps[start:stop]
    made = {slot for step in steps for slot in step.outputs} - constants
    read = dict.fromkeys([s for step in steps for s in step.inputs if s not in made and s not in constants])
    later = {s for step in plan.steps[stop:] for s in step.inputs} | set(plan.fetches)
    return Segment(start, stop, tuple(read), tuple([s for s in made if s in later]))


def can_capture(xp: Any) -> bool:
    """Whether the array module captures CUDA graphs."""
    return hasattr(getattr(getattr(xp, "cuda", None), "Stream", None), "begin_capture")


@dataclass(slots=True)
class Captured:
    """A segment as a CUDA graph.

    inputs: the fixed places of its inputs.
    outputs: the arrays that a replay fills.
    kept: what must live as long as the graph.
    stream: the stream of its last replay.
    """

    segment: Segment
    inputs: list[Any]
    graph: Any
    outputs: list[Any]
    kept: Any
    stream: Any = None

    def replay(self, xp: Any, slots: list[Any]) -> None:
        """Run the segment: read its inputs from the slots and put its outputs there."""
        now = xp.cuda.get_current_stream()
        if self.stream is not None and self.stream != now:
            self.stream.synchronize()  # the last replay may still read the places of the inputs
        self.stream = now
        for slot, place in zip(self.segment.inputs, self.inputs, strict=True):
            place[...] = slots[slot]
        self.graph.launch(now)  # in one stream with the copies before and after it, hence in order
        LAUNCHES.replays += 1
        for slot, array in zip(self.segment.outputs, self.outputs, strict=True):
            slots[slot] = array


def capture(xp: Any, segment: Segment, slots: list[Any], run: Callable[[list[Any]], None]) -> Captured | None:
    """The segment as a graph, or None where CUDA refuses to capture one of its steps.

    slots: the values before the segment. run: runs its steps on slots and frees nothing.
    """
    values = list(slots)
    inputs = [values[i].copy() for i in segment.inputs]
    for slot, place in zip(segment.inputs, inputs, strict=True):
        values[slot] = place
    pool = xp.cuda.MemoryPool()
    # Work that another thread starts on the default stream would end the capture of a stream that waits for that one.
    # So this stream waits for none, and the work that made its inputs must be complete.
    stream = xp.cuda.Stream(non_blocking=True)
    xp.cuda.get_current_stream().synchronize()
    try:
        with xp.cuda.using_allocator(pool.malloc):
            with stream:  # CuPy's pool keeps freed memory by stream; this run frees as much as the capture needs
                run(list(values))
            stream.synchronize()
            with stream, as_compiled():
                stream.begin_capture()
                try:
                    run(values)
                finally:
                    graph = stream.end_capture()
    except Exception:  # step by step the segment works: it has just run so; memory for a second time may be missing
        return None
    return Captured(segment, inputs, graph, [values[i] for i in segment.outputs], (values, pool))
