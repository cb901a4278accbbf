"""A child that is forked while another thread overwrites variables finds each of them whole, and all of a run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import penstock as tf
from penstock.graph.common import locks

from ..helpers import exit_code_of_child, needs_fork, nightly

pytestmark = needs_fork
LARGE = 500_000


class Model:
    """Two variables that every step changes alike, in place."""

    def __init__(self, size: int = LARGE) -> None:
        with tf.Graph().as_default() as graph:
            self.a = tf.Variable(np.zeros(size, "f4"), name="a")
            self.b = tf.Variable(np.zeros(size, "f4"), name="b")
            one = np.ones(size, "f4")
            self.step = tf.group(self.a.assign_add(one), self.b.assign_add(one))
            self.both = [self.a.value(), self.b.value()]
            self.start = tf.global_variables_initializer()
        self.session = tf.Session(graph=graph)
        self.session.run(self.start)

    def whole(self) -> bool:
        """Whether all elements of both variables are of one run."""
        a, b = self.session.run(self.both)
        return bool((a == a[0]).all() and (b == a[0]).all())


@contextmanager
def steps(model: Model) -> Iterator[None]:
    """Another thread takes steps all the time."""
    end, errors = threading.Event(), list[BaseException]()

    def work() -> None:
        try:
            while not end.is_set():
                model.session.run(model.step)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
    assert not errors


@pytest.mark.parametrize("forks", [2, *nightly([30])])
def test_a_child_finds_whole_variables_and_takes_steps_of_its_own(forks: int) -> None:
    model = Model()

    def child() -> int:
        if not model.whole():
            return 1
        model.session.run(model.step)
        return 7 if model.whole() else 2

    with steps(model):
        assert [exit_code_of_child(child) for _ in range(forks)] == [7] * forks
    assert model.whole()


def test_a_run_that_does_not_end_in_time_leaves_what_it_overwrites_without_a_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.05)
    begun, end = threading.Event(), threading.Event()

    def wait(x: np.ndarray) -> np.ndarray:
        begun.set()
        assert end.wait(60)
        return x

    with tf.Graph().as_default() as graph:
        held = tf.Variable(np.zeros(4, "f4"), name="held")
        free = tf.Variable(np.zeros(4, "f4"), name="free")
        waited = tf.py_func(wait, [tf.constant(np.ones(4, "f4"))], tf.float32)
        waited.set_shape([4])
        step = held.assign_add(waited).op
        other = free.assign_add(np.ones(4, "f4"))
        with tf.Session() as session:
            session.run([held.initializer, free.initializer])

            def child() -> int:
                if session.run(other).tolist() != [1.0] * 4:
                    return 1
                try:
                    session.run(held)
                except tf.errors.FailedPreconditionError as error:
                    if "another thread was overwriting it when the process was forked" not in error.message:
                        return 2
                session.run(held.initializer)
                return 7 if session.run(held).tolist() == [0.0] * 4 else 3

            thread = threading.Thread(target=session.run, args=(step,))
            thread.start()
            begun.wait(60)
            code = exit_code_of_child(child)
            end.set()
            thread.join()
            assert code == 7
            assert session.run([held, free])[0].tolist() == [1.0] * 4
    assert graph.get_operations()


def test_a_fork_inside_a_run_does_not_wait_for_that_run() -> None:
    codes: list[int] = []
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1.0, 2.0], name="v")

        def fork(x: np.ndarray) -> np.ndarray:
            codes.append(exit_code_of_child(lambda: 7))
            return x

        given = tf.py_func(fork, [tf.constant([1.0, 1.0])], tf.float32)
        given.set_shape([2])
        step = v.assign_add(given)
        session.run(v.initializer)
        assert session.run(step).tolist() == [2.0, 3.0]
        assert codes == [7]


@pytest.mark.parametrize("forks", [2, *nightly([40])])
def test_writes_wait_for_a_fork_and_go_on_after_it(forks: int) -> None:
    model = Model(10)
    with steps(model):
        for _ in range(forks):
            assert exit_code_of_child(lambda: 7) == 7
    before = float(model.session.run(model.both)[0][0])
    model.session.run(model.step)
    assert model.session.run(model.both)[0][0] == before + 1
