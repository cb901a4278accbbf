"""A plan and a recorded run as plain data for a page.

The data hold the steps as rows of numbers, the names of what each step reads, makes and drops, and the summary of every
recorded value. The page looks them up by the names of nodes and of their results.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...runtime.ir.fused_ir import instructions_in
from ...runtime.observe.run_record import BodyRecord, ResultRecord, RunRecord, StepRecord
from ...runtime.observe.value_summary import Summary, summary_of
from ...runtime.planning.memory_plan import MemoryPlan
from ...runtime.planning.plan import Plan, Slot
from ..content.from_plan import names_of, static_type

# What ran inside loops and branches, as plain data for a page: for each loop a slider over its iterations.
#
# loops     [node, 1 for a loop and 0 for a branch, number of the loop around or -1] for each
# runs      the runs of each loop by the iterations around: "" outermost, "3" inside position 3 of the loop around it,
#           "3.0" inside both. A run is [numbers of the iterations, their times, {value: row for each iteration}].


Row = list[Any]
MOST_ROWS = 6000
"""The most values of iterations in a page; of longer loops fewer iterations are taken."""


def loop_facts(record: RunRecord, row_of: Callable[[ResultRecord], Row]) -> dict[str, Any]:
    """The facts of loops and branches of a recorded run; {} if nothing was recorded inside any.

    row_of: [type, bytes, summary or None] of a value.
    """
    found = _Loops(row_of)
    found.add(record.steps, -1, "")
    return {"loops": found.loops, "loopRuns": found.runs} if found.loops else {}


class _Loops:
    """The data under construction."""

    def __init__(self, row_of: Callable[[ResultRecord], Row]) -> None:
        self.loops: list[Row] = []
        self.runs: list[dict[str, Row]] = []
        self._row_of = row_of
        self._numbers: dict[str, int] = {}

    def add(self, steps: Sequence[StepRecord], around: int, key: str) -> None:
        """What ran inside these steps, which are those of iteration `key` of loop number `around`."""
        for step in steps:
            if step.inside:
                self._add_holder(step, around, key)

    def _add_holder(self, step: StepRecord, around: int, key: str) -> None:
        number = self._numbers.get(step.node)
        repeats = len(step.inside) > 1 or any(body.iteration for body in step.inside)
        if number is None:
            number = self._numbers[step.node] = len(self.loops)
            self.loops.append([step.node, int(repeats), around])
            self.runs.append({})
        by_iteration: dict[int, list[BodyRecord]] = {}
        for body in step.inside:
            by_iteration.setdefault(body.iteration, []).append(body)
        kept = _some(sorted(by_iteration), sum(_rows(each) for each in step.inside))
        times = [round(1e6 * sum(body.seconds for body in by_iteration[i]), 1) for i in kept]
        values: dict[str, list[Row | None]] = {}
        for position, iteration in enumerate(kept):
            for body in by_iteration[iteration]:
                for result in (*body.feeds, *(r for inner in body.steps for r in inner.results)):
                    rows = values.setdefault(result.name, [None] * len(kept))
                    rows[position] = self._row_of(result)
                self.add(body.steps, number, f"{key}.{position}" if key else str(position))
        self.runs[number][key] = [kept, times, values]


def _rows(body: BodyRecord) -> int:
    return len(body.feeds) + sum(len(s.results) + sum(_rows(each) for each in s.inside) for s in body.steps)


def _some(iterations: Sequence[int], rows: int) -> list[int]:
    """Iterations of which the values have room: all, or every n-th and the last."""
    every = -(-rows // MOST_ROWS) or 1
    return [each for i, each in enumerate(iterations) if i % every == 0 or i == len(iterations) - 1]


MOST_IMAGES = 400
"""The most values with an image; together they take at most a few MB of the page."""
_CONSTANT_SIZE = 1 << 16


def plan_facts(plan: Plan, memory: MemoryPlan | None, constants: Sequence[str] = ()) -> dict[str, Any]:
    """The facts of a plan.

    plan: [node, members, device, reads, makes, frees, op] for each step.
    bodies: the instructions of each fused step.
    types: the static type of each value by name.
    memory: see `memory_rows`.

    constants: the names of the plan's constants, if they are known.
    """
    values = names_of(plan, constants).values
    rows: list[Row] = []
    bodies: dict[str, list[str]] = {}
    for step in plan.steps:
        body = instructions_in(step)
        members = [] if body is None else [*body.nodes]
        if body is not None:
            bodies[step.node] = str(body).split("\n")
        names = ([values[slot] for slot in slots] for slots in (step.inputs, step.outputs, step.frees))
        rows.append([step.node, members, step.device, *names, step.op])
    types = {name: static_type(plan, slot) for slot, name in values.items()}
    facts: dict[str, Any] = {"plan": rows, "bodies": bodies, "types": types}
    if memory is not None:
        facts["memory"] = memory_rows(plan, memory, values)
    return facts


def run_facts(record: RunRecord, constants: Sequence[str] = ()) -> dict[str, Any]:
    """The facts of a recorded run.

    run: [node, op, device, start, duration, bytes, held, kernel] for each step, times in microseconds.
    values: [type, bytes, summary or None] by name.
    shapes: the shapes of the results by node.
    failed: the node that failed, or "".
    flow: [sentence, [stage, what is known of it] for each] by the nodes of iterators, queues and what takes from them.
    loops, loopRuns: what ran inside loops and branches; see `page_loops`.
    standsBefore, atStep, edited: of a debugger, the node and step at which it stands, and the names of values that
        depend on one that was set.
    """
    values = names_of(record.plan, constants).values
    kept: dict[str, Row] = {}
    images = 0

    def keep(name: str, found: ResultRecord) -> None:
        nonlocal images
        images += found.value is not None and found.value.image is not None
        kept[name] = [found.type, found.bytes, _value(found.value, images <= MOST_IMAGES)]

    for (_, slot), fed in zip(record.plan.feeds, record.feeds, strict=True):
        keep(values[slot], fed)
    valued = record.has_values
    for slot, array, _ in record.plan.constants:
        if valued and array.size <= _CONSTANT_SIZE:
            keep(values[slot], _constant(record.plan, slot, array))
    shapes: dict[str, list[str]] = {}
    for planned, step in zip(record.plan.steps, record.steps, strict=False):
        for slot, result in zip(planned.outputs, step.results, strict=True):
            keep(values[slot], result)
        shapes.setdefault(step.node, [_shape(result) for result in step.results])
    for (name, _), fed in zip(record.plan.feeds, record.feeds, strict=True):
        shapes.setdefault(name.rpartition(":")[0], [_shape(fed)])
    loops = loop_facts(record, lambda found: [found.type, found.bytes, _value(found.value, False)])
    next_node = record.plan.steps[len(record.steps)].node if len(record.steps) < len(record.plan.steps) else ""
    debugged = record.debugged
    stands = {}
    if debugged is not None:
        stands = {"standsBefore": next_node, "atStep": len(record.steps), "edited": list(debugged.changed)}
    failed = next_node if debugged is None or debugged.has_failed else ""
    return {
        "run": [[s.node, s.op, s.device, _micros(s.start), _micros(s.duration), s.bytes, s.held, s.kernel]
                for s in record.steps],
        "values": kept,
        "shapes": shapes,
        "peak": record.peak_bytes,
        "seconds": _micros(record.seconds),
        "failed": failed,
        "hasValues": valued,
        "flow": _data_flow(record),
        **stands,
        **loops,
    }  # fmt: skip


def _data_flow(record: RunRecord) -> dict[str, Row]:
    if record.data is None or record.graph is None:
        return {}
    found = ((op.name, record.data.at(op)) for op in record.graph.get_operations())
    return {name: list(flow) for name, flow in found if flow is not None}


def memory_rows(plan: Plan, memory: MemoryPlan, values: Mapping[Slot, str]) -> dict[str, object]:
    """The memory plan as data: buffers [name, bytes, first step, last step, place in the arena], the peak."""
    return {
        "steps": len(plan.steps),
        "peak": memory.peak,
        "peakStep": memory.peak_step,
        "exact": memory.is_exact,
        "arena": memory.arena.total,
        "buffers": [
            [values.get(b.slot, "a constant"), b.size, b.first, b.last, memory.arena.offsets.get(b.slot)]
            for b in memory.buffers
            if b.root == b.slot
        ],
    }


def _shape(found: ResultRecord) -> str:
    return str(found.shape)


def _constant(plan: Plan, slot: Slot, array: Any) -> ResultRecord:
    dtype = plan.slots[slot].dtype
    return ResultRecord(str(slot), dtype.name, array.shape, dtype.size * array.size, summary_of(array))


def _value(value: Summary | None, with_image: bool) -> Row | None:
    """[size, preview, min, max, mean, std, NaNs, Infs, zeros, first bad, histogram, image]."""
    if value is None:
        return None
    histogram = image = None
    if value.histogram is not None:
        found = value.histogram
        histogram = [_number(found.low), _number(found.high), found.stride, list(found.counts)]
    if value.image is not None and with_image:
        drawn = value.image
        pixels = base64.b64encode(drawn.pixels).decode("ascii")
        image = [drawn.height, drawn.width, drawn.channels, pixels, _number(drawn.low), _number(drawn.high)]
    numbers = [_number(n) for n in (value.minimum, value.maximum, value.mean, value.std)]
    bad = None if value.first_bad is None else list(value.first_bad)
    return [value.size, value.preview, *numbers, value.nans, value.infs, value.zeros, bad, histogram, image]


def _number(number: float | None) -> float | str | None:
    """The number as JSON can hold it: NaN, infinities and large integers are texts."""
    if isinstance(number, float):
        return number if math.isfinite(number) else str(number)
    return number if number is None or abs(number) < 1 << 53 else str(number)


def _micros(seconds: float) -> float:
    return round(seconds * 1e6, 1)
