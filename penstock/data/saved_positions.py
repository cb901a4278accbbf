"""Positions of iterators in checkpoints: `make_saveable_from_iterator`."""

from __future__ import annotations

from typing import Any

from ..errors import UseError
from ..ops.datasets.iterator_ops import deserialize_iterator, serialize_iterator
from .iterators import Iterator


class IteratorSaveable:
    """Where an iterator is, as a part of checkpoints: give it to `tf.train.Saver`, or collect it in SAVEABLE_OBJECTS.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     iterator = tf.data.Dataset.range(9).make_initializable_iterator()
    ...     tf.data.experimental.make_saveable_from_iterator(iterator).name
    'Iterator'
    """

    def __init__(self, iterator: Iterator) -> None:
        self.op = iterator.handle
        self.name = iterator.handle.op.name
        self.iterator = iterator
        self.state = serialize_iterator(iterator.handle)

    def parts(self) -> list[tuple[str, Any]]:
        """What is saved, by its name in a checkpoint."""
        return [(f"{self.name}-state", self.state)]

    def restore_from(self, state: Any) -> Any:
        """An operation that brings the iterator to a saved position."""
        return deserialize_iterator(self.op, state)


def make_saveable_from_iterator(iterator: Iterator) -> IteratorSaveable:
    """What puts the position of an iterator into checkpoints.

    Args:
        iterator: an `Iterator`.

    Returns:
        An `IteratorSaveable`, which has `state`, a scalar of dtype string, and `restore_from(state)`.

    Raises:
        TypeError: it is no iterator.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     iterator = tf.data.Dataset.range(9).make_initializable_iterator()
    ...     element = iterator.get_next()
    ...     saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
    ...     session.run(iterator.initializer)
    ...     _ = session.run(element), session.run(element)
    ...     state = session.run(saveable.state)
    ...     session.run(iterator.initializer)
    ...     session.run(saveable.restore_from(state))
    ...     print(session.run(element))
    2

    Source: TensorFlow 1.15, `tf.data.experimental.make_saveable_from_iterator`.
    """
    if not isinstance(iterator, Iterator):
        raise UseError(f"make_saveable_from_iterator: {iterator!r:.80} is no Iterator")
    return IteratorSaveable(iterator)


