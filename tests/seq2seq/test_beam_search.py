"""A beam search follows the best sequences, whatever the states are; wrong arguments are told at the user's line.

Whole searches stand beside one in lists in `tests/fuzz/test_beams_beside_numpy.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ..recurrent.numpy_cells import filled

seq2seq: Any = tf.contrib.seq2seq
WIDTH = 3


def decoded(cell: Any, state: Any, vocabulary: int = 6, beams: int = WIDTH, most: Any = 5, **options: Any) -> Any:
    decoder = seq2seq.BeamSearchDecoder(cell, tf.eye(vocabulary), [1, 1], 0, state, beams,
                                        tf.layers.Dense(vocabulary))  # fmt: skip
    return seq2seq.dynamic_decode(decoder, maximum_iterations=most, **options)


def test_states_may_be_nested() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(4), tf.nn.rnn_cell.GRUCell(3)])
        outputs, state, lengths = decoded(cell, cell.zero_state(2 * WIDTH, tf.float32))
        assert isinstance(outputs, seq2seq.FinalBeamSearchDecoderOutput)
        assert isinstance(state, seq2seq.BeamSearchDecoderState)
        assert outputs.predicted_ids.shape.as_list() == [2, None, WIDTH]
        assert lengths.dtype == tf.int32
        filled(session)
        found, after = session.run([outputs, state])
    assert found.predicted_ids.shape == (2, 5, WIDTH)
    assert [each.shape for each in (after.cell_state[0].c, after.cell_state[1])] == [(2, WIDTH, 4), (2, WIDTH, 3)]
    scores = found.beam_search_decoder_output.scores
    assert (np.diff(scores, axis=2) <= 0).all()


def test_time_may_come_first() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.GRUCell(3)
        outputs, _, _ = decoded(cell, cell.zero_state(2 * WIDTH, tf.float32), output_time_major=True)
        filled(session)
        assert session.run(outputs.predicted_ids).shape == (5, 2, WIDTH)


def test_more_beams_than_words_leave_some_that_never_count() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.GRUCell(3)
        outputs, _, _ = decoded(cell, cell.zero_state(2 * 4, tf.float32), vocabulary=2, beams=4, most=1)
        filled(session)
        scores = session.run(outputs.beam_search_decoder_output.scores)
    assert np.isfinite(scores[:, 0, :2]).all()
    assert (scores[:, 0, 2:] == -np.inf).all()


def test_a_search_ends_when_all_sequences_have() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.GRUCell(3)
        outputs, state, _ = decoded(cell, cell.zero_state(2 * WIDTH, tf.float32), most=None)
        values = filled(session)
        bias = next(each for each in tf.global_variables() if each.name == "decoder/dense/bias:0")
        bias.load(values["decoder/dense/bias"] + np.array([50.0, 0, 0, 0, 0, 0]), session)
        ids, finished = session.run([outputs.predicted_ids, state.finished])
    assert finished.all()
    assert (ids[:, :, 0] == 0).all()


def test_the_arrays_of_steps_stay_as_they_are_on_demand() -> None:
    with tf.Graph().as_default():
        memory = seq2seq.tile_batch(tf.zeros([2, 5, 3]), WIDTH)
        cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), seq2seq.LuongAttention(4, memory),
                                        alignment_history=True)  # fmt: skip
        start = cell.zero_state(2 * WIDTH, tf.float32)
        for reorders, kind in ((True, tf.Tensor), (False, tf.TensorArray)):
            decoder = seq2seq.BeamSearchDecoder(cell, tf.eye(6), [1, 1], 0, start, WIDTH, tf.layers.Dense(6),
                                                reorder_tensor_arrays=reorders)  # fmt: skip
            _, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=2)
            assert isinstance(state.cell_state.alignment_history, kind)


@pytest.mark.parametrize(("change", "kind", "words"), [
    ({"cell": 3}, TypeError, "cell"),
    ({"output_layer": 4}, TypeError, "output_layer must be a Layer, received: 4"),
    ({"start_tokens": 1}, ValueError, r"start_tokens must be a vector, and has shape \(\)"),
    ({"end_token": [0]}, ValueError, r"end_token must be a scalar, and has shape \(1,\)"),
    ({"beam_width": 0}, ValueError, "beam_width must be an int of at least 1, not 0"),
    ({"beam_width": 2}, ValueError, r"batch \* beam_width = 2 \* 2 = 4 rows.*tile_batch\(state, beam_width\)"),
    ({"coverage_penalty_weight": 0.1}, ValueError, "must be 0.0 if no cell is attentional"),
    ({"length_penalty_weight": [0.1]}, ValueError, "length_penalty_weight must be a scalar"),
])  # fmt: skip
def test_wrong_arguments_are_told(change: dict[str, Any], kind: type[Exception], words: str) -> None:
    with tf.Graph().as_default():
        cell = tf.nn.rnn_cell.GRUCell(3)
        given = {"cell": cell, "embedding": tf.eye(6), "start_tokens": [1, 1], "end_token": 0, "beam_width": WIDTH,
                 "initial_state": cell.zero_state(2 * WIDTH, tf.float32),
                 "output_layer": tf.layers.Dense(6)} | change  # fmt: skip
        with pytest.raises(kind, match=words):
            seq2seq.dynamic_decode(seq2seq.BeamSearchDecoder(**given), maximum_iterations=2)


# ---- gather_tree --------------------------------------------------------------------------------


def tree(ids: Any, parents: Any, lengths: Any, end: int) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(seq2seq.gather_tree(ids, parents, lengths, end))


def test_gather_tree_reads_each_path_backwards() -> None:
    """TensorFlow 2 does not have the op: a loop over beams and steps stands for it."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        steps, batch, width = (int(rng.integers(1, 6)) for _ in range(3))
        ids, parents = rng.integers(0, 6, (steps, batch, width)), rng.integers(0, width, (steps, batch, width))
        lengths = rng.integers(0, steps + 2, batch)
        want = np.full((steps, batch, width), 3)
        for row in range(batch):
            for place in range(width):
                path: list[int] = []
                beam = place
                for time in reversed(range(min(steps, lengths[row]))):
                    path.insert(0, ids[time, row, beam])
                    beam = parents[time, row, beam]
                path = path[: path.index(3)] if 3 in path else path
                want[: len(path), row, place] = path
        np.testing.assert_array_equal(tree(ids, parents, lengths, 3), want)


def test_gather_tree_refuses_a_parent_that_is_no_beam() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"invalid parent id 2 at .* == \(0, 0, 1\): there are 2"):
        tree([[[1, 2]], [[3, 4]]], [[[0, 0]], [[1, 2]]], [2], 9)
    tree([[[1, 2]], [[3, 4]]], [[[7, 7]], [[1, 1]]], [2], 9)  # the parents of the first step are not read


def test_gather_tree_checks_shapes() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="rank"):
            seq2seq.gather_tree([[1]], [[1]], [1], 0)
        with pytest.raises(ValueError, match="There is one length for each sequence"):
            seq2seq.gather_tree([[[1]]], [[[1]]], [1, 2], 0)
