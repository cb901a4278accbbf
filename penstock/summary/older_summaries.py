"""Summaries under the names of TensorFlow 0.x: scalar_summary, merge_all_summaries ... The tag is an argument."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..graph.building.convert import first_tensor
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.default_graph import target_graph
from ..graph.model.nodes import Tensor
from ..ops.declare.composite import reported_as_call
from ..ops.state.summary_nodes import histogram_summary_op, image_summary_op, scalar_summary_op
from .summary_functions import SUMMARIES, merge, merge_all


def _collected(values: Sequence[Any], collections: Any, build: Callable[[], Tensor]) -> Tensor:
    graph = target_graph(first_tensor(list(values)))

    def inside() -> Tensor:
        with graph.as_default():
            made = build()
        graph.add_to_collections([SUMMARIES] if collections is None else collections, made)
        return made

    return graph.journal.all_or_nothing(inside)


@reported_as_call("ScalarSummary")
def scalar_summary(
    tags: TensorLike, values: TensorLike, collections: Sequence[Any] | None = None, name: str | None = None
) -> Tensor:
    """A summary of numbers. `tf.summary.scalar` under its name of TensorFlow 0.x.

    Args:
        tags: a string, or strings in the shape of `values`.
        values: real numbers.
        collections: the collections to add it to; None (the default) means `SUMMARIES`.
        name: the name of the node.

    Returns:
        A scalar of dtype string: a serialised `Summary`.

    Raises:
        TypeError: an argument has another dtype.
        ValueError: the shapes differ.
        InvalidArgumentError (when run): the shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     both = tf.scalar_summary(["a", "b"], [1.0, 2.0])
    ...     print([value.simple_value for value in tf.Summary.FromString(session.run(both)).value])
    [1.0, 2.0]

    Source: TensorFlow 0.x, `tf.scalar_summary`.
    """
    return _collected([tags, values], collections, lambda: scalar_summary_op(tags, values, name))


@reported_as_call("HistogramSummary")
@documented_like(scalar_summary)
def histogram_summary(
    tag: TensorLike, values: TensorLike, collections: Sequence[Any] | None = None, name: str | None = None
) -> Tensor:
    """A summary of many numbers. `tf.summary.histogram` under its name of TensorFlow 0.x.

    Args:
        tag: a string.
        values: real numbers of any shape.

    Raises:
        TypeError: an argument has another dtype.
        ValueError: `tag` is not a scalar.
        InvalidArgumentError (when run): a number is NaN or infinite.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     weights = tf.histogram_summary("layer 1/weights", [1.0, 2.0])
    ...     print(tf.Summary.FromString(session.run(weights)).value[0].tag)
    layer 1/weights
    """
    return _collected([tag, values], collections, lambda: histogram_summary_op(tag, values, name))


@reported_as_call("ImageSummary")
@documented_like(scalar_summary)
def image_summary(
    tag: TensorLike,
    tensor: TensorLike,
    max_images: int = 3,
    collections: Sequence[Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """A summary of images. `tf.summary.image` under its name of TensorFlow 0.x.

    Args:
        tag: a string.
        tensor: uint8 or floats of shape (batch, height, width, channels) with 1, 3 or 4 channels.
        max_images: how many images at most.

    Raises:
        TypeError: an argument has another dtype.
        ValueError: a shape is another one, or `max_images` is below 1.
        InvalidArgumentError (when run): `tensor` has another shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     face = tf.image_summary("face", tf.zeros([1, 8, 8, 1]), max_images=1)
    ...     print(tf.Summary.FromString(session.run(face)).value[0].tag)
    face/image
    """
    return _collected([tag, tensor], collections, lambda: image_summary_op(tag, tensor, max_images, name))


@reported_as_call("Merge")
@documented_like(scalar_summary)
def merge_summary(
    inputs: Sequence[TensorLike], collections: Sequence[Any] | None = None, name: str | None = None
) -> Tensor:
    """One summary of several. `tf.summary.merge` under its name of TensorFlow 0.x.

    Args:
        inputs: a list of summaries.
        collections: the collections to add it to; None (the default) means none.

    Raises:
        TypeError: `inputs` is not a list of string tensors, or `collections` is not a list.
        ValueError: `inputs` is empty.
        InvalidArgumentError (when run): two of them have the same tag.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.merge_summary([tf.scalar_summary("a", 1.0)]).name
    'Merge/MergeSummary:0'
    """
    return merge(inputs, collections, name)


@reported_as_call("MergeAll")
def merge_all_summaries(key: Any = SUMMARIES) -> Tensor | None:
    """One summary of all. `tf.summary.merge_all` under its name of TensorFlow 0.x.

    Args:
        key: the collection: by default `tf.GraphKeys.SUMMARIES`.

    Returns:
        A scalar of dtype string, a serialised `Summary`; None if there are no summaries.

    Raises:
        TypeError: the collection holds something else.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.merge_all_summaries())
    None

    Source: TensorFlow 0.x, `tf.merge_all_summaries`.
    """
    return merge_all(key)
