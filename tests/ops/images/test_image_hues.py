"""Hues and saturations of images beside Python's colorsys and what TensorFlow 2.21 computes."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np
import pytest

import penstock as tf

PIXELS = np.random.RandomState(5).rand(40, 3).astype(np.float32)
PIXELS[:5] = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.5, 0.5, 0.5], [1.0, 0.0, 0.0], [0.0, 0.2, 1.0]]
BYTES = np.array([[[255, 0, 0], [10, 200, 30]], [[7, 8, 250], [128, 128, 128]]], np.uint8)
RECORDED = {
    "hue": [[[0, 255, 204], [182, 10, 200]], [[250, 200, 7], [128, 128, 128]]],
    "saturation": [[[255, 127, 127], [105, 200, 115]], [[128, 129, 250], [128, 128, 128]]],
    "gamma": [[[255, 0, 0], [1, 177, 10]], [[1, 1, 248], [90, 90, 90]]],
}
"""TensorFlow 2.21: adjust_hue(BYTES, 0.4667), adjust_saturation(BYTES, 0.5), adjust_gamma(BYTES, 1.5)."""


def run(call: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(call())


def test_conversions_are_those_of_colorsys() -> None:
    hsv = np.array([colorsys.rgb_to_hsv(*map(float, pixel)) for pixel in PIXELS])
    assert np.allclose(run(lambda: tf.image.rgb_to_hsv(PIXELS)), hsv, atol=1e-5)
    assert np.allclose(run(lambda: tf.image.hsv_to_rgb(hsv.astype(np.float32))), PIXELS, atol=1e-5)


def test_a_whole_turn_changes_nothing() -> None:
    for delta in (1.0, -1.0, 0.0):
        assert np.allclose(run(lambda delta=delta: tf.image.adjust_hue(PIXELS, delta)), PIXELS, atol=1e-5)


def test_random_ones_stay_in_their_bounds() -> None:
    red = np.array([[[1.0, 0.0, 0.0]]], np.float32)
    for seed in range(5):
        hue = run(lambda seed=seed: tf.image.rgb_to_hsv(tf.image.random_hue(red, 0.1, seed)))[0, 0, 0]
        assert min(hue, 1 - hue) <= 0.1001
        kept = run(lambda seed=seed: tf.image.rgb_to_hsv(tf.image.random_saturation(red, 0.2, 0.6, seed)))[0, 0, 1]
        assert 0.1999 <= kept <= 0.6001


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.image.rgb_to_hsv([1.0, 2.0]), "the last dimension must be 3"),
        (lambda: tf.image.adjust_hue([[1.0]], 0.1), "the last dimension must be 3"),
        (lambda: tf.image.random_hue(PIXELS, 0.6), "max_delta must be <= 0.5, but is 0.6"),
        (lambda: tf.image.random_hue(PIXELS, -0.1), "non-negative"),
        (lambda: tf.image.random_saturation(PIXELS, 0.5, 0.5), "upper must be > lower"),
        (lambda: tf.image.random_saturation(PIXELS, -0.5, 0.5), "non-negative"),
        (lambda: tf.image.adjust_gamma(PIXELS, -1), "Gamma should be a non-negative"),
    ],
)
def test_wrong_arguments(call: Any, words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("hue", lambda: tf.image.adjust_hue(BYTES, 0.4667)),
        ("saturation", lambda: tf.image.adjust_saturation(BYTES, 0.5)),
        ("gamma", lambda: tf.image.adjust_gamma(BYTES, 1.5)),
    ],
)
def test_bytes_are_what_tensorflow_computes(name: str, call: Any) -> None:
    assert np.abs(run(call).astype(int) - np.array(RECORDED[name])).max() <= 1
