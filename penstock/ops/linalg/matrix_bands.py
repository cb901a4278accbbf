"""matrix_band_part: the diagonals near the main one of the matrices along the last two axes."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import BOOL, INT32_64, NUMBERS, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import listed, scalar_of
from ..index.row_indexing import dims_at_least

PUBLIC_NAMES = {
    "tf": "batch_matrix_band_part=matrix_band_part matrix_band_part",
    "linalg": "band_part=matrix_band_part",
}

_Entries = Annotated[TensorLike, Operand("T", NUMBERS | BOOL)]
_Count = Annotated[TensorLike, Operand("Tindex", INT32_64, host=True)]


@op("MatrixBandPart", graphdef="T=input Tindex=num_lower ->band",
    fails="whether the numbers fit the matrices is not known before the run")  # fmt: skip
def matrix_band_part(input: _Entries, num_lower: _Count, num_upper: _Count, name: str | None = None) -> Tensor:
    """The matrices with zeros outside of a band around the main diagonal.

    Args:
        input: numbers or bools, rank 2 or higher.
        num_lower: how many diagonals below the main one are kept, an int32 or int64 scalar; a negative number keeps
            all.
        num_upper: how many above it, likewise.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: a number is not int.
        ValueError: `input` has a rank below 2, or a number is no scalar.
        InvalidArgumentError (when run): the same, or a number is larger than the matrices.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_band_part(tf.ones([3, 3], tf.int32), 0, 1)).tolist())
    [[1, 1, 0], [0, 1, 1], [0, 0, 1]]

    Source: TensorFlow 1.x, `tf.matrix_band_part`.
    """


@matrix_band_part.shape
def matrix_band_part_shape(input: Tensor, lower: Tensor, upper: Tensor) -> TensorShape:
    for place, each in enumerate((lower, upper), 1):
        if each.shape.ndims not in (None, 0):
            raise ShapeError(f"Shape must be rank 0 but is rank {each.shape.ndims}", operand=place)
    dims_at_least(input, 2, 0)
    return input.shape


@matrix_band_part.kernel
def matrix_band_part_kernel(xp: Any, input: Any, lower: Any, upper: Any) -> Any:
    if input.ndim < 2:
        raise InvalidArgumentError(message=f"input must be at least 2-dim, received shape: {listed(input.shape)}")
    rows, columns = input.shape[-2:]
    below, above = scalar_of(lower, "num_lower"), scalar_of(upper, "num_upper")
    for label, count, size in (("lower", below, rows), ("upper", above, columns)):
        if count > size:
            sizes = "rows" if label == "lower" else "columns"
            raise InvalidArgumentError(
                message=f"num_{label} must be negative or less or equal to number of {sizes} ({size}) got: {count}"
            )
    place = xp.arange(columns) - xp.arange(rows)[:, None]
    inside = xp.ones((rows, columns), bool)
    if below >= 0:
        inside &= place >= -below
    if above >= 0:
        inside &= place <= above
    return xp.where(inside, input, input.dtype.type(0))


@matrix_band_part.gradient("matrix_band_part(g, num_lower, num_upper)")
def matrix_band_part_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: matrix_band_part(g, op.inputs[1], op.inputs[2]), None, None]


@matrix_band_part.samples
def matrix_band_part_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3, 4)).astype("f4"), np.array(1, "i4"), np.array(-1, "i4"))
    yield sample(np.arange(6).reshape(2, 3), np.array(0), np.array(1))
    yield sample(np.zeros((0, 2, 2), "i4"), np.array(0, "i4"), np.array(1, "i4"))
