"""Control inputs that cannot be noticed any more once writes are data flow.

A training step is an operation that waits for the writes of all variables. When `versions` has made ordinary nodes of
the writes, their last values are fetches, so a run computes them in any case. Waiting would only keep these nodes out
of fused groups. So the wait for a node is left out if

    it has no effect that others see, nor has anything that it depends on, so that its place in the order cannot be
        noticed: random numbers come from a stream of each op's own;
    the fetches need it, so that it runs all the same, with its errors; or it computes nothing, as a group does;
    no operation with an effect waits for it, which an error of the node has to prevent.
"""

from __future__ import annotations

from ...graph.declare.effects import effects_of
from ...graph.model.nodes import Operation
from ..ir.stage import Rebuild, Stage, held_operations, needed_as_operands


def without_idle_waits(stage: Stage) -> Stage:
    """The stage without control inputs and targets that change nothing; the same stage if there are none."""
    idle = _idle(stage)
    if not idle:
        return stage
    copy = Rebuild(stage)
    for op in stage.operations:
        copy.copy(op)
        if op in idle:
            copy.drop(op)  # who waits for it waits for what it waits for
    return copy.finish()


def _idle(stage: Stage) -> set[Operation]:
    """The operations that are waited for, or are targets, to no purpose."""
    awaited = held_operations(stage)
    if not awaited:
        return awaited
    awaited -= _guards(stage)
    computed = needed_as_operands(stage)
    quiet: set[Operation] = set()
    idle: set[Operation] = set()
    fed = {tensor.op for tensor in stage.feeds}
    for op in stage.operations:
        if not (op.opdef.is_pure or effects_of(op).is_private):
            continue
        if not all(t.op in quiet or t.op in fed for t in op.inputs):
            continue
        if not all(control in quiet for control in op.control_inputs):
            continue
        quiet.add(op)
        if op in awaited and (op in computed or not op.outputs):
            idle.add(op)
    return idle


def _guards(stage: Stage) -> set[Operation]:
    """The operations that must have run before an operation with an effect."""
    found: set[Operation] = set()
    for op in reversed(stage.operations):
        if not _is_pure(op) or (op in found and not op.outputs):
            found.update(op.control_inputs)
    return found


def _is_pure(op: Operation) -> bool:
    """Whether nothing happens but that its results are made; of an op that holds graphs they say."""
    return op.opdef.is_pure or effects_of(op).is_pure
