"""`Plan`: a run as data, a list of steps over slots.

A slot holds one value. A step reads slots, writes slots and frees those that no later step reads. A plan prints,
compares and pickles; the executor only follows it.

    feed t0 = x:0
    const t1 = ()
    t2 = Add(t0, t1)          # "add"        free t1
    t3 = Mul(t2, t0)          # "mul"        free t0 t2
    fetch t3
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ...graph.common.hooks import hooks
from ...graph.common.quick_dataclass import dataclass
from ...graph.common.tracebacks import hides_frames
from ...graph.declare.effects import PURE, Effects, effects_of_call, union
from ...graph.declare.op_declaration import OPS
from ...graph.inspect.text_table import folded
from ...graph.shapes.dimension import Dim, Dimension
from ...graph.shapes.dtypes import DType
from ...graph.shapes.literal import Array
from ..ir.call_text import call_text
from ..ir.fused_ir import Body
from ..ir.stage import StateFeed

_VARIABLES = "variables"
"""The parameter of a loop that says how many of its operands are loop variables."""


class Slot(int):
    """The number of a place for one value; prints as `t3`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"t{int(self)}"

    __str__ = __repr__



@dataclass(frozen=True, slots=True)
class SlotInfo:
    """The dtype of a slot's value, and its dimensions (ints and expressions); None for unknown rank."""

    dtype: DType
    shape: tuple[Dim, ...] | None


@dataclass(frozen=True, slots=True, repr=False)
class Step:
    """One call of a kernel.

    Attributes:
        op: the type of the op.
        node: the name of the node.
        args: the arguments in the order of the op's signature: a Slot, or a tuple of Slots, for each operand, the value
            of each attribute, a Plan for a graph inside the op, a Body for a fused group.
        outputs: the slots it writes.
        dtypes: the dtypes of the outputs.
        frees: the slots that no later step reads: they are dropped after it. Memory is free once no slot views it.
        device: the backend it runs on.
        kernel: a replacement for the op's kernel.
        donor: the slot whose memory the step overwrites with its result; no later step reads it.
        after: positions of earlier steps that must have ended, because of control inputs or effects.
        over: for each result the slot of a variable's value whose memory it takes, or None; () without any. Such a step
            writes when the last one has ended: see `base.pending_writes`. Nothing reads its results before.
        joint: whether one call may compute the step together with the next one: see `planning.joint_steps`.
    """

    op: str
    node: str
    args: tuple[Any, ...]
    outputs: tuple[Slot, ...]
    dtypes: tuple[DType, ...]
    frees: tuple[Slot, ...] = ()
    device: str = "cpu"
    kernel: Callable[..., Any] | None = None
    donor: Slot | None = None
    after: tuple[int, ...] = ()
    over: tuple[Slot | None, ...] = ()
    joint: bool = False

    @property
    def inputs(self) -> tuple[Slot, ...]:
        """The slots it reads, in order."""
        return tuple(_slots(self.args))

    def __str__(self) -> str:
        return self._text(self.frees)

    def _text(self, frees: Sequence[Slot]) -> str:
        """The step as a line; `frees` are the slots that it says are free after it."""
        left = ", ".join(map(str, self.outputs))
        call = call_text(self.op, self.args, _short, _carried(self))
        where = f" on {self.device}" if self.device != "cpu" else ""
        where += f" in place of {self.donor}" if self.donor is not None else ""
        if self.over:
            where += f" in place of {' '.join(str(slot) for slot in self.over if slot is not None)}"
        free = f"  free {' '.join(map(str, frees))}" if frees else ""
        # Texts count steps from 1, as pictures and pages do.
        after = f"  after step {' '.join(str(position + 1) for position in self.after)}" if self.after else ""
        joint = "  in one pass with the next" if self.joint else ""
        return f'{left + " = " if left else ""}{call}{where}  # "{self.node}"{joint}{free}{after}'

    def __repr__(self) -> str:
        return f"<Step {self}>"


@dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """Everything a run does, for given fetches and fed tensors.

    Attributes:
        slots: dtype and static shape of each slot.
        feeds: (name of the tensor, slot).
        constants: (slot, array, backend).
        steps: the steps, in order.
        fetches: the slots to return, in the requested order, each on the host.
        equations: (dimension, size, node): relations between named dimensions, checked when these are bound.
        pinned: (slot, name, static shape) for tensors whose shape the user set.
        state: what the last feeds are, which the session gives: values of variables.
        written: the variables whose new values the last fetches are.
    """

    slots: tuple[SlotInfo, ...]
    feeds: tuple[tuple[str, Slot], ...]
    constants: tuple[tuple[Slot, Array, str], ...]
    steps: tuple[Step, ...]
    fetches: tuple[Slot, ...]
    equations: tuple[tuple[Dimension, Dim, str], ...] = ()
    pinned: tuple[tuple[Slot, str, Any], ...] = ()
    state: tuple[StateFeed, ...] = ()
    written: tuple[str, ...] = ()

    @property
    def user_feeds(self) -> tuple[tuple[str, Slot], ...]:
        """The feeds that the caller gives."""
        return self.feeds[: len(self.feeds) - len(self.state)]

    @property
    def user_fetches(self) -> tuple[Slot, ...]:
        """The fetches that the caller gets."""
        return self.fetches[: len(self.fetches) - len(self.written)]

    @property
    def size(self) -> int:
        """The number of slots."""
        return len(self.slots)

    @property
    def effects(self) -> Effects:
        """The union of the effects of its steps."""
        ops = [(OPS[step.op], step.args) for step in self.steps if step.op in OPS]
        return union([effects_of_call(opdef, args) for opdef, args in ops if not opdef.is_pure])

    def __str__(self) -> str:
        lines = [f"feed {slot} = {name}" for name, slot in self.user_feeds]
        lines += [f"state {slot} = {name}" for name, slot in self.feeds[len(self.user_feeds) :]]
        lines += [f"const {slot} = {array.dtype.name} {array.shape}" for slot, array, _ in self.constants]
        constants = {slot for slot, _, _ in self.constants}  # the plan keeps them
        for step in self.steps:
            lines.append(step._text([slot for slot in step.frees if slot not in constants]))
            for arg in step.args:
                if isinstance(arg, (Body, Plan)):
                    lines += ["    " + line for line in str(arg).splitlines()]
        for resource, slot in zip(self.written, self.fetches[len(self.user_fetches) :], strict=True):
            lines.append(f"write {resource} = {slot}")
        lines.append("fetch " + " ".join(map(str, self.user_fetches)))
        return "\n".join(folded(lines))

    @hides_frames
    def export(
        self,
        path: str | os.PathLike[str],
        *,
        depth: int | None = None,
        hide: str | Iterable[str] = (),
        repeats: Literal["fold", "each"] | None = None,
        title: str = "",
        colour: str = "kind",
        constants: Literal["labels", "boxes"] | None = None,
        direction: Literal["auto", "down", "right"] = "auto",
        full_names: bool = False,
        scale: float | None = None,
    ) -> Path:
        """Writes the plan to a file, in the form that the suffix names.

        Args:
            path: a path that ends with .html, .svg, .png, .pdf, .dot, .mmd, .graphml, .json or .txt; .png and .pdf
                need the extra `penstock[pictures]`.
            depth: scopes nested deeper than this are closed: with 0 each is one box. None closes those for which there
                is no room.
            hide: patterns of names, such as "tower/*"; such steps and scopes are left out.
            repeats: what a still picture does with rows of scopes that are equal inside, such as step, step_1, step_2:
                "fold" draws one, labelled "step x3", "each" draws all. None draws all.
            title: the title of the picture.
            colour: the meaning of the colours: "kind", "type" (of the op), "dtype", "device", "order" or "group". A
                page offers all of them and opens with this one.
            constants: "labels" writes each constant as a line in the boxes that read it, "boxes" draws it as a box.
                None is "labels", and "boxes" in .graphml, which holds every node.
            direction: the way in which arrows point, "down" or "right"; "auto" takes the one that fits a screen better.
            full_names: whether a text tree (.txt) shows full names, `dense/kernel`, instead of their last parts.
            scale: for .png, the pixels for one unit of the SVG; 2 by default.

        Returns:
            The path.

        Raises:
            ImportError: .png or .pdf without the extra `penstock[pictures]`.
            TypeError: an option is of another type.
            ValueError: another suffix, or a value that an option does not take.
            OSError: the file cannot be written.

        >>> import pathlib, tempfile, penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     plan = session.plan(tf.reverse([1, 2], [True]))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(plan.export(pathlib.Path(folder, "plan.txt")).name)
        plan.txt
        """
        made: Path = hooks.export(
            "Plan.export", self, path,
            depth=depth, hide=hide, repeats=repeats, title=title, colour=colour, constants=constants,
            direction=direction, full_names=full_names, scale=scale,
        )  # fmt: skip
        return made

    def __repr__(self) -> str:
        fed = f", feeding {', '.join(name for name, _ in self.feeds)}" if self.feeds else ""
        return f"<Plan of {len(self.steps)} step{'' if len(self.steps) == 1 else 's'}{fed}>"

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    def _repr_svg_(self) -> str | None:
        return hooks.markup(self, "svg")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and _comparable(self) == _comparable(other)

    def __hash__(self) -> int:
        return hash((len(self.slots), self.feeds, len(self.steps), self.fetches))


def _slots(args: tuple[Any, ...]) -> Iterator[Slot]:
    for arg in args:
        if isinstance(arg, Slot):
            yield arg
        elif isinstance(arg, tuple):
            yield from _slots(arg)


