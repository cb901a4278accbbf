"""Data movement: transposes, reverses and rolls that cancel, and slices, pads and tiles that change nothing.

Changes of shape: chains of reshape, squeeze and expand_dims that combine or cancel, or that a reduction does by itself.

These ops keep every element and the row-major order, so the last shape alone determines the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....graph.building.constant_evaluation import Entry, known_vector
from ....graph.building.may_fail import why_it_may_fail
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dimension import Dimension
from ....ops.declare.elementwise_decl import BinaryOp, UnaryOp
from ....ops.declare.reduction_decl import ReductionOp
from ....ops.declare.shape_checks import least, total
from ....ops.linalg.diagonals import diag, diag_part
from ....ops.move.getitem import Span, getitem
from ....ops.move.reshaping import expand_dims, reshape, squeeze
from ....ops.move.rolling import roll
from ....ops.move.slicing import slice as slice_
from ....ops.move.tile_pad import pad, tile
from ....ops.move.transpose_reverse import reverse, reverse_sequence, transpose
from ....ops.reduce.reductions import reduce_sum
from .proofs import constant, is_zero, known_axes
from .rule import Emitter, Readers, Rule, is_one_of, node


def _order(perm: Tensor | None, rank: int) -> list[int] | None:
    """The permutation as numbers from 0; None if it is unknown or invalid."""
    if perm is None:
        return list(range(rank))[::-1]
    value = constant(perm)
    if value is None or value.shape != (rank,) or any(not -rank <= d < rank for d in value.tolist()):
        return None
    found = [d % rank for d in value.tolist()]
    return found if len(set(found)) == rank else None


class TransposeTranspose(Rule):
    """transpose(transpose(x, p), q) -> transpose(x, p[q]), and x if p[q] is the identity. Exact.

    It ends because each use removes one transpose."""

    pattern = node(transpose, node(transpose, "x", "p"), "q")

    def check(self, x: Tensor, p: Tensor | None, q: Tensor | None) -> str | None:
        rank = x.shape.ndims
        if rank is None:
            return "the rank of what is transposed is not known"
        if _order(p, rank) is None or _order(q, rank) is None:
            return "a permutation is not known before the run"
        return None

    def rewrite(self, make: Emitter, x: Tensor, p: Tensor | None, q: Tensor | None) -> Tensor:
        rank = x.shape.ndims or 0
        first, second = _order(p, rank) or [], _order(q, rank) or []
        both = [first[i] for i in second]
        if both == list(range(rank)):
            return x
        return make.result(transpose, x, make.constant(np.array(both, np.int32)))


class TransposeInOrder(Rule):
    """transpose(x, [0, 1, 2, ...]) -> x. Exact. It ends because each use removes one node."""

    pattern = node(transpose, "x", "p")

    def check(self, x: Tensor, p: Tensor | None) -> str | None:
        rank = x.shape.ndims
        if rank is None or (p is None and rank > 1):
            return ""
        return None if _order(p, rank) == list(range(rank)) else ""


class ReverseReverse(Rule):
    """reverse(reverse(x, p), q) -> reverse(x, p != q), and x if p = q. Exact.

    It ends because each use removes one reverse."""

    pattern = node(reverse, node(reverse, "x", "p"), "q")

    def check(self, x: Tensor, p: Tensor, q: Tensor) -> str | None:
        first, second = constant(p), constant(q)
        if first is None or second is None:
            return "which dimensions are reversed is not known before the run"
        if x.shape.ndims is None:
            return "the rank of what is reversed is not known"
        return None if len(first) == len(second) == x.shape.ndims else "the run will refuse one of them"

    def rewrite(self, make: Emitter, x: Tensor, p: Tensor, q: Tensor) -> Tensor:
        both = constant(p) != constant(q)
        return make.result(reverse, x, make.constant(both)) if both.any() else x


class ReverseSequenceTwice(Rule):
    """reverse_sequence(reverse_sequence(x, n, d), n, d) -> x. Exact. It ends because each use removes two nodes."""

    pattern = node(reverse_sequence, node(reverse_sequence, "x", "lengths", bind="inner"), "lengths", bind="outer")

    def check(self, inner: Operation, outer: Operation, x: Tensor, lengths: Tensor) -> str | None:
        if inner.args[2:] != outer.args[2:]:
            return "the two reverse along different dimensions"
        return why_it_may_fail(inner)

    def rewrite(self, make: Emitter, inner: Operation, outer: Operation, x: Tensor, lengths: Tensor) -> Tensor:
        return x


class RollBack(Rule):
    """roll(roll(x, s, d), -s, d) -> x. Exact. It ends because each use removes two nodes."""

    pattern = node(roll, node(roll, "x", "s", "d", bind="inner"), "t", "e", bind="outer")

    def check(
        self, inner: Operation, outer: Operation, x: Tensor, s: Tensor, d: Tensor, t: Tensor, e: Tensor
    ) -> str | None:
        shift, axis, back, along = (constant(each) for each in (s, d, t, e))
        if shift is None or axis is None or back is None or along is None:
            return "how far it is rolled is not known before the run"
        if not np.array_equal(shift, -back) or not np.array_equal(axis, along):
            return "it is not rolled back"
        return why_it_may_fail(inner) or why_it_may_fail(outer)

    def rewrite(
        self, make: Emitter, inner: Operation, outer: Operation, x: Tensor, s: Tensor, d: Tensor, t: Tensor, e: Tensor
    ) -> Tensor:
        return x


class DiagonalOfDiagonal(Rule):
    """diag_part(diag(x)) -> x. Exact. It ends because each use removes one node."""

    pattern = node(diag_part, node(diag, "x", bind="inner"))

    def check(self, inner: Operation, x: Tensor) -> str | None:
        return why_it_may_fail(inner)


class SliceOfAll(Rule):
    """slice(x, [0, 0, ...], [-1 or all, ...]) -> x. Exact. It ends because each use removes one node."""

    pattern = node(slice_, "x", "begin", "size")

    def check(self, x: Tensor, begin: Tensor, size: Tensor) -> str | None:
        start, count, dims = constant(begin), constant(size), x.shape.raw
        if start is None or start.any():
            return ""
        if count is None:
            return "how much is cut out is not known before the run"
        if dims is None:
            return "the rank of what is cut is not known"
        whole = len(start) == len(count) == len(dims)
        return None if whole and all(c == -1 or c == d for c, d in zip(count.tolist(), dims, strict=True)) else ""


class IndexOfAll(Rule):
    """x[:, ...] -> x. Exact. It ends because each use removes one node."""

    pattern = node(getitem, "x", "index", "bounds")

    def check(self, x: Tensor, index: Any, bounds: Any) -> str | None:
        for item in index.items:
            if item is not ... and not _is_whole(item):
                return ""
        spans = sum(item is not ... for item in index.items)
        if spans and (x.shape.ndims is None or spans > x.shape.ndims):
            return "the rank of what is indexed is not known"
        return None


def _is_whole(item: Any) -> bool:
    return isinstance(item, Span) and item.start in (None, 0) and item.stop is None and item.step in (None, 1)


class PadByZero(Rule):
    """pad(x, zeros) -> x. Exact. It ends because each use removes one node."""

    pattern = node(pad, "x", "paddings")

    def check(self, x: Tensor, paddings: Tensor) -> str | None:
        rows = constant(paddings)
        if rows is None or not is_zero(rows):
            return ""
        return None if x.shape.ndims == len(rows) else "the rank of what is padded is not known"


class TileOnce(Rule):
    """tile(x, ones) -> x. Exact. It ends because each use removes one node."""

    pattern = node(tile, "x", "multiples")

    def check(self, x: Tensor, multiples: Tensor) -> str | None:
        factors = constant(multiples)
        if factors is None or (factors != 1).any():
            return ""
        return None if x.shape.ndims == len(factors) else "the rank of what is repeated is not known"


_RESHAPING = (reshape, squeeze, expand_dims)


def _depends_on_operand(entries: Sequence[Entry] | None, x: Tensor) -> bool:
    """True if -1 may be inferred from the operand's shape rather than its size, as it is for an empty operand."""
    if entries is None:
        return True
    if -1 not in entries and all(entry is not None for entry in entries):
        return False
    count = total(x.shape.raw or ())
    if count is not None and least(count) > 0:
        return False
    others = [e for e in entries if e != -1]
    return any(e is None or isinstance(e, Dimension) or e == 0 for e in others)


