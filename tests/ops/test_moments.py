"""Variances and moments against NumPy's in float64."""

from typing import Any

import numpy as np
import pytest

import penstock as tf

from .index_cases import run

ABOUT = {"f2": 2e-3, "bfloat16": 2e-2, "f4": 1e-6, "f8": 1e-12}


@pytest.mark.parametrize("dtype", sorted(ABOUT))
@pytest.mark.parametrize("axis", [None, 0, [-1, 0], []])
def test_variance_deviation_and_moments_are_those_of_float64(dtype: str, axis: Any) -> None:
    real = tf.bfloat16.np if dtype == "bfloat16" else np.dtype(dtype)
    x = np.random.default_rng(5).normal(3, 2, (5, 4, 3)).astype(real)
    exact, axes = x.astype("f8"), tuple(range(3)) if axis is None else tuple(np.atleast_1d(axis).astype(int).tolist())
    variance = run(lambda t: tf.reduce_variance(t, axis), x)
    deviation = run(lambda t: tf.reduce_std(t, axis, keepdims=True), x)
    mean, again = run(lambda t: tf.moments(t, list(range(3)) if axis is None else axis), x, known=False)
    near: Any = {"rtol": 5 * ABOUT[dtype], "atol": 5 * ABOUT[dtype]}
    np.testing.assert_allclose(variance.astype("f8"), exact.var(axes), **near)
    np.testing.assert_allclose(deviation.astype("f8"), exact.std(axes, keepdims=True), **near)
    np.testing.assert_allclose(mean.astype("f8"), exact.mean(axes), **near)
    np.testing.assert_allclose(again.astype("f8"), exact.var(axes), **near)
    assert variance.dtype == deviation.dtype == mean.dtype == again.dtype == real


def test_the_variance_of_complex_numbers_is_a_float() -> None:
    x = np.array([1 + 2j, 3 - 1j, 0], "c8")
    assert run(tf.reduce_variance, x) == pytest.approx(x.var())
    assert run(tf.reduce_std, x).dtype == np.float32


def test_the_variance_of_nothing_is_nan() -> None:
    assert np.isnan(run(tf.reduce_variance, np.zeros((0, 2), "f4")))
    assert np.isnan(run(lambda t: tf.moments(t, [0]), np.zeros((0, 2), "f4"))[1]).all()


def test_ints_are_refused_where_tensorflow_refuses_them() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="Input must be either real or complex"):
        tf.reduce_std([1, 2, 3])


def test_moments_keep_names_of_sizes() -> None:
    with tf.Graph().as_default():
        mean, variance = tf.moments(tf.placeholder(tf.float16, ["batch", "n"]), 0, keepdims=True)
        assert str(mean.shape) == str(variance.shape) == "(1, n)"
