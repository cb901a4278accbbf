"""Ten ordinary programs in the style of TensorFlow 1, fed with small batches; `first_steps --ordinary` times them.

    python -m benchmarks.ordinary_programs penstock "autoencoder, RMSProp" 200

runs one with either package. It prints, as JSON, the CPU and wall seconds of the import, of building the graph, and of
each run after that (the first one initialises variables), and the last loss.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from .tf1_programs import package

BEGAN: Final = float(os.environ.get("STARTED", 0)) or time.time()


class Built(NamedTuple):
    """A program that is built.

    Attributes:
        fetches: what a step fetches; the loss is the last of them.
        feeds: the feed_dict of a step, by its number.
        start: what the program does before its steps, besides initialising variables.
        end: what it does after them.
    """

    fetches: list[Any]
    feeds: Callable[[int], dict[Any, Any]] = lambda step: {}
    start: Callable[[Any], object] = lambda session: None
    end: Callable[[], object] = lambda: None


def _parts(count: int, *arrays: Any, size: int = 32) -> Callable[[int], tuple[Any, ...]]:
    """Batches of these arrays, one after the other."""
    return lambda step: tuple(array[step * size % count : step * size % count + size] for array in arrays)


def _dense(tf: Any, x: Any, features: int, units: int, name: str) -> Any:
    with tf.variable_scope(name):
        w = tf.get_variable("w", [features, units], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1))
        return tf.matmul(x, w) + tf.get_variable("b", [units], initializer=tf.zeros_initializer())


def _digits(tf: Any) -> tuple[Any, Any, Callable[[int], dict[Any, Any]]]:
    rng = np.random.default_rng(0)
    x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
    labels = np.eye(10, dtype=np.float32)[rng.integers(0, 10, 640)]
    part = _parts(640, rng.random((640, 784), np.float32), labels)
    return x, y, lambda step: dict(zip((x, y), part(step), strict=True))


def _cross_entropy(tf: Any, labels: Any, logits: Any) -> Any:
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))


def linear_regression(tf: Any) -> Built:
    """Thirteen features, gradient descent, shapes not given in full."""
    rng = np.random.default_rng(0)
    x, y = tf.placeholder(tf.float32, [None, 13]), tf.placeholder(tf.float32, [None, 1])
    w, b = tf.Variable(tf.zeros([13, 1])), tf.Variable(tf.zeros([1]))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    values = rng.random((640, 13), np.float32)
    part = _parts(640, values, values.sum(1, keepdims=True))
    return Built([train, loss], lambda step: dict(zip((x, y), part(step), strict=True)))


def perceptron(tf: Any) -> Built:
    """784-128-64-10, softmax, Adam, and the accuracy beside each step."""
    x, y, feeds = _digits(tf)
    h = tf.nn.relu(_dense(tf, x, 784, 128, "one"))
    h = tf.nn.relu(_dense(tf, h, 128, 64, "two"))
    logits = _dense(tf, h, 64, 10, "out")
    loss = _cross_entropy(tf, y, logits)
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
    return Built([tf.train.AdamOptimizer(0.001).minimize(loss), accuracy, loss], feeds)


def convolutions(tf: Any) -> Built:
    """Two convolutions of 5x5 (8 and 16 filters) with pooling and dropout, Adam."""
    x, y, feeds = _digits(tf)
    keep = tf.placeholder_with_default(1.0, [])
    h = tf.reshape(x, [-1, 28, 28, 1])
    for i, (before, after) in enumerate([(1, 8), (8, 16)]):
        first = tf.truncated_normal_initializer(stddev=0.1, seed=i)
        filters = tf.get_variable(f"filters{i}", [5, 5, before, after], initializer=first)
        bias = tf.get_variable(f"bias{i}", [after], initializer=tf.constant_initializer(0.1))
        h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(h, filters, [1, 1, 1, 1], "SAME"), bias))
        h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    h = tf.nn.relu(_dense(tf, tf.reshape(h, [-1, 7 * 7 * 16]), 7 * 7 * 16, 64, "dense"))
    loss = _cross_entropy(tf, y, _dense(tf, tf.nn.dropout(h, rate=1.0 - keep, seed=1), 64, 10, "out"))
    return Built([tf.train.AdamOptimizer(0.001).minimize(loss), loss], lambda step: {keep: 0.5, **feeds(step)})


def characters(tf: Any) -> Built:
    """An LSTM of 64 units over 25 characters of 16 texts: the loop that `dynamic_rnn` is, clipped gradients, Adam."""
    rows, steps, letters, units = 16, 25, 40, 64
    x, y = tf.placeholder(tf.int32, [rows, steps]), tf.placeholder(tf.int32, [rows, steps])
    first = tf.glorot_uniform_initializer(seed=1)
    embedding = tf.get_variable("embedding", [letters, units], initializer=first)
    inputs = tf.nn.embedding_lookup(embedding, tf.transpose(x))
    kernel = tf.get_variable("kernel", [2 * units, 4 * units], initializer=first)
    bias = tf.get_variable("bias", [4 * units], initializer=tf.zeros_initializer())
    read = tf.TensorArray(tf.float32, steps).unstack(inputs)

    def body(t: Any, h: Any, c: Any, out: Any) -> Any:
        gates = tf.nn.bias_add(tf.matmul(tf.concat([read.read(t), h], 1), kernel), bias)
        i, j, f, o = tf.split(gates, 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        return t + 1, h, c, out.write(t, h)

    zeros = tf.zeros([rows, units])
    start = [tf.constant(0), zeros, zeros, tf.TensorArray(tf.float32, steps)]
    states = tf.while_loop(lambda t, *_: t < steps, body, start)[3].stack()
    logits = _dense(tf, tf.reshape(tf.transpose(states, [1, 0, 2]), [-1, units]), units, letters, "out")
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(y, [-1]), logits=logits)
    loss = tf.reduce_mean(losses)
    variables = tf.trainable_variables()
    clipped, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
    train = tf.train.AdamOptimizer(0.002).apply_gradients(zip(clipped, variables, strict=True))
    text = np.random.default_rng(0).integers(0, letters, (rows, 20 * steps + 1)).astype(np.int32)

    def feeds(step: int) -> dict[Any, Any]:
        at = step % 20 * steps
        return {x: text[:, at : at + steps], y: text[:, at + 1 : at + steps + 1]}

    return Built([train, loss], feeds)


def word_vectors(tf: Any) -> Built:
    """Skip-grams of 5,000 words with noise contrastive estimation, gradient descent."""
    words, units = 5000, 64
    rng = np.random.default_rng(0)
    x, y = tf.placeholder(tf.int32, [64]), tf.placeholder(tf.int32, [64, 1])
    vectors = tf.Variable(tf.random_uniform([words, units], -1.0, 1.0, seed=1))
    weights = tf.Variable(tf.truncated_normal([words, units], stddev=1.0 / np.sqrt(units), seed=2))
    biases = tf.Variable(tf.zeros([words]))
    embedded = tf.nn.embedding_lookup(vectors, x)
    labels = tf.cast(y, tf.int64)
    sampled = tf.nn.log_uniform_candidate_sampler(labels, 1, 32, True, words, seed=1)
    losses = tf.nn.nce_loss(weights, biases, labels, embedded, 32, words, sampled_values=sampled)
    loss = tf.reduce_mean(losses)
    centre, context = rng.integers(0, words, 6400), rng.integers(0, words, (6400, 1))
    part = _parts(6400, centre.astype(np.int32), context.astype(np.int32), size=64)
    train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    return Built([train, loss], lambda step: dict(zip((x, y), part(step), strict=True)))


def autoencoder(tf: Any) -> Built:
    """784-128-32-128-784 with sigmoids, RMSProp."""
    x, _, feeds = _digits(tf)
    h = x
    for i, (before, after) in enumerate([(784, 128), (128, 32), (32, 128), (128, 784)]):
        h = tf.nn.sigmoid(_dense(tf, h, before, after, f"layer{i}"))
    loss = tf.reduce_mean(tf.pow(x - h, 2))
    return Built([tf.train.RMSPropOptimizer(0.01).minimize(loss), loss], lambda step: {x: feeds(step)[x]})


def k_means(tf: Any) -> Built:
    """Lloyd's algorithm: 1,000 points, 5 clusters, sums by `unsorted_segment_sum`, an assignment."""
    points = tf.constant(np.random.default_rng(0).random((1000, 2), np.float32))
    centres = tf.Variable(tf.slice(tf.random_shuffle(points, seed=1), [0, 0], [5, -1]))
    distances = tf.reduce_sum(tf.square(tf.expand_dims(points, 0) - tf.expand_dims(centres, 1)), 2)
    nearest = tf.argmin(distances, 0)
    sums = tf.unsorted_segment_sum(points, nearest, 5)
    counts = tf.unsorted_segment_sum(tf.ones([1000, 1]), nearest, 5)
    loss = tf.reduce_mean(tf.reduce_min(distances, 0))
    return Built([tf.assign(centres, sums / tf.maximum(counts, 1.0)), nearest, loss])


