"""Convolutions by number of dimensions: conv1d, conv2d, conv3d, and the gradients of conv2d and conv3d as functions."""

from __future__ import annotations

from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import composite, name_of_scope, reported_as_call
from ..declare.shape_checks import require_rank
from ..move.reshaping import expand_dims, squeeze
from .conv2d_ops import conv2d_backprop_filter_op, conv2d_backprop_input_op, conv2d_op
from .conv3d_ops import conv3d_backprop_filter_v2_op, conv3d_op
from .convolution_arguments import (
    Ints,
    PaddingLike,
    attributes_of_images,
    attributes_of_volumes,
    given,
    layout,
    paddings_argument,
    steps_argument,
)
from .convolution_geometry import is_channels_first

PUBLIC_NAMES = {"nn": "conv1d conv2d conv2d_backprop_filter conv2d_backprop_input conv3d conv3d_backprop_filter_v2"}


@reported_as_call("Conv2D", one_op=True)
def conv2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Ints | None = None,
    padding: PaddingLike | None = None,
    use_cudnn_on_gpu: bool | None = True,
    data_format: str | None = "NHWC",
    dilations: Ints | None = None,
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Tensor:
    """The convolution of images with a filter: out[b, i, j, :] is the sum over taps p, q of
    input[b, i * stride + p, j * stride + q, :] @ filter[p, q].

    Args:
        input: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW": floats
            or int32.
        filter: of shape (height, width, input channels, output channels) and the same dtype. If its input channels
            divide those of `input`, these are convolved in groups.
        strides: the steps of the filter: an int, two of them, or one for each dimension of `input`.
        padding: "SAME" adds zeros so that the output has ceil(size / stride) positions, "VALID" adds none; or a list of
            [before, after] for each dimension.
        use_cudnn_on_gpu: accepted, without effect.
        data_format: "NHWC" or "NCHW"; None means "NHWC".
        dilations: the steps between taps of the filter, in the forms of `strides`.
        filters: another name of `filter`.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, output channels), with the layout and
        the dtype of `input`.

    Raises:
        TypeError: the dtypes differ or are others.
        ValueError: an argument is missing, ranks, channels, strides or paddings do not fit, or the filter is larger
            than the padded input.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    ...     print(session.run(tf.nn.conv2d(image, tf.ones([2, 2, 1, 1]), 1, "VALID"))[0, :, :, 0])
    [[ 8. 12.]
     [20. 24.]]

    Source: TensorFlow 1.x, `tf.nn.conv2d`.
    """
    w = given("filter", filter, "filters", filters)
    return conv2d_op(input, w, *attributes_of_images(strides, padding, data_format, dilations), name)


@reported_as_call("Conv2DBackpropInput", one_op=True)
def conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike | None = None,
    out_backprop: TensorLike | None = None,
    strides: Ints | None = None,
    padding: PaddingLike | None = None,
    use_cudnn_on_gpu: bool | None = True,
    data_format: str | None = "NHWC",
    dilations: Ints | None = None,
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Tensor:
    """The gradient of sum(conv2d(x, filter) * out_backprop) by x, whatever x is.

    Args:
        input_sizes: the shape of x, an int32 vector of four sizes, or of height and width alone.
        filter: of shape (height, width, input channels, output channels): floats or int32.
        out_backprop: of the shape of the convolution, and the dtype of `filter`.
        strides, padding, use_cudnn_on_gpu, data_format, dilations: those of the convolution, as `conv2d` takes them.
        filters: another name of `filter`.

    Returns:
        A tensor of shape `input_sizes` with the dtype of `filter`.

    Raises:
        TypeError: the dtypes differ or are others.
        ValueError: an argument is missing, ranks or channels do not fit, or `input_sizes` has another length.
        InvalidArgumentError (when run): `out_backprop` does not have the shape of the convolution.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     weights = tf.reshape(tf.range(4.0), [2, 2, 1, 1])
    ...     dx = tf.nn.conv2d_backprop_input([1, 3, 3, 1], weights, tf.ones([1, 2, 2, 1]), 1, "VALID")
    ...     print(session.run(dx)[0, :, :, 0])
    [[0. 1. 1.]
     [2. 6. 4.]
     [2. 5. 3.]]

    Source: TensorFlow 1.x, `tf.nn.conv2d_backprop_input`.
    """
    w, dy = given("filter", filter, "filters", filters), given("out_backprop", out_backprop, "", None)
    attributes = attributes_of_images(strides, padding, data_format, dilations)
    return conv2d_backprop_input_op(input_sizes, w, dy, *attributes, name)


