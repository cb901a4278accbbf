"""Transposed convolutions: conv1d_transpose, conv2d_transpose, conv3d_transpose, conv_transpose.

Each is the gradient of a convolution by its input, used as a function: it enlarges images.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import composite, name_of_scope, reported_as_call
from ..declare.shape_checks import length_of
from ..move.concat_stack import concat
from ..move.reshaping import expand_dims, squeeze
from .conv2d_ops import conv2d_backprop_input_op
from .conv3d_ops import conv3d_backprop_input_v2_op
from .convolution_arguments import (
    Ints,
    PaddingLike,
    attributes_of_images,
    attributes_of_volumes,
    given,
    layout,
    paddings_argument,
    spatial,
    steps_argument,
)
from .convolution_calls import images_format, with_height
from .convolution_geometry import is_channels_first

PUBLIC_NAMES = {"nn": "conv1d_transpose conv2d_transpose conv3d_transpose conv_transpose"}


@reported_as_call("conv2d_transpose", input_sizes="output_shape", out_backprop="value")
def conv2d_transpose(
    value: TensorLike | None = None,
    filter: TensorLike | None = None,
    output_shape: TensorLike | None = None,
    strides: Ints | None = None,
    padding: PaddingLike = "SAME",
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: Ints | None = None,
) -> Tensor:
    """The transpose of `conv2d`: the gradient by images of shape `output_shape` of their convolution, with the incoming
    gradient `value`.

    Args:
        value: images of floats or int32.
        filter: of shape (height, width, output channels, input channels) and the same dtype.
        output_shape: the shape of the result, an int32 vector. A convolution of such images must have the shape of
            `value`: with "SAME" height and width are at most stride times larger.
        strides: the steps of the filter: an int, two of them, or one for each dimension.
        padding: "SAME" or "VALID"; or a list of [before, after] for each dimension of the result.
        data_format: "NHWC" or "NCHW"; None means "NHWC".
        input: another name of `value`.
        filters: another name of `filter`.
        dilations: the steps between taps of the filter, in the forms of `strides`.

    Returns:
        A tensor of shape `output_shape` with the dtype of `value`.

    Raises:
        TypeError: the dtypes differ or are others.
        ValueError: an argument is missing, or ranks, channels or strides do not fit.
        InvalidArgumentError (when run): `output_shape` does not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.constant([[[[1.0], [2.0]]]])
    ...     print(session.run(tf.nn.conv2d_transpose(image, tf.ones([2, 2, 1, 1]), [1, 2, 4, 1], 2))[0, :, :, 0])
    [[1. 1. 2. 2.]
     [1. 1. 2. 2.]]

    Source: TensorFlow 1.x, `tf.nn.conv2d_transpose`.
    """
    return conv2d_backprop_input_op(
        given("output_shape", output_shape, "", None), given("filter", filter, "filters", filters),
        given("value", value, "input", input), *attributes_of_images(strides, padding, data_format, dilations),
        name or "conv2d_transpose",
    )  # fmt: skip


@reported_as_call("conv3d_transpose", input_sizes="output_shape", out_backprop="value")
@documented_like(conv2d_transpose)
def conv3d_transpose(
    value: TensorLike | None = None,
    filter: TensorLike | None = None,
    output_shape: TensorLike | None = None,
    strides: Ints | None = None,
    padding: str = "SAME",
    data_format: str | None = "NDHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: Ints | None = None,
) -> Tensor:
    """The transpose of `conv3d`: the gradient by volumes of shape `output_shape` of their convolution, with the
    incoming gradient `value`.

    Args:
        value: volumes of floats.
        filter: of shape (depth, height, width, output channels, input channels) and the same dtype.
        output_shape: the shape of the result, an int32 or int64 vector. A convolution of such volumes must have the
            shape of `value`.
        strides: the steps of the filter: an int, three of them, or one for each dimension.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW"; None means "NDHWC".

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: an argument is missing, or ranks, channels or strides do not fit.
        InvalidArgumentError (when run): `output_shape` does not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     value, weights = tf.zeros([2, 4, 4, 4, 16]), tf.zeros([3, 3, 3, 8, 16])
    ...     tf.nn.conv3d_transpose(value, weights, [2, 8, 8, 8, 8], 2).shape
    TensorShape((2, 8, 8, 8, 8))
    """
    return conv3d_backprop_input_v2_op(
        given("output_shape", output_shape, "", None), given("filter", filter, "filters", filters),
        given("value", value, "input", input), *attributes_of_volumes(strides, padding, data_format, dilations),
        name or "conv3d_transpose",
    )  # fmt: skip


@composite("conv1d_transpose")
def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Ints,
    padding: PaddingLike = "SAME",
    data_format: str | None = "NWC",
    dilations: Ints | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv1d`, by `conv2d_transpose` with a height of 1.

    Args:
        input: floats or int32 of shape (batch, width, channels), or (batch, channels, width) for "NCW".
        filters: of shape (width, output channels, input channels) and the same dtype.
        output_shape: the shape of the result, an int32 vector.
        strides: the step of the filter: an int, a list of one, or one for each dimension.
        padding: "SAME" or "VALID".
        data_format: "NWC" or "NCW"; None means "NWC".
        dilations: the step between taps of the filter, in the forms of `strides`.

    Returns:
        A tensor of shape `output_shape` with the dtype of `input`.

    Raises:
        TypeError: the dtypes differ or are others.
        ValueError: ranks, channels or strides do not fit.
        InvalidArgumentError (when run): `output_shape` does not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     taps = tf.constant([[[1.0]], [[10.0]]])
    ...     print(session.run(tf.nn.conv1d_transpose([[[1.0], [2.0]]], taps, [1, 4, 1], 2))[0, :, 0])
    [ 1. 10.  2. 20.]

    Source: TensorFlow 1.x, `tf.nn.conv1d_transpose`.
    """
    form = layout(data_format, 1)
    word, pairs = paddings_argument(padding, 3)
    axis = 2 if is_channels_first(form) else 1
    x = convert_to_tensor(input)
    images = expand_dims(x, axis)
    weights = expand_dims(convert_to_tensor(filters, x.dtype), 0)
    sizes = convert_to_tensor(output_shape)
    whole = concat(0, [sizes[:axis], [1], sizes[axis:]])
    out = conv2d_backprop_input_op(
        whole, weights, images, with_height(steps_argument(strides, form, "strides"), form, (1,)), word,
        with_height(pairs, form, (0, 0)) if pairs else (), images_format(form),
        with_height(steps_argument(dilations, form, "dilations"), form, (1,)), name_of_scope(),
    )  # fmt: skip
    return squeeze(out, [axis])


