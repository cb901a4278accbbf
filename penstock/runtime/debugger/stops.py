"""`Stop`: where a debugged run stands, and why it stopped there."""

from __future__ import annotations

from dataclasses import dataclass

from ..execution.run_errors import FindOp
from .run_state import RunState


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a debugged run stands.

    Attributes:
        time: the number of steps that have run, those inside loops and branches included.
        step: the number of the plan's step that is next or under way, from 1.
        steps: the number of steps of the plan.
        node: the name of the node that is next; "" at the end.
        op: its op.
        inside: the loops, branches and fused groups around it, such as "steps[2]" or "group loss".
        line: the user's line that made it.
        reason: why the run stopped here; "" where it was only asked for one step.
        watched: a line for each watched value.
    """

    time: int
    step: int
    steps: int
    node: str
    op: str
    inside: tuple[str, ...]
    line: str
    reason: str = ""
    watched: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.node:
            ran = {0: "this run has no steps", 1: "its one step has run"}
            place = f"at the end: {ran.get(self.steps, f'all {self.steps} steps have run')}"
        else:
            where = "".join(f", in {each}" for each in self.inside)
            place = f"before step {self.step} of {self.steps}{where}: {self.node} ({self.op})  {self.line}".rstrip()
        return "\n  ".join([place, *([self.reason] if self.reason else []), *self.watched])

    def __repr__(self) -> str:
        return f"<{self}>"


def stop_at(state: RunState, find_op: FindOp, reason: str = "") -> Stop:
    """Where a state stands."""
    outer = state.frames[0]
    total = len(outer.code.steps)
    if state.has_ended:
        return Stop(state.time, total, total, "", "", (), "", reason)
    frame = state.frame
    step = frame.code.plan.steps[frame.position]
    op = find_op(step.node)
    line = "" if op is None else f"{op.origin.place}  {op.origin.code}".rstrip()
    inside = tuple([part_text(state, depth) for depth in range(1, len(state.frames))])
    return Stop(state.time, outer.position + 1, total, step.node, frame.code.ops[frame.position], inside, line, reason)


def part_text(state: RunState, depth: int) -> str:
    """The graph that a frame runs, such as "steps[2]", "steps[2]/cond" or "cond/then"; "group loss" in a fused group.

    A loop that keeps values for its gradient is called as the loop is that the program made: its graphs are in the
    scope of that.
    """
    outer, (position, part, iteration) = state.frames[depth - 1], state.frames[depth].path[-1]
    if position in outer.code.groups:
        return f"group {outer.code.plan.steps[position].node}"
    around, _, graph = outer.code.scopes[position][part].rpartition("/")
    holder = around or outer.code.plan.steps[position].node
    if outer.walk is None or not outer.walk.variables:
        return f"{holder}/{graph or f'graph {part}'}"
    return f"{holder}[{iteration}]" + ("/cond" if outer.walk.steers(part) else "")