def _short(arg: Any) -> str:
    if isinstance(arg, tuple):
        return "[" + ", ".join(map(_short, arg)) + "]"
    if isinstance(arg, np.ndarray):
        return f"<{arg.dtype.name} {arg.shape}>"
    if isinstance(arg, Plan):
        return f"<{len(arg.steps)} step{'' if len(arg.steps) == 1 else 's'}>"
    return f"<{len(arg.instructions)} ops>" if isinstance(arg, Body) else f"{arg}"  # a dtype by its name


def _carried(step: Step) -> dict[str, str]:
    """The loop variables of a loop by their names in its body, which say more than their number."""
    opdef = OPS.get(step.op)
    if opdef is None or not opdef.facts.repeats or _VARIABLES not in opdef.parameters:
        return {}
    body = [arg for arg in step.args if isinstance(arg, Plan)][-1]
    names = [name.rpartition("/")[2].removesuffix(":0") for name, _ in body.feeds]
    return {_VARIABLES: f"[{', '.join(names[: step.args[opdef.parameters.index(_VARIABLES)]])}]"}


def _comparable(plan: Plan) -> Any:
    def plain(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return (
                value.dtype.str,
                value.shape,
                value.tobytes() if value.dtype != object else tuple(value.reshape(-1)),
            )
        if isinstance(value, Body):
            made = [(i.op, plain(i.args), i.dtype, i.node) for i in value.instructions]
            return (value.inputs, tuple(made), value.outputs)
        return tuple(map(plain, value)) if isinstance(value, tuple) else value

    steps = [
        (s.op, s.node, plain(s.args), s.outputs, s.dtypes, s.frees, s.device, s.kernel, s.donor, s.after, s.over,
         s.joint)
        for s in plan.steps
    ]
    slots = [(i.dtype, None if i.shape is None else tuple(map(str, i.shape))) for i in plan.slots]
    state = plan.state, plan.written
    return (slots, plan.feeds, plain(plan.constants), steps, plan.fetches, plan.equations, plan.pinned, state)


def effects_of_step(step: Step) -> Effects:
    """The resources that the step reads and writes besides its operands and results.

    Copies between devices have no effects; a step with a replaced kernel has the effects of its op.
    """
    opdef = OPS.get(step.op)
    return PURE if opdef is None or opdef.is_pure else effects_of_call(opdef, step.args)


def first_that_may_not_repeat(plan: Plan) -> Step | None:
    """The first step that may not be repeated; None if the run may be repeated."""
    for step in plan.steps:
        if not effects_of_step(step).may_repeat:
            return step
    return None


def written_by_slot(plan: Plan) -> dict[Slot, tuple[str, ...]]:
    """For each slot that is the new value of variables: these."""
    found: dict[Slot, tuple[str, ...]] = {}
    for name, slot in zip(plan.written, plan.fetches[len(plan.user_fetches) :], strict=True):
        found[slot] = (*found.get(slot, ()), name)
    return found


def overwrites_state(plan: Plan) -> bool:
    """True if the run overwrites the value that a variable had at the start, so that its steps cannot run again."""
    return any(step.over for step in plan.steps)


def calls_user_code(plan: Plan) -> bool:
    """True if a step of the plan calls a user's kernel."""
    ops = {step.op for step in plan.steps}
    holders = {op for op in ops if op in OPS and OPS[op].bodies}
    if any(op in OPS and OPS[op].calls_user_code for op in ops):
        return True
    return bool(holders) and any(_holds_user_code(step) for step in plan.steps if step.op in holders)


def _holds_user_code(step: Step) -> bool:
    """True if a graph inside the step's op calls a user's kernel."""
    for arg in step.args:
        if isinstance(arg, Plan) and calls_user_code(arg):
            return True
        if isinstance(arg, Body) and any(OPS[each.op].calls_user_code for each in arg.instructions):
            return True
    return False


def is_user_code(step: Step) -> bool:
    opdef = OPS.get(step.op)
    return opdef is not None and (opdef.calls_user_code or (bool(opdef.bodies) and _holds_user_code(step)))


def random_nodes(plan: Plan) -> tuple[str, ...]:
    """The names of the operations that draw random numbers, those in bodies too."""
    found: list[str] = []
    for step in plan.steps:
        opdef = OPS.get(step.op)
        if opdef is not None and opdef.draws_rule is not None:
            found.append(step.node)
        for arg in step.args:
            if isinstance(arg, Plan):
                found += random_nodes(arg)
    return tuple(dict.fromkeys(found))


def returns_list(step: Step) -> bool:
    """True if the kernel of the step's op returns a list of results."""
    opdef = OPS.get(step.op)
    return opdef is not None and opdef.returns in ("list", "tuple")


def is_operand(arg: Any) -> bool:
    """True if an argument of a step is an operand: a slot, or a tuple of slots."""
    return isinstance(arg, Slot) or (isinstance(arg, tuple) and bool(arg) and all(isinstance(a, Slot) for a in arg))
