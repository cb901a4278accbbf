"""Normalization of batches: sufficient statistics, weighted moments, and what is done with a mean and a variance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import ShapeError, ValueRuleError
from ...graph.building.convert import first_tensor
from ...graph.declare.signature import TensorLike, as_bool, as_int
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import float16, float32
from ..control.control import stop_gradient
from ..create.constant_and_placeholder import constant, convert_to_tensor
from ..create.creation import zeros_like
from ..create.shape_size_rank import rank as rank_op
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite, name_of_scope
from ..declare.reduction_decl import either
from ..elementwise.arithmetic import add, maximum, multiply, reciprocal, rsqrt, square, squared_difference, subtract
from ..elementwise.casting import cast
from ..elementwise.no_nan import div_no_nan
from ..index.gathering import gather
from ..move.reshaping import reshape
from ..reduce.reductions import reduce_mean, reduce_prod, reduce_sum

PUBLIC_NAMES = {
    "start_nn": (
        "batch_norm_with_global_normalization batch_normalization fused_batch_norm normalize_moments "
        "sufficient_statistics weighted_moments"
    ),
}


@composite("sufficient_statistics")
def sufficient_statistics(
    x: TensorLike,
    axes: Iterable[int],
    shift: TensorLike | None = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What the mean and the variance along `axes` follow from: a count, a sum and a sum of squares.

    Args:
        x: numbers, any shape.
        axes: the axes, a list of Python ints; negative ones count from the end.
        shift: subtracted from `x` before it is summed, which keeps digits where it is near the mean; a tensor that
            broadcasts to `x`. None (the default) shifts nothing.
        keep_dims: True keeps each reduced axis with size 1.
        keepdims: newer name of `keep_dims`.

    Returns:
        Four values (count, sum, sum of squares, shift): tensors with the dtype of `x`, of which the count is a scalar,
        and `shift` as a tensor, or None.

    Raises:
        TypeError: an axis is not an int.
        ValueError: an axis is out of range, or both names of one argument are given.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     count, total, squares, shift = tf.nn.sufficient_statistics([[1.0, 2.0], [3.0, 6.0]], [0])
    ...     print(*session.run([count, total, squares]), shift)
    2.0 [4. 8.] [10. 40.] None

    Source: TensorFlow 1.x, `tf.nn.sufficient_statistics`.
    """
    keep = bool(either("keepdims", keepdims, "keep_dims", keep_dims))
    given = convert_to_tensor(x)
    numbers = list(dict.fromkeys(as_int(axis) for axis in axes))
    offset = None if shift is None else convert_to_tensor(shift, given.dtype)
    shifted = given if offset is None else subtract(given, offset)
    squares = square(given) if offset is None else squared_difference(given, offset)
    return _count(given, numbers), reduce_sum(shifted, numbers, keep), reduce_sum(squares, numbers, keep), offset


def _count(x: Tensor, axes: list[int]) -> Tensor:
    """How many elements each sum along `axes` has, in the dtype of x."""
    dims = x.shape.raw
    if dims is not None:
        for axis in axes:
            if not -len(dims) <= axis < len(dims):
                raise ShapeError(f"Invalid reduction dimension {axis} for input with {len(dims)} dimensions")
        sizes = [dims[axis] for axis in axes]
        if all(isinstance(size, int) for size in sizes):
            total = 1
            for size in sizes:
                total *= size  # type: ignore[assignment]  # an int
            return constant(total, x.dtype)
    positive = [axis if axis >= 0 else add(rank_op(x), axis) for axis in axes]
    return reduce_prod(cast(gather(shape_op(x), convert_to_tensor(positive)), x.dtype))


