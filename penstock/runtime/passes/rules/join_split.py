"""Inverse pairs of joins and splits: pack and unpack, concat and split, concat and split_sizes, nested concats."""

from __future__ import annotations

from collections.abc import Sequence

from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dimension import Dim
from ....ops.move.concat_stack import concat, pack, stack
from ....ops.move.slicing import split, unpack
from ....ops.move.split_sizes import split_sizes
from .proofs import constant, same_shape
from .rule import Emitter, Rule, node, parts


def axis_of(tensor: Tensor, rank: int | None) -> int | None:
    """The value of a constant axis, counted from 0; None if it is not known."""
    value = constant(tensor)
    if value is None or value.size != 1 or rank is None or not -rank <= int(value.item()) < rank:
        return None
    return int(value.item()) % rank


def _all_of(some: Sequence[Tensor]) -> str | None:
    """None if `some` are all outputs of their operation, in order."""
    if tuple(some) == some[0].op.outputs:
        return None
    return "these are not all parts in their order"


class PackUnpack(Rule):
    """pack(unpack(x)) -> x, of all rows in their order; so stack along axis 0. Exact.

    It ends because each use removes one node."""

    pattern = node((pack, stack), parts(node(unpack, "x", "num")), bind="op")

    def check(self, op: Operation, some: Sequence[Tensor], x: Tensor, num: int | None) -> str | None:
        if op.opdef is stack and op.args[1] != 0:
            return "the rows are stacked along another axis than the first"
        if x.shape.raw is None or x.shape.raw[0] != len(some[0].op.outputs):
            return "how many rows there are is not known before the run"
        return _all_of(some)


class UnpackPack(Rule):
    """unpack(pack(values)) -> values, where all have one shape. Exact.

    It ends because each use removes one node."""

    pattern = node(unpack, node((pack, stack), "values", bind="inner"), "num")

    def check(self, inner: Operation, values: Sequence[Tensor], num: int | None) -> str | None:
        if inner.opdef is stack and inner.args[1] != 0:
            return "the values were stacked along another axis than the first"
        if num not in (None, len(values)):
            return "the run will refuse it"
        return None if same_shape(*values) else "whether the values have one shape is not known before the run"

    def rewrite(self, make: Emitter, inner: Operation, values: Sequence[Tensor], num: int | None) -> Sequence[Tensor]:
        return values


def _axes_refusal(cut: Tensor, axis: Tensor, rank: int | None, first: str, then: str) -> str | None:
    """None if a split and a join are along the same dimension; which is first, and then?"""
    at, joined = axis_of(cut, rank), axis_of(axis, rank)
    if at is None or joined is None:
        return "along which dimension is not known before the run"
    return None if at == joined else f"it is {first} along one dimension and {then} along another"


class ConcatSplit(Rule):
    """concat(d, split(d, n, x)) -> x, of all parts in their order. Exact.

    It ends because each use removes one node."""

    pattern = node(concat, "axis", parts(node(split, "cut", "num", "x")))

    def check(self, axis: Tensor, some: Sequence[Tensor], cut: Tensor, num: int, x: Tensor) -> str | None:
        refused = _axes_refusal(cut, axis, x.shape.ndims, "split", "joined")
        if refused is not None:
            return refused
        at = axis_of(cut, x.shape.ndims) or 0
        whole, part = (x.shape.raw or ())[at], (some[0].shape.raw or (None,) * (at + 1))[at]
        if part is None or part * num != whole:
            return "whether the size can be divided evenly is not known before the run"
        return _all_of(some)


