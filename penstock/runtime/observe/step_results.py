"""The names of what a step of a plan gives: which of its results is which tensor of the operation.

A loop or branch in a plan has results for the variables that it writes, and passes leave out those that nothing reads.
So result 2 of the step need not be output 2 of the operation.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.model.nodes import Operation
from ...graph.model.subgraph import SubGraph, bodies_of
from ...graph.shapes.dtypes import variant
from ..planning.plan import Plan, Step
from ..planning.slot_names import results_of


def result_names(
    step: Step, op: Operation | None, is_as_written: bool, left: Sequence[int] | None = None
) -> tuple[str, ...]:
    """The names of the results of a step; names of tensors for those that are outputs of the operation.

    Args:
        step: the step.
        op: the operation of its node; None if there is none.
        is_as_written: whether the plan was made without passes.
        left: which outputs of the operation the run needs (`Stage.places`); None for all.
    """
    found = _names(step, op, is_as_written, left)
    if op is None or len(found) == len(step.outputs):
        return found
    return tuple([f"{op.name}:result {i}" for i in range(len(step.outputs))])


def _names(step: Step, op: Operation | None, is_as_written: bool, left: Sequence[int] | None) -> tuple[str, ...]:
    if op is None or op.type != step.op or op.opdef.carries_rule is None:
        return results_of(step)
    places = op.opdef.carries_rule(*op.args)
    count, outputs = len(step.outputs), len(op.outputs)
    kept = range(outputs) if left is None else left
    if not places.counted:
        states = count - len(kept)
        if not is_as_written and (states or _has_states(step, op)):  # which results a pass has left out is not known
            return tuple([f"{op.name}:result {i}" for i in range(count)])
        return (*[op.outputs[i].name for i in kept], *[f"{op.name}:variable {i}" for i in range(states)])
    at = op.opdef.parameters.index(places.returning[0])
    graph, plan = op.args[at], step.args[at]
    assert isinstance(graph, SubGraph) and isinstance(plan, Plan)  # what that parameter is
    number = {inner.name: i for i, inner in enumerate(graph.inputs[: places.results])}
    carried = step.args[op.opdef.parameters.index(places.counted)]
    names = []
    for name, _ in plan.feeds[:carried]:
        index = number.get(name)
        names.append(f"{op.name}:variable {name}" if index is None else op.outputs[index].name)
    closing = op.opdef.facts.closing
    last = [t.name for t in op.outputs[outputs - closing :]]
    stacks = [op.outputs[i].name for i in kept if places.results <= i < outputs - closing]
    feeds = {name for name, _ in plan.feeds}
    has_arrays_as_rows = any(op.outputs[i].dtype is variant and name not in feeds for name, i in number.items())
    if has_arrays_as_rows or len(stacks) != count - carried - closing:  # which stacks are left is not known
        stacks = [f"{op.name}:result {i}" for i in range(carried, count - closing)]
    return (*names, *stacks, *last)


def _has_states(step: Step, op: Operation) -> bool:
    """Whether a graph inside the op gets the value of a variable."""
    for graph, plan in zip(bodies_of(op), [arg for arg in step.args if isinstance(arg, Plan)], strict=False):
        if not {name for name, _ in plan.feeds} <= {inner.name for inner in graph.inputs}:
            return True
    return False
