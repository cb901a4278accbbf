"""Depthwise and separable convolutions: each channel has filters of its own; a separable one then mixes channels."""

from __future__ import annotations

from typing import Any

from ...errors import ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import composite, name_of_scope, reported_as_call
from ..declare.reduction_decl import either
from ..declare.shape_checks import require_rank
from .conv2d_ops import ONES, conv2d_op
from .convolution_arguments import Ints, PaddingLike, attributes_of_images, layout, paddings_argument, steps_argument
from .depthwise_ops import (
    depthwise_conv2d_native_backprop_filter_op,
    depthwise_conv2d_native_backprop_input_op,
    depthwise_conv2d_native_op,
)

PUBLIC_NAMES = {
    "nn": (
        "depthwise_conv2d depthwise_conv2d_native depthwise_conv2d_native_backprop_filter "
        "depthwise_conv2d_native_backprop_input separable_conv2d"
    ),
}


@reported_as_call("DepthwiseConv2dNative", one_op=True)
def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: Ints,
    padding: PaddingLike,
    data_format: str | None = "NHWC",
    dilations: Ints | None = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of each channel with filters of its own: out[b, i, j, c * m + n] is the sum over taps p, q of
    input[b, i * stride + p, j * stride + q, c] * filter[p, q, c, n], m being the filters of a channel.

    Args:
        input: images of floats of shape (batch, height, width, channels), or (batch, channels, height, width) for
            "NCHW".
        filter: of shape (height, width, channels, m) and the same dtype.
        strides: the steps of the filter: an int, two of them, or one for each dimension.
        padding: "SAME" or "VALID"; or a list of [before, after] for each dimension.
        data_format: "NHWC" or "NCHW"; None means "NHWC".
        dilations: the steps between taps of the filter, in the forms of `strides`.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, channels * m), with the layout and the
        dtype of `input`.

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: ranks, channels, strides or paddings do not fit, or the filter is larger than the padded input.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     pixels = tf.constant([[[[1.0, 2.0], [3.0, 4.0]]]])
    ...     sums = tf.nn.depthwise_conv2d_native(pixels, tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], "VALID")
    ...     print(session.run(sums)[0, 0])
    [[4. 6.]]

    Source: TensorFlow 1.x, `tf.nn.depthwise_conv2d_native`.
    """
    attributes = attributes_of_images(strides, padding, data_format, dilations)
    return depthwise_conv2d_native_op(input, filter, *attributes, name)


@reported_as_call("DepthwiseConv2dNativeBackpropInput", one_op=True)
def depthwise_conv2d_native_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Ints,
    padding: PaddingLike,
    data_format: str | None = "NHWC",
    dilations: Ints | None = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of sum(depthwise_conv2d_native(x, filter) * out_backprop) by x, whatever x is.

    Args:
        input_sizes: the shape of x, an int32 vector of four sizes.
        filter: of shape (height, width, channels, m): floats.
        out_backprop: of the shape of the convolution, and the dtype of `filter`.
        strides, padding, data_format, dilations: those of the convolution.

    Returns:
        A tensor of shape `input_sizes` with the dtype of `filter`.

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: ranks do not fit, or `input_sizes` has another length.
        InvalidArgumentError (when run): `out_backprop` does not have the shape of the convolution.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     weights, dy = tf.zeros([3, 3, 4, 2]), tf.zeros([1, 8, 8, 8])
    ...     tf.nn.depthwise_conv2d_native_backprop_input([1, 8, 8, 4], weights, dy, [1, 1, 1, 1], "SAME").shape
    TensorShape((1, 8, 8, 4))

    Source: TensorFlow 1.x, `tf.nn.depthwise_conv2d_native_backprop_input`.
    """
    attributes = attributes_of_images(strides, padding, data_format, dilations)
    return depthwise_conv2d_native_backprop_input_op(input_sizes, filter, out_backprop, *attributes, name)


