"""Cells beyond those that TensorFlow 2 can run are compared with loops in NumPy; and what programs do with cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1

Array = np.ndarray[Any, Any]


def sigmoid(x: Array) -> Array:
    values: Array = 1 / (1 + np.exp(-x))
    return values


def run_all(fetches: Any, values: dict[str, Array] | None = None) -> tuple[Any, dict[str, Array]]:
    """The values of tensors, and those of the variables, which are random."""
    rng = np.random.default_rng(3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        held = {}
        for variable in tf.global_variables():
            held[variable.name] = rng.standard_normal(tuple(variable.shape)).astype("f4")
            variable.load(held[variable.name], session)
        return session.run(fetches), held


X = np.random.default_rng(1).standard_normal((2, 5, 3)).astype("f4")


def layer_norm(x: Array, gamma: Array, beta: Array) -> Array:
    mean, variance = x.mean(1, keepdims=True), x.var(1, keepdims=True)
    normal: Array = (x - mean) / np.sqrt(variance + 1e-12) * gamma + beta
    return normal


@pytest.mark.parametrize("is_normalized", [True, False])
def test_a_normalized_lstm_is_the_loop_in_numpy(is_normalized: bool) -> None:
    with tf.Graph().as_default():
        cell = tf.contrib.rnn.LayerNormBasicLSTMCell(4, forget_bias=0.5, layer_norm=is_normalized)
        outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
        (found, last), held = run_all([outputs, state])
    own = {name.removeprefix("rnn/layer_norm_basic_lstm_cell/")[:-2]: value for name, value in held.items()}
    c = h = np.zeros((2, 4), "f4")
    for t in range(5):
        gates = np.concatenate([X[:, t], h], 1) @ own["kernel"] + own.get("bias", 0)
        i, j, f, o = np.split(gates, 4, 1)
        if is_normalized:
            labels = ("input", "transform", "forget", "output")
            i, j, f, o = (
                layer_norm(gate, own[f"{label}/gamma"], own[f"{label}/beta"])
                for gate, label in zip((i, j, f, o), labels, strict=True)
            )
        c = c * sigmoid(f + 0.5) + sigmoid(i) * np.tanh(j)
        if is_normalized:
            c = layer_norm(c, own["state/gamma"], own["state/beta"])
        h = np.tanh(c) * sigmoid(o)
        np.testing.assert_allclose(found[:, t], h, 2e-4, 1e-5)
    np.testing.assert_allclose(last.c, c, 2e-4, 1e-5)
    assert len(own) == (11 if is_normalized else 2)


@pytest.mark.parametrize(
    ("block", "plain", "names"),
    [
        (lambda: tf.contrib.rnn.LSTMBlockCell(4, use_peephole=True, cell_clip=0.5),
         lambda: tf.nn.rnn_cell.LSTMCell(4, use_peepholes=True, cell_clip=0.5), None),
        (lambda: tf.contrib.rnn.GRUBlockCell(4), lambda: tf.nn.rnn_cell.GRUCell(4),
         {"w_ru": "gates/kernel", "b_ru": "gates/bias", "w_c": "candidate/kernel", "b_c": "candidate/bias"}),
        (lambda: tf.contrib.rnn.GRUBlockCellV2(4), lambda: tf.nn.rnn_cell.GRUCell(4), None),
    ],
    ids=["LSTMBlockCell", "GRUBlockCell", "GRUBlockCellV2"],
)  # fmt: skip
def test_a_block_cell_computes_what_the_plain_one_does(block: Any, plain: Any, names: dict[str, str] | None) -> None:
    with tf.Graph().as_default():
        outputs, _ = tf.nn.dynamic_rnn(block(), tf.constant(X), dtype=tf.float32)
        found, held = run_all(outputs)
    with tf.Graph().as_default(), tf.Session() as session:
        outputs, _ = tf.nn.dynamic_rnn(plain(), tf.constant(X), dtype=tf.float32)
        leaves = {key.split("/", 2)[2][:-2]: value for key, value in held.items()}
        by_leaf = {(names or {}).get(leaf, leaf): value for leaf, value in leaves.items()}
        for variable in tf.global_variables():
            variable.load(by_leaf[variable.name.split("/", 2)[2][:-2]], session)
        np.testing.assert_array_equal(session.run(outputs), found)


def test_the_fused_lstm_takes_all_times_at_once_or_a_list_of_them() -> None:
    rows = X.transpose(1, 0, 2)
    with tf.Graph().as_default():
        cell = tf.contrib.rnn.LSTMBlockFusedCell(4)
        outputs, state = cell(tf.constant(rows), dtype=tf.float32, sequence_length=[2, 5])
        listed, _ = cell(tf.unpack(tf.constant(rows)), dtype=tf.float32, sequence_length=[2, 5])
        (found, last, one_by_one), _ = run_all([outputs, state, listed])
        assert [v.name for v in cell.variables] == ["lstm_fused_cell/kernel:0", "lstm_fused_cell/bias:0"]
    np.testing.assert_array_equal(found, np.stack(one_by_one))
    assert not found[2:, 0].any() and found[:, 1].all()
    np.testing.assert_array_equal(found[1, 0], last.h[0])


def test_an_embedding_and_projections_are_around_a_cell() -> None:
    with tf.Graph().as_default():
        inner = tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.BasicRNNCell(4), 2, activation="sigmoid")
        cell = tf.contrib.rnn.EmbeddingWrapper(tf.contrib.rnn.InputProjectionWrapper(inner, 3), 10, 6)
        outputs, state = tf.nn.dynamic_rnn(cell, tf.constant([[[1], [7]], [[0], [9]]]), dtype=tf.float32)
        (found, last), held = run_all([outputs, state])
        assert cell.output_size == 2 and outputs.shape.as_list() == [2, 2, 2]
    vectors = held["rnn/embedding_wrapper/embedding:0"]
    inward, outward = "rnn/embedding_wrapper/input_projection_wrapper", "output_projection_wrapper"
    h = np.zeros((2, 4), "f4")
    for t, ids in enumerate(([1, 0], [7, 9])):
        x = vectors[ids] @ held[f"{inward}/kernel:0"] + held[f"{inward}/bias:0"]
        basic = f"{inward}/{outward}/basic_rnn_cell"
        h = np.tanh(np.concatenate([x, h], 1) @ held[f"{basic}/kernel:0"] + held[f"{basic}/bias:0"])
        y = sigmoid(h @ held[f"{inward}/{outward}/kernel:0"] + held[f"{inward}/{outward}/bias:0"])
        np.testing.assert_allclose(found[:, t], y, 1e-4, 1e-5)
    np.testing.assert_allclose(last, h, 1e-4, 1e-5)


# ---- dropout ------------------------------------------------------------------------------------


def test_dropout_of_a_state_leaves_the_memory_of_an_lstm() -> None:
    with tf.Graph().as_default():
        cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(50), state_keep_prob=0.5, seed=3)
        _, state = cell(tf.ones([1, 2]), cell.zero_state(1, tf.float32))
        (found,), _ = run_all([state])
    assert found.c.all() and 5 < (found.h == 0).sum() < 45


def test_a_visitor_says_which_parts_of_a_state_have_dropout() -> None:
    def visitor(part: Any) -> Any:
        return (True, False) if isinstance(part, tuple) else True

    with tf.Graph().as_default():
        layers = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(50), tf.nn.rnn_cell.GRUCell(50)])
        cell = tf.nn.rnn_cell.DropoutWrapper(layers, state_keep_prob=0.5, dropout_state_filter_visitor=visitor)
        _, state = cell(tf.ones([1, 2]), cell.zero_state(1, tf.float32))
        (found,), _ = run_all([state])
    assert (found[0] == 0).any() and found[1].all()


def test_variational_dropout_drops_the_same_elements_at_all_times_and_new_ones_in_each_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.DropoutWrapper(
            tf.nn.rnn_cell.GRUCell(40), input_keep_prob=0.5, output_keep_prob=tf.constant(0.5), state_keep_prob=0.9,
            variational_recurrent=True, input_size=3, dtype=tf.float32, seed=1,
        )  # fmt: skip
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
        session.run(tf.global_variables_initializer())
        first, second = session.run(outputs) == 0, session.run(outputs) == 0
    assert (first == first[:1, :1]).all() and 5 < first[0, 0].sum() < 35
    assert (first != second).any()


def test_the_noise_of_a_state_is_of_its_own_size_where_a_part_before_it_stays() -> None:
    def visitor(part: Any) -> Any:
        return not isinstance(part, tf.nn.rnn_cell.LSTMStateTuple)  # both tensors of an LSTM stay

    with tf.Graph().as_default():
        layers = [tf.nn.rnn_cell.LSTMCell(3, num_proj=2), tf.nn.rnn_cell.GRUCell(50)]
        cell = tf.nn.rnn_cell.DropoutWrapper(
            tf.nn.rnn_cell.MultiRNNCell(layers), state_keep_prob=0.5, variational_recurrent=True, dtype=tf.float32,
            dropout_state_filter_visitor=visitor,
        )  # fmt: skip
        _, state = cell(tf.ones([1, 2]), cell.zero_state(1, tf.float32))
        (found,), _ = run_all([state])
    assert found[0].c.all() and found[0].h.all() and 5 < (found[1] == 0).sum() < 45


# ---- what programs do ---------------------------------------------------------------------------


class Oldest(tf.nn.rnn_cell.RNNCell):
    """A cell as programs for the first versions of TensorFlow wrote it."""

    def __init__(self, units: int) -> None:
        self._units = units

    @property
    def state_size(self) -> int:
        return self._units

    @property
    def output_size(self) -> int:
        return self._units

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:  # type: ignore[override]
        with v1.variable_scope(scope or type(self).__name__):
            weights = v1.get_variable("w", [inputs.shape[1], self._units])
            new = tf.tanh(tf.matmul(inputs, weights) + state)
        return new, new


@pytest.mark.parametrize("is_static", [True, False])
def test_a_cell_with_call_and_scope_of_its_own_runs_in_every_loop(is_static: bool) -> None:
    with tf.Graph().as_default():
        if is_static:
            steps = v1.unstack(tf.constant(X), axis=1)
            _, state = tf.nn.static_rnn(Oldest(3), steps, dtype=tf.float32)
        else:
            _, state = tf.nn.dynamic_rnn(Oldest(3), tf.constant(X), dtype=tf.float32)
        found, held = run_all(state)
    (weights,) = held.values()
    h = np.zeros((2, 3), "f4")
    for t in range(5):
        h = np.tanh(X[:, t] @ weights + h)
    np.testing.assert_allclose(found, h, 1e-5, 1e-6)
    assert list(held) == ["rnn/Oldest/w:0"]


def test_a_cell_that_is_called_again_shares_its_variables() -> None:
    with tf.Graph().as_default():
        cell = tf.nn.rnn_cell.GRUCell(4)
        one, _ = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
        other, _ = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
        (a, b), held = run_all([one, other])
        np.testing.assert_array_equal(a, b)
        assert len(held) == 4 and cell.weights == cell.trainable_weights == tf.trainable_variables()


def test_a_second_network_of_the_same_scope_is_refused_and_reuse_shares_its_variables() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(X)
        tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), x, dtype=tf.float32)
        before = len(graph.get_operations())
        with pytest.raises(ValueError, match="rnn/gru_cell/gates/kernel already exists"):
            tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), x, dtype=tf.float32)
        assert len(graph.get_operations()) == before
        with tf.variable_scope("", reuse=True):
            tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), tf.constant(X), dtype=tf.float32)
        tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4, reuse=True), tf.constant(X), dtype=tf.float32)
        assert len(tf.global_variables()) == 4


def test_a_body_that_is_built_twice_leaves_no_variables_of_the_first_time() -> None:
    # The state has 2 rows at first and as many as the inputs after one step, so the loop is built again.
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, None, 3])
        start = tf.placeholder(tf.float32, [None, 4])
        cell = tf.nn.rnn_cell.BasicRNNCell(4)
        outputs, _ = tf.nn.dynamic_rnn(cell, x, initial_state=start)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(outputs))
        assert [v.name for v in tf.global_variables()] == ["rnn/basic_rnn_cell/kernel:0", "rnn/basic_rnn_cell/bias:0"]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            before = session.run(cell.variables[1])
            session.run(train, {x: X, start: np.ones((2, 4), "f4")})
            assert (session.run(cell.variables[1]) != before).all()


def test_a_state_in_one_tensor_is_cut_as_in_tensorflow() -> None:
    with tf.Graph().as_default():
        layers = [tf.nn.rnn_cell.LSTMCell(4, num_proj=2, state_is_tuple=False), tf.nn.rnn_cell.GRUCell(3)]
        cell = tf.nn.rnn_cell.MultiRNNCell(layers, state_is_tuple=False)
        outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
        assert cell.state_size == 9 and state.shape.as_list() == [2, 9]
        (found, last), _ = run_all([outputs, state])
        np.testing.assert_array_equal(found[:, -1], last[:, 6:])


def test_a_network_may_read_structures_and_have_structures_as_outputs() -> None:
    class Pair(tf.nn.rnn_cell.RNNCell):
        state_size = (2, tf.TensorShape([3, 2]))
        output_size = (2, tf.TensorShape([3, 2]))

        def call(self, inputs: Any, state: Any) -> Any:
            new = (state[0] + inputs[0], state[1] * 0.5 + tf.expand_dims(inputs[1], 2))
            return new, new

    with tf.Graph().as_default(), tf.Session() as session:
        x = (tf.ones([2, 4, 2]), tf.ones([2, 4, 3]))
        outputs, state = tf.nn.dynamic_rnn(Pair(), x, sequence_length=[1, 4], dtype=tf.float32)
        assert outputs[1].shape.as_list() == [2, 4, 3, 2] and state[1].shape.as_list() == [2, 3, 2]
        found = session.run(state)
    np.testing.assert_array_equal(found[0], [[1, 1], [4, 4]])
    np.testing.assert_array_equal(found[1][:, 0, 0], [1.0, 1.875])


def test_layers_in_both_directions_read_both_outputs_of_the_layer_below() -> None:
    with tf.Graph().as_default():
        fw, bw = ([tf.nn.rnn_cell.GRUCell(size) for size in (4, 2)] for _ in range(2))
        outputs, forward, backward = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
            fw, bw, tf.constant(X), dtype=tf.float32, sequence_length=[3, 5]
        )
        names = [v.name for v in tf.global_variables() if "gates/kernel" in v.name]
        (found, first), _ = run_all([outputs, backward])
    assert found.shape == (2, 5, 4) and not found[0, 3:].any() and len(forward) == 2
    np.testing.assert_array_equal(found[:, 0, 2:], first[1])
    assert names[-1] == "stack_bidirectional_rnn/cell_1/bidirectional_rnn/bw/gru_cell/gates/kernel:0"
    with tf.Graph().as_default():
        fw, bw = ([tf.nn.rnn_cell.GRUCell(size) for size in (4, 2)] for _ in range(2))
        steps = v1.unstack(tf.constant(X), axis=1)
        listed, *_ = tf.contrib.rnn.stack_bidirectional_rnn(fw, bw, steps, dtype=tf.float32, sequence_length=[3, 5])
        same, _ = run_all(listed)
    np.testing.assert_allclose(np.stack(same, 1), found, 1e-5, 1e-6)


def test_names_of_both_namespaces_are_the_same_functions() -> None:
    for name in ("dynamic_rnn", "bidirectional_dynamic_rnn", "static_rnn", "raw_rnn", "rnn_cell", "rnn"):
        assert getattr(tf.nn, name) is getattr(v1.nn, name)
        assert name in dir(tf.nn)
    assert v1.contrib.rnn.static_rnn is tf.nn.static_rnn
