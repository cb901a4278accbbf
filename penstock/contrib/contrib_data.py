"""`tf.contrib.data`: what TensorFlow 1.13 and later call `tf.data.experimental`, and 1.2 and 1.3 the whole of it."""

from collections.abc import Callable as _Callable

from ..data import Dataset, FixedLengthRecordDataset, Iterator, TextLineDataset, TFRecordDataset
from ..data.experimental import (
    AUTOTUNE, Counter, CsvDataset, bucket_by_sequence_length, choose_from_datasets, enumerate_dataset,
    get_single_element, group_by_window, ignore_errors, make_saveable_from_iterator, map_and_batch,
    parallel_interleave, sample_from_datasets, scan, shuffle_and_repeat, unbatch,
)


def batch_and_drop_remainder(batch_size: int) -> _Callable[[Dataset], Dataset]:
    """A function for `Dataset.apply`: batches, without the last one if it is smaller.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     pairs = tf.data.Dataset.range(5).apply(tf.contrib.data.batch_and_drop_remainder(2))
    ...     batch = pairs.make_one_shot_iterator().get_next()
    ...     print(batch.shape, session.run(batch), session.run(batch))
    (2,) [0 1] [2 3]

    Source: TensorFlow 1.x, `tf.contrib.data.batch_and_drop_remainder`.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


__all__ = [
    "AUTOTUNE", "Counter", "CsvDataset", "Dataset", "FixedLengthRecordDataset", "Iterator", "TFRecordDataset",
    "TextLineDataset", "batch_and_drop_remainder", "bucket_by_sequence_length", "choose_from_datasets",
    "enumerate_dataset", "get_single_element", "group_by_window", "ignore_errors",
    "make_saveable_from_iterator", "map_and_batch", "parallel_interleave", "sample_from_datasets", "scan",
    "shuffle_and_repeat", "unbatch",
]  # fmt: skip
