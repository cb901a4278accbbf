"""`tf.contrib.slim.dataset`, `dataset_data_provider`, `parallel_reader`: items of records that queues hold ready."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ... import name_scope, string
from ...errors import ValueRuleError
from ...io import gfile
from ...queues.queue_classes import FIFOQueue, RandomShuffleQueue
from ...queues.queue_runner import QueueRunner, add_queue_runner
from ...train import string_input_producer

__all__ = ["DataProvider", "Dataset", "DatasetDataProvider", "get_data_files", "parallel_read"]


class RecordSet:
    """What a set of records is: its files, how they are read and decoded.

    Args:
        data_sources: files, or patterns of files.
        reader: a class of readers, such as `tf.TFRecordReader`.
        decoder: what decodes a record, such as a `tfexample_decoder.TFExampleDecoder`.
        num_samples: the number of records; None if it is not known.
        items_to_descriptions: a text for each item, by the item's name.
        kwargs: further attributes.

    >>> import penstock as tf
    >>> digits = tf.contrib.slim.dataset.Dataset("*.tfrecord", tf.TFRecordReader, None, 60, {}, num_classes=10)
    >>> digits.num_samples, digits.num_classes
    (60, 10)

    Source: TensorFlow 1.x, `tf.contrib.slim.dataset.Dataset`.
    """

    def __init__(
        self, data_sources: Any, reader: Any, decoder: Any, num_samples: int | None,
        items_to_descriptions: Mapping[str, str], **kwargs: Any,
    ) -> None:  # fmt: skip
        self.data_sources, self.reader, self.decoder = data_sources, reader, decoder
        self.num_samples, self.items_to_descriptions = num_samples, items_to_descriptions
        self.__dict__.update(kwargs)


Dataset = RecordSet


class DataProvider:
    """Items by their names.

    Args:
        items_to_tensors: the items.
        num_samples: the number of records; None if it is not known.
    """

    def __init__(self, items_to_tensors: Mapping[str, Any], num_samples: int | None) -> None:
        self._items, self._num_samples = dict(items_to_tensors), num_samples

    def get(self, items: Sequence[str]) -> list[Any]:
        """The items of these names.

        Args:
            items: a list of names.

        Raises:
            ValueError: there is no such item, or `items` is no list.
        """
        if not isinstance(items, (list, tuple)):
            raise ValueRuleError(f"items must be a list of names, not {items!r}")
        if missing := [each for each in items if each not in self._items]:
            raise ValueRuleError(f"Item {missing[0]!r} is not valid: there are {', '.join(self._items)}")
        return [self._items[each] for each in items]

    def list_items(self) -> list[str]:
        """The names of the items."""
        return list(self._items)

    def num_samples(self) -> int | None:
        """The number of records; None if it is not known."""
        return self._num_samples


class DatasetDataProvider(DataProvider):
    """The items of a dataset's next record; queue runners read ahead.

    Args:
        dataset: a `Dataset`.
        num_readers: how many readers read at a time.
        reader_kwargs: arguments of the reader.
        shuffle: whether files and records come in random order.
        num_epochs: how often the files are read; None for ever.
        common_queue_capacity: how many records are held.
        common_queue_min: how many stay behind, so that records are mixed.
        record_key: the name of the item with the record's key.
        seed: the seed of the order.
        scope: a name for the operations.

    Raises:
        ValueError: no file fits, or an item has the name `record_key`.

    >>> import os, tempfile
    >>> import penstock as tf
    >>> slim, path = tf.contrib.slim, os.path.join(tempfile.mkdtemp(), "x.tfrecord")
    >>> with tf.python_io.TFRecordWriter(path) as writer:
    ...     writer.write(tf.train.Example(features=tf.train.Features(feature={
    ...         "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))})).SerializeToString())
    >>> with tf.Graph().as_default():
    ...     decoder = slim.tfexample_decoder.TFExampleDecoder(
    ...         {"label": tf.FixedLenFeature([], tf.int64)}, {"label": slim.tfexample_decoder.Tensor("label")})
    ...     dataset = slim.dataset.Dataset(path, tf.TFRecordReader, decoder, 1, {})
    ...     provider = slim.dataset_data_provider.DatasetDataProvider(dataset, shuffle=False, num_epochs=2)
    ...     label, key = provider.get(["label", "record_key"])
    ...     with tf.train.MonitoredSession() as session:
    ...         print(session.run(label), session.run(key).endswith(b"x.tfrecord:0"))
    3 True

    Source: TensorFlow 1.x, `tf.contrib.slim.dataset_data_provider.DatasetDataProvider`.
    """

    def __init__(
        self, dataset: Any, num_readers: int = 1, reader_kwargs: Mapping[str, Any] | None = None, shuffle: bool = True,
        num_epochs: int | None = None, common_queue_capacity: int = 256, common_queue_min: int = 128,
        record_key: str = "record_key", seed: int | None = None, scope: str | None = None,
    ) -> None:  # fmt: skip
        key, record = parallel_read(
            dataset.data_sources, dataset.reader, num_epochs, num_readers, reader_kwargs, shuffle, None,
            common_queue_capacity, common_queue_min, seed, scope,
        )  # fmt: skip
        names = dataset.decoder.list_items()
        if record_key in names:
            raise ValueRuleError(f"The item name used for `record_key` cannot also be used for a dataset item: "
                                 f"{record_key!r}")  # fmt: skip
        items = dict(zip(names, dataset.decoder.decode(record, names), strict=True))
        super().__init__({**items, record_key: key}, dataset.num_samples)


def get_data_files(data_sources: Any) -> list[str]:
    """The files that patterns mean.

    Args:
        data_sources: a file or pattern, or a list of them.

    Raises:
        ValueError: there is none.

    >>> import penstock as tf
    >>> tf.contrib.slim.parallel_reader.get_data_files(["a.tfrecord", "b.tfrecord"])
    ['a.tfrecord', 'b.tfrecord']

    Source: TensorFlow 1.x, `tf.contrib.slim.parallel_reader.get_data_files`.
    """
    if isinstance(data_sources, (list, tuple)):
        files = [each for source in data_sources for each in get_data_files(source)]
    elif any(mark in data_sources for mark in "*?["):
        files = sorted(gfile.glob(data_sources))
    else:
        files = [data_sources]
    if not files:
        raise ValueRuleError(f"No data files found in {data_sources}")
    return files


def parallel_read(
    data_sources: Any, reader_class: Any, num_epochs: int | None = None, num_readers: int = 4,
    reader_kwargs: Mapping[str, Any] | None = None, shuffle: bool = True, dtypes: Any = None, capacity: int = 256,
    min_after_dequeue: int = 128, seed: int | None = None, scope: str | None = None,
) -> Any:  # fmt: skip
    """The key and the value of the next record of files that several readers read at a time.

    Args:
        data_sources: files, or patterns of files.
        reader_class: a class of readers.
        num_epochs: how often the files are read; None for ever.
        num_readers: how many readers there are.
        reader_kwargs: arguments of a reader.
        shuffle: whether files and records come in random order.
        dtypes: those of key and value; by default strings.
        capacity: how many records are held.
        min_after_dequeue: how many stay behind, so that records are mixed.
        seed: the seed of the order.
        scope: a name for the operations.

    Returns:
        Two tensors.

    Raises:
        ValueError: no file fits.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     key, value = tf.contrib.slim.parallel_reader.parallel_read("a.tfrecord", tf.TFRecordReader)
    ...     print(key.dtype, value.shape)
    <dtype: 'string'> ()

    Source: TensorFlow 1.x, `tf.contrib.slim.parallel_reader.parallel_read`.
    """
    files, kinds = get_data_files(data_sources), dtypes or [string, string]
    with name_scope(scope, "parallel_read"):
        names = string_input_producer(files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames")
        shapes: list[Any] = [[], []]
        queue: Any
        if shuffle:
            queue = RandomShuffleQueue(capacity, min_after_dequeue, kinds, shapes, seed=seed, name="common_queue")
        else:
            queue = FIFOQueue(capacity, kinds, shapes, name="common_queue")
        readers = [reader_class(**dict(reader_kwargs or {})) for _ in range(num_readers)]
        add_queue_runner(QueueRunner(queue, [queue.enqueue(reader.read(names)) for reader in readers]))
        return queue.dequeue()