class SplitConcat(Rule):
    """split(d, n, concat(d, values)) -> values, for n values of one shape. Exact.

    It ends because each use removes one node."""

    pattern = node(split, "cut", "num", node(concat, "axis", "values"), bind="op")

    def check(self, op: Operation, cut: Tensor, num: int, axis: Tensor, values: Sequence[Tensor]) -> str | None:
        refused = _axes_refusal(cut, axis, values[0].shape.ndims, "joined", "split")
        if refused is not None or num != len(values):
            return refused or f"{len(values)} values are joined and split into {num}"
        return None if same_shape(*values) else "whether the values have one shape is not known before the run"

    def rewrite(
        self, make: Emitter, op: Operation, cut: Tensor, num: int, axis: Tensor, values: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        return values


class ConcatSplitSizes(Rule):
    """concat(d, split_sizes(x, sizes, d)) -> x, of all parts in their order. Exact.

    It ends because each use removes one node."""

    pattern = node(concat, "axis", parts(node(split_sizes, "x", "sizes", "cut", "num")))

    def check(
        self, axis: Tensor, some: Sequence[Tensor], x: Tensor, sizes: Tensor, cut: Tensor, num: int
    ) -> str | None:
        refused = _axes_refusal(cut, axis, x.shape.ndims, "split", "joined")
        if refused is not None:
            return refused
        at = axis_of(cut, x.shape.ndims) or 0
        return _sizes_refusal(x, some[0].op.outputs, at) or _all_of(some)


def _sizes_refusal(x: Tensor, some: Sequence[Tensor], at: int) -> str | None:
    """None if the sizes of the parts add up to that of x along dimension `at` in every run."""
    together: Dim = 0
    for part in some:
        if part.shape.raw is None:
            return "the sizes of the parts are not known before the run"
        together = together + part.shape.raw[at]
    return None if x.shape.raw is not None and x.shape.raw[at] == together else "whether the sizes add up is not known"


class SplitSizesConcat(Rule):
    """split_sizes(concat(d, values), sizes, d) -> values, where the sizes are those of the values. Exact.

    It ends because each use removes one node."""

    pattern = node(split_sizes, node(concat, "axis", "values"), "sizes", "cut", "num", bind="op")

    def check(
        self, op: Operation, axis: Tensor, values: Sequence[Tensor], sizes: Tensor, cut: Tensor, num: int
    ) -> str | None:
        refused = _axes_refusal(cut, axis, values[0].shape.ndims, "joined", "split")
        if refused is not None or num != len(values):
            return refused or f"{len(values)} values are joined and split into {num}"
        shapes = [(value.shape.raw, part.shape.raw) for value, part in zip(values, op.outputs, strict=True)]
        if any(value is None or value != part for value, part in shapes):
            return "whether the sizes are those of the values is not known before the run"
        return None

    def rewrite(
        self, make: Emitter, op: Operation, axis: Tensor, values: Sequence[Tensor], sizes: Tensor, cut: Tensor, num: int
    ) -> Sequence[Tensor]:
        return values


MOST_JOINED = 256
"""A concat of so many values copies a few of them twice at no cost that shows; a list n long for each concat of a chain
of n would take the square."""


class ConcatConcat(Rule):
    """concat(d, [x, concat(d, [y, z])]) -> concat(d, [x, y, z]). Exact.

    It ends because each use removes one concat on the way to y."""

    pattern = node(concat, "axis", "values")

    def check(self, axis: Tensor, values: Sequence[Tensor]) -> str | None:
        inner = [v.op for v in values if v.op.opdef is concat]
        if not inner:
            return ""
        rank = values[0].shape.ndims
        at = axis_of(axis, rank)
        if at is None or rank is None:
            return "along which dimension is not known before the run"
        if not any(axis_of(op.args[0], rank) == at and not op.control_inputs for op in inner):
            return "the values are joined along different dimensions"
        flat = _flat(at, values)
        if len(flat) > max(MOST_JOINED, len(values)):
            return f"they would be {len(flat)} values, more than {MOST_JOINED}"
        dims = [t.shape.raw for t in flat]
        if any(d is None or len(d) != rank or _others(d, at) != _others(dims[0] or (), at) for d in dims):
            return "whether the shapes fit is not known before the run"
        return None

    def rewrite(self, make: Emitter, axis: Tensor, values: Sequence[Tensor]) -> Tensor:
        at = axis_of(axis, values[0].shape.ndims) or 0
        make.cover(v.op for v in values if v.op.opdef is concat)
        return make.result(concat, axis, tuple(_flat(at, values)))


def _flat(at: int, values: Sequence[Tensor]) -> list[Tensor]:
    flat: list[Tensor] = []
    for value in values:
        op = value.op
        joins = op.opdef is concat and not op.control_inputs and axis_of(op.args[0], value.shape.ndims) == at
        flat += op.args[1] if joins else (value,)
    return flat


def _others(dims: Sequence[object], at: int) -> tuple[object, ...]:
    return (*dims[:at], *dims[at + 1 :])
