"""Activation functions that bend at 0: elu, selu, leaky_relu, crelu; and the smooth softsign and log_sigmoid."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np

from ...graph.declare.op_cost import TRANSCENDENTAL
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import FLOATS, Attr, Float, TensorLike, as_float, as_int
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import bfloat16, float32
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import all_or_nothing, composite, name_of_scope, reported_as_call
from ..declare.elementwise_decl import broadcast_shape, rounded_once, unary
from ..declare.elementwise_gradient import sum_to_operand
from ..declare.shape_checks import shape_of_first
from ..elementwise.arithmetic import multiply, neg
from ..elementwise.casting import cast
from ..move.concat_stack import concat
from .activations import relu, sigmoid, softplus

PUBLIC_NAMES = {
    "start start_nn math": "log_sigmoid",
    "start_nn": "crelu elu leaky_relu selu swish",
    "start_nn math": "softsign",
}

# ---- the ops of the gradients --------------------------------------------------------------------


# The gradients of relu, relu6 and leaky_relu, each an op of its own, as in TensorFlow.
#
# What they give changes with the features only in jumps. So the derivative with respect to the features is zeros, where
# a product with a mask, which is made of bools, would have none.


def _slope(value: Any) -> float:
    return float(np.float32(as_float(value)))  # TensorFlow keeps attributes as float32, beside float64 features too


Alpha: TypeAlias = Annotated[float, Attr(_slope)]
"""The slope of leaky_relu below 0."""


@op("ReluGrad", graphdef="T=features ->backprops", elementwise=True, flops=2, shape=broadcast_shape)
def relu_grad(gradients: Float, features: Float, name: str | None = None) -> Tensor:
    """`gradients` where features > 0, elsewhere times 0."""


@op("Relu6Grad", graphdef="T=features ->backprops", elementwise=True, flops=4, shape=broadcast_shape)
def relu6_grad(gradients: Float, features: Float, name: str | None = None) -> Tensor:
    """`gradients` where 0 < features < 6, elsewhere times 0."""


@op("LeakyReluGrad", graphdef="T=features alpha ->backprops", elementwise=True, flops=2, shape=broadcast_shape)
def leaky_relu_grad(gradients: Float, features: Float, alpha: Alpha = 0.2, name: str | None = None) -> Tensor:
    """`gradients` where features > 0, elsewhere times alpha."""


def _where_positive(xp: Any, gradients: Any, features: Any, alpha: float = 0.0) -> Any:
    return xp.where(features > features.dtype.type(0), gradients, gradients * gradients.dtype.type(alpha))


def _where_rising(xp: Any, gradients: Any, features: Any) -> Any:
    """Two choices, one after the other: what is 0 already stays what it is."""
    positive = _where_positive(xp, gradients, features)
    return xp.where(features < features.dtype.type(6), positive, positive * gradients.dtype.type(0))


relu_grad.kernel(rounded_once(_where_positive))
relu6_grad.kernel(rounded_once(_where_rising))
leaky_relu_grad.kernel(rounded_once(_where_positive))


@relu_grad.gradient("of gradients: as of relu; of features: zeros")
@relu6_grad.gradient("of gradients: as of relu6; of features: zeros")
@leaky_relu_grad.gradient("of gradients: as of leaky_relu; of features: zeros")
def relu_grad_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [
        lambda: sum_to_operand(ops, op.opdef(g, *op.args[1:]), op, 0),
        lambda: ops.zeros_like(op.inputs[1]),
    ]


@relu_grad.samples
@relu6_grad.samples
@leaky_relu_grad.samples
def relu_grad_samples(rng: np.random.Generator) -> Samples:
    features = np.array([0.5, -1.5, 7.0, 0.0, 6.0, -0.0])
    for dtype in (np.dtype("f4"), np.dtype("f8"), bfloat16.np):
        yield sample(np.array([1.5, -2.0, 0.25, 3.0, -1.0, 2.0]).astype(dtype), features.astype(dtype))
    yield sample(rng.random((6, 1)), features)
    yield sample(np.zeros((0, 2), "f4"), np.zeros((0, 2), "f4"))


SELU_SCALE = 1.0507009873554804934193349852946
SELU_FLOOR = 1.7580993408473768599402175208123
"""The limit of -selu(x) far below 0: scale * alpha of Klambauer et al., 2017."""


def _below_zero(xp: Any, x: Any, below: Any, above: Any) -> Any:
    """`below` where x < 0, else `above`, where NaN stays."""
    return xp.where(x < x.dtype.type(0), below, above)


elu = unary("elu", "Elu", FLOATS, "x where x >= 0, else exp(x) - 1.", operand="features", within="nn.",
            kernel=rounded_once(lambda xp, x: _below_zero(xp, x, xp.expm1(x), x)), staged=True,
            flops=TRANSCENDENTAL + 2,
            gradient="where(out < 0.0, g * (out + 1.0), g)",
            example=("tf.nn.elu([-1.0, 0.0, 2.0])", "[-0.63212055  0.          2.        ]"),
            graphdef="T=features ->activations")  # fmt: skip
selu = unary("selu", "Selu", FLOATS, "1.0507 * x where x >= 0, else 1.7581 * (exp(x) - 1).",
             operand="features", within="nn.",
             kernel=rounded_once(lambda xp, x: _below_zero(xp, x, xp.expm1(x) * x.dtype.type(SELU_FLOOR),
                                                           x * x.dtype.type(SELU_SCALE))),
             staged=True, flops=TRANSCENDENTAL + 4,
             gradient=f"where(out < 0.0, g * (out + {SELU_FLOOR}), g * {SELU_SCALE})",
             example=("tf.nn.selu([-1.0, 0.0, 2.0])", "[-1.1113307  0.         2.101402 ]"),
             graphdef="T=features ->activations")  # fmt: skip
softsign = unary("softsign", "Softsign", FLOATS, "features / (1 + |features|), between -1 and 1.",
                 operand="features", within="nn.",
                 kernel=rounded_once(lambda xp, x: x / (abs(x) + x.dtype.type(1))), flops=3,
                 gradient="g / square(1.0 + abs(features))",
                 example=("tf.nn.softsign([-3.0, 0.0, 1.0])", "[-0.75  0.    0.5 ]"),
                 graphdef="T=features ->activations")  # fmt: skip


@composite("swish")
def swish(features: TensorLike) -> Tensor:
    """features * sigmoid(features), also called SiLU.

    Args:
        features: floats, any shape.

    Returns:
        A tensor with the shape and dtype of `features`.

    Raises:
        TypeError: `features` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.swish([-1.0, 0.0, 2.0])))
    [-0.2689414  0.         1.761594 ]

    Source: TensorFlow 1.15, `tf.nn.swish`; Ramachandran, Zoph and Le (2017).
    """
    given = convert_to_tensor(features)
    return multiply(given, sigmoid(given))


# ---- leaky_relu ---------------------------------------------------------------------------------


@reported_as_call("LeakyRelu", one_op=True)
def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x where x > 0, else alpha * x.

    Args:
        features: ints or floats, any shape; ints are cast to float32.
        alpha: the slope below 0, a Python float.

    Returns:
        A tensor with the shape and dtype of `features`, float32 for ints.

    Raises:
        TypeError: `features` has another dtype, or `alpha` is not a number.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.leaky_relu([-5.0, 0.0, 2.0])))
    [-1.  0.  2.]

    Source: TensorFlow 1.x, `tf.nn.leaky_relu`.
    """

    def build() -> Tensor:
        x = convert_to_tensor(features)
        return leaky(cast(x, float32) if x.dtype.is_integer else x, alpha, name)

    return all_or_nothing([features], build)


