"""Fractional pooling: windows cover the input, other runs have other windows, wrong arguments are told.

Seeded calls stand beside TensorFlow's in `tests/fuzz/test_single_calls_beside_tensorflow.py`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

IMAGES = np.random.RandomState(0).rand(2, 9, 11, 3).astype("f4")


def test_windows_have_two_neighbouring_sizes_and_cover_all() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        pooled = tf.nn.fractional_max_pool(IMAGES, [1.0, 1.4, 1.7, 1.0], pseudo_random=True)
        for _ in range(20):
            _, rows, columns = session.run(pooled)
            for places, size in ((rows, 9), (columns, 11)):
                assert (places[0], places[-1]) == (0, size)
                assert set(np.diff(places)) <= {1, 2}


def test_each_run_has_other_windows_unless_they_are_deterministic() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        ratio = [1.0, 1.4, 1.7, 1.0]
        free = tf.nn.fractional_avg_pool(IMAGES, ratio).row_pooling_sequence
        fixed = tf.nn.fractional_avg_pool(IMAGES, ratio, deterministic=True).row_pooling_sequence
        assert len({tuple(session.run(free)) for _ in range(30)}) > 1
        assert len({tuple(session.run(fixed)) for _ in range(5)}) == 1


def test_the_result_and_its_sequences_are_of_one_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(IMAGES)
        pooled = tf.nn.fractional_max_pool(x, [1.0, 1.4, 1.7, 1.0])
        (slope,) = tf.gradients(pooled.output, x)
        output, rows, columns, g = session.run([*pooled, slope])
        want = [[IMAGES[:, a:b, c:d].max((1, 2)) for c, d in pairwise(columns)]
                for a, b in pairwise(rows)]  # fmt: skip
        np.testing.assert_array_equal(output, np.array(want).transpose(2, 0, 1, 3))
        assert g.sum() == output.size


def test_static_shapes_are_known() -> None:
    with tf.Graph().as_default():
        pooled = tf.nn.fractional_max_pool(tf.placeholder(tf.float32, ["n", 9, 11, 3]), [1.0, 1.4, 1.7, 1.0])
        assert [str(each.shape) for each in pooled] == ["(n, 6, 6, 3)", "(7,)", "(7,)"]


@pytest.mark.parametrize(("ratio", "options", "words"), [
    ([1.0, 0.5, 1.0, 1.0], {}, "numbers of at least 1"),
    ([1.0, 2.0, 1.0], {}, "must be"),
    ([2.0, 2.0, 1.0, 1.0], {}, r"must be \[1.0, of the height, of the width, 1.0\]"),
    ([1.0, 1.5, 1.5, 1.0], {"seed": 3}, "Both seed and seed2 should be 0 if deterministic is false"),
    ([1.0, 10.0, 1.5, 1.0], {}, "leaves none"),
])  # fmt: skip
def test_wrong_arguments_are_told(ratio: Any, options: Any, words: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises((ValueError, tf.errors.OpError), match=words):
        session.run(tf.nn.fractional_max_pool(IMAGES, ratio, **options))
