"""A check of a shape in the run: `ensure_shape`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from ..errors import InvalidArgumentError, ShapeError
from ..graph.nodes import Operation, Tensor
from ..graph.op_declaration import Sample, op, sample
from ..graph.shape import ShapeLike, TensorShape, as_shape, merge_shapes
from ..graph.signature import Attr, T
from .shape_checks import listed

_ShapeAttr = Annotated[ShapeLike, Attr(as_shape)]


@op("EnsureShape", moves=True, views="x")
def ensure_shape(x: T, shape: _ShapeAttr, name: str | None = None) -> Tensor:
    """`x` unchanged, after a check of its shape in the run.

    Args:
        x: any dtype and shape.
        shape: the shape that `x` must have; None stands for any size, a name for any size that is not compared.

    Returns:
        A tensor with the dtype of `x`; what is known of its shape is what `x` and `shape` say together.

    Raises:
        ValueError: the known shapes contradict each other.
        InvalidArgumentError (when run): `x` has another shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32)
    ...     y = tf.ensure_shape(x, [None, 2])
    ...     print(y.shape, session.run(y, {x: [[1.0, 2.0]]}))
    (?, 2) [[1. 2.]]

    Source: TensorFlow 1.x, `tf.ensure_shape`.
    """


@ensure_shape.shape
def _(x: Tensor, shape: TensorShape) -> TensorShape:
    try:
        return merge_shapes(x.shape, shape)
    except ShapeError as error:
        raise ShapeError(f"x has shape {x.shape}, not {shape}: {error.message}", operand=0) from None


@ensure_shape.kernel
def _(xp: Any, x: Any, shape: TensorShape) -> Any:
    dims = shape.raw
    if dims is not None and (
        len(dims) != x.ndim or any(isinstance(d, int) and d != n for d, n in zip(dims, x.shape, strict=True))
    ):
        raise InvalidArgumentError(
            message=f"Shape of tensor is {listed(x.shape)}, which is not compatible with expected shape {shape}"
        )
    return x


@ensure_shape.fails
def _(x: Tensor, shape: TensorShape) -> str | None:
    return None if is_ensured(x.shape, shape) else "whether the shape fits is known in the run"


def is_ensured(shape: TensorShape, wanted: TensorShape) -> bool:
    """Whether every tensor of static shape `shape` has the shape `wanted`."""
    if wanted.raw is None:
        return True
    if shape.raw is None or len(shape.raw) != len(wanted.raw):
        return False
    return all(not isinstance(b, int) or a == b for a, b in zip(shape.raw, wanted.raw, strict=True))


@ensure_shape.gradient("g")
def _(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [g]


@ensure_shape.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(rng.random((2, 3)).astype("f4"), [2, None])
    yield sample(np.array(b"a", object), [])
    yield sample(np.zeros((0, 2)), None)
