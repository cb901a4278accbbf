"""`tf.contrib.crf` beside all sequences of tags one by one."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

CRF: Any = tf.contrib.crf
RANDOM = np.random.RandomState(5)
SCORES = RANDOM.randn(4, 5, 3).astype(np.float32)
TRANSITIONS = RANDOM.randn(3, 3).astype(np.float32)
TAGS = RANDOM.randint(0, 3, (4, 5))
LENGTHS = np.array([5, 3, 1, 0])


def score_of(scores: Any, tags: Any) -> float:
    between = sum(TRANSITIONS[i, j] for i, j in pairwise(tags))
    return float(sum(row[tag] for row, tag in zip(scores, tags, strict=True)) + between)


def all_scores(scores: Any) -> dict[tuple[int, ...], float]:
    return {tags: score_of(scores, tags) for tags in product(range(3), repeat=len(scores))}


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("is_known", [True, False])
def test_scores_and_norms_are_those_of_all_sequences(dtype: Any, is_known: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        shape = SCORES.shape if is_known else [None, None, 3]
        scores, tags = tf.placeholder(tf.float32, shape), tf.placeholder(dtype, shape[:2])
        lengths = tf.placeholder(dtype, [None])
        found, used = CRF.crf_log_likelihood(scores, tags, lengths, TRANSITIONS)
        norm = CRF.crf_log_norm(scores, lengths, TRANSITIONS)
        score = CRF.crf_sequence_score(scores, tags, lengths, TRANSITIONS)
        assert used is TRANSITIONS
        feeds = {scores: SCORES, tags: TAGS, lengths: LENGTHS}
        likelihoods, norms, sums = session.run([found, norm, score], feeds)
    for row, length in enumerate(LENGTHS):
        each = np.array(list(all_scores(SCORES[row, :length]).values()))
        assert norms[row] == pytest.approx(np.log(np.exp(each).sum()), abs=1e-5)
        assert sums[row] == pytest.approx(score_of(SCORES[row, :length], TAGS[row, :length]), abs=1e-5)
    assert np.allclose(likelihoods, sums - norms, atol=1e-5)


@pytest.mark.parametrize("steps", [5, 1])
def test_the_best_sequence_has_the_highest_score(steps: int) -> None:
    lengths = np.minimum(LENGTHS[:3], steps)
    with tf.Graph().as_default(), tf.Session() as session:
        tags, best = session.run(CRF.crf_decode(SCORES[:3, :steps], TRANSITIONS, lengths))
    assert tags.dtype == np.int32 and tags.shape == (3, steps)
    for row, length in enumerate(lengths):
        each = all_scores(SCORES[row, :length])
        wanted = max(each, key=lambda tags: each[tags])
        assert tuple(tags[row, :length]) == wanted and not tags[row, length:].any()
        assert best[row] == pytest.approx(each[wanted], abs=1e-5)
        path, score = CRF.viterbi_decode(SCORES[row, :length], TRANSITIONS)
        assert tuple(path) == wanted and score == pytest.approx(each[wanted], abs=1e-5)


def test_the_variable_of_transitions_is_trained() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        found, transitions = CRF.crf_log_likelihood(SCORES[:3], TAGS[:3], LENGTHS[:3])
        assert transitions.op.name == "transitions" and transitions.shape.as_list() == [3, 3]
        loss = tf.reduce_mean(-found)
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(tf.global_variables_initializer())
        slope, values = session.run([tf.gradients(loss, transitions)[0], transitions])
        for place in ((0, 1), (2, 2)):
            near = []
            for change in (0.01, -0.01):
                moved = values.copy()
                moved[place] += change
                near.append(session.run(loss, {transitions: moved}))
            assert slope[place] == pytest.approx((near[0] - near[1]) / 0.02, abs=1e-3)
        before = session.run(loss)
        session.run(step)
        assert session.run(loss) < before


def test_what_does_not_fit_is_told() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match=r"shape \(5, 3\); they must be \(batch, steps, tags\)"):
            CRF.crf_log_norm(SCORES[0], LENGTHS, TRANSITIONS)
        with pytest.raises(ValueError, match="the number of tags, and must be known"):
            CRF.crf_log_likelihood(tf.placeholder(tf.float32, [None, None, None]), TAGS, LENGTHS)
    with pytest.raises(ValueError, match=r"score \(5,\) must be"):
        CRF.viterbi_decode(np.zeros(5), TRANSITIONS)
