"""Sorting along one axis: `sort` and `argsort`. NaNs stand last in either direction, equal ones keep their order."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.declare.axis_labels import all_but, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import Attr, Flag, Int, Real
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import bfloat16, int32
from ...graph.shapes.shape import TensorShape
from ..declare.reduction_decl import is_short

PUBLIC_NAMES = {"start": "argsort sort"}


def _direction(value: Any) -> str:
    if not isinstance(value, str) or value not in ("ASCENDING", "DESCENDING"):
        raise ValueRuleError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={value}"
        )
    return value


_Direction = Annotated[str, Attr(_direction, "direction")]


@op("Sort")
def sort(values: Real, axis: Int = -1, direction: _Direction = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements of `values` in order along `axis`. NaNs stand last in either direction.

    Args:
        values: ints or floats, of rank 1 or higher.
        axis: the axis to sort along, a Python int; a negative one counts from the end.
        direction: "ASCENDING" or "DESCENDING".

    Returns:
        A tensor with the shape and dtype of `values`. Zeros keep their order, whatever their sign.

    Raises:
        TypeError: `values` has another dtype, or `axis` is not an int.
        ValueError: `axis` is out of range, or `direction` is another word.
        InvalidArgumentError (when run): `axis` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sort([3.0, 1.0, 2.0])), session.run(tf.sort([3, 1, 2], direction="DESCENDING")))
    [1. 2. 3.] [3 2 1]

    Source: TensorFlow 1.x, `tf.sort`.
    """


@op("ArgSort", out=int32)
@documented_like(sort)
def argsort(
    values: Real,
    axis: Int = -1,
    direction: _Direction = "ASCENDING",
    stable: Flag = False,
    name: str | None = None,
) -> Tensor:
    """The indices that sort `values` along `axis`. NaNs stand last in either direction.

    Args:
        stable: whether equal elements are to keep their order; they always do.

    Returns:
        A tensor with the shape of `values` and dtype int32.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.argsort([3.0, 1.0, 2.0, 1.0])))
    [1 3 2 0]
    """


def _same_shape(values: Tensor, axis: int, *rest: Any) -> TensorShape:
    rank = values.shape.ndims
    if rank is not None and not -rank <= axis < rank:
        raise ShapeError(f"axis must be in the range [{-rank}, {rank}), but is {axis}", operand=0)
    return values.shape


def check_axis(axis: int, rank: int) -> None:
    """InvalidArgumentError where an array of that rank has no such axis."""
    if not -rank <= axis < rank:
        raise InvalidArgumentError(message=f"axis must be in the range [{-rank}, {rank}), but is {axis}")


sort.distributes(labelled(lambda values, axis, *_: all_but(values, axis)))
argsort.distributes(labelled(lambda values, axis, *_: all_but(values, axis)))


def turned(values: Any, descending: bool) -> Any:
    """An array of which NumPy's ascending order is the one that is asked for, of a dtype that it sorts."""
    keys = values.astype(np.float32) if is_short(values.dtype) else values
    if not descending:
        return keys
    return -keys if keys.dtype.kind == "f" else ~keys


def order(xp: Any, values: Any, axis: int, descending: bool) -> Any:
    """The indices that sort `values`, those of equal elements in their order."""
    return xp.argsort(turned(values, descending), axis=axis, kind="stable").astype(np.int32)


@sort.kernel
def sort_kernel(xp: Any, values: Any, axis: int, direction: str) -> Any:
    check_axis(axis, values.ndim)
    descending = direction == "DESCENDING"
    keys = turned(values, descending)
    # A sort that is not stable is ten times as fast; only zeros can tell, where both signs occur.
    zeros = keys == 0 if keys.dtype.kind == "f" else None
    mixed = zeros is not None and bool(zeros.any()) and bool(xp.signbit(keys[zeros]).any())
    ordered = xp.sort(keys, axis=axis, kind="stable" if mixed else None)
    return turned(ordered, descending).astype(values.dtype, copy=False)


@argsort.kernel
def argsort_kernel(xp: Any, values: Any, axis: int, direction: str, stable: bool) -> Any:
    check_axis(axis, values.ndim)
    return order(xp, values, axis, direction == "DESCENDING")


def _why_the_axis_may_not_fit(values: Tensor, *rest: Any) -> str | None:
    return "whether there is such an axis is not known before the run" if values.shape.ndims is None else None


@sort.gradient("g in the order from which the values came")
def sort_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    values, axis, direction = op.args

    def back() -> Tensor:
        is_last = axis == -1 or (values.shape.ndims is not None and axis == values.shape.ndims - 1)
        x, gradient = values, g
        swap = None if is_last else _with_axis_last(ops, values, axis)
        if swap is not None:
            x, gradient = ops.transpose(values, swap), ops.transpose(g, swap)
        placed = ops.placed_along_last(gradient, ops.argsort(x, -1, direction), x)
        return placed if swap is None else ops.transpose(placed, swap)

    return [back]


def _with_axis_last(ops: Any, x: Tensor, axis: int) -> Any:
    """A permutation that exchanges an axis and the last one; it is its own inverse."""
    rank = x.shape.ndims
    if rank is not None:
        order = [*range(rank)]
        order[axis], order[-1] = order[-1], order[axis]
        return order
    count = ops.rank(x)
    at = axis if axis >= 0 else count + axis
    places = ops.range(0, count)
    return ops.where(ops.equal(places, at), ops.fill(ops.shape(places), count - 1),
                     ops.where(ops.equal(places, count - 1), ops.fill(ops.shape(places), at), places))  # fmt: skip


def _samples(rng: np.random.Generator) -> Samples:
    for dtype in (np.dtype("f4"), np.dtype("i4"), np.dtype("u1"), bfloat16.np):
        yield sample(rng.integers(0, 5, (3, 4)).astype(dtype))
    yield sample(np.array([[2.0, np.nan], [0.0, 1.0], [-0.0, -1.0]]), 0, "DESCENDING")
    yield sample(np.zeros((2, 0), "f2"), 1)


sort.shape(_same_shape)
argsort.shape(_same_shape)
sort.fails(_why_the_axis_may_not_fit)
argsort.fails(_why_the_axis_may_not_fit)
sort.samples(_samples)
argsort.samples(_samples)
