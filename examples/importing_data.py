"""The habits of TensorFlow's guide "Importing Data", one function each: how programs read through `tf.data`."""

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

import penstock.compat.v1 as tf


def rest_of(session: tf.Session, element: Any) -> list[Any]:
    """All elements that are left: an iterator tells its end by an error."""
    elements = []
    while True:
        try:
            elements.append(session.run(element))
        except tf.errors.OutOfRangeError:
            return elements


def one_shot() -> None:
    """An iterator that begins by itself, for a dataset without parameters."""
    squares = tf.data.Dataset.range(4).map(lambda n: n * n).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        print("one-shot:", [int(each) for each in rest_of(session, squares)])


def arrays_by_placeholder() -> None:
    """Arrays are fed where the iterator begins, so they are no part of the graph."""
    features, labels = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int64, [None])
    iterator = tf.data.Dataset.from_tensor_slices((features, labels)).batch(2).make_initializable_iterator()
    x, y = iterator.get_next()
    with tf.Session() as session:
        for count in (3, 1):
            given = np.arange(2.0 * count, dtype="f4").reshape(count, 2), np.arange(count)
            session.run(iterator.initializer, {features: given[0], labels: given[1]})
            print("by placeholder:", [(a.tolist(), b.tolist()) for a, b in rest_of(session, (x, y))])


def train_then_validate() -> None:
    """One iterator for two datasets of one structure: a step for training, another for validation."""
    train, validate = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 12)
    iterator = tf.data.Iterator.from_structure(train.output_types, train.output_shapes)
    value = iterator.get_next() + 100
    begin_training, begin_validation = iterator.make_initializer(train), iterator.make_initializer(validate)
    with tf.Session() as session:
        for begin in (begin_training, begin_validation, begin_training):
            session.run(begin)
            print("reinitializable:", [int(each) for each in rest_of(session, value)])


def records(folder: str) -> None:
    """Records of `tf.train.Example`, from files whose names a run feeds."""
    path = os.path.join(folder, "rows.tfrecord")
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(3):
            feature = {
                "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w"] * number)),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())

    def parsed(record: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        features = {"id": tf.FixedLenFeature([], tf.int64), "words": tf.VarLenFeature(tf.string)}
        example = tf.parse_single_example(record, features)
        return example["id"], tf.sparse_tensor_to_dense(example["words"], default_value="")

    names = tf.placeholder(tf.string, [None])
    iterator = tf.data.TFRecordDataset(names).map(parsed).repeat(2).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer, {names: [path]})
        print("records:", [(int(number), words.tolist()) for number, words in rest_of(session, element)])


def lines_of_text(folder: str) -> None:
    """Lines of several files, without each one's header and without comments."""
    paths = [os.path.join(folder, f"{name}.txt") for name in ("one", "two")]
    for path in paths:
        with open(path, "w", encoding="utf-8") as file:
            file.write("# title\nfirst of {0}\n# remark\nlast of {0}\n".format(os.path.basename(path)))

    def lines(path: tf.Tensor) -> tf.data.Dataset:
        whole = tf.data.TextLineDataset(path).skip(1)
        return whole.filter(lambda line: tf.not_equal(tf.substr(line, 0, 1), "#"))

    line = tf.data.Dataset.from_tensor_slices(paths).flat_map(lines).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        print("lines:", [each.decode() for each in rest_of(session, line)])


def images(folder: str) -> None:
    """Files of images: read, decoded and brought to one size, in batches with their labels."""
    for number in range(3):
        pixels = np.full((2 + number, 3, 1), 100 * number, np.uint8)
        with tf.Session() as session:
            name = os.path.join(folder, f"{number}.png")
            session.run(tf.write_file(name, tf.image.encode_png(pixels)))

    def decoded(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        image = tf.image.decode_png(tf.read_file(path), channels=1)
        return tf.image.resize_images(image, [4, 4]), label

    paths = tf.constant([os.path.join(folder, f"{number}.png") for number in range(3)])
    dataset = tf.data.Dataset.from_tensor_slices((paths, tf.constant([7, 8, 9]))).map(decoded).batch(3)
    image, label = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        pixels, numbers = session.run([image, label])
        print("images:", pixels.shape, pixels[:, 0, 0, 0].tolist(), numbers.tolist())


def python_and_padding() -> None:
    """Sentences of a Python generator, a function in Python, and batches that are padded to their longest."""

    def sentences() -> Iterator[str]:
        yield from ("to be", "or", "not to be")

    numbers: dict[bytes, int] = {}

    def numbered(text: bytes) -> Any:
        return np.array([numbers.setdefault(word, len(numbers) + 1) for word in text.split()], np.int64)

    dataset = tf.data.Dataset.from_generator(sentences, tf.string, tf.TensorShape([]))
    dataset = dataset.map(lambda text: tf.py_func(numbered, [text], tf.int64))
    dataset = dataset.map(lambda ids: tf.reshape(ids, [-1])).padded_batch(3, padded_shapes=[None])
    batch = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        print("padded:", session.run(batch).tolist())


def epochs() -> None:
    """`repeat` behind `batch` keeps each epoch's batches apart; a monitored session ends with the data."""
    dataset = tf.data.Dataset.range(5).shuffle(5, seed=3).batch(2).repeat(2)
    batch = dataset.make_one_shot_iterator().get_next()
    sizes, total = tf.size(batch), tf.reduce_sum(batch)
    steps = []
    with tf.train.MonitoredTrainingSession() as session:
        while not session.should_stop():
            steps.append([int(each) for each in session.run([sizes, total])])
    print("epochs:", [size for size, _ in steps], "sum", sum(each for _, each in steps))


with tempfile.TemporaryDirectory() as folder:
    for habit in (one_shot, arrays_by_placeholder, train_then_validate, python_and_padding, epochs):
        with tf.Graph().as_default():
            habit()
    for habit_with_files in (records, lines_of_text, images):
        with tf.Graph().as_default():
            habit_with_files(folder)
