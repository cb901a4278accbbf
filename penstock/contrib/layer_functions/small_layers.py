"""Layers of `tf.contrib.layers` that learn nothing or a table: pooling, dropout, one_hot_encoding, embed_sequence."""

from __future__ import annotations

from typing import Any

from ... import cast, get_variable, identity, int64, layers, name_scope, nn, one_hot, reshape, variable_scope
from ... import shape as shape_op
from ... import unique as unique_op
from ...errors import ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import float32
from ...layers.layer import Window, known_flag
from ...ops.create.constant_and_placeholder import convert_to_tensor
from ...ops.declare.composite import reported_as_call
from ..argument_scope import add_arg_scope
from .layer_utilities import collect_named_outputs


@add_arg_scope
@reported_as_call("MaxPool2D")
def max_pool2d(
    inputs: TensorLike,
    kernel_size: Window,
    stride: Window = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Tensor:
    """The largest number in each window.

    Args:
        inputs: floats (batch, rows, columns, channels), or channels first with "NCHW".
        kernel_size: the sizes of a window: an int, or a list of two.
        stride: the steps from one window to the next.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW".
        outputs_collections: a collection for the result, or a list of them.
        scope: the name of the scope; by default "MaxPool2D", made unique.

    Returns:
        A tensor of the dtype of `inputs` with a number for each window.

    Raises:
        ValueError: `inputs` has another rank, or an argument is out of range.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.max_pool2d(tf.zeros([1, 8, 8, 3]), 2).shape
    TensorShape((1, 4, 4, 3))

    Source: TensorFlow 1.x, `tf.contrib.layers.max_pool2d`.
    """
    form = "channels_first" if data_format.startswith("NC") else "channels_last"
    with name_scope(scope, "MaxPool2D") as inner:
        outputs = layers.max_pooling2d(inputs, kernel_size, stride, padding, form)
        return collect_named_outputs(outputs_collections, str(inner), outputs)


@add_arg_scope
@reported_as_call("AvgPool2D")
@documented_like(max_pool2d)
def avg_pool2d(
    inputs: TensorLike,
    kernel_size: Window,
    stride: Window = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Tensor:
    """The mean of each window.

    Args:
        scope: the name of the scope; by default "AvgPool2D", made unique.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.avg_pool2d(tf.zeros([1, 8, 8, 3]), 2, padding="SAME").shape
    TensorShape((1, 4, 4, 3))
    """
    form = "channels_first" if data_format.startswith("NC") else "channels_last"
    with name_scope(scope, "AvgPool2D") as inner:
        outputs = layers.average_pooling2d(inputs, kernel_size, stride, padding, form)
        return collect_named_outputs(outputs_collections, str(inner), outputs)


@add_arg_scope
@reported_as_call("Dropout")
def dropout(
    inputs: TensorLike,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: str | None = None,
    seed: int | None = None,
) -> Tensor:
    """In training `inputs` with elements that are 0 at random, the others divided by `keep_prob`.

    Args:
        inputs: floats of any shape.
        keep_prob: the probability that an element is kept: a number or a scalar.
        noise_shape: the shape of the draws, which broadcasts to that of `inputs`.
        is_training: a bool, or a tensor that says so at each run.
        outputs_collections: a collection for the result, or a list of them.
        scope: the name of the scope; by default "Dropout", made unique.
        seed: a seed for the draws.

    Returns:
        A tensor of the shape and dtype of `inputs`.

    Raises:
        ValueError: `keep_prob` is known not to be in (0, 1].

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.layers.dropout([1.0, 2.0], is_training=False)))
    [1. 2.]

    Source: TensorFlow 1.x, `tf.contrib.layers.dropout`.
    """
    with name_scope(scope, "Dropout") as inner:
        x = convert_to_tensor(inputs)
        if known_flag(is_training) is False:
            return collect_named_outputs(outputs_collections, str(inner), identity(x))
        outputs = layers.dropout(x, 1 - keep_prob, noise_shape, seed, is_training)
        return collect_named_outputs(outputs_collections, str(inner), outputs)


@add_arg_scope
@reported_as_call("OneHotEncoding")
def one_hot_encoding(
    labels: TensorLike,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Tensor:
    """A row for each label, with `on_value` at its class.

    Args:
        labels: classes, ints.
        num_classes: how many classes there are.
        on_value: the number at the class.
        off_value: the other numbers.
        outputs_collections: a collection for the result, or a list of them.
        scope: the name of the scope; by default "OneHotEncoding", made unique.

    Returns:
        A float32 tensor of shape labels.shape + [num_classes].

    Raises:
        TypeError: `labels` are no ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.layers.one_hot_encoding([1, 0], 3)))
    [[0. 1. 0.]
     [1. 0. 0.]]

    Source: TensorFlow 1.x, `tf.contrib.layers.one_hot_encoding`.
    """
    with name_scope(scope, "OneHotEncoding") as inner:
        given = convert_to_tensor(labels)
        whole = cast(given, int64) if given.dtype.is_integer else given
        outputs = one_hot(whole, num_classes, on_value=on_value, off_value=off_value)
        return collect_named_outputs(outputs_collections, str(inner), outputs)


@reported_as_call("EmbedSequence")
def embed_sequence(
    ids: TensorLike,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Tensor:
    """A row of a table of embeddings for each id.

    Args:
        ids: ints (batch, length).
        vocab_size: how many rows the table has.
        embed_dim: how long a row is.
        unique: whether a row that is asked for more than once is looked up once.
        initializer: how the table starts; by default as `tf.get_variable` does.
        regularizer: a function of the table whose result is a regularization loss.
        trainable: whether optimizers change the table.
        scope: the name of the variable scope; by default "EmbedSequence".
        reuse: whether the table of `scope` is shared; then the sizes may be left out.

    Returns:
        A float32 tensor of shape ids.shape + [embed_dim].

    Raises:
        ValueError: a size is missing without `reuse`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.contrib.layers.embed_sequence([[1, 2, 0]], vocab_size=5, embed_dim=4)
    ...     print(y.shape, tf.trainable_variables()[0].name)
    (1, 3, 4) EmbedSequence/embeddings:0

    Source: TensorFlow 1.x, `tf.contrib.layers.embed_sequence`.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueRuleError("Must specify vocab size and embedding dimension when not reusing. Got vocab_size="
                             f"{vocab_size} and embed_dim={embed_dim}")  # fmt: skip
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
        table = get_variable("embeddings", shape, float32, initializer, regularizer, trainable)
        if not unique:
            return nn.embedding_lookup(table, ids)
        given = convert_to_tensor(ids)
        rows, places = unique_op(reshape(given, [-1]))
        return nn.embedding_lookup(nn.embedding_lookup(table, rows), reshape(places, shape_op(given)))
