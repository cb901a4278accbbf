"""Ordinary networks in the style of TensorFlow 1, which run with either package; `networks` times them.

    python -m benchmarks.network_programs penstock "residual blocks" --step train --threads 1

builds one and prints, as JSON, the CPU and wall seconds to the end of its first step, import, graph and initial values
included, then answers each line with a number of steps: their times. No placeholder has a batch size. With `--values
FILE` all variables begin at the values in this file, or are written to it if it is not there yet.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")  # tf.layers and the recurrent cells of tensorflow.compat.v1
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from .tf1_programs import package


class Network(NamedTuple):
    """A network that is built.

    Attributes:
        train: the operation of a training step.
        loss: the loss, a scalar.
        answer: what a forward pass is for.
        feeds: the placeholders of a batch, with the values.
        training: a boolean placeholder: batch norm by the batch, and dropout.
        rate: a placeholder: the rate of dropout, zero where networks are compared.
    """

    train: Any
    loss: Any
    answer: Any
    feeds: dict[Any, Any]
    training: Any
    rate: Any


def _modes(tf: Any) -> tuple[Any, Any]:
    return tf.placeholder_with_default(False, []), tf.placeholder_with_default(0.3, [])


def _adam(tf: Any, loss: Any) -> Any:
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return tf.train.AdamOptimizer(0.001).minimize(loss)


def _images(tf: Any, batch: int, size: int, channels: int) -> tuple[Any, Any, dict[Any, Any]]:
    rng = np.random.default_rng(0)
    x = tf.placeholder(tf.float32, [None, size, size, channels])
    labels = tf.placeholder(tf.int64, [None])
    return x, labels, {x: rng.random((batch, size, size, channels), np.float32), labels: rng.integers(0, 10, batch)}


def _classes(tf: Any, labels: Any, logits: Any) -> Any:
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def vgg(tf: Any, batch: int) -> Network:
    """Six convolutions of 3x3 with batch norm, pooling after each second, two dense layers and dropout."""
    x, labels, feeds = _images(tf, batch, 32, 3)
    training, rate = _modes(tf)
    h = x
    for filters in (32, 64, 128):
        for _ in range(2):
            h = tf.layers.conv2d(h, filters, 3, padding="same", use_bias=False)
            h = tf.nn.relu(tf.layers.batch_normalization(h, training=training))
        h = tf.layers.max_pooling2d(h, 2, 2)
    h = tf.layers.dense(tf.layers.flatten(h), 256, activation=tf.nn.relu)
    logits = tf.layers.dense(tf.layers.dropout(h, rate, training=training), 10)
    loss = _classes(tf, labels, logits)
    return Network(_adam(tf, loss), loss, tf.nn.softmax(logits), feeds, training, rate)


def residual(tf: Any, batch: int) -> Network:
    """Six residual blocks of two convolutions with batch norm, 16 to 64 filters, strides 1 and 2, Momentum with L2."""
    x, labels, feeds = _images(tf, batch, 32, 3)
    training, rate = _modes(tf)

    def normed(h: Any) -> Any:
        return tf.layers.batch_normalization(h, momentum=0.9, epsilon=1e-5, training=training)

    def convolved(h: Any, filters: int, size: int, stride: int) -> Any:
        return tf.layers.conv2d(h, filters, size, stride, padding="same", use_bias=False)

    h = tf.nn.relu(normed(convolved(x, 16, 3, 1)))
    for filters, stride in ((16, 1), (16, 1), (32, 2), (32, 1), (64, 2), (64, 1)):
        shortcut = h if stride == 1 else normed(convolved(h, filters, 1, stride))
        inner = tf.nn.relu(normed(convolved(h, filters, 3, stride)))
        h = tf.nn.relu(normed(convolved(inner, filters, 3, 1)) + shortcut)
    logits = tf.layers.dense(tf.reduce_mean(h, [1, 2]), 10)
    squares = [tf.nn.l2_loss(v) for v in tf.trainable_variables() if "kernel" in v.name]
    loss = _classes(tf, labels, logits) + 1e-4 * tf.add_n(squares)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    return Network(train, loss, tf.nn.softmax(logits), feeds, training, rate)


def u_net(tf: Any, batch: int) -> Network:
    """Two levels down by pooling; up by a transposed convolution and by a resize; a mask of each image's pixels."""
    rng = np.random.default_rng(0)
    x, mask = tf.placeholder(tf.float32, [None, 64, 64, 1]), tf.placeholder(tf.float32, [None, 64, 64, 1])
    images = rng.random((batch, 64, 64, 1), np.float32)
    training, rate = _modes(tf)

    def twice(h: Any, filters: int) -> Any:
        for _ in range(2):
            h = tf.layers.conv2d(h, filters, 3, padding="same", activation=tf.nn.relu)
        return h

    one = twice(x, 16)
    two = twice(tf.layers.max_pooling2d(one, 2, 2), 32)
    h = twice(tf.layers.max_pooling2d(two, 2, 2), 64)
    h = tf.layers.dropout(h, rate, training=training)
    h = tf.layers.conv2d_transpose(h, 32, 2, 2, padding="same")
    h = twice(tf.concat([h, two], 3), 32)
    h = tf.layers.conv2d(tf.image.resize_nearest_neighbor(h, [64, 64]), 16, 3, padding="same")
    h = twice(tf.concat([h, one], 3), 16)
    logits = tf.layers.conv2d(h, 1, 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=mask, logits=logits))
    feeds = {x: images, mask: (images > 0.5).astype(np.float32)}
    return Network(_adam(tf, loss), loss, tf.nn.sigmoid(logits), feeds, training, rate)


