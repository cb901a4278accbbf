"""Elementwise ops on sparse tensors: products and quotients with dense ones, maxima of two sparse ones, softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import FLOATS, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dtypes import int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import ones, zeros_like
from ..create.shape_size_rank import shape as shape_op
from ..create.shape_size_rank import size as size_op
from ..declare.composite import reported_as_call
from ..declare.shape_checks import listed
from ..elementwise.arithmetic import maximum
from ..elementwise.casting import cast
from ..move.concat_stack import concat
from ..move.reshaping import expand_dims
from .sparse_parts import (
    Numbers,
    Places,
    Reals,
    Sizes,
    SparseLike,
    as_sparse,
    check_bounds,
    check_parts,
    count_of,
    flat_places,
    rank_of_parts,
    shapes_of_parts,
)  # fmt: skip
from .sparse_reductions import sparse_sum_over
from .sparse_sums import elements_at, merged, sparse_dense_sum

PUBLIC_NAMES = {
    "tf": "sparse_maximum sparse_minimum sparse_softmax",
    "sparse": "maximum=sparse_maximum minimum=sparse_minimum softmax=sparse_softmax",
}

_Floats = Annotated[TensorLike, Operand("T", FLOATS)]

# ---- with a dense tensor ------------------------------------------------------------------------


@op("SparseDenseCwiseMul", graphdef="T=sp_values", host_only=True)
def sparse_dense_cwise_mul(
    sp_indices: Places, sp_values: Numbers, sp_shape: Sizes, dense: Numbers, name: str | None = None
) -> Tensor:
    """The values of a sparse tensor times those of a dense one, which broadcasts, at their places."""


@op("SparseDenseCwiseDiv", graphdef="T=sp_values", host_only=True)
def sparse_dense_cwise_div(
    sp_indices: Places, sp_values: Numbers, sp_shape: Sizes, dense: Numbers, name: str | None = None
) -> Tensor:
    """The values of a sparse tensor divided by those of a dense one, which broadcasts, at their places."""


@op("SparseDenseCwiseAdd", graphdef="T=sp_values", host_only=True)
def sparse_dense_cwise_add(
    sp_indices: Places, sp_values: Numbers, sp_shape: Sizes, dense: Numbers, name: str | None = None
) -> Tensor:
    """The values of a sparse tensor plus those of a dense one, which broadcasts, at their places."""


@sparse_dense_cwise_mul.shape
@sparse_dense_cwise_div.shape
@sparse_dense_cwise_add.shape
def sparse_dense_cwise_shape(sp_indices: Tensor, sp_values: Tensor, sp_shape: Tensor, dense: Tensor) -> TensorShape:
    rank_of_parts(sp_indices, sp_values, sp_shape)
    return shape_of((count_of(sp_values),))


def _dense_values(indices: Any, values: Any, shape: Any, dense: Any) -> Any:
    check_parts(indices, values, shape)
    sizes = [int(size) for size in shape]
    extra = len(sizes) - dense.ndim
    fits = extra >= 0 and all(d in (1, s) for d, s in zip(dense.shape, sizes[max(extra, 0) :], strict=True))
    if not fits:
        raise InvalidArgumentError(message="SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible"
                                           f" shapes: [{listed(sizes)}] vs. [{listed(dense.shape)}]")  # fmt: skip
    check_bounds(indices, shape)
    columns = [
        np.zeros(len(indices), np.int64) if size == 1 else indices[:, extra + axis]
        for axis, size in enumerate(dense.shape)
    ]
    places = np.stack(columns, 1) if columns else np.zeros((len(indices), 0), np.int64)
    return dense.reshape(-1)[flat_places(places, dense.shape)] if dense.size else np.zeros(0, dense.dtype)


@sparse_dense_cwise_mul.kernel
def sparse_dense_cwise_mul_kernel(xp: Any, indices: Any, values: Any, shape: Any, dense: Any) -> Any:
    return values * _dense_values(indices, values, shape, dense)


@sparse_dense_cwise_add.kernel
def sparse_dense_cwise_add_kernel(xp: Any, indices: Any, values: Any, shape: Any, dense: Any) -> Any:
    return values + _dense_values(indices, values, shape, dense)


@sparse_dense_cwise_div.kernel
def sparse_dense_cwise_div_kernel(xp: Any, indices: Any, values: Any, shape: Any, dense: Any) -> Any:
    divisors = _dense_values(indices, values, shape, dense)
    if values.dtype.kind not in "iu":
        return values / divisors
    if (divisors == 0).any():
        raise InvalidArgumentError(message="Integer division by zero")
    quotients = values // divisors
    has_rest = quotients * divisors != values
    return quotients + (has_rest & ((values < 0) != (divisors < 0))).astype(values.dtype)


def _places_in_dense(op: Operation) -> Tensor:
    indices, _, shape, dense = op.inputs
    sizes = cast(shape_op(dense), int64)
    extra = size_op(shape) - size_op(sizes)
    padded = concat(0, [ones(expand_dims(extra, 0), int64), sizes])
    scale = maximum(shape // maximum(padded, 1), 1)
    return (indices // expand_dims(scale, 0))[:, extra:]


def _of_dense(op: Operation, of_values: Callable[[], Tensor], places: Tensor) -> Tensor:
    dense = op.inputs[3]
    return sparse_dense_sum(places, of_values(), cast(shape_op(dense), int64), zeros_like(dense))


@sparse_dense_cwise_mul.gradient("sp_values: g * dense; dense: the sums of g * sp_values")
def sparse_dense_cwise_mul_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    values, dense = op.inputs[1], op.inputs[3]
    return [
        None, lambda: g * elements_at(dense, _places_in_dense(op)), None,
        lambda: _of_dense(op, lambda: g * values, _places_in_dense(op)),
    ]  # fmt: skip


@sparse_dense_cwise_div.gradient("sp_values: g / dense; dense: the sums of -g * sp_values / dense**2")
def sparse_dense_cwise_div_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    values, dense = op.inputs[1], op.inputs[3]

    def of_dense() -> Tensor:
        places = _places_in_dense(op)
        divisors = elements_at(dense, places)
        return _of_dense(op, lambda: g * (-values / (divisors * divisors)), places)

    return [None, lambda: g / elements_at(dense, _places_in_dense(op)), None, of_dense]


@sparse_dense_cwise_add.gradient("sp_values: g; dense: the sums of g")
def sparse_dense_cwise_add_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [None, g, None, lambda: _of_dense(op, lambda: g, _places_in_dense(op))]


def _cwise_samples(rng: np.random.Generator) -> Samples:
    places, shape = np.array([[0, 0], [0, 2], [1, 1]], "i8"), np.array([2, 3], "i8")
    for dtype in ("f4", "f8"):
        values = rng.standard_normal(3).astype(dtype)
        for dense in ((2, 3), (3,), (2, 1), ()):
            yield sample(places, values, shape, (1 + rng.random(dense)).astype(dtype))
    yield sample(np.zeros((0, 2), "i8"), np.zeros(0, "f4"), shape, np.ones((2, 3), "f4"))


sparse_dense_cwise_mul.samples(_cwise_samples)
sparse_dense_cwise_div.samples(_cwise_samples)
sparse_dense_cwise_add.samples(_cwise_samples)


def multiplied(s: SparseTensor, dense: Any, name: str | None = None) -> SparseTensor:
    """`s * dense`."""
    values = sparse_dense_cwise_mul(s.indices, s.values, s.dense_shape, _dense(s, dense), name=name)
    return SparseTensor(s.indices, values, s.dense_shape)


def divided(s: SparseTensor, dense: Any, name: str | None = None) -> SparseTensor:
    """`s / dense`; ints become floats first, as in the quotient of dense tensors."""
    values, divisors = s.values, _dense(s, dense)
    if s.dtype.is_integer:
        wide = "float32" if s.dtype.size <= 2 else "float64"
        values, divisors = cast(values, wide), cast(divisors, wide)
    quotients = sparse_dense_cwise_div(s.indices, values, s.dense_shape, divisors, name=name)
    return SparseTensor(s.indices, quotients, s.dense_shape)


def _dense(s: SparseTensor, dense: Any) -> Tensor:
    return convert_to_tensor(dense, None if isinstance(dense, Tensor) else s.dtype)


# ---- two sparse tensors -------------------------------------------------------------------------


@op(
    "SparseSparseMaximum", called="sparse_maximum", graphdef="T=a_values ->output_indices,output_values",
    out=(int64, "T"), host_only=True,
)  # fmt: skip
def sparse_sparse_maximum(
    a_indices: Places, a_values: Reals, a_shape: Sizes, b_indices: Places, b_values: Reals, b_shape: Sizes,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The op behind `sparse_maximum`: (indices, values)."""


