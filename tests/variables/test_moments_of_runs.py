"""Runs that wait for variables: the session is closed meanwhile, or they are interrupted; new values appear at once."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.execution.row_major import row_major_copy
from penstock.runtime.session import state_run, variable_store


def test_a_run_that_waits_when_the_session_is_closed_says_so() -> None:
    begun, end = threading.Event(), threading.Event()

    def wait(x: Any) -> Any:
        begun.set()
        assert end.wait(60)
        return x

    with tf.Graph().as_default():
        v = tf.Variable(np.zeros(4, "f4"), name="v")
        given = tf.py_func(wait, [tf.constant(np.ones(4, "f4"))], tf.float32)
        given.set_shape([4])
        slow, quick = v.assign_add(given).op, v.assign_add(np.ones(4, "f4")).op
        session = tf.Session()
        session.run(v.initializer)
        errors: list[BaseException] = []

        def second() -> None:
            try:
                session.run(quick)
            except BaseException as error:
                errors.append(error)

        first, other = threading.Thread(target=session.run, args=(slow,)), threading.Thread(target=second)
        first.start()
        begun.wait(60)
        other.start()
        while not session.variables.waiting:  # until it waits
            pass
        session.close()
        end.set()
        first.join()
        other.join()
        (error,) = errors
        assert isinstance(error, RuntimeError) and "was closed" in str(error)
        assert not session.variables.names()  # the first run has left nothing


def test_ctrl_c_while_a_run_waits_is_that_and_no_other_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        """Ctrl-C in the middle of waiting."""

        def get(self, timeout: float) -> None:
            raise KeyboardInterrupt

        def put(self, item: None) -> None:
            """Wake it."""

    begun, end = threading.Event(), threading.Event()

    def wait(x: Any) -> Any:
        begun.set()
        assert end.wait(60)
        return x

    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.zeros(4, "f4"), name="v")
        given = tf.py_func(wait, [tf.constant(np.ones(4, "f4"))], tf.float32)
        given.set_shape([4])
        slow, quick = v.assign_add(given).op, v.assign_add(np.ones(4, "f4")).op
        session.run(v.initializer)
        thread = threading.Thread(target=session.run, args=(slow,))
        thread.start()
        begun.wait(60)
        monkeypatch.setattr(variable_store, "SimpleQueue", Interrupted)
        try:
            with pytest.raises(KeyboardInterrupt):
                session.run(quick)
        finally:
            end.set()
            thread.join()
        assert session.variables.waiting == 0
        assert session.run(v).tolist() == [1.0] * 4
        session.run(quick)
        assert session.run(v).tolist() == [2.0] * 4


def test_a_reader_that_begins_while_new_values_are_put_finds_all_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that writes beside the old values makes no reader wait, so it must put all of its values at once."""
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = (tf.Variable(np.zeros(3, "f4"), name=name) for name in "ab")
        x = tf.placeholder(tf.float32, [3])
        step = tf.group(a.assign(x), b.assign(x))
        both = [a.value(), b.value()]
        session.run(tf.global_variables_initializer())
        session.run(step, {x: [1.0] * 3})
        found: list[list[float]] = []
        copied = row_major_copy

        def reading(array: Any, threads: int | None) -> Any:
            if threading.current_thread() is threading.main_thread():
                reader = threading.Thread(target=lambda: found.append([x[0] for x in session.run(both)]))
                reader.start()
                reader.join()
            return copied(array, threads)

        monkeypatch.setattr(state_run, "row_major_copy", reading)
        session.run(step, {x: [2.0] * 3})
        assert found and all(x == y for x, y in found)
        assert [x[0] for x in session.run(both)] == [2.0, 2.0]
