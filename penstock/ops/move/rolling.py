"""roll: the elements of a tensor moved along axes, those that leave at one end entering at the other."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.building.constant_evaluation import known_value
from ...graph.declare.axis_labels import Axes, all_but, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, Operand, T, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import TensorShape
from ..declare.failure_rules import refusal, why_refused
from ..declare.shape_checks import ints_of, listed, merge_all
from ..index.row_indexing import dims_at_least

PUBLIC_NAMES = {"start manip": "roll"}

_Shift = Annotated[TensorLike, Operand("Tshift", INT32_64, host=True, prefer=int32)]
_Axis = Annotated[TensorLike, Operand("Taxis", INT32_64, host=True, prefer=int32)]


@op("Roll", graphdef="T=input Tshift=shift Taxis=axis", moves=True)
def roll(input: T, shift: _Shift, axis: _Axis, name: str | None = None) -> Tensor:
    """`input` with its elements moved by `shift` places along `axis`: out[(i + shift) % n] = input[i].

    Args:
        input: any dtype, of rank 1 or higher.
        shift: int32 or int64, a scalar or a vector with a shift for each entry of `axis`; negative ones move to the
            front.
        axis: int32 or int64, a scalar or a vector. Negative ones count from the end; the shifts of an axis that is
            given twice are added.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `shift` or `axis` is not int.
        ValueError: `input` is a scalar, or `shift` and `axis` are known to differ in shape or to have rank 2 or more.
        InvalidArgumentError (when run): the same of what only the run knows, or an axis is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.roll([0, 1, 2, 3, 4], shift=2, axis=0)))
    ...     print(session.run(tf.roll([[0, 1, 2], [3, 4, 5]], [1, -1], [0, 1])).tolist())
    [3 4 0 1 2]
    [[4, 5, 3], [1, 2, 0]]

    Source: TensorFlow 1.x, `tf.roll`.
    """


@roll.shape
def roll_shape(input: Tensor, shift: Tensor, axis: Tensor) -> TensorShape:
    dims_at_least(input, 1, 0)
    for operand, vector in enumerate((shift, axis), start=1):
        if vector.shape.ndims is not None and vector.shape.ndims > 1:
            raise ShapeError(f"Shape must be at most rank 1 but is rank {vector.shape.ndims}", operand=operand)
    merge_all([shift.shape, axis.shape], 1, "Give one shift for each axis.")
    return input.shape


def check_roll(rank: int, shift: Any, axis: Any) -> None:
    """InvalidArgumentError where an operand of that rank cannot be rolled so."""
    if rank < 1:
        raise InvalidArgumentError(message="input must be 1-D or higher")
    for label, vector in (("shift", shift), ("axis", axis)):
        if vector.ndim > 1:
            raise InvalidArgumentError(
                message=f"{label} must be a scalar or a 1-D vector. Found: {listed(vector.shape)}"
            )
    if shift.shape != axis.shape:
        raise InvalidArgumentError(message=f"shift and axis must have the same size. Their shapes are "
                                           f"{listed(shift.shape)} and {listed(axis.shape)}")  # fmt: skip
    for each in ints_of(axis):
        if not -rank <= each < rank:
            raise InvalidArgumentError(message=f"axis {each if each >= 0 else each + rank} is out of range")


@roll.kernel
def roll_kernel(xp: Any, input: Any, shift: Any, axis: Any) -> Any:
    check_roll(input.ndim, shift, axis)
    return xp.roll(input, tuple(ints_of(shift)), tuple(ints_of(axis)))


@roll.distributes
@labelled
def roll_distributes(input: Tensor, shift: Tensor, axis: Tensor) -> Axes | None:
    axes = known_value(axis)
    return None if axes is None else all_but(input, *ints_of(axes))


roll.fails(lambda input, shift, axis: why_refused(check_roll, input.shape.ndims, shift, axis))
roll.mistake(lambda input, shift, axis: refusal(check_roll, input.shape.ndims, shift, axis))


@roll.gradient("roll(g, -shift, axis)")
def roll_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, shift, axis = op.inputs
    return [lambda: ops.roll(g, -shift, axis), None, None]


@roll.samples
def roll_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), np.array(1, "i4"), np.array(-1, "i4"), fixed=("axis",))
    yield sample(np.arange(24).reshape(2, 3, 4), np.array([1, -5, 2]), np.array([0, 2, 2]))
    yield sample(np.array([b"a", b"b", b"c"], object), np.array([2], "i4"), np.array([0], "i8"))
    yield sample(np.zeros((0, 2), "u1"), np.array(1, "i4"), np.array(0, "i4"))