@composite("normalize")
def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance that follow from sufficient statistics.

    Args:
        counts: how many elements were summed, a float scalar.
        mean_ss: their sum.
        variance_ss: the sum of their squares.
        shift: what was subtracted from them before, or None.

    Returns:
        Two tensors (mean, variance) with the shape and dtype of `mean_ss`.

    Raises:
        TypeError: the dtypes differ or are not floats.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     statistics = tf.nn.sufficient_statistics([[1.0, 2.0], [3.0, 6.0]], [0])
    ...     print(*session.run(tf.nn.normalize_moments(*statistics)))
    [2. 4.] [1. 4.]

    Source: TensorFlow 1.x, `tf.nn.normalize_moments`.
    """
    factor = reciprocal(convert_to_tensor(counts))
    shifted = multiply(mean_ss, factor)
    variance = subtract(multiply(variance_ss, factor), square(shifted))
    return shifted if shift is None else add(shifted, shift), variance


@composite("weighted_moments")
def weighted_moments(
    x: TensorLike,
    axes: TensorLike,
    frequency_weights: TensorLike,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance along `axes`, with a weight for each element.

    Args:
        x: floats, any shape.
        axes: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1.
        frequency_weights: how often each element counts; numbers that broadcast with `x`.
        keep_dims: older name of `keepdims`.
        keepdims: True keeps each reduced axis with size 1. The default is False.

    Returns:
        Two tensors (mean, variance) with the shape of `x` without the reduced axes, and its dtype; 0 where the weights
        sum to 0.

    Raises:
        TypeError: `x` has another dtype, or `axes` is not int.
        ValueError: an axis is out of range, or both names of one argument are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(*session.run(tf.nn.weighted_moments([1.0, 2.0, 4.0], [0], [3.0, 0.0, 1.0])))
    1.75 1.6875

    Source: TensorFlow 1.x, `tf.nn.weighted_moments`.
    """
    keep = bool(either("keepdims", keepdims, "keep_dims", keep_dims))
    given = convert_to_tensor(x)
    wide = cast(given, float32) if given.dtype is float16 else given
    weights = convert_to_tensor(frequency_weights)
    weights = weights if weights.dtype is wide.dtype else cast(weights, wide.dtype)
    total = reduce_sum(add(weights, zeros_like(wide)), axes, True)
    mean = div_no_nan(reduce_sum(multiply(weights, wide), axes, True), total)
    variance = div_no_nan(reduce_sum(multiply(weights, squared_difference(wide, mean)), axes, True), total)
    made = [each if keep else reduce_sum(each, axes) for each in (mean, variance)]  # of single elements: axes go
    narrow = [cast(each, given.dtype) if each.dtype is not given.dtype else each for each in made]
    return narrow[0], narrow[1]


# ---- with a mean and a variance -----------------------------------------------------------------


@composite("batchnorm")
def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: float,
    name: str | None = None,
) -> Tensor:
    """scale * (x - mean) / sqrt(variance + variance_epsilon) + offset.

    Args:
        x: floats, any shape.
        mean, variance: floats that broadcast to `x`, such as those of `tf.nn.moments`.
        offset: what is added, or None.
        scale: the factor, or None.
        variance_epsilon: a small number, so that nothing is divided by 0.

    Returns:
        A tensor with the shape and dtype of `x`.

    Raises:
        TypeError: the dtypes differ or are not floats.
        ValueError: the shapes do not broadcast.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([[1.0, 2.0], [3.0, 6.0]])
    ...     mean, variance = tf.nn.moments(x, [0])
    ...     print(session.run(tf.nn.batch_normalization(x, mean, variance, 10.0, None, 0.0)))
    [[ 9.  9.]
     [11. 11.]]

    Source: TensorFlow 1.x, `tf.nn.batch_normalization`.
    """
    return normalized(convert_to_tensor(x), mean, variance, offset, scale, variance_epsilon)


def normalized(x: Tensor, mean: Any, variance: Any, offset: Any, scale: Any, epsilon: float) -> Tensor:
    """The nodes of `batch_normalization`."""
    # Numbers and lists take the dtype of x; tensors may be wider than x.
    center, spread, up, factor_of = (
        each if each is None or first_tensor(each) is not None else convert_to_tensor(each, x.dtype)
        for each in (mean, variance, offset, scale)
    )
    factor = rsqrt(add(spread, epsilon))
    if factor_of is not None:
        factor = multiply(factor, factor_of)
    moved = multiply(center, factor)
    rest = -moved if up is None else subtract(up, moved)
    return add(multiply(x, _as(factor, x)), _as(rest, x))


def _as(value: Tensor, x: Tensor) -> Tensor:
    return value if value.dtype is x.dtype else cast(value, x.dtype)


@composite("batchnorm")
def batch_norm_with_global_normalization(
    t: TensorLike | None = None,
    m: TensorLike | None = None,
    v: TensorLike | None = None,
    beta: TensorLike | None = None,
    gamma: TensorLike | None = None,
    variance_epsilon: float | None = None,
    scale_after_normalization: bool | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
) -> Tensor:
    """gamma * (t - m) / sqrt(v + variance_epsilon) + beta, an older form of `batch_normalization`.

    Args:
        t: floats; `m`, `v`, `beta` and `gamma` are vectors as long as its last dimension.
        m: the mean.
        v: the variance.
        beta: what is added.
        gamma: the factor.
        variance_epsilon: a small number, so that nothing is divided by 0.
        scale_after_normalization: False leaves out `gamma`.
        input: another name for `t`.
        mean: another name for `m`.
        variance: another name for `v`.

    Returns:
        A tensor with the shape and dtype of `t`.

    Raises:
        TypeError: the dtypes differ or are not floats.
        ValueError: the shapes do not broadcast, or an argument is missing or given under both names.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.constant([[1.0, 2.0], [3.0, 6.0]])
    ...     made = tf.nn.batch_norm_with_global_normalization(t, [2.0, 4.0], [1.0, 4.0], [0.0, 0.0], [1.0, 2.0], 0.0,
    ...                                                       scale_after_normalization=True)
    ...     print(session.run(made))
    [[-1. -2.]
     [ 1.  2.]]

    Source: TensorFlow 1.x, `tf.nn.batch_norm_with_global_normalization`.
    """
    x = either("input", input, "t", t)
    center = either("mean", mean, "m", m)
    spread = either("variance", variance, "v", v)
    for parameter, given in (("t", x), ("m", center), ("v", spread), ("variance_epsilon", variance_epsilon)):
        if given is None:
            raise ValueRuleError(f"`{parameter}` must be provided for batch_norm_with_global_normalization")
    scale = gamma if scale_after_normalization else None
    return normalized(convert_to_tensor(x), center, spread, beta, scale, variance_epsilon or 0.0)


