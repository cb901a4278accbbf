"""Reductions and what finds the largest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import bool_, int64
from ..onnx_node import OnnxNode
from .onnx_row import OnnxOp
from .values import as_dtype, axis_of, constant, gather_elements, rank_of, sizes, to_last


def _axes(n: OnnxNode, since_input: int) -> tuple[Any, bool]:
    """The axes: ints, a tensor of the run, or None for all of them; and whether nothing is reduced."""
    if n.opset >= since_input:
        if n.has(1):
            given = n.tensor(1)
            if given.shape.raw == (0,):
                return None, bool(n.int("noop_with_empty_axes", 0))
            return given, False
        return None, bool(n.int("noop_with_empty_axes", 0))
    return n.ints("axes", None) or None, False


def _reduce(function: Callable[[Tensor, Any, bool], Tensor], since_input: int = 18) -> Callable[[OnnxNode], Any]:
    def read(n: OnnxNode) -> Tensor:
        x = n.tensor(0)
        axes, nothing = _axes(n, since_input)
        if nothing:
            axes = constant([])
        return function(x, axes, bool(n.int("keepdims", 1)))

    return read


def _extreme(function: Any, of_bool: Any) -> Callable[[Tensor, Any, bool], Tensor]:
    return lambda x, axes, keep: (of_bool if x.dtype is bool_ else function)(x, axes, keep)


def _l1(x: Tensor, axes: Any, keep: bool) -> Tensor:
    return ops.reduce_sum(x if x.dtype.is_unsigned else ops.abs(x), axes, keep)


def _l2(x: Tensor, axes: Any, keep: bool) -> Tensor:
    if not x.dtype.is_floating:
        wide = ops.to_double(x)
        return ops.cast(ops.sqrt(ops.reduce_sum(wide * wide, axes, keep)), x.dtype)
    return ops.sqrt(ops.reduce_sum(x * x, axes, keep))


def _log_sum(x: Tensor, axes: Any, keep: bool) -> Tensor:
    if not x.dtype.is_floating:
        return ops.cast(_log_sum(ops.to_double(x), axes, keep), x.dtype)
    return ops.log(ops.reduce_sum(x, axes, keep))


def _log_sum_exp(x: Tensor, axes: Any, keep: bool) -> Tensor:
    if not x.dtype.is_floating:
        return ops.cast(_log_sum_exp(ops.to_double(x), axes, keep), x.dtype)
    return ops.reduce_logsumexp(x, axes, keep)


def _sum_square(x: Tensor, axes: Any, keep: bool) -> Tensor:
    return ops.reduce_sum(x * x, axes, keep)


def _arg(function: Any) -> Callable[[OnnxNode], Any]:
    def read(n: OnnxNode) -> Tensor:
        x = n.tensor(0)
        axis = axis_of(n.int("axis", 0), rank_of(x))
        rest = [size for i, size in enumerate(x.shape.raw or ()) if i != axis]
        if 0 in rest and all(isinstance(size, int) for size in rest):  # no place is asked, even along an empty axis
            if n.int("keepdims", 1):
                rest.insert(axis, 1)
            return ops.zeros(rest, int64)
        if n.int("select_last_index", 0):
            flips = [i == axis for i in range(rank_of(x))]
            found = scalar_size(x, axis) - constant(1) - function(ops.reverse(x, flips), axis)
        else:
            found = function(x, axis)
        found = as_dtype(found, int64)
        return ops.expand_dims(found, axis) if n.int("keepdims", 1) else found

    return read


def scalar_size(x: Tensor, axis: int) -> Tensor:
    """The size of one axis as a scalar int64."""
    size = sizes(x)[axis]
    return constant(size) if isinstance(size, int) else size


def _top_k(n: OnnxNode) -> list[Tensor]:
    x = n.tensor(0)
    axis = axis_of(n.int("axis", -1), rank_of(x))
    k: Any = ops.reshape(n.tensor(1), []) if n.opset >= 10 else constant(n.int("k"))
    moved, back = to_last(x, axis)
    if n.int("largest", 1):
        values, places = ops.top_k(moved, k)
    else:
        places = ops.slice(ops.argsort(moved, stable=True), constant([0] * rank_of(x)), _first(moved, k))
        values = _along_last(moved, places)
    return [_back(values, back), _back(ops.cast(places, int64), back)]


def _back(x: Tensor, order: list[int]) -> Tensor:
    return ops.transpose(x, order) if order != list(range(len(order))) else ops.identity(x)


def _first(x: Tensor, k: Tensor) -> Tensor:
    return ops.concat(0, [constant([-1] * (rank_of(x) - 1)), ops.reshape(as_dtype(k, int64), [1])])


def _along_last(x: Tensor, places: Tensor) -> Tensor:
    return gather_elements(x, places, rank_of(x) - 1)


REDUCTIONS = (
    OnnxOp("ArgMax", _arg(ops.argmax)),
    OnnxOp("ArgMin", _arg(ops.argmin)),
    OnnxOp("ReduceL1", _reduce(_l1)),
    OnnxOp("ReduceL2", _reduce(_l2)),
    OnnxOp("ReduceLogSum", _reduce(_log_sum)),
    OnnxOp("ReduceLogSumExp", _reduce(_log_sum_exp)),
    OnnxOp("ReduceMax", _reduce(_extreme(ops.reduce_max, ops.reduce_any))),
    OnnxOp("ReduceMean", _reduce(ops.reduce_mean)),
    OnnxOp("ReduceMin", _reduce(_extreme(ops.reduce_min, ops.reduce_all))),
    OnnxOp("ReduceProd", _reduce(ops.reduce_prod)),
    OnnxOp("ReduceSum", _reduce(ops.reduce_sum, 13)),
    OnnxOp("ReduceSumSquare", _reduce(_sum_square)),
    OnnxOp("TopK", _top_k),
)
