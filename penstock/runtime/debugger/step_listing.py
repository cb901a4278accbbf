"""The listing of a debugged run: the steps around the next one, with the values that they have made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...graph.inspect.text_table import format_table
from ..execution.run_errors import FindOp
from .run_state import RunFrame, RunState
from .where_report import value_text

HEAD = ("", "step", "node", "op", "value", "line")


def steps_around(
    state: RunState, find_op: FindOp, count: int, value_of: Callable[[str], Any],
    members_of: Callable[[RunFrame, int], Mapping[str, Any]],
) -> str:  # fmt: skip
    """The steps of the innermost frame around the next one.

    Args:
        state: the state.
        find_op: finds the operation of a node.
        count: how many steps before the next one, and how many after.
        value_of: gives the value of a tensor by its name, None if it is not there.
        members_of: gives the values inside the fused group that is a step, which has run.
    """
    frame = state.frame
    first, last = max(0, frame.position - count), min(len(frame.code.steps), frame.position + count + 1)
    rows = []
    for position in range(first, last):
        step = frame.code.plan.steps[position]
        op = find_op(step.node)
        names = frame.code.results[position]
        shown = f"{step.node}:0" if f"{step.node}:0" in names else "".join(names[:1])
        value = value_of(shown) if shown and position < frame.position else None
        text = "" if value is None else value_text(value)
        mark = ">" if position == frame.position else ""
        changed = "*" if any(slot in frame.changed for slot in step.outputs) else ""
        line = "" if op is None else op.origin.place
        if inside := list(_members(frame, position, shown)):
            values = members_of(frame, position) if position < frame.position else {}
            for name, type in inside:
                maker = find_op(name.rpartition(":")[0])
                rows.append(("|", "", name.removesuffix(":0"), type, value_text(values[name]) if values else "",
                             "" if maker is None else maker.origin.place))  # fmt: skip
        rows.append((mark + changed, str(position + 1), step.node, frame.code.ops[position], text, line))
    if last == len(frame.code.steps) and frame.has_ended:
        rows.append((">", "", "the end", "", "", ""))
    return format_table(HEAD, rows, right=("step",))


def _members(frame: RunFrame, position: int, shown: str) -> Iterator[tuple[str, str]]:
    """(name of the tensor, its op) of each node inside a fused group but the result that its own row shows."""
    if position in frame.code.groups:
        inside = frame.code.bodies[position][0]
        for names, op in zip(inside.results, inside.ops, strict=True):
            yield from [(name, op) for name in names if name != shown]
