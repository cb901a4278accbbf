"""Pooling of sequences, images and volumes: max_pool, avg_pool, and their forms by number of dimensions."""

from __future__ import annotations

from ...errors import ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import DTypeLike, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int64
from ..convolution.convolution_arguments import (
    Ints,
    PaddingLike,
    attributes_of_windows,
    given,
    layout,
    only_words,
    paddings_argument,
    steps_argument,
    window_argument,
)
from ..declare.composite import composite, name_of_scope, reported_as_call
from ..declare.reduction_decl import either
from ..move.reshaping import expand_dims, squeeze
from .argmax_pool_ops import max_pool_with_argmax_op
from .avg_pool_ops import avg_pool3d_op, avg_pool_op
from .max_pool3d_ops import max_pool3d_op
from .max_pool_ops import max_pool_op

PUBLIC_NAMES = {
    "nn": "avg_pool avg_pool1d avg_pool2d avg_pool3d max_pool max_pool1d max_pool2d max_pool3d max_pool_with_argmax",
}


@reported_as_call("MaxPool", one_op=True)
def max_pool(
    value: TensorLike | None = None,
    ksize: Ints | None = None,
    strides: Ints | None = None,
    padding: PaddingLike | None = None,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """The largest number of each window of images, channel by channel.

    NaN and -inf are passed over. A window of nothing else gives the smallest finite number.

    Args:
        value: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW": floats
            or ints.
        ksize: the size of the window: an int, two of them, or one for each dimension of `value`.
        strides: its steps, in the same forms.
        padding: "SAME" gives ceil(size / stride) positions, where windows are cut at the edges; "VALID" keeps windows
            inside; or a list of [before, after] for each dimension, smaller than the window.
        data_format: "NHWC" or "NCHW"; None means "NHWC".
        input: another name of `value`.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, channels), with the layout and the dtype
        of `value`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument is missing, its length does not fit, or the window is larger than the padded images.
        InvalidArgumentError (when run): the same for sizes that only the run knows, or a padding is as large as the
            window.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    ...     print(session.run(tf.nn.max_pool(image, 2, 2, "VALID"))[0, :, :, 0])
    [[ 5.  7.]
     [13. 15.]]

    Source: TensorFlow 1.x, `tf.nn.max_pool`.
    """
    x = given("input", input, "value", value)
    form = layout(data_format, 2)
    word, pairs = paddings_argument(padding, 4)
    window, steps = window_argument(ksize, form), steps_argument(strides, form, "strides")
    return max_pool_op(x, window, steps, word, pairs, form, name)


@reported_as_call("MaxPool2d", one_op=True)
def max_pool2d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: PaddingLike,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest number of each window of images: a form of `max_pool`.

    Args:
        input: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW": floats
            or ints.
        ksize: the size of the window: an int, two of them, or one for each dimension of `input`.
        strides: its steps, in the same forms.
        padding: "SAME", "VALID", or a list of [before, after] for each dimension.
        data_format: "NHWC" or "NCHW"; None means "NHWC".

    Returns:
        A tensor of shape (batch, positions along the height, along the width, channels), with the layout and the dtype
        of `input`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument does not fit, or the window is larger than the padded images.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    ...     print(session.run(tf.nn.max_pool2d(image, 2, 2, "SAME"))[0, :, :, 0])
    [[4. 5.]
     [7. 8.]]

    Source: TensorFlow 1.x, `tf.nn.max_pool2d`.
    """
    return max_pool(input, ksize, strides, padding, data_format, name or "MaxPool2d")


@composite("MaxPool1d")
def max_pool1d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: PaddingLike,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest number of each window of sequences.

    Args:
        input: sequences of shape (batch, length, channels), or (batch, channels, length) for "NCW": floats or ints.
        ksize: the size of the window: an int, or one for each dimension of `input`.
        strides: its steps, in the same forms.
        padding: "SAME", "VALID", or a list of [before, after] for each dimension.
        data_format: "NWC" or "NCW"; None means "NWC".

    Returns:
        A tensor of shape (batch, positions, channels), with the layout and the dtype of `input`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument does not fit, or the window is larger than the padded sequence.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.max_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID")).tolist())
    [[[3.0], [3.0]]]

    Source: TensorFlow 1.x, `tf.nn.max_pool1d`.
    """
    form, place = layout(data_format, 1), 2 if data_format == "NCW" else 1
    word, pairs = paddings_argument(padding, 3)
    if pairs:
        pairs = (*pairs[: 2 * place], 0, 0, *pairs[2 * place :])
    window = _with_height(window_argument(ksize, form), place)
    steps = _with_height(steps_argument(strides, form, "strides"), place)
    y = max_pool_op(expand_dims(input, place), window, steps, word, pairs, "NCHW" if place == 2 else "NHWC")
    return squeeze(y, [place], name_of_scope())


@reported_as_call("MaxPool3D", one_op=True)
def max_pool3d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest number of each window of volumes. Its gradient goes to all elements that are the largest.

    Args:
        input: volumes of shape (batch, depth, height, width, channels), or (batch, channels, depth, height, width) for
            "NCDHW": floats.
        ksize: the size of the window: an int, three of them, or one for each dimension of `input`.
        strides: its steps, in the same forms.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW"; None means "NDHWC".

    Returns:
        A tensor of shape (batch, positions along the depth, along the height, along the width, channels), with the
        layout and the dtype of `input`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument does not fit, or the window is larger than the volume.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     volume = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    ...     print(session.run(tf.nn.max_pool3d(volume, [1, 2, 2], 1, "VALID")).ravel())
    [3. 7.]

    Source: TensorFlow 1.x, `tf.nn.max_pool3d`.
    """
    return max_pool3d_op(input, *attributes_of_windows(ksize, strides, padding, data_format, 3), name)


@reported_as_call("AvgPool", one_op=True)
@documented_like(max_pool)
def avg_pool(
    value: TensorLike | None = None,
    ksize: Ints | None = None,
    strides: Ints | None = None,
    padding: str | None = None,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """The mean of each window of images, channel by channel: of its elements that lie inside.

    Args:
        value: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW": floats.
        padding: "SAME" gives ceil(size / stride) positions, where windows are cut at the edges; "VALID" keeps windows
            inside.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument is missing, its length does not fit, or the window is larger than the images.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    ...     print(session.run(tf.nn.avg_pool(image, 2, 2, "SAME"))[0, :, :, 0])
    [[2.  3.5]
     [6.5 8. ]]
    """
    x = given("input", input, "value", value)
    return avg_pool_op(x, *attributes_of_windows(ksize, strides, padding, data_format, 2), name)


avg_pool2d = avg_pool
"""TensorFlow 1.x has `avg_pool` under both names."""


@composite("AvgPool1D")
@documented_like(max_pool1d)
def avg_pool1d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of sequences.

    Args:
        input: sequences of shape (batch, length, channels), or (batch, channels, length) for "NCW": floats.
        padding: "SAME" or "VALID".

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument does not fit, or the window is larger than the sequence.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.avg_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID")).tolist())
    [[[2.0], [2.5]]]
    """
    form, place = layout(data_format, 1), 2 if data_format == "NCW" else 1
    window = _with_height(window_argument(ksize, form), place)
    steps = _with_height(steps_argument(strides, form, "strides"), place)
    form_of_images = "NCHW" if place == 2 else "NHWC"
    y = avg_pool_op(expand_dims(input, place), window, steps, only_words(padding), form_of_images)
    return squeeze(y, [place], name_of_scope())


@reported_as_call("AvgPool3D", one_op=True)
@documented_like(max_pool3d)
def avg_pool3d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of volumes: of its elements that lie inside.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     volume = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    ...     print(session.run(tf.nn.avg_pool3d(volume, [1, 2, 2], 1, "VALID")).ravel())
    [1.5 5.5]
    """
    return avg_pool3d_op(input, *attributes_of_windows(ksize, strides, padding, data_format, 3), name)


@reported_as_call("MaxPoolWithArgmax", one_op=True)
def max_pool_with_argmax(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str | None = "NHWC",
    Targmax: DTypeLike | None = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
    include_batch_in_index: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest number of each window of images, and where it is.

    A place is (y * width + x) * channels + c, or ((b * height + y) * width + x) * channels + c with
    `include_batch_in_index`. The first number of a window stays where none is larger, also if it is NaN.

    Args:
        input: images of shape (batch, height, width, channels): floats or ints.
        ksize: the size of the window: an int, two of them, or one for each dimension of `input`.
        strides: its steps, in the same forms.
        padding: "SAME" or "VALID".
        data_format: "NHWC", the only layout; None means the same.
        Targmax: the dtype of the places, int32 or int64 (the default).
        output_dtype: another name of `Targmax`.
        include_batch_in_index: whether places count through all images.

    Returns:
        Two tensors of shape (batch, positions along the height, along the width, channels): the largest numbers, with
        the dtype of `input`, and their places.

    Raises:
        TypeError: a dtype is another.
        ValueError: an argument does not fit, or the window is larger than the images.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.constant([1.0, 5.0, 2.0, 3.0]), [1, 2, 2, 1])
    ...     largest, places = tf.nn.max_pool_with_argmax(image, 2, 2, "VALID")
    ...     print(*session.run([largest, places]), sep="")
    [[[[5.]]]][[[[1]]]]

    Source: TensorFlow 1.x, `tf.nn.max_pool_with_argmax`.
    """
    form = layout(data_format, 2)
    if form != "NHWC":
        raise ValueRuleError("data_format must be 'NHWC', the only layout of places, but is 'NCHW'",
                             cure="Write tf.transpose(input, [0, 2, 3, 1]).")  # fmt: skip
    dtype = either("output_dtype", output_dtype, "Targmax", Targmax)
    steps = steps_argument(strides, form, "strides")
    return max_pool_with_argmax_op(
        input, window_argument(ksize, form), steps, only_words(padding), int64 if dtype is None else dtype,
        include_batch_in_index, name,
    )  # fmt: skip


def _with_height(entries: tuple[int, ...], place: int) -> tuple[int, ...]:
    """The entries of sequences as those of images of height 1."""
    return (*entries[:place], 1, *entries[place:])
