"""cross: the vector product of 3-vectors."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...errors import FailedPreconditionError, InvalidArgumentError, ShapeError
from ...graph.declare.axis_labels import Axes, all_but, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Real
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import bfloat16
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import listed, merge_all
from ..index.row_indexing import dims_at_least

PUBLIC_NAMES = {"start linalg": "cross"}


@op("Cross", graphdef="T=a ->product")
def cross(a: Real, b: Real, name: str | None = None) -> Tensor:
    """The vector products of the 3-vectors along the last axis of `a` and `b`.

    Args:
        a: ints or floats, of rank 1 or higher; the last size is 3.
        b: the dtype and the shape of `a`.

    Returns:
        A tensor with the shape and dtype of `a`. Ints wrap around.

    Raises:
        TypeError: `a` has another dtype, or `b` not that of `a`.
        ValueError: known shapes differ, or the last size is known not to be 3.
        InvalidArgumentError (when run): the shapes differ, or `a` is a scalar.
        FailedPreconditionError (when run): the last size is not 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])))
    [0. 0. 1.]

    Source: TensorFlow 1.x, `tf.cross`.
    """


@cross.shape
def cross_shape(a: Tensor, b: Tensor) -> TensorShape:
    dims_at_least(a, 1, 0)
    dims_at_least(b, 1, 1)
    merged = merge_all([a.shape, b.shape])
    dims = merged.raw
    if dims is not None and isinstance(dims[-1], int) and dims[-1] != 3:
        raise ShapeError(f"Dimension must be 3 but is {dims[-1]}", operand=0, dim=len(dims) - 1)
    return merged


@cross.kernel
def cross_kernel(xp: Any, a: Any, b: Any) -> Any:
    if a.shape != b.shape:
        raise InvalidArgumentError(
            message=f"Both inputs must be of same shape: {listed(a.shape)} vs. {listed(b.shape)}"
        )
    if a.ndim == 0:
        raise InvalidArgumentError(message="Input must be at least 1D[]")
    if a.shape[-1] != 3:
        raise FailedPreconditionError(message="Cross-products are only defined for 3-element vectors. "
                                              f"The shape is {listed(a.shape)}")  # fmt: skip
    out = xp.empty(a.shape, a.dtype)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        xp.subtract(a[..., j] * b[..., k], a[..., k] * b[..., j], out=out[..., i])
    return out


@cross.distributes
@labelled
def cross_distributes(a: Tensor, b: Tensor) -> Axes | None:
    axes = all_but(b if a.shape.ndims is None else a, -1)
    return None if axes is None else ([axes[0][0]] * 2, axes[1])


cross.flops(lambda a, b: 3 * prod(a))


@cross.gradient("a: cross(b, g); b: cross(g, a)")
def cross_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    a, b = op.inputs
    return [lambda: ops.cross(b, g), lambda: ops.cross(g, a)]


@cross.samples
def cross_samples(rng: np.random.Generator) -> Samples:
    for dtype in (np.dtype("f4"), np.dtype("i4"), np.dtype("u1"), bfloat16.np):
        yield sample(rng.integers(0, 9, (2, 3)).astype(dtype), rng.integers(0, 9, (2, 3)).astype(dtype))
    yield sample(np.zeros((0, 3)), np.zeros((0, 3)))
