"""Activation functions of neural networks: relu, relu6, sigmoid, softplus, softmax, log_softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.declare.axis_labels import all_but, labelled
from ...graph.declare.op_cost import TRANSCENDENTAL
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.op_facts import RowRule
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import COMPLEX, FLOATS, REALS, Int, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import float32
from ...graph.shapes.shape import TensorShape
from ..declare.composite import reported_as_call
from ..declare.elementwise_decl import one_piece, rounded_once, unary
from ..elementwise.arithmetic import subtract, truediv
from ..elementwise.casting import cast
from ..elementwise.transcendental import exp, log
from ..reduce.reductions import reduce_max, reduce_sum

PUBLIC_NAMES = {"start start_nn math": "log_softmax sigmoid softmax softplus", "start start_nn": "relu relu6"}

_Float = Annotated[TensorLike, Operand("T", FLOATS)]

# NumPy's loop for 16-bit floats keeps -0.0, the one for float32 gives 0.0: all tiers must use the same loop.
relu = unary("relu", "Relu", REALS, "max(features, 0); NaN stays NaN.", operand="features",
             kernel=rounded_once(lambda xp, x: xp.maximum(x, _zero(x))),
             gradient="relu_grad(g, out)",
             example=("tf.relu([-1.5, 0.0, 2.5])", "[0.  0.  2.5]"), graphdef="T=features ->activations")  # fmt: skip
relu6 = unary("relu6", "Relu6", REALS, "min(max(features, 0), 6).", operand="features", at=(0.5, -1.5, 7.0, 6.0),
              flops=2, gradient="relu6_grad(g, out)",
              example=("tf.relu6([-1.5, 2.5, 7.0])", "[0.  2.5 6. ]"),
              kernel=rounded_once(lambda xp, x: xp.minimum(xp.maximum(x, _zero(x)), x.dtype.type(6))),
              graphdef="T=features ->activations")  # fmt: skip
sigmoid = unary("sigmoid", "Sigmoid", FLOATS | COMPLEX, "1 / (1 + exp(-x)).",
                kernel=rounded_once(lambda xp, x: _sigmoid(xp, x)), staged=True,
                flops=TRANSCENDENTAL + 3,
                gradient="g * conj(out * (1.0 - out))",
                example=("tf.sigmoid([0.0, -1000.0])", "[0.5 0. ]"))  # fmt: skip
softplus = unary("softplus", "Softplus", FLOATS, "log(1 + exp(features)), close to max(features, 0) far from zero.",
                 operand="features",
                 kernel=rounded_once(lambda xp, x: xp.logaddexp(x, _zero(x))), staged=True,
                 flops=2 * TRANSCENDENTAL + 2,
                 gradient="g * sigmoid(features)",
                 example=("tf.softplus([0.0, 1000.0])", "[6.931472e-01 1.000000e+03]"),
                 graphdef="T=features ->activations")  # fmt: skip


def _sigmoid(xp: Any, x: Any) -> Any:
    one = x.dtype.type(1)
    if x.dtype.kind != "c":
        return xp.reciprocal(xp.exp(-x) + one)
    # exp(-x) of a large negative real part is inf + inf i, and 1 / that is NaN. Of -|real part| nothing overflows.
    is_left = x.real < 0
    small = xp.exp(xp.where(is_left, x, -x))
    return xp.where(is_left, small, one) / (small + one)


def _zero(x: Any) -> Any:
    """A zero of x's dtype: a Python 0 would promote a bfloat16 array."""
    return x.dtype.type(0)


# ---- softmax ------------------------------------------------------------------------------------


