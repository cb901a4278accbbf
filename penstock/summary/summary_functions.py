"""The functions of `tf.summary` that build nodes: scalar, histogram, image, text, tensor_summary, merge, merge_all.

The node of a summary gives a serialised `Summary` message, a string, which `tf.summary.FileWriter` writes for
TensorBoard. Its tag there is its name. It is added to the collection `SUMMARIES`, which `merge_all` merges.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import DTypeError, UseError, ValueRuleError
from ..graph.building.convert import first_tensor
from ..graph.building.given_none import note_none
from ..graph.common.source_location import user_stacklevel
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.default_graph import get_default_graph, target_graph
from ..graph.model.nodes import Tensor
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.declare.composite import reported_as_call
from ..ops.state.summary_nodes import (
    histogram_summary_op,
    image_summary_op,
    merge_summary_op,
    scalar_summary_op,
    tensor_summary_op,
)
from .summary_messages import SummaryMetadata

SUMMARIES = "summaries"
"""The collection of all summaries: `tf.GraphKeys.SUMMARIES`."""

_FORBIDDEN = re.compile(r"[^-/\w.]")


def clean_tag(name: Any) -> Any:
    """`name` with "_" for each character that a tag may not have; a warning says so."""
    if not isinstance(name, str):
        return name
    cleaned = _FORBIDDEN.sub("_", name).lstrip("/")
    if cleaned != name:
        words = f"Summary name {name} is illegal; using {cleaned} instead."
        warnings.warn(words, UserWarning, stacklevel=user_stacklevel())
    return cleaned


def tagged(
    name: Any, family: Any, values: Sequence[Any], collections: Any, build: Callable[[str, str], Tensor], usual: str
) -> Tensor:
    """The node that `build(tag, name of the node)` makes, with its collections: all of it or nothing."""
    for label, text in (("name", name), ("family", family)):
        if text is not None and not isinstance(text, str):
            raise DTypeError(f"{label} must be a str, not {text!r:.60}")
    if collections is not None and (isinstance(collections, str) or not isinstance(collections, (list, tuple, set))):
        raise DTypeError(f"collections must be a list of names, not {collections!r:.60}; write [...] around it")
    label, group = clean_tag(name), clean_tag(family)
    graph = target_graph(first_tensor(list(values)))

    def inside() -> Tensor:
        with graph.as_default(), graph.name_scope((label if group is None else f"{group}/{label}") or usual) as scope:
            own = str(scope).rstrip("/")
            made = build(own if group is None else f"{group}/{own}", str(scope))
        for key in [SUMMARIES] if collections is None else collections:
            graph.add_to_collection(key, made)
        return made

    return graph.journal.all_or_nothing(inside)


@reported_as_call("ScalarSummary")
def scalar(
    name: str, tensor: TensorLike, collections: Sequence[Any] | None = None, family: str | None = None
) -> Tensor:
    """A summary of one number, which TensorBoard draws over the steps.

    Args:
        name: the name of the node, and its tag.
        tensor: a scalar: a real number.
        collections: the collections to add it to; None (the default) means `SUMMARIES`.
        family: the group in TensorBoard, which begins the tag.

    Returns:
        A scalar of dtype string: a serialised `Summary`.

    Raises:
        TypeError: `tensor` has another dtype, `name` or `family` is not a str, or `collections` is not a list.
        ValueError: `tensor` is not a scalar.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     loss = tf.summary.scalar("loss", 0.5)
    ...     print(tf.Summary.FromString(session.run(loss)).value[0].simple_value)
    0.5

    Source: TensorFlow 1.x, `tf.summary.scalar`.
    """
    return tagged(name, family, [tensor], collections, lambda tag, node: scalar_summary_op(tag, tensor, node), "Scalar")


@reported_as_call("HistogramSummary")
@documented_like(scalar)
def histogram(
    name: str, values: TensorLike, collections: Sequence[Any] | None = None, family: str | None = None
) -> Tensor:
    """A summary of the distribution of many numbers.

    Args:
        values: real numbers of any shape.

    Raises:
        TypeError: `values` has another dtype, `name` or `family` is not a str, or `collections` is not a list.
        InvalidArgumentError (when run): a number is NaN or infinite.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     weights = tf.summary.histogram("weights", [1.0, 2.0, 4.0])
    ...     print(tf.Summary.FromString(session.run(weights)).value[0].histo.sum)
    7.0
    """
    return tagged(name, family, [values], collections, lambda tag, node: histogram_summary_op(tag, values, node),
                  "Histogram")  # fmt: skip


@reported_as_call("ImageSummary")
@documented_like(scalar)
def image(
    name: str,
    tensor: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[Any] | None = None,
    family: str | None = None,
) -> Tensor:
    """A summary of the first images of a batch, as PNG.

    Floats are scaled for each image: so that the largest is 255, or, if there are negative ones, that zero is 128.

    Args:
        name: the name of the node; the tags are "name/image/0" and so on.
        tensor: uint8 or floats of shape (batch, height, width, channels) with 1 (grey), 3 (RGB) or 4 (RGBA) channels.
        max_outputs: how many images at most.

    Raises:
        TypeError: `tensor` has another dtype, `max_outputs` is not an int, `name` or `family` is not a str, or
            `collections` is not a list.
        ValueError: `tensor` has another shape, or `max_outputs` is below 1.
        InvalidArgumentError (when run): `tensor` has another shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     faces = tf.summary.image("faces", tf.zeros([2, 8, 8, 1]))
    ...     print([value.tag for value in tf.Summary.FromString(session.run(faces)).value])
    ['faces/image/0', 'faces/image/1']
    """
    return tagged(name, family, [tensor], collections,
                  lambda tag, node: image_summary_op(tag, tensor, max_outputs, node), "Image")  # fmt: skip


@reported_as_call("AudioSummary")
def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[Any] | None = None,
    family: str | None = None,
) -> Tensor:
    """Raises an error: Penstock has no summaries of sounds.

    Args:
        name: the name of the node.
        tensor: sounds.
        sample_rate: samples in a second.
        max_outputs: how many sounds at most.
        collections: the collections to add it to.
        family: the group in TensorBoard.

    Returns:
        Nothing: it always raises.

    Raises:
        TypeError: always.

    >>> import penstock as tf
    >>> try:
    ...     tf.summary.audio("noise", [[0.0]], 44100.0)
    ... except TypeError as error:
    ...     print(str(error)[:53])
    summary.audio: Penstock has no summaries of sounds. M

    Source: TensorFlow 1.x, `tf.summary.audio`.
    """
    raise UseError(
        "summary.audio: Penstock has no summaries of sounds. Make a tf.Summary with a tf.Summary.Audio that holds a "
        "WAV file, and give it to FileWriter.add_summary"
    )


@reported_as_call("TensorSummary")
@documented_like(scalar)
def tensor_summary(
    name: str,
    tensor: TensorLike,
    summary_description: str | None = None,
    collections: Sequence[Any] | None = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """A summary of a whole tensor.

    Args:
        tensor: any dtype and shape.
        summary_description: what it means, in Markdown.
        summary_metadata: a `tf.SummaryMetadata`, which says what TensorBoard does with it.
        display_name: what it is called in TensorBoard.

    Raises:
        TypeError: an argument is of another type.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.summary.tensor_summary("x", [1, 2, 3])
    ...     print(tf.Summary.FromString(session.run(x)).value[0].tensor.shape.dims[0].size)
    3
    """
    for label, text in (("summary_description", summary_description), ("display_name", display_name)):
        if text is not None and not isinstance(text, str):
            raise DTypeError(f"{label} must be a str, not {text!r:.60}")
    metadata = _metadata(summary_metadata)
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    told = metadata.SerializeToString()
    return tagged(name, family, [tensor], collections, lambda tag, node: tensor_summary_op(tag, tensor, told, node),
                  "Tensor")  # fmt: skip


def _metadata(given: Any) -> SummaryMetadata:
    """A `SummaryMetadata` of our own, from that of any protobuf library."""
    if given is None:
        return SummaryMetadata()
    if not hasattr(given, "SerializeToString"):
        raise DTypeError(f"summary_metadata must be a tf.SummaryMetadata, not {given!r:.60}")
    return SummaryMetadata.FromString(given.SerializeToString())


@reported_as_call("TextSummary")
@documented_like(scalar)
def text(name: str, tensor: TensorLike, collections: Sequence[Any] | None = None) -> Tensor:
    """A summary of text: a string, a list of strings, or a table. TensorBoard reads it as Markdown.

    Args:
        tensor: strings; one of rank 2 is a table.

    Raises:
        TypeError: `name` is not a str, or `collections` is not a list.
        ValueError: `tensor` holds no strings.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     note = tf.summary.text("note", "learning rate **0.1**")
    ...     print(tf.Summary.FromString(session.run(note)).value[0].tensor.string_val)
    [b'learning rate **0.1**']
    """

    def build(tag: str, node: str) -> Tensor:
        strings = convert_to_tensor(tensor, name="tensor")
        if not strings.dtype.is_string:
            raise ValueRuleError(f"Expected tensor {strings.name} to have dtype string, got {strings.dtype}",
                                 cure="Write tf.as_string(tensor).")  # fmt: skip
        told = SummaryMetadata(SummaryMetadata.PluginData("text"))
        return tensor_summary_op(tag, strings, told.SerializeToString(), node)

    return tagged(name, None, [tensor], collections, build, "Text")


@reported_as_call("Merge")
def merge(inputs: Sequence[TensorLike], collections: Sequence[Any] | None = None, name: str | None = None) -> Tensor:
    """One summary with the values of all `inputs`.

    Args:
        inputs: a list of summaries, as `tf.summary.scalar` and its like return.
        collections: the collections to add it to; None (the default) means none.
        name: the name of the scope of the node.

    Returns:
        A scalar of dtype string: a serialised `Summary`.

    Raises:
        TypeError: `inputs` is not a list of string tensors, or `collections` is not a list.
        ValueError: `inputs` is empty.
        InvalidArgumentError (when run): two of them have the same tag, or one is no serialised summary.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     both = tf.summary.merge([tf.summary.scalar("a", 1.0), tf.summary.scalar("b", 2.0)])
    ...     print([value.tag for value in tf.Summary.FromString(session.run(both)).value])
    ['a', 'b']

    Source: TensorFlow 1.x, `tf.summary.merge`.
    """
    if not isinstance(inputs, (list, tuple)):
        raise DTypeError(f"inputs must be a list of summaries, not {inputs!r:.60}")
    return tagged(name, None, inputs, [] if collections is None else collections,
                  lambda tag, node: merge_summary_op(inputs, name or "MergeSummary"), "Merge")  # fmt: skip


@reported_as_call("MergeAll")
def merge_all(key: Any = SUMMARIES, scope: str | None = None, name: str | None = None) -> Tensor | None:
    """One summary with the values of all summaries in a collection of the default graph.

    Args:
        key: the collection: by default `tf.GraphKeys.SUMMARIES`, where summaries are.
        scope: a regular expression; only summaries whose name begins with a match are merged.
        name: the name of the scope of the node.

    Returns:
        A scalar of dtype string, a serialised `Summary`; None if there are no summaries.

    Raises:
        TypeError: the collection holds something else.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     loss, rate = tf.summary.scalar("loss", 0.5), tf.summary.scalar("rate", 0.1)
    ...     everything = tf.summary.merge_all()
    ...     print(len(tf.Summary.FromString(session.run(everything)).value))
    2

    Source: TensorFlow 1.x, `tf.summary.merge_all`.
    """
    graph = get_default_graph()
    found = graph.get_collection(key, scope)
    if not found:
        note_none(graph, "tf.summary.merge_all()", f"the collection {key!r} of the graph is empty"
                  f"{'' if scope is None else f' under the scope {scope!r}'}; call it after tf.summary.scalar(...) and "
                  "its like, or leave the fetch out")  # fmt: skip
        return None
    return merge(found, name=name)
