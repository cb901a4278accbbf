"""Fuse: elementwise ops that feed each other become one group.

Law: a group computes, for each result, exactly what its ops compute one after the other; only the order in which
elements are visited changes. A node joins the group of a producer unless that would make a cycle, a path from the
group to the node through a node outside it. Groups are numbered as they are made, and a group depends only on groups
with smaller numbers: so a node may join group g if what it reads from outside of g depends on groups below g alone,
one comparison. Two groups that meet in a node are united if nothing outside them reads the older one.

A reduction over the last axes (or all) of a member ends its group: it counts as a node outside that depends on the
group, so whatever reads it is in no group that it could end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import OpError
from ...graph.effects import PURE, effect_order, effects_of
from ...graph.nodes import Operation, Tensor
from ...graph.shape import TensorShape
from ...graph.subgraph import SubGraph
from ...ops.reduction_order import is_trailing
from ..ir.fused_ir import LARGEST
from ..ir.fused_op import fused
from ..ir.stage import Notes, Rebuild, Stage

TINY = 64
"""Elements of values that are so few that groups of them have no limit: see `runtime.compiled.tiny_groups`."""


class Group:
    """A group in the making.

    tails: reductions of members. readers: numbers of the groups that read a member, -1 for a node in none. tiny:
    whether all members are, None until somebody asks a full group; like: a shape of one that had room when it was full.
    """

    __slots__ = ("like", "members", "number", "readers", "tails", "tiny")

    def __init__(self, number: int) -> None:  # many are made that others swallow: a dataclass takes twice as long
        self.number = number
        self.members: list[Operation] = []
        self.tails: list[Operation] = []
        self.readers: set[int] = set()
        self.tiny: bool | None = None
        self.like: TensorShape | None = None

    def has_room(self, op: Operation) -> bool:
        """Whether its size allows `op` to join it."""
        if len(self.members) < LARGEST:
            return True
        shape = op.outputs[0].shape
        if shape is self.like:
            return True
        found = self.is_tiny() and is_tiny(op)
        if found:
            self.like = shape
        return found

    def is_tiny(self) -> bool:
        """Whether all members are tiny; once it is full, only such ones join."""
        if self.tiny is not None:
            return self.tiny
        found = all(map(is_tiny, self.members))
        if len(self.members) >= LARGEST:
            self.tiny = found
        return found


class Fuse:
    """Groups of elementwise ops."""

    name = "fuse"

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage with one `Fused` node for each group of two or more."""
        targets = set(stage.targets)
        fusable = [op for op in stage.operations if op.opdef.elementwise and _refusal(op, targets) is None]
        tails = {op for op in stage.operations
                 if op.opdef.reduction is not None and _refusal_of_tail(op, stage, targets) is None}  # fmt: skip
        if len(fusable) + len(tails) < 2 or not fusable:
            return stage
        groups = _Grouping(stage, set(fusable), tails).groups()
        for op in [op for op, group in groups.items() if len(group.members) + len(group.tails) == 1]:
            del groups[op]
        if not groups:
            return stage
        return _rebuild(stage, groups, notes)


def _refusal(op: Operation, targets: set[Operation]) -> str | None:
    """Why `op` cannot be in a group, or None if it can."""
    opdef = op.opdef
    if not opdef.elementwise:
        return "it is not elementwise"
    if len(op.outputs) != 1 or not opdef.is_tensorwise:
        return "it has several results, or lists or host values among its operands"
    if opdef.fuse_rule is not None and (reason := opdef.fuse_rule(*op.args)) is not None:
        return reason
    for tensor in (*op.outputs, *op.inputs):
        if tensor.dtype.kind == "s":
            return "it works on strings"
    return _refusal_of_place(op, targets)


def _refusal_of_place(op: Operation, targets: set[Operation]) -> str | None:
    if not (op.opdef.is_pure or effects_of(op).may_rewrite):
        return f"it {effects_of(op)}"
    if op.control_inputs or op in targets:
        return "its place in the order of effects is fixed"
    return None


def _refusal_of_tail(op: Operation, stage: Stage, targets: set[Operation]) -> str | None:
    """Why the reduction `op` cannot end a group, or None if it can."""
    rule = op.opdef.reduction
    if rule is None:
        return "it is no reduction"
    for tensor in op.inputs[1:]:
        if tensor.op.type != "Const" or tensor in stage.feeds:
            return "its axes are not constant"
    args = [_constant(a) for a in op.args[1:]]
    rank = op.inputs[0].shape.ndims
    if rank is None:
        return "the rank of its operand is not known"
    try:
        axes = rule.axes(rank, *args)
    except OpError as error:
        return f"the run will refuse it: {error.message}"
    if not is_trailing(axes, rank):
        return f"axes {list(axes)} are not the last of {rank}"
    return _refusal_of_place(op, targets)