def ratings(tf: Any) -> Built:
    """Vectors of users and films, looked up, multiplied and compared with ratings; L2, Adam for looked-up rows."""
    rng = np.random.default_rng(0)
    user, film = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
    rating = tf.placeholder(tf.float32, [None])
    first = tf.truncated_normal_initializer(stddev=0.02, seed=1)
    u = tf.nn.embedding_lookup(tf.get_variable("users", [2000, 16], initializer=first), user)
    f = tf.nn.embedding_lookup(tf.get_variable("films", [1000, 16], initializer=first), film)
    bias = tf.nn.embedding_lookup(tf.get_variable("bias", [1000], initializer=tf.zeros_initializer()), film)
    guess = tf.reduce_sum(u * f, 1) + bias
    loss = tf.nn.l2_loss(guess - rating) + 0.05 * (tf.nn.l2_loss(u) + tf.nn.l2_loss(f))
    train = tf.train.AdamOptimizer(0.001).minimize(loss, global_step=tf.train.get_or_create_global_step())
    ids = rng.integers(0, 2000, 6400).astype(np.int32), rng.integers(0, 1000, 6400).astype(np.int32)
    part = _parts(6400, *ids, rng.integers(1, 6, 6400).astype(np.float32), size=64)
    return Built([train, loss], lambda step: dict(zip((user, film, rating), part(step), strict=True)))


