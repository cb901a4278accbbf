"""A convolution and the bias that follows are one call, with the bits of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.config import jit
from penstock.runtime.execution.joined import biased_convolutions as module
from penstock.runtime.execution.joined.biased_convolutions import biased_convolutions
from penstock.runtime.kernels.convolution import fast_convolution

from ..kernels.fences import needs_the_tier

pytestmark = needs_the_tier
RNG = np.random.default_rng(3)
IMAGES = RNG.standard_normal((3, 12, 11, 5)).astype("f4")
FILTER = RNG.standard_normal((3, 3, 5, 20)).astype("f4")
BIAS = RNG.standard_normal(20).astype("f4")
IMAGES[0, 3, 4, 1], IMAGES[1, 5, 5, 0] = np.nan, np.inf


def graph(kind: str) -> tuple[Any, Any]:
    """A placeholder for images, and a convolution with a bias."""
    x = tf.placeholder(tf.float32, [None, 12, 11, 5])
    y, bias = tf.nn.conv2d(x, tf.constant(FILTER), 1, "SAME"), tf.Variable(BIAS)
    builders: dict[str, Callable[[], Any]] = {
        "bias_add": lambda: tf.nn.bias_add(y, bias),
        "y + bias": lambda: y + bias,
        "bias + y": lambda: bias + y,
        "relu": lambda: tf.nn.relu(tf.nn.bias_add(y, bias)),
        "relu, bias first": lambda: tf.nn.relu(bias + y),
    }
    return x, builders[kind]()


@pytest.mark.parametrize("kind", ["bias_add", "y + bias", "bias + y", "relu", "relu, bias first"])
def test_the_joined_call_gives_the_bits_of_both_steps(kind: str) -> None:
    jit.mode = "now"
    try:
        with tf.Graph().as_default(), tf.Session() as session:
            x, y = graph(kind)
            session.run(tf.global_variables_initializer())
            call = session.make_callable(y, [x])
            first = call(IMAGES)
            with patch.object(module, "conv2d_plus", side_effect=fast_convolution.conv2d_plus) as joined:
                for _ in range(8):
                    assert call(IMAGES).tobytes() == first.tobytes()
                assert joined.call_count > 0
                assert call(IMAGES[:2]).tobytes() == first[:2].tobytes()
                joined.side_effect = lambda *_: None  # where no loop serves the operands
                assert call(IMAGES).tobytes() == first.tobytes()
            assert "relu" not in kind or (first[~np.isnan(first)] >= 0).all()
            plain = np.asarray(session.run(y, {x: IMAGES[2:]}))
            assert np.allclose(plain, first[2:], equal_nan=True)
    finally:
        jit.mode = None


def positions(build: Any, more: Any = ()) -> list[int]:
    """Where a convolution and what `build` makes of it are one call."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 12, 11, 5])
        y = tf.nn.conv2d(x, tf.constant(FILTER), 1, "SAME")
        session.run(tf.global_variables_initializer())
        return biased_convolutions(session.plan([build(y), *[y for _ in more]], [x]))


def test_only_a_vector_that_is_added_to_a_convolution_of_one_reader_is_joined() -> None:
    assert positions(lambda y: y + tf.constant(BIAS)) != []
    assert positions(lambda y: tf.nn.relu(y + tf.constant(BIAS))) != []
    assert positions(lambda y: y + tf.constant(BIAS), [1]) == []  # it is fetched, too
    assert positions(lambda y: (y + tf.constant(BIAS)) * y) == []
    assert positions(lambda y: y + 1.0) == []
    assert positions(lambda y: y - tf.constant(BIAS)) == []
    assert positions(lambda y: tf.nn.relu(y)) == []
    assert positions(lambda y: y + y) == []
    assert positions(lambda y: tf.nn.relu(tf.constant(BIAS) + tf.nn.relu(y))) == []


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("channels", [1, 7, 16, 33, 64, 70])
def test_the_ending_of_the_loop_is_that_of_numpy(channels: int, dtype: str) -> None:
    x, w = IMAGES.astype(dtype), RNG.standard_normal((2, 3, 5, channels)).astype(dtype)
    bias = np.repeat(RNG.standard_normal(channels).astype(dtype), 2)[::2]
    attrs = ((1, 2, 1, 1), "SAME", (), "NHWC", (1, 1, 1, 1))
    with patch.object(fast_convolution, "FEWEST", 1):
        y = fast_convolution.conv2d(np, x, w, *attrs)
        for relu in (False, True):
            found = fast_convolution.conv2d_plus(x, w, bias, relu, *attrs)
            want = np.maximum(y + bias, 0) if relu else y + bias
            assert found.dtype == want.dtype
            same = (found == want) & (np.signbit(found) == np.signbit(want))
            assert (same | (np.isnan(found) & np.isnan(want))).all()
    assert fast_convolution.conv2d_plus(x, w, bias.astype("f2"), True, *attrs) is None
    assert fast_convolution.conv2d_plus(x, w, bias[:-1], True, *attrs) is None


def test_a_loop_along_the_taps_has_no_bias() -> None:
    x, w = np.ones((2, 9, 9, 32), "f4"), np.ones((3, 3, 32, 2), "f4")
    attrs = ((1, 1, 1, 1), "SAME", (), "NHWC", (1, 1, 1, 1))
    assert fast_convolution.conv2d(np, x, w, *attrs) is not None
    assert fast_convolution.conv2d_plus(x, w, np.ones(2, "f4"), True, *attrs) is None
