"""Spectrograms: TensorFlow 2.21's numbers, NumPy's transforms, and signals that come back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

SIGNAL: Any = tf.signal
X = np.random.RandomState(0).rand(2, 101).astype("f")


def value(tensor: Any) -> Any:
    with tf.Session() as session:
        return session.run(tensor)


def test_windows_are_tensorflows() -> None:
    with tf.Graph().as_default():
        assert value(SIGNAL.hann_window(1)).tolist() == [1.0]
        open_ended = value(SIGNAL.hann_window(8, periodic=False))
        np.testing.assert_allclose(open_ended[:4], [0.0, 0.18826, 0.61126, 0.95048], atol=2e-5)
        np.testing.assert_allclose(value(SIGNAL.hamming_window(6)), [0.08, 0.31, 0.77, 1.0, 0.77, 0.31], atol=1e-6)
        np.testing.assert_allclose(value(SIGNAL.hann_window(5)), [0, 0.5, 1, 0.5, 0], atol=1e-6)


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("pad_end", [False, True])
def test_frames_of_any_axis(is_known: bool, pad_end: bool) -> None:
    x = np.arange(42).reshape(2, 7, 3)
    filled = np.pad(x, [[0, 0], [0, 1 if pad_end else 0], [0, 0]], constant_values=9)
    expected = np.stack([filled[:, start : start + 4] for start in range(0, filled.shape[1] - 3, 2)], 1)
    if pad_end:
        last = np.pad(x[:, 6:], [[0, 0], [0, 3], [0, 0]], constant_values=9)
        expected = np.concatenate([expected, last[:, None]], 1)
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.int64, x.shape if is_known else [None, None, None])
        frames = SIGNAL.frame(fed, 4, 2, pad_end=pad_end, pad_value=9, axis=1)
        assert frames.shape.is_compatible_with(expected.shape)
        np.testing.assert_array_equal(session.run(frames, {fed: x}), expected)


def test_a_spectrogram_is_numpys_and_comes_back() -> None:
    with tf.Graph().as_default():
        spectrum = SIGNAL.stft(X, 20, 8)
        window = np.hanning(21)[:20]
        expected = np.stack([np.fft.rfft(X[:, s : s + 20] * window, 32) for s in range(0, 82, 8)], 1)
        np.testing.assert_allclose(value(spectrum), expected, atol=1e-5)
        back = SIGNAL.inverse_stft(spectrum, 20, 8, window_fn=SIGNAL.inverse_stft_window_fn(8))
        np.testing.assert_allclose(value(back)[:, 16:80], X[:, 16:80], atol=1e-5)
        summed = value(tf.reduce_sum(tf.abs(spectrum)))
        np.testing.assert_allclose(summed, 448.121, rtol=1e-5)  # TensorFlow 2.21's
        signal = tf.constant(X)
        power = tf.reduce_sum(SIGNAL.frame(signal, 16, 4) ** 2)
        np.testing.assert_allclose(value(tf.gradients(power, signal)[0])[:, 12:80], 4 * 2 * X[:, 12:80], rtol=1e-5)


def test_pitches_and_coefficients_are_tensorflows() -> None:
    rng = np.random.RandomState(0)
    rng.rand(2, 101)
    pitches = rng.rand(2, 3, 7).astype("f")
    with tf.Graph().as_default():
        np.testing.assert_allclose(value(SIGNAL.linear_to_mel_weight_matrix()).sum(), 110.801, rtol=1e-5)
        coefficients = np.abs(value(SIGNAL.mfccs_from_log_mel_spectrograms(pitches)))
        np.testing.assert_allclose(coefficients.ravel()[:3], [1.23953, 0.34916, 0.24507], atol=2e-5)
        np.testing.assert_allclose(coefficients.sum(), 18.954, atol=2e-3)


def test_a_short_signal_is_completed_with_zeros() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, [None, None])
        for signal in (tf.constant(X[:, :5]), fed):
            given = {fed: X[:, :5]}
            spectrum = session.run(tf.signal.rfft(signal, [8]), given)
            np.testing.assert_allclose(spectrum, np.fft.rfft(X[:, :5], 8), atol=1e-5)
        half = np.fft.rfft(X[:, :5]).astype("c8")
        np.testing.assert_allclose(session.run(tf.signal.irfft(half, [8])), np.fft.irfft(half, 8), atol=1e-6)
        plane = session.run(tf.signal.rfft2d(X[:, :4], [3, 6]))
        np.testing.assert_allclose(plane, np.fft.rfft2(X[:, :4], [3, 6]), atol=1e-5)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: SIGNAL.stft(X, 16, 0), "frame_step is 0; it must be an int above 0"),
        (lambda: SIGNAL.frame(X, 4, 2, axis=2), "must be known and have that axis"),
        (lambda: SIGNAL.overlap_and_add(tf.placeholder(tf.float32, [2, None]), 3), "frame_length that is known"),
        (lambda: SIGNAL.linear_to_mel_weight_matrix(upper_edge_hertz=5000.0), "between 0 and sample_rate / 2"),
        (lambda: SIGNAL.mfccs_from_log_mel_spectrograms(tf.zeros([2, 0])), "num_mel_bins must be known and positive"),
    ],
)
def test_what_cannot_be_is_said(build: Any, words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        build()
