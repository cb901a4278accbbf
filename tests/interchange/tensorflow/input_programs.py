"""Programs with queues, readers, datasets and tables, which TensorFlow builds, too. This module is its side:

    python -m tests.interchange.tensorflow.input_programs FOLDER

reads FOLDER/NAME.pb, which Penstock wrote, and writes what TensorFlow computes with it to FOLDER/NAME.out.json.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

MOST = 12
"""How often an element is fetched at most."""


def queues(tf: Any) -> None:
    """Every kind of queue."""
    fifo = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[2], []], name="fifo")
    put = [fifo.enqueue([[1.0, 2.0], 3]), fifo.enqueue_many([[[5.0, 6.0], [7.0, 8.0]], [4, 5]])]
    priority = tf.PriorityQueue(10, [tf.string], [[]], name="priority")
    put += [priority.enqueue([tf.constant(number, tf.int64), text]) for number, text in ((5, "five"), (2, "two"))]
    padding = tf.PaddingFIFOQueue(10, tf.int32, [[None]], name="padding")
    with tf.control_dependencies([padding.enqueue([[1, 2, 3]])]):
        put.append(padding.enqueue([[4]]))
    shuffled = tf.RandomShuffleQueue(10, 0, tf.int64, shapes=[[]], seed=3, name="shuffled")
    put.append(shuffled.enqueue(tf.constant(7, tf.int64)))
    tf.group(*put, name="start")
    rows, numbers = fifo.dequeue_many(3)
    tf.add(tf.reduce_sum(rows, 1), tf.cast(numbers, tf.float32), name="out0")
    tf.identity(priority.dequeue()[1], name="out1")
    tf.identity(tf.shape(padding.dequeue_many(2)), name="out2")
    tf.identity(shuffled.dequeue_up_to(1), name="out3")
    with tf.control_dependencies([fifo.close()]):
        tf.identity(fifo.size(), name="out4")


def reader(tf: Any) -> None:
    """Lines of a file that a queue names."""
    names = tf.FIFOQueue(10, tf.string, shapes=[[]], name="names")
    tf.group(names.enqueue(str(Path(__file__).with_name("__init__.py").parent / "lines.txt")), name="start")
    _, value = tf.TextLineReader(name="reader").read(names)
    tf.identity(value, name="out0")


def transformations(tf: Any) -> None:
    """Map with a capture, filter, repeat, batch."""
    factor = tf.constant(2.0)
    slices = (np.arange(12, dtype=np.float32).reshape(6, 2), np.arange(6))
    data = tf.data.Dataset.from_tensor_slices(slices).map(lambda x, y: (x * factor, y + 1))
    data = data.filter(lambda x, y: tf.not_equal(y % 3, 0)).repeat(2).batch(3)
    _iterate(tf, data)


def shuffles(tf: Any) -> None:
    """Orders, and elements that are worked on side by side."""
    data = tf.data.Dataset.range(5).shuffle(10, seed=3).map(lambda x: x * 2, num_parallel_calls=2).prefetch(1)
    _iterate(tf, data.apply(tf.data.experimental.shuffle_and_repeat(3, 2, seed=5)))


def one_shot(tf: Any) -> None:
    """An iterator that begins by itself, so that its dataset is a function."""
    tf.no_op(name="start")
    data = tf.data.Dataset.range(4).map(lambda x: x * x + tf.constant(1, tf.int64))
    tf.identity(data.make_one_shot_iterator().get_next(), name="out0")


def flattened(tf: Any) -> None:
    """Datasets of datasets."""
    data = tf.data.Dataset
    flat = data.range(4).flat_map(lambda x: data.from_tensors(x).repeat(x))
    turns = flat.interleave(lambda x: data.range(x), 2, 1).concatenate(data.range(2))
    _iterate(tf, turns.take(9).skip(1).shard(2, 0).cache())


def windows(tf: Any) -> None:
    """Windows, states, groups."""
    more = tf.data.experimental
    data = tf.data.Dataset.range(6).window(2, drop_remainder=True).flat_map(lambda window: window.batch(2))
    data = data.apply(more.unbatch()).apply(more.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x)))
    data = data.apply(more.enumerate_dataset()).apply(more.take_while(lambda i, x: x < 9)).map(lambda i, x: i + x)
    _iterate(tf, data.apply(more.group_by_window(lambda x: x % 2, lambda key, group: group.batch(3), 3)))


def padded(tf: Any) -> None:
    """Zipped and padded, of different lengths."""
    data = tf.data.Dataset.range(5).map(lambda n: tf.fill([n], n))
    _iterate(tf, tf.data.Dataset.zip((data, tf.data.Dataset.range(9))).padded_batch(2, ([None], [])))


def tables(tf: Any) -> None:
    """Look-ups of strings and of numbers."""
    lookup = tf.lookup
    words = lookup.StaticHashTable(lookup.KeyValueTensorInitializer(["a", "b", "c"], [1, 2, 3]), -1)
    back = lookup.StaticHashTable(
        lookup.KeyValueTensorInitializer(tf.constant([1, 2], tf.int64), tf.constant([0.5, 1.5])), 9.0
    )
    tf.group(tf.tables_initializer(), name="start")
    found = words.lookup(tf.constant([["b", "?"], ["a", "c"]]))
    tf.identity(found, name="out0")
    tf.identity(back.lookup(tf.cast(found, tf.int64)), name="out1")


def _iterate(tf: Any, data: Any) -> None:
    iterator = data.make_initializable_iterator()
    element = iterator.get_next()
    for number, part in enumerate(element if isinstance(element, tuple) else [element]):
        tf.identity(part, name=f"out{number}")
    tf.group(iterator.initializer, name="start")


PROGRAMS: dict[str, Callable[[Any], None]] = {
    each.__name__: each
    for each in (queues, reader, transformations, shuffles, one_shot, flattened, windows, padded, tables)
}
ONCE = ("queues", "tables")


def values(tf: Any, name: str, graph: Any) -> list[Any]:
    """What a graph gives, fetch by fetch, until it ends."""
    fetches = sorted(op.name + ":0" for op in graph.get_operations() if op.name[:3] == "out" and op.name[3:].isdigit())
    found: list[Any] = []
    with tf.Session(graph=graph) as session:
        session.run("start")
        try:
            for _ in range(1 if name in ONCE else MOST if name != "reader" else 2):
                found.append([_told(each) for each in (
                    [session.run(fetch) for fetch in fetches] if name == "queues" else session.run(fetches))])
        except tf.errors.OutOfRangeError:
            found.append("end")
    return found


def _told(value: Any) -> Any:
    texts = [each.decode() if isinstance(each, bytes) else each for each in np.asarray(value).reshape(-1).tolist()]
    return [list(np.asarray(value).shape), texts]


def main(folder: Path) -> None:
    """TensorFlow's side."""
    tf = import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    for path in sorted(folder.glob("*.pb")):
        with tf.Graph().as_default() as graph:
            try:
                tf.import_graph_def(tf.GraphDef.FromString(path.read_bytes()), name="")
                found: Any = values(tf, path.stem, graph)
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
        path.with_suffix(".out.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
