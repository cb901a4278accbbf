"""Blocks that are cut out of a tensor (`slice`, `x[a:b]`) beside what puts blocks in: pad, concat, gradients of cuts.

A cut is known by where it begins and by the shape of its result. In gradients the adjoint of a cut is a pad, and that
of a concat a cut for each value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dimension import Dim
from ....ops.move.concat_stack import concat
from ....ops.move.getitem import Index, Span, getitem
from ....ops.move.getitem_gradient import placed_at_index
from ....ops.move.slicing import slice as slice_
from ....ops.move.tile_pad import pad
from .join_split import axis_of
from .proofs import constant
from .rule import Emitter, Rule, node

_CUTS = (slice_, getitem)
_NOT_KNOWN = "which elements are cut out is not known before the run"

Starts: TypeAlias = list[int]


def _starts(op: Operation) -> Starts | None:
    """Where the block of a cut, of a pad or of an index that is filled begins along each dimension, if it is known."""
    if op.opdef is slice_:
        begin = constant(op.args[1])
        return None if begin is None else [int(each) for each in begin.reshape(-1)]
    if op.opdef is pad:
        rows = constant(op.args[1])
        return None if rows is None or (rows < 0).any() else [int(before) for before, _ in rows]
    whole, index = (op.inputs[0], op.args[1]) if op.opdef is getitem else (op.outputs[0], op.args[2])
    return _starts_of_index(whole, index)


def _starts_of_index(whole: Tensor, index: Index) -> Starts | None:
    """Where an index begins that takes a block and keeps all dimensions."""
    dims = whole.shape.raw
    if dims is None or len(index.items) > len(dims) + (... in index.items):
        return None
    starts: Starts = []
    for _, item in index.expanded(len(dims)):
        if not isinstance(item, Span) or item.step not in (None, 1):
            return None
        if not isinstance(item.start, int | None) or not isinstance(item.stop, int | None) or (item.start or 0) < 0:
            return None
        starts.append(item.start or 0)
    return starts


def _fits(placed: Operation, block: Tensor) -> bool:
    """Whether `placed_at_index` cannot fail: the index of its result has the shape of the block."""
    whole, dims = placed.outputs[0].shape.raw, block.shape.raw
    if whole is None or dims is None or len(whole) != len(dims):
        return False
    for (at, item), size in zip(placed.args[2].expanded(len(whole)), dims, strict=True):
        assert isinstance(item, Span)
        length = whole[at]
        if item.start in (None, 0) and item.stop is None:
            if length != size:
                return False
        elif not isinstance(length, int) or len(range(*slice(item.start, item.stop).indices(length))) != size:
            return False
    return True


class CutOfPlaced(Rule):
    """slice(pad(x, p), p[:, 0], shape(x)) -> x; so an index, and zeros in which x stands at an index. Exact.

    It ends because each use removes one node."""

    pattern = node(_CUTS, node((pad, placed_at_index), bind="inner"), bind="op")

    def check(self, inner: Operation, op: Operation) -> str | None:
        block = _block(inner)
        into, out = _starts(inner), _starts(op)
        if into is None or out is None or block.shape.raw is None:
            return _NOT_KNOWN
        if into != out or op.outputs[0].shape.raw != block.shape.raw:
            return "what is cut out is not what was put in"
        if inner.opdef is placed_at_index and not _fits(inner, block):
            return "whether the block fits its place is not known before the run"
        return None

    def rewrite(self, make: Emitter, inner: Operation, op: Operation) -> Tensor:
        return _block(inner)


def _block(placed: Operation) -> Tensor:
    """What a pad or `placed_at_index` puts into zeros."""
    found: Tensor = placed.args[0 if placed.opdef is pad else 1]
    return found


class CutOfConcat(Rule):
    """slice(concat(d, [x, y]), the place of x) -> x; so an index. Exact.

    It ends because each use removes one node."""

    pattern = node(_CUTS, node(concat, "axis", "values"), bind="op")

    def check(self, op: Operation, axis: Tensor, values: Sequence[Tensor]) -> str | None:
        at, starts = axis_of(axis, values[0].shape.ndims), _starts(op)
        if at is None or starts is None:
            return _NOT_KNOWN
        if not _may_join(values, at):
            return "whether the shapes fit is not known before the run"
        return None if _value_at(op, values, at, starts) is not None else "what is cut out is not one of the values"

    def rewrite(self, make: Emitter, op: Operation, axis: Tensor, values: Sequence[Tensor]) -> Tensor:
        found = _value_at(op, values, axis_of(axis, values[0].shape.ndims) or 0, _starts(op) or [])
        assert found is not None
        return found


def _value_at(op: Operation, values: Sequence[Tensor], at: int, starts: Starts) -> Tensor | None:
    """The value that stands at `starts` in the result of a concat and has the shape of the result of `op`."""
    if any(start for axis, start in enumerate(starts) if axis != at):
        return None
    before: Dim = 0
    for value in values:
        if before == starts[at] and op.outputs[0].shape.raw == value.shape.raw:
            return value
        before = before + (value.shape.raw or ())[at]
    return None


def _may_join(values: Sequence[Tensor], at: int) -> bool:
    """Whether values can be joined along dimension `at` in every run."""
    first = values[0].shape.raw
    return first is not None and all(
        v.shape.raw is not None and (*v.shape.raw[:at], *v.shape.raw[at + 1 :]) == (*first[:at], *first[at + 1 :])
        for v in values
    )


class ConcatOfCuts(Rule):
    """concat(d, [x[:a], x[a:]]) -> x, where the cuts are all of x, one after the other. Exact.

    It ends because each use removes one concat."""

    pattern = node(concat, "axis", "values", prefilter=lambda op: op.inputs[-1].op.opdef in _CUTS)

    def check(self, axis: Tensor, values: Sequence[Tensor]) -> str | None:
        whole = values[0].op.inputs[0] if values[0].op.opdef in _CUTS else None
        if whole is None or any(v.op.opdef not in _CUTS or v.op.inputs[0] is not whole for v in values):
            return ""
        dims, at = whole.shape.raw, axis_of(axis, whole.shape.ndims)
        if dims is None or at is None:
            return _NOT_KNOWN
        reached: Dim = 0
        for value in values:
            starts, size = _starts(value.op), value.shape.raw
            if starts is None or size is None or value.op.control_inputs:
                return _NOT_KNOWN
            wanted = [reached if place == at else 0 for place in range(len(dims))]
            if starts != wanted or (*size[:at], dims[at], *size[at + 1 :]) != dims:
                return "the cuts do not follow each other"
            reached = reached + size[at]
        return None if reached == dims[at] else "the cuts are not all of the tensor"

    def rewrite(self, make: Emitter, axis: Tensor, values: Sequence[Tensor]) -> Tensor:
        make.cover(v.op for v in values)
        whole: Tensor = values[0].op.inputs[0]
        return whole
