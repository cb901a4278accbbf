"""A named size that meets a 1 and is in the result twice: `(rows, 1) - (rows,)` is warned of, what is meant is not."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import penstock as tf
from penstock.compat import v1


@pytest.fixture(autouse=True)
def in_a_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def labels(*sizes: Any) -> tf.Tensor:
    return tf.placeholder(tf.float32, list(sizes or ["rows"]), name="labels")


def column() -> tf.Tensor:
    features = tf.placeholder(tf.float32, ["rows", 3], name="features")
    return tf.matmul(features, tf.ones([3, 1]), name="predictions")


def warned(call: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(each.category is tf.MistakeWarning and each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught]


def test_the_warning_names_shapes_both_lines_and_the_cure() -> None:
    y, y_hat = labels(), column()
    (text,) = warned(lambda: y_hat - y)
    first, x_line, y_line, cure = text.split("\n  ")
    assert first == "subtract: shapes (rows, 1) and (rows,) give (rows, rows): every entry meets every other one"
    assert x_line.startswith("x  test_broadcast_trap.py:") and "return tf.matmul(" in x_line
    assert y_line.startswith("y  test_broadcast_trap.py:") and "return tf.placeholder(" in y_line
    assert "tf.squeeze(x, [1])" in cure and "write y[None, :]" in cure


def test_both_cures_are_code_that_is_not_warned_of() -> None:
    y, y_hat = labels(), column()
    assert warned(lambda: tf.squeeze(y_hat, [1]) - y) == []
    assert (tf.squeeze(y_hat, [1]) - y).shape.raw == y.shape.raw
    assert warned(lambda: y_hat - y[None, :]) == []


def test_the_operands_may_stand_in_either_order_and_the_op_may_compare() -> None:
    y, y_hat = labels(), column()
    (text,) = warned(lambda: tf.equal(y, y_hat))
    assert "tf.squeeze(y, [1])" in text and "write x[None, :]" in text


def test_more_dimensions() -> None:
    weights = tf.placeholder(tf.float32, ["rows", 1, 3])
    (text,) = warned(lambda: weights * labels("rows", 3))
    assert "(rows, 1, 3) and (rows, 3) give (rows, rows, 3)" in text and "write y[None, :, :]" in text


def test_a_size_without_a_name_is_known_to_be_the_same_too() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    assert warned(lambda: tf.reduce_sum(x, 1, keep_dims=True) / tf.reduce_max(x, 1)) != []
    assert warned(lambda: v1.reduce_sum(x, 1, keepdims=True) / labels(None)) == []


@pytest.mark.parametrize("pairs", [
    lambda y: y[:, None] - y,
    lambda y: tf.expand_dims(y, 1) * y,
    lambda y: tf.expand_dims(y, 1) - tf.expand_dims(y, 0),
    lambda y: tf.reshape(y, [-1, 1]) - tf.reshape(y, [1, -1]),
])  # fmt: skip
def test_pairs_that_are_meant_are_not_warned_of(pairs: Callable[[tf.Tensor], tf.Tensor]) -> None:
    y = labels()
    assert warned(lambda: pairs(y)) == [] and pairs(y).shape.raw == y.shape.raw * 2  # type: ignore[operator]


@pytest.mark.parametrize("others", [["rows", "columns"], ["columns"], [], [3], [1], ["rows", 1], [1, "rows"]])
def test_other_broadcasts_are_not_warned_of(others: list[Any]) -> None:
    other = tf.placeholder(tf.float32, others)
    assert warned(lambda: column() + other) == []


def test_a_column_cut_out_of_a_table_is_warned_of() -> None:
    table = tf.placeholder(tf.float32, ["rows", 3])
    assert len(warned(lambda: table[:, 0:1] - labels())) == 1
    assert warned(lambda: table[:, 0] - labels()) == []


def test_a_setting_turns_it_off() -> None:
    tf.config.broadcast_warnings = False
    try:
        assert warned(lambda: column() - labels()) == [] and tf.config.broadcast_warnings is False
    finally:
        tf.config.broadcast_warnings = True
    with pytest.raises(ValueError, match="it is True or False"):
        tf.config.broadcast_warnings = "off"  # type: ignore[assignment]


def test_the_gradient_of_a_trap_is_not_warned_of_again() -> None:
    y, y_hat = labels(), column()
    (_,) = warned(lambda: tf.gradients(tf.reduce_mean(tf.square(y_hat - y)), [y_hat, y]))
