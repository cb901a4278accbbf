"""A beam that loses nothing finds the most probable label sequences, over all alignments; errors say what is wrong."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf


def decode(logits: Any, lengths: Any, **options: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        decoded, scores = tf.nn.ctc_beam_search_decoder(tf.constant(logits), lengths, **options)
        return session.run([decoded, scores])


def test_a_wide_beam_finds_the_sums_over_all_paths() -> None:
    logits = np.random.RandomState(4).randn(5, 1, 3)
    p = np.exp(logits[:, 0]) / np.exp(logits[:, 0]).sum(1, keepdims=True)
    totals: dict[tuple[int, ...], float] = defaultdict(float)
    for path in np.ndindex(3, 3, 3, 3, 3):
        labels = tuple(c for i, c in enumerate(path) if (i == 0 or c != path[i - 1]) and c != 2)
        totals[labels] += float(np.prod(p[range(5), path]))
    best = sorted(totals, key=lambda labels: -totals[labels])[:6]
    decoded, scores = decode(logits, [5], beam_width=300, top_paths=6, merge_repeated=False)
    assert [tuple(each.values.tolist()) for each in decoded] == best
    np.testing.assert_allclose(np.exp(scores[0]), [totals[labels] for labels in best], rtol=1e-12)


def test_merging_joins_labels_with_a_blank_between_them() -> None:
    logits = np.array([[[5.0, 0, 0]], [[0, 0, 5.0]], [[5.0, 0, 0]]])
    for merge, labels in ((True, [0]), (False, [0, 0])):
        assert decode(logits, [3], merge_repeated=merge)[0][0].values.tolist() == labels


def test_a_sequence_without_steps_has_no_labels() -> None:
    (first,), scores = decode(np.random.RandomState(0).randn(3, 2, 4), [3, 0], beam_width=4)
    assert (first.indices[:, 0] == 0).all()
    assert first.dense_shape[0] == 2
    assert scores[1] == [0.0]


@pytest.mark.parametrize(("shape", "lengths", "options", "words"), [
    ((4, 2, 3), [4, 5], {}, r"sequence_length\(1\) <= 4"),
    ((4, 2, 3), [4], {}, "There is one length for each sequence"),
    ((4, 2, 3), [4, 2], {"beam_width": 2, "top_paths": 3}, "more paths than the beam width: 3 > 2"),
    ((4, 2, 3), [4, 0], {"top_paths": 2}, "Less leaves .* sequence 1 of length 0 has 1, not 2"),
    ((4, 2, 3), [4, 2], {"beam_width": 0}, "beam_width must not be less than minimum 1"),
    ((4, 2, 3), [4, 2], {"top_paths": 0}, "top_paths must not be less than minimum 1"),
    ((4, 2, 0), [4, 2], {}, "inputs must not be empty"),
    ((4, 2), [4, 2], {}, "rank"),
])  # fmt: skip
def test_what_cannot_be_decoded_is_refused(shape: Any, lengths: Any, options: Any, words: str) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        decode(np.zeros(shape, "f4"), lengths, **options)


def test_the_second_version_does_not_merge() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        logits = [[[5.0, 0, 0]], [[0, 0, 5.0]], [[5.0, 0, 0]]]
        decoded, scores = tf.nn.ctc_beam_search_decoder_v2(logits, [3], top_paths=2)
        assert session.run(decoded[0]).values.tolist() == [0, 0]
        assert scores.shape.as_list() == [1, 2]
