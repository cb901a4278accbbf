"""Convolutions with holes, and `convolution`, which takes any number of dimensions."""

from __future__ import annotations

from typing import Any

from ...errors import ShapeError, ValueRuleError
from ...graph.declare.signature import TensorLike, as_int
from ...graph.model.nodes import Tensor
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import composite, name_of_scope
from ..declare.reduction_decl import either
from .conv2d_ops import ONES, conv2d_backprop_input_op
from .convolution_arguments import Ints, given, layout, only_words, spatial, steps_argument
from .convolution_calls import conv1d, conv2d, conv3d

PUBLIC_NAMES = {"nn": "atrous_conv2d atrous_conv2d_transpose convolution"}


@composite("convolution")
def convolution(
    input: TensorLike,
    filter: TensorLike | None = None,
    padding: str | None = None,
    strides: Ints | None = None,
    dilation_rate: Ints | None = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: TensorLike | None = None,
    dilations: Ints | None = None,
) -> Tensor:
    """The convolution of `input` over its dimensions beside the batch and the channels: one, two or three.

    Args:
        input: floats of shape (batch, spatial sizes, channels), or (batch, channels, spatial sizes).
        filter: of shape (spatial sizes, input channels, output channels) and the same dtype.
        padding: "SAME" or "VALID".
        strides: the steps of the filter along the spatial dimensions; None means 1.
        dilation_rate: the steps between taps of the filter along the spatial dimensions; None means 1. If one is larger
            than 1, all strides are 1.
        data_format: such as "NHWC" or "NCHW"; None means channels last.
        filters: another name of `filter`.
        dilations: another name of `dilation_rate`.

    Returns:
        A tensor of shape (batch, positions along each spatial dimension, output channels), with the layout and the
        dtype of `input`.

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: an argument is missing, ranks, channels or strides do not fit, or neither rank is known.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     images = tf.placeholder(tf.float32, ["n", 8, 8, 3])
    ...     tf.nn.convolution(images, tf.zeros([3, 3, 3, 16]), "VALID", dilation_rate=[2, 2]).shape
    TensorShape((n, 4, 4, 16))

    Source: TensorFlow 1.x, `tf.nn.convolution`.
    """
    rates = either("dilation_rate", dilation_rate, "dilations", dilations)
    x = convert_to_tensor(input)
    w = convert_to_tensor(given("filter", filter, "filters", filters), x.dtype)
    rank = x.shape.ndims if x.shape.ndims is not None else w.shape.ndims
    if rank is None:
        raise ValueRuleError("the rank of input or of filter must be known; give it with t.set_shape")
    by_rank: dict[int, Any] = {3: conv1d, 4: conv2d, 5: conv3d}
    if rank not in by_rank:
        raise ShapeError(f"input must have rank 3, 4 or 5, but has rank {rank}", operand=0,
                         cure="It has the batch, the channels, and one to three dimensions more.")  # fmt: skip
    form = layout(data_format, rank - 2)
    steps = spatial(steps_argument(strides, form, "strides"), form)
    apart = spatial(steps_argument(rates, form, "dilation_rate"), form)
    if max(apart) > 1 and max(steps) > 1:
        raise ValueRuleError(f"`strides > 1` not supported in conjunction with `dilation_rate > 1`: strides="
                             f"{list(steps)}, dilation_rate={list(apart)}")  # fmt: skip
    result: Tensor = by_rank[rank](
        x, w, steps, only_words(padding), data_format=form, dilations=apart, name=name_of_scope()
    )
    return result


@composite("convolution")
def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """The convolution of images with a filter that has holes: neighbouring taps are `rate` pixels apart.

    Args:
        value: images of floats of shape (batch, height, width, channels).
        filters: of shape (height, width, input channels, output channels) and the same dtype.
        rate: an int of at least 1; 1 means no holes.
        padding: "SAME" or "VALID".

    Returns:
        A tensor of shape (batch, height, width, output channels) with the dtype of `value`. With "VALID" height and
        width are (size of the filter - 1) * rate smaller than those of `value`.

    Raises:
        TypeError: the dtypes differ or are not float, or `rate` is not an int.
        ValueError: ranks or channels do not fit, or `rate` is less than 1.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.nn.atrous_conv2d(tf.zeros([1, 9, 9, 1]), tf.zeros([3, 3, 1, 4]), 2, "VALID").shape
    TensorShape((1, 5, 5, 4))

    Source: TensorFlow 1.x, `tf.nn.atrous_conv2d`.
    """
    return conv2d(value, filters, 1, only_words(padding), dilations=_rate(rate), name=name_of_scope())


@composite("atrous_conv2d_transpose")
def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The transpose of `atrous_conv2d`: its gradient by images of shape `output_shape`.

    Args:
        value: images of floats of shape (batch, height, width, channels).
        filters: of shape (height, width, output channels, input channels) and the same dtype.
        output_shape: the shape of the result, an int32 vector.
        rate: an int of at least 1: how far apart neighbouring taps are.
        padding: "SAME" or "VALID".

    Returns:
        A tensor of shape `output_shape` with the dtype of `value`.

    Raises:
        TypeError: the dtypes differ or are not float, or `rate` is not an int.
        ValueError: ranks or channels do not fit, or `rate` is less than 1.
        InvalidArgumentError (when run): `output_shape` does not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     value, weights = tf.zeros([1, 5, 5, 4]), tf.zeros([3, 3, 1, 4])
    ...     tf.nn.atrous_conv2d_transpose(value, weights, [1, 9, 9, 1], 2, "VALID").shape
    TensorShape((1, 9, 9, 1))

    Source: TensorFlow 1.x, `tf.nn.atrous_conv2d_transpose`.
    """
    apart = _rate(rate)
    return conv2d_backprop_input_op(
        output_shape, filters, value, ONES, only_words(padding), (), "NHWC", (1, apart, apart, 1), name_of_scope()
    )


def _rate(rate: int) -> int:
    number = as_int(rate)
    if number < 1:
        raise ValueRuleError(f"`rate` cannot be less than one: {rate}")
    return number
