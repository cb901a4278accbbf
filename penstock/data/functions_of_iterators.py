"""What TensorFlow 1.13 and later call as functions: `tf.data.make_one_shot_iterator(dataset)` and their like."""

from __future__ import annotations

from typing import Any

from ..errors import UseError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from .dataset import Dataset
from .iterators import Iterator


def _require_elements(call: str, value: Any) -> Any:
    if not isinstance(value, (Dataset, Iterator)):
        raise UseError(f"{call}: {value!r:.80} is no Dataset")
    return value


@hides_frames
def make_one_shot_iterator(dataset: Dataset) -> Iterator:
    """`dataset.make_one_shot_iterator()`.

    Args:
        dataset: a `Dataset`.

    Returns:
        An `Iterator`.

    Raises:
        TypeError: it is no dataset.
        ValueError: the dataset needs a placeholder or a variable.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     element = tf.data.make_one_shot_iterator(tf.data.Dataset.range(2)).get_next()
    ...     print(session.run(element))
    0

    Source: TensorFlow 1.15, `tf.data.make_one_shot_iterator`.
    """
    return _require_elements("make_one_shot_iterator", dataset).make_one_shot_iterator()  # type: ignore[no-any-return]


@hides_frames
def make_initializable_iterator(dataset: Dataset, shared_name: str | None = None) -> Iterator:
    """`dataset.make_initializable_iterator(shared_name)`.

    Args:
        dataset: a `Dataset`.
        shared_name: the name of the session's iterator; that of the node without it.

    Returns:
        An `Iterator`.

    Raises:
        TypeError: it is no dataset.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.data.make_initializable_iterator(tf.data.Dataset.range(2)).output_types
    tf.int64

    Source: TensorFlow 1.15, `tf.data.make_initializable_iterator`.
    """
    found = _require_elements("make_initializable_iterator", dataset)
    return found.make_initializable_iterator(shared_name)  # type: ignore[no-any-return]


@hides_frames
def get_output_types(dataset_or_iterator: Dataset | Iterator) -> Any:
    """The dtypes of an element, in its structure.

    Args:
        dataset_or_iterator: a `Dataset` or an `Iterator`.

    Returns:
        A dtype, or a structure of dtypes.

    Raises:
        TypeError: it is something else.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.data.get_output_types(tf.data.Dataset.range(2))
    tf.int64

    Source: TensorFlow 1.15, `tf.data.get_output_types`.
    """
    return _require_elements("get_output_types", dataset_or_iterator).output_types


@hides_frames
@documented_like(get_output_types)
def get_output_shapes(dataset_or_iterator: Dataset | Iterator) -> Any:
    """The static shapes of an element, in its structure.

    Returns:
        A `TensorShape`, or a structure of them.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.data.get_output_shapes(tf.data.Dataset.range(2))
    TensorShape(())
    """
    return _require_elements("get_output_shapes", dataset_or_iterator).output_shapes


@hides_frames
def get_output_classes(dataset_or_iterator: Dataset) -> Any:
    """The classes of the parts of an element.

    Args:
        dataset_or_iterator: a `Dataset`.

    Returns:
        `Tensor`, `SparseTensor` or `Dataset`, or a structure of them.

    Raises:
        TypeError: it is something else.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.data.get_output_classes(tf.data.Dataset.range(2)).__name__
    'Tensor'

    Source: TensorFlow 1.15, `tf.data.get_output_classes`.
    """
    return _require_elements("get_output_classes", dataset_or_iterator).output_classes
