"""Reading event files."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..graph.common.tracebacks import hides_frames
from ..interchange.records.record_files import tf_record_iterator
from .summary_messages import Event, Summary


@hides_frames
def summary_iterator(path: str | bytes | os.PathLike[str]) -> Iterator[Event]:
    """The events of an event file, one after the other.

    Args:
        path: the file.

    Returns:
        An iterator of `tf.Event`. An event without a summary has one without values.

    Raises:
        TypeError: `path` is no path.
        NotFoundError: there is no such file.
        DataLossError: it is damaged, or ends inside an event.
        ValueError: a record is no event.

    >>> import glob, tempfile
    >>> import penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.summary.FileWriter(folder) as writer:
    ...         writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=0.5)]), 7)
    ...     for event in tf.train.summary_iterator(glob.glob(f"{folder}/*")[0]):
    ...         print(event.step, event.file_version or event.summary.value[0].tag)
    0 brain.Event:2
    7 loss

    Source: TensorFlow 1.x, `tf.train.summary_iterator`.
    """
    return map(_read, tf_record_iterator(path))


def _read(record: bytes) -> Event:
    """An event; one without a summary has an empty one, as programs loop over `event.summary.value` of all."""
    event = Event.FromString(record)
    if event.summary is None:
        event.summary = Summary()
    return event
