"""`sparse_add`: the sum of two sparse tensors, or of a sparse and a dense one."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError
from ...graph.building.convert import first_tensor
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, REALS, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dtypes import int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import reported_as_call
from ..declare.reduction_decl import either
from ..declare.shape_checks import listed, merge_all, require_rank
from ..index.gathering import gather_nd
from ..move.concat_stack import concat
from ..move.reshaping import expand_dims
from .sparse_parts import (
    Numbers,
    Places,
    Sizes,
    SparseLike,
    as_sparse,
    ascends,
    check_bounds,
    check_parts,
    check_ranks,
    count_of,
    flat_places,
    is_sparse,
    rank_of_parts,
    ranks,
    shapes_of_parts,
    stable_order,
    undone_if_refused,
)  # fmt: skip

PUBLIC_NAMES = {"tf": "sparse_add", "sparse": "add=sparse_add"}

_Threshold = Annotated[TensorLike, Operand("Treal", REALS, host=True)]

# ---- two sparse tensors -------------------------------------------------------------------------


@op(
    "SparseAdd", called="sparse_add", graphdef="T=a_values Treal=thresh ->sum_indices,sum_values,sum_shape",
    out=(int64, "T", int64), host_only=True,
)  # fmt: skip
def sparse_sparse_sum(
    a_indices: Places, a_values: Numbers, a_shape: Sizes, b_indices: Places, b_values: Numbers, b_shape: Sizes,
    thresh: _Threshold, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The op behind `sparse_add` of two sparse tensors: (indices, values, dense shape)."""


@sparse_sparse_sum.shape
def sparse_sparse_sum_shape(
    a_indices: Tensor, a_values: Tensor, a_shape: Tensor, b_indices: Tensor, b_values: Tensor, b_shape: Tensor,
    thresh: Tensor,
) -> list[TensorShape]:  # fmt: skip
    rank = rank_of_parts(a_indices, a_values, a_shape)
    other = rank_of_parts(b_indices, b_values, b_shape, 3)
    return shapes_of_parts(other if rank is None else rank, "only the run knows which places have values", a_values)


@sparse_sparse_sum.kernel
def sparse_sparse_sum_kernel(
    xp: Any, a_indices: Any, a_values: Any, a_shape: Any, b_indices: Any, b_values: Any, b_shape: Any, thresh: Any
) -> Any:
    check_parts(a_indices, a_values, a_shape)
    check_parts(b_indices, b_values, b_shape)
    _check_shapes(a_shape, b_shape)
    if thresh.ndim:
        raise InvalidArgumentError(message=f"The magnitude threshold must be a scalar: got shape "
                                           f"{listed(thresh.shape)}")  # fmt: skip
    indices, values, both = merged(xp, a_indices, a_values, b_indices, b_values)
    keep = ~both | (thresh <= np.abs(values))  # a value of one operand alone stays, however small
    return (indices if keep.all() else indices.compress(keep, 0)), values[keep], np.array(a_shape)


def _check_shapes(a_shape: Any, b_shape: Any) -> None:
    if len(a_shape) != len(b_shape):
        raise InvalidArgumentError(message="Ranks of input tensors must match, but saw ranks: "
                                           f"{len(a_shape)} and {len(b_shape)}")  # fmt: skip
    for i, (one, other) in enumerate(zip(a_shape, b_shape, strict=True)):
        if one != other:
            raise InvalidArgumentError(message="Input shapes must match: got "
                                               f"{int(one)} and {int(other)} for dimension {i}")  # fmt: skip


