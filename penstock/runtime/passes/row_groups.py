"""Groups that run row by row: reductions along the last axes, and what is computed from them for the same rows.

    e = exp(x - max(x, 1)); y = e / sum(e, 1)       three passes over x --> one, in which a row stays in the cache

The fuse pass ends a group where it is reduced. Here such groups, single reductions and groups of one number per row are
united, if all of them are about the same rows. The rule against cycles is that of `passes.fuse`: groups are numbered,
and one may join group g if what it needs from outside depends on groups below g only. A group in which nothing
is computed for a whole row from a reduction of that row stays as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from heapq import heappop, heappush
from typing import Final, Literal, TypeAlias

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.effects import effect_order
from ...graph.declare.op_facts import combines_rows
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim
from ...ops.declare.reduction_order import BLOCK
from ..ir.fused_ir import LARGEST
from ..ir.stage import Stage
from .fusion_groups import FusionGroup, is_tiny, last_axes

Dims: TypeAlias = tuple[Dim, ...]
Kind: TypeAlias = Literal["full", "kept", "row"]
"""What the values of a node are: one number for each element of the rows; one for each row, with the reduced axes as
axes of size 1; the same without these axes."""
MOST_OTHERS: Final = 300
"""The most operations behind a group that are looked at when it is united with another one."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows that a group is about: the shape of its elements, and how many of the last axes make a row."""

    dims: Dims
    axes: int

    def kind(self, dims: Dims | None) -> Kind | None:
        """What values of these dimensions are; None if they belong to other rows."""
        if dims is None:
            return None
        outer = len(self.dims) - self.axes
        if len(dims) == outer:
            return "row" if agree(dims, self.dims) else None
        if len(dims) != len(self.dims) or not agree(dims[:outer], self.dims):
            return None
        if all(d == 1 for d in dims[outer:]):
            return "kept"
        return "full" if agree(dims[outer:], self.dims[outer:]) else None

    def agrees_with(self, other: _Rows) -> bool:
        return self.axes == other.axes and len(self.dims) == len(other.dims) and agree(self.dims, other.dims)


def agree(a: Iterable[Dim], b: Iterable[Dim]) -> bool:
    """True if no two sizes are known to differ."""
    return all(x is y or not isinstance(x, int) or not isinstance(y, int) or x == y for x, y in zip(a, b, strict=False))


@dataclass(eq=False, slots=True)
class _Unit:
    """What joins a group as a whole: a group of the fuse pass, or a single operation."""

    operations: list[Operation]
    place: int
    group: FusionGroup | None = None
    may_join: bool = False
    needs: set[_Unit] = field(default_factory=set)

    @property
    def reductions(self) -> list[Operation]:
        return [op for op in self.operations if combines_rows(op.opdef)]


@dataclass(eq=False, slots=True)
class _Cluster:
    """A group of rows under construction; `readers` as in `FusionGroup`."""

    number: int
    rows: _Rows
    units: list[_Unit] = field(default_factory=list)
    readers: set[int] = field(default_factory=set)
    kinds: dict[Tensor, Kind] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum([len(unit.operations) for unit in self.units])


def join_rows(
    stage: Stage, groups: Mapping[Operation, FusionGroup], reductions: Collection[Operation]
) -> dict[Operation, FusionGroup]:
    """`groups`, of which those about the same rows are united; `reductions` are those that may be in a group."""
    if not _is_promising(stage, groups, reductions):
        return dict(groups)
    found = _RowSearch(stage, groups, reductions).clusters()
    made = dict(groups)
    for cluster in found:
        united = FusionGroup(-1)  # its number is of no use any more
        for unit in cluster.units:
            for op in unit.operations:
                (united.reductions if combines_rows(op.opdef) else united.members).append(op)
                made[op] = united
    return made


def _is_promising(
    stage: Stage, groups: Mapping[Operation, FusionGroup], reductions: Collection[Operation]
) -> bool:
    """True if some reduction of rows is read by something that may be in its group, or an op of rows reads such."""
    some = {op for op in reductions if _rows_of(op) is not None}
    return bool(some) and any(
        t.op in some or (op.opdef.row_rule is not None and t.op in groups)
        for op in stage.operations if op in groups or op in reductions for t in op.inputs
    )  # fmt: skip