@reported_as_call("conv_transpose")
def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Ints,
    padding: PaddingLike = "SAME",
    data_format: str | None = None,
    dilations: Ints | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of a convolution over one, two or three dimensions, as many as `output_shape` has beside the batch
    and the channels.

    Args:
        input: floats, with two dimensions more than are convolved.
        filters: the filter: spatial sizes, output channels, input channels.
        output_shape: the shape of the result, a vector of known length.
        strides: the steps of the filter: an int, or one for each spatial dimension, or for each dimension.
        padding: "SAME" or "VALID"; a list of [before, after] for each dimension where there are one or two.
        data_format: such as "NHWC" or "NCHW"; None means channels last.
        dilations: the steps between taps of the filter, in the forms of `strides`.

    Returns:
        A tensor of shape `output_shape` with the dtype of `input`.

    Raises:
        TypeError: the dtypes differ or are others.
        ValueError: the length of `output_shape` is not known to be 3, 4 or 5, or ranks, channels or strides do not fit.
        InvalidArgumentError (when run): `output_shape` does not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.nn.conv_transpose(tf.zeros([1, 2, 3]), tf.zeros([2, 5, 3]), [1, 4, 5], 2).shape
    TensorShape((1, 4, 5))

    Source: TensorFlow 2.x, `tf.nn.conv_transpose`.
    """
    vector = output_shape if isinstance(output_shape, Tensor) else np.atleast_1d(np.asarray(output_shape, object))
    length = length_of(vector) if isinstance(vector, Tensor) else len(vector)
    by_rank: dict[int | None, Any] = {3: conv1d_transpose, 4: conv2d_transpose, 5: conv3d_transpose}
    if length not in by_rank or length is None:
        raise ValueRuleError(f"output_shape must have 3, 4 or 5 entries, not {length}")
    form = layout(data_format, length - 2)
    steps = steps_argument(strides, form, "strides"), steps_argument(dilations, form, "dilations")
    result: Tensor = by_rank[length](
        input, filters, output_shape, spatial(steps[0], form), padding, form, dilations=spatial(steps[1], form),
        name=name or "conv_transpose",
    )  # fmt: skip
    return result
