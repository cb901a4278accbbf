"""Pictures of a plan and of a recorded run: one box per step, feed and constant, one arrow per slot that is read.

Boxes have the names of the nodes they come from and are numbered in the order of the steps. In a plan a box shows what
the step computes, on which device, and which memory it gives back. In a recorded run it also shows the results, the
time and whether the values are finite.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np

from ...graph.declare.op_declaration import OPS
from ...graph.declare.parameters import operand_names
from ...runtime.ir.fused_ir import instructions_in
from ...runtime.observe.run_record import ResultRecord, RunRecord, StepRecord, byte_text, time_text
from ...runtime.observe.value_summary import SHOWN_ELEMENTS, value_text
from ...runtime.planning.plan import Plan, Slot, Step, written_by_slot
from ...runtime.planning.slot_names import results_of
from ..layout.text_measure import shorten
from ..page.page_cards import shape_text
from .colour_scales import HEALTH, Colouring, by_name, by_number, known_colour, painted
from .constant_labels import Constants, drawn_with
from .from_graph import LONGEST_VALUE, fused_ops
from .input_names import names_in_group
from .picture import Arrow, Box, BoxKind, Face, Group, Picture
from .repeated_scopes import Repetition, with_scopes
from .run_texts import told, told_lines
from .visibility import Visibility, scope_path

_MOST_RESULTS = 4
_MOST_SLOTS = 6


@dataclass(frozen=True, slots=True)
class PlanNames:
    """The names in the picture of a plan.

    steps: the id of each step's box. values: the name of each slot's value. makers: the id of the box that makes it.
    """

    steps: tuple[str, ...]
    values: Mapping[Slot, str]
    makers: Mapping[Slot, str]


def names_of(plan: Plan, constants: Sequence[str] = ()) -> PlanNames:
    """Unique names: the name of the node, followed by the op where several steps come from one node.

    constants: the names of the plan's constants, if they are known.
    """
    taken: set[str] = set()

    def free(*choices: str) -> str:
        name = next((choice for choice in choices if choice not in taken), "")
        count = 2
        while not name or name in taken:
            name, count = f"{choices[-1]} {count}", count + 1
        taken.add(name)
        return name

    named: set[str] = set()
    steps = tuple(free(step.node, f"{step.node} ({step.op})") for step in plan.steps)
    values: dict[Slot, str] = {}
    makers: dict[Slot, str] = {}
    for name, slot in plan.feeds:
        makers[slot], values[slot] = free(name.rpartition(":")[0] or name, name), name
    for number, (slot, _, _) in enumerate(plan.constants):
        called = free(constants[number] if number < len(constants) else f"constant {slot}")
        makers[slot] = values[slot] = called
    for step, called in zip(plan.steps, steps, strict=True):
        for index, (slot, name) in enumerate(zip(step.outputs, results_of(step), strict=True)):
            values[slot] = f"{called}:{index}" if name in named else name
            named.add(values[slot])
            makers[slot] = called
    return PlanNames(steps, values, makers)


def picture_of_plan(
    plan: Plan,
    title: str = "plan",
    *,
    colour: str = "kind",
    depth: int | None = None,
    hide: Iterable[str] = (),
    constants: Constants = "labels",
    repeats: Repetition | None = None,
) -> Picture:
    """The picture of a plan: feeds, constants and steps, joined by the slots that carry the values.

    colour: "kind", "type", "dtype", "device", "order" or "group". depth, hide, constants, repeats: as in `picture_of`.

    Raises ValueError for any other colour, and for any other way to draw constants.
    """
    drawn = drawn_with(_Drawing(plan, None, constants).picture(title), constants)
    return _finished(drawn, _plan_colours(plan), colour, depth, hide, repeats)


def picture_of_record(
    record: RunRecord,
    title: str = "run",
    *,
    colour: str = "kind",
    depth: int | None = None,
    hide: Iterable[str] = (),
    constants: Constants = "labels",
    repeats: Repetition | None = None,
) -> Picture:
    """The picture of a recorded run: its plan with the shapes, times and bytes of the run, and recorded values.

    colour: as for a plan, or "time", "bytes", "memory" (bytes in use after the step), "health" (NaN and Inf).
    """
    drawn = drawn_with(_Drawing(record.plan, record, constants).picture(title), constants)
    return _finished(drawn, {**_plan_colours(record.plan), **_run_colours(record)}, colour, depth, hide, repeats)


class _Drawing:
    """The boxes and arrows of a plan, with the results of a recorded run if there is one."""

    def __init__(self, plan: Plan, record: RunRecord | None, constants: Constants) -> None:
        self._plan = plan
        self._constants = constants
        self._record = record
        self._names = names_of(plan)
        self._written = written_by_slot(plan)
        self._kept = {slot for slot, _, _ in plan.constants}  # the plan keeps constants
        self._types = {slot: static_type(plan, slot) for slot in map(Slot, range(len(plan.slots)))}
        if record is not None:
            self._types.update({s: r.type for (_, s), r in zip(plan.feeds, record.feeds, strict=True)})
            for step, ran in zip(plan.steps, record.steps, strict=False):
                self._types.update({s: r.type for s, r in zip(step.outputs, ran.results, strict=True)})
        for step in plan.steps:
            if (opdef := OPS.get(step.op)) is not None and opdef.facts.makes_dataset:
                self._types.update(dict.fromkeys(step.outputs, "dataset"))

    def picture(self, title: str) -> Picture:
        """The whole picture."""
        plan = self._plan
        records = dict(enumerate(self._record.steps)) if self._record else {}
        fetched = set(plan.user_fetches)
        boxes = [self._feed(number, slot) for number, (_, slot) in enumerate(plan.feeds)]
        boxes += [self._constant(slot, array) for slot, array, _ in plan.constants]
        boxes += [self._step(i, step, fetched, records.get(i)) for i, step in enumerate(plan.steps)]
        state = [self._names.makers[slot] for _, slot in plan.feeds[len(plan.user_feeds) :]]
        in_scopes, groups = _with_slots(boxes, state)
        return Picture(title, in_scopes, tuple(self._arrows()), groups)

    def _feed(self, number: int, slot: Slot) -> Box:
        name = self._names.makers[slot]
        detail = (self._types[slot],) if self._record is None else tuple(_made(self._record.feeds[number]))
        *scope, label = name.split("/")
        is_state = number >= len(self._plan.user_feeds)
        kind, word = (BoxKind.VARIABLE, "variable") if is_state else (BoxKind.FED, "feed")
        return Box(name, label or name, kind, word, detail, scope_path(scope))

    def _constant(self, slot: Slot, array: object) -> Box:
        value = _value(array)
        detail = (self._types[slot], *([value] if value else []))
        name = self._names.makers[slot]
        # As a label at an operand a small constant has no name; the slot of a large one is found in the plan's text.
        named = self._constants == "boxes" or (not value and self._record is None)
        label = str(slot) if named else "constant"
        return Box(name, label, BoxKind.CONSTANT, "constant", detail, is_constant=True, value=value)

    def _step(self, i: int, step: Step, fetched: set[Slot], ran: StepRecord | None) -> Box:
        name = self._names.steps[i]
        *scope, label = name.split("/")
        body = instructions_in(step)
        kind = BoxKind.FETCHED if fetched.intersection(step.outputs) else BoxKind.OPERATION
        if body is not None and kind is BoxKind.OPERATION:
            kind = BoxKind.FUSED
        detail = [fused_ops(step)] if body is not None else []
        detail += list(_planned(self._types, step, self._kept)) if self._record is None else list(_run(ran))
        written = self._writes(step)
        detail += [f"writes {', '.join(written)}"] if written else []
        op = "Fused" if body is not None else step.op
        if step.device != "cpu":
            op += f" on {step.device}"
        alike = _alike(self._plan, step)
        return Box(name, f"{i + 1}. {label or name}", kind, op, tuple(detail), scope_path(scope), alike=alike)

    def _arrows(self) -> Iterator[Arrow]:
        labels = self._labels()
        state = zip(self._plan.state, self._plan.feeds[len(self._plan.user_feeds) :], strict=True)
        fed = {each.resource: self._names.makers[slot] for each, (_, slot) in state if each.kind != "asks"}
        for i, step in enumerate(self._plan.steps):
            operands = _names_of_inputs(step)
            for place, slot in enumerate(step.inputs):
                name = self._names.values[slot]
                operand = operands[place] if place < len(operands) else ""
                ends = self._names.makers[slot], self._names.steps[i]
                yield Arrow(*ends, labels.get(slot, ""), "data", (name,), place, operand, self._types[slot])
            for variable in self._writes(step):
                if variable in fed:
                    yield Arrow(fed[variable], self._names.steps[i], "", "write")

    def _writes(self, step: Step) -> list[str]:
        """The variables whose new values a step makes."""
        return [variable for slot in step.outputs for variable in self._written.get(slot, ())]

    def _labels(self) -> dict[Slot, str]:
        """Which of several results of its step a slot is; in a plan the boxes name the slots."""
        several = [step.outputs for step in self._plan.steps if len(step.outputs) > 1]
        if self._record is None:
            return {slot: str(slot) for outputs in several for slot in outputs}
        return {slot: f":{number}" for outputs in several for number, slot in enumerate(outputs)}


def _with_slots(boxes: Sequence[Box], variables: Sequence[str]) -> tuple[tuple[Box, ...], tuple[Group, ...]]:
    """The boxes, each variable in one closed scope with those that are called after it: "w" with "w/Momentum"."""
    slots: dict[str, list[str]] = {}
    for name in variables:
        first = next((each for each in variables if name.startswith(each + "/")), None)
        if first is not None:
            slots.setdefault(first, []).append(name.removeprefix(first + "/"))
    moved = tuple([replace(b, group=scope_path(b.id.split("/"))) if b.id in slots else b for b in boxes])
    groups = []
    for box in moved:
        if box.id in slots:
            detail = (*box.detail, f"slots {', '.join(slots[box.id])}")
            face = Face(box.label, box.kind, box.type, detail, box.id)
            groups.append(Group(box.group, box.label, collapsed=True, folded=True, face=face))
    return moved, tuple(groups)


def _names_of_inputs(step: Step) -> Sequence[str]:
    """What the op of a step calls its inputs."""
    body = instructions_in(step)
    if body is not None:
        return names_in_group(body)
    opdef = OPS.get(step.op)
    return () if opdef is None else operand_names(opdef.operands, step.args)


def _alike(plan: Plan, step: Step) -> tuple[str, ...]:
    """What tells steps of different structure apart: the attributes, and the static types of the results."""
    opdef = OPS.get(step.op)
    body = instructions_in(step)
    ops = [] if body is None else [instruction.op for instruction in body.instructions]
    attributes = [] if opdef is None else [f"{attr.name}={step.args[position]}" for position, attr in opdef.attrs]
    return (*ops, *(attributes if body is None else ()), *(static_type(plan, slot) for slot in step.outputs))


def _planned(types: Mapping[Slot, str], step: Step, kept: Container[Slot]) -> Iterator[str]:
    slots = step.outputs
    if len(slots) > 1 and len({types[slot] for slot in slots}) == 1:
        where = map(str, slots if len(slots) <= _MOST_SLOTS else (slots[0], "...", slots[-1]))
        yield f"{types[slots[0]]} in {' '.join(where)}"
    else:
        yield from _some([f"{types[slot]} in {slot}" for slot in slots])
    if step.donor is not None:
        yield f"in place of {step.donor}"
    frees = [slot for slot in step.frees if slot not in kept]
    if frees:
        yield f"free {' '.join(map(str, frees))}"


def _run(ran: StepRecord | None) -> Iterator[str]:
    if ran is None:
        yield "did not run"
        return
    if len(ran.results) == 1:
        yield from _made(ran.results[0])
    else:
        lines = [f":{number} {_made_line(result)}" for number, result in enumerate(ran.results)]
        yield from _some([shorten(line) for line in lines])
    yield f"{time_text(ran.duration)}, {byte_text(ran.bytes)}"


def _made(found: ResultRecord) -> list[str]:
    """A value in lines: type and elements, or where these are many, the range below the type."""
    if found.value is None or found.value.brief:
        return told_lines(found)
    return [found.type, shorten(str(found.value))]


def _made_line(found: ResultRecord) -> str:
    return told(found) if found.value is None or found.value.brief else f"{found.type}: {found.value}"


def _some(lines: list[str]) -> list[str]:
    if len(lines) <= _MOST_RESULTS:
        return lines
    return [*lines[: _MOST_RESULTS - 1], f"and {len(lines) - _MOST_RESULTS + 1} more"]


def _value(array: object) -> str:
    size = getattr(array, "size", SHOWN_ELEMENTS + 1)
    if size > SHOWN_ELEMENTS:
        return ""
    return shorten(value_text(array.tolist() if isinstance(array, np.ndarray) else array), LONGEST_VALUE)


def static_type(plan: Plan, slot: Slot) -> str:
    """The static type of a slot's value: `float32 (batch, 3)`."""
    info = plan.slots[slot]
    return f"{info.dtype.name} {shape_text(info.shape)}"