def _rows_of(op: Operation) -> _Rows | None:
    """The rows that a reduction combines; None for one that is better left alone."""
    dims, axes = op.inputs[0].shape.raw, last_axes(op)
    if dims is None or not axes or len(axes) == len(dims) or is_tiny(op.inputs[0].op):
        return None
    row = [d for d in dims[len(dims) - len(axes) :] if isinstance(d, int)]
    count = 1
    for size in row:
        count *= size
    if count > BLOCK or count == 0 or (len(row) == len(axes) and count == 1):
        return None
    return _Rows(tuple(dims), len(axes))


class _RowSearch:
    """One walk over the units in an order in which they can run."""

    def __init__(
        self, stage: Stage, groups: Mapping[Operation, FusionGroup], reductions: Collection[Operation]
    ) -> None:
        self._units = _units(stage, groups, reductions)
        self._cluster: dict[_Unit, _Cluster] = {}
        self._depends: dict[_Unit, int] = {}
        self._made = 0
        self._readers: dict[_Unit, list[_Unit]] = {unit: [] for unit in self._units}
        for unit in self._units:
            for each in unit.needs:
                self._readers[each].append(unit)

    def clusters(self) -> list[_Cluster]:
        """The groups of rows that are worth it."""
        for unit in _in_order(self._units, self._readers):
            if unit.may_join and self._join(unit):
                continue
            self._depends[unit] = max([self._number(each) for each in unit.needs], default=-1)
            self._note_readers(unit, -1)
        found = dict.fromkeys(self._cluster.values())
        return [cluster for cluster in found if _saves_a_pass(cluster)]

    def _number(self, unit: _Unit) -> int:
        cluster = self._cluster.get(unit)
        return self._depends.get(unit, -1) if cluster is None else cluster.number

    def _join(self, unit: _Unit) -> bool:
        near = {c.number: c for c in map(self._cluster.get, unit.needs) if c is not None}
        chosen: _Cluster | None = None
        kinds: dict[Tensor, Kind] | None = None
        for number in sorted(near, reverse=True):
            cluster = near[number]
            outside = [self._number(each) for each in unit.needs if self._cluster.get(each) is not cluster]
            if max(outside, default=-1) >= number or cluster.size + len(unit.operations) > LARGEST:
                continue
            kinds = _kinds(unit, cluster.rows, cluster.kinds)
            if kinds is not None:
                chosen = cluster
                break
        if chosen is None:
            rows = next((r for r in map(_rows_of, unit.reductions) if r is not None), None)
            kinds = None if rows is None else _kinds(unit, rows, {})
            if rows is None or kinds is None:
                return False
            chosen = _Cluster(self._made, rows)
            self._made += 1
        assert kinds is not None
        chosen.units.append(unit)
        chosen.kinds.update(kinds)
        self._cluster[unit] = chosen
        self._note_readers(unit, chosen.number)
        for number in sorted(near, reverse=True):
            if near[number] is not chosen:
                self._unite(near[number], chosen)
        return True

    def _unite(self, older: _Cluster, newer: _Cluster) -> None:
        """Put the older one into the newer unless that closes a cycle."""
        if older.number > newer.number:
            return
        if older.size + newer.size > LARGEST or not older.rows.agrees_with(newer.rows):
            return
        if older.units[0].operations[0].device != newer.units[0].operations[0].device:
            return
        known = {**older.kinds, **newer.kinds}
        if any(_kinds(unit, newer.rows, known) is None for unit in (*older.units, *newer.units)):
            return
        others = self._others_behind(older, newer)
        if others is None:
            return
        for unit in others:  # they depend on the newer one now
            self._depends[unit] = max(self._depends[unit], newer.number)
        newer.units[:0] = older.units
        newer.readers |= older.readers - {newer.number, older.number}
        newer.kinds = known
        self._cluster.update(dict.fromkeys(older.units, newer))

    def _others_behind(self, older: _Cluster, newer: _Cluster) -> set[_Unit] | None:
        """The units outside that depend on the older cluster, if the two may be united.

        None if the newer one depends on one of them, which would be a cycle, or a cluster before the newer one does.
        """
        if older.readers <= {newer.number, older.number}:
            return set()
        others: set[_Unit] = set()
        waiting = list(older.units)
        while waiting:
            for reader in self._readers[waiting.pop()]:
                cluster = self._cluster.get(reader)
                if cluster is older or reader in others or (cluster is None and reader not in self._depends):
                    continue
                if cluster is newer:
                    continue  # by itself it is no cycle; through another unit it is: see below
                if cluster is not None or len(others) >= MOST_OTHERS:
                    return None
                others.add(reader)
                waiting.append(reader)
        return None if any(unit.needs & others for unit in newer.units) else others

    def _note_readers(self, unit: _Unit, reader: int) -> None:
        for each in unit.needs:
            cluster = self._cluster.get(each)
            if cluster is not None and cluster.number != reader:
                cluster.readers.add(reader)


