"""The error of a variable without a value: its advice, run as it stands, mends the program and harms nothing."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


def failure(session: tf.Session, fetch: Any) -> str:
    with pytest.raises(tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value") as found:
        session.run(fetch)
    return str(found.value)


def follow(text: str, session: tf.Session) -> None:
    """Run the lines of code of an advice."""
    code = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    assert code, text
    exec("\n".join(code), {"tf": tf, "session": session})


def trained(session: tf.Session) -> Any:
    """A variable that a program has trained already."""
    w = tf.Variable(2.0, name="w")
    step = tf.train.GradientDescentOptimizer(0.25).minimize(tf.square(w))
    session.run(tf.global_variables_initializer())
    session.run(step)
    return w


def test_an_optimizer_made_after_the_initializer_ran_names_its_variables_and_keeps_the_others() -> None:
    with tf.Session() as session:
        w = trained(session)
        step = tf.train.AdamOptimizer().minimize(tf.square(w))
        text = failure(session, step)
        assert "tf.global_variables_initializer() would replace them" in text
        assert "are 'beta1_power', 'beta2_power', 'w/Adam', 'w/Adam_1': made after" in text
        follow(text, session)
        assert session.run(w) == 1.0
        session.run(step)


def test_a_variable_made_after_the_initializer_was_built() -> None:
    a = tf.Variable(2.0)
    init = tf.global_variables_initializer()
    b = tf.Variable(3.0, name="b")
    with tf.Session() as session:
        session.run([init, a.assign(7.0)])
        session.run(a.assign(7.0))
        text = failure(session, b)
        assert "Without a value is 'b'" in text and "test_uninitialized_variable.py" in text
        follow(text, session)
        assert session.run([a, b]) == [7.0, 3.0]


def test_many_new_variables_are_counted() -> None:
    with tf.Session() as session:
        w = trained(session)
        new = [tf.Variable(float(i), name=f"n{i}") for i in range(20)]
        text = failure(session, new)
        assert "'n7' and 12 more" in text and "'n8'" not in text
        follow(text, session)
        assert session.run(w) == 1.0 and session.run(new) == [float(i) for i in range(20)]


def test_local_variables_have_an_initializer_of_their_own() -> None:
    with tf.Session() as session:
        trained(session)
        count = tf.get_local_variable("count", [])
        assert "session.run(tf.local_variables_initializer()) for all" in failure(session, count)
        session.run(tf.local_variables_initializer())
        other = tf.get_local_variable("other", [], initializer=tf.zeros_initializer())
        follow(failure(session, other), session)
        assert session.run(other) == 0.0


def test_where_nothing_has_a_value_all_may_be_initialized() -> None:
    w = tf.Variable(2.0)
    with tf.Session() as session:
        assert "session.run(tf.global_variables_initializer()) for all." in failure(session, w)


def test_a_variable_of_no_collection_has_its_own_initializer_only() -> None:
    hidden = tf.Variable(2.0, collections=[], trainable=False)
    with tf.Session() as session:
        trained(session)
        text = failure(session, hidden)
        assert text.endswith("session.run(v.initializer). It is in none of the collections that "
                             "tf.global_variables_initializer() reads.")  # fmt: skip


def test_a_run_of_the_initializer_itself_is_not_told_to_run_it() -> None:
    a, b = tf.Variable(tf.random_normal([])), tf.Variable(3.0)
    write = b.assign(a * 2.0)
    with tf.Session() as session:
        text = failure(session, [tf.global_variables_initializer(), write])
        assert "Run the initializer in a session.run of its own, before this one" in text
        assert "global_variables_initializer" not in text
        session.run(tf.global_variables_initializer())
        doubled, value = session.run([write, a])
        np.testing.assert_allclose(doubled, 2 * value)
        step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.square(a))
    with tf.Session() as session:  # a step writes a variable too, but from its old value
        assert "session.run(tf.global_variables_initializer()) for all" in failure(session, step)
