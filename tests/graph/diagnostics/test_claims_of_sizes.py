"""A name that a call binds to a number is told at the call, and the later error has its line."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import FeedError


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


def products() -> tuple[Any, Any, Any]:
    a = tf.placeholder(tf.float32, ["batch", 3], name="a")
    b = tf.placeholder(tf.float32, ["batch", 4], name="b")
    with pytest.warns(tf.MistakeWarning, match="matmul: every run .* will fail unless batch is 3\n  a:0") as found:
        c = tf.matmul(a, b, name="c")
    assert found[0].filename == __file__
    return a, b, c


def test_a_call_that_binds_a_name_warns_at_its_line() -> None:
    *_, c = products()
    assert c.shape.as_list() == [None, 4]


def test_the_error_of_the_run_has_the_line_of_the_call(graph: tf.Graph) -> None:
    a, b, c = products()
    session = tf.Session(graph=graph)
    with pytest.raises(FeedError, match=r"'c' fit only if it is 3(.|\n)*'c'  test_claims_of_sizes.py:\d+  c = tf"):
        session.run(c, {a: np.ones((2, 3)), b: np.ones((2, 4))})
    assert session.run(c, {a: np.ones((3, 3)), b: np.ones((3, 4))}).shape == (3, 4)


def test_the_same_size_again_is_not_told_again() -> None:
    a, b, _ = products()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.matmul(a, b)


def test_another_size_names_the_call_that_needs_the_first() -> None:
    products()
    d = tf.placeholder(tf.float32, ["batch", 5], name="d")
    with pytest.warns(tf.MistakeWarning, match=r"unless batch is 7, and 'c' holds only if it is 3 \(test_claims"):
        tf.concat(1, [d, np.zeros((7, 1), np.float32)])


def test_set_shape_is_no_mistake(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["batch"], name="x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x.set_shape([3])


def test_a_refused_call_claims_nothing(graph: tf.Graph) -> None:
    a = tf.placeholder(tf.float32, ["batch", 3], name="a")
    with warnings.catch_warnings(), pytest.raises(tf.MistakeWarning):
        warnings.simplefilter("error")
        tf.matmul(a, tf.placeholder(tf.float32, ["batch", 4], name="b"), name="c")
    assert [op.name for op in graph.get_operations()] == ["a", "b"] and not graph.equations


def test_a_stack_of_sizes_keeps_what_the_list_keeps() -> None:
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, ["k", 3], name="y")
    for size in (tf.shape(x)[1], tf.shape(x)[0], tf.shape(y)[0], tf.shape(y)[0] * 2):
        listed, stacked = tf.zeros([1, size]).shape, tf.zeros(tf.stack([1, size])).shape
        assert str(listed) == str(stacked)
    assert str(tf.zeros(tf.stack([1, tf.shape(x)[1]])).shape) == "(1, 3)"


@pytest.mark.parametrize("how", [tf.stack, tf.pack, list])
def test_why_unknown_blames_the_op_that_lost_a_size(how: Any) -> None:
    y = tf.placeholder(tf.float32, ["k", 3], name="y")
    half = tf.floordiv(tf.shape(y)[0], 2, name="half")
    (found,) = tf.why_unknown(tf.zeros(how([1, half])))
    assert "the value of FloorDiv 'half' is not known while building, test_claims_of_sizes.py" in found.reason


def test_why_unknown_blames_the_fed_value() -> None:
    n = tf.placeholder(tf.int32, [2], name="n")
    (found,) = tf.why_unknown(tf.zeros(tf.stack([1, tf.reduce_sum(n)])))
    assert found.reason.endswith("it is a value fed to 'n:0'")