def _units(
    stage: Stage, groups: Mapping[Operation, FusionGroup], reductions: Collection[Operation]
) -> list[_Unit]:
    unit_of: dict[Operation, _Unit] = {}
    of_group: dict[FusionGroup, _Unit] = {}
    units: list[_Unit] = []
    for place, op in enumerate(stage.operations):
        group = groups.get(op)
        unit = None if group is None else of_group.get(group)
        if unit is None:
            unit = _Unit([], place, group, group is not None or op in reductions)
            units.append(unit)
            if group is not None:
                of_group[group] = unit
        unit.operations.append(op)
        unit_of[op] = unit
    before = effect_order(stage.operations, set(stage.targets))
    for op, unit in unit_of.items():
        wanted: list[Operation] = [t.op for t in op.inputs]
        wanted += op.control_inputs
        wanted += before.get(op, ())
        unit.needs.update([unit_of[w] for w in wanted if w in unit_of])
    for unit in units:
        unit.needs.discard(unit)
    return units


def _in_order(units: Sequence[_Unit], readers: Mapping[_Unit, Sequence[_Unit]]) -> Iterable[_Unit]:
    """The units, each after those that it needs, else as they stand in the stage."""
    waiting = {unit: len(unit.needs) for unit in units}
    ready = [(unit.place, unit) for unit in units if not waiting[unit]]  # places differ, so units are not compared
    while ready:
        _, unit = heappop(ready)
        yield unit
        for reader in readers[unit]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heappush(ready, (reader.place, reader))


def _kinds(unit: _Unit, rows: _Rows, known: Mapping[Tensor, Kind]) -> dict[Tensor, Kind] | None:
    """What the values of a unit are in a group of these rows; None if it cannot be in that group."""
    kinds: dict[Tensor, Kind] = {}
    device = unit.operations[0].device
    if any(t.op.device != device for t in known) or any(map(_may_fail, unit.operations)):
        return None
    for op in unit.operations:
        out = op.outputs[0]
        read = [kinds.get(t) or known.get(t) for t in op.inputs]
        if op.opdef.row_rule is not None:
            full = [each or rows.kind(t.shape.raw) for each, t in zip(read, op.inputs, strict=True)]
            results = [rows.kind(t.shape.raw) for t in op.outputs]
            if _rows_of(op) is None or rows.axes != 1 or set(full) != {"full"} or None in results:
                return None
            kinds.update({t: kind for t, kind in zip(op.outputs, results, strict=True) if kind is not None})
            continue
        if op.opdef.reduction is None:
            kind = rows.kind(out.shape.raw)
            if kind is None or any(r is not None and r != kind and (kind, r) != ("full", "kept") for r in read):
                return None
        else:
            operand = read[0] or rows.kind(op.inputs[0].shape.raw)
            if operand not in ("full", "kept") or len(last_axes(op) or ()) != rows.axes:
                return None
            if operand == "full" and _rows_of(op) is None:
                return None
            kind = rows.kind(out.shape.raw)
            if kind not in ("kept", "row"):
                return None
        kinds[out] = kind
    return kinds


def _may_fail(op: Operation) -> bool:
    """True if a value may be an error, as a zero among divisors: it is found before anything is computed."""
    return bool(op.opdef.facts.can_fail & op.inputs[0].dtype.bit)


def _saves_a_pass(cluster: _Cluster) -> bool:
    """True if elements of a row are computed from a reduction of that row, or an op of rows has neighbours."""
    kinds = cluster.kinds
    if cluster.size > 1 and any(op.opdef.row_rule is not None for unit in cluster.units for op in unit.operations):
        return True
    return any(
        kinds.get(t) == "kept" for unit in cluster.units for op in unit.operations for t in op.inputs
        if not combines_rows(op.opdef) and kinds[op.outputs[0]] == "full"
    )  # fmt: skip
