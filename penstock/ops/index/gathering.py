"""Ops that read a tensor at places that another tensor names.

gather        out[i..., :] = params[indices[i...], :]
gather_nd     out[b..., :] = params[indices[b..., 0], ..., indices[b..., K-1], :]
boolean_mask  the slices where the mask is true, in order
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_int, known_scalar
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.boxes import ResultBox
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import BOOL, INT32_64, NUMBERS, Index, Operand, T, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import TensorShape, shape_of, unknown_dims, unknown_rank
from ..declare.composite import reported_as_call
from ..declare.failure_rules import why_rows_are_missing, why_rows_may_be_missing
from ..declare.shape_checks import listed, require_rank, scalar_of
from .row_indexing import as_rows, check_range, dims_at_least, flat_index, shape_text

PUBLIC_NAMES = {"start": "boolean_mask", "start_0x": "gather", "start_0x manip": "gather_nd"}

# ---- gather -------------------------------------------------------------------------------------


@op("Gather", graphdef="Tparams=params Tindices=indices", moves=True, replayable=True, picks=True, gives_rows=True)
def gather(params: T, indices: Index, name: str | None = None) -> Tensor:
    """Slices of `params` along dimension 0: out[i..., :] = params[indices[i...], :].

    Args:
        params: any dtype, rank 1 or higher.
        indices: int16, int32 or int64, any shape, entries in [0, params.shape[0]).

    Returns:
        A tensor of shape indices.shape + params.shape[1:] with the dtype of `params`.

    Raises:
        TypeError: `indices` has another dtype.
        ValueError: `params` is a scalar.
        InvalidArgumentError (when run): an index is out of range and the slices have elements.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     params = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.gather(params, 2)))
    ...     print(session.run(tf.gather(params, [2, 0, 1])))
    ...     print(tf.gather(params, [[0, 1], [2, 2]]).shape)
    [5 6]
    [[5 6]
     [1 2]
     [3 4]]
    (2, 2, 2)

    Source: TensorFlow 0.x, Slicing and Joining.
    """


@gather.shape
def gather_shape(params: Tensor, indices: Tensor) -> TensorShape:
    rows = dims_at_least(params, 1, 0)
    if rows is None:
        return unknown_rank("the rank of params is not known", params)
    if indices.shape.raw is None:
        return unknown_rank("the rank of indices is not known", indices)
    return shape_of(indices.shape.raw + rows[1:])


@gather.kernel
def gather_kernel(xp: Any, params: Any, indices: Any) -> Any:
    if params.ndim < 1:
        raise InvalidArgumentError(message="params must be at least 1 dimensional")
    shape = indices.shape + params.shape[1:]
    if not prod(shape):
        return xp.empty(shape, params.dtype)
    if not indices.ndim and 0 <= (row := int(indices)) < len(params):
        return params[row, ...].copy()
    indices = indices.astype(np.intp)  # a copy (see `private`), and what `take` wants
    check_range("indices", indices, params.shape[0])
    return params.take(indices, axis=0)


@gather.distributes
@labelled
def gather_distributes(params: Tensor, indices: Tensor) -> Axes | None:
    rank, depth = params.shape.ndims, indices.shape.ndims
    if rank is None or depth is None:
        return None
    of_indices, rest = [f"index {axis}" for axis in range(depth)], range(1, rank)
    return [[None, *rest], of_indices], [[*of_indices, *rest]]


@gather.boxes
def gather_boxes(params: Sequence[int], indices: Sequence[int]) -> list[ResultBox]:
    return [ResultBox((slice(None),) * len(params), 0, rows=1)] if len(indices) == 1 else []


gather.fails(why_rows_may_be_missing)
gather.mistake(why_rows_are_missing)


@gather.gradient("IndexedSlices: the rows of g, at indices")
def gather_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    params, indices = op.inputs

    def rows() -> Any:
        flat = ops.reshape(indices, [-1])
        sizes = ops.shape(params)
        values = g if indices.shape.ndims == 1 else ops.reshape(g, ops.concat(0, [ops.shape(flat), sizes[1:]]))
        return ops.IndexedSlices(values, flat, sizes)

    return [rows, None]


@gather.samples
def gather_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((4, 3)).astype("f4"), np.array([2, 0], "i4"))
    yield sample(rng.random((4, 3)), np.array([[1, 1], [0, 2]], "i8"))
    yield sample(np.array([b"a", b"bc"], object), np.array(1, "i4"))
    yield sample(np.zeros((0, 3), "f4"), np.zeros((0,), "i4"))
    yield sample(np.zeros((3, 0), "i4"), np.array([1], "i2"))


# ---- gather_nd ----------------------------------------------------------------------------------


@op("GatherNd", graphdef="Tparams=params Tindices=indices", replayable=True, picks=True, gives_rows=True)
def gather_nd(params: T, indices: Index, name: str | None = None) -> Tensor:
    """Slices of `params` at index vectors: out[b..., :] = params[indices[b..., 0], ..., indices[b..., K-1], :].

    Args:
        params: any dtype, rank 1 or higher.
        indices: int16, int32 or int64, shape batch + [K] with K at most the rank of `params`. Each vector of K indices
            lies inside the first K dimensions of `params`.

    Returns:
        A tensor of shape indices.shape[:-1] + params.shape[K:] with the dtype of `params`.

    Raises:
        TypeError: `indices` has another dtype.
        ValueError: `indices` is a scalar, or K is larger than the rank of `params`.
        InvalidArgumentError (when run): an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     params = tf.constant([["a", "b"], ["c", "d"]])
    ...     print(session.run(tf.gather_nd(params, [[0, 0], [1, 1]])))
    ...     print(session.run(tf.gather_nd(params, [[1], [0]])))
    [b'a' b'd']
    [[b'c' b'd']
     [b'a' b'b']]

    Source: TensorFlow 1.x, `tf.gather_nd`.
    """


@gather_nd.shape
def gather_nd_shape(params: Tensor, indices: Tensor) -> TensorShape:
    batch = dims_at_least(indices, 1, 1)
    if batch is None:
        return unknown_rank("the rank of indices is not known", indices)
    depth, rows = batch[-1], params.shape.raw
    if rows is None:
        return unknown_rank("the rank of params is not known", params)
    if not isinstance(depth, int):
        return unknown_rank("the length of the index vectors is not known", indices)
    if depth > len(rows):
        raise ShapeError(
            f"indices.shape[-1] must be <= params.rank, but saw indices shape: {shape_text(indices.shape)} "
            f"and params shape: {shape_text(params.shape)}",
            operand=1,
            dim=-1,
        )
    return shape_of(batch[:-1] + rows[depth:])


@gather_nd.kernel
def gather_nd_kernel(xp: Any, params: Any, indices: Any) -> Any:
    check_gather_nd(params, indices)
    depth = indices.shape[-1]
    flat = flat_index(xp, indices, params.shape[:depth], f"param shape {listed(params.shape)}")
    shape = indices.shape[:-1] + params.shape[depth:]
    return as_rows(params, depth).take(flat, axis=0).reshape(shape) if prod(shape) else xp.empty(shape, params.dtype)


def check_gather_nd(params: Any, indices: Any) -> None:
    """InvalidArgumentError where the shapes do not fit."""
    if params.ndim < 1:
        raise InvalidArgumentError(message="params must be at least a vector")
    if indices.ndim < 1:
        raise InvalidArgumentError(message="indices must be at least a vector")
    depth = indices.shape[-1]
    if depth > params.ndim:
        raise InvalidArgumentError(
            message=f"index innermost dimension length must be <= params rank; saw: {depth} vs. {params.ndim}"
        )
    if params.size == 0 and prod(indices.shape[:-1]) > 0:
        raise InvalidArgumentError(
            message=f"Requested more than 0 entries, but params is empty.  Params shape: {listed(params.shape)}"
        )


@gather_nd.distributes
@labelled
def gather_nd_distributes(params: Tensor, indices: Tensor) -> Axes | None:
    rank, vectors = params.shape.ndims, indices.shape.raw
    if rank is None or vectors is None or not isinstance(vectors[-1], int):
        return None
    batch = range(len(vectors) - 1)
    return [None, [*batch, None]], [[*batch, *[None] * (rank - vectors[-1])]]


@gather_nd.gradient("scatter_nd(indices, g, shape(params)); IndexedSlices where indices name rows")
def gather_nd_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    params, indices = op.inputs

    def build() -> Any:
        if indices.shape.ndims == 2 and indices.shape[-1].value == 1:
            return ops.IndexedSlices(g, ops.squeeze(indices, [-1]), ops.shape(params))
        return ops.scattered(indices, g, params)

    return [build, None]


@gather_nd.samples
def gather_nd_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((4, 3)).astype("f4"), np.array([[2, 0], [3, 1]], "i4"))
    yield sample(rng.random((4, 3, 2)), np.array([[[1, 1]], [[0, 2]]], "i8"))
    yield sample(np.array([b"a", b"bc"], object), np.array([[1], [1]], "i4"))
    yield sample(np.zeros((0, 3), "i4"), np.zeros((0, 1), "i4"))
    yield sample(np.array([1, 2], "i4"), np.zeros((3, 0), "i4"))


# ---- boolean_mask -------------------------------------------------------------------------------

_Mask = Annotated[TensorLike, Operand(None, BOOL | NUMBERS)]
_Axis = Annotated[TensorLike | None, Operand(None, INT32_64, host=True, prefer=int32, optional=True)]


@reported_as_call()
def boolean_mask(
    tensor: TensorLike, mask: TensorLike, name: str = "boolean_mask", axis: TensorLike | None = None
) -> Tensor:
    """The slices of `tensor` where `mask` is True, in the row-major order of the mask.

    Args:
        tensor: any dtype.
        mask: bool, or numbers of which all but 0 count as True; of known rank k >= 1 and of shape
            tensor.shape[axis:axis+k]. A vector that is shorter in a run leaves out the slices after its end.
        axis: the first of the k dimensions, an int scalar; a negative one counts from the end. The default is 0.

    Returns:
        A tensor of shape tensor.shape[:axis] + [number of True] + tensor.shape[axis+k:] with the dtype of `tensor`.

    Raises:
        TypeError: `mask` is string, or `axis` is not int.
        ValueError: the mask is a scalar, its rank is not known, or its shape does not fit.
        InvalidArgumentError (when run): the shape of the mask does not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.boolean_mask([0, 1, 2, 3], [True, False, True, False])))
    ...     print(session.run(tf.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True])))
    ...     print(session.run(tf.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False], axis=1)))
    [0 2]
    [[1 2]
     [5 6]]
    [[1]
     [3]
     [5]]

    Source: TensorFlow 1.x, `tf.boolean_mask`.
    """
    return masked(tensor, mask, axis, name)


@op("BooleanMask", called="boolean_mask", moves=True, picks=True)
def masked(tensor: T, mask: _Mask, axis: _Axis = None, name: str | None = "boolean_mask") -> Tensor:
    """The slices of tensor where mask is true, in their order."""


masked.result_names = ("GatherV2", "Gather")


@masked.shape
def masked_shape(tensor: Tensor, mask: Tensor, axis: Tensor | None) -> TensorShape:
    true = mask.shape.raw
    if true is None:
        raise ValueRuleError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  "
            "E.g. shape=[None] is ok, but shape=None is not.",
            operand=1,
            cure="Give the mask a rank with mask.set_shape.",
        )
    if axis is not None:
        require_rank(axis, 0, 2)
    if not true:
        raise ValueRuleError("mask cannot be scalar.", operand=1, cure="tf.where(mask, x, y) selects by a scalar.")
    dims = tensor.shape.raw
    if dims is None:
        return unknown_rank("the rank of tensor is not known", tensor)
    at = 0 if axis is None else known_int(axis)
    if at is None:
        if len(true) > len(dims):
            raise _incompatible(tensor.shape, mask)
        return unknown_dims(len(dims) - len(true) + 1, "the axis is not known before the run", axis)
    at += len(dims) if at < 0 else 0
    covered = shape_of(dims[at : at + len(true)] if at >= 0 else ())
    if len(covered) != len(true) or not covered.is_compatible_with(mask.shape):
        raise _incompatible(covered, mask)
    count = unknown("only the run knows how many entries of the mask are true", mask)
    return shape_of((*dims[:at], count, *dims[at + len(true) :]))


def _incompatible(covered: TensorShape, mask: Tensor) -> ShapeError:
    cure = "The mask must have the shape of those dimensions of tensor that it covers, counted from axis."
    return ShapeError(f"Shapes {covered} and {mask.shape} are incompatible", operand=1, cure=cure)


def _axes_masked(tensor: Tensor, mask: Tensor, axis: Tensor | None) -> Axes | None:
    rank, depth, at = tensor.shape.ndims, mask.shape.ndims, 0 if axis is None else known_int(axis)
    if rank is None or depth is None or at is None:
        return None
    at %= rank
    # Only along the first axis of the mask the parts of what is chosen are parts of the result.
    covered = ["mask", *[None] * (depth - 1)]
    before, after = range(at), range(at + depth, rank)
    return [[*before, *covered, *after], covered], [[*before, "mask", *after]]


masked.distributes(labelled(_axes_masked))


@masked.kernel
def masked_kernel(xp: Any, tensor: Any, mask: Any, axis: Any) -> Any:
    at = 0 if axis is None else scalar_of(axis, "axis")
    at += tensor.ndim if at < 0 else 0
    covered = tensor.shape[at : at + mask.ndim] if at >= 0 else ()
    if len(covered) != mask.ndim or (mask.ndim > 1 and covered != mask.shape):
        raise InvalidArgumentError(
            message=f"Shapes {listed(covered)} and {listed(mask.shape)} are incompatible: the mask must have the shape "
            f"of the dimensions that it covers, here from axis {at} of {listed(tensor.shape)}"
        )
    chosen = xp.flatnonzero(mask.astype(bool))  # a copy, see `private`; bools are searched ten times as fast
    check_range("indices", chosen, prod(covered))
    before, after = tensor.shape[:at], tensor.shape[at + mask.ndim :]
    shape = (*before, len(chosen), *after)
    if prod(shape) == 0:
        return xp.empty(shape, tensor.dtype)
    return tensor.reshape((*before, prod(covered), *after)).take(chosen, axis=at)


@masked.gradient("g at the places where mask is True, else 0")
def masked_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    tensor, mask, axis = op.args

    def build() -> Tensor:
        if axis is None or known_scalar(axis) == 0:
            return ops.scattered(ops.where(mask), g, tensor)
        # The dimensions of the mask come to the front, where the kept elements are scattered, and go back.
        rank, width = ops.rank(tensor), ops.rank(mask)
        at = ops.mod(ops.cast(axis, "int32") + rank, rank)
        order = ops.concat(0, [ops.range(at, at + width), ops.range(0, at), ops.range(at + width, rank)])
        of_result = ops.concat(0, [[at], ops.range(0, at), ops.range(at + 1, rank - width + 1)])
        sizes = ops.cast(ops.gather(ops.shape(tensor), order), "int64")
        placed = ops.scatter_nd(ops.where(mask), ops.transpose(g, of_result), sizes)
        return ops.transpose(placed, ops.argsort(order))

    return [build, *[None] * (len(op.inputs) - 1)]


@masked.samples
def masked_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((3, 2)).astype("f4"), np.array([True, False, True]))
    yield sample(rng.random((3, 2)), np.array([[True, False], [False, True], [True, True]]))
    yield sample(rng.random((2, 3)), np.array([True, False, True]), np.array(1, "i4"), fixed=("axis",))
    yield sample(np.array([b"a", b"b"], object), np.array([0, 3], "i4"))
    yield sample(np.zeros((0, 2), "i4"), np.zeros((0,), bool))