def _constant(arg: Any) -> Any:
    return arg.op.args[0] if isinstance(arg, Tensor) else arg


class _Grouping:
    """The search: one walk over the operations in their order."""

    def __init__(self, stage: Stage, fusable: set[Operation], tails: set[Operation]) -> None:
        self._stage = stage
        awaited = {c for op in stage.operations for c in op.control_inputs}
        self._fusable = fusable - awaited if awaited else fusable
        self._tails = tails - awaited if awaited else tails
        self._group: dict[Operation, Group] = {}
        self._depends: dict[Operation, int] = {}  # of a node in no group: the largest group number behind it
        self._made = 0

    def groups(self) -> dict[Operation, Group]:
        """The group of each fusable operation."""
        before = effect_order(self._stage.operations, set(self._stage.targets))
        for op in self._stage.operations:
            if op in self._fusable and self._joins_at_once(op):
                continue
            if not (op.inputs or op.control_inputs or op in before):
                continue  # a constant, say: it depends on nothing
            sources = list(dict.fromkeys([t.op for t in op.inputs]))
            sources += op.control_inputs
            if op in before:  # effects keep their order: each depends on those it must come after
                sources += before[op]
            if op in self._fusable:
                self._join(op, sources)
            else:
                self._depends[op] = max([self._number(s) for s in sources], default=-1)
                self._note_readers(sources, -1)
        return self._with_tails()

    def _with_tails(self) -> dict[Operation, Group]:
        """The groups, each with the reductions that end it: all over the same axes, or they could not share tiles."""
        for op in self._stage.operations if self._tails else ():
            if op not in self._tails:
                continue
            group = self._group.get(op.inputs[0].op)
            if group is None or len(group.members) + len(group.tails) >= LARGEST or op.device != op.inputs[0].op.device:
                continue
            if all(_same_rows(op, tail) for tail in group.tails):
                group.tails.append(op)
                self._group[op] = group
        return self._group

    def _number(self, op: Operation) -> int:
        group = self._group.get(op)
        return self._depends.get(op, -1) if group is None else group.number

    def _joins_at_once(self, op: Operation) -> bool:
        """Put `op` where `_join` would, if it reads members of two groups at most: most nodes do (1.0 us, not 2.6)."""
        newer: Group | None = None
        older: Group | None = None
        outside = -1
        groups = self._group
        for tensor in op.inputs:
            source = tensor.op
            group = groups.get(source)
            if group is None:
                behind = self._depends.get(source, -1)
                if behind > outside:
                    outside = behind
            elif group is not newer and group is not older:
                if older is not None or not _same_space(source, op):
                    return False
                newer, older = group, newer
        if newer is None:
            newer = Group(self._made)
            self._made += 1
        elif older is not None and older.number > newer.number:
            newer, older = older, newer
        if outside >= newer.number or (len(newer.members) >= LARGEST and not newer.has_room(op)):
            return False
        newer.members.append(op)
        groups[op] = newer
        if older is not None:
            older.readers.add(newer.number)
            self._unite(older, newer)
        return True

    def _join(self, op: Operation, sources: Sequence[Operation]) -> None:
        near: dict[int, Group] = {}
        for source in sources:
            found = self._group.get(source)
            if found is not None and (found.number in near or _same_space(source, op)):
                near[found.number] = found
        newest_first = sorted(near, reverse=True)
        chosen: Group | None = None
        for number in newest_first:
            group = near[number]
            outside = -1
            for source in sources:
                if self._group.get(source) is not group:
                    outside = max(outside, self._number(source))
            if outside < number and group.has_room(op):
                chosen = group
                break
        if chosen is None:
            chosen = Group(self._made)
            self._made += 1
        chosen.members.append(op)
        self._group[op] = chosen
        self._note_readers(sources, chosen.number)
        for number in newest_first:
            if near[number] is not chosen:
                chosen = self._unite(near[number], chosen)

    def _unite(self, older: Group, newer: Group) -> Group:
        """Make the two one if nobody else reads the older; the group in which the members of `newer` are then."""
        if older.number > newer.number or not older.readers <= {newer.number, older.number}:
            return newer
        if len(older.members) + len(newer.members) > LARGEST and not (older.is_tiny() and newer.is_tiny()):
            return newer
        # The smaller moves: a long chain that meets a new node at each step would else be moved at each step.
        moving, whole = (older, newer) if len(older.members) <= len(newer.members) else (newer, older)
        whole.members += moving.members  # in any order: they are sorted in the end
        for op in moving.members:
            self._group[op] = whole
        whole.number, whole.readers = newer.number, newer.readers
        whole.tiny = True if len(whole.members) > LARGEST else None
        whole.like = None
        return whole

    def _note_readers(self, sources: Sequence[Operation], reader: int) -> None:
        for source in sources:
            group = self._group.get(source)
            if group is not None and group.number != reader:
                group.readers.add(reader)