def mobile(tf: Any, batch: int) -> Network:
    """A convolution and six blocks of a depthwise and a 1x1 one, batch norm and relu6 after each."""
    x, labels, feeds = _images(tf, batch, 32, 3)
    training, rate = _modes(tf)

    def normed(h: Any) -> Any:
        return tf.nn.relu6(tf.layers.batch_normalization(h, training=training))

    h = normed(tf.layers.conv2d(x, 32, 3, 2, padding="same", use_bias=False))
    for i, (filters, stride) in enumerate([(64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1)]):
        first = tf.glorot_uniform_initializer()
        window = tf.get_variable(f"depthwise{i}", [3, 3, int(h.shape[3]), 1], initializer=first)
        h = normed(tf.nn.depthwise_conv2d(h, window, [1, stride, stride, 1], "SAME"))
        h = normed(tf.layers.conv2d(h, filters, 1, use_bias=False))
    h = tf.layers.dropout(tf.reduce_mean(h, [1, 2]), rate, training=training)
    logits = tf.layers.dense(h, 10)
    loss = _classes(tf, labels, logits)
    return Network(_adam(tf, loss), loss, tf.nn.softmax(logits), feeds, training, rate)


def translation(tf: Any, batch: int) -> Network:
    """A GRU of 128 units reads 20 words of different lengths, another writes 20; attention; clipped gradients."""
    words, units, steps = 1000, 128, 20
    rng = np.random.default_rng(0)
    source, target = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.int32, [None, None])
    expected, lengths = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.int32, [None])
    training, rate = _modes(tf)
    vectors = tf.get_variable("vectors", [words, 64])
    with tf.variable_scope("encoder"):
        read, state = tf.nn.dynamic_rnn(
            tf.nn.rnn_cell.GRUCell(units), tf.nn.embedding_lookup(vectors, source), lengths, dtype=tf.float32
        )
    with tf.variable_scope("decoder"):
        written, _ = tf.nn.dynamic_rnn(
            tf.nn.rnn_cell.GRUCell(units), tf.nn.embedding_lookup(vectors, target), initial_state=state
        )
    scores = tf.matmul(tf.layers.dense(written, units, use_bias=False), read, transpose_b=True)
    there = tf.sequence_mask(lengths, tf.shape(source)[1], tf.float32)
    weights = tf.nn.softmax(scores + (there - 1.0)[:, tf.newaxis, :] * 1e9)
    h = tf.layers.dense(tf.concat([written, tf.matmul(weights, read)], 2), units, activation=tf.nn.tanh)
    logits = tf.layers.dense(tf.layers.dropout(h, rate, training=training), words)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=expected, logits=logits)
    seen = tf.cast(tf.not_equal(expected, 0), tf.float32)
    loss = tf.reduce_sum(losses * seen) / tf.reduce_sum(seen)
    variables = tf.trainable_variables()
    clipped, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
    train = tf.train.AdamOptimizer(0.001).apply_gradients(zip(clipped, variables))  # noqa: B905
    texts = rng.integers(0, words, (2, batch, steps + 1)).astype(np.int32)
    feeds = {
        source: texts[0, :, :steps],
        target: texts[1, :, :steps],
        expected: texts[1, :, 1:],
        lengths: rng.integers(8, steps + 1, batch).astype(np.int32),
    }
    return Network(train, loss, tf.argmax(logits, 2), feeds, training, rate)


