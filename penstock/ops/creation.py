"""Which ops make a tensor that is filled with one or two values?

Three that fill a shape (`fill`, `zeros`, `ones`), two that take another tensor's shape (`zeros_like`, `ones_like`), and
`one_hot`, which is all `off_value` but for one place in each row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

import numpy as np

from ..errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ..graph.constant_evaluation import LIMIT, Entries, known_scalar, known_vector
from ..graph.dimension import Dim, Dimension, unknown
from ..graph.dtypes import DType, as_dtype, bfloat16, float32, int8, int32, int64, of_numpy, uint8
from ..graph.literal import literal
from ..graph.nodes import Tensor
from ..graph.op_declaration import Sample, op, sample
from ..graph.shape import TensorShape, shape_of, unknown_rank
from ..graph.signature import (
    ANY,
    DTypeLike,
    DTypeOrNone,
    HostIndex,
    IntOrNone,
    Operand,
    T,
    TensorLike,
)
from .composite import told_as_called
from .failure_rules import never, why_sizes_are_open
from .shape_checks import possible, require_one, scalar_of, sizes_of

_Position: TypeAlias = Annotated[TensorLike, Operand(None, uint8.bit | int8.bit | int32.bit | int64.bit)]
_Depth: TypeAlias = Annotated[TensorLike, Operand(None, int32.bit, host=True)]
_ValueOrNone: TypeAlias = Annotated[TensorLike | None, Operand("T", ANY)]


# ---- a shape, filled ----------------------------------------------------------------------------


@op("Fill")
def fill(dims: HostIndex, value: T, name: str | None = None) -> Tensor:
    """A tensor whose elements are all `value`.

    Args:
        dims: the shape of the result: an int32 or int64 vector.
        value: a scalar of any dtype.

    Returns:
        A tensor of shape `dims` with the dtype of `value`.

    Raises:
        TypeError: `dims` is not int.
        ValueError: `dims` is not a vector, `value` is not a scalar, or a known size is negative.
        InvalidArgumentError (when run): a size is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.fill([2, 3], 9)))
    [[9 9 9]
     [9 9 9]]

    Source: TensorFlow 1.x, `tf.fill`.
    """


@fill.shape
def _(dims: Tensor, value: Tensor) -> TensorShape:
    require_rank(dims, 1, 0)
    require_rank(value, 0, 1)
    entries = known_vector(dims)
    if entries is None:
        return unknown_rank("the length of dims is not known", dims)
    sizes: list[Dim] = []
    for i, entry in enumerate(entries):
        if isinstance(entry, int) and entry < 0:
            raise ValueRuleError(f"Fill dimensions must be >= 0, but dims[{i}] is {entry}", operand=0)
        sizes.append(unknown(f"dims[{i}] is not known before the run", dims) if entry is None else entry)
    return shape_of(sizes)


@fill.kernel
def _(xp: Any, dims: Any, value: Any) -> Any:
    sizes = possible(sizes_of(dims), value.dtype.itemsize)
    require_one(value, "value", vector=True)
    filled = xp.empty(sizes, value.dtype)
    filled[...] = value.reshape(())
    return filled


fill.fails(why_sizes_are_open)


@fill.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(np.array([2, 3], "i4"), np.array(1.5, "f4"), fixed=("dims",))
    yield sample(np.array([0, 2], "i8"), np.array(7, "u1"))
    yield sample(np.array([], "i4"), np.array(b"a", object))


@told_as_called(dims="shape")
def zeros(shape: Any, dtype: DTypeLike = float32, name: str | None = None) -> Tensor:
    """A tensor of zeros (False, or empty strings).

    Args:
        shape: a list of ints and int scalars, an int32 or int64 vector, or one int for a vector of that size.
        dtype: any dtype.

    Returns:
        A tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: a size is not an int, or there is no such dtype.
        ValueError: a known size is negative, or `shape` is not a vector.
        InvalidArgumentError (when run): a size is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.zeros([2, 3], tf.int32)))
    [[0 0 0]
     [0 0 0]]

    Source: TensorFlow 1.x, `tf.zeros`.
    """
    return fill(_as_vector(shape), _zeros(np, np.zeros(()), as_dtype(dtype)), "zeros" if name is None else name)


@told_as_called(dims="shape")
def ones(shape: Any, dtype: DTypeLike = float32, name: str | None = None) -> Tensor:
    """A tensor of ones (or True).

    Args:
        shape: a list of ints and int scalars, an int32 or int64 vector, or one int for a vector of that size.
        dtype: any dtype but string.

    Returns:
        A tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: a size is not an int, or `dtype` is string or not a dtype.
        ValueError: a known size is negative, or `shape` is not a vector.
        InvalidArgumentError (when run): a size is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.ones([2])))
    [1. 1.]

    Source: TensorFlow 1.x, `tf.ones`.
    """
    _no_one_for_strings(as_dtype(dtype))
    return fill(_as_vector(shape), np.ones((), as_dtype(dtype).np), "ones" if name is None else name)


def _as_vector(shape: Any) -> Any:
    if isinstance(shape, Tensor):
        return [shape] if shape.shape.ndims == 0 else shape
    return [shape] if isinstance(shape, (int, np.integer, Dimension)) else shape


def _no_one_for_strings(dtype: DType) -> None:
    if dtype.is_string:
        raise DTypeError("Expected string, but got 1 to fill with; no string is one",
                         cure="Write tf.fill(dims, value) with a string of your own.")  # fmt: skip


# ---- the shape of another tensor ----------------------------------------------------------------


@op("ZerosLike", out=lambda tensor, dtype: dtype or tensor.dtype, numpy=np.zeros_like)
def zeros_like(tensor: T, dtype: DTypeOrNone = None, name: str | None = "zeros_like") -> Tensor:
    """A tensor of zeros (False, or empty strings) with the shape of another tensor.

    Args:
        tensor: any dtype and shape; only its shape is read.
        dtype: the dtype of the result; without it, that of `tensor`.

    Returns:
        A tensor with the shape of `tensor` and dtype `dtype`.

    Raises:
        TypeError: there is no such dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.zeros_like([[1, 2], [3, 4]])))
    [[0 0]
     [0 0]]

    Source: TensorFlow 1.x, `tf.zeros_like`.
    """


@op("OnesLike", out=lambda tensor, dtype: dtype or tensor.dtype, numpy=np.ones_like)
def ones_like(tensor: T, dtype: DTypeOrNone = None, name: str | None = "ones_like") -> Tensor:
    """A tensor of ones (or True) with the shape of another tensor.

    Args:
        tensor: any dtype and shape; only its shape is read.
        dtype: the dtype of the result, not string; without it, that of `tensor`.

    Returns:
        A tensor with the shape of `tensor` and dtype `dtype`.

    Raises:
        TypeError: the dtype is string, or there is no such dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.ones_like([[1, 2], [3, 4]], tf.float32)))
    [[1. 1.]
     [1. 1.]]

    Source: TensorFlow 1.x, `tf.ones_like`.
    """


@zeros_like.shape
def _(tensor: Tensor, dtype: DType | None) -> TensorShape:
    return tensor.shape


@ones_like.shape
def _(tensor: Tensor, dtype: DType | None) -> TensorShape:
    _no_one_for_strings(dtype or tensor.dtype)
    return tensor.shape


def _alike(number: int, tensor: Tensor, dtype: DType | None) -> Entries | None:
    """The entries, which depend on the shape alone: known even where the values of `tensor` are not."""
    sizes = tensor.shape.raw
    if not (dtype or tensor.dtype).is_integer or sizes is None or len(sizes) > 1:
        return None
    if not sizes:
        return number
    (length,) = sizes
    return (number,) * length if isinstance(length, int) and length <= LIMIT else None


@zeros_like.partial
def _(tensor: Tensor, dtype: DType | None) -> Entries | None:
    return _alike(0, tensor, dtype)


@ones_like.partial
def _(tensor: Tensor, dtype: DType | None) -> Entries | None:
    return _alike(1, tensor, dtype)


zeros_like.fails(never)
ones_like.fails(never)


@zeros_like.kernel
def _(xp: Any, tensor: Any, dtype: DType | None) -> Any:
    return _zeros(xp, tensor, dtype)


@ones_like.kernel
def _(xp: Any, tensor: Any, dtype: DType | None) -> Any:
    return xp.ones(tensor.shape, dtype.np if dtype else tensor.dtype)


def _zeros(xp: Any, tensor: Any, dtype: DType | None) -> Any:
    wanted = dtype.np if dtype else tensor.dtype
    return np.full(tensor.shape, b"", object) if wanted.kind == "O" else xp.zeros(tensor.shape, wanted)


@zeros_like.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(np.array([b"a"], object))
    yield sample(np.zeros((0, 2), "f4"), "int64")


@ones_like.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(np.array([b"a"], object), "bool")
    yield sample(np.zeros((2, 0), "i8"))
    yield sample(np.array(3, bfloat16.np))


# ---- one_hot ------------------------------------------------------------------------------------


@op("OneHot")
def one_hot(
    indices: _Position,
    depth: _Depth,
    on_value: _ValueOrNone = None,
    off_value: _ValueOrNone = None,
    axis: IntOrNone = -1,
    dtype: DTypeOrNone = None,
    name: str | None = "one_hot",
) -> Tensor:
    """`on_value` where the index along the new axis equals `indices`, `off_value` elsewhere.

    For axis = -1: out[i, j] = on_value if indices[i] == j else off_value. An index outside [0, depth) matches no place.

    Args:
        indices: uint8, int8, int32 or int64, any shape.
        depth: the size of the new axis, an int32 scalar.
        on_value, off_value: scalars of one dtype; the defaults are 1 and 0.
        axis: the place of the new axis: -1 for last, or 0 to the rank of `indices`.
        dtype: the dtype of the result; without it that of `on_value` or `off_value`, else float32.

    Returns:
        A tensor with the shape of `indices` with `depth` inserted at `axis`, and dtype `dtype`.

    Raises:
        TypeError: a dtype is not allowed, or the values differ in dtype.
        ValueError: `depth` is negative or not a scalar, or `axis` is out of range.
        InvalidArgumentError (when run): `depth` is negative, or `axis` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.one_hot([0, 2, -1], 3)))
    [[1. 0. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]

    Source: TensorFlow 1.x, `tf.one_hot`.
    """


@one_hot.prepare
def _(indices: Any, depth: Any, on_value: Any, off_value: Any, axis: Any, dtype: Any, name: str | None) -> Any:
    wanted = None if dtype is None else as_dtype(dtype)
    given = {"on_value": on_value, "off_value": off_value}
    found = {label: _given_dtype(v, wanted) for label, v in given.items() if v is not None}
    if wanted is not None:
        for label, each in found.items():
            if each is not wanted:
                raise DTypeError(f"dtype {each} of {label} does not match dtype parameter {wanted}")
    elif len(set(found.values())) == 2:
        on, off = found.values()
        raise DTypeError(f"dtype {on} of on_value does not match dtype {off} of off_value")
    wanted = wanted or next(iter(found.values()), float32)
    values = (
        v if isinstance(v, Tensor) else literal(default if v is None else v, wanted)
        for v, default in ((on_value, 1), (off_value, 0))
    )
    return indices, depth, *values, -1 if axis is None else axis, wanted


def _given_dtype(value: Any, wanted: DType | None) -> DType:
    """The dtype of a tensor or array; a Python number takes the one that is wanted if it can."""
    if isinstance(value, Tensor):
        return value.dtype
    try:
        return of_numpy(literal(value, wanted).dtype)
    except DTypeError:
        return of_numpy(literal(value).dtype)


@one_hot.shape
def _(indices: Tensor, depth: Tensor, on: Tensor, off: Tensor, axis: int, dtype: DType) -> TensorShape:
    if axis < -1:
        raise ValueRuleError(f"axis must be >= -1, but is {axis}")
    if depth.shape.ndims not in (None, 0):
        raise ShapeError(f"Input must be scalar but has rank {depth.shape.ndims}", operand=1)
    size = known_scalar(depth)
    if isinstance(size, int) and size < 0:
        raise ValueRuleError(f"Dimension size, given by scalar input 1, must be non-negative but is {size}", operand=1)
    sizes = indices.shape.raw
    if sizes is None:
        return unknown_rank("the rank of indices is not known", indices)
    # An axis beyond the rank is the run's to refuse.
    place = len(sizes) if axis == -1 else min(axis, len(sizes))
    new = unknown("depth is not known before the run", depth) if size is None else size
    return shape_of((*sizes[:place], new, *sizes[place:]))


def _hot(xp: Any, indices: Any, depth: int, on: Any, off: Any, axis: int) -> Any:
    place = indices.ndim if axis == -1 else axis
    before, after = indices.shape[:place], indices.shape[place:]
    hot = xp.empty((math.prod(before), depth, math.prod(after)), on.dtype)
    hot[...] = off.reshape(())
    flat = indices.reshape(hot.shape[0], hot.shape[2]).astype(np.int64)
    rows, columns = xp.nonzero((flat >= 0) & (flat < depth))
    hot[rows, flat[rows, columns], columns] = on.reshape(())
    return hot.reshape((*before, depth, *after))


@one_hot.kernel
def _(xp: Any, indices: Any, depth: Any, on: Any, off: Any, axis: int, dtype: DType) -> Any:
    if axis > indices.ndim:
        raise InvalidArgumentError(
            message=f"Expected axis to be -1 or between [0, {indices.ndim + 1}).  But received: {axis}"
        )
    count = scalar_of(depth, "depth")
    if count < 0:
        raise InvalidArgumentError(message=f"depth must be non-negative, got: {count}")
    possible((*indices.shape, count), on.dtype.itemsize)
    for label, value in (("on_value", on), ("off_value", off)):
        if value.ndim:
            raise InvalidArgumentError(message=f"{label} must be a scalar, but got: {list(value.shape)}")
    return _hot(xp, indices, count, on, off, axis)


@one_hot.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(np.array([[0, 2], [-1, 1]], "i4"), np.array(3, "i4"), fixed=("depth",))
    yield sample(np.array([0, 5], "u1"), np.array(2, "i4"), np.array(7, "i8"), np.array(-7, "i8"), 0)
    yield sample(np.zeros((0, 2), "i4"), np.array(3, "i4"))
    yield sample(np.array(1, "i8"), np.array(2, "i4"), np.array(b"on", object), np.array(b"off", object))


def require_rank(tensor: Tensor, rank: int, operand: int) -> None:
    """Raise ShapeError if `tensor`, the operand of that number, is known to have another rank."""
    found = tensor.shape.ndims
    if found not in (None, rank):
        raise ShapeError(f"Shape must be rank {rank} but is rank {found}", operand=operand)
