"""Tests that the values of a first run are converted once, although they are checked before planning."""

import warnings

import pytest

import penstock as tf
from penstock.runtime.arguments.feed_values import feed_array


def test_the_feeds_of_a_new_plan_are_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    converted: list[object] = []
    def counted(tensor: tf.Tensor, value: object) -> object:
        if isinstance(value, list):
            converted.append(value)
        return feed_array(tensor, value)

    monkeypatch.setattr("penstock.runtime.arguments.feeds.feed_array", counted)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, ["n"], name="x")
        y = tf.negative(x, name="y")
    with tf.Session(graph=graph) as session:
        assert session.run(y, {x: [1, 2, 3]}).tolist() == [-1, -2, -3]
        assert len(converted) == 1
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert session.run([y, x], {x: [1.5]})[0].tolist() == [-1]
        assert len(caught) == 1