def transformer(tf: Any, batch: int) -> Network:
    """Two layers of an encoder: 4 heads, 128 units, 512 within, layer norm, dropout; 32 words, which are guessed."""
    words, units, heads, steps = 500, 128, 4, 32
    rng = np.random.default_rng(0)
    x, expected = tf.placeholder(tf.int32, [None, steps]), tf.placeholder(tf.int32, [None, steps])
    lengths = tf.placeholder(tf.int32, [None])
    training, rate = _modes(tf)

    def normed(h: Any, name: str) -> Any:
        with tf.variable_scope(name):
            mean, variance = tf.nn.moments(h, [-1], keep_dims=True)
            scale = tf.get_variable("scale", [units], initializer=tf.ones_initializer())
            shift = tf.get_variable("shift", [units], initializer=tf.zeros_initializer())
            return (h - mean) * tf.rsqrt(variance + 1e-6) * scale + shift

    def in_heads(h: Any) -> Any:
        return tf.reshape(tf.layers.dense(h, units), [-1, steps, heads, units // heads])

    h = tf.nn.embedding_lookup(tf.get_variable("vectors", [words, units]), x) * np.float32(np.sqrt(units))
    h = h + tf.get_variable("places", [steps, units], initializer=tf.random_normal_initializer(stddev=0.1))
    masked = (tf.sequence_mask(lengths, steps, tf.float32) - 1.0)[:, tf.newaxis, tf.newaxis, :] * 1e9
    for i in range(2):
        q, k, v = in_heads(h), in_heads(h), in_heads(h)
        scores = tf.einsum("bihd,bjhd->bhij", q, k) / np.float32(np.sqrt(units // heads))
        weights = tf.layers.dropout(tf.nn.softmax(scores + masked), rate, training=training)
        mixed = tf.reshape(tf.einsum("bhij,bjhd->bihd", weights, v), [-1, steps, units])
        mixed = tf.layers.dropout(tf.layers.dense(mixed, units), rate, training=training)
        h = normed(h + mixed, f"norm{i}a")
        inner = tf.layers.dense(tf.layers.dense(h, 4 * units, activation=tf.nn.relu), units)
        h = normed(h + tf.layers.dropout(inner, rate, training=training), f"norm{i}b")
    logits = tf.layers.dense(h, words)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=expected, logits=logits)
    seen = tf.sequence_mask(lengths, steps, tf.float32)
    loss = tf.reduce_sum(losses * seen) / tf.reduce_sum(seen)
    texts = rng.integers(0, words, (2, batch, steps)).astype(np.int32)
    feeds = {x: texts[0], expected: texts[1], lengths: rng.integers(8, steps + 1, batch).astype(np.int32)}
    return Network(_adam(tf, loss), loss, tf.argmax(logits, 2), feeds, training, rate)


NETWORKS: Final[dict[str, tuple[Callable[[Any, int], Network], int]]] = {
    "VGG of 8 layers, 8 images": (vgg, 8),
    "VGG of 8 layers, 64 images": (vgg, 64),
    "residual blocks": (residual, 16),
    "U-Net": (u_net, 4),
    "depthwise blocks": (mobile, 16),
    "GRUs with attention": (translation, 32),
    "transformer encoder": (transformer, 16),
}
"""Networks and their batches."""


def start(tf: Any, session: Any, values: Path | None) -> None:
    """Initialise the variables, with the values of a file if it is there; write it if it is not."""
    session.run(tf.global_variables_initializer())
    variables = tf.global_variables()
    if values is None:
        return
    if not values.exists():
        np.savez(values, *session.run(variables))
        return
    with np.load(values) as file:
        for variable, name in zip(variables, file.files, strict=True):
            variable.load(file[name], session)


def losses(tf: Any, name: str, values: Path, steps: int, batch: int | None = None) -> list[float]:
    """The losses of the first training steps without dropout, and of a forward pass after them."""
    build, usual = NETWORKS[name]
    with tf.Graph().as_default(), tf.Session() as session:
        network = build(tf, batch or usual)
        start(tf, session, values)
        feeds = network.feeds | {network.training: True, network.rate: 0.0}
        of_steps = [float(session.run([network.loss, network.train], feeds)[0]) for _ in range(steps)]
        return [*of_steps, float(session.run(network.loss, network.feeds))]


def main() -> None:
    """Run one network and answer requests."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("package", choices=["penstock", "tensorflow"])
    cli.add_argument("network", choices=list(NETWORKS))
    cli.add_argument("--step", choices=["train", "forward"], default="train")
    cli.add_argument("--threads", type=int, default=1)
    cli.add_argument("--losses", type=int, default=0, help="print the losses of as many steps, without dropout")
    cli.add_argument("--values", type=Path)
    chosen = cli.parse_args()
    tf = package(chosen.package)
    if chosen.losses:
        print(json.dumps(losses(tf, chosen.network, chosen.values, chosen.losses)))
        return
    threads = chosen.threads
    config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
    build, batch = NETWORKS[chosen.network]
    network = build(tf, batch)
    session = tf.Session(config=config)
    start(tf, session, chosen.values)
    feeds = network.feeds | ({network.training: True} if chosen.step == "train" else {})
    fetches = [network.train, network.loss] if chosen.step == "train" else network.answer
    session.run(fetches, feeds)
    print(json.dumps([time.process_time(), time.time() - float(os.environ.get("STARTED", time.time()))]), flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            cpu, wall = time.process_time(), time.perf_counter()
            session.run(fetches, feeds)
            times.append((time.process_time() - cpu, time.perf_counter() - wall))
        print(json.dumps(times), flush=True)


if __name__ == "__main__":
    main()
