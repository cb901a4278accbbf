"""Vectors as sets and as tables: unique_with_counts, setdiff1d, invert_permutation, unravel_index, batch_gather."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import BOOL, INT32_64, REALS, STRING, DTypeLike, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, bfloat16, int32
from ...graph.shapes.shape import TensorShape, shape_of
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import ones_like
from ..create.shape_size_rank import size
from ..declare.composite import composite, name_of_scope, reported_as_call
from ..declare.shape_checks import listed
from ..reduce.unsorted_segments import unsorted_segment_sum
from .batched_gather import gather_in_batches
from .unique import IndexDType, unique

PUBLIC_NAMES = {
    "tf": "batch_gather listdiff=setdiff1d setdiff1d unique_with_counts unravel_index",
    "tf math": "invert_permutation",
}

_Values = Annotated[TensorLike, Operand("T", REALS | BOOL | STRING)]
_Places = Annotated[TensorLike, Operand("T", INT32_64, prefer=int32)]


class UniqueWithCounts(NamedTuple):
    """The results of `unique_with_counts`."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]  # TensorFlow calls it so; the method of tuples is hidden


@composite("UniqueWithCounts")
def unique_with_counts(x: TensorLike, out_idx: DTypeLike = int32, name: str | None = None) -> UniqueWithCounts:
    """The values of a vector, each once, in the order in which they first occur, and how often they occur.

    Args:
        x: a vector of any dtype but complex.
        out_idx: the dtype of `idx` and `count`: int32 or int64.

    Returns:
        Three vectors (y, idx, count): the values, with the dtype of `x`; for each entry of `x` the position of its
        value in `y`; and for each value the number of its entries.

    Raises:
        TypeError: `x` is complex, or `out_idx` is another dtype.
        ValueError: `x` is not a vector.
        InvalidArgumentError (when run): `x` is not a vector.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y, idx, count = tf.unique_with_counts([1, 1, 2, 4, 4])
    ...     print(*session.run([y, idx, count]))
    [1 2 4] [0 0 1 2 2] [2 1 2]

    Source: TensorFlow 1.x, `tf.unique_with_counts`.
    """
    y, idx = unique(x, out_idx)
    count = unsorted_segment_sum(ones_like(idx), idx, size(y))
    return UniqueWithCounts(y, idx, count)


class ListDiff(NamedTuple):
    """The results of `setdiff1d`."""

    out: Tensor
    idx: Tensor


@reported_as_call("ListDiff", one_op=True)
def setdiff1d(x: TensorLike, y: TensorLike, index_dtype: DTypeLike = int32, name: str | None = None) -> ListDiff:
    """The entries of `x` that are not in `y`, in their order and with repetitions, and where they are.

    Args:
        x: a vector of any dtype but complex.
        y: a vector with the dtype of `x`.
        index_dtype: the dtype of `idx`: int32 or int64.

    Returns:
        Two vectors (out, idx): the entries with the dtype of `x`, and their positions in `x`.

    Raises:
        TypeError: the dtypes differ, or `index_dtype` is another dtype.
        ValueError: `x` or `y` is not a vector.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(*session.run(tf.setdiff1d([1, 2, 3, 4, 5, 6], [1, 3, 5])))
    [2 4 6] [1 3 5]

    Source: TensorFlow 1.x, `tf.setdiff1d`.
    """
    return ListDiff(*setdiff1d_op(x, y, index_dtype, name))


