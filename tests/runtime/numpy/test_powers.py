"""Powers have the same bits however the work is cut, though NumPy takes one exponent and many in different ways."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.numpy.interpreter import TILE


@pytest.fixture(params=["off", "now"])
def _mode(request: pytest.FixtureRequest) -> Iterator[None]:
    before = jit.mode
    jit.mode = request.param
    yield
    jit.mode = before


@pytest.mark.usefixtures("_mode")
@pytest.mark.parametrize("exponent", [-1, 0.5, 2, 3])
@pytest.mark.parametrize("count", [1, 2, 50, TILE // 4 + 1, 2 * (TILE // 4) + 1])  # a tile of one element is left over
def test_powers_have_the_same_bits_alone_and_in_groups(count: int, exponent: float) -> None:
    x = (np.random.default_rng(0).random(count) * 5 + 0.1).astype("f4")
    for shape in ((), (1,), (1, 1), (count,)):
        with tf.Graph().as_default() as graph:
            base, power = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None] * len(shape))
            result = tf.pow(base, power) * 2.0 + base
        feed = {base: x, power: np.full(shape, exponent, "f4")}
        found = []
        for passes in ((), None):
            with tf.Session(graph=graph, config=tf.SessionConfig(passes=passes)) as session:
                found.append(session.run(result, feed))
        assert np.array_equal(*found), shape
