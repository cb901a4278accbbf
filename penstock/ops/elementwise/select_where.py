"""Ops that choose elements by a condition."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, BOOL, STRING, Operand, T, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import int64
from ...graph.shapes.shape import TensorShape, merge_shapes, shape_of, unknown_dims
from ..declare.composite import composite, name_of_scope, reported_as_call
from .arithmetic import maximum, minimum

PUBLIC_NAMES = {"start": "clip_by_value select where"}

_Condition = Annotated[TensorLike, Operand(None, BOOL)]
_Indexed = Annotated[TensorLike, Operand(None, ANY & ~STRING)]


@reported_as_call("Select", t="x", e="y")
def where(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """`select(condition, x, y)`; with a condition alone, the indices at which it is True.

    Args:
        condition: bool. If it is given alone it may be numbers too, of which all but 0 count as True.
        x, y: both or neither; as `t` and `e` of `select`.

    Returns:
        A tensor with the shape and dtype of `x` and `y`; without them, int64 indices of shape [number of True, rank of
        condition], in row-major order.

    Raises:
        TypeError: the condition is string, or is not bool beside `x` and `y`; or the dtypes of `x` and `y` differ.
        ValueError: only one of `x` and `y` is given, or the shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     rows = tf.where([True, False], [[1, 2], [3, 4]], [[-1, -2], [-3, -4]])
    ...     print(session.run(rows))
    ...     print(session.run(tf.where([[True, False], [False, True]])))
    [[ 1  2]
     [-3 -4]]
    [[0 0]
     [1 1]]

    Source: TensorFlow 1.x, `tf.where`.
    """
    if x is None and y is None:
        return indices_where(condition, name)
    if x is None or y is None:
        raise ValueRuleError("x and y must both be non-None or both be None.")
    return select(condition, x, y, name)


# ---- one of two ---------------------------------------------------------------------------------


@op("Select", graphdef="T=t", elementwise=True)
def select(condition: _Condition, t: T, e: T, name: str | None = None) -> Tensor:
    """`t` where the condition is True, `e` where it is False.

    Args:
        condition: bool, of the shape of `t` and `e`; or a scalar, which chooses one of them as a whole; or a vector,
            which chooses rows.
        t, e: the values for True ("then") and for False ("else"); any dtype, one shape and dtype for both.

    Returns:
        A tensor with the shape and dtype of `t` and `e`.

    Raises:
        TypeError: the condition is not bool, or the dtypes of `t` and `e` differ.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.select([True, False, True], [1, 2, 3], [10, 20, 30])))
    [ 1 20  3]

    Source: TensorFlow 0.x, `tf.select`.
    """


@select.shape
def select_shape(condition: Tensor, t: Tensor, e: Tensor) -> TensorShape:
    try:
        result = merge_shapes(t.shape, e.shape)
    except ShapeError as error:
        cure = "t and e must have one shape; tf.fill(tf.shape(a), value) and tf.zeros_like(a) have that of a."
        raise error.with_operand(operand=2, cure=cure) from None
    if condition.shape.ndims is None or condition.shape.ndims == 0:
        return result
    try:
        if condition.shape.ndims != 1 or result.ndims == 0:
            return merge_shapes(result, condition.shape)
        if result.raw is not None:
            merge_shapes(condition.shape, shape_of(result.raw[:1]))
    except ShapeError as error:
        cure = "The condition must have the shape of t and e, or be a scalar, or a vector with an entry for each row."
        raise error.with_operand(operand=0, cure=cure) from None
    return result


@select.kernel
def select_kernel(xp: Any, condition: Any, t: Any, e: Any) -> Any:
    if _decides_for_rows(condition, t, e):
        condition = condition.reshape((-1,) + (1,) * (t.ndim - 1))
    return xp.where(condition, t, e)


@select.fuses
def select_fuses(condition: Tensor, t: Tensor, e: Tensor) -> str | None:
    if t.dtype.is_string:
        return "it works on strings"
    if t.shape.raw is None or t.shape.raw != e.shape.raw:
        return "t and e are not known to have one shape"
    if condition.shape.ndims != 0 and condition.shape.raw != t.shape.raw:
        return "the condition is not known to have the shape of t"
    return None


def _decides_for_rows(condition: Any, t: Any, e: Any) -> bool:
    """Whether the condition is a vector beside arrays of a higher rank; InvalidArgumentError if nothing fits."""
    if t.shape != e.shape:
        raise _sizes_differ(0, t, 2, e)
    if condition.shape == t.shape or not condition.ndim:
        return False
    if condition.ndim != 1 or not t.ndim:
        raise _sizes_differ(0, condition, 1, t)
    if len(condition) != len(t):
        raise InvalidArgumentError(message="Number of batches of 'then' must match size of 'cond', but saw: "
                                           f"{len(t)} vs. {len(condition)}")  # fmt: skip
    return True


def _axes(condition: Tensor, t: Tensor, e: Tensor) -> Axes | None:
    rank = e.shape.ndims if t.shape.ndims is None else t.shape.ndims
    if rank is None or condition.shape.ndims is None:
        return None
    axes = range(rank)
    return [axes[: condition.shape.ndims], axes, axes], [axes]


select.distributes(labelled(_axes))


def _sizes_differ(i: int, one: Any, j: int, other: Any) -> InvalidArgumentError:
    return InvalidArgumentError(message="Inputs to operation Select of type Select must have the same size and shape.  "
                                        f"Input {i}: {list(one.shape)} != input {j}: {list(other.shape)}")  # fmt: skip


@select.gradient("t: g where the condition is True, else 0; e: g where it is False, else 0")
def select_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    condition = op.inputs[0]
    return [
        None,
        lambda: ops.select(condition, g, ops.zeros_like(g)),
        lambda: ops.select(condition, ops.zeros_like(g), g),
    ]


@select.samples
def select_samples(rng: np.random.Generator) -> Samples:
    t = np.arange(6, dtype="i4").reshape(3, 2)
    yield sample(t % 3 == 0, t, -t)
    yield sample(np.array([True, False, True]), t, -t)
    yield sample(np.array(False), t.astype("f4"), np.ones((3, 2), "f4"))
    yield sample(np.array([True, False]), np.array([b"a", b"b"], object), np.array([b"c", b"d"], object))
    yield sample(np.zeros((0,), bool), np.zeros((0, 3)), np.ones((0, 3)))


# ---- where it is true ---------------------------------------------------------------------------


@op("Where", graphdef="T=condition ->index", out=int64)
def indices_where(condition: _Indexed, name: str | None = None) -> Tensor:
    """The op behind `where(condition)`: int64 indices of what is not False, zero; of shape (count, rank)."""


@indices_where.shape
def indices_where_shape(condition: Tensor) -> TensorShape:
    rank = condition.shape.ndims
    if rank is None:
        return unknown_dims(2, "the rank of the operand is not known", condition)
    return shape_of((unknown("how many are True is known only by the run", condition), rank))


# argwhere walks with one counter per dimension: (2500, 4000) bools take 82 ms.
@indices_where.kernel
def indices_where_kernel(xp: Any, condition: Any) -> Any:
    if not condition.ndim:
        raise InvalidArgumentError(message="WhereOp : Unhandled input dimensions: 0; a scalar has no index")
    places = xp.flatnonzero(condition if condition.dtype.kind in "bO" else condition != 0)
    out = xp.empty((len(places), condition.ndim), np.int64)
    for d in range(condition.ndim - 1, 0, -1):
        rows = places // condition.shape[d]
        out[:, d] = places - rows * condition.shape[d]
        places = rows
    out[:, 0] = places
    return out


@indices_where.samples
def indices_where_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([[True, False], [False, True]]))
    yield sample(np.array([0.0, -0.0, float("nan"), 2.0], "f4"))
    yield sample(np.zeros((0, 2), "i4"))


# ---- limits -------------------------------------------------------------------------------------


@composite("clip_by_value")
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor:
    """min(max(t, clip_value_min), clip_value_max), element by element.

    Args:
        t: ints or floats, any shape.
        clip_value_min, clip_value_max: the limits; the dtype of `t`, shapes that broadcast to that of `t`.

    Returns:
        A tensor with the shape and dtype of `t`.

    Raises:
        TypeError: the dtypes differ, or are not ints or floats.
        ValueError: the limits do not broadcast to the shape of `t`.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.clip_by_value([-5, 1, 9], 0, 3)))
    [0 1 3]

    Source: TensorFlow 1.x, `tf.clip_by_value`.
    """
    below = minimum(t, clip_value_max)
    clipped = maximum(below, clip_value_min, name=name_of_scope())
    values = below.op.inputs[0]
    for limited in (below, clipped):
        if not limited.shape.is_compatible_with(values.shape):
            shapes = f"Shapes {values.shape} and {limited.shape} are incompatible"
            raise ShapeError(f"{shapes}; a limit must not be larger than t")
    return clipped
