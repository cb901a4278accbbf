"""The decoders of TensorFlow 1.0 beside a loop in NumPy: with targets and with their own words, with attention or not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf

seq2seq = tf.contrib.seq2seq
WORDS, UNITS, BATCH, TIME = 6, 6, 3, 5
Step = Callable[[Any, Any], Any]


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def softmax(x: Any) -> Any:
    raised = np.exp(x - x.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


class Weights:
    """The values of the variables of a session, by the ends of their names."""

    def __init__(self, session: tf.Session) -> None:
        variables = tf.global_variables()
        for variable, before in zip(variables, session.run(variables), strict=True):
            numbers = np.random.default_rng(before.ndim).normal(size=before.shape)
            session.run(variable.assign(numbers.astype(np.float32)))
        self.values = {v.op.name: value for v, value in zip(variables, session.run(variables), strict=True)}

    def __getitem__(self, end: str) -> Any:
        [value] = [value for name, value in self.values.items() if name.endswith(end)]
        return value


def gru(weights: Weights) -> Step:
    def step(x: Any, h: Any) -> Any:
        gates = sigmoid(np.concatenate([x, h], 1) @ weights["gates/kernel"] + weights["gates/bias"])
        r, u = np.split(gates, 2, 1)
        new = np.tanh(np.concatenate([x, r * h], 1) @ weights["candidate/kernel"] + weights["candidate/bias"])
        return u * h + (1 - u) * new

    return step


def attention(weights: Weights, option: str, memory: Any) -> Callable[[Any], Any]:
    keys = memory @ weights["attention_keys/weights"]

    def attend(query: Any) -> Any:
        if option == "luong":
            scores = (keys * query[:, None]).sum(2)
        else:
            scores = (weights["attnV"] * np.tanh(keys + (query @ weights["attnW"])[:, None])).sum(2)
        context = (softmax(scores)[:, :, None] * memory).sum(1)
        return np.concatenate([query, context], 1) @ weights["attention_construct/weights"]

    return attend


def of_training(step: Step, start: Any, inputs: Any, lengths: Any, attend: Callable[[Any], Any] | None) -> Any:
    h, blank = start, np.zeros_like(start)
    given, rows = blank, []
    for time in range(max(lengths)):
        x = inputs[:, time] if attend is None else np.concatenate([inputs[:, time], given], 1)
        after = step(x, h)
        going = (time < lengths)[:, None]
        given = after if attend is None else attend(after)
        rows.append(np.where(going, given, 0.0))
        h = np.where(going, after, h)
    return np.stack(rows, 1), h


def of_inference(
    step: Step, start: Any, table: Any, first: int, last: int, most: int, attend: Callable[[Any], Any] | None
) -> Any:
    h, given, rows = start, np.zeros_like(start), []
    x, ended, time = table[np.full(BATCH, first)], np.zeros(BATCH, bool), 0
    while not ended.all():
        after = step(x if attend is None else np.concatenate([x, given], 1), h)
        time += 1
        given = after if attend is None else attend(after)
        rows.append(np.where(ended[:, None], 0.0, given))
        h = np.where(ended[:, None], h, after)
        words = given.argmax(1)
        x = table[words]
        ended = ended | (words == last) | (time > most)
    return np.stack(rows, 1), h


@pytest.mark.parametrize("option", ["", "bahdanau", "luong"])
@pytest.mark.parametrize("time_major", [False, True])
def test_training_and_inference_are_those_of_a_loop(option: str, time_major: bool) -> None:
    rng = np.random.default_rng(3)
    state, inputs, memory, table = (rng.normal(size=shape).astype(np.float32) for shape in (
        (BATCH, UNITS), (BATCH, TIME, 4), (BATCH, 7, UNITS), (WORDS, 4)))  # fmt: skip
    lengths = np.array([5, 2, 4], np.int32)
    with tf.Graph().as_default(), tf.Session() as session:
        start, rows, fed = tf.constant(state), tf.constant(inputs), tf.placeholder(tf.int32, [None])
        cell = tf.nn.rnn_cell.GRUCell(UNITS)
        attended = seq2seq.prepare_attention(tf.constant(memory), option, UNITS) if option else None
        last, most = 2, 8
        if attended is None:
            trains = seq2seq.simple_decoder_fn_train(start)
            goes_on = seq2seq.simple_decoder_fn_inference(None, start, tf.constant(table), 1, last, most, WORDS)
        else:
            trains = seq2seq.attention_decoder_fn_train(start, *attended)
            again = seq2seq.prepare_attention(tf.constant(memory), option, UNITS, reuse=True)
            goes_on = seq2seq.attention_decoder_fn_inference(
                None, start, *again, tf.constant(table), 1, last, most, WORDS
            )
        with tf.variable_scope("decoder") as scope:
            rows = tf.transpose(rows, [1, 0, 2]) if time_major else rows
            outputs, end, context = seq2seq.dynamic_rnn_decoder(
                cell, trains, rows, fed, time_major=time_major, scope=scope
            )
            scope.reuse_variables()
            logits, end_of_words, _ = seq2seq.dynamic_rnn_decoder(cell, goes_on, time_major=time_major, scope=scope)
        session.run(tf.global_variables_initializer())
        weights = Weights(session)
        found = session.run([outputs, end, logits, end_of_words], {fed: lengths})
        slopes = session.run(tf.gradients(tf.reduce_sum(tf.square(outputs)), tf.trainable_variables()), {fed: lengths})
    assert context is None and all(np.isfinite(each).all() and each.any() for each in slopes)
    attend = attention(weights, option, memory) if option else None
    expected = [*of_training(gru(weights), state, inputs, lengths, attend),
                *of_inference(gru(weights), state, table, 1, last, most, attend)]  # fmt: skip
    for place in (0, 2):
        found[place] = found[place].transpose(1, 0, 2) if time_major else found[place]
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-5)


def test_a_context_state_goes_from_step_to_step() -> None:
    def counts(time: Any, state: Any, x: Any, output: Any, context: Any) -> Any:
        state = tf.zeros([2, 3]) if state is None else state
        return None, state, x, output, tf.constant(10) if context is None else context + 1

    with tf.Graph().as_default(), tf.Session() as session:
        made = seq2seq.dynamic_rnn_decoder(tf.nn.rnn_cell.GRUCell(3), counts, tf.ones([2, 4, 5]), [4, 1])
        session.run(tf.global_variables_initializer())
        assert session.run(made[2]) == 14 and made[0].shape.as_list()[::2] == [2, 3]


def test_wrong_calls_are_told() -> None:
    with tf.Graph().as_default():
        cell, state = tf.nn.rnn_cell.GRUCell(3), tf.zeros([2, 3])
        trains = seq2seq.simple_decoder_fn_train(state)
        with pytest.raises(ValueError, match="sequence_length says where the inputs end"):
            seq2seq.dynamic_rnn_decoder(cell, trains, tf.ones([2, 4, 5]))
        with pytest.raises(ValueError, match="to say which sequences have ended"):
            seq2seq.dynamic_rnn_decoder(cell, lambda *_: (None, state, tf.ones([2, 5]), None, None))
        goes_on = seq2seq.simple_decoder_fn_inference(None, state, tf.eye(3), 0, 1, 5, 3)
        with pytest.raises(ValueError, match="Expected cell_input to be None"):
            seq2seq.dynamic_rnn_decoder(cell, goes_on, tf.ones([2, 4, 5]), [1, 1])
        with pytest.raises(ValueError, match="Unknown attention option 'dot': write one of bahdanau, luong"):
            seq2seq.prepare_attention(tf.ones([2, 7, 3]), "dot", 3)
