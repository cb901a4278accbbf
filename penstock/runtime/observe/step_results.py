"""The names of what a step of a plan gives: which of its results is which tensor of the operation.

A loop or branch in a plan has results for the variables that it writes, and passes leave out those that nothing reads.
So result 2 of the step need not be output 2 of the operation.
"""

from __future__ import annotations

from ...graph.nodes import Operation
from ...graph.subgraph import SubGraph, bodies_of
from ..planning.plan import Plan, Step
from .run_record import results_of


def result_names(step: Step, op: Operation | None, is_as_written: bool) -> tuple[str, ...]:
    """The names of the results of a step; names of tensors for those that are outputs of the operation.

    Args:
        step: the step.
        op: the operation of its node; None if there is none.
        is_as_written: whether the plan was made without passes.
    """
    if op is None or op.type != step.op or op.opdef.carries_rule is None:
        return results_of(step)
    places = op.opdef.carries_rule(*op.args)
    count, outputs = len(step.outputs), len(op.outputs)
    if not places.counted:
        states = count - outputs
        if not is_as_written and (states or _has_states(step, op)):  # which results a pass has left out is not known
            return tuple([f"{op.name}:result {i}" for i in range(count)])
        return (*[t.name for t in op.outputs], *[f"{op.name}:variable {i}" for i in range(states)])
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
    stacks = [t.name for t in op.outputs[places.results : outputs - closing]]
    if len(stacks) != count - carried - closing:
        stacks = [f"{op.name}:result {i}" for i in range(carried, count - closing)]
    return (*names, *stacks, *last)


def _has_states(step: Step, op: Operation) -> bool:
    """Whether a graph inside the op gets the value of a variable."""
    for graph, plan in zip(bodies_of(op), [arg for arg in step.args if isinstance(arg, Plan)], strict=False):
        if not {name for name, _ in plan.feeds} <= {inner.name for inner in graph.inputs}:
            return True
    return False
