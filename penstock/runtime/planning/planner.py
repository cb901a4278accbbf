"""The planner: from the operations of a stage to the steps of a plan.

It places each node and gives every tensor a slot on the backend that makes it. Where a value crosses backends it
inserts a copy step. It notes which steps each step must follow, and after which step a slot is no longer read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...errors import InvalidArgumentError
from ...graph.declare.effects import EffectOrder, effects_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.literal import Array
from ...ops.control.control import no_op
from ..base.session_config import SessionConfig
from ..ir.body_stages import stage_of
from ..ir.stage import Note, Notes, Stage
from .aliasing import ends_of_joints
from .donation import with_donors, with_donors_in_loop, with_variables_in_place
from .joint_steps import joints_of, moves_or_streams
from .placement import place
from .plan import Plan, Slot, SlotInfo, Step
from .text_steps import with_texts_together

TO_HOST = "CopyToHost"
TO_DEVICE = "CopyToDevice"


def make_plan(
    stage: Stage,
    names: Sequence[str],
    config: SessionConfig,
    as_device: bool = False,
    handed_on: int = 0,
    may_join: bool = True,
) -> Plan:
    """The plan that runs `stage`.

    Args:
        stage: the operations, feeds and fetches.
        names: names of the tensors that the caller feeds.
        config: the session's configuration.
        as_device: True if fetched values stay on the device that makes them.
        handed_on: so many of the first results are the first feeds of the next run, as in the body of a loop. What
            runs the plan gives read-only arrays where they must not be overwritten.
        may_join: whether one call may compute several steps, where that saves a pass over memory.

    Raises:
        InvalidArgumentError: a placeholder is needed and not fed, or a device is not available.
    """
    planner = _Planner(config, frozenset(stage.targets))
    state = stage.feeds[len(stage.feeds) - len(stage.state) :]
    for tensor, name in zip(stage.feeds, (*names, *[t.name for t in state]), strict=True):
        planner.feed(tensor, name)
    operations: Sequence[Operation] = stage.operations
    if may_join and may_be_joint(config) and any(moves_or_streams(op.opdef) for op in operations):
        operations, planner.joints = joints_of(stage)
    if not planner.joints:
        operations = with_texts_together(operations, stage)
    for op in operations:
        planner.add(op)
    return planner.finish(stage, as_device, handed_on)


def may_be_joint(config: SessionConfig) -> bool:
    """Whether one call may compute several steps of a plan: see `joint_steps`."""
    return config.device == "cpu" and (config.passes is None or "fuse" in config.passes)


def move_notes(stage: Stage, config: SessionConfig) -> tuple[Note, ...]:
    """Which operations that only move elements are no pass of their own, and why others are."""
    notes = Notes()
    if may_be_joint(config):
        joints_of(stage, notes)
    return tuple(notes.notes)


class _Planner:
    """A plan under construction: which slot holds which tensor on which backend."""

    def __init__(self, config: SessionConfig, targets: frozenset[Operation]) -> None:
        self._config = config
        self._infos: list[SlotInfo] = []
        self._home: dict[Tensor, str] = {}
        self._slots: dict[tuple[Tensor, str], Slot] = {}
        self._feeds: list[tuple[str, Slot]] = []
        self._constants: list[tuple[Slot, Array, str]] = []
        self._steps: list[Step] = []
        self._position: dict[Operation, int] = {}  # op -> its step
        self._waits: dict[Operation, tuple[int, ...]] = {}  # op without a step -> the steps that it waits for
        self._effects: EffectOrder[int] = EffectOrder()
        self._targets = targets
        self._may_donate = False
        self.joints: Mapping[Operation, Operation] = {}
        self._checks: list[int] = []  # steps that run only because they may fail: see `effect_order`

    def feed(self, tensor: Tensor, name: str) -> None:
        """Give a fed tensor its slot."""
        self._feeds.append((name, self._slot(tensor, "cpu")))

    def add(self, op: Operation) -> None:
        """Add the step that runs `op`."""
        opdef = op.opdef
        if opdef.facts.must_feed:
            error = InvalidArgumentError(op=op, message=_must_feed(op.outputs[0]))
            where = f"  {op.origin.made}  {op.origin.code}".rstrip()
            cure = "Feed it in feed_dict, or fetch what does not need it."
            if op.graph.outer is not None:
                cure = "It is an input of a body, and has a value only while the body runs. Compute with ops in the "\
                       "function, and run what the call returns."  # fmt: skip
            error.replace_text(f"{error.message}\n{where}\n  {cure}")
            raise error
        if opdef.facts.is_constant:
            self._add_constant(op.outputs[0], op.args[0])
            return
        if op.opdef is no_op and op.opdef.is_pure:  # it only waits, and a run ends after all steps
            self._waits[op] = self._after(op)
            return
        self._may_donate = self._may_donate or opdef.in_place_rule is not None
        device = "cpu" if self._config.device == "cpu" and not op.device else place(op, self._config).given
        slots: list[Any] = list(op.args)
        for position, _, operand in opdef.operands:
            arg = slots[position]
            if arg is None:
                continue
            wanted = "cpu" if operand.host else device
            if operand.many:
                slots[position] = tuple([self._read(t, wanted, opdef.facts.reads_shape_only) for t in arg])
            else:
                slots[position] = self._read(arg, wanted, opdef.facts.reads_shape_only)
        for position in opdef.bodies:
            slots[position] = self._lowered(op, position)
        outputs = []
        for tensor in op.outputs:
            # A fed output keeps the slot of the feed; the step writes its own value to a slot that no step reads.
            is_fed = tensor in self._home
            outputs.append(self._new(tensor) if is_fed else self._slot(tensor, device))
        after = self._after(op)
        self._position[op] = len(self._steps)
        if op.opdef.is_pure and op in self._targets:
            self._checks.append(len(self._steps))
        self._steps.append(Step(opdef.type, op.name, tuple(slots), tuple(outputs), tuple([t.dtype for t in op.outputs]),
                                device=device, after=after, joint=op in self.joints))  # fmt: skip

    def _lowered(self, op: Operation, position: int) -> Any:
        """The plan of a graph inside an op, or what the op's lower rule makes of it."""
        opdef = op.opdef
        body: SubGraph = op.args[position]
        if opdef.lower_rule is not None:
            return opdef.lower_rule(body)
        names = [t.name for t in body.inputs]
        handed_on = _handed_on(op, position)
        return make_plan(stage_of(body), names, self._config, handed_on=handed_on, may_join=False)

    def finish(self, stage: Stage, as_device: bool, handed_on: int) -> Plan:
        """The finished plan."""
        fetches = tuple(self._read(t, self._home[t] if as_device else "cpu", False) for t in stage.fetches)
        pinned = tuple(
            (self._slots[t, self._home[t]], name, t.shape)
            for t, name in zip(stage.pinned, stage.pinned_names, strict=True)
        )
        keep = {slot for slot, _, _ in pinned}
        if pinned:  # claims are compared with feeds: see `pinned_shapes`
            keep.update(slot for _, slot in self._feeds)
        before = [slot for _, slot in self._feeds] + [slot for slot, _, _ in self._constants]
        donors = self._steps
        successors = _successors(stage, self._feeds, fetches)
        if successors:
            new = Counter(fetches[len(fetches) - len(stage.written) :])
            shared = [slot for slot, count in new.items() if count > 1]
            donors = with_variables_in_place(donors, self._infos, before, {*fetches, *keep}, successors, shared)
        if self._may_donate and handed_on:
            starts = [slot for _, slot in self._feeds[:handed_on]]
            donors = with_donors_in_loop(self._steps, before, fetches, keep, starts)
        elif self._may_donate:
            donors = with_donors(donors, before, {*fetches, *keep})
        steps = _with_frees(donors, self._feeds, fetches, keep)
        return Plan(
            tuple(self._infos), tuple(self._feeds), tuple(self._constants), steps, fetches, stage.equations, pinned,
            stage.state, stage.written,
        )  # fmt: skip

    def _after(self, op: Operation) -> tuple[int, ...]:
        """The earlier steps that the step of `op` must follow because of control inputs and effects."""
        if op.opdef.is_pure and not op.control_inputs:
            return ()
        # A control input without a step is a constant or fed.
        found = {self._position[c] for c in op.control_inputs if c in self._position}
        found.update(*[self._waits[c] for c in op.control_inputs if c in self._waits])
        effects = effects_of(op)
        found.update(self._effects.follow(len(self._steps), effects))
        if not effects.may_drop:
            found.update(self._checks)
        return tuple(sorted(found))

    def _add_constant(self, tensor: Tensor, array: Array) -> None:
        if tensor not in self._home:
            self._constants.append((self._slot(tensor, "cpu"), array, "cpu"))

    def _new(self, tensor: Tensor) -> Slot:
        slot = Slot(len(self._infos))
        self._infos.append(SlotInfo(tensor.dtype, tensor.shape.raw))
        return slot

    def _slot(self, tensor: Tensor, device: str) -> Slot:
        slot = self._slots[tensor, device] = self._new(tensor)
        self._home.setdefault(tensor, device)
        return slot

    def _read(self, tensor: Tensor, device: str, anywhere: bool) -> Slot:
        """The slot that holds `tensor` on `device`; adds a copy step if there is none yet."""
        found = self._slots.get((tensor, device))
        if found is not None:
            return found
        home = self._home[tensor]
        source = self._slots[tensor, home]
        if anywhere:
            return source
        if home != "cpu" and device != "cpu":
            source = self._read(tensor, "cpu", False)
        slot = self._slot(tensor, device)
        kind, where = (TO_HOST, home) if device == "cpu" else (TO_DEVICE, device)
        self._steps.append(Step(kind, tensor.op.name, (source,), (slot,), (tensor.dtype,), device=where))
        return slot