@op(
    "LeakyRelu", called="leaky_relu", graphdef="T=features alpha ->activations", elementwise=True, flops=2,
    shape=shape_of_first,
)  # fmt: skip
def leaky(features: Float, alpha: Alpha = 0.2, name: str | None = None) -> Tensor:
    """The op behind `leaky_relu`."""


@leaky.kernel
def leaky_kernel(xp: Any, features: Any, alpha: float) -> Any:
    wide = features.astype(np.float32) if features.dtype.itemsize == 2 else features
    made = xp.where(wide > wide.dtype.type(0), wide, wide * wide.dtype.type(alpha))
    return made.astype(features.dtype, copy=False)


@leaky.gradient("g where features > 0, else alpha * g")
def leaky_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    features, alpha = op.args[:2]
    return [lambda: ops.leaky_relu_grad(g, features, alpha)]


@leaky.samples
def leaky_samples(rng: np.random.Generator) -> Samples:
    for dtype in (np.dtype("f4"), np.dtype("f8"), bfloat16.np):
        yield sample(np.array([0.5, -1.5, 2.0, 0.0]).astype(dtype))
    yield sample(np.array(-2.0, "f4"), 0.5)
    yield sample(np.zeros((0, 2), "f4"), alpha=2.0)


# ---- of other ops -------------------------------------------------------------------------------


@composite("CRelu")
def crelu(features: TensorLike, name: str | None = None, axis: int = -1) -> Tensor:
    """relu(x) and relu(-x), joined along `axis`.

    Args:
        features: numbers that are not complex, of rank 1 or higher.
        axis: where the two are joined, a Python int.

    Returns:
        A tensor of the shape of `features`, twice as long along `axis`, with the dtype of `features`.

    Raises:
        TypeError: `features` has another dtype, or `axis` is not an int.
        ValueError: `axis` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.crelu([-1.0, 2.0])))
    [0. 2. 1. 0.]

    Source: TensorFlow 1.x, `tf.nn.crelu`.
    """
    x = convert_to_tensor(features)
    return relu(concat(as_int(axis), [x, neg(x)]))


@composite("LogSigmoid")
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), computed as -softplus(-x) without overflow.

    Args:
        x: floats, any shape.

    Returns:
        A tensor with the shape and dtype of `x`.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.log_sigmoid([-1000.0, 0.0])))
    [-1.000000e+03 -6.931472e-01]

    Source: TensorFlow 1.x, `tf.log_sigmoid`.
    """
    return neg(softplus(neg(convert_to_tensor(x))), name=name_of_scope())