@reported_as_call("Conv2DBackpropFilter", one_op=True)
def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Ints,
    padding: PaddingLike,
    use_cudnn_on_gpu: bool | None = True,
    data_format: str | None = "NHWC",
    dilations: Ints | None = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of sum(conv2d(input, w) * out_backprop) by w, whatever w is.

    Args:
        input: images of floats.
        filter_sizes: the shape of w, an int32 vector of four sizes.
        out_backprop: of the shape of the convolution, and the dtype of `input`.
        strides, padding, use_cudnn_on_gpu, data_format, dilations: those of the convolution, as `conv2d` takes them.

    Returns:
        A tensor of shape `filter_sizes` with the dtype of `input`.

    Raises:
        TypeError: the dtypes differ or are others.
        ValueError: ranks do not fit, or `filter_sizes` has another length.
        InvalidArgumentError (when run): `out_backprop` does not have the shape of the convolution.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    ...     dw = tf.nn.conv2d_backprop_filter(image, [2, 2, 1, 1], tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], "VALID")
    ...     print(session.run(dw)[:, :, 0, 0])
    [[ 8. 12.]
     [20. 24.]]

    Source: TensorFlow 1.x, `tf.nn.conv2d_backprop_filter`.
    """
    attributes = attributes_of_images(strides, padding, data_format, dilations)
    return conv2d_backprop_filter_op(input, filter_sizes, out_backprop, *attributes, name)


@composite("conv1d")
def conv1d(
    value: TensorLike | None = None,
    filters: TensorLike | None = None,
    stride: Ints | None = None,
    padding: PaddingLike | None = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    dilations: Ints | None = None,
) -> Tensor:
    """The convolution of sequences with a filter, by `conv2d` with a height of 1.

    Args:
        value: floats or int32 of shape (batch, width, channels), or (batch, channels, width) for "NCW".
        filters: of shape (width, input channels, output channels) and the same dtype.
        stride: the step of the filter: an int, a list of one, or one for each dimension.
        padding: "SAME" adds zeros so that the output has ceil(width / stride) positions, "VALID" adds none.
        use_cudnn_on_gpu: accepted, without effect.
        data_format: "NWC" or "NCW" ("NHWC" and "NCHW" are older names of them); None means "NWC".
        input: another name of `value`.
        dilations: the step between taps of the filter, in the forms of `stride`.

    Returns:
        A tensor of shape (batch, positions, output channels) with the layout and the dtype of `value`.

    Raises:
        TypeError: the dtypes differ or are others.
        ValueError: an argument is missing, ranks, channels or strides do not fit, or the filter is longer than the
            sequence.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     differences = tf.constant([[[-1.0]], [[1.0]]])
    ...     print(session.run(tf.nn.conv1d([[[1.0], [4.0], [9.0]]], differences, 1, "VALID"))[0, :, 0])
    [3. 5.]

    Source: TensorFlow 1.x, `tf.nn.conv1d`.
    """
    form = layout({"NHWC": "NWC", "NCHW": "NCW"}.get(data_format or "", data_format), 1)
    word, pairs = paddings_argument(padding, 3)
    strides = with_height(steps_argument(stride, form, "stride"), form, (1,))
    steps = with_height(steps_argument(dilations, form, "dilations"), form, (1,))
    x = convert_to_tensor(given("value", value, "input", input))
    w = convert_to_tensor(given("filters", filters, "filter", None), x.dtype)
    require_rank(x, 3, 0, "Sequences have the batch, the width and the channels.")
    require_rank(w, 3, 1, "A filter has the width, input channels and output channels.")
    axis = 2 if is_channels_first(form) else 1
    images, weights = expand_dims(x, axis), expand_dims(w, 0)
    out = conv2d_op(
        images, weights, strides, word, with_height(pairs, form, (0, 0)) if pairs else (), images_format(form), steps,
        name_of_scope(),
    )  # fmt: skip
    return squeeze(out, [axis])


def with_height(entries: tuple[int, ...], form: str, height: tuple[int, ...]) -> tuple[int, ...]:
    """Entries of each dimension of sequences as those of images."""
    place = (2 if is_channels_first(form) else 1) * len(height)
    return (*entries[:place], *height, *entries[place:])


def images_format(form: str) -> str:
    """The layout of images that sequences of a layout become."""
    return "NCHW" if is_channels_first(form) else "NHWC"


@reported_as_call("Conv3D", one_op=True)
def conv3d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Ints | None = None,
    padding: str | None = None,
    data_format: str | None = "NDHWC",
    dilations: Ints | None = None,
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Tensor:
    """The convolution of volumes with a filter, as `conv2d` with one more dimension.

    Args:
        input: floats of shape (batch, depth, height, width, channels), or (batch, channels, depth, height, width) for
            "NCDHW".
        filter: of shape (depth, height, width, input channels, output channels) and the same dtype.
        strides: the steps of the filter: an int, three of them, or one for each dimension of `input`.
        padding: "SAME" adds zeros so that the output has ceil(size / stride) positions, "VALID" adds none.
        data_format: "NDHWC" or "NCDHW"; None means "NDHWC".
        dilations: the steps between taps of the filter, in the forms of `strides`.
        filters: another name of `filter`.

    Returns:
        A tensor of shape (batch, positions along the three dimensions, output channels), with the layout and the dtype
        of `input`.

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: an argument is missing, ranks, channels or strides do not fit, or the filter is larger than the
            input.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     clips = tf.placeholder(tf.float32, ["n", 8, 32, 32, 3])
    ...     tf.nn.conv3d(clips, tf.zeros([3, 3, 3, 3, 16]), [1, 1, 2, 2, 1], "SAME").shape
    TensorShape((n, 8, 16, 16, 16))

    Source: TensorFlow 1.x, `tf.nn.conv3d`.
    """
    w = given("filter", filter, "filters", filters)
    return conv3d_op(input, w, *attributes_of_volumes(strides, padding, data_format, dilations), name)


@reported_as_call("Conv3DBackpropFilterV2", one_op=True)
def conv3d_backprop_filter_v2(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Ints,
    padding: str,
    data_format: str | None = "NDHWC",
    dilations: Ints | None = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of sum(conv3d(input, w) * out_backprop) by w, whatever w is.

    Args:
        input: volumes of floats.
        filter_sizes: the shape of w, an int32 vector of five sizes.
        out_backprop: of the shape of the convolution, and the dtype of `input`.
        strides, padding, data_format, dilations: those of the convolution, as `conv3d` takes them.

    Returns:
        A tensor of shape `filter_sizes` with the dtype of `input`.

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: ranks do not fit, or `filter_sizes` has another length.
        InvalidArgumentError (when run): `out_backprop` does not have the shape of the convolution.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x, dy = tf.ones([1, 2, 2, 2, 1]), tf.ones([1, 1, 1, 2, 1])
    ...     print(session.run(tf.nn.conv3d_backprop_filter_v2(x, [2, 2, 1, 1, 1], dy, 1, "VALID"))[:, :, 0, 0, 0])
    [[2. 2.]
     [2. 2.]]

    Source: TensorFlow 1.x, `tf.nn.conv3d_backprop_filter_v2`.
    """
    attributes = attributes_of_volumes(strides, padding, data_format, dilations)
    return conv3d_backprop_filter_v2_op(input, filter_sizes, out_backprop, *attributes, name)