@op("ListDiff", graphdef="T=x out_idx ->out,idx", out=("T", "out_idx"), host_only=True, ranks={"x": 1, "y": 1})
def setdiff1d_op(x: _Values, y: _Values, out_idx: IndexDType = int32, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The op behind `setdiff1d`."""


@setdiff1d_op.shape
def setdiff1d_op_shape(x: Tensor, y: Tensor, out_idx: DType) -> list[TensorShape]:
    return [shape_of((unknown("only the run knows how many entries are not in y", x),))] * 2


@setdiff1d_op.kernel
def setdiff1d_op_kernel(xp: Any, x: Any, y: Any, out_idx: DType) -> Any:
    for label, each in (("x", x), ("y", y)):
        if each.ndim != 1:
            raise InvalidArgumentError(message=f"{label} should be a 1D vector, but has shape {listed(each.shape)}")
    if x.dtype == object:
        others = set(y.tolist())
        kept = np.array([value not in others for value in x], bool)
    else:
        wide = [each.astype(np.float32) if each.dtype == bfloat16.np else each for each in (x, y)]
        kept = ~xp.isin(*wide)
    places = xp.flatnonzero(kept)
    return x[places], places.astype(out_idx.np)


setdiff1d_op.no_gradient("as in TensorFlow, its values count as constants")


@setdiff1d_op.samples
def setdiff1d_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([3, 1, 3, 2, 1], "f4"), np.array([1, 7], "f4"))
    yield sample(np.array([3, 1, 3], "i4"), np.array([], "i4"), "int64")
    yield sample(np.array([b"b", b"", b"b"], object), np.array([b"b"], object))
    yield sample(np.zeros((0,), "u1"), np.zeros((0,), "u1"))


@op("InvertPermutation", graphdef="T=x ->y", ranks={"x": 1}, no_gradient="it is of ints")
def invert_permutation(x: _Places, name: str | None = None) -> Tensor:
    """The inverse of a permutation: out[x[i]] = i.

    Args:
        x: an int32 or int64 vector that holds each number from 0 to its length less 1 once.

    Returns:
        A tensor with the shape and dtype of `x`.

    Raises:
        TypeError: `x` has another dtype.
        ValueError: `x` is not a vector.
        InvalidArgumentError (when run): a number is out of range or occurs twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.invert_permutation([3, 4, 0, 2, 1])))
    [2 4 3 0 1]

    Source: TensorFlow 1.x, `tf.invert_permutation`.
    """


@invert_permutation.shape
def invert_permutation_shape(x: Tensor) -> TensorShape:
    return x.shape if x.shape.raw is not None else TensorShape([None])


@invert_permutation.kernel
def invert_permutation_kernel(xp: Any, x: Any) -> Any:
    if x.ndim != 1:
        raise InvalidArgumentError(message=f"invert_permutation expects a 1D vector, got shape {listed(x.shape)}")
    out = xp.full(len(x), -1, x.dtype)
    outside = (x < 0) | (x >= len(x))
    if outside.any():
        raise InvalidArgumentError(message=f"{int(x[outside][0])} is not between 0 and {len(x)}")
    out[x] = xp.arange(len(x), dtype=x.dtype)
    if (out < 0).any():
        counts = xp.bincount(x, minlength=len(x))
        raise InvalidArgumentError(message=f"{int(xp.argmax(counts > 1))} is duplicated in the input.")
    return out


@invert_permutation.samples
def invert_permutation_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, 0, 1], "i4"))
    yield sample(np.array([0], "i8"))
    yield sample(np.zeros((0,), "i4"))


@op("UnravelIndex", graphdef="Tidx=indices", ranks={"dims": 1}, no_gradient="it is of ints")
def unravel_index(indices: _Places, dims: _Places, name: str | None = None) -> Tensor:
    """The coordinates of elements that are numbered in row-major order.

    Args:
        indices: int32 or int64, a scalar or a vector.
        dims: the sizes of the tensor, a vector with the dtype of `indices`.

    Returns:
        A tensor with the dtype of `indices`: one column of coordinates for each index, [number of dims, number of
        indices]; a vector for a scalar.

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: `dims` is not a vector, or `indices` has a rank above 1.
        InvalidArgumentError (when run): the same, or an index is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.unravel_index([2, 5, 7], [3, 3])).tolist())
    [[0, 1, 2], [2, 2, 1]]

    Source: TensorFlow 1.x, `tf.unravel_index`.
    """


@unravel_index.shape
def unravel_index_shape(indices: Tensor, dims: Tensor) -> TensorShape:
    count = dims.shape.raw[0] if dims.shape.raw is not None else unknown("the length of dims is not known", dims)
    given = indices.shape.raw
    if given is None:
        return TensorShape(None)
    if len(given) > 1:
        raise ShapeError(f"Shape must be at most rank 1 but is rank {len(given)}", operand=0)
    return shape_of((count, *given))


@unravel_index.kernel
def unravel_index_kernel(xp: Any, indices: Any, dims: Any) -> Any:
    if indices.ndim > 1 or dims.ndim != 1:
        raise InvalidArgumentError(message="The indices can only be scalar or vector and dims a vector, but the shapes "
                                           f"are {listed(indices.shape)} and {listed(dims.shape)}")  # fmt: skip
    if (dims <= 0).any():
        raise InvalidArgumentError(message=f"Input dims cannot contain a dim of zero, but contains {listed(dims)}")
    count = int(np.prod([int(each) for each in dims]))
    if ((indices < 0) | (indices >= count)).any():
        raise InvalidArgumentError(message=f"index is out of bound as with dims, which have {count} elements")
    parts = xp.unravel_index(indices, tuple(int(each) for each in dims)) if len(dims) else ()
    return xp.stack(parts).astype(indices.dtype) if len(dims) else xp.zeros((0, *indices.shape), indices.dtype)


@unravel_index.samples
def unravel_index_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, 5, 7], "i4"), np.array([3, 3], "i4"))
    yield sample(np.array(5), np.array([2, 2, 2]))
    yield sample(np.zeros((0,), "i4"), np.array([3], "i4"))


@composite("batch_gather")
def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor:
    """Rows of each part of a batch: out[b..., i] = params[b..., indices[b..., i]].

    Args:
        params: any dtype, of at least the rank of `indices`.
        indices: int32 or int64, rank 1 or higher; all its sizes but the last are those of `params`.

    Returns:
        A tensor with the dtype of `params` and the shape indices.shape + params.shape[rank of indices:].

    Raises:
        TypeError: `indices` is not int.
        ValueError: the rank of `indices` is not known, or known sizes do not fit.
        InvalidArgumentError (when run): an index is out of range, or sizes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.batch_gather([[1, 2], [3, 4]], [[1, 1], [0, 1]])).tolist())
    [[2, 2], [3, 4]]

    Source: TensorFlow 1.x, `tf.batch_gather`.
    """
    places = convert_to_tensor(indices)
    if places.shape.ndims is None:
        raise ShapeError("the rank of indices must be known; give it with set_shape")
    if places.shape.ndims == 0:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    return gather_in_batches(params, places, places.shape.ndims - 1, name=name_of_scope())
