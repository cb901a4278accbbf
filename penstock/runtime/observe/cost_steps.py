"""Predicted and measured cost of each step of a recorded run.

Passes fuse, merge and rewrite nodes, so the steps of a plan are not the nodes of the graph. The cost of a step is
therefore computed from the step itself and from the shapes that the values of the run had.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ...graph.declare.op_cost import Known, bytes_of, cost_of_use, flops_of
from ...graph.declare.op_declaration import OPS
from ..ir.fused_ir import Body, Value, shapes_of
from ..planning.plan import Slot, Step
from .cost_report import StepCost
from .run_record import RunRecord, members_of


def record_of(run: Any, graph: Any) -> RunRecord | None:
    """The record inside a `RunMetadata`, or the record itself; None for None.

    Raises:
        ValueError: nothing was recorded, or the run is one of another graph.
        TypeError: `run` is neither a `RunMetadata` nor a `RunRecord`.
    """
    if run is None:
        return None
    record = run if isinstance(run, RunRecord) else getattr(run, "record", run)
    if record is None:
        raise ValueError("cost(run=...): this RunMetadata holds no recorded run. Give it to session.run first.")
    if not isinstance(record, RunRecord):
        raise TypeError(f"cost(run={run!r}): a {type(run).__name__} was given; give the RunMetadata of a run")
    if record.graph is not None and record.graph is not graph:
        raise ValueError(f"cost(run=...): the run is of {record.graph!r}, not of {graph!r}. Give one of this graph.")
    return record


def step_costs(record: RunRecord) -> tuple[StepCost, ...]:
    """One row for each step that ran."""
    shapes: dict[Slot, Known] = {slot: array.shape for slot, array, _ in record.plan.constants}
    fed = {feed.name: feed.shape for feed in record.feeds}
    shapes.update({slot: fed.get(name) for name, slot in record.plan.feeds})
    rows: list[StepCost] = []
    for step, measured in zip(record.plan.steps, record.steps, strict=False):
        results = {slot: result.shape for slot, result in zip(step.outputs, measured.results, strict=False)}
        shapes.update({slot: results.get(slot) for slot in step.outputs})
        flops, read, written = _cost(step, record, shapes)
        rows.append(StepCost(step.node, step.op, members_of(step), flops, read, written, measured.bytes,
                             measured.duration))  # fmt: skip
    return tuple(rows)


def _cost(step: Step, record: RunRecord, shapes: dict[Slot, Known]) -> tuple[int | None, int | None, int | None]:
    results = [(dtype, shapes[slot]) for dtype, slot in zip(step.dtypes, step.outputs, strict=True)]
    opdef = OPS.get(step.op)
    if opdef is None:  # a copy from one device to another
        size = bytes_of(*results[0])
        return 0, size, size
    known = {slot: (record.plan.slots[slot].dtype, shapes[slot]) for slot in step.inputs}
    flops, read, written = cost_of_use(opdef, step.args, known, results)
    body = step.args[-1] if step.args else None
    if isinstance(body, Body):
        flops = _body_flops(body, [shapes[slot] for slot in step.inputs])
    return flops, read, written


def _body_flops(body: Body, inputs: Sequence[Known]) -> int | None:
    """Operations of a fused group, whose ops are elementwise or reductions."""
    known = [shape for shape in inputs if shape is not None]
    if len(known) < len(inputs):
        return None
    shapes = shapes_of(body, known)
    total = 0
    for instruction, shape in zip(body.instructions, shapes[len(known) :], strict=True):
        opdef = OPS[instruction.op]
        args = [shapes[a] if isinstance(a, Value) else a for a in instruction.args]
        flops = prod(args[0]) if opdef.reduction is not None else flops_of(opdef, args, [shape])
        total += flops or 0
    return total
