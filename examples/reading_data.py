"""The habits of TensorFlow's guide "Reading Data", one function each: readers and queues, which threads fill."""

import os
import tempfile
from typing import Any

import numpy as np

import penstock.compat.v1 as tf


def all_runs(fetches: Any) -> list[Any]:
    """What runs of `fetches` give until the data has come to its end; queue runners fill the queues meanwhile."""
    results = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())  # counts the epochs
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
        try:
            while not coordinator.should_stop():
                results.append(session.run(fetches))
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coordinator.request_stop()
        coordinator.join(threads)
    return results


def fixed_length_records(folder: str) -> None:
    """A file of bytes in records of one length, as CIFAR-10 comes: a label, then the pixels."""
    path = os.path.join(folder, "images.bin")
    np.array([[label, *range(10 * label, 10 * label + 4)] for label in range(5)], np.uint8).tofile(path)
    names = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
    _, record = tf.FixedLengthRecordReader(record_bytes=5).read(names)
    values = tf.decode_raw(record, tf.uint8)
    label = tf.cast(values[0], tf.int32)
    pixels = tf.reshape(tf.slice(values, [1], [4]), [2, 2])
    batch = tf.train.batch([label, pixels], batch_size=2, allow_smaller_final_batch=True)
    print("fixed length:", [(labels.tolist(), images[:, 1, 1].tolist()) for labels, images in all_runs(batch)])


def shuffled_records(folder: str) -> None:
    """Records of `tf.train.Example` from several files, shuffled, by two threads."""
    paths = [os.path.join(folder, f"part{number}.tfrecord") for number in range(2)]
    for number, path in enumerate(paths):
        with tf.python_io.TFRecordWriter(path) as writer:
            for value in range(10 * number, 10 * number + 6):
                feature = tf.train.Feature(float_list=tf.train.FloatList(value=[value, -value]))
                example = tf.train.Example(features=tf.train.Features(feature={"x": feature}))
                writer.write(example.SerializeToString())
    names = tf.train.string_input_producer(tf.train.match_filenames_once(os.path.join(folder, "part*")), num_epochs=1)
    _, record = tf.TFRecordReader().read(names)
    x = tf.parse_single_example(record, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
    batch = tf.train.shuffle_batch([x], 4, capacity=20, min_after_dequeue=6, num_threads=2)
    rows = np.concatenate(all_runs(batch))
    print("shuffled records:", rows.shape, sorted(rows[:, 0].astype(int).tolist()))


def preloaded(folder: str) -> None:
    """Data that fits into memory: a producer takes slices of it, epoch by epoch."""
    images, labels = np.arange(12.0, dtype="f4").reshape(6, 2), np.arange(6)
    image, label = tf.train.slice_input_producer([images, labels], num_epochs=2, shuffle=False)
    batch = tf.train.batch([image, label], batch_size=4)
    print("preloaded:", [(rows[:, 0].tolist(), numbers.tolist()) for rows, numbers in all_runs(batch)])


def queue_of_ones_own(folder: str) -> None:
    """A queue of one's own, two operations that fill it, and a runner for both."""
    queue = tf.FIFOQueue(10, tf.int32, shapes=[])
    two = [tf.train.limit_epochs(tf.constant(value), num_epochs=3) for value in (1, 100)]
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(each) for each in two]))
    print("queue runner:", sorted(int(each) for each in all_runs(queue.dequeue())))


with tempfile.TemporaryDirectory() as folder:
    for habit in (fixed_length_records, shuffled_records, preloaded, queue_of_ones_own):
        with tf.Graph().as_default():
            habit(folder)
