"""Fed strings of fixed width: left as they are only where nobody can tell the difference."""

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.ops.text.string_to_number import string_to_number
from penstock.runtime.planning.fixed_width_strings import fixed_width_feeds, is_fixed_width


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of the arrays that string_to_number's kernel gets."""
    kinds: list[str] = []
    kernel = string_to_number.kernels["*"]

    def spy(xp: Any, strings: Any, dtype: Any) -> Any:
        kinds.append(strings.dtype.kind)
        return kernel(xp, strings, dtype)

    monkeypatch.setitem(string_to_number.kernels, "*", spy)
    return kinds


@pytest.mark.parametrize("kind", ["S", "U"])
def test_strings_that_are_only_read_as_numbers_stay_packed(seen: list[str], kind: str) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.string, ["n", 2])
        numbers = [tf.string_to_number(x), tf.string_to_number(x, tf.float64)]
        values = np.array([["1.5", " 2 "], ["-3e1", "4"]]).astype(kind)
        for got in session.run(numbers, {x: values}):
            assert got.tolist() == [[1.5, 2], [-30, 4]]
        assert seen == [kind, kind]
        with pytest.raises(ValueError, match=r"Cannot feed value of shape \(2,\)"):
            session.run(numbers, {x: values[0]})


@pytest.mark.parametrize("kind", ["S", "U"])
def test_strings_that_others_read_or_that_are_fetched_become_objects(seen: list[str], kind: str) -> None:
    values = np.array(["1", "22"]).astype(kind)
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.string)
        number = tf.string_to_number(x)
        _, fetched = session.run([number, x], {x: values})
        assert fetched.tolist() == [b"1", b"22"]
        _, turned = session.run([number, tf.reverse(tf.reshape(x, [2]), [True])], {x: values})
        assert turned.tolist() == [b"22", b"1"]
    assert seen == ["O", "O"]


@pytest.mark.parametrize("text", ["1x", "½", "1\x002", ""])
def test_the_error_of_a_bad_string_is_the_same(text: str) -> None:
    told = []
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.string)
        number = tf.string_to_number(x)
        for values in (np.array([text, "1"]), np.array([text.encode(), b"1"]), np.array([text.encode(), b"1"], object)):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(number, {x: values})
            told.append(caught.value.message)
    assert len(set(told)) == 1


def test_what_cannot_be_utf8_is_refused_as_a_feed() -> None:
    values = np.array(["1", "\ud800"])
    assert not is_fixed_width(values)
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.string)
        number = tf.string_to_number(x)
        with pytest.raises(ValueError, match="Cannot feed"):
            session.run(number, {x: values})


def test_other_arrays_are_not_packed() -> None:
    swapped = np.array(["1"]).astype(">U1")
    apart = np.array(["1"] * 4)[::2]
    for value in (np.array([b"1"], object), np.array([1]), [b"1"], b"1", swapped, np.zeros(0, "S3"), apart):
        assert not is_fixed_width(value)
    assert is_fixed_width(np.array(b"1"))
    assert is_fixed_width(np.array([b"1", b"2"])[::-1])


def test_a_plan_knows_which_feeds_may_stay() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, y = tf.placeholder(tf.string, name="x"), tf.placeholder(tf.string, name="y")
        plan = session.plan([tf.string_to_number(x), tf.string_to_number(y), y], [x, y])
        assert [plan.feeds[i][0] for i in fixed_width_feeds(plan)] == ["x:0"]
