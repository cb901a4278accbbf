"""Products of matrices and Einstein sums."""

from __future__ import annotations

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import float32, float64, int64
from ..onnx_errors import UnsupportedOnnx
from ..onnx_node import OnnxNode
from .elementwise_reads import tensors_to
from .onnx_row import OnnxOp
from .values import as_dtype, constant, rank_of, scalar, sizes, where


def multiplied(a: Tensor, b: Tensor) -> Tensor:
    """NumPy's matmul: vectors stand for a row on the left and a column on the right."""
    if rank_of(a) >= 2 and rank_of(b) >= 2:
        return ops.matmul(a, b)
    left = ops.expand_dims(a, 0) if rank_of(a) == 1 else a
    right = ops.expand_dims(b, 1) if rank_of(b) == 1 else b
    found = ops.matmul(left, right)
    drop = ([-2] if rank_of(a) == 1 else []) + ([-1] if rank_of(b) == 1 else [])
    return ops.squeeze(found, [axis % rank_of(found) for axis in drop])


def _gemm(n: OnnxNode) -> Tensor:
    """alpha A B + beta C."""
    a, b = n.tensor(0), n.tensor(1)
    alpha, beta = n.float("alpha", 1.0), n.float("beta", 1.0)
    found = ops.matmul(a, b, bool(n.int("transA", 0)), bool(n.int("transB", 0)))
    if alpha != 1.0:
        found = found * scalar(found, alpha)
    c = n.optional(2)
    if c is None or beta == 0.0:
        return found
    return found + (c if beta == 1.0 else c * scalar(c, beta))


def _einsum(n: OnnxNode) -> Tensor:
    tensors = n.tensors()
    dtype = tensors[0].dtype
    wide = [as_dtype(t, float32) if dtype.size == 2 else t for t in tensors]
    equation = n.text("equation").replace(" ", "")
    if any(not t.dtype.is_floating for t in wide):
        wide = [ops.cast(t, float64) for t in wide]
    return as_dtype(ops.einsum(equation, *wide), dtype)


def _det(n: OnnxNode) -> Tensor:
    """Elimination with the largest pivot, column by column."""
    x = n.tensor(0)
    size = sizes(x)[-1]
    if not isinstance(size, int) or size > 64:
        raise UnsupportedOnnx("it is of matrices whose size is not known before a run, or is above 64")
    rest = x
    product = None
    for left in range(size, 0, -1):
        place = ops.argmax(ops.abs(rest[..., :, 0]), rank_of(x) - 2)
        line = ops.range(constant(0), constant(left))
        is_pivot = ops.equal(line, ops.expand_dims(ops.cast(place, int64), -1))
        row = ops.reduce_sum(where(ops.expand_dims(is_pivot, -1), rest, ops.zeros_like(rest)), -2, True)
        pivot = row[..., 0, 0]
        sign = where(ops.equal(place, ops.zeros_like(place)), scalar(pivot, 1), scalar(pivot, -1))
        product = pivot * sign if product is None else product * pivot * sign
        if left == 1:
            break
        # Row 0 takes the pivot's place; the rows below are what remains.
        first = rest[..., :1, :]
        swapped = where(ops.expand_dims(is_pivot, -1), first, rest)[..., 1:, :]
        safe = where(ops.equal(row[..., :1], scalar(row, 0)), scalar(row, 1), row[..., :1])
        rest = (swapped - swapped[..., :1] / safe * row)[..., 1:]
    return ops.ones_like(x[..., 0, 0]) if product is None else product


MATRICES = (
    OnnxOp("Det", _det, 11, differs="elimination is written out: matrices of at most 64 rows, known before a run"),
    OnnxOp("Einsum", _einsum, 12),
    OnnxOp("Gemm", _gemm, 6),
    OnnxOp("MatMul", tensors_to(multiplied)),
)
