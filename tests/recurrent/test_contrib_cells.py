"""The cells of `tf.contrib.rnn` beside their formulas in NumPy, and over time with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

RNN: Any = tf.contrib.rnn
GENERATOR = np.random.RandomState(4)
X = GENERATOR.randn(3, 5, 4).astype(np.float32)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def run(cell: Any, x: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Outputs, the last state and the variables, all of which are random."""
    with tf.variable_scope("net", initializer=tf.random_normal_initializer(stddev=0.5, seed=3)):
        outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    slopes = tf.gradients(tf.reduce_sum(outputs * outputs), tf.trainable_variables())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for each in tf.trainable_variables():
            each.load(GENERATOR.randn(*each.shape.as_list()) * 0.5, session)
        variables = {v.op.name.removeprefix("net/rnn/"): session.run(v) for v in tf.trainable_variables()}
        assert all(np.isfinite(each).all() and each.any() for each in session.run(slopes))
        return *session.run([outputs, state]), variables


def test_ugrnn() -> None:
    with tf.Graph().as_default():
        outputs, last, v = run(RNN.UGRNNCell(6), X)
    state = np.zeros([3, 6])
    for t in range(5):
        g, c = np.split(np.hstack([X[:, t], state]) @ v["ugrnn_cell/kernel"] + v["ugrnn_cell/bias"], 2, 1)
        state = sigmoid(g + 1) * state + (1 - sigmoid(g + 1)) * np.tanh(c)
        assert np.allclose(outputs[:, t], state, atol=1e-5)
    assert np.allclose(last, state, atol=1e-5)


@pytest.mark.parametrize("projections", [None, 3])
def test_nas(projections: int | None) -> None:
    with tf.Graph().as_default():
        outputs, last, v = run(RNN.NASCell(6, num_proj=projections, use_biases=True), X)
    c, h = np.zeros([3, 6]), np.zeros([3, projections or 6])
    for t in range(5):
        m = np.split(h @ v["nas_cell/recurrent_kernel"] + v["nas_cell/bias"], 8, 1)
        i = np.split(X[:, t] @ v["nas_cell/kernel"], 8, 1)
        a = np.tanh(sigmoid(i[0] + m[0]) * np.maximum(i[1] + m[1], 0))
        b = np.tanh(sigmoid(i[2] + m[2]) + np.maximum(i[3] * m[3], 0))
        d = np.tanh(np.tanh(i[4] + m[4]) * sigmoid(i[5] + m[5]))
        e = sigmoid(np.tanh(i[6] + m[6]) + sigmoid(i[7] + m[7]))
        c = np.tanh(a + c) * b
        h = np.tanh(c * np.tanh(d + e))
        h = h if projections is None else h @ v["nas_cell/projection_weights"]
        assert np.allclose(outputs[:, t], h, atol=1e-5)
    assert np.allclose(last.c, c, atol=1e-5) and np.allclose(last.h, h, atol=1e-5)


def test_a_convolving_lstm() -> None:
    images = GENERATOR.randn(2, 3, 5, 6, 2).astype(np.float32)
    with tf.Graph().as_default():
        cell = RNN.Conv2DLSTMCell(input_shape=[5, 6, 2], output_channels=3, kernel_shape=[3, 3], skip_connection=True)
        assert cell.output_size.as_list() == [5, 6, 5] and cell.state_size.c.as_list() == [5, 6, 3]
        outputs, last, v = run(cell, images)
    kernel, biases = v["conv_2d_lstm_cell/kernel"], v["conv_2d_lstm_cell/biases"]
    c = h = np.zeros([2, 5, 6, 3])
    for t in range(3):
        padded = np.pad(np.concatenate([images[:, t], h], 3), [(0, 0), (1, 1), (1, 1), (0, 0)])
        gates = sum(padded[:, y : y + 5, x : x + 6] @ kernel[y, x] for y in range(3) for x in range(3)) + biases
        i, j, f, o = np.split(gates, 4, 3)
        c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
        h = np.tanh(c) * sigmoid(o)
        assert np.allclose(outputs[:, t], np.concatenate([h, images[:, t]], 3), atol=1e-4)
    assert np.allclose(last.c, c, atol=1e-4)


def test_attention_to_the_last_outputs() -> None:
    with tf.Graph().as_default():
        cell = RNN.AttentionCellWrapper(RNN.GRUCell(6), attn_length=3, attn_size=5, attn_vec_size=4)
        assert cell.state_size == (6, 5, 15) and cell.output_size == 5
        outputs, last, v = run(cell, X)
    v = {name.removeprefix("attention_cell_wrapper/"): value for name, value in v.items()}
    state, mean, rows = np.zeros([3, 6]), np.zeros([3, 5]), np.zeros([3, 3, 5])
    for t in range(5):
        x = np.hstack([X[:, t], mean]) @ v["kernel"] + v["bias"]
        r, u = np.split(sigmoid(np.hstack([x, state]) @ v["gru_cell/gates/kernel"] + v["gru_cell/gates/bias"]), 2, 1)
        candidate = np.hstack([x, r * state]) @ v["gru_cell/candidate/kernel"] + v["gru_cell/candidate/bias"]
        state = u * state + (1 - u) * np.tanh(candidate)
        asked = state @ v["attention/kernel"] + v["attention/bias"]
        fit = (v["attention/attn_v"] * np.tanh(rows @ v["attention/attn_w"][0, 0] + asked[:, None])).sum(2)
        mean = (softmax(fit)[:, :, None] * rows).sum(1)
        output = np.hstack([state, mean]) @ v["attn_output_projection/kernel"] + v["attn_output_projection/bias"]
        rows = np.concatenate([rows[:, 1:], output[:, None]], 1)
        assert np.allclose(outputs[:, t], output, atol=1e-4)
    assert np.allclose(last[0], state, atol=1e-4) and np.allclose(last[2], rows.reshape(3, 15), atol=1e-4)


def test_arguments_that_do_not_fit_are_told() -> None:
    with pytest.raises(ValueError, match="attn_length should be greater than zero"):
        RNN.AttentionCellWrapper(RNN.GRUCell(3), 0)
    with pytest.raises(ValueError, match="no joined state"):
        RNN.AttentionCellWrapper(RNN.GRUCell(3), 2, state_is_tuple=False)
    with pytest.raises(ValueError, match=r"Invalid input_shape \[8, 3\] for conv_ndims=2"):
        RNN.ConvLSTMCell(2, [8, 3], 4, [3, 3])
    with pytest.raises(ValueError, match="must have 2 sizes"):
        RNN.ConvLSTMCell(2, [8, 8, 3], 4, [3])
