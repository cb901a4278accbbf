"""Operator fusion: elementwise ops that read each other become one group.

Law: a group computes for each result exactly what its ops compute one after the other; only the order in which elements
are visited changes. A node joins the group of a producer unless that closes a cycle, a path from the group to the node
through a node outside it. Groups are numbered as they are made, and a group depends only on groups with smaller
numbers. So the test for a cycle is one comparison: a node may join group g if its inputs from outside g depend on
groups below g only. Two groups that meet in a node are united if no third reader uses the older one.

A reduction over the last axes (or all axes) of a member ends its group. It counts as a node outside that depends on the
group, so no reader of it can be in a group that it could end. In a second step, `passes.row_groups` unites groups that
work on the same rows.

A node that waits for a member waits for the group instead; it counts as a reader of the member.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.effects import PURE, effect_order, effects_of
from ...graph.declare.op_facts import combines_rows
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ..ir.fused_ir import LARGEST, fused
from ..ir.stage import Notes, Rebuild, Stage
from .column_groups import join_columns
from .fusion_borders import fixed_targets, move_to_readers
from .fusion_groups import FusionGroup, axes_operands, last_axes
from .moves_first import with_moves_first
from .part_products import with_part_products
from .row_groups import join_rows
from .rules.sums_before_reshapes import with_sums_before_reshapes


class Fuse:
    """Put elementwise ops that read each other into groups."""

    name = "fuse"

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage with one `Fused` node for each group of two or more."""
        return with_sums_before_reshapes(self._grouped(stage, notes), notes)

    def _grouped(self, stage: Stage, notes: Notes) -> Stage:
        if any(op.opdef.facts.moves and op.outputs[0].shape.is_known for op in stage.operations):
            stage = with_part_products(with_moves_first(stage, notes), notes)
        targets = fixed_targets(stage) if stage.targets else set()
        movable = [
            op for op in stage.operations
            if (_is_elementwise(op) or combines_rows(op.opdef)) and _may_move(op, targets)
        ]  # fmt: skip
        fusable = [op for op in movable if _is_elementwise(op) and _may_join(op)]
        every = [op for op in movable if combines_rows(op.opdef)]
        reductions = {op for op in every if last_axes(op) is not None}
        if len(fusable) + len(every) < 2 or not fusable:
            return stage
        groups = _Grouping(stage, set(fusable), reductions).groups()
        if len(set(groups.values())) > 1:
            move_to_readers(stage, groups)
        if every:
            awaited = only_awaited(stage)
            groups = join_rows(stage, groups, reductions - awaited)
            groups = join_columns(stage, groups, [op for op in every if op not in reductions and op not in awaited])
        for op in [op for op, group in groups.items() if len(group.members) + len(group.reductions) == 1]:
            del groups[op]
        if not groups:
            return stage
        return _rebuild(stage, groups, notes)


def _is_elementwise(op: Operation) -> bool:
    facts = op.opdef.facts
    return facts.elementwise or facts.fills


def _may_move(op: Operation, targets: set[Operation]) -> bool:
    """True if the place of `op` in the order of effects is not fixed."""
    return (op.opdef.is_pure or effects_of(op).may_rewrite) and not op.control_inputs and op not in targets


def _may_join(op: Operation) -> bool:
    """True if this use of an elementwise op makes one tensor of numbers from whole tensors, element by element."""
    opdef = op.opdef
    if len(op.outputs) != 1 or not opdef.is_tensorwise:
        return False
    if opdef.fuse_rule is not None and opdef.fuse_rule(*op.args) is not None:
        return False
    for tensor in (*op.outputs, *op.inputs):  # noqa: SIM110  # every node comes here: a generator takes twice the time
        if tensor.dtype.holds_objects:
            return False
    return True