@composite("FusedBatchNormV3")
def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """The batch normalization of images, with the mean and the variance of each channel.

    Gradients flow from the first result to `x`, `scale` and `offset` only, as in TensorFlow.

    Args:
        x: floats of rank 4 or 5.
        scale: the factor of each channel, a vector of float32, or float64 beside a float64 `x`.
        offset: what is added to each channel, a vector like `scale`.
        mean, variance: of each channel, vectors like `scale`: those to normalize with where `is_training` is False, the
            running ones to update where `exponential_avg_factor` is not 1, otherwise None.
        epsilon: a small number that is added to the variance.
        data_format: "NHWC" or "NDHWC", where the channels are last; "NCHW" or "NCDHW", where they are dimension 1.
        is_training: whether the mean and the variance are those of `x`.
        exponential_avg_factor: the weight of the new mean and variance in the running ones.

    Returns:
        Three tensors (y, mean, variance): the result with the shape and dtype of `x`, and the running mean and variance
        (of which the variance is that of a sample, divided by n - 1).

    Raises:
        TypeError: the dtypes differ or are not floats.
        ValueError: the shapes do not fit, or `mean` and `variance` are missing.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.reshape(tf.constant([1.0, 2.0, 3.0, 6.0]), [2, 1, 1, 2])
    ...     y, mean, variance = tf.nn.fused_batch_norm(x, [1.0, 1.0], [0.0, 10.0], epsilon=0.0)
    ...     print(session.run(y).reshape(2, 2).tolist(), *session.run([mean, variance]))
    [[-1.0, 9.0], [1.0, 11.0]] [2. 4.] [2. 8.]

    Source: TensorFlow 1.x, `tf.nn.fused_batch_norm`.
    """
    training = as_bool(is_training)
    if (not training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueRuleError("Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
                             "`exponential_avg_factor` != 1.0")  # fmt: skip
    if data_format not in ("NHWC", "NDHWC", "NCHW", "NCDHW"):
        raise ValueRuleError(f"`data_format` is {data_format!r}, not one of NHWC, NDHWC, NCHW, NCDHW")
    images = convert_to_tensor(x)
    rank = len(data_format)
    images.shape.with_rank(rank)
    place = rank - 1 if data_format.endswith("C") else 1
    others = [d for d in range(rank) if d != place]
    wide = cast(images, float32) if images.dtype.size == 2 else images

    def by_channel(vector: TensorLike) -> Tensor:
        each = convert_to_tensor(vector, wide.dtype)
        return each if place == rank - 1 else reshape(each, [1, -1, *[1] * (rank - 2)])

    if not training:
        assert mean is not None and variance is not None
        center, spread = (stop_gradient(convert_to_tensor(each, wide.dtype)) for each in (mean, variance))
        y = normalized(wide, by_channel(center), by_channel(spread), by_channel(offset), by_channel(scale), epsilon)
        return _as(y, images), center, spread
    center = reduce_mean(wide, others, True)
    distance = subtract(wide, center)
    spread = reduce_mean(square(distance), others, True)
    factor = multiply(rsqrt(add(spread, epsilon)), by_channel(scale))
    y = add(multiply(distance, factor), by_channel(offset), None if wide is not images else name_of_scope())
    count = cast(reduce_prod(gather(shape_op(images), others)), wide.dtype)
    sample = multiply(spread, divide_counts(count))
    means = [stop_gradient(reshape(each, [-1])) for each in (center, sample)]
    if exponential_avg_factor != 1.0:
        old = [convert_to_tensor(each, wide.dtype) for each in (mean, variance)]
        part = exponential_avg_factor
        means = [add(multiply(b, 1.0 - part), multiply(n, part)) for b, n in zip(old, means, strict=True)]
    return _as(y, images), means[0], means[1]


def divide_counts(count: Tensor) -> Tensor:
    """n / (n - 1), and n / 1 for one element: from the variance of all to that of a sample."""
    return multiply(count, reciprocal(maximum(subtract(count, 1.0), 1.0)))
