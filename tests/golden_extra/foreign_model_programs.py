"""Models that TensorFlow saves: `record_foreign_models.py` records them.

Each program of `MODELS` gets `tf.compat.v1` and builds a graph; it returns a `Model`. Those of `modules` get TensorFlow
2 and return a `tf.Module` with its signatures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Model:
    """Tensors to fetch, by the names of a signature; placeholders with their values; an operation that trains.

    Attributes:
        outputs: what is fetched.
        inputs: placeholders.
        feeds: their values.
        train: what one step runs.
        feeds_of_training: further placeholders, and values for them, that a step needs.
    """

    outputs: dict[str, Any]
    inputs: dict[str, Any]
    feeds: dict[str, Any]
    train: Any = None
    feeds_of_training: list[tuple[Any, Any]] = field(default_factory=list)
    folder: str = ""
    start: Any = None


def _numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def _weights(tf: Any, name: str, *shape: int, seed: int = 1) -> Any:
    return tf.get_variable(name, initializer=_numbers(*shape, seed=seed) * 0.5)


def dropout(tf: Any, folder: str) -> Model:
    """A network with two layers and dropout, which is trained by Adam."""
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    y = tf.placeholder(tf.int64, [None], name="y")
    rate = tf.placeholder_with_default(0.0, [], name="rate")
    hidden = tf.nn.relu(tf.matmul(x, _weights(tf, "w1", 4, 8)) + _weights(tf, "b1", 8))
    hidden = tf.nn.dropout(hidden, rate=rate, seed=7)
    logits = tf.add(tf.matmul(hidden, _weights(tf, "w2", 8, 3)), _weights(tf, "b2", 3), name="logits")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits), name="loss")
    train = tf.train.AdamOptimizer(0.1).minimize(loss, name="train")
    return Model({"p": tf.nn.softmax(logits)}, {"x": x}, {"x": _numbers(5, 4)}, train,
                 [(y, np.array([0, 1, 2, 1, 0])), (rate, np.float32(0.5))])  # fmt: skip


def convolutions(tf: Any, folder: str) -> Model:
    """Convolution, pooling, batch normalization whose averages an update moves, momentum."""
    x = tf.placeholder(tf.float32, [None, 8, 8, 2], name="x")
    y = tf.placeholder(tf.float32, [None], name="y")
    training = tf.placeholder_with_default(False, [], name="training")
    maps = tf.nn.conv2d(x, _weights(tf, "k", 3, 3, 2, 4), strides=[1, 2, 2, 1], padding="SAME")
    scale, offset = _weights(tf, "scale", 4), _weights(tf, "offset", 4)
    mean = tf.get_variable("mean", initializer=np.zeros(4, np.float32), trainable=False)
    variance = tf.get_variable("variance", initializer=np.ones(4, np.float32), trainable=False)

    def in_training() -> Any:
        normal, m, v = tf.nn.fused_batch_norm(maps, scale, offset, epsilon=1e-3)
        return normal, tf.group(mean.assign(mean * 0.9 + m * 0.1), variance.assign(variance * 0.9 + v * 0.1))

    normal, updates = in_training()
    used = tf.nn.fused_batch_norm(maps, scale, offset, mean, variance, epsilon=1e-3, is_training=False)[0]
    maps = tf.nn.relu(tf.cond(training, lambda: normal, lambda: used))
    maps = tf.nn.max_pool2d(maps, [1, 2, 2, 1], [1, 2, 2, 1], "VALID") - tf.nn.avg_pool2d(maps, 2, 2, "VALID")
    flat = tf.reshape(maps, [-1, 16])
    value = tf.squeeze(tf.matmul(flat, _weights(tf, "out", 16, 1)), [1], name="value")
    loss = tf.losses.mean_squared_error(y, value)
    with tf.control_dependencies([updates]):
        train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, name="train")
    return Model({"value": value, "mean": tf.identity(mean)}, {"x": x}, {"x": _numbers(3, 8, 8, 2)}, train,
                 [(y, _numbers(3)), (training, np.array(True))])  # fmt: skip


def recurrent(tf: Any, folder: str) -> Model:
    """An LSTM over sequences of different lengths, by a loop with TensorArrays, trained by RMSProp with clipping."""
    x = tf.placeholder(tf.float32, [None, 5, 3], name="x")
    lengths = tf.placeholder(tf.int32, [None], name="lengths")
    kernel, bias = _weights(tf, "kernel", 3 + 4, 16), _weights(tf, "bias", 16)
    rows = tf.shape(x)[0]
    inputs = tf.TensorArray(tf.float32, 5).unstack(tf.transpose(x, [1, 0, 2]))
    outputs = tf.TensorArray(tf.float32, 5)

    def step(time: Any, c: Any, h: Any, out: Any) -> Any:
        gates = tf.matmul(tf.concat([inputs.read(time), h], 1), kernel) + bias
        i, j, f, o = tf.split(gates, 4, 1)
        new_c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        new_h = tf.tanh(new_c) * tf.sigmoid(o)
        alive = tf.expand_dims(time < lengths, 1)
        return (time + 1, tf.where_v2(alive, new_c, c), tf.where_v2(alive, new_h, h),
                out.write(time, tf.where_v2(alive, new_h, tf.zeros_like(new_h))))  # fmt: skip

    zeros = tf.zeros([rows, 4])
    _, _, last, outputs = tf.while_loop(lambda t, *_: t < 5, step, [0, zeros, zeros, outputs])
    every = tf.transpose(outputs.stack(), [1, 0, 2], name="every")
    loss = tf.reduce_sum(tf.square(last - 0.1)) + tf.reduce_mean(every)
    optimizer = tf.train.RMSPropOptimizer(0.01)
    gradients, variables = zip(*optimizer.compute_gradients(loss))  # noqa: B905
    clipped, _ = tf.clip_by_global_norm(gradients, 1.0)
    train = optimizer.apply_gradients(zip(clipped, variables), name="train")  # noqa: B905
    return Model({"every": every, "last": last}, {"x": x, "lengths": lengths},
                 {"x": _numbers(4, 5, 3), "lengths": np.array([5, 2, 0, 3], np.int32)}, train)  # fmt: skip


def embeddings(tf: Any, folder: str) -> Model:
    """Words that a file lists, looked up in a table; rows of a matrix, and Adagrad with sparse gradients."""
    with open(f"{folder}/words.txt", "w", encoding="utf-8") as file:
        file.write("the\nquick\nbrown\nfox\n")
    path = tf.constant(f"{folder}/words.txt", name="vocabulary")
    tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, path)
    table = tf.lookup.StaticVocabularyTable(
        tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                      tf.lookup.TextFileIndex.LINE_NUMBER), num_oov_buckets=2)  # fmt: skip
    back = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1, 2], tf.int64), tf.constant(["a", "b", "c"])), "?")
    words = tf.placeholder(tf.string, [None, None], name="words")
    ids = table.lookup(words)
    matrix = _weights(tf, "matrix", 6, 3)
    mean = tf.reduce_mean(tf.nn.embedding_lookup(matrix, ids), 1)
    train = tf.train.AdagradOptimizer(0.5).minimize(tf.reduce_sum(tf.square(mean - 1.0)), name="train")
    return Model({"ids": ids, "mean": mean, "size": table.size(), "back": back.lookup(ids)}, {"words": words},
                 {"words": np.array([["the", "fox", "cat"], ["brown", "dog", "the"]], object)}, train,
                 start=tf.tables_initializer(name="tables"))  # fmt: skip


def branches(tf: Any, folder: str) -> Model:
    """cond, case and switch_case, with variables that they change; an assertion; nodes that nothing needs."""
    x = tf.placeholder(tf.float32, [3], name="x")
    n = tf.placeholder(tf.int32, [], name="n")
    count = tf.get_variable("count", initializer=np.float32(0))
    with tf.control_dependencies([tf.Assert(n >= 0, [n])]):
        y = tf.cond(n > 1, lambda: x * 2.0, lambda: x + tf.cond(n > 0, lambda: 1.0, lambda: -1.0))
    z = tf.case([(tf.equal(n, 0), lambda: x), (tf.equal(n, 1), lambda: -x)], default=lambda: x * x)
    w = tf.switch_case(n, [lambda: y, lambda: z, lambda: y + z])
    tf.reduce_max(w, name="that_nothing_needs")
    train = tf.group(tf.cond(n > 0, lambda: tf.assign_add(count, tf.cast(n, tf.float32)), lambda: count + 0.0),
                     name="train")  # fmt: skip
    return Model({"y": y, "z": z, "w": w, "count": tf.identity(count)}, {"x": x, "n": n},
                 {"x": _numbers(3), "n": np.int32(2)}, train)  # fmt: skip


def loops(tf: Any, folder: str) -> Model:
    """Loops inside loops, map_fn, scan, their gradients, and a loop that changes a variable."""
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = _weights(tf, "w", 2, 2)
    total = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.while_loop(
        lambda j, b: j < i, lambda j, b: (j + 1, tf.tanh(tf.matmul(b, w))), [0, a])[1]), [0, x])[1]  # fmt: skip
    mapped = tf.map_fn(lambda row: row * tf.reduce_sum(row), x)
    scanned = tf.scan(lambda a, row: a * 0.5 + row, x, initializer=tf.zeros([2]))
    loss = tf.reduce_sum(total * total) + tf.reduce_sum(mapped * scanned)
    (gradient,) = tf.gradients(loss, [x])
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")
    return Model({"total": total, "mapped": mapped, "scanned": scanned, "gradient": gradient}, {"x": x},
                 {"x": _numbers(3, 2)}, train)  # fmt: skip


def pipeline(tf: Any, folder: str) -> Model:
    """A dataset with an iterator, whose elements a variable adds up."""
    data = tf.data.Dataset.from_tensor_slices(_numbers(7, 2)).map(lambda row: row * 2.0).batch(3)
    iterator = tf.data.make_initializable_iterator(data)
    batch = iterator.get_next("batch")
    x = tf.placeholder(tf.float32, [], name="x")
    total = tf.get_variable("total", initializer=np.float32(0))
    train = tf.assign_add(total, tf.reduce_sum(batch), name="train")
    return Model({"total": total * x}, {"x": x}, {"x": np.float32(3)}, train,
                 start=tf.group(iterator.initializer, name="begin"))  # fmt: skip


def queue(tf: Any, folder: str) -> Model:
    """Two queues: one run puts numbers in, another takes them out."""
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    fifo = tf.FIFOQueue(10, [tf.float32], [[2]], name="fifo")
    total = tf.get_variable("total", initializer=np.zeros(2, np.float32))
    fill = fifo.enqueue_many([x])
    with tf.control_dependencies([fill]):
        rows = fifo.dequeue_many(2)
    train = tf.group(tf.assign_add(total, tf.reduce_sum(rows, 0)), name="train")
    return Model({"total": total + x[0], "size": fifo.size()}, {"x": x}, {"x": _numbers(2, 2)}, train)


MODELS: dict[str, Callable[[Any, str], Model]] = {
    each.__name__: each
    for each in (dropout, convolutions, recurrent, embeddings, branches, loops, pipeline, queue)
}


def modules(tf: Any, folder: str) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    """Modules of TensorFlow 2: the object, its signatures, and what is fed, by the names of arguments."""

    def compiled(*specs: Any) -> Callable[[Any], Any]:
        return lambda function: tf.function(function, input_signature=list(specs))

    class Dense(tf.Module):  # type: ignore[misc]  # an Any
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(_numbers(3, 2, seed=1), name="w")
            self.b = tf.Variable(_numbers(2, seed=2), name="b")
            self.steps = tf.Variable(0, name="steps")

        @compiled(tf.TensorSpec([None, 3], tf.float32, name="x"))
        def serve(self, x: Any) -> Any:
            return {"y": tf.nn.relu(x @ self.w + self.b), "top": tf.argmax(x, 1)}

        @compiled(tf.TensorSpec([None, 3], tf.float32, name="x"), tf.TensorSpec([], tf.int32, name="n"))
        def loop(self, x: Any, n: Any) -> Any:
            total = tf.zeros_like(x)
            for i in tf.range(n):
                if i % 2 == 0:
                    total += x * tf.cast(i, tf.float32)
                else:
                    total = tf.tanh(total) + self.w[0, 0]
            return {"total": total, "split": tf.split(total, 3, 1)[1], "unique": tf.unique(tf.reshape(x, [-1]))[1]}

        @compiled(tf.TensorSpec([None, 3], tf.float32, name="x"))
        def step(self, x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(x @ self.w + self.b - 1.0))
            for variable, gradient in zip((self.w, self.b), tape.gradient(loss, (self.w, self.b))):  # noqa: B905
                variable.assign_sub(0.1 * gradient)
            self.steps.assign_add(1)
            return {"loss": loss, "steps": self.steps.read_value()}

    class Words(tf.Module):  # type: ignore[misc]  # an Any
        def __init__(self) -> None:
            super().__init__()
            with open(f"{folder}/vocabulary.txt", "w", encoding="utf-8") as file:
                file.write("red\ngreen\nblue\n")
            self.path = tf.saved_model.Asset(f"{folder}/vocabulary.txt")
            self.table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
                self.path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                tf.lookup.TextFileIndex.LINE_NUMBER), -1)  # fmt: skip

        @compiled(tf.TensorSpec([None], tf.string, name="words"))
        def serve(self, words: Any) -> Any:
            return {"ids": self.table.lookup(words)}

    x = _numbers(4, 3)
    dense, words = Dense(), Words()
    signatures = {"serving_default": dense.serve, "loop": dense.loop, "step": dense.step}
    feeds = {"serving_default": {"x": x}, "loop": {"x": x, "n": np.int32(4)}, "step": {"x": x}}
    return {
        "module": (dense, signatures, feeds),
        "words": (words, {"serving_default": words.serve},
                  {"serving_default": {"words": np.array(["blue", "pink", "red"], object)}}),
    }  # fmt: skip
