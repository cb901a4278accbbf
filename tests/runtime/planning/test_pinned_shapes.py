"""Names that `set_shape` gives to sizes are compared with what they stand for in the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


# ---- what variables give -------------------------------------------------------------------------


def variable_of_any_shape() -> tuple[tf.Variable, tf.Tensor]:
    """A variable whose shape is not checked, and what its initial value is fed to."""
    start = tf.placeholder(tf.float32, name="start")
    return tf.Variable(start, validate_shape=False, name="v"), start


OF_VARIABLES: dict[str, Callable[[Any, Any], Any]] = {
    "value": lambda v, given: v.value(),
    "read_value": lambda v, given: v.read_value(),
    "identity": lambda v, given: tf.identity(v),
    "read after a write": lambda v, given: after([tf.assign(v, given, validate_shape=False)], v.read_value),
    "assign": lambda v, given: tf.assign(v, given, validate_shape=False),
    "assign_add": lambda v, given: v.assign_add(given),
    "initialized_value": lambda v, given: v.initialized_value(),
    "scatter": lambda v, given: tf.scatter_add(v, [0], given[:1]),
}


def after(controls: list[Any], make: Any) -> Any:
    with tf.control_dependencies(controls):
        return make()


@pytest.mark.parametrize("is_inside", [False, True], ids=["", "in a branch"])
@pytest.mark.parametrize("kind", OF_VARIABLES)
def test_what_is_said_of_a_variable_s_value_is_checked(kind: str, is_inside: bool, session: tf.Session) -> None:
    v, start = variable_of_any_shape()
    given = tf.placeholder(tf.float32)

    def doubled() -> Any:
        made = OF_VARIABLES[kind](v, given)
        made.set_shape([3])
        return made * 2.0

    result = tf.cond(tf.size(given) > 0, doubled, lambda: tf.zeros([3])) if is_inside else doubled()
    assert result.shape == tf.TensorShape([3])
    for size in (3, 2):
        feeds = {given: np.ones(size), start: np.ones(size)}
        session.run(v.initializer, feeds)
        if size == 3:
            assert session.run(result, feeds).shape == (3,)
            continue
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"set_shape said .* has shape \(3,\), but the run"):
            session.run(result, feeds)


def test_a_name_given_to_the_size_of_a_variable_is_that_of_the_feeds(session: tf.Session) -> None:
    v, start = variable_of_any_shape()
    x = tf.placeholder(tf.float32, ["n"], name="x")
    read = v.read_value()
    read.set_shape(["n"])
    session.run(v.initializer, {start: [1.0, 2.0]})
    assert session.run(read + x, {x: [10.0, 20.0]}).tolist() == [11, 22]
    with pytest.raises(tf.errors.InvalidArgumentError, match="n is 1"):
        session.run(read + x, {x: [10.0]})


def test_a_fed_variable_is_not_what_was_said_of_its_value(session: tf.Session) -> None:
    """The feed stands for the variable: what is said of the read holds for it too."""
    v, _ = variable_of_any_shape()
    read = v.read_value()
    read.set_shape([2])
    assert session.run(read * 2.0, {v: [1.0, 2.0]}).tolist() == [2, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \(2,\), but the run gave \(3,\)"):
        session.run(read * 2.0, {v: [1.0, 2.0, 3.0]})
