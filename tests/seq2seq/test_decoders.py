"""Decoders, attention and losses of sequences beside NumPy loops: TensorFlow 2 does not have them any more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ..recurrent.numpy_cells import below, filled, gru, softmax

seq2seq: Any = tf.contrib.seq2seq
legacy: Any = tf.contrib.legacy_seq2seq
BATCH, TIME, DEPTH, UNITS = 3, 5, 4, 3
LENGTHS = np.array([5, 2, 3])


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


# ---- basic decoder ------------------------------------------------------------------------------


@pytest.mark.parametrize("impute", [False, True])
@pytest.mark.parametrize("time_major", [False, True])
def test_a_decoder_reads_its_targets_in_training(impute: bool, time_major: bool) -> None:
    x = numbers(BATCH, TIME, DEPTH)
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.GRUCell(UNITS)
        helper = seq2seq.TrainingHelper(tf.constant(x.swapaxes(0, 1) if time_major else x), LENGTHS, time_major)
        layer = tf.layers.Dense(6, use_bias=False)
        decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float64), layer)
        outputs, state, lengths = seq2seq.dynamic_decode(decoder, time_major, impute)
        values = filled(session)
        found, last, counts = session.run([outputs, state, lengths])
    assert sorted(values) == [f"decoder/{name}" for name in (
        "dense/kernel", "gru_cell/candidate/bias", "gru_cell/candidate/kernel", "gru_cell/gates/bias",
        "gru_cell/gates/kernel")]  # fmt: skip
    h, rows = np.zeros((BATCH, UNITS)), []
    for time in range(TIME):
        over = (time >= LENGTHS)[:, None]
        inputs = x[:, time] if time < LENGTHS.max() else 0 * x[:, 0]
        _, after = gru(below(values, "decoder/gru_cell"), inputs, h)
        row = after @ values["decoder/dense/kernel"]
        rows.append(np.where(over, 0.0, row) if impute else row)
        h = np.where(over, h, after) if impute else after
    wanted = np.stack(rows, 0 if time_major else 1)
    np.testing.assert_allclose(found.rnn_output, wanted, 1e-9, 1e-12)
    np.testing.assert_array_equal(found.sample_id, wanted.argmax(-1))
    np.testing.assert_allclose(last, h, 1e-9, 1e-12)
    np.testing.assert_array_equal(counts, LENGTHS)


@pytest.mark.parametrize("most", [None, 0, 4])
def test_a_decoder_feeds_its_largest_outputs_back_until_the_end_token(most: int | None) -> None:
    vectors, start, end = numbers(6, DEPTH, seed=1), np.array([1, 2, 3]), 0
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.GRUCell(UNITS)
        helper = seq2seq.GreedyEmbeddingHelper(tf.constant(vectors), start, end)
        state = tf.constant(numbers(BATCH, UNITS, seed=2))
        decoder = seq2seq.BasicDecoder(cell, helper, state, tf.layers.Dense(6))
        outputs, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=20 if most is None else most)
        values = filled(session)
        found, counts = session.run([outputs, lengths])
    h, ids, finished = numbers(BATCH, UNITS, seed=2), start, np.zeros(BATCH, bool)
    steps: list[np.ndarray] = []
    wanted = np.zeros(BATCH, int)
    while not finished.all() and len(steps) < (20 if most is None else most):
        h, _ = gru(below(values, "decoder/gru_cell"), vectors[ids], h)
        ids = (h @ values["decoder/dense/kernel"] + values["decoder/dense/bias"]).argmax(1)
        steps.append(ids)
        wanted = np.where(finished, wanted, len(steps))
        finished = finished | (ids == end)
    assert found.sample_id.shape == (BATCH, len(steps))
    if steps:
        np.testing.assert_array_equal(found.sample_id, np.stack(steps, 1))
    np.testing.assert_array_equal(counts, wanted)


def test_gradients_go_through_a_decoder() -> None:
    x = numbers(BATCH, TIME, DEPTH)
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
        fed = tf.placeholder(tf.float64, [BATCH, TIME, DEPTH])
        decoder = seq2seq.BasicDecoder(cell, seq2seq.TrainingHelper(fed, LENGTHS), cell.zero_state(BATCH, tf.float64))
        outputs, _, _ = seq2seq.dynamic_decode(decoder, impute_finished=True)
        other, _ = tf.nn.dynamic_rnn(cell, fed, LENGTHS, dtype=tf.float64, scope="decoder")
        slopes = [tf.gradients(tf.reduce_sum(tf.square(y)), [fed, *cell.trainable_variables])
                  for y in (outputs.rnn_output, other)]  # fmt: skip
        filled(session)
        ours, wanted = session.run(slopes, {fed: x})
    assert len(ours) == 3
    for one, another in zip(ours, wanted, strict=True):
        np.testing.assert_allclose(one, another, 1e-9, 1e-12)


# ---- helpers ------------------------------------------------------------------------------------


def test_ids_are_drawn_with_the_probabilities_of_the_outputs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        helper = seq2seq.SampleEmbeddingHelper(tf.eye(3), tf.zeros([4000], tf.int32), 2, 2.0, seed=4)
        logits = np.tile(np.log([0.5, 0.3, 0.2]) * 2.0, (4000, 1))
        ids = session.run(helper.sample(0, tf.constant(logits)))
    np.testing.assert_allclose(np.bincount(ids) / 4000, [0.5, 0.3, 0.2], atol=0.03)


def test_scheduled_helpers_take_inputs_or_their_own_outputs() -> None:
    x = numbers(BATCH, TIME, DEPTH)
    with tf.Graph().as_default(), tf.Session() as session:
        outputs, vectors = tf.constant(numbers(BATCH, DEPTH, seed=3)), numbers(DEPTH, DEPTH, seed=4)
        for probability in (0.0, 1.0):
            helper = seq2seq.ScheduledEmbeddingTrainingHelper(x, LENGTHS, tf.constant(vectors), probability, seed=1)
            ids = helper.sample(0, outputs)
            _, following, _ = helper.next_inputs(0, outputs, (), ids)
            drawn, rows = session.run([ids, following])
            wanted = x[:, 1] if probability == 0.0 else vectors[drawn]
            assert (drawn == -1).all() == (probability == 0.0)
            np.testing.assert_array_equal(rows, wanted)
            own = seq2seq.ScheduledOutputTrainingHelper(x, LENGTHS, probability, next_inputs_fn=lambda y: 2.0 * y)
            _, following, _ = own.next_inputs(0, outputs, (), own.sample(0, outputs))
            values = session.run([following, outputs])
            np.testing.assert_array_equal(values[0], x[:, 1] if probability == 0.0 else 2.0 * values[1])
        beside = seq2seq.ScheduledOutputTrainingHelper(x, LENGTHS, 1.0, auxiliary_inputs=2.0 * x)
        _, first = beside.initialize()
        _, following, _ = beside.next_inputs(0, outputs, (), beside.sample(0, outputs))
        values = session.run([first, following, outputs])
        np.testing.assert_array_equal(values[0], np.concatenate([x[:, 0], 2.0 * x[:, 0]], 1))
        np.testing.assert_array_equal(values[1], np.concatenate([values[2], 2.0 * x[:, 1]], 1))


def test_helpers_of_functions_decide_inputs_and_the_end() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.BasicRNNCell(2, activation=lambda x: 0.0 * x + 1.0)
        start = tf.zeros([BATCH, 2])
        custom = seq2seq.CustomHelper(
            lambda: (tf.tile([False], [BATCH]), start), lambda time, outputs, state: tf.zeros([BATCH], tf.int32) + time,
            lambda time, outputs, state, sample_ids: (time >= [0, 1, 2], outputs, state))  # fmt: skip
        inference = seq2seq.InferenceHelper(lambda y: y, [2], tf.float32, start, lambda ids: tf.equal(ids[:, 0], 1.0))
        custom.initialize()
        found = [seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, each, start), scope=f"decoder{i}")
                 for i, each in enumerate((custom, inference))]  # fmt: skip
        session.run(tf.global_variables_initializer())
        (one, _, lengths), (other, _, ones) = session.run(found)
    assert lengths.tolist() == [1, 2, 3]
    assert ones.tolist() == [1, 1, 1]
    assert one.sample_id.tolist() == [[0, 1, 2]] * BATCH
    assert other.sample_id.tolist() == [[[1.0, 1.0]]] * BATCH


# ---- attention ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["luong", "luong scaled", "bahdanau", "bahdanau normalized"])
@pytest.mark.parametrize("layer_size", [None, 6])
def test_attention_reads_the_memory_as_in_numpy(kind: str, layer_size: int | None) -> None:
    memory, x, memory_lengths = numbers(BATCH, 7, 2), numbers(BATCH, TIME, DEPTH, seed=1), np.array([7, 1, 4])
    with tf.Graph().as_default(), tf.Session() as session:
        if kind.startswith("luong"):
            mechanism = seq2seq.LuongAttention(UNITS, tf.constant(memory), memory_lengths, scale="scaled" in kind)
        else:
            mechanism = seq2seq.BahdanauAttention(4, tf.constant(memory), memory_lengths, "normalized" in kind)
        cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(UNITS), mechanism, layer_size, alignment_history=True)
        helper = seq2seq.TrainingHelper(tf.constant(x), [TIME] * BATCH)
        decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float64))
        outputs, state, _ = seq2seq.dynamic_decode(decoder)
        slopes = tf.gradients(outputs.rnn_output, tf.trainable_variables())
        values = filled(session)
        assert all(each is not None for each in slopes)
        found, history, last = session.run([outputs.rnn_output, state.alignment_history.stack(), state.attention])
    mask = np.arange(7) < memory_lengths[:, None]
    rows = memory * mask[..., None]
    keys = rows @ values["memory_layer/kernel"]
    inner = below(values, "decoder/attention_wrapper")
    h, attention = np.zeros((BATCH, UNITS)), np.zeros((BATCH, layer_size or 2))
    for time in range(TIME):
        h, _ = gru(below(inner, "gru_cell"), np.concatenate([x[:, time], attention], 1), h)
        if kind.startswith("luong"):
            score = np.einsum("bu,btu->bt", h, keys) * inner.get("luong_attention/attention_g", 1.0)
        else:
            own = below(inner, "bahdanau_attention")
            v = own["attention_v"]
            if "attention_g" in own:
                v = own["attention_g"] * v / np.sqrt((v * v).sum())
            query = (h @ own["query_layer/kernel"])[:, None]
            score = (v * np.tanh(keys + query + own.get("attention_b", 0.0))).sum(2)
        weights = softmax(np.where(mask, score, -np.inf))
        attention = np.einsum("bt,btd->bd", weights, rows)
        if layer_size:
            attention = np.concatenate([h, attention], 1) @ inner["attention_layer/kernel"]
        np.testing.assert_allclose(history[time], weights, 1e-9, 1e-12)
        np.testing.assert_allclose(found[:, time], attention, 1e-9, 1e-12)
    np.testing.assert_allclose(last, attention, 1e-9, 1e-12)


def test_a_cell_may_have_two_memories_and_give_its_own_output() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        mechanisms = [seq2seq.LuongAttention(UNITS, tf.constant(numbers(BATCH, size, 2))) for size in (4, 6)]
        inner = tf.nn.rnn_cell.LSTMCell(UNITS)
        start = inner.zero_state(BATCH, tf.float64)
        cell = seq2seq.AttentionWrapper(inner, mechanisms, [2, 3], output_attention=False, initial_cell_state=start)
        outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(numbers(BATCH, TIME, DEPTH)), dtype=tf.float64)
        filled(session)
        found, last = session.run([outputs, state])
    assert found.shape == (BATCH, TIME, UNITS)
    assert (last.attention.shape, [each.shape for each in last.alignments]) == ((BATCH, 5), [(BATCH, 4), (BATCH, 6)])
    np.testing.assert_allclose(last.cell_state.h, found[:, -1])
    assert last.time == TIME


# ---- losses -------------------------------------------------------------------------------------


def test_losses_of_sequences_do_as_in_numpy() -> None:
    logits, weights = numbers(BATCH, TIME, DEPTH), np.abs(numbers(BATCH, TIME, seed=1))
    weights[1, 2:] = 0.0
    targets = np.random.default_rng(2).integers(0, DEPTH, (BATCH, TIME))
    each = -np.log(np.take_along_axis(softmax(logits), targets[..., None], 2))[..., 0] * weights
    with tf.Graph().as_default(), tf.Session() as session:
        given = (tf.constant(logits), tf.constant(targets), tf.constant(weights))
        steps = [tf.unstack(t, axis=1) for t in given]
        found = session.run([
            seq2seq.sequence_loss(*given), seq2seq.sequence_loss(*given, True, False),
            seq2seq.sequence_loss(*given, False, True), seq2seq.sequence_loss(*given, False, False),
            seq2seq.sequence_loss(*given, False, False, sum_over_timesteps=True, sum_over_batch=True),
            legacy.sequence_loss_by_example(*steps), legacy.sequence_loss(*steps),
            legacy.sequence_loss(*steps, average_across_timesteps=False, average_across_batch=False),
            seq2seq.sequence_loss(*given, softmax_loss_function=lambda labels, logits: tf.reduce_sum(logits, 1)),
        ])  # fmt: skip
    by_row = each.sum(1) / weights.sum(1)
    wanted = [each.sum() / weights.sum(), by_row, each.sum(0) / weights.sum(0), each, each.sum() / (weights > 0).sum(),
              by_row, by_row.mean(), each.sum(), (logits.sum(2) * weights).sum() / weights.sum()]  # fmt: skip
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, 1e-9)


# ---- models of lists ----------------------------------------------------------------------------


def _attention(values: Any, name: str, memory: Any, state: Any, head: int = 0) -> Any:
    """What a head of `attention_decoder` reads."""
    kernel, vector = values[f"{name}/AttnW_{head}"][0, 0], values[f"{name}/AttnV_{head}"]
    query = state @ values[f"{name}/Attention_{head}/kernel"] + values[f"{name}/Attention_{head}/bias"]
    score = (vector * np.tanh(memory @ kernel + query[:, None])).sum(2)
    return np.einsum("bt,btd->bd", softmax(score.astype(np.float32)).astype(np.float64), memory)


@pytest.mark.parametrize("feed_previous", [False, True, "fed False", "fed True"])
def test_the_model_with_attention_does_as_in_numpy(feed_previous: Any) -> None:
    encoded, decoded = [np.random.default_rng(i).integers(0, 5, (TIME, BATCH)) for i in range(2)]
    with tf.Graph().as_default(), tf.Session() as session:
        flag = feed_previous if isinstance(feed_previous, bool) else tf.constant(feed_previous == "fed True")
        outputs, state = legacy.embedding_attention_seq2seq(
            [tf.constant(ids) for ids in encoded], [tf.constant(ids) for ids in decoded], tf.nn.rnn_cell.GRUCell(UNITS),
            5, 6, DEPTH, feed_previous=flag, dtype=tf.float64)  # fmt: skip
        values = below(filled(session), "embedding_attention_seq2seq")
        found, last = session.run([outputs, state])
    cell, rows, h = below(values, "rnn/embedding_wrapper/gru_cell"), [], np.zeros((BATCH, UNITS))
    for ids in encoded:
        h, _ = gru(cell, values["rnn/embedding_wrapper/embedding"][ids], h)
        rows.append(h)
    memory = np.stack(rows, 1)
    outer = "embedding_attention_decoder/attention_decoder"
    own = below(values, outer)
    projected = below(own, "output_projection_wrapper")
    read: Any = np.zeros((BATCH, UNITS))
    output: Any = None
    for step, ids in enumerate(decoded):
        is_fed = step and (feed_previous is True or feed_previous == "fed True")
        x = values["embedding_attention_decoder/embedding"][output.argmax(1) if is_fed else ids]
        x = np.concatenate([x, read], 1) @ own["kernel"] + own["bias"]
        h, _ = gru(below(projected, "gru_cell"), x, h)
        y = h @ projected["kernel"] + projected["bias"]
        read = _attention(values, outer, memory, h)
        output = np.concatenate([y, read], 1) @ own["AttnOutputProjection/kernel"] + own["AttnOutputProjection/bias"]
        np.testing.assert_allclose(found[step], output, 1e-5, 1e-6)
    np.testing.assert_allclose(last, h, 1e-5, 1e-6)


def test_models_without_attention_do_as_in_numpy() -> None:
    encoded, decoded = [np.random.default_rng(i).integers(0, 5, (TIME, BATCH)) for i in range(2)]
    with tf.Graph().as_default(), tf.Session() as session:
        ids = [[tf.constant(row) for row in rows] for rows in (encoded, decoded)]
        vectors = [[tf.one_hot(row, 5, dtype=tf.float64) for row in rows] for rows in ids]
        found = [
            legacy.basic_rnn_seq2seq(*vectors, tf.nn.rnn_cell.GRUCell(UNITS), tf.float64)[0],
            legacy.tied_rnn_seq2seq(*vectors, tf.nn.rnn_cell.GRUCell(UNITS), dtype=tf.float64)[0],
            legacy.embedding_rnn_seq2seq(*ids, tf.nn.rnn_cell.GRUCell(UNITS), 5, 6, 2, dtype=tf.float64)[0],
            legacy.embedding_tied_rnn_seq2seq(*ids, tf.nn.rnn_cell.GRUCell(UNITS), 5, 2, dtype=tf.float64)[0],
        ]
        values = filled(session)
        basic, tied, embedded, tied_embedded = session.run(found)

    def run(encoder: str, decoder: str, read: Any, written: Any) -> list[np.ndarray]:
        h, rows = np.zeros((BATCH, UNITS)), []
        for x in read:
            h, _ = gru(below(values, encoder), x, h)
        for x in written:
            h, _ = gru(below(values, decoder), x, h)
            rows.append(h)
        return rows

    def projected(rows: list[np.ndarray], scope: str) -> list[np.ndarray]:
        return [row @ values[f"{scope}/kernel"] + values[f"{scope}/bias"] for row in rows]

    ones = np.eye(5)
    inner = "combined_tied_rnn_seq2seq/tied_rnn_seq2seq"
    wanted = run("basic_rnn_seq2seq/rnn/gru_cell", "basic_rnn_seq2seq/rnn_decoder/gru_cell", ones[encoded],
                 ones[decoded])  # fmt: skip
    np.testing.assert_allclose(basic, wanted, 1e-9)
    np.testing.assert_allclose(tied, run(f"{inner}/gru_cell", f"{inner}/gru_cell", ones[encoded], ones[decoded]), 1e-9)
    outer = "embedding_rnn_seq2seq"
    scope = f"{outer}/embedding_rnn_decoder/rnn_decoder/output_projection_wrapper"
    rows = run(f"{outer}/rnn/embedding_wrapper/gru_cell", f"{scope}/gru_cell",
               values[f"{outer}/rnn/embedding_wrapper/embedding"][encoded],
               values[f"{outer}/embedding_rnn_decoder/embedding"][decoded])  # fmt: skip
    np.testing.assert_allclose(embedded, projected(rows, scope), 1e-9)
    outer = "embedding_tied_rnn_seq2seq"
    scope = f"{outer}/{inner}/output_projection_wrapper"
    vectors_of = values[f"{outer}/embedding"]
    rows = run(f"{scope}/gru_cell", f"{scope}/gru_cell", vectors_of[encoded], vectors_of[decoded])
    np.testing.assert_allclose(tied_embedded, projected(rows, scope), 1e-9)


def test_a_model_with_buckets_shares_its_variables() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        steps = [tf.constant([1, 2])] * 4
        weights = [tf.ones([2])] * 4

        def model(encoder: Any, decoder: Any) -> Any:
            return legacy.embedding_rnn_seq2seq(encoder, decoder, tf.nn.rnn_cell.GRUCell(UNITS), 5, 6, 2)

        outputs, losses = legacy.model_with_buckets(steps, steps, steps, weights, [(2, 3), (4, 4)], model)
        assert [len(each) for each in outputs] == [3, 4]
        count = len(tf.trainable_variables())
        session.run(tf.global_variables_initializer())
        assert np.isfinite(session.run(losses)).all()
        with pytest.raises(ValueError, match="last bucket"):
            legacy.model_with_buckets(steps[:3], steps, steps, weights, [(2, 3), (4, 4)], model)
    assert count == 12