@op(
    "SparseSparseMinimum", called="sparse_minimum", graphdef="T=a_values ->output_indices,output_values",
    out=(int64, "T"), host_only=True,
)  # fmt: skip
def sparse_sparse_minimum(
    a_indices: Places, a_values: Reals, a_shape: Sizes, b_indices: Places, b_values: Reals, b_shape: Sizes,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The op behind `sparse_minimum`: (indices, values)."""


@sparse_sparse_maximum.shape
@sparse_sparse_minimum.shape
def sparse_sparse_shape(
    a_indices: Tensor, a_values: Tensor, a_shape: Tensor, b_indices: Tensor, b_values: Tensor, b_shape: Tensor
) -> list[TensorShape]:
    rank = rank_of_parts(a_indices, a_values, a_shape)
    other = rank_of_parts(b_indices, b_values, b_shape, 3)
    reason = "only the run knows which places have values"
    return shapes_of_parts(other if rank is None else rank, reason, a_values)[:2]


def _combined(
    xp: Any, function: Any, a_indices: Any, a_values: Any, a_shape: Any, b_indices: Any, b_values: Any, b_shape: Any
) -> tuple[Any, Any]:
    check_parts(a_indices, a_values, a_shape)
    check_parts(b_indices, b_values, b_shape)
    if a_shape.shape != b_shape.shape or (a_shape != b_shape).any():
        raise InvalidArgumentError(message="Operands' shapes do not match: "
                                           f"{listed(a_shape.tolist())} and {listed(b_shape.tolist())}")  # fmt: skip
    check_bounds(a_indices, a_shape)
    check_bounds(b_indices, b_shape)
    # Of both, the values of each and zeros where it has none.
    indices, of_a, _ = merged(xp, a_indices, a_values, b_indices, np.zeros_like(b_values))
    _, of_b, _ = merged(xp, a_indices, np.zeros_like(a_values), b_indices, b_values)
    return indices, function(of_a, of_b)


@sparse_sparse_maximum.kernel
def sparse_maximum_kernel(xp: Any, *parts: Any) -> Any:
    return _combined(xp, np.maximum, *parts)


@sparse_sparse_minimum.kernel
def sparse_minimum_kernel(xp: Any, *parts: Any) -> Any:
    return _combined(xp, np.minimum, *parts)


sparse_sparse_maximum.no_gradient("as in TensorFlow, it has none")
sparse_sparse_minimum.no_gradient("as in TensorFlow, it has none")


def _pair_samples(rng: np.random.Generator) -> Samples:
    shape = np.array([2, 3], "i8")
    for dtype in ("f4", "i4"):
        yield sample(np.array([[0, 1], [1, 2]], "i8"), np.array([1, -2], dtype), shape,
                     np.array([[0, 0], [1, 2]], "i8"), np.array([3, 4], dtype), shape)  # fmt: skip
    none = np.zeros((0, 2), "i8")
    yield sample(none, np.zeros(0, "f4"), shape, none, np.zeros(0, "f4"), shape)


sparse_sparse_maximum.samples(_pair_samples)
sparse_sparse_minimum.samples(_pair_samples)


@reported_as_call(one_op=True)
def sparse_maximum(sp_a: SparseLike, sp_b: SparseLike, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors at each place that one of them has; a missing value counts as 0.

    Args:
        sp_a: a `SparseTensor` of real numbers.
        sp_b: another one of the same shape and dtype.

    Returns:
        A `SparseTensor` with the dense shape and dtype of the operands.

    Raises:
        TypeError: an argument is no sparse tensor, or the dtypes differ.
        InvalidArgumentError (when run): the shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a, b = tf.SparseTensor([[0]], [-1.0], [7]), tf.SparseTensor([[1]], [1.0], [7])
    ...     print(session.run(tf.sparse_maximum(a, b)).values)
    [0. 1.]

    Source: TensorFlow 1.15, `tf.sparse_maximum`.
    """
    s, t = as_sparse(sp_a, "sp_a"), as_sparse(sp_b, "sp_b")
    parts = sparse_sparse_maximum(s.indices, s.values, s.dense_shape, t.indices, t.values, t.dense_shape, name=name)
    return SparseTensor(*parts, s.dense_shape)


@reported_as_call(one_op=True)
@documented_like(sparse_maximum)
def sparse_minimum(sp_a: SparseLike, sp_b: SparseLike, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors at each place that one of them has; a missing value counts as 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a, b = tf.SparseTensor([[0]], [-1.0], [7]), tf.SparseTensor([[1]], [1.0], [7])
    ...     print(session.run(tf.sparse_minimum(a, b)).values)
    [-1.  0.]
    """
    s, t = as_sparse(sp_a, "sp_a"), as_sparse(sp_b, "sp_b")
    parts = sparse_sparse_minimum(s.indices, s.values, s.dense_shape, t.indices, t.values, t.dense_shape, name=name)
    return SparseTensor(*parts, s.dense_shape)


# ---- softmax ------------------------------------------------------------------------------------


@op("SparseSoftmax", graphdef="T=sp_values", host_only=True)
def sparse_softmax_op(
    sp_indices: Places, sp_values: _Floats, sp_shape: Sizes, name: str | None = None
) -> Tensor:
    """The op behind `sparse_softmax`: the new values."""


sparse_softmax_op.result_names = ("SparseSoftmax",)


@sparse_softmax_op.shape
def sparse_softmax_shape(sp_indices: Tensor, sp_values: Tensor, sp_shape: Tensor) -> TensorShape:
    rank_of_parts(sp_indices, sp_values, sp_shape)
    return shape_of((count_of(sp_values),))


@sparse_softmax_op.kernel
def sparse_softmax_kernel(xp: Any, indices: Any, values: Any, shape: Any) -> Any:
    check_parts(indices, values, shape)
    if len(shape) < 2:
        raise InvalidArgumentError(message=f"Input should be a SparseTensor of rank >= 2, not {len(shape)}")
    if not len(values):
        return values.copy()
    check_bounds(indices, shape)
    rows = indices[:, :-1]
    starts = np.flatnonzero(np.concatenate([[True], (rows[1:] != rows[:-1]).any(1)]))
    counts = np.diff(np.concatenate([starts, [len(values)]]))
    wide = values.astype(np.float32) if values.dtype.itemsize == 2 else values
    powers = np.exp(wide - np.repeat(np.maximum.reduceat(wide, starts), counts))
    return (powers / np.repeat(np.add.reduceat(powers, starts), counts)).astype(values.dtype, copy=False)


@sparse_softmax_op.gradient("sp_values: (g - the sum of g * softmax in the row) * softmax")
def sparse_softmax_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    indices, _, shape = op.inputs
    softmax = op.outputs[0]

    def of_values() -> Tensor:
        products = sparse_sum_over(indices, g * softmax, shape, [-1], True)
        return sparse_dense_cwise_add(indices, g, shape, -products) * softmax

    return [None, of_values, None]


@sparse_softmax_op.samples
def sparse_softmax_samples(rng: np.random.Generator) -> Samples:
    places, shape = np.array([[0, 0], [0, 2], [1, 1]], "i8"), np.array([2, 3], "i8")
    for dtype in ("f4", "f8"):
        yield sample(places, rng.standard_normal(3).astype(dtype), shape)
    yield sample(np.zeros((0, 2), "i8"), np.zeros(0, "f4"), shape)


@reported_as_call(one_op=True)
def sparse_softmax(sp_input: SparseLike, name: str | None = None) -> SparseTensor:
    """The softmax of the values that each row, along the last dimension, has; missing values take no part.

    Args:
        sp_input: a `SparseTensor` of floats of rank 2 or higher, its values in order.

    Returns:
        A `SparseTensor` of the same indices, shape and dtype.

    Raises:
        TypeError: `sp_input` is no sparse tensor of floats.
        InvalidArgumentError (when run): the rank is less than 2, or an index is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 1.0, 5.0], [2, 3])
    ...     print(session.run(tf.sparse_softmax(s)).values)
    [0.5 0.5 1. ]

    Source: TensorFlow 1.15, `tf.sparse_softmax`.
    """
    s = as_sparse(sp_input)
    return SparseTensor(s.indices, sparse_softmax_op(s.indices, s.values, s.dense_shape, name=name), s.dense_shape)