class _Grouping:
    """The search for groups: one walk over the operations in their order."""

    def __init__(self, stage: Stage, fusable: set[Operation], reductions: set[Operation]) -> None:
        self._stage = stage
        awaited = only_awaited(stage)
        self._fusable = fusable - awaited if awaited else fusable
        self._reductions = reductions - awaited if awaited else reductions
        self._group: dict[Operation, FusionGroup] = {}
        self._depends: dict[Operation, int] = {}  # node in no group -> the largest group number it depends on
        self._made = 0

    def groups(self) -> dict[Operation, FusionGroup]:
        """The group of each fusable operation."""
        before = effect_order(self._stage.operations, set(self._stage.targets))
        for op in self._stage.operations:
            if op in self._fusable and self._join_fast(op):
                continue
            if not (op.inputs or op.control_inputs or op in before):
                continue  # it depends on nothing, like a constant
            sources = list(dict.fromkeys([t.op for t in op.inputs]))
            sources += op.control_inputs
            if op in before:  # effects keep their order: each depends on those it must come after
                sources += before[op]
            if op in self._fusable:
                self._join(op, sources)
            else:
                self._depends[op] = max([self._number(s) for s in sources], default=-1)
                self._note_readers(sources, -1)
        return self._with_reductions()

    def _with_reductions(self) -> dict[Operation, FusionGroup]:
        """The groups with the reductions that end them. Those of one group share tiles, so they have the same axes."""
        for op in self._stage.operations if self._reductions else ():
            if op not in self._reductions:
                continue
            producer = op.inputs[0].op
            group = self._group.get(producer)
            if group is None or len(group.members) + len(group.reductions) >= LARGEST or op.device != producer.device:
                continue
            others = [t.op for t in op.inputs[1:] if self._group.get(t.op) is not group]
            if op.opdef.row_rule is not None and max(map(self._number, others), default=-1) >= group.number:
                continue  # another operand needs the group
            if all(_same_rows(op, other) for other in group.reductions):
                group.reductions.append(op)
                self._group[op] = group
        return self._group

    def _number(self, op: Operation) -> int:
        group = self._group.get(op)
        return self._depends.get(op, -1) if group is None else group.number

    def _join_fast(self, op: Operation) -> bool:
        """Do what `_join` does if `op` reads members of at most two groups, as most nodes do (1.0 us, not 2.6)."""
        newer: FusionGroup | None = None
        older: FusionGroup | None = None
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
            newer = FusionGroup(self._made)
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
        near: dict[int, FusionGroup] = {}
        for source in sources:
            found = self._group.get(source)
            if found is not None and (found.number in near or _same_space(source, op)):
                near[found.number] = found
        newest_first = sorted(near, reverse=True)
        chosen: FusionGroup | None = None
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
            chosen = FusionGroup(self._made)
            self._made += 1
        chosen.members.append(op)
        self._group[op] = chosen
        self._note_readers(sources, chosen.number)
        for number in newest_first:
            if near[number] is not chosen:
                chosen = self._unite(near[number], chosen)

    def _unite(self, older: FusionGroup, newer: FusionGroup) -> FusionGroup:
        """Unite the two unless a third reader uses the older; the group that then holds the members of `newer`."""
        if older.number > newer.number or not older.readers <= {newer.number, older.number}:
            return newer
        if len(older.members) + len(newer.members) > LARGEST and not (older.is_tiny() and newer.is_tiny()):
            return newer
        # The smaller group moves, so that a long chain is not moved each time a new node joins it.
        moving, whole = (older, newer) if len(older.members) <= len(newer.members) else (newer, older)
        whole.members += moving.members  # the order does not matter: members are sorted in the end
        for op in moving.members:
            self._group[op] = whole
        whole.number, whole.readers = newer.number, newer.readers
        whole.tiny = True if len(whole.members) > LARGEST else None
        whole.tiny_shape = None
        return whole

    def _note_readers(self, sources: Sequence[Operation], reader: int) -> None:
        for source in sources:
            group = self._group.get(source)
            if group is not None and group.number != reader:
                group.readers.add(reader)


def only_awaited(stage: Stage) -> set[Operation]:
    """Operations that others wait for and none reads: in a group they would have no result."""
    found = {c for op in stage.operations for c in op.control_inputs}
    if found:
        found -= {t.op for op in stage.operations for t in op.inputs}
        found -= {t.op for t in (*stage.fetches, *stage.pinned)}
    return found


def _same_rows(a: Operation, b: Operation) -> bool:
    """True if two reductions over the last axes reduce the same axes."""
    return a.inputs[0].shape.is_compatible_with(b.inputs[0].shape) and last_axes(a) == last_axes(b)


def _same_space(producer: Operation, op: Operation) -> bool:
    """True if the two nodes may be in one group: same device, and shapes that are not known to differ.

    A smaller value stays outside. It is computed once and broadcast into the group.
    """
    if producer.device != op.device:
        return False
    a, b = producer.outputs[0].shape, op.outputs[0].shape
    return a is b or a.raw == b.raw or a.is_compatible_with(b)