@reported_as_call("Softmax")
def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `axis`: numbers between 0 and 1 whose sum is 1.

    Args:
        logits: floats, of rank 1 or higher.
        axis: the axis of the sum, a Python int. None (the default) means the last one.
        dim: another name for `axis`.

    Returns:
        A tensor with the shape and dtype of `logits`. A row that holds NaN or inf becomes NaN.

    Raises:
        TypeError: `logits` has another dtype, or `axis` is not an int.
        ValueError: `logits` is a scalar, `axis` is out of range, or both `axis` and `dim` are given.
        InvalidArgumentError (when run): `logits` is a scalar, or `axis` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.softmax([[1000.0, 1000.0], [0.0, -1000.0]])))
    [[0.5 0.5]
     [1.  0. ]]

    Source: TensorFlow, `tf.nn.softmax`.
    """
    return softmax_along(logits, _axis("softmax", axis, dim), name)


@reported_as_call("LogSoftmax")
@documented_like(softmax)
def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None) -> Tensor:
    """log(softmax(x)) along `axis`, computed as x - log(sum(exp(x))) without overflow.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.log_softmax([0.0, -1000.0])))
    [    0. -1000.]
    """
    return log_softmax_along(logits, _axis("log_softmax", axis, dim), name)


def _axis(attempt: str, axis: int | None, dim: int | None) -> int:
    if axis is not None and dim is not None:
        raise ValueError(f"{attempt}: Cannot specify both 'axis' and 'dim'; they are one argument")
    return -1 if axis is None and dim is None else axis if dim is None else dim  # type: ignore[return-value]  # not None


# Greatest, difference, exp, sum, quotient; the logarithm of the second is one for each row, and not counted.
@op("Softmax", called="softmax", flops=TRANSCENDENTAL + 4)
def softmax_along(logits: _Float, axis: Int = -1, name: str | None = None) -> Tensor:
    """The op behind `softmax`: exp(x) / sum(exp(x)) along `axis`."""


@op("LogSoftmax", called="log_softmax", flops=TRANSCENDENTAL + 4)
def log_softmax_along(logits: _Float, axis: Int = -1, name: str | None = None) -> Tensor:
    """The op behind `log_softmax`: x - log(sum(exp(x))) along `axis`."""


@softmax_along.shape
@log_softmax_along.shape
def softmax_along_shape(logits: Tensor, axis: int) -> TensorShape:
    rank = logits.shape.with_rank_at_least(1).ndims
    if rank is not None and not -rank <= axis < rank:
        raise ShapeError(_out_of_range(axis, rank), operand=0)
    return logits.shape


def _out_of_range(axis: int, rank: int) -> str:
    allowed = f"[-{rank}, {rank}) where {rank} is the number of dimensions in the input"
    return f"`dim` must be in the range {allowed}. Received: dim={axis}"


def _shifted(xp: Any, logits: Any, axis: int) -> Any:
    """x - max(x) along the axis, row-major: the largest becomes 0, so that exp cannot overflow."""
    rank = logits.ndim
    if rank == 0:
        raise InvalidArgumentError(message="logits must have >= 1 dimension, got []")
    if not -rank <= axis < rank:
        raise InvalidArgumentError(message=_out_of_range(axis, rank))
    rows = one_piece(logits)
    return rows if not rows.size else rows - rows.max(axis, keepdims=True)


def _sums(xp: Any, powers: Any, axis: int) -> Any:
    assert reduce_sum.own_kernel is not None
    return reduce_sum.own_kernel(xp, powers, np.asarray(axis), True)


@softmax_along.kernel
@rounded_once
def softmax_along_kernel(xp: Any, logits: Any, axis: int) -> Any:
    powers = xp.exp(_shifted(xp, logits, axis))
    powers /= _sums(xp, powers, axis)
    return powers


@log_softmax_along.kernel
@rounded_once
def log_softmax_along_kernel(xp: Any, logits: Any, axis: int) -> Any:
    shifted = _shifted(xp, logits, axis)
    return shifted - xp.log(_sums(xp, xp.exp(shifted), axis))


def _is_last(logits: Sequence[Any], axis: int) -> bool:
    return axis in (-1, len(logits) - 1)


def _softmax_row(logits: Tensor, axis: int) -> Tensor:
    shifted = _shifted_row(logits)
    powers = exp(shifted)
    return cast(truediv(powers, reduce_sum(powers, -1, True)), logits.dtype)


def _log_softmax_row(logits: Tensor, axis: int) -> Tensor:
    shifted = _shifted_row(logits)
    return cast(subtract(shifted, log(reduce_sum(exp(shifted), -1, True))), logits.dtype)


def _shifted_row(logits: Tensor) -> Tensor:
    """x - max(x); 16-bit floats are computed in float32 and rounded once at the end."""
    wide = cast(logits, float32) if logits.dtype.size == 2 else logits
    return subtract(wide, reduce_max(wide, -1, True))


softmax_along.row_rule = RowRule(_softmax_row, _is_last)
log_softmax_along.row_rule = RowRule(_log_softmax_row, _is_last)


softmax_along.distributes(labelled(all_but))
log_softmax_along.distributes(labelled(all_but))


@softmax_along.gradient("(g - reduce_sum(g * out, axis, keepdims=True)) * out")
def softmax_along_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    out, axis = op.outputs[0], op.args[1]
    return [lambda: (g - ops.reduce_sum(g * out, axis, True)) * out]


@log_softmax_along.gradient("g - reduce_sum(g, axis, keepdims=True) * exp(out)")
def log_softmax_along_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: g - ops.reduce_sum(g, op.args[1], True) * ops.exp(op.outputs[0])]


@softmax_along.samples
@log_softmax_along.samples
def softmax_along_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(rng.random((2, 3, 2)), 1)
    yield sample(rng.random(4).astype("f2"), 0)
    yield sample(np.zeros((0, 3), "f4"))
    yield sample(np.zeros((3, 0), "f4"))
