"""The gradient of a maximum and that of the relu before it are one call, with the bits of two."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.config import jit
from penstock.runtime.execution.joined import masked_pool_gradients as module
from penstock.runtime.execution.joined.masked_pool_gradients import masked_pool_gradients
from penstock.runtime.kernels.convolution import fast_pooling

from ..kernels.fences import needs_the_tier

pytestmark = needs_the_tier
RNG = np.random.default_rng(4)
IMAGES = RNG.integers(-3, 3, (4, 24, 22, 40)).astype("f4")
IMAGES[RNG.random(IMAGES.shape) < 0.02] = np.nan
IMAGES[0, :4] = -np.inf
WEIGHTS = RNG.integers(-2, 3, (4, 12, 11, 40)).astype("f4")


def gradient(x: Any, window: int = 2, stride: int = 2) -> Any:
    """The gradient of a weighted sum of maxima of a relu."""
    y = tf.nn.max_pool(tf.nn.relu(x), [1, window, window, 1], [1, stride, stride, 1], "SAME")
    return tf.gradients(y, x, tf.constant(WEIGHTS))[0]


@pytest.mark.parametrize("window", [1, 2, 3])
def test_the_joined_call_gives_the_bits_of_both_steps(window: int) -> None:
    jit.mode = "now"
    try:
        with tf.Graph().as_default(), tf.Session() as session, np.errstate(invalid="ignore"):
            x = tf.placeholder(tf.float32, [None, 24, 22, 40])
            dx = gradient(x, window)
            call = session.make_callable(dx, [x])
            first = call(IMAGES)
            with patch.object(
                module, "max_pool_gradient_of_relu", side_effect=fast_pooling.max_pool_gradient_of_relu
            ) as joined:
                for _ in range(8):
                    assert call(IMAGES).tobytes() == first.tobytes()
                assert joined.call_count > 0
                joined.side_effect = lambda *_: None  # where no loop serves the operands
                assert call(IMAGES).tobytes() == first.tobytes()
            jit.mode = "off"
            assert np.asarray(session.run(dx, {x: IMAGES})).tobytes() == first.tobytes()
    finally:
        jit.mode = None


def test_windows_that_overlap_are_two_steps() -> None:
    x, y = np.maximum(IMAGES, 0), np.zeros((4, 12, 11, 40), "f4")
    attrs = ((1, 3, 3, 1), (1, 2, 2, 1), "SAME", (), "NHWC")
    assert fast_pooling.max_pool_gradient_of_relu(x, y, WEIGHTS, *attrs) is None


def test_only_the_gradient_of_the_relu_of_what_was_pooled_is_joined() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [4, 24, 22, 40])
        assert len(masked_pool_gradients(session.plan(gradient(x), [x]))) == 1
        pooled = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        alone = tf.gradients(pooled, x, tf.constant(WEIGHTS))[0]
        assert masked_pool_gradients(session.plan(alone, [x])) == []
        assert masked_pool_gradients(session.plan([gradient(x), alone], [x])) != []
