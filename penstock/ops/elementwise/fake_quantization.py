"""Fake quantization: floats rounded to what a few bits can say, for training networks that will run on ints."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import ValueRuleError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import Attr, Flag, FloatAttr, Operand, TensorLike, as_int, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import float32
from ...graph.shapes.shape import TensorShape
from ..declare.elementwise_decl import broadcast_shape
from ..declare.shape_checks import shape_of_first

PUBLIC_NAMES = {"tf": "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient"}


def _bits(value: Any) -> int:
    bits = as_int(value)
    if not 2 <= bits <= 16:
        raise ValueRuleError(f"num_bits must be between 2 and 16, inclusive, got {bits}")
    return bits


Bits: TypeAlias = Annotated[int, Attr(_bits)]
Floats32: TypeAlias = Annotated[TensorLike, Operand("T", bits_of(float32))]


def _checked(min: float, max: float) -> None:
    if min >= max:
        raise ValueRuleError(f"min has to be smaller than max, was: {min:g} >= {max:g}")


def _levels(min: float, max: float, num_bits: int, narrow_range: bool) -> tuple[Any, Any, Any]:
    """The lowest level, the highest one and the step between two, so that 0 is a level."""
    first, last = np.float32(narrow_range), np.float32(2**num_bits - 1)
    step = (np.float32(max) - np.float32(min)) / (last - first)
    zero = np.floor(np.clip(first - np.float32(min) / step, first, last) + np.float32(0.5))
    return (first - zero) * step, (last - zero) * step, step


@op(
    "FakeQuantWithMinMaxArgs", graphdef="min/-6 max/6 num_bits/8 narrow_range/False ->outputs",
    elementwise=True, flops=7, gradient_note="a function of steps, through which TensorFlow passes gradients",
)  # fmt: skip
def fake_quant_with_min_max_args(
    inputs: Floats32, min: FloatAttr = -6, max: FloatAttr = 6, num_bits: Bits = 8, narrow_range: Flag = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`inputs` rounded to the nearest of 2 ** num_bits levels from `min` to `max`, one of which is 0.

    So that 0 is a level, all levels are moved by less than a step: min=-6 becomes -6.0235.

    Args:
        inputs: float32, any shape.
        min: about the lowest level, a Python float.
        max: about the highest level, a Python float.
        num_bits: the bits of a level, an int from 2 to 16.
        narrow_range: whether there is one level less.

    Returns:
        A tensor with the shape and dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float32, or an argument is not what is said above.
        ValueError: `min` is not less than `max`, or `num_bits` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.fake_quant_with_min_max_args([-1.0, 0.4, 1.6, 9.0], 0, 3, num_bits=2)))
    [0. 0. 2. 3.]

    Source: TensorFlow 1.x, `tf.fake_quant_with_min_max_args`.
    """


@fake_quant_with_min_max_args.shape
def fake_quant_with_min_max_args_shape(inputs: Tensor, min: float, max: float, *attrs: Any) -> TensorShape:
    _checked(min, max)
    return shape_of_first(inputs)


@fake_quant_with_min_max_args.kernel
def fake_quant_with_min_max_args_kernel(xp: Any, inputs: Any, *attrs: Any) -> Any:
    low, high, step = _levels(*attrs)
    per_step, half = np.float32(1) / step, np.float32(0.5)
    zero = np.floor(half - low * per_step)
    inside = xp.minimum(xp.maximum(inputs, low), high)
    return xp.floor((inside - low) * per_step - zero + half) * step


@fake_quant_with_min_max_args.gradient("g where inputs lie between the lowest and the highest level, else 0")
def fake_quant_with_min_max_args_gradient_rule(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: ops.fake_quant_with_min_max_args_gradient(g, *op.args)]


@fake_quant_with_min_max_args.samples
def fake_quant_with_min_max_args_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([-9.0, -6.0, 0.01, 0.5, 3.0, np.inf, np.nan], "f4"))
    yield sample(rng.uniform(-1, 9, (2, 3)).astype("f4"), 1.0, 7.0, 3, True)
    yield sample(np.zeros((0, 2), "f4"), min=-7.0, max=-1.0)


@op(
    "FakeQuantWithMinMaxArgsGradient", graphdef="min/-6 max/6 num_bits/8 narrow_range/False ->backprops",
    elementwise=True, flops=4, gradient_note="its operands are float32 only, too few digits for differences",
)  # fmt: skip
@documented_like(fake_quant_with_min_max_args)
def fake_quant_with_min_max_args_gradient(
    gradients: Floats32, inputs: Floats32, min: FloatAttr = -6, max: FloatAttr = 6, num_bits: Bits = 8,
    narrow_range: Flag = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """`gradients` where `inputs` lie between the lowest and the highest level, else 0: the gradient of rounding.

    Args:
        gradients: float32, of the shape of `inputs`.
        inputs: float32, what was rounded.

    Returns:
        A tensor with the shape and dtype of `inputs`.

    Raises:
        TypeError: an operand is not float32, or an argument is not what is said above.
        ValueError: `min` is not less than `max`, `num_bits` is out of range, or the shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.fake_quant_with_min_max_args_gradient([1.0, 2.0], [0.5, 9.0])))
    [1. 0.]

    Source: TensorFlow 1.x, `tf.fake_quant_with_min_max_args_gradient`.
    """


@fake_quant_with_min_max_args_gradient.shape
def fake_quant_with_min_max_args_gradient_shape(gradients: Tensor, inputs: Tensor, *attrs: Any) -> TensorShape:
    _checked(*attrs[:2])
    return broadcast_shape(gradients, inputs)


@fake_quant_with_min_max_args_gradient.kernel
def fake_quant_with_min_max_args_gradient_kernel(xp: Any, gradients: Any, inputs: Any, *attrs: Any) -> Any:
    low, high, _ = _levels(*attrs)
    return xp.where((inputs >= low) & (inputs <= high), gradients, np.float32(0))


@fake_quant_with_min_max_args_gradient.gradient("gradients: the same of g; inputs: none, it is constant between levels")
def fake_quant_with_min_max_args_second_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: fake_quant_with_min_max_args_gradient(g, *op.args[1:]), None]


@fake_quant_with_min_max_args_gradient.samples
def fake_quant_with_min_max_args_gradient_samples(rng: np.random.Generator) -> Samples:
    inputs = np.array([-9.0, -6.0, 0.01, 6.0, np.inf, np.nan], "f4")
    yield sample(np.arange(6, dtype="f4"), inputs)
    yield sample(np.ones((0, 2), "f4"), np.zeros((0, 2), "f4"), 0.0, 1.0, 4, True)
