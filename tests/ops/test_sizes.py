"""Sizes that no array can have, and arrays of one element where one number is asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor

HUGE = 1 << 62
TOO_LARGE: dict[str, tuple[Callable[[Tensor], Tensor], Any]] = {
    "zeros": (tf.zeros, [HUGE, HUGE]),
    "no elements": (tf.zeros, [0, HUGE, HUGE]),
    "fill": (lambda s: tf.fill(s, "x"), [HUGE]),
    "reshape": (lambda s: tf.reshape(tf.ones([4]), s), [HUGE, HUGE]),
    "reshape of nothing": (lambda s: tf.reshape(tf.ones([0]), s), [0, HUGE, HUGE]),
    "tile": (lambda s: tf.tile(tf.ones([4, 4]), s), [HUGE, HUGE]),
    "pad": (lambda s: tf.pad(tf.ones([4]), s), [[HUGE, HUGE]]),
    "range": (tf.range, HUGE),
    "range of floats": (lambda s: tf.range(tf.cast(s, tf.float64) * 1e30), HUGE),
    "scatter_nd": (lambda s: tf.scatter_nd(tf.constant([[0]], tf.int64), tf.ones([1, 4]), s), [HUGE, 4]),
    "linspace": (lambda s: tf.linspace(0.0, 1.0, s), HUGE),
}


@pytest.mark.parametrize("name", TOO_LARGE)
@pytest.mark.parametrize("passes", [(), None])
def test_a_size_that_no_array_can_have_is_an_error_of_the_node(name: str, passes: tuple[str, ...] | None) -> None:
    make, value = TOO_LARGE[name]
    config = tf.SessionConfig() if passes is None else tf.SessionConfig(passes=passes)
    with tf.Graph().as_default() as graph:
        given = tf.placeholder(tf.int64, np.shape(value))
        result = make(given)
        with (
            tf.Session(graph=graph, config=config) as session,
            pytest.raises(tf.errors.InvalidArgumentError, match=r"more than 2\*\*63 - 1 bytes[\s\S]*in node"),
        ):
            session.run(result, {given: value})


def test_a_constant_of_an_impossible_size_is_refused_while_building() -> None:
    with tf.Graph().as_default() as graph:
        for shape in ([HUGE, HUGE], 1 << 70):
            with pytest.raises(ValueError, match="more than 2\\*\\*63 - 1 bytes"):
                tf.constant(1.0, shape=shape)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="made while the graph is built"):
            tf.constant(1.0, shape=[1 << 45])
        assert len(graph) == 0


# ---- one number ---------------------------------------------------------------------------------

X = np.arange(12, dtype="f4").reshape(3, 4)
SCALARS: dict[str, tuple[Callable[[Tensor], Any], Any, bool]] = {
    # what is asked for one number, a good one, whether TensorFlow takes a vector of one too
    "split": (lambda k: tf.split(k, 2, X), 1, False),
    "one_hot": (lambda k: tf.one_hot([1, 2], k), 3, False),
    "getitem": (lambda k: tf.constant(X)[k], 1, False),
    "getitem start": (lambda k: tf.constant(X)[k:], 1, False),
    "getitem step": (lambda k: tf.constant(X)[::k], 1, False),
    "boolean_mask": (lambda k: tf.boolean_mask(X, [True] * 4, axis=k), 1, False),
    "argmax": (lambda k: tf.argmax(X, k), 1, False),
    "cumsum": (lambda k: tf.cumsum(X, k), 1, False),
    "concat": (lambda k: tf.concat(k, [X, X]), 1, True),
    "range": (tf.range, 3, True),
    "range start": (lambda k: tf.range(k, 5), 3, True),
    "range delta": (lambda k: tf.range(0, 5, k), 3, True),
    "fill": (lambda k: tf.fill([2], k), 3, True),
    "linspace": (lambda k: tf.linspace(0.0, 1.0, k), 3, True),
}


@pytest.mark.parametrize("name", SCALARS)
def test_an_array_of_one_element_passes_for_a_number_where_tensorflow_takes_it_and_nowhere_else(name: str) -> None:
    make, good, vector = SCALARS[name]
    with tf.Graph().as_default() as graph:
        given = tf.placeholder(tf.int32, None)
        result = make(given)
        with tf.Session(graph=graph) as session:
            want = session.run(result, {given: good})
            for value, taken in (([good], vector), ([[good]], False), ([good, good], False), ([], False)):
                if taken:
                    np.testing.assert_array_equal(session.run(result, {given: value}), want)
                    continue
                with pytest.raises(tf.errors.InvalidArgumentError, match="in node"):
                    session.run(result, {given: value})


@pytest.mark.parametrize("name", [n for n in SCALARS if n != "cumsum"])
def test_an_array_is_refused_while_building_where_its_rank_is_known(name: str) -> None:
    with tf.Graph().as_default(), pytest.raises((ValueError, TypeError)):
        SCALARS[name][0](tf.placeholder(tf.int32, [1]))
