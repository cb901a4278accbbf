"""The gradients of relu, relu6 and leaky_relu, each an op of its own, as in TensorFlow.

What they give changes with the features only in jumps. So the derivative with respect to the features is zeros, where a
product with a mask, which is made of bools, would have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import DTypeError
from ...graph.declare.op_declaration import Sample, op, sample
from ...graph.declare.signature import Attr, Float
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import bfloat16
from ..declare.elementwise_decl import broadcast_shape, rounded_once
from ..declare.elementwise_gradient import sum_to_operand


def _slope(value: Any) -> float:
    if isinstance(value, (Tensor, str, bytes, bool, np.bool_)):
        raise DTypeError(f"must be a Python float, not {value!r}")
    try:
        return float(np.float32(value))  # TensorFlow keeps attributes as float32, beside float64 features too
    except (TypeError, ValueError):
        raise DTypeError(f"must be a Python float, not {value!r}") from None


Alpha: TypeAlias = Annotated[float, Attr(_slope)]
"""The slope of leaky_relu below 0."""


@op("ReluGrad", graphdef="T=features", elementwise=True, flops=2)
def relu_grad(gradients: Float, features: Float, name: str | None = None) -> Tensor:
    """`gradients` where features > 0, elsewhere times 0."""


@op("Relu6Grad", graphdef="T=features", elementwise=True, flops=4)
def relu6_grad(gradients: Float, features: Float, name: str | None = None) -> Tensor:
    """`gradients` where 0 < features < 6, elsewhere times 0."""


@op("LeakyReluGrad", graphdef="T=features alpha", elementwise=True, flops=2)
def leaky_relu_grad(gradients: Float, features: Float, alpha: Alpha = 0.2, name: str | None = None) -> Tensor:
    """`gradients` where features > 0, elsewhere times alpha."""


relu_grad.shape(broadcast_shape)
relu6_grad.shape(broadcast_shape)
leaky_relu_grad.shape(broadcast_shape)


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
def relu_grad_samples(rng: np.random.Generator) -> Iterator[Sample]:
    features = np.array([0.5, -1.5, 7.0, 0.0, 6.0, -0.0])
    for dtype in (np.dtype("f4"), np.dtype("f8"), bfloat16.np):
        yield sample(np.array([1.5, -2.0, 0.25, 3.0, -1.0, 2.0]).astype(dtype), features.astype(dtype))
    yield sample(rng.random((6, 1)), features)
    yield sample(np.zeros((0, 2), "f4"), np.zeros((0, 2), "f4"))