def merged(xp: Any, a_indices: Any, a_values: Any, b_indices: Any, b_values: Any) -> tuple[Any, Any, Any]:
    """The rows of both in one order, their values, added at a place that both have, and which places these are."""
    keys = ranks(a_indices, b_indices, xp=xp)
    ours, theirs = keys[: len(a_indices)], keys[len(a_indices) :]
    if not (ascends(ours) and ascends(theirs)):
        return _merged_as_they_come(ours, a_indices, a_values, theirs, b_indices, b_values)
    order = np.argsort(keys, kind="stable")  # it merges the two: 40,000 keys take 0.07 ms
    ordered = keys.take(order, out=xp.empty(len(keys), np.int64), mode="clip")
    is_second = np.zeros(len(keys), bool)
    is_second[1:] = ordered[1:] == ordered[:-1]
    second = order[is_second]
    first = order if not len(second) else order.compress(~is_second, out=ordered[: len(keys) - len(second)])
    rows, both = (_joined(xp, *pair) for pair in ((a_indices, b_indices), (a_values, b_values)))
    indices = rows.take(first, 0, out=xp.empty((len(first), rows.shape[1]), np.int64), mode="clip")
    values = both.take(first, out=xp.empty(len(first), both.dtype), mode="clip")
    is_of_both = np.zeros(len(first), bool)
    common = np.flatnonzero(is_second) - np.arange(1, len(second) + 1)
    values[common] = values[common] + both[second]
    is_of_both[common] = True
    return indices, values, is_of_both


def _joined(xp: Any, a: Any, b: Any) -> Any:
    return np.concatenate([a, b], out=xp.empty((len(a) + len(b), *a.shape[1:]), a.dtype))


def _merged_as_they_come(
    ours: Any, a_indices: Any, a_values: Any, theirs: Any, b_indices: Any, b_values: Any
) -> tuple[Any, Any, Any]:
    """The merge of two lists that are not in order: what merging from the front gives, as TensorFlow does it."""
    i = j = 0
    rows, values, is_of_both = [], [], []
    while i < len(ours) or j < len(theirs):
        take_a = j >= len(theirs) or (i < len(ours) and ours[i] <= theirs[j])
        take_b = i >= len(ours) or (j < len(theirs) and theirs[j] <= ours[i])
        rows.append(a_indices[i] if take_a else b_indices[j])
        values.append(a_values[i] + b_values[j] if take_a and take_b else a_values[i] if take_a else b_values[j])
        is_of_both.append(take_a and take_b)
        i, j = i + take_a, j + take_b
    indices = np.array(rows, np.int64).reshape(len(rows), a_indices.shape[1])
    return indices, np.array(values, a_values.dtype), np.array(is_of_both, bool)


@sparse_sparse_sum.gradient("a_values, b_values: g at their places")
def sparse_sparse_sum_gradient(ops: Any, op: Operation, _: Any, g: Tensor | None, __: Any) -> list[Any]:
    if g is None:
        return [None] * 7
    a_indices, b_indices = op.inputs[0], op.inputs[3]
    of_a, of_b = sparse_sum_gradient(g, a_indices, b_indices, op.outputs[0])
    return [None, of_a, None, None, of_b, None, None]


@sparse_sparse_sum.samples
def sparse_sparse_sum_samples(rng: np.random.Generator) -> Samples:
    shape = np.array([2, 3], "i8")
    for dtype in ("f4", "f8", "i4"):
        yield sample(np.array([[0, 1], [1, 2]], "i8"), np.array([1, 2], dtype), shape,
                     np.array([[0, 0], [1, 2]], "i8"), np.array([3, 4], dtype), shape, np.array(0, dtype))  # fmt: skip
    yield sample(np.zeros((0, 2), "i8"), np.zeros(0, "f4"), shape, np.array([[0, 0]], "i8"), np.array([3], "f4"),
                 shape, np.array(0.5, "f4"))  # fmt: skip


# ---- its gradient -------------------------------------------------------------------------------


