"""Candidate samplers and sampled losses: what sessions keep of them, files, and errors. Values are compared with
TensorFlow's in `tests/fuzz/test_embeddings_beside_tensorflow.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1
from penstock.errors import InvalidArgumentError, NotFoundError
from penstock.ops.candidates.range_samplers import expected_counts, sample_batch
from penstock.ops.candidates.word_stream import WordStream
from penstock.ops.random.philox import Position


def learned() -> Any:
    classes = tf.placeholder(tf.int64, [None, 2], name="classes")
    return classes, tf.nn.learned_unigram_candidate_sampler(classes, 2, 6, True, 30, seed=3)


TRUE = {"first": [[1, 2]], "second": [[7, 7], [7, 7]], "third": [[0, 7]]}


def three_runs(session: Any, classes: Any, results: Any) -> list[Any]:
    return [session.run(results, {classes: each}) for each in TRUE.values()]


def test_a_learned_sampler_begins_anew_in_each_session() -> None:
    with tf.Graph().as_default():
        classes, results = learned()
        with tf.Session() as one, tf.Session() as other:
            for a, b in zip(three_runs(one, classes, results), three_runs(other, classes, results), strict=True):
                np.testing.assert_array_equal(a[0], b[0])
                np.testing.assert_array_equal(a[1], b[1])


def test_a_learned_sampler_expects_more_of_classes_that_were_true() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        classes, results = learned()
        runs = three_runs(session, classes, results)
        assert runs[2][1][0, 1] > 3 * runs[2][1][0, 0]  # 7 was a true class four times


def test_the_random_state_holds_what_a_learned_sampler_has_seen() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        classes, results = learned()
        session.run(results, {classes: TRUE["first"]})
        state = session.random_state()
        expected = session.run(results, {classes: TRUE["second"]})
        again = session.run(results, {classes: TRUE["second"]})
        session.set_random_state(state)
        repeated = session.run(results, {classes: TRUE["second"]})
        for a, b in zip(expected, repeated, strict=True):
            np.testing.assert_array_equal(a, b)
        assert not np.array_equal(expected[1], again[1])


def test_a_run_that_fails_its_check_teaches_nothing() -> None:
    with tf.Graph().as_default(), tf.Session() as session, tf.Session() as other:
        classes, results = learned()
        with pytest.raises(InvalidArgumentError, match="out of range"):
            session.run(results, {classes: [[1, 30]]})
        np.testing.assert_array_equal(
            session.run(results, {classes: TRUE["first"]})[1], other.run(results, {classes: TRUE["first"]})[1]
        )


def test_a_debugged_run_learns_once() -> None:
    with tf.Graph().as_default(), tf.Session() as session, tf.Session() as plain:
        classes, results = learned()
        debugger = session.debug(results, {classes: TRUE["second"]})
        debugged = debugger.finish()
        np.testing.assert_array_equal(debugged[0], plain.run(results, {classes: TRUE["second"]})[0])
        after = session.run(results, {classes: TRUE["third"]})
        np.testing.assert_array_equal(after[1], plain.run(results, {classes: TRUE["third"]})[1])


def test_a_failed_run_is_repeated_with_what_was_learned_before_it(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        classes, results = learned()
        checked = tf.check_numerics(tf.cast(results[0], tf.float32) / tf.placeholder(tf.float32, [], name="by"), "bad")
        by = session.graph.get_tensor_by_name("by:0")
        session.run(checked, {classes: TRUE["second"], by: 1.0})
        before = session.random_state()["LearnedUnigramCandidateSampler"].memory.copy()
        with pytest.raises(InvalidArgumentError):
            session.run(checked, {classes: TRUE["first"], by: 0.0})
        now = session.random_state()["LearnedUnigramCandidateSampler"].memory
        assert before.sum() == 30 + 4
        assert now.sum() == 30 + 4 + 2


def test_the_file_of_a_vocabulary_may_have_columns(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text("a,1\nb,0\nc,0\nd,5\n")
    with tf.Graph().as_default(), tf.Session() as session:
        args = ([[0]], 1, 50, False, 4)
        of_file = tf.nn.fixed_unigram_candidate_sampler(*args, vocab_file=str(path), seed=1)
        of_list = tf.nn.fixed_unigram_candidate_sampler(*args, unigrams=[1.0, 0.0, 0.0, 5.0], seed=1)
        one, other = session.run([of_file, of_list])
        np.testing.assert_array_equal(one[0], other[0])
        assert set(one[0].tolist()) == {0, 3}


def test_a_file_that_is_missing_or_no_vocabulary_is_an_error_of_the_run(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("a,one\n")
    with tf.Graph().as_default(), tf.Session() as session:
        for path, kind, words in (
            (wrong, InvalidArgumentError, "Wrong vocabulary format at line: 'a,one'"),
            (tmp_path / "none", NotFoundError, "cannot be read"),
        ):
            sampler = tf.nn.fixed_unigram_candidate_sampler([[0]], 1, 1, True, 1, vocab_file=str(path))
            with pytest.raises(kind, match=words):
                session.run(sampler)


REFUSED: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda nn: nn.uniform_candidate_sampler([0], 1, 1, True, 3), ValueError, "rank 2"),
    (lambda nn: nn.uniform_candidate_sampler([[0]], 1, 0, True, 3), ValueError, "at least 1"),
    (lambda nn: nn.uniform_candidate_sampler([[0.5]], 1, 1, True, 3), TypeError, "int64"),
    (lambda nn: nn.log_uniform_candidate_sampler([[0]], 1, 1, 1, 3), TypeError, "True or False"),
    (lambda nn: nn.learned_unigram_candidate_sampler([[0]], 1, 1, True, 1 << 31), ValueError, "too large"),
    (lambda nn: nn.fixed_unigram_candidate_sampler([[0]], 1, 1, True, 3), ValueError, "none is given"),
    (lambda nn: nn.fixed_unigram_candidate_sampler([[0]], 1, 1, True, 1, "f", unigrams=[1.0]), ValueError, "both are"),
    (lambda nn: nn.compute_accidental_hits([[0]], [[1]], 1), ValueError, "rank 1"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_wrong_arguments_are_refused_and_add_nothing(number: int) -> None:
    call, kind, words = REFUSED[number]
    with tf.Graph().as_default() as graph:
        with pytest.raises(kind, match=words):
            call(tf.nn)
        assert len(graph) == 0


FAILING: list[tuple[Callable[[Any], Any], str]] = [
    (lambda nn: nn.uniform_candidate_sampler([[0, 1]], 1, 1, True, 3), "num_true columns"),
    (lambda nn: nn.uniform_candidate_sampler([[0]], 1, 4, True, 3), "range is too small"),
    (lambda nn: nn.log_uniform_candidate_sampler([[3]], 1, 1, True, 3), "out of range \\[0, 3\\), received 3"),
    (lambda nn: nn.fixed_unigram_candidate_sampler([[0]], 1, 1, True, 3, unigrams=[1.0]), "range_max is 3"),
    (lambda nn: nn.fixed_unigram_candidate_sampler([[0]], 1, 2, True, 2, unigrams=[1.0, 0.0]), "1 have a weight"),
    (lambda nn: nn.compute_accidental_hits([[0]], [1], 2), "num_true = 2 columns"),
]


@pytest.mark.parametrize("number", range(len(FAILING)))
def test_what_tensorflow_finds_in_the_run_fails_in_the_run(number: int) -> None:
    call, words = FAILING[number]
    with tf.Graph().as_default(), tf.Session() as session:
        results = call(tf.nn)
        with pytest.raises(InvalidArgumentError, match=words):
            session.run(results)


@pytest.mark.parametrize("name", ["nce_loss", "sampled_softmax_loss"])
def test_exchanged_inputs_and_labels_are_named(name: str) -> None:
    weights, biases, inputs, labels = np.ones((9, 2), "f4"), np.zeros(9, "f4"), np.ones((1, 2), "f4"), np.array([[3]])
    with tf.Graph().as_default() as graph:
        for nn, order in ((tf.nn, (labels, inputs)), (v1.nn, (inputs, labels))):
            with pytest.raises(TypeError, match=re.escape("(weights, biases, inputs, labels, ...)")):
                getattr(nn, name)(weights, biases, *order, 2, 9)
        assert len(graph) == 0
        getattr(tf.nn, name)(weights, biases, inputs, labels, 2, 9)
        getattr(v1.nn, name)(weights, biases, labels, inputs, 2, 9)


def test_the_loss_of_a_batch_of_unknown_size_keeps_its_name() -> None:
    with tf.Graph().as_default():
        inputs = tf.placeholder(tf.float32, ["batch", 4])
        labels = tf.placeholder(tf.int64, ["batch", 2])
        losses = tf.nn.nce_loss(tf.ones([50, 4]), tf.zeros([50]), inputs, labels, 5, 50, num_true=2)
        assert str(losses.shape) == "(batch,)"


def test_repeated_true_classes_of_an_example_do_not_overflow() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        values = tf.nn.all_candidate_sampler([[1, 1]], 2, 3, True)
        losses = v1.nn.sampled_softmax_loss(
            tf.ones([3, 2]), tf.zeros([3]), [[1, 1]], tf.ones([1, 2]), 3, 3, num_true=2, sampled_values=values
        )
        assert np.isfinite(session.run(losses)).all()


class OfOneClass:
    """A sampler that gives a class again and again before another one."""

    def __init__(self) -> None:
        self.given = 0

    def draw(self, stream: WordStream, count: int) -> Any:
        drawn = np.zeros(count, np.int64)
        drawn[max(0, 100 - self.given) :] = 1
        self.given += count
        return drawn

    def probability(self, classes: Any) -> Any:
        return np.full(classes.shape, 0.5, np.float32)


def test_draws_go_on_until_the_classes_differ() -> None:
    sampled, draws = sample_batch(OfOneClass(), WordStream(Position(1, 0)), 2, True)
    assert sampled.tolist() == [0, 1]
    assert draws == 101


def test_counts_are_those_of_independent_draws() -> None:
    np.testing.assert_allclose(expected_counts(np.array([0.5], "f4"), 2, 3), [1 - 0.5**3])
    np.testing.assert_allclose(expected_counts(np.array([0.5], "f4"), 2, 2), [1.0])


@pytest.mark.parametrize("bound", [3, 5, (1 << 31) + 1, (1 << 32) - 1])
def test_words_are_used_one_by_one_where_some_are_rejected(bound: int) -> None:
    """A bound just above 2**31 rejects half of all words."""
    at = Position(3, 7)
    words = iter(WordStream(at).words(400).tolist())
    rejected = ((1 << 32) - 1) % bound + 1

    def one() -> int:
        while (word := next(words)) < rejected:
            pass
        return int(word % bound)

    pairs = [(next(words), one()) for _ in range(50)]
    shares, places = WordStream(at).share_and_place(bound, 50)
    assert places.tolist() == [place for _, place in pairs]
    np.testing.assert_array_equal(shares, [np.float32(np.float64(share & 0x7FFFFF) * 2.0**-23) for share, _ in pairs])
    words = iter(WordStream(at).words(400).tolist())
    assert WordStream(at).below(bound, 50, 32).tolist() == [one() for _ in range(50)]
