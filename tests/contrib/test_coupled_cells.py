"""Cells, layers and functions of tf.contrib beside their formulas in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

RNN: Any = tf.contrib.rnn
CUDNN: Any = tf.contrib.cudnn_rnn


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def stepped(cell: Any, x: Any, state: Any) -> tuple[Any, dict[str, Any]]:
    """The output and the new state of one step, and the weights by the ends of their names."""
    with tf.Session() as session:
        made = cell(tf.constant(x), state)
        session.run(tf.global_variables_initializer())
        names = [v.op.name.partition("/")[2] or v.op.name for v in tf.global_variables()]
        values = session.run(made)
        return values, dict(zip(names, session.run(tf.global_variables()), strict=True))


ROWS = np.random.RandomState(0).randn(3, 4).astype("f")
BEFORE = np.random.RandomState(1).randn(3, 4).astype("f")


@pytest.mark.parametrize("peepholes", [False, True])
@pytest.mark.parametrize("projection", [None, 2])
def test_the_coupled_gate(peepholes: bool, projection: int | None) -> None:
    with tf.Graph().as_default():
        m = BEFORE[:, : projection or 4]
        cell = RNN.CoupledInputForgetGateLSTMCell(4, peepholes, tf.random_normal_initializer(seed=1), projection)
        (out, state), w = stepped(cell, ROWS, (tf.constant(BEFORE), tf.constant(m)))
    j, f, o = np.split(np.concatenate([ROWS, m], 1) @ w["kernel"] + w["bias"], 3, 1)
    keep = sigmoid(f + 1 + (w["w_f_diag"] * BEFORE if peepholes else 0))
    c = keep * BEFORE + (1 - keep) * np.tanh(j)
    h = sigmoid(o + (w["w_o_diag"] * c if peepholes else 0)) * np.tanh(c)
    h = h @ w["projection/kernel"] if projection else h
    for got, want in ((out, h), (state[0], c), (state[1], h)):
        np.testing.assert_allclose(got, want, 1e-4, 1e-5)


def test_the_cells_of_cudnn() -> None:
    with tf.Graph().as_default(), tf.variable_scope("", initializer=tf.random_normal_initializer(seed=1)):
        (out, _), w = stepped(CUDNN.CudnnCompatibleGRUCell(4), ROWS, tf.constant(BEFORE))
    r, u = np.split(sigmoid(np.concatenate([ROWS, BEFORE], 1) @ w["gates/kernel"] + w["gates/bias"]), 2, 1)
    inner = ROWS @ w["candidate/input_projection/kernel"] + r * (BEFORE @ w["candidate/hidden_projection/kernel"])
    np.testing.assert_allclose(out, (1 - u) * np.tanh(inner) + u * BEFORE, 1e-4, 1e-5)
    with tf.Graph().as_default():
        (out, _), w = stepped(CUDNN.CudnnCompatibleLSTMCell(4), ROWS, (tf.constant(BEFORE), tf.constant(BEFORE)))
    i, j, f, o = np.split(np.concatenate([ROWS, BEFORE], 1) @ w["kernel"] + w["bias"], 4, 1)
    c = BEFORE * sigmoid(f) + sigmoid(i) * np.tanh(j)
    np.testing.assert_allclose(out, np.tanh(c) * sigmoid(o), 1e-4, 1e-5)


@pytest.mark.parametrize("coupled", [False, True])
def test_what_goes_by_a_cell(coupled: bool) -> None:
    with tf.Graph().as_default(), tf.variable_scope("top"):
        cell = RNN.HighwayWrapper(tf.nn.rnn_cell.GRUCell(4), coupled)
        (out, state), w = stepped(cell, ROWS, tf.constant(BEFORE))
        assert cell.state_size == 4
    carry = sigmoid(ROWS @ w["carry_w"] + 1)
    np.testing.assert_array_equal(w["carry_b"], np.ones(4))
    through = 1 - carry if coupled else sigmoid(ROWS @ w["transform_w"] - 1)
    np.testing.assert_allclose(out, ROWS * carry + state * through, 1e-4, 1e-5)


@pytest.mark.parametrize("lengths", [None, [5, 2, 0]])
@pytest.mark.parametrize("kind", ["fused", "loop", "steps"])
def test_fused_cells_backwards(kind: str, lengths: Any) -> None:
    x = np.random.RandomState(2).randn(5, 3, 4).astype("f")
    with tf.Graph().as_default(), tf.Session() as session:
        inner = RNN.LSTMBlockFusedCell(2) if kind == "fused" else RNN.FusedRNNCellAdaptor(
            tf.nn.rnn_cell.GRUCell(2), kind == "loop")  # fmt: skip
        with tf.variable_scope("f"):
            backwards, last = RNN.TimeReversedFusedRNN(inner)(tf.constant(x), dtype=tf.float32, sequence_length=lengths)
        turned = x[::-1].copy()
        for column, size in enumerate(lengths or ()):
            turned[:, column] = np.concatenate([x[:size, column][::-1], x[size:, column]])
        with tf.variable_scope("f", reuse=kind != "fused"):
            forwards, end = inner(tf.constant(turned), dtype=tf.float32, sequence_length=lengths)
        session.run(tf.global_variables_initializer())
        got, want = session.run([backwards, forwards])
        flat = [*session.run([last, end])]
        np.testing.assert_array_equal(np.asarray(flat[0]), np.asarray(flat[1]))
    for column in range(3):
        size = 5 if lengths is None else lengths[column]
        np.testing.assert_allclose(got[:size, column], want[:size, column][::-1], 1e-5)


@pytest.mark.parametrize(("axis", "others"), [(-1, (-3, -2)), (1, (2, 3)), (-1, (1,))])
def test_groups_of_channels(axis: int, others: tuple[int, ...]) -> None:
    x = np.random.RandomState(0).randn(2, 6, 4, 6).astype("f")
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, [None, 6, 4, 6])
        y = tf.contrib.layers.group_norm(fed, 3, axis, others, epsilon=1e-3)
        assert y.shape.as_list() == [None, 6, 4, 6]
        session.run(tf.global_variables_initializer())
        got = session.run(y, {fed: x})
    moved = np.moveaxis(x, axis, -1).reshape(*np.moveaxis(x, axis, -1).shape[:-1], 3, 2)
    kept = [at for at in (1, 2) if axis == 1 or at in [other % 4 for other in others]]
    mean = moved.mean((*kept, 4), keepdims=True)
    want = (moved - mean) / np.sqrt(moved.var((*kept, 4), keepdims=True) + 1e-3)
    np.testing.assert_allclose(got, np.moveaxis(want.reshape(np.moveaxis(x, axis, -1).shape), -1, axis), 1e-3, 1e-4)


def test_groups_that_do_not_divide_the_channels_are_told() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Invalid groups 4 for 6 channels"):
            tf.contrib.layers.group_norm(tf.zeros([1, 2, 2, 6]), 4)
        assert not tf.global_variables()


def test_resampled_pixels_and_their_gradients() -> None:
    rng = np.random.RandomState(0)
    image, places = rng.rand(2, 4, 5, 3), rng.uniform(-1.5, 5.5, (2, 7, 2, 2))
    with tf.Graph().as_default(), tf.Session() as session:
        fed, warp = tf.placeholder(tf.float64, [None, None, None, 3]), tf.placeholder(tf.float64, [None, 7, 2, 2])
        y = tf.contrib.resampler.resampler(fed, warp)
        assert y.shape.as_list() == [None, 7, 2, 3]
        got, slope = session.run([y, tf.gradients(y, warp)[0]], {fed: image, warp: places})
        more = session.run(y, {fed: image, warp: places + np.array([1e-6, 0.0])})
    wide = np.pad(image, ((0, 0), (8, 8), (8, 8), (0, 0)))
    for at in np.ndindex(2, 7, 2):
        x, y_ = places[at] + 8
        left, top = int(x), int(y_)
        corners = wide[at[0], top : top + 2, left : left + 2]
        shares = np.outer([1 - y_ + top, y_ - top], [1 - x + left, x - left])
        np.testing.assert_allclose(got[at], (corners * shares[..., None]).sum((0, 1)), 1e-9, 1e-12)
    np.testing.assert_allclose(slope[..., 0], (more - got).sum(-1) / 1e-6, 1e-4, 1e-5)


def test_sparsemax_is_the_nearest_point_of_the_simplex() -> None:
    z = np.random.RandomState(0).randn(20, 6)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(z)
        p = tf.contrib.sparsemax.sparsemax(x)
        got, slope = session.run([p, tf.gradients(tf.contrib.sparsemax.sparsemax_loss(x, p, tf.one_hot([2] * 20, 6,
                                 dtype=tf.float64)), x)[0]])  # fmt: skip
    low, high = z.min(1) - 1, z.max(1)
    for _ in range(100):  # the threshold, by halving
        middle = (low + high) / 2
        is_low = np.maximum(z - middle[:, None], 0).sum(1) > 1
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    np.testing.assert_allclose(got, np.maximum(z - low[:, None], 0), 1e-9, 1e-12)
    np.testing.assert_allclose(slope, got - np.eye(6)[[2] * 20], 1e-9, 1e-12)