@reported_as_call("DepthwiseConv2dNativeBackpropFilter", one_op=True)
def depthwise_conv2d_native_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Ints,
    padding: PaddingLike,
    data_format: str | None = "NHWC",
    dilations: Ints | None = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of sum(depthwise_conv2d_native(input, w) * out_backprop) by w, whatever w is.

    Args:
        input: images of floats.
        filter_sizes: the shape of w, an int32 vector of four sizes.
        out_backprop: of the shape of the convolution, and the dtype of `input`.
        strides, padding, data_format, dilations: those of the convolution.

    Returns:
        A tensor of shape `filter_sizes` with the dtype of `input`.

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: ranks do not fit, or `filter_sizes` has another length.
        InvalidArgumentError (when run): `out_backprop` does not have the shape of the convolution.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     images, dy = tf.zeros([1, 8, 8, 4]), tf.zeros([1, 8, 8, 8])
    ...     tf.nn.depthwise_conv2d_native_backprop_filter(images, [3, 3, 4, 2], dy, [1, 1, 1, 1], "SAME").shape
    TensorShape((3, 3, 4, 2))

    Source: TensorFlow 1.x, `tf.nn.depthwise_conv2d_native_backprop_filter`.
    """
    attributes = attributes_of_images(strides, padding, data_format, dilations)
    return depthwise_conv2d_native_backprop_filter_op(input, filter_sizes, out_backprop, *attributes, name)


@reported_as_call("depthwise", one_op=True)
@documented_like(depthwise_conv2d_native)
def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Ints,
    padding: PaddingLike,
    rate: Ints | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Ints | None = None,
) -> Tensor:
    """The convolution of each channel with filters of its own, as `depthwise_conv2d_native`.

    Args:
        strides: the steps of the filter, one for each dimension; all 1 if a rate is larger than 1.
        rate: the steps between taps of the filter along height and width: two ints, or one for both.
        dilations: another name of `rate`.

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: ranks, channels, strides or paddings do not fit, or a rate and a stride are larger than 1.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     images = tf.placeholder(tf.float32, ["n", 8, 8, 3])
    ...     tf.nn.depthwise_conv2d(images, tf.zeros([3, 3, 3, 2]), [1, 2, 2, 1], "SAME").shape
    TensorShape((n, 4, 4, 6))
    """
    return _depthwise(input, filter, strides, padding, either("rate", rate, "dilations", dilations), data_format,
                      name or "depthwise")  # fmt: skip


def _depthwise(
    input: TensorLike, filter: TensorLike, strides: Ints, padding: Any, rate: Ints | None, data_format: str | None,
    name: str,
) -> Tensor:  # fmt: skip
    form = layout(data_format, 2)
    word, pairs = paddings_argument(padding, 4)
    steps, dilations = steps_argument(strides, form, "strides"), steps_argument(rate, form, "rate")
    if max(dilations) > 1 and max(steps) > 1:
        raise ValueRuleError(f"strides must be 1 where a rate is larger than 1, but are {list(steps)} with rate={rate}",
                             cure="depthwise_conv2d_native takes both.")  # fmt: skip
    return depthwise_conv2d_native_op(input, filter, steps, word, pairs, form, dilations, name)


@composite("separable_conv2d")
@documented_like(depthwise_conv2d_native)
def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Ints,
    padding: PaddingLike,
    rate: Ints | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Ints | None = None,
) -> Tensor:
    """A depthwise convolution, then one of 1x1 taps, which mixes channels.

    Args:
        depthwise_filter: of shape (height, width, channels, m) and the same dtype.
        pointwise_filter: of shape (1, 1, channels * m, output channels) and the same dtype.
        strides: the steps of the depthwise filter, one for each dimension; all 1 if a rate is larger than 1.
        rate: the steps between taps of the depthwise filter along height and width: two ints, or one for both.
        dilations: another name of `rate`.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, output channels), with the layout and
        the dtype of `input`.

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: ranks, channels, strides or paddings do not fit, `pointwise_filter` does not have 1x1 taps, or a
            rate and a stride are larger than 1.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     images = tf.placeholder(tf.float32, ["n", 8, 8, 3])
    ...     y = tf.nn.separable_conv2d(images, tf.zeros([3, 3, 3, 2]), tf.zeros([1, 1, 6, 16]), [1, 1, 1, 1], "SAME")
    ...     print(y.name, y.shape)
    separable_conv2d:0 (n, 8, 8, 16)
    """
    x = convert_to_tensor(input)
    weights = convert_to_tensor(pointwise_filter, x.dtype)
    require_rank(weights, 4, 2, "pointwise_filter has the shape (1, 1, channels, output channels).")
    for size in (weights.shape.raw or ())[:2]:
        if isinstance(size, int) and size != 1:
            raise ValueRuleError(f"pointwise_filter must have 1x1 taps, but has the shape {weights.shape}")
    rates = either("rate", rate, "dilations", dilations)
    channels = _depthwise(x, depthwise_filter, strides, padding, rates, data_format, "depthwise")
    return conv2d_op(channels, weights, ONES, "VALID", (), layout(data_format, 2), ONES, name_of_scope())