# ---- colours ------------------------------------------------------------------------------------------


def _finished(
    picture: Picture,
    colours: Mapping[str, Callable[[], Colouring]],
    colour: str,
    depth: int | None,
    hide: Iterable[str],
    repeats: Repetition | None,
) -> Picture:
    if colour != "kind":
        known_colour(colour, ["kind", *colours])
        picture = painted(picture, colours[colour]())
    visibility = Visibility({}, (hide,) if isinstance(hide, str) else tuple(hide))
    if visibility.hide:
        kept = {each.name for each in visibility.shown([SimpleNamespace(name=box.id) for box in picture.boxes])}
        boxes = tuple(box for box in picture.boxes if box.id in kept)
        arrows = tuple(a for a in picture.arrows if a.source in kept and a.target in kept)
        picture = Picture(picture.title, boxes, arrows, picture.groups, picture.legend)
    return with_scopes(picture, repeats, depth)


def _plan_colours(plan: Plan) -> dict[str, Callable[[], Colouring]]:
    def by(value: Callable[[Step], str]) -> Callable[[], Colouring]:
        return lambda: by_name(dict(zip(names_of(plan).steps, map(value, plan.steps), strict=True)))

    def fused() -> Colouring:
        named = zip(names_of(plan).steps, plan.steps, strict=True)
        return by_name({name: step.node for name, step in named if instructions_in(step) is not None})

    return {
        "type": by(lambda step: step.op),
        "dtype": by(lambda step: step.dtypes[0].name if step.dtypes else "nothing"),
        "device": by(lambda step: step.device),
        "order": lambda: by_number(
            {name: float(i) for i, name in enumerate(names_of(plan).steps, start=1)}, lambda value: f"step {value:.0f}"
        ),
        "group": fused,
    }


def _run_colours(record: RunRecord) -> dict[str, Callable[[], Colouring]]:
    ran = dict(zip(names_of(record.plan).steps, record.steps, strict=False))

    def bytes_text(value: float) -> str:
        return byte_text(int(value))

    return {
        "time": lambda: by_number({name: step.duration for name, step in ran.items()}, time_text, adds_up=True),
        "bytes": lambda: by_number({name: float(step.bytes) for name, step in ran.items()}, bytes_text, adds_up=True),
        "memory": lambda: by_number({name: float(step.held) for name, step in ran.items()}, bytes_text),
        "health": lambda: by_name({name: health for name, step in ran.items() if (health := health_of(step))}, HEALTH),
    }


def health_of(step: StepRecord) -> str:
    """The health of a step's results: "NaN", "Inf" or "finite"; "" if no value was recorded."""
    values = [r.value for r in step.results if r.value is not None]
    if not values:
        return ""
    if any(value.nans for value in values):
        return "NaN"
    return "Inf" if any(value.infs for value in values) else "finite"
