"""Two of the programs of examples/tf1 for TensorFlow 2.21, which has neither recurrent cells nor `tf.contrib`.

Loops over TensorArrays, as `dynamic_rnn` and `dynamic_decode` of TensorFlow 1 are written.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

Step = tuple[list[Any], dict[Any, Any]]
"""What a training step fetches and feeds."""


def _over_time(tf: Any, x: Any, start: Any, cell: Any) -> Any:
    """The outputs [rows, steps, units] of cell(row, state) -> (output, state) for x [rows, steps, features]."""
    steps = tf.shape(x)[1]
    rows = tf.TensorArray(tf.float32, steps).unstack(tf.transpose(x, [1, 0, 2]))

    def step(i: Any, state: Any, out: Any) -> Any:
        output, state = cell(rows.read(i), state)
        return i + 1, state, out.write(i, output)

    _, state, out = tf.while_loop(lambda i, *_: i < steps, step, (0, start, tf.TensorArray(tf.float32, steps)))
    return tf.transpose(out.stack(), [1, 0, 2]), state


def _sequence_loss(tf: Any, logits: Any, targets: Any, symbols: int) -> Any:
    flat = tf.reshape(logits, [-1, symbols])
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(targets, [-1]), logits=flat)
    weights = tf.ones_like(losses)
    return tf.reduce_sum(losses * weights) / (tf.reduce_sum(weights) + 1e-12)


def char_rnn(tf: Any) -> Step:
    """An LSTM of 24 units over 16 steps of 8 rows of a text, clipped gradients, Adam."""
    units, length, batch, vocab = 24, 16, 8, 17
    inputs, targets = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.int32, [None, None])
    rows = tf.shape(inputs)[0]
    kernel = tf.get_variable("kernel", [vocab + units, 4 * units], initializer=tf.random_uniform_initializer(-0.1, 0.1))
    bias = tf.get_variable("bias", [4 * units], initializer=tf.zeros_initializer())

    def cell(x: Any, state: Any) -> Any:
        c, h = state
        i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), kernel), bias), 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        return h, (c, h)

    start = tf.zeros([rows, units]), tf.zeros([rows, units])
    one_hot = tf.ensure_shape(tf.one_hot(inputs, vocab), [None, None, vocab])
    outputs, _ = _over_time(tf, one_hot, start, cell)
    w, b = tf.Variable(tf.random_normal([units, vocab], stddev=0.1)), tf.Variable(tf.zeros([vocab]))
    logits = tf.matmul(tf.reshape(outputs, [-1, units]), w) + b
    loss = _sequence_loss(tf, logits, targets, vocab)
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
    train = tf.train.AdamOptimizer(0.02).apply_gradients(zip(gradients, variables, strict=True))
    text = np.random.default_rng(0).integers(0, vocab, (batch, length + 1))
    return [loss, train], {inputs: text[:, :-1], targets: text[:, 1:]}


def _gru(tf: Any, name: str, features: int, units: int) -> Any:
    gates = tf.get_variable(f"{name}/gates", [features + units, 2 * units])
    gate_bias = tf.get_variable(f"{name}/gate_bias", [2 * units], initializer=tf.ones_initializer())
    kernel = tf.get_variable(f"{name}/kernel", [features + units, units])
    bias = tf.get_variable(f"{name}/bias", [units], initializer=tf.zeros_initializer())

    def cell(x: Any, h: Any) -> Any:
        r, u = tf.split(tf.sigmoid(tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), gates), gate_bias)), 2, 1)
        new = tf.tanh(tf.nn.bias_add(tf.matmul(tf.concat([x, r * h], 1), kernel), bias))
        h = u * h + (1 - u) * new
        return h, h

    return cell


def seq2seq_attention(tf: Any) -> Step:
    """GRUs of 24 units, Luong's attention, 32 rows of 4 digits to 5; Adam."""
    symbols, length, units, batch = 8, 4, 24, 32
    source = tf.placeholder(tf.int32, [None, length])
    target_in, target_out = (tf.placeholder(tf.int32, [None, length + 1]) for _ in range(2))
    embedding = tf.get_variable("embedding", [symbols + 2, 12])
    rows = tf.shape(source)[0]
    encoder = _gru(tf, "encoder", 12, units)
    memory, state = _over_time(tf, tf.nn.embedding_lookup(embedding, source), tf.zeros([rows, units]), encoder)
    memory = tf.ensure_shape(memory, [None, None, units])
    keys = tf.tensordot(memory, tf.get_variable("memory_layer", [units, units]), 1)
    layer = tf.get_variable("attention_layer", [2 * units, units])
    decoder = _gru(tf, "decoder", 12 + units, units)

    def cell(x: Any, before: Any) -> Any:
        h, attention = before
        h, _ = decoder(tf.concat([x, attention], 1), h)
        scores = tf.squeeze(tf.matmul(tf.expand_dims(h, 1), keys, transpose_b=True), [1])
        context = tf.squeeze(tf.matmul(tf.expand_dims(tf.nn.softmax(scores), 1), memory), [1])
        attention = tf.matmul(tf.concat([h, context], 1), layer)
        return attention, (h, attention)

    start = tf.ensure_shape(state, [None, units]), tf.zeros([rows, units])
    outputs, _ = _over_time(tf, tf.nn.embedding_lookup(embedding, target_in), start, cell)
    projection = tf.get_variable("projection", [units, symbols + 2])
    loss = _sequence_loss(tf, tf.matmul(tf.reshape(outputs, [-1, units]), projection), target_out, symbols + 2)
    train = tf.train.AdamOptimizer(0.01).minimize(loss)
    digits = np.random.default_rng(0).integers(0, symbols, (batch, length))
    go, end = np.full([batch, 1], symbols), np.full([batch, 1], symbols + 1)
    feed = {source: digits, target_in: np.hstack([go, digits[:, ::-1]]), target_out: np.hstack([digits[:, ::-1], end])}
    return [loss, train], feed


BY_HAND: Final = {"char_rnn": char_rnn, "seq2seq_attention": seq2seq_attention}