class ReshapeReshape(Rule):
    """reshape(f(x), s) -> reshape(x, s), where f is reshape, squeeze or expand_dims. Exact.

    It ends because each use removes one change of shape on the way to x."""

    pattern = node(reshape, node(_RESHAPING, "x", bind="first"), "s")

    def check(self, first: Operation, x: Tensor, s: Tensor) -> str | None:
        refused = why_it_may_fail(first)
        if refused is not None:
            return refused
        if _depends_on_operand(known_vector(s), x):
            return "if there are no elements, -1 in the second shape is inferred from the first shape"
        return None

    def rewrite(self, make: Emitter, first: Operation, x: Tensor, s: Tensor) -> Tensor:
        return make.result(reshape, x, s)


class SameShape(Rule):
    """f(x) -> x, where f is reshape, squeeze or expand_dims and the result has the shape of x. Exact.

    It ends because each use removes one node."""

    pattern = node(_RESHAPING, "x", bind="op")

    def check(self, op: Operation, x: Tensor) -> str | None:
        same = op.outputs[0].shape.raw is not None and op.outputs[0].shape.raw == x.shape.raw
        return why_it_may_fail(op) if same else ""


class ReshapeRoundTrip(Rule):
    """f(g(x)) -> x, where f and g are reshape, squeeze or expand_dims and the result has the shape of x. Exact.

    It ends because each use removes one node."""

    pattern = node(_RESHAPING, node(_RESHAPING, "x", bind="first"), bind="second")

    def check(self, first: Operation, second: Operation, x: Tensor) -> str | None:
        result = second.outputs[0]
        if result.shape.raw is None or result.shape.raw != x.shape.raw:
            return ""
        return why_it_may_fail(first) or why_it_may_fail(second)