@op(
    "SparseAddGrad", graphdef="T=backprop_val_grad ->a_val_grad,b_val_grad", out=("T", "T"), host_only=True,
    ranks={"backprop_val_grad": 1},
)  # fmt: skip
def sparse_sum_gradient(
    backprop_val_grad: Numbers, a_indices: Places, b_indices: Places, sum_indices: Places, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The gradients of `sparse_add` by the values of both operands: those of the sum at their places, else 0."""


@sparse_sum_gradient.shape
def sparse_sum_gradient_shape(
    backprop_val_grad: Tensor, a_indices: Tensor, b_indices: Tensor, sum_indices: Tensor
) -> list[TensorShape]:
    for place, each in enumerate((a_indices, b_indices, sum_indices), 1):
        require_rank(each, 2, place)
    return [shape_of((count_of(each),)) for each in (a_indices, b_indices)]


@sparse_sum_gradient.kernel
def sparse_sum_gradient_kernel(
    xp: Any, backprop_val_grad: Any, a_indices: Any, b_indices: Any, sum_indices: Any
) -> Any:
    check_gradient_parts(backprop_val_grad, a_indices, b_indices, sum_indices)
    keys = ranks(a_indices, b_indices, sum_indices, xp=xp)
    first, second = len(a_indices), len(a_indices) + len(b_indices)
    of_sum = keys[second:]
    order, g = stable_order(of_sum), backprop_val_grad
    of_sum, g = (of_sum, g) if order is None else (of_sum[order], g[order])
    return tuple(_picked(each, of_sum, g) for each in (keys[:first], keys[first:second]))


def check_gradient_parts(backprop_val_grad: Any, *indices: Any) -> None:
    """InvalidArgumentError unless the matrices have equally many columns, and the last of them a row for each value."""
    check_ranks(backprop_val_grad=(backprop_val_grad, 1))
    for each in indices:
        check_ranks(indices=(each, 2))
    columns = sorted({each.shape[1] for each in indices})
    if len(columns) > 1:
        raise InvalidArgumentError(message=f"Operands' should have the same ndims but have: {listed(columns)}")
    if len(indices[-1]) != len(backprop_val_grad):
        raise InvalidArgumentError(message="The length of backprop_val_grad should match the number of rows of the "
                                           f"indices: {len(backprop_val_grad)} vs. {len(indices[-1])}")  # fmt: skip


def _picked(keys: Any, of_sum: Any, g: Any) -> Any:
    """The elements of g, whose keys `of_sum` are in order, that have the given keys; 0 where there is none."""
    out = np.zeros(len(keys), g.dtype)
    if len(of_sum):
        places = np.minimum(np.searchsorted(of_sum, keys), len(of_sum) - 1)
        is_there = of_sum[places] == keys
        out[is_there] = g[places[is_there]]
    return out


@sparse_sum_gradient.gradient("g of both at the places of the sum")
def sparse_sum_second_gradient(ops: Any, op: Operation, g_a: Tensor | None, g_b: Tensor | None) -> list[Any]:
    _, a_indices, b_indices, sum_indices = op.inputs

    def of_g() -> Tensor:
        parts = [
            sparse_sum_gradient(each, sum_indices, sum_indices, rows)[0]
            for each, rows in ((g_a, a_indices), (g_b, b_indices))
            if each is not None
        ]
        total: Tensor = parts[0] if len(parts) == 1 else parts[0] + parts[1]
        return total

    return [of_g, None, None, None]


@sparse_sum_gradient.samples
def sparse_sum_gradient_samples(rng: np.random.Generator) -> Samples:
    a, b = np.array([[0, 1], [1, 2]], "i8"), np.array([[0, 0], [1, 2]], "i8")
    both = np.array([[0, 0], [0, 1], [1, 2]], "i8")
    for dtype in ("f4", "f8"):
        yield sample(np.array([1, 2, 3], dtype), a, b, both)
    none = np.zeros((0, 2), "i8")
    yield sample(np.zeros(0, "f4"), none, b, none)


# ---- a sparse and a dense tensor ----------------------------------------------------------------

_Rows = Annotated[TensorLike, Operand("Tindices", INT32_64, prefer=int64)]
_Shape = Annotated[TensorLike, Operand("Tindices", INT32_64, host=True, prefer=int64)]


@op("SparseTensorDenseAdd", graphdef="T=a_values Tindices=a_indices", host_only=True)
def sparse_dense_sum(
    a_indices: _Rows, a_values: Numbers, a_shape: _Shape, b: Numbers, name: str | None = None
) -> Tensor:
    """The op behind `sparse_add` of a sparse and a dense tensor."""


@sparse_dense_sum.shape
def sparse_dense_sum_shape(a_indices: Tensor, a_values: Tensor, a_shape: Tensor, b: Tensor) -> TensorShape:
    rank_of_parts(a_indices, a_values, a_shape)
    return merge_all([b.shape])


@sparse_dense_sum.kernel
def sparse_dense_sum_kernel(xp: Any, a_indices: Any, a_values: Any, a_shape: Any, b: Any) -> Any:
    check_parts(a_indices, a_values, a_shape)
    if len(a_shape) != b.ndim:
        raise InvalidArgumentError(message="Two operands have different ranks: "
                                           f"{len(a_shape)} and {b.ndim}")  # fmt: skip
    for i, (one, other) in enumerate(zip(a_shape, b.shape, strict=True)):
        if one != other:
            raise InvalidArgumentError(message=f"Dimension {i} does not equal (no broadcasting is supported): sparse "
                                               f"side {int(one)} vs dense side {other}")  # fmt: skip
    check_bounds(a_indices, a_shape)
    out = np.array(b, order="C")
    places = flat_places(a_indices, b.shape)
    flat = out.reshape(-1)
    if len(places) and not ascends(places):  # of equal places each is added
        distinct = np.unique(places)
        if len(distinct) < len(places):
            np.add.at(flat, places, a_values)
            return out
    flat[places] += a_values
    return out


def elements_at(dense: Tensor, places: Tensor) -> Tensor:
    """The elements of a dense tensor at the rows of `places`, which have no columns where it is a scalar."""
    if dense.shape.ndims is not None and dense.shape.ndims > 0:
        return gather_nd(dense, places)
    first = zeros([shape_op(places)[0], 1], places.dtype)
    return gather_nd(expand_dims(dense, 0), concat(1, [first, places]))


@sparse_dense_sum.gradient("a_values: g at their places; b: g")
def sparse_dense_sum_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [None, lambda: elements_at(g, op.inputs[0]), None, g]


@sparse_dense_sum.samples
def sparse_dense_sum_samples(rng: np.random.Generator) -> Samples:
    shape = np.array([2, 3], "i8")
    for dtype in ("f4", "f8", "i4"):
        yield sample(np.array([[0, 1], [1, 2]], "i8"), np.array([1, 2], dtype), shape, np.ones((2, 3), dtype))
    yield sample(np.zeros((0, 2), "i8"), np.zeros(0, "f4"), shape, np.ones((2, 3), "f4"))


@reported_as_call()
@undone_if_refused
def sparse_add(
    a: SparseLike | TensorLike, b: SparseLike | TensorLike, threshold: TensorLike | None = None,
    thresh: TensorLike | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The sum of two tensors, of which at least one is sparse.

    Args:
        a: a `SparseTensor`, or a dense tensor.
        b: a `SparseTensor` or a dense tensor of the same shape and dtype.
        threshold: of two sparse tensors: where both have a value and the magnitude of the sum is smaller, it is left
            out; by default 0.
        thresh: the same under its older name.

    Returns:
        A `SparseTensor` if both are sparse, else a dense tensor.

    Raises:
        TypeError: neither is sparse, or the dtypes differ.
        ValueError: both `threshold` and `thresh` are given, or known ranks do not fit.
        InvalidArgumentError (when run): the shapes differ, or an index is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a = tf.SparseTensor([[0, 1]], [5.0], [2, 2])
    ...     b = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
    ...     print(session.run(tf.sparse_add(a, b)).values, session.run(tf.sparse_add(a, tf.ones([2, 2]))).tolist())
    [6. 2.] [[1.0, 6.0], [1.0, 1.0]]

    Source: TensorFlow 1.15, `tf.sparse_add`.
    """
    least = either("threshold", threshold, "thresh", thresh)
    if not (is_sparse(a) or is_sparse(b)):
        raise DTypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if is_sparse(a) and is_sparse(b):
        s, t = as_sparse(a, "a"), as_sparse(b, "b")
        real = s.dtype.real_dtype if s.dtype.is_complex else s.dtype
        limit = convert_to_tensor(0 if least is None else least, None if first_tensor(least) is not None else real)
        parts = sparse_sparse_sum(
            s.indices, s.values, s.dense_shape, t.indices, t.values, t.dense_shape, limit, name=name
        )
        return SparseTensor(*parts)
    sparse, dense = (as_sparse(a, "a"), b) if is_sparse(a) else (as_sparse(b, "b"), a)
    return sparse_dense_sum(sparse.indices, sparse.values, sparse.dense_shape, dense, name=name)  # type: ignore[arg-type]  # the other one is dense