@dataclass(slots=True)
class _Interface:
    """The inputs and members of a group.

    Attributes:
        members: the elementwise operations, in order.
        reductions: the reductions, in order.
        inputs: tensors read from outside, the axes of reductions excepted.
        axes: the constants that hold the axes of reductions.
        nodes: the members and the reductions, in order.
        in_rows: True if a member reads a reduction of the group: see `passes.row_groups`.
    """

    members: list[Operation] = field(default_factory=list)
    reductions: list[Operation] = field(default_factory=list)
    inputs: dict[Tensor, None] = field(default_factory=dict)
    axes: dict[Operation, None] = field(default_factory=dict)
    nodes: list[Operation] = field(default_factory=list)
    in_rows: bool = False


def _interfaces(
    stage: Stage, groups: dict[Operation, FusionGroup]
) -> tuple[dict[FusionGroup, _Interface], set[Tensor]]:
    """The interface of each group, and the tensors that are read outside the group that makes them: one walk."""
    interfaces = {group: _Interface() for group in dict.fromkeys(groups.values())}
    exports = {*stage.fetches, *stage.pinned, *[t for op in stage.targets for t in op.outputs]}
    for op in stage.operations:
        group = groups.get(op)
        inputs = op.inputs
        if group is None:
            exports.update(inputs)
            continue
        interface = interfaces[group]
        interface.nodes.append(op)
        if not combines_rows(op.opdef):
            interface.members.append(op)
        else:
            interface.reductions.append(op)
            interface.axes.update(dict.fromkeys([t.op for t in axes_operands(op)]))
            inputs = inputs[: len(inputs) - len(axes_operands(op))]
            interface.in_rows |= op.opdef.row_rule is not None
        for tensor in inputs:
            if groups.get(tensor.op) is not group:
                interface.inputs[tensor] = None
                exports.add(tensor)
            elif combines_rows(tensor.op.opdef):
                interface.in_rows = True
    return interfaces, exports


def _rebuild(stage: Stage, groups: dict[Operation, FusionGroup], notes: Notes) -> Stage:
    """Emit nodes and groups in a topological order that is as close to the old one as possible."""
    copy = Rebuild(stage)
    inside = set(stage.operations)
    interfaces, read_outside = _interfaces(stage, groups)
    done: set[Operation] = set()
    before = effect_order(stage.operations, set(stage.targets))

    def needs(op: Operation) -> list[Operation]:
        group = groups.get(op)
        if group is None:
            wanted = [t.op for t in op.inputs]
            if op.control_inputs or op in before:
                wanted += [*op.control_inputs, *before.get(op, ())]
        else:  # members have no control inputs and no effects: they wait for their operands only
            wanted = [*[t.op for t in interfaces[group].inputs], *interfaces[group].axes]
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
                interface = interfaces[group]
                _emit(copy, interface, read_outside, notes)
                done.update(interface.members, interface.reductions)
    return copy.finish()


def _emit(copy: Rebuild, interface: _Interface, read_outside: set[Tensor], notes: Notes) -> None:
    members = interface.nodes if interface.in_rows else interface.members + interface.reductions
    inputs = tuple(interface.inputs)
    results = [t for op in interface.members + interface.reductions for t in op.outputs if t in read_outside]
    # Members may be rewritten, so they have no effects. The body lists the operations of the stage before, not copies.
    last = _last_of_rows(members).name
    body = SubGraph((*interface.axes, *members), inputs, tuple(results), PURE, name=last)
    outputs = copy.emit(fused, (tuple([copy.new(t) for t in inputs]), body), members, last,
                        outputs=[(t.dtype, t.shape) for t in results])  # fmt: skip
    for old, new in zip(results, outputs, strict=True):
        copy.replace(old, new)
    copy.drop_all(members, outputs[0].op)
    notes.applied("fuse", f"{len(members)} nodes as {last}")


def _last_of_rows(members: Sequence[Operation]) -> Operation:
    """The last operation, after which a group is named; of a group of rows that adds up columns, the last of the rows.
    """
    reductions = {op: last_axes(op) is None for op in members if combines_rows(op.opdef)}
    is_of_rows = not all(reductions.values())
    return next(op for op in reversed(members) if not (is_of_rows and reductions.get(op)))