def is_tiny(op: Operation) -> bool:
    """Whether its result is known to have few elements."""
    count = op.outputs[0].shape.num_elements()
    return count is not None and count <= TINY


def _same_rows(a: Operation, b: Operation) -> bool:
    """Whether two reductions over the last axes reduce the same ones."""
    if not a.inputs[0].shape.is_compatible_with(b.inputs[0].shape):
        return False
    axes = []
    for op in (a, b):
        rule, rank = op.opdef.reduction, op.inputs[0].shape.ndims
        assert rule is not None and rank is not None  # or it would be no tail
        axes.append(rule.axes(rank, *[_constant(arg) for arg in op.args[1:]]))
    return axes[0] == axes[1]


def _same_space(producer: Operation, op: Operation) -> bool:
    """False if the shapes are known to differ: what is small is computed once, and broadcast into the group. Nodes that
    ask for different devices are in no group together either."""
    if producer.device != op.device:
        return False
    a, b = producer.outputs[0].shape, op.outputs[0].shape
    return a is b or a.raw == b.raw or a.is_compatible_with(b)


@dataclass(slots=True)
class _Border:
    """A group as its surroundings see it: members in order, reductions last; what it reads from outside, the axes of
    reductions apart."""

    members: list[Operation] = field(default_factory=list)
    tails: list[Operation] = field(default_factory=list)
    inputs: dict[Tensor, None] = field(default_factory=dict)
    axes: dict[Operation, None] = field(default_factory=dict)


def _borders(stage: Stage, groups: dict[Operation, Group]) -> tuple[dict[Group, _Border], set[Tensor]]:
    """The border of each group, and the tensors that something outside the group of their node needs: one walk."""
    borders = {group: _Border() for group in dict.fromkeys(groups.values())}
    found = {*stage.fetches, *stage.pinned}
    for op in stage.operations:
        group = groups.get(op)
        inputs = op.inputs
        if group is None:
            found.update(inputs)
            continue
        border = borders[group]
        if op.opdef.reduction is None:
            border.members.append(op)
        else:
            border.tails.append(op)
            border.axes.update(dict.fromkeys([t.op for t in inputs[1:]]))
            inputs = inputs[:1]
        for tensor in inputs:
            if groups.get(tensor.op) is not group:
                border.inputs[tensor] = None
                found.add(tensor)
    return borders, found


def _rebuild(stage: Stage, groups: dict[Operation, Group], notes: Notes) -> Stage:
    """Emit nodes and groups so that everything comes after what it needs, as near to the old order as that allows."""
    copy = Rebuild(stage)
    inside = set(stage.operations)
    borders, read_outside = _borders(stage, groups)
    done: set[Operation] = set()
    before = effect_order(stage.operations, set(stage.targets))

    def needs(op: Operation) -> list[Operation]:
        group = groups.get(op)
        if group is None:
            wanted = [t.op for t in op.inputs]
            if op.control_inputs or op in before:
                wanted += [*op.control_inputs, *before.get(op, ())]
        else:  # a member waits for nothing but what it reads, or it would be in no group
            wanted = [*[t.op for t in borders[group].inputs], *borders[group].axes]
        return [w for w in wanted if w in inside and w not in done]

    for start in stage.operations:
        if start in done:
            continue
        stack = [start]
        while stack:
            op = stack[-1]
            if op in done:
                stack.pop()
                continue
            waiting = needs(op)
            if waiting:
                stack += reversed(waiting)
                continue
            stack.pop()
            group = groups.get(op)
            if group is None:
                copy.copy(op)
                done.add(op)
            else:
                border = borders[group]
                _emit(copy, border, read_outside, notes)
                done.update(border.members, border.tails)
    return copy.finish()


def _emit(copy: Rebuild, border: _Border, read_outside: set[Tensor], notes: Notes) -> None:
    members = border.members + border.tails
    inputs = tuple(border.inputs)
    results = [t for op in border.members if (t := op.outputs[0]) in read_outside]
    results += [op.outputs[0] for op in border.tails]
    # Each member may be rewritten, so none has effects. It is the operation of the stage before, not a copy.
    body = SubGraph((*border.axes, *members), inputs, tuple(results), PURE, name=members[-1].name)
    outputs = copy.emit(fused, (tuple([copy.new(t) for t in inputs]), body), members,
                        outputs=[(t.dtype, t.shape) for t in results])  # fmt: skip
    for old, new in zip(results, outputs, strict=True):
        copy.replace(old, new)
    copy.drop_all(members)
    notes.applied("fuse", f"{len(members)} nodes as {members[-1].name}")
