"""One-hot encoding: `one_hot` holds `on_value` at one place of each row and `off_value` elsewhere."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_scalar
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.batched import by_elements_of_first
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, DTypeOrNone, IntOrNone, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, as_dtype, float32, int8, int32, int64, of_numpy, uint8
from ...graph.shapes.literal import literal
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.shape_checks import possible, scalar_of

PUBLIC_NAMES = {"start": "one_hot"}

_Position: TypeAlias = Annotated[TensorLike, Operand(None, uint8.bit | int8.bit | int32.bit | int64.bit)]
_Depth: TypeAlias = Annotated[TensorLike, Operand(None, int32.bit, host=True)]
_ValueOrNone: TypeAlias = Annotated[TensorLike | None, Operand("T", ANY)]


@op("OneHot", no_gradient="as in TensorFlow, on_value and off_value count as constants")
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
def one_hot_prepare(
    indices: Any, depth: Any, on_value: Any, off_value: Any, axis: Any, dtype: Any, name: str | None
) -> Any:
    wanted = _common_dtype({"on_value": on_value, "off_value": off_value}, None if dtype is None else as_dtype(dtype))
    on, off = 1 if on_value is None else on_value, 0 if off_value is None else off_value
    values = [value if isinstance(value, Tensor) else literal(value, wanted) for value in (on, off)]
    return indices, depth, *values, -1 if axis is None else axis, wanted


def _common_dtype(given: dict[str, Any], wanted: DType | None) -> DType:
    """The requested dtype, else the common dtype of the given values."""
    found = {label: _given_dtype(v, wanted) for label, v in given.items() if v is not None}
    if wanted is not None:
        for label, each in found.items():
            if each is not wanted:
                raise DTypeError(f"dtype {each} of {label} does not match dtype parameter {wanted}")
    elif len(set(found.values())) == 2:
        on, off = found.values()
        raise DTypeError(f"dtype {on} of on_value does not match dtype {off} of off_value")
    return wanted or next(iter(found.values()), float32)


def _given_dtype(value: Any, wanted: DType | None) -> DType:
    """The dtype of a tensor or array; a Python number takes the wanted dtype if possible."""
    if isinstance(value, Tensor):
        return value.dtype
    try:
        return of_numpy(literal(value, wanted).dtype)
    except DTypeError:
        return of_numpy(literal(value).dtype)


@one_hot.shape
def one_hot_shape(indices: Tensor, depth: Tensor, on: Tensor, off: Tensor, axis: int, dtype: DType) -> TensorShape:
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
    place = len(sizes) if axis == -1 else min(axis, len(sizes))  # the run refuses an axis beyond the rank
    new = unknown("depth is not known before the run", depth) if size is None else size
    return shape_of((*sizes[:place], new, *sizes[place:]))


def _one_hot_array(xp: Any, indices: Any, depth: int, on: Any, off: Any, axis: int) -> Any:
    place = indices.ndim if axis == -1 else axis
    before, after = indices.shape[:place], indices.shape[place:]
    hot = xp.empty((math.prod(before), depth, math.prod(after)), on.dtype)
    hot[...] = off.reshape(())
    flat = indices.reshape(hot.shape[0], hot.shape[2]).astype(np.int64)
    rows, columns = xp.nonzero((flat >= 0) & (flat < depth))
    hot[rows, flat[rows, columns], columns] = on.reshape(())
    return hot.reshape((*before, depth, *after))


@one_hot.kernel
def one_hot_kernel(xp: Any, indices: Any, depth: Any, on: Any, off: Any, axis: int, dtype: DType) -> Any:
    if axis > indices.ndim:
        rule = f"Expected axis to be -1 or between [0, {indices.ndim + 1})"
        raise InvalidArgumentError(message=f"{rule}.  But received: {axis}")
    count = scalar_of(depth, "depth")
    if count < 0:
        raise InvalidArgumentError(message=f"depth must be non-negative, got: {count}")
    possible((*indices.shape, count), on.dtype.itemsize)
    for label, value in (("on_value", on), ("off_value", off)):
        if value.ndim:
            raise InvalidArgumentError(message=f"{label} must be a scalar, but got: {list(value.shape)}")
    return _one_hot_array(xp, indices, count, on, off, axis)


@one_hot.distributes
@labelled
def one_hot_distributes(
    indices: Tensor, depth: Tensor, on: Tensor, off: Tensor, axis: int, dtype: DType
) -> Axes | None:
    rank = indices.shape.ndims
    place, labels = rank if axis == -1 else axis, range(rank or 0)
    return None if rank is None else ([labels], [[*labels[:place], None, *labels[place:]]])


@one_hot.samples
def one_hot_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([[0, 2], [-1, 1]], "i4"), np.array(3, "i4"), fixed=("depth",))
    yield sample(np.array([0, 5], "u1"), np.array(2, "i4"), np.array(7, "i8"), np.array(-7, "i8"), 0)
    yield sample(np.zeros((0, 2), "i4"), np.array(3, "i4"))
    yield sample(np.array(1, "i8"), np.array(2, "i4"), np.array(b"on", object), np.array(b"off", object))


@one_hot.batched
def one_hot_batched(args: Sequence[Any], differing: Collection[Any], count: Any) -> Sequence[Any] | None:
    return by_elements_of_first(args, differing, count) if args[4] == -1 else None
