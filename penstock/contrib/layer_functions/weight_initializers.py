"""Initializers of `tf.contrib.layers`: random numbers whose spread follows from how many weights meet in a unit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ... import float32, random_uniform, truncated_normal
from ...errors import DTypeError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import DTypeLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import as_dtype

Initializer = Callable[..., Tensor]
MODES = ("FAN_IN", "FAN_OUT", "FAN_AVG")


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: DTypeLike = float32,
) -> Initializer:
    """An initializer of numbers with the variance factor / n, n being the inputs of a unit, its outputs, or their mean.

    Args:
        factor: a number above 0; 2 suits relu.
        mode: "FAN_IN", "FAN_OUT" or "FAN_AVG": what n counts.
        uniform: whether the numbers are uniform; otherwise normal, without those beyond two standard deviations.
        seed: a seed of the random numbers.
        dtype: a float dtype, for calls that give none.

    Returns:
        A function of a shape and a dtype that gives a tensor.

    Raises:
        TypeError: `dtype` is not float, or `mode` is another word.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.get_variable("w", [3, 3, 4, 8], initializer=tf.contrib.layers.variance_scaling_initializer()).shape
    TensorShape((3, 3, 4, 8))

    Source: TensorFlow 1.x, `tf.contrib.layers.variance_scaling_initializer`.
    """
    usual = as_dtype(dtype)
    if not usual.is_floating:
        raise DTypeError(f"Cannot create initializer for non-floating point type {usual.name}.")
    if mode not in MODES:
        raise DTypeError(f"Unknown mode {mode!r}; it is one of {', '.join(MODES)}")

    def initialize(shape: Sequence[int], dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        sizes = [int(size) for size in shape]
        made = usual if dtype is None else as_dtype(dtype)
        if not made.is_floating:
            raise DTypeError(f"Cannot create initializer for non-floating point type {made.name}.")
        n = _fan(sizes, mode)
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random_uniform(sizes, -limit, limit, made, seed=seed)
        # Without the tails the deviation of a normal distribution is smaller: 1.3 makes up for it.
        return truncated_normal(sizes, 0.0, math.sqrt(1.3 * factor / n), made, seed=seed)

    return initialize


def _fan(sizes: Sequence[int], mode: str) -> float:
    if not sizes:
        return 1.0
    receptive = math.prod(sizes[:-2])
    inputs, outputs = sizes[-2] if len(sizes) > 1 else sizes[-1], sizes[-1]
    by_mode = {"FAN_IN": inputs, "FAN_OUT": outputs, "FAN_AVG": (inputs + outputs) / 2.0}
    return float(receptive * by_mode[mode])


@documented_like(variance_scaling_initializer)
def xavier_initializer(uniform: bool = True, seed: int | None = None, dtype: DTypeLike = float32) -> Initializer:
    """An initializer of numbers with the variance 1 / n, n being the mean of the inputs and outputs of a unit.

    Raises:
        TypeError: `dtype` is not float.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.get_variable("w", [784, 10], initializer=tf.contrib.layers.xavier_initializer()).shape
    TensorShape((784, 10))
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)