def _handed_on(op: Operation, position: int) -> int:
    """How many of the first results of a body are the first inputs of its next run."""
    rule = op.opdef.carries_rule
    places = None if rule is None else rule(*op.args)
    if places is None or not places.counted or op.opdef.parameters[position] not in places.returning:
        return 0
    count: int = op.args[op.opdef.parameters.index(places.counted)]
    return count


def _successors(stage: Stage, feeds: Sequence[tuple[str, Slot]], fetches: Sequence[Slot]) -> dict[Slot, Slot]:
    """New value of a variable -> its value at the start of the run, for those that the run reads and writes."""
    if not stage.written:
        return {}
    state = feeds[len(feeds) - len(stage.state) :]
    starts = {each.resource: slot for each, (_, slot) in zip(stage.state, state, strict=True) if each.kind == "value"}
    new = fetches[len(fetches) - len(stage.written) :]
    count = Counter(new)  # a value of two variables needs memory of its own for each
    ends = zip(stage.written, new, strict=True)
    return {end: starts[resource] for resource, end in ends if resource in starts and count[end] == 1}


def _with_frees(
    steps: list[Step], feeds: list[tuple[str, Slot]], fetches: tuple[Slot, ...], keep: set[Slot]
) -> tuple[Step, ...]:
    """The steps, each with the slots to free after it; fetched slots are not freed."""
    last: dict[Slot, int] = {slot: -1 for _, slot in feeds}
    ends = ends_of_joints(steps) if any(step.joint for step in steps) else {}
    for i, step in enumerate(steps):
        for slot in step.outputs:
            last[slot] = i
        for slot in step.inputs:
            last[slot] = ends.get(i, i)
    for slot in (*fetches, *keep):
        last.pop(slot, None)
    frees: dict[int, list[Slot]] = {}
    for slot, i in last.items():
        if i >= 0:
            frees.setdefault(i, []).append(slot)
    return tuple([replace(s, frees=tuple(sorted(frees[i]))) if i in frees else s for i, s in enumerate(steps)])


def _must_feed(tensor: Tensor) -> str:
    shape = "" if tensor.shape.ndims is None else f" and shape [{','.join(map(str, tensor.shape.raw or ()))}]"
    return f"You must feed a value for placeholder tensor '{tensor.op.name}' with dtype {tensor.dtype.name}{shape}"
