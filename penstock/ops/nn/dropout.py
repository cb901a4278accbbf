"""Dropout: some elements become 0 at random, the others are scaled up."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from ...errors import DTypeError, ShapeError, UseError, ValueRuleError
from ...graph.declare.signature import TensorLike
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dimension
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import shape
from ..declare.composite import composite, name_of_scope
from ..elementwise.arithmetic import multiply, subtract, truediv
from ..elementwise.casting import cast
from ..elementwise.comparison import greater_equal
from ..elementwise.no_nan import multiply_no_nan
from ..random.random_api import random_uniform

PUBLIC_NAMES = {"start_nn": "dropout"}


@composite("dropout")
def dropout(
    x: TensorLike,
    keep_prob: TensorLike | None = None,
    noise_shape: TensorLike | TensorShape | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: TensorLike | None = None,
) -> Tensor:
    """`x` with elements that are 0 at random and others divided by the probability to stay.

    Args:
        x: floats, any shape.
        keep_prob: the probability that an element stays, in (0, 1]: a number or a float scalar.
        noise_shape: the shape of the random decisions, which broadcasts to that of `x`: along a size of 1 all elements
            stay or go together. None as a size stands for that of `x`.
        seed: an op seed, see `set_random_seed`.
        rate: the probability that an element becomes 0, in [0, 1), in place of `keep_prob`.

    Returns:
        A tensor with the shape and dtype of `x`; `x` itself if everything stays.

    Raises:
        TypeError: `x` is not float, a probability is no number and no tensor, or a seed is no int.
        ValueError: not exactly one of `keep_prob` and `rate` is given, or it is out of range.
        InvalidArgumentError (when run): `noise_shape` does not broadcast to the shape of `x`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.dropout(tf.ones([2, 4]), keep_prob=0.5, seed=1)))
    [[0. 2. 0. 0.]
     [2. 0. 0. 0.]]

    Source: TensorFlow 1.x, `tf.nn.dropout`.
    """
    dropped = _rate(keep_prob, rate)
    tensor = convert_to_tensor(x, name="x")
    dtype = tensor.dtype
    if not dtype.is_floating:
        raise DTypeError(f"x is {dtype}; it must be float, because it is scaled", operand=0)
    if not isinstance(dropped, Tensor):
        if not 0 <= dropped < 1:
            wrong = f"rate is {rate}; it must be in [0, 1)"
            raise ValueRuleError(wrong if keep_prob is None else f"keep_prob is {keep_prob}; it must be in (0, 1]")
        if dropped == 0:
            get_default_graph().seeds_of_op(seed)  # so that the numbers of later ops do not depend on the rate
            return tensor
        scaled = multiply(tensor, 1 / (1 - dropped), name="mul")
        limit: Any = dropped
    else:
        limit = _as_dtype(dropped, dtype)
        scaled = truediv(tensor, _from_one(limit), name="truediv")
    drawn = random_uniform(_sizes(tensor, noise_shape), dtype=dtype, seed=seed)
    stays = greater_equal(drawn, limit, name="GreaterEqual")
    # Not a product: what goes is 0 where x is infinite or NaN too. `select` would need the mask in the shape of x.
    result = multiply_no_nan(scaled, cast(stays, dtype, name="mask"), name=name_of_scope())
    result.set_shape(tensor.shape)
    return result


def _from_one(probability: Tensor) -> Tensor:
    return subtract(convert_to_tensor(1, probability.dtype, name="one"), probability, name="sub")


def _as_dtype(rate: Tensor, dtype: DType) -> Tensor:
    if not rate.dtype.is_floating:
        raise DTypeError(f"the probability is {rate.dtype}; it must be float")
    return rate if rate.dtype is dtype else cast(rate, dtype, name="cast")


def _sizes(x: Tensor, noise_shape: Any) -> Any:
    """The shape of the random decisions."""
    if noise_shape is None:
        return shape(x)
    if isinstance(noise_shape, TensorShape):
        if noise_shape.ndims is None:
            return shape(x)
        noise_shape = list(noise_shape)
    if not isinstance(noise_shape, (list, tuple)):
        return noise_shape
    sizes = [size.value if isinstance(size, Dimension) else size for size in noise_shape]
    if None not in sizes:
        return sizes
    if x.shape.ndims is not None and x.shape.ndims != len(sizes):
        raise ShapeError(
            f"noise_shape has {len(sizes)} sizes and x has rank {x.shape.ndims}; None stands for a size of x"
        )
    whole = shape(x)
    return [whole[i] if size is None else size for i, size in enumerate(sizes)]


def _rate(keep_prob: Any, rate: Any) -> Tensor | float:
    """The probability to go: a number or a tensor."""
    if (keep_prob is None) == (rate is None):
        both = "both are given" if rate is not None else "neither is given"
        raise ValueRuleError(f"give either keep_prob or rate; {both}")
    probability = rate if keep_prob is None else keep_prob
    label = "rate" if keep_prob is None else "keep_prob"
    if isinstance(probability, np.ndarray) and probability.ndim == 0:
        probability = probability.item()
    if isinstance(probability, bool) or not isinstance(probability, (numbers.Real, Tensor)):
        raise UseError(f"{label} is {probability!r}; it must be a number or a float scalar tensor")
    if isinstance(probability, Tensor) and probability.shape.ndims not in (None, 0):
        raise ShapeError(f"{label} has shape {probability.shape}; it must be a scalar")
    if keep_prob is None:
        return probability if isinstance(probability, Tensor) else float(probability)
    return _from_one(probability) if isinstance(probability, Tensor) else 1.0 - float(probability)
