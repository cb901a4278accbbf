"""Names that `set_shape` gives to sizes are compared with what they stand for in the run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf

CONFIGS = {
    "default": tf.SessionConfig(),
    "no passes": tf.SessionConfig(passes=()),
    "threads": tf.SessionConfig(threads=2),
    "checked": tf.SessionConfig(check=True),
}


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


@pytest.fixture(params=list(CONFIGS.values()), ids=list(CONFIGS))
def session(request: pytest.FixtureRequest) -> tf.Session:
    config: tf.SessionConfig = request.param
    return tf.Session(config=config)


def kept(x: Any, above: float) -> Any:
    return tf.boolean_mask(x, x > above, name="kept")


def test_a_name_given_to_a_computed_size_is_that_of_the_feeds(session: tf.Session) -> None:
    x, y = tf.placeholder(tf.float32, [None], name="x"), tf.placeholder(tf.float32, ["m"], name="y")
    some = kept(x, 1.0)
    some.set_shape(["m"])
    total = some + y
    assert total.shape == tf.TensorShape(["m"])
    assert session.run(total, {x: [0, 2, 3], y: [10, 20]}).tolist() == [12, 23]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"gave 1 for dimension 0, and m is 2 \(m is y:0's"):
        session.run(total, {x: [0, 2], y: [10, 20]})
    assert session.run(total, {x: [5, 2, 3], y: [1, 2, 3]}).tolist() == [6, 4, 6]


def test_two_computed_sizes_of_one_name_are_equal(session: tf.Session) -> None:
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    a, b = kept(x, 1.0), kept(y, 1.0)
    a.set_shape(["m"])
    b.set_shape(["m"])
    assert session.run(a * b, {x: [2, 0], y: [3]}).tolist() == [6]
    with pytest.raises(tf.errors.InvalidArgumentError, match="m is 2"):
        session.run(a * b, {x: [2, 3], y: [3]})


def test_an_expression_is_worked_out(session: tf.Session) -> None:
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, ["m"], name="y")
    a = kept(x, 1.0)
    a.set_shape([2 * tf.Dimension("m") + 1])
    fetches = [a, y]
    session.run(fetches, {x: [2, 3, 4], y: [1]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="is 5"):
        session.run(fetches, {x: [2, 3, 4], y: [1, 2]})


def test_one_name_twice_in_a_shape_is_one_size(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, name="x")
    y = tf.transpose(x)
    y.set_shape(["m", "m"])
    session.run(y, {x: np.zeros((3, 3), "f4")})
    with pytest.raises(tf.errors.InvalidArgumentError, match="gave 2 for dimension 1, and m is 3"):
        session.run(y, {x: np.zeros((2, 3), "f4")})


def test_outputs_of_one_step_are_compared_with_one_another(session: tf.Session) -> None:
    x, p = tf.placeholder(tf.float32, ["n"], name="x"), tf.placeholder(tf.int32, ["n"], name="p")
    parts = tf.dynamic_partition(x, p, 2)
    for part in parts:
        part.set_shape(["m"])
    whole = tf.identity(tf.concat(0, [parts[0], parts[1]]))
    session.run(whole, {x: [1, 2], p: [0, 1]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="m is 2"):
        session.run(whole, {x: [1, 2, 3], p: [0, 1, 0]})


def test_a_feed_that_no_step_reads_any_more_is_still_compared_with(session: tf.Session) -> None:
    x, count = tf.placeholder(tf.float32, ["batch"], name="x"), tf.placeholder(tf.int32, [], name="count")
    total = tf.reduce_sum(tf.cumsum(x), keepdims=True)
    rows = tf.tile(total, tf.stack([count]))
    rows.set_shape(["batch"])
    doubled = rows * 2.0
    assert session.run(doubled, {x: [1, 2], count: 2}).tolist() == [8, 8]
    with pytest.raises(tf.errors.InvalidArgumentError, match="gave 3 for dimension 0, and batch is 2"):
        session.run(doubled, {x: [1, 2], count: 3})