class KeptAxes(Rule):
    """g(f(x, axes)) -> f(x, axes, keepdims=True), where f is a reduction that only g reads, and g is reshape, squeeze
    or expand_dims and gives each reduced axis back as an axis of size 1.

    Exact: the same elements are combined. Gradients of broadcasts end so where the graph did not know the shapes, and
    only a reduction joins groups of rows. Others may read a sum along axes of size 1, which becomes an addition. It
    ends because each use removes one change of shape."""

    pattern = node(_RESHAPING, node(is_one_of(ReductionOp), "x", "axis", "keepdims", bind="reduction"), bind="op")
    counts_readers = True

    def check(self, op: Operation, reduction: Operation, readers: Readers, **bound: Any) -> str | None:
        x, axes = bound["x"], known_axes(bound["x"], bound["axis"])
        dims = x.shape.raw
        if dims is None or not axes or bound["keepdims"]:
            return ""
        is_addition = reduction.opdef is reduce_sum and all(dims[axis] == 1 for axis in axes)
        if not is_addition and readers(reduction.outputs[0]) != 1:
            return ""
        kept = tuple([1 if axis in axes else dim for axis, dim in enumerate(dims)])
        return why_it_may_fail(op) if op.outputs[0].shape.raw == kept else ""

    def rewrite(self, make: Emitter, reduction: Operation, x: Tensor, axis: Tensor | None, **bound: Any) -> Tensor:
        return make.result(reduction.opdef, x, axis, True)


class ReshapeAround(Rule):
    """g(f(h(x), c)) -> f(x, c), where g and h are reshape, squeeze or expand_dims, the result has the shape of x, f is
    elementwise, only g reads it, and c, if there is one, is a single number.

    Exact: all keep the order of the elements. The gradient of a mean whose axes came back by expand_dims is so. It ends
    because each use removes two changes of shape."""

    pattern = node(_RESHAPING, node(is_one_of(UnaryOp, BinaryOp), bind="inner"), bind="op",
                   prefilter=lambda op: any(t.op.opdef in _RESHAPING for t in op.inputs[0].op.inputs))  # fmt: skip
    counts_readers = True

    def check(self, op: Operation, inner: Operation, readers: Readers) -> str | None:
        around = [t.op for t in inner.inputs if t.op.opdef in _RESHAPING]
        if len(around) != 1 or readers(inner.outputs[0]) != 1:
            return ""
        if any(t.op is not around[0] and t.shape.raw != () for t in inner.inputs):
            return ""
        first, wanted = around[0], op.outputs[0].shape.raw
        if wanted is None or first.inputs[0].shape.raw != wanted or first.control_inputs or first.device != op.device:
            return ""
        return why_it_may_fail(first) or why_it_may_fail(inner) or why_it_may_fail(op)

    def rewrite(self, make: Emitter, op: Operation, inner: Operation, readers: Readers) -> Tensor:
        make.cover([t.op for t in inner.inputs if t.op.opdef in _RESHAPING])
        operands = [t.op.inputs[0] if t.op.opdef in _RESHAPING else t for t in inner.inputs]
        return make.result(inner.opdef, *operands)
