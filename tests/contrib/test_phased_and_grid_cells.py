"""Phased and grid LSTMs, and the layers of cuDNN, beside their formulas in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

RNN: Any = tf.contrib.rnn
CUDNN: Any = tf.contrib.cudnn_rnn


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def weights_of(session: tf.Session, prefix: str) -> dict[str, Any]:
    """The values of all variables by what follows `prefix` in their names."""
    names = [v.op.name.split(prefix)[1] for v in tf.global_variables()]
    return dict(zip(names, session.run(tf.global_variables()), strict=True))


@pytest.mark.parametrize("peepholes", [False, True])
def test_a_phased_lstm(peepholes: bool) -> None:
    rng = np.random.RandomState(0)
    times, x = rng.rand(2, 5, 1).cumsum(1).astype("f") * 3, rng.randn(2, 5, 3).astype("f")
    with tf.Graph().as_default(), tf.Session() as session:
        cell = RNN.PhasedLSTMCell(4, peepholes, leak=0.05, ratio_on=0.4, period_init_min=1.0, period_init_max=5.0)
        outputs, _ = tf.nn.dynamic_rnn(cell, (tf.constant(times), tf.constant(x)), dtype=tf.float32)
        assert all(g is not None for g in tf.gradients(outputs, tf.trainable_variables()))
        session.run(tf.global_variables_initializer())
        values, w = session.run(outputs), weights_of(session, "phased_lstm_cell/")
    assert (w["phase"] < w["period"]).all() and (w["period"] <= 5).all()
    c = h = np.zeros((2, 4))
    for t in range(5):
        now = x[:, t]
        seen = [c] if peepholes else []
        i, f = np.split(sigmoid(np.concatenate([now, h, *seen], 1) @ w["mask_gates/kernel"]), 2, 1)
        new_c = c * f + i * np.tanh(np.concatenate([now, h], 1) @ w["new_input/kernel"])
        seen = [new_c] if peepholes else []
        new_h = np.tanh(new_c) * sigmoid(np.concatenate([now, h, *seen], 1) @ w["output_gate/kernel"])
        r = (times[:, t] - w["phase"]) % w["period"] / w["period"]
        k = np.where(r < 0.2, 2 * r / 0.4, np.where(r < 0.4, 2 - 2 * r / 0.4, 0.05 * r))
        c, h = k * new_c + (1 - k) * c, k * new_h + (1 - k) * h
        np.testing.assert_allclose(values[:, t], h, 1e-4, 1e-5)


def test_the_number_of_periods_that_have_passed_has_no_gradient() -> None:
    times = np.linspace(0.0, 40.0, 30, dtype="f")[:, None]
    with tf.Graph().as_default(), tf.Session() as session:
        cell = RNN.PhasedLSTMCell(1, leak=0.05, ratio_on=0.4, period_init_min=3.0, period_init_max=4.0)
        state = cell.zero_state(30, tf.float32)
        h, _ = cell((tf.constant(times), tf.ones([30, 2])), state)
        by_period = [tf.gradients(h[i], cell.variables[-3])[0] for i in range(30)]
        session.run(tf.global_variables_initializer())
        values, gradients, w = session.run(h), session.run(by_period), weights_of(session, "phased_lstm_cell/")
    inside = (times - w["phase"]) % w["period"]
    r = inside / w["period"]
    k = np.where(r < 0.2, 2 * r / 0.4, np.where(r < 0.4, 2 - 2 * r / 0.4, 0.05 * r))
    slope = np.where(r < 0.2, 2 / 0.4, np.where(r < 0.4, -2 / 0.4, 0.05))
    np.testing.assert_allclose(gradients, values / k * slope * -inside / w["period"] ** 2, 1e-3, 1e-5)


def test_a_phased_lstm_needs_times() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match=r"inputs are a pair \(time, x\)"):
        tf.nn.dynamic_rnn(RNN.PhasedLSTMCell(4), tf.zeros([2, 5, 3]), dtype=tf.float32)


def gridded(w: dict[str, Any], x: Any, state: list[Any], blocks: Any, **kind: bool) -> tuple[Any, Any]:
    """The outputs and the new state of a grid LSTM, whose memories are clipped at 0.5."""
    outputs: list[Any] = []
    after: list[Any] = []
    for b, windows in enumerate(blocks):
        c_freq = m_freq = np.zeros_like(state[0])
        for start in windows:
            c_time, m_time = state[len(after)], state[len(after) + 1]
            row = np.concatenate([x[:, start : start + 2], m_time, m_freq], 1)
            count = 3 if kind["coupled"] else 4
            gates = {way: np.split(row @ w[f"W_{way}_{b}"] + w[f"B_{way}_{b}"], count, 1)
                     for way in ("f" if kind["shared"] else "ft")}  # fmt: skip

            def looked(way: str, gate: str, value: Any, first: Any, second: Any, b: int = b) -> Any:
                if not kind["peepholes"]:
                    return value
                name = "freq" if kind["shared"] or way == "f" else "time"
                seen = w[f"W_{gate}_diag_{name}f_{b}"] * first + w[f"W_{gate}_diag_{name}t_{b}"] * second
                return value + seen

            new = {}
            for way, c in (("f", c_freq), ("t", c_time)):
                g = gates.get(way, gates["f"])
                i = sigmoid(looked(way, "I", g[0], c_freq, c_time))
                f = 1 - i if kind["coupled"] else sigmoid(looked(way, "F", g[2] + 1, c_freq, c_time))
                new[way] = np.clip(f * c + i * np.tanh(g[1]), -0.5, 0.5)
            m = {way: sigmoid(looked(way, "O", gates.get(way, gates["f"])[-1], new["f"], new["t"])) * np.tanh(c)
                 for way, c in new.items()}  # fmt: skip
            c_freq, m_freq = new["f"], m["f"]
            after += [new["t"], m["t"]]
            outputs += [m["t"], m["f"]]
    return np.concatenate(outputs, 1), np.concatenate(after, 1)


@pytest.mark.parametrize("peepholes", [False, True])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize("blocks", [False, True])
def test_a_grid_lstm(peepholes: bool, shared: bool, coupled: bool, blocks: bool) -> None:
    rng = np.random.RandomState(1)
    cut = {"start_freqindex_list": [0, 2], "end_freqindex_list": [4, 6], "num_frequency_blocks": [2, 2]}
    windows = [[0, 2], [2, 4]] if blocks else [[0, 2, 4]]
    x = rng.randn(2, 6).astype("f") * 2
    for is_tuple in (True, False):
        with tf.Graph().as_default(), tf.Session() as session, tf.variable_scope("z"):
            tf.set_random_seed(4)  # of the graph: with one seed of their own all weights of a shape would be equal
            cell = RNN.GridLSTMCell(
                3, peepholes, shared, 0.5, tf.random_normal_initializer(), feature_size=2, frequency_skip=2,
                couple_input_forget_gates=coupled, state_is_tuple=is_tuple,
                **(cut if blocks else {"num_frequency_blocks": [3]}),
            )  # fmt: skip
            parts = [rng.randn(2, 3).astype("f") for _ in range(8 if blocks else 6)]
            state = type(cell.state_size)(*parts) if is_tuple else tf.constant(np.concatenate(parts, 1))
            output, after = cell(tf.constant(x), state)
            session.run(tf.global_variables_initializer())
            values, states = session.run([output, after])
            w = weights_of(session, "grid_lstm_cell/")
        kind = {"peepholes": peepholes, "shared": shared, "coupled": coupled}
        wanted, wanted_state = gridded(w, x, parts, windows, **kind)
        np.testing.assert_allclose(values, wanted, 1e-4, 1e-5)
        np.testing.assert_allclose(np.concatenate(states, 1) if is_tuple else states, wanted_state, 1e-4, 1e-5)


def test_a_grid_must_fit() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Must specify num_frequency_blocks"):
            RNN.GridLSTMCell(3)
        cell = RNN.GridLSTMCell(3, feature_size=2, frequency_skip=2, num_frequency_blocks=[4])
        with pytest.raises(ValueError, match="requires 4 but gets 3"):
            cell(tf.zeros([2, 6]), cell.zero_state(2, tf.float32))


def lstm_step(w: dict[str, Any], x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ w["kernel"] + w["bias"], 4, 1)
    c = c * sigmoid(f) + sigmoid(i) * np.tanh(j)
    return np.tanh(c) * sigmoid(o), c


def test_layers_of_lstms_in_both_directions() -> None:
    rng = np.random.RandomState(2)
    x, h, c = rng.randn(5, 3, 2).astype("f"), rng.randn(4, 3, 4).astype("f"), rng.randn(4, 3, 4).astype("f")
    with tf.Graph().as_default(), tf.Session() as session, tf.variable_scope("m"):
        layer = CUDNN.CudnnLSTM(2, 4, direction="bidirectional", dropout=0.5, bias_initializer=tf.ones_initializer())
        outputs, (last_h, last_c) = layer(x, (h, c), training=False)
        again, _ = layer(x.transpose(1, 0, 2), (h.transpose(1, 0, 2), c.transpose(1, 0, 2)), None, False, False)
        dropped, _ = layer(x, (h, c))
        session.run(tf.global_variables_initializer())
        values, ends = session.run(outputs), session.run([last_h, last_c])
        np.testing.assert_allclose(session.run(again), values.transpose(1, 0, 2), 1e-5, 1e-6)
        assert abs(session.run(dropped) - values).max() > 0.01
        w = weights_of(session, "m/stack_bidirectional_rnn/")
    assert len(layer.trainable_variables) == 8
    assert (w["cell_0/bidirectional_rnn/bw/cudnn_compatible_lstm_cell/bias"] == 1).all()
    rows = x
    for level in range(2):
        both = []
        for way, name in enumerate(["fw", "bw"]):
            prefix = f"cell_{level}/bidirectional_rnn/{name}/cudnn_compatible_lstm_cell/"
            own = {key.removeprefix(prefix): value for key, value in w.items() if key.startswith(prefix)}
            h_now, c_now, steps = h[2 * level + way], c[2 * level + way], []
            for row in rows[:: -1 if way else 1]:
                h_now, c_now = lstm_step(own, row, h_now, c_now)
                steps.append(h_now)
            both.append(np.stack(steps[:: -1 if way else 1]))
            np.testing.assert_allclose(ends[0][2 * level + way], h_now, 1e-4, 1e-5)
            np.testing.assert_allclose(ends[1][2 * level + way], c_now, 1e-4, 1e-5)
        rows = np.concatenate(both, 2)
    np.testing.assert_allclose(values, rows, 1e-4, 1e-5)


def test_each_sequence_is_turned_by_its_own_length() -> None:
    x, lengths = np.random.RandomState(4).randn(6, 3, 2).astype("f"), [6, 4, 1]
    with tf.Graph().as_default(), tf.Session() as session:
        layer = CUDNN.CudnnLSTM(2, 4, direction="bidirectional")
        outputs, states = layer(x, sequence_lengths=lengths, training=False)
        alone = [layer(x[:n, i : i + 1], training=False) for i, n in enumerate(lengths)]
        session.run(tf.global_variables_initializer())
        (values, ends), each = session.run([outputs, states]), session.run(alone)
    for i, (n, (own, own_ends)) in enumerate(zip(lengths, each, strict=True)):
        np.testing.assert_allclose(values[:n, i : i + 1], own, 1e-5, 1e-6)
        assert not values[n:, i].any()
        np.testing.assert_allclose(np.array(ends)[:, :, i : i + 1], own_ends, 1e-5, 1e-6)


def test_one_layer_drops_nothing() -> None:
    x = np.random.RandomState(5).randn(4, 3, 2).astype("f")
    with tf.Graph().as_default(), tf.Session() as session:
        layer = CUDNN.CudnnLSTM(1, 4, dropout=0.9)
        (trained, _), (outputs, _) = layer(x), layer(x, training=False)
        session.run(tf.global_variables_initializer())
        values, others = session.run([trained, outputs])
    np.testing.assert_array_equal(values, others)


def test_each_gate_starts_by_itself_for_inputs_and_for_the_state() -> None:
    shapes: list[list[int]] = []

    def start(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        shapes.append(list(shape))
        return tf.fill(shape, float(len(shapes)))

    with tf.Graph().as_default(), tf.Session() as session:
        layer = CUDNN.CudnnLSTM(1, 4, kernel_initializer=start)
        layer.build([None, None, 3])
        session.run(tf.global_variables_initializer())
        kernel = session.run(layer.trainable_variables[0])
    assert shapes == [[4, 3]] * 4 + [[4, 4]] * 4  # cuDNN's are [units, inputs]
    for half, rows in enumerate((slice(0, 3), slice(3, 7))):
        for gate in range(4):
            assert (kernel[rows, 4 * gate : 4 * gate + 4] == 4 * half + gate + 1).all()


@pytest.mark.parametrize("kind", ["CudnnGRU", "CudnnRNNTanh", "CudnnRNNRelu"])
def test_layers_with_one_state(kind: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)  # units of relu may all be at rest
        layer = getattr(CUDNN, kind)(2, 4)
        layer.build([None, None, 3])
        assert layer.input_size == 3 and layer.state_shape(5) == ([2, 5, 4],)
        names = [v.name for v in tf.global_variables()]
        x = np.random.RandomState(3).randn(6, 2, 3).astype("f")
        outputs, (h,) = layer(x, sequence_lengths=[6, 4])
        assert [v.name for v in tf.global_variables()] == names
        assert names[0].startswith("rnn/multi_rnn_cell/cell_0/")
        session.run(tf.global_variables_initializer())
        values, last = session.run([outputs, h])
    assert not values[4:, 1].any() and values[3, 1].any()
    np.testing.assert_array_equal(last[1], [values[5, 0], values[3, 1]])


def test_mistakes_with_layers_of_cudnn() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Invalid direction: 'bidrectional'"):
            CUDNN.CudnnLSTM(1, 4, direction="bidrectional")
        with pytest.raises(ValueError, match="3 dims"):
            CUDNN.CudnnLSTM(1, 4)(tf.zeros([3, 2]))
        with pytest.raises(TypeError, match=r"\(h, c\), two tensors"):
            CUDNN.CudnnLSTM(1, 4)(tf.zeros([5, 3, 2]), tf.zeros([1, 3, 4]))
        with pytest.raises(ValueError, match=r"initial_state have shape \[layers \* directions, batch, units\]"):
            CUDNN.CudnnLSTM(1, 4)(tf.zeros([5, 3, 2]), (tf.zeros([3, 4]), tf.zeros([3, 4])))
        with pytest.raises(ValueError, match="should be defined"):
            CUDNN.CudnnGRU(1, 4)(tf.placeholder(tf.float32, [5, 3, None]))
