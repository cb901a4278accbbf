"""The op that chooses between two values that broadcast: what TensorFlow 2 calls `where`."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import ShapeError
from ...graph.declare.axis_labels import Axes, broadcast_labels, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import BOOL, Operand, T, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import TensorShape, broadcast
from ..declare.elementwise_gradient import repeated_axes, sum_to_operand

_Condition = Annotated[TensorLike, Operand(None, BOOL)]


@op("SelectV2", graphdef="T=t", elementwise=True)
def select_v2(condition: _Condition, t: T, e: T, name: str | None = None) -> Tensor:
    """`t` where the condition is True, `e` where it is False; the three broadcast.

    Args:
        condition: bool.
        t, e: the values for True ("then") and for False ("else"); any dtype, the same for both.

    Returns:
        A tensor with the broadcast shape of all three and the dtype of `t` and `e`.

    Raises:
        TypeError: the condition is not bool, or the dtypes of `t` and `e` differ.
        ValueError: known shapes do not broadcast.
        InvalidArgumentError (when run): the shapes do not broadcast.

    >>> import penstock as tf
    >>> from penstock.ops.elementwise.select_broadcast import select_v2
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(select_v2([True, False, True], [1, 2, 3], 0)))
    [1 0 3]

    Source: TensorFlow, `tf.where_v2`.
    """


@select_v2.shape
def select_v2_shape(condition: Tensor, t: Tensor, e: Tensor) -> TensorShape:
    place = 2
    try:
        both = broadcast(t.shape, e.shape, e)
        place = 0
        return broadcast(both, condition.shape, condition)
    except ShapeError as error:
        error.operand = place
        raise


@select_v2.kernel
def select_v2_kernel(xp: Any, condition: Any, t: Any, e: Any) -> Any:
    return xp.where(condition, t, e)


@select_v2.fuses
def select_v2_fuses(condition: Tensor, t: Tensor, e: Tensor) -> str | None:
    return "it works on strings" if t.dtype.is_string else None


def _axes(condition: Tensor, t: Tensor, e: Tensor) -> Axes | None:
    found = broadcast_labels([condition, t, e])
    return None if found is None else (found[0], [found[1]])


select_v2.distributes(labelled(_axes))


@select_v2.gradient("t: g where the condition is True, else 0; e: g where it is False, else 0; summed where repeated")
def select_v2_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    condition = op.inputs[0]

    def part(place: int) -> Tensor:
        zero = ops.zeros([], g.dtype)
        chosen = select_v2(condition, g, zero) if place == 1 else select_v2(condition, zero, g)
        operand = op.inputs[place]
        if repeated_axes(operand.shape.raw, op.outputs[0].shape.raw) is not None:
            return sum_to_operand(ops, chosen, op, place)
        shape = ops.shape(operand)
        found = ops.broadcast_gradient_args(shape, ops.shape(op.outputs[0]))[0]
        return ops.reshape(ops.reduce_sum(chosen, found), shape)

    return [None, lambda: part(1), lambda: part(2)]


@select_v2.samples
def select_v2_samples(rng: np.random.Generator) -> Samples:
    t = np.arange(6, dtype="i4").reshape(3, 2)
    yield sample(t % 3 == 0, t, -t)
    yield sample(np.array([True, False]), t, np.array(7, "i4"))
    yield sample(np.array([[True], [False], [True]]), t.astype("f4"), np.ones((2,), "f4"))
    yield sample(np.array([True, False]), np.array(b"a", object), np.array([b"c", b"d"], object))
    yield sample(np.zeros((0, 1), bool), np.zeros((3,)), np.ones(()))
