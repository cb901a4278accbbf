"""The error of a run that needs the value of a variable that has none, and what to do about it.

The cure is never one that does harm: where other variables have values, as in a program that has trained already,
`tf.global_variables_initializer()` would replace these, so the new ones are named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import FailedPreconditionError, OpError
from ...graph.model.default_graph import outermost
from ...graph.model.nodes import Operation
from ...ops.state.uninitialized_variables import uninitialized
from ..planning.plan import Plan

GLOBAL, LOCAL, TABLES = "variables", "local_variables", "table_initializer"
NAMED = 8
"""The most variables that an error names."""
ITS_OWN = "session.run(v.initializer)"


def uninitialized_error(
    op: Operation | None, resource: str, has_value: Callable[[str], bool], plan: Plan | None
) -> OpError:
    """The error.

    Args:
        op: the operation of the variable, if it is known.
        resource: the variable.
        has_value: whether the session has a value of a variable.
        plan: that of the run.
    """
    error = FailedPreconditionError(op=op, message=uninitialized(resource))
    error.resource = resource
    lines = [error.message]
    if op is not None:
        lines.append(f"  the variable {resource!r}  {op.origin.made}  {op.origin.code}".rstrip())
    if plan is not None and _is_given_a_value(plan, resource):
        lines.append(
            "  This run gives it a value, but an operation of the run reads it before: without a path from the write, "
            "a read sees the value at the start of the run. Run the initializer in a session.run of its own, before "
            "this one."
        )
    else:
        lines += [f"  {line}" for line in _cure(op, resource, has_value)]
    error.replace_text("\n".join(lines))
    return error


def _cure(op: Operation | None, resource: str, has_value: Callable[[str], bool]) -> Sequence[str]:
    usual = "A variable has a value in a session once its initializer has run there: "
    if op is None:
        return [f"{usual}{ITS_OWN}"]
    graph = outermost(op.graph)
    for key, function in ((GLOBAL, "global_variables"), (LOCAL, "local_variables")):
        variables: Sequence[Any] = graph.get_collection(key)
        names = [each.op.name for each in variables]
        if resource not in names:
            continue
        new = [name for name in names if not has_value(name)]
        if len(new) == len(names):
            return [f"{usual}{ITS_OWN}, or session.run(tf.{function}_initializer()) for all."]
        return _cure_of_new_ones(new, function)
    if any(each.name == f"{resource}/Assign" for init in graph.get_collection(TABLES) for each in init.control_inputs):
        return ["It is a part of a lookup table. A session has the tables after session.run(tf.tables_initializer())."]
    return [f"{usual}{ITS_OWN}. It is in none of the collections that tf.global_variables_initializer() reads."]


def _cure_of_new_ones(new: Sequence[str], function: str) -> Sequence[str]:
    """What gives values to some variables of a list and leaves the others alone."""
    told = ", ".join(map(repr, new[:NAMED])) + (f" and {len(new) - NAMED} more" if len(new) > NAMED else "")
    kind = function.removesuffix("_variables")
    why = (
        f"Other {kind} variables have values in this session, and tf.{function}_initializer() would replace them. "
        f"Without a value {'is' if len(new) == 1 else 'are'} {told}: made after the initializer that ran, or never "
        "initialized. Give values to these only:"
    )
    if len(new) <= NAMED:
        names, first = repr(list(new)), []
    else:
        names, first = "new", ["new = [name.decode() for name in session.run(tf.report_uninitialized_variables())]"]
    chosen = f"[v for v in tf.{function}() if v.op.name in {names}]"
    return [why, *[f"  {line}" for line in (*first, f"session.run(tf.variables_initializer({chosen}))")]]


def _is_given_a_value(plan: Plan, resource: str) -> bool:
    """Whether a run writes a variable without reading it for that, as its initializer does."""
    if resource not in plan.written:
        return False
    ends = dict(zip(plan.written, plan.fetches[len(plan.user_fetches) :], strict=True))
    starts = {
        slot
        for each, slot in zip(plan.state, [slot for _, slot in plan.feeds[len(plan.user_feeds) :]], strict=True)
        if each.resource == resource
    }
    needed = {ends[resource]}
    for step in reversed(plan.steps):
        if not needed.isdisjoint(step.outputs):
            needed.update(step.inputs)
    return needed.isdisjoint(starts)
