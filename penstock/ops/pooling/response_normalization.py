"""Local response normalization: each number is divided by a power of the squares of its neighbours along the channels.

n = bias + alpha * sum(x[c - depth_radius : c + depth_radius + 1] ** 2)
y = x * n ** -beta
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.axis_labels import labelled
from ...graph.declare.op_cost import TRANSCENDENTAL, OfResult
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Float, FloatAttr, Int, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import TensorShape, merge_shapes
from ..declare.composite import reported_as_call
from ..declare.reduction_decl import either
from ..declare.shape_checks import listed, require_rank
from .pooling_kernels import wide_type

PUBLIC_NAMES = {"nn": "local_response_normalization lrn"}

_RANK = "The input has the batch, the height, the width and the channels."


@op("LRN", graphdef="T=input depth_radius bias alpha beta")
def lrn_op(
    input: Float,
    depth_radius: Int = 5,
    bias: FloatAttr = 1.0,
    alpha: FloatAttr = 1.0,
    beta: FloatAttr = 0.5,
    name: str | None = None,
) -> Tensor:
    """The op behind `tf.nn.lrn`."""


@op("LRNGrad", graphdef="T=input_grads depth_radius bias alpha beta")
def lrn_grad_op(
    input_grads: Float,
    input_image: Float,
    output_image: Float,
    depth_radius: Int = 5,
    bias: FloatAttr = 1.0,
    alpha: FloatAttr = 1.0,
    beta: FloatAttr = 0.5,
    name: str | None = None,
) -> Tensor:
    """The gradient of LRN."""


@reported_as_call("LRN", one_op=True)
def local_response_normalization(
    input: TensorLike | None = None,
    depth_radius: int | None = None,
    bias: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    name: str | None = None,
    value: TensorLike | None = None,
) -> Tensor:
    """input / (bias + alpha * s) ** beta, where s is the sum of the squares of the neighbours along the channels.

    Args:
        input: floats of shape (batch, height, width, channels).
        depth_radius: how many channels on each side are neighbours; 5 by default.
        bias: what is added to the sum, so that nothing is divided by 0; 1 by default.
        alpha: the factor of the sum; 1 by default.
        beta: the exponent; 0.5 by default.
        value: another name of `input`.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` is not float, or `depth_radius` is no int.
        ValueError: `input` has another rank, or is missing.
        InvalidArgumentError (when run): the rank is another, or `depth_radius` is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.local_response_normalization([[[[3.0, 4.0]]]], bias=0.0)).ravel())
    [0.6 0.8]

    Source: TensorFlow 1.x, `tf.nn.local_response_normalization`.
    """
    x = either("value", value, "input", input)
    return lrn_op(
        x, 5 if depth_radius is None else depth_radius, 1.0 if bias is None else bias, 1.0 if alpha is None else alpha,
        0.5 if beta is None else beta, name,
    )  # fmt: skip


lrn = local_response_normalization
"""TensorFlow 1.x has it under both names."""


# ---- rules --------------------------------------------------------------------------------------


@lrn_op.shape
def lrn_shape(x: Tensor, *attrs: Any) -> TensorShape:
    require_rank(x, 4, 0, _RANK)
    return x.shape if x.shape.raw is not None else TensorShape([None] * 4)


@lrn_grad_op.shape
def lrn_grad_shape(g: Tensor, x: Tensor, y: Tensor, *attrs: Any) -> TensorShape:
    for place, operand in enumerate((g, x, y)):
        require_rank(operand, 4, place, _RANK)
    return merge_shapes(merge_shapes(g.shape, x.shape), y.shape)


def _neighbours(xp: Any, x: Any, radius: int) -> Any:
    """The sum of the numbers at most `radius` channels away."""
    total = x.copy()
    for step in range(1, min(radius, x.shape[-1] - 1) + 1):
        total[..., step:] += x[..., :-step]
        total[..., :-step] += x[..., step:]
    return total


def _check(x: Any, radius: int) -> None:
    if x.ndim != 4:
        raise InvalidArgumentError(message=f"in must be 4-dimensional: {listed(x.shape)}")
    if radius < 0:
        raise InvalidArgumentError(message=f"depth_radius must not be negative, but is {radius}")


@lrn_op.kernel
def lrn_kernel(xp: Any, x: Any, radius: int, bias: float, alpha: float, beta: float) -> Any:
    _check(x, radius)
    wide = x.astype(wide_type(x.dtype), copy=False)
    norms = _neighbours(xp, wide * wide, radius)
    norms *= wide.dtype.type(alpha)
    norms += wide.dtype.type(bias)
    return (wide * _power(xp, norms, beta)).astype(x.dtype, copy=False)


def _power(xp: Any, norms: Any, beta: float) -> Any:
    """norms ** -beta."""
    if beta == 1:
        return 1 / norms
    return 1 / xp.sqrt(norms) if beta == 0.5 else xp.exp(xp.log(norms) * norms.dtype.type(-beta))


@lrn_grad_op.kernel
def lrn_grad_kernel(
    xp: Any, g: Any, x: Any, y: Any, radius: int, bias: float, alpha: float, beta: float
) -> Any:  # fmt: skip
    _check(g, radius)
    if not g.shape == x.shape == y.shape:
        raise InvalidArgumentError(message="input_grads, input_image and output_image should have the same shape, but "
                                           f"have {listed(g.shape)}, {listed(x.shape)}, {listed(y.shape)}")  # fmt: skip
    gradients, images, outputs = (each.astype(wide_type(x.dtype), copy=False) for each in (g, x, y))
    real = images.dtype.type
    norms = _neighbours(xp, images * images, radius)
    norms *= real(alpha)
    norms += real(bias)
    shared = _neighbours(xp, gradients * outputs / norms, radius)
    shared *= images
    shared *= real(-2 * alpha * beta)
    return (gradients * _power(xp, norms, beta) + shared).astype(x.dtype, copy=False)


lrn_op.distributes(labelled(lambda x, *attrs: ([[0, 1, 2, None]], [[0, 1, 2, None]])))
lrn_grad_op.distributes(labelled(lambda g, x, y, *attrs: ([[0, 1, 2, None]] * 3, [[0, 1, 2, None]])))


@lrn_op.flops
@OfResult
def lrn_flops(result: tuple[int, ...], x: Any, radius: int, *attrs: Any) -> int:
    return prod(result) * (2 * radius + 5 + 2 * TRANSCENDENTAL)


@lrn_grad_op.flops
@OfResult
def lrn_grad_flops(result: tuple[int, ...], g: Any, x: Any, y: Any, radius: int, *attrs: Any) -> int:
    return prod(result) * (4 * radius + 10 + 2 * TRANSCENDENTAL)


@lrn_op.gradient("lrn_grad(g, input, output)")
def lrn_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    x, *attrs = op.args
    return [lambda: lrn_grad_op(g, x, op.outputs[0], *attrs)]


lrn_grad_op.no_gradient("TensorFlow has none; write local_response_normalization with tf.square and tf.pow")


@lrn_op.samples
def lrn_samples(rng: np.random.Generator) -> Samples:
    for dtype in ("f4", "f8", "f2"):
        yield sample(rng.standard_normal((2, 2, 1, 5)).astype(dtype), 1, 2.0, 0.5, 0.75)
    yield sample(rng.standard_normal((1, 1, 2, 4)).astype("f4"))
    yield sample(rng.standard_normal((1, 1, 2, 4)).astype("f4"), 0, 1.0, 1.0, 1.0)
    yield sample(np.zeros((0, 1, 2, 4), "f4"))


@lrn_grad_op.samples
def lrn_grad_samples(rng: np.random.Generator) -> Samples:
    for shape, dtype in (((2, 2, 1, 5), "f4"), ((1, 2, 2, 3), "f8"), ((1, 2, 2, 3), "f2"), ((0, 1, 2, 4), "f4")):
        g, x = (rng.standard_normal(shape).astype(dtype) for _ in range(2))
        yield sample(g, x, lrn_kernel(np, x, 1, 2.0, 0.5, 0.75), 1, 2.0, 0.5, 0.75)