def dataset(tf: Any) -> Built:
    """784-64-10 from a `tf.data` pipeline: shuffle, map, batch, repeat."""
    rng = np.random.default_rng(0)
    images, labels = rng.integers(0, 256, (640, 784)).astype(np.uint8), rng.integers(0, 10, 640)
    elements = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(200, seed=1)
    elements = elements.map(lambda image, label: (tf.cast(image, tf.float32) / 255.0, label))
    iterator = tf.data.make_one_shot_iterator(elements.batch(32).repeat())
    x, y = iterator.get_next()
    logits = _dense(tf, tf.nn.relu(_dense(tf, x, 784, 64, "one")), 64, 10, "out")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    return Built([tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss), loss])


def queue(tf: Any) -> Built:
    """20-32-1 from `slice_input_producer` and `batch`: queue runners and a coordinator, Adagrad."""
    rng = np.random.default_rng(0)
    values = rng.random((640, 20), np.float32)
    one = tf.train.slice_input_producer([values, values.sum(1, keepdims=True)], shuffle=True, seed=1)
    x, y = tf.train.batch(one, 32, capacity=128)
    guess = _dense(tf, tf.nn.tanh(_dense(tf, x, 20, 32, "one")), 32, 1, "out")
    loss = tf.reduce_mean(tf.square(guess - y))
    coordinator = tf.train.Coordinator()
    threads: list[Any] = []

    def end() -> None:
        coordinator.request_stop()
        coordinator.join(threads, ignore_live_threads=True)

    return Built(
        [tf.train.AdagradOptimizer(0.1).minimize(loss), loss],
        start=lambda session: threads.extend(tf.train.start_queue_runners(session, coordinator)),
        end=end,
    )


ORDINARY: Final[dict[str, Callable[[Any], Built]]] = {
    "linear regression": linear_regression,
    "784-128-64-10, Adam": perceptron,
    "two convolutions, Adam": convolutions,
    "characters by an LSTM": characters,
    "word vectors, NCE": word_vectors,
    "autoencoder, RMSProp": autoencoder,
    "k-means": k_means,
    "looked-up vectors, Adam": ratings,
    "tf.data": dataset,
    "queue runners": queue,
}


def main() -> None:
    """Run one program and print its times and its last loss."""
    name, program, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    times = [(time.time() - BEGAN, time.process_time())]

    def note() -> None:
        times.append((time.time() - BEGAN, time.process_time()))

    tf = package(name)
    note()
    built = ORDINARY[program](tf)
    first = tf.global_variables_initializer()
    note()
    session = tf.Session()
    session.run(first)
    built.start(session)
    found: list[Any] = []
    for step in range(steps):
        found = session.run(built.fetches, built.feeds(step))
        note()
    built.end()
    wall, cpu = zip(*times, strict=True)
    print(json.dumps({"wall": wall, "cpu": cpu, "loss": float(found[-1])}))


if __name__ == "__main__":
    main()
