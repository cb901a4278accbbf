"""Fake quantization gives the levels that TensorFlow 2.21 gives, and passes gradients through between the ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

X = np.append(np.linspace(-8, 8, 9), np.nan).astype("f4")
RECORDED: list[tuple[dict[str, Any], list[float], list[int]]] = [
    ({}, [-6.023529529571533, -5.976470470428467, -4.0, -1.9764705896377563, 0.0, 2.023529529571533, 4.0,
          5.976470470428467, 5.976470470428467], [0, 1, 1, 1, 1, 1, 1, 0, 0]),
    ({"min": 0.0, "max": 6.0, "num_bits": 4}, [0, 0, 0, 0, 0, 2, 4, 6, 6], [0, 0, 0, 0, 1, 1, 1, 1, 0]),
    ({"min": 1, "max": 7, "num_bits": 3, "narrow_range": True}, [0, 0, 0, 0, 0, 2, 4, 6, 6],
     [0, 0, 0, 0, 1, 1, 1, 1, 0]),
    ({"min": -7.0, "max": -1.0}, [-6, -6, -4, -2, 0, 0, 0, 0, 0], [0, 1, 1, 1, 1, 0, 0, 0, 0]),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "values", "gradients"), RECORDED)
def test_levels_and_gradients_are_tensorflows(
    arguments: dict[str, Any], values: list[float], gradients: list[int]
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [10])
        y = tf.fake_quant_with_min_max_args(x, **arguments)
        (slope,) = tf.gradients(y, x, 3.0 * tf.ones_like(y))
        (second,) = tf.gradients(tf.gradients(y, x, tf.square(x)), x)
        found = session.run([y, slope, second], {x: X})
    assert found[0].tolist()[:9] == values and np.isnan(found[0][9])
    assert found[1].tolist() == [*[3.0 * g for g in gradients], 0.0]
    assert found[2].tolist()[:9] == [2.0 * g * v for g, v in zip(gradients, X.tolist()[:9], strict=True)]


@pytest.mark.parametrize(("arguments", "words"), [
    ({"min": 1.0, "max": 1.0}, "min has to be smaller than max, was: 1 >= 1"),
    ({"num_bits": 1}, "num_bits must be between 2 and 16, inclusive, got 1"),
    ({"num_bits": 17}, "num_bits must be between 2 and 16, inclusive, got 17"),
])  # fmt: skip
def test_levels_that_cannot_be_are_refused(arguments: dict[str, Any], words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        tf.fake_quant_with_min_max_args([1.0], **arguments)
