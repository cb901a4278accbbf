"""Names in a debugged run: from a tensor, or what the user writes, to the frame and the slot that hold its value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...errors import GraphError, UseError
from ...graph.common.near_names import did_you_mean
from ...graph.model.nodes import Operation, Tensor
from ..planning.plan import Slot
from .run_state import BEGIN, Place, RunFrame, RunState
from .stepped_plan import SteppedPlan


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """The place of one value of a run.

    Attributes:
        frame: the frame that holds it; it may have ended.
        slot: its slot.
        position: the step that makes it; `BEGIN` if it is there before the first step.
        name: the name of its tensor.
        member: where only a fused group has the value, the step in the plan of its members, and `slot` is one of that
            plan; `position` is the group. None for any other value.
    """

    frame: RunFrame
    slot: Slot
    position: int
    name: str
    member: int | None = None

    @property
    def is_computed(self) -> bool:
        """Whether the run has come by."""
        return self.position < self.frame.position or (self.member is None and self.slot in self.frame.slots)

    @property
    def at(self) -> Place:
        """Where it is set."""
        if self.member is None:
            return self.frame.path, self.position
        return (*self.frame.path, (self.position, 0, 0)), self.member

    @property
    def group_frame(self) -> RunFrame | None:
        """The frame of its group, if that was entered and has ended last."""
        last = self.frame.last
        return last if last is not None and last.path == self.at[0] else None

    @property
    def before(self) -> int:
        """The time before the step that makes it, which has run."""
        if self.position == BEGIN:
            return self.frame.began - 1
        if self.member is None:
            return self.frame.times[self.position] - 1
        return self.frame.times[self.position - 1] if self.position else self.frame.began


def name_of(tensor: Any) -> str:
    """The name that is meant by a tensor, an operation, or a name with or without ":0"."""
    if isinstance(tensor, Tensor):
        return tensor.name
    if isinstance(tensor, Operation):
        return f"{tensor.name}:0"
    if not isinstance(tensor, str):
        raise UseError(f"debugger: {tensor!r} is no tensor; give a tensor of the graph, or its name such as 'add:0'")
    return tensor


def place_of(state: RunState, tensor: Any) -> ValuePlace | None:
    """The place of a tensor; None if it is not there.

    It is looked for in the innermost graph first, then outwards; then in the graph that has ended last, such as the
    iteration before. A name inside a loop or branch may be given without that of the loop: "h" for "steps/body/h:0",
    where no tensor has just that name.
    """
    name = name_of(tensor)
    frames = (*reversed(state.frames), *ended_frames(state))
    is_short = isinstance(tensor, str)
    for form in ("{}", "{}:0", "{scope}/{}", "{scope}/{}:0") if is_short else ("{}",):
        for frame in frames:
            if "scope" not in form or frame.scope:
                each = form.format(name, scope=frame.scope)
                slot = frame.code.slot_of.get(each)
                if slot is not None:
                    return ValuePlace(frame, slot, position_of(frame, slot), each)
                group = frame.code.members.get(each)
                if group is not None:
                    code = frame.code.bodies[group][0]
                    slot = code.slot_of[each]
                    return ValuePlace(frame, slot, group, each, code.made_at[slot])
    return None


def ended_frames(state: RunState) -> Iterator[RunFrame]:
    """The graphs that have ended last, of the innermost op first."""
    for frame in reversed(state.frames):
        last = frame.last
        while last is not None:
            yield last
            last = last.last


def position_of(frame: RunFrame, slot: Slot) -> int:
    """The step that makes the value of a slot; `BEGIN` for feeds and constants."""
    return frame.code.made_at.get(slot, BEGIN)


def names_within(code: SteppedPlan) -> Iterator[str]:
    """The names of the values of a plan, then of those of the graphs inside its ops."""
    yield from code.slot_of
    for bodies in code.bodies.values():
        for body in bodies:
            yield from names_within(body)


def unknown_name(state: RunState, tensor: Any, attempt: str) -> GraphError:
    """The error for a tensor that the plan does not compute."""
    known = [name.removesuffix(":0") for frame in state.frames for name in (*frame.code.slot_of, *frame.code.members)]
    name = name_of(tensor)
    for holder, part, names in state.frames[0].code.names_of_graphs():
        for full in (name, f"{name}:0", f"{part}/{name}", f"{part}/{name}:0"):
            if full in names:
                inside = full.removeprefix(f"{part}/").removesuffix(":0")
                return GraphError(f"{attempt}: {full} is inside {holder}, which is not under way here; "
                                  f"{f'{holder}[0]/{inside}'!r} is its value in one iteration")  # fmt: skip
    return GraphError(
        f"{attempt}: this run computes no {name!r}; the fetches do not need it, or its loop or branch is not under way"
        f"{did_you_mean(name, known)}"
    )
