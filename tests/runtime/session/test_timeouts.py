"""Timeouts of runs: who asks for them, where a run ends, and what is left of it. The clock is the test's own."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.base import stop_signal

DEADLINE = tf.errors.DeadlineExceededError


class Clock:
    """A time that goes on when a step says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def step(self, seconds: float) -> Callable[[Any], Any]:
        """A function for py_func that takes some seconds."""

        def slow(value: Any) -> Any:
            self.now += seconds
            return value

        return slow


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(stop_signal, "clock", made)
    return made


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made
    assert not stop_signal.SIGNALS


def slow_sum(clock: Clock, seconds: float = 0.2) -> tuple[tf.Tensor, tf.Tensor]:
    """A placeholder, and a sum behind a step that takes some seconds."""
    x = tf.placeholder(tf.float32, [], name="x")
    slow = tf.py_func(clock.step(seconds), [x], tf.float32, name="slow")
    return x, tf.add(slow, 1.0, name="y")


def test_a_run_ends_after_the_step_in_which_its_time_is_over(clock: Clock) -> None:
    x, y = slow_sum(clock)
    with tf.Session() as session, pytest.raises(DEADLINE) as caught:
        session.run(y, {x: 1.0}, options=tf.RunOptions(timeout_in_ms=100))
    lines = str(caught.value).splitlines()
    assert lines[0] == (
        'Session.run of "y:0" was stopped after 200 ms; RunOptions(timeout_in_ms=100) allows 100 ms. Allow more '
        "time, or end a loop earlier, as by maximum_iterations"
    )
    assert lines[1].startswith('  in node "slow" (PyFunc)  test_timeouts.py:')
    assert caught.value.op is not None and caught.value.op.name == "slow" and caught.value.error_code == 4


def test_a_run_in_time_returns_its_results(clock: Clock) -> None:
    x, y = slow_sum(clock)
    with tf.Session() as session:
        assert session.run(y, {x: 1.0}, options=tf.RunOptions(timeout_in_ms=1000)) == 2.0


@pytest.mark.parametrize("config", [
    tf.ConfigProto(operation_timeout_in_ms=100), tf.SessionConfig(timeout_in_ms=100),
    tf.SessionConfig(timeout_in_ms=100, threads=1), tf.SessionConfig(timeout_in_ms=100, threads=2),
    tf.SessionConfig(timeout_in_ms=100, check=True), tf.SessionConfig(timeout_in_ms=100, watch=True),
    tf.SessionConfig(timeout_in_ms=100, passes=()),
    tf.SessionConfig(timeout_in_ms=100, progress=lambda done, steps, node: None),
], ids=["proto", "plain", "1 thread", "2 threads", "check", "watch", "no passes", "progress"])  # fmt: skip
def test_a_session_limits_all_of_its_runs(clock: Clock, config: Any) -> None:
    x, y = slow_sum(clock)
    with tf.Session(config=config) as session:
        double = session.make_callable([y, y], [x])
        runs: list[Callable[[], Any]] = [
            lambda: session.run(y, {x: 1.0}), lambda: double(1.0), lambda: y.eval({x: 1.0}),
            lambda: session.run({"y": y}, {"x:0": 1.0}), lambda: session.run(y, {x: 1.0}, as_device=True),
            lambda: session.run(y, {x: 1.0}, run_metadata=tf.RunMetadata()),
            lambda: session.trace(y, {x: 1.0}),
        ]  # fmt: skip
        for run in runs:
            with pytest.raises(DEADLINE, match=r"the session's config \(timeout_in_ms=100\)"):
                run()


def test_options_of_a_run_replace_the_timeout_of_the_session(clock: Clock) -> None:
    x, y = slow_sum(clock)
    with tf.Session(config=tf.SessionConfig(timeout_in_ms=100)) as session:
        assert session.run(y, {x: 1.0}, options=tf.RunOptions(timeout_in_ms=500)) == 2.0
        with pytest.raises(DEADLINE, match="config"):
            session.run(y, {x: 1.0}, options=tf.RunOptions())


def test_feeds_in_another_order_are_limited_too(clock: Clock) -> None:
    x, y = slow_sum(clock)
    z = tf.placeholder(tf.float32, [], name="z")
    with tf.Session(config=tf.SessionConfig(timeout_in_ms=100)) as session:
        for feeds in ({x: 1.0, z: 1.0}, {z: 1.0, x: 1.0}):
            with pytest.raises(DEADLINE):
                session.run(y + z, feeds)


def test_a_run_that_is_too_late_leaves_variables_as_they_were(clock: Clock) -> None:
    v = tf.Variable(np.arange(4.0), name="v")
    slow = tf.py_func(clock.step(0.2), [v], tf.float64, name="slow")
    write = tf.assign(v, slow * 2.0)
    with tf.Session() as session:
        session.run(v.initializer)
        for _ in range(2):
            with pytest.raises(DEADLINE) as caught:
                session.run(write, options=tf.RunOptions(timeout_in_ms=100))
            assert not hasattr(caught.value, "__notes__")
            np.testing.assert_array_equal(session.run(v), np.arange(4.0))
        np.testing.assert_array_equal(session.run(write), 2 * np.arange(4.0))


def test_a_run_that_is_too_late_after_a_write_has_written_nothing(clock: Clock) -> None:
    v = tf.Variable(np.arange(4.0), name="v")
    with tf.control_dependencies([tf.assign_add(v, np.ones(4))]):
        slow = tf.py_func(clock.step(0.2), [np.float64(1)], tf.float64, name="slow")
    with tf.Session() as session:
        session.run(v.initializer)
        with pytest.raises(DEADLINE) as caught:
            session.run(slow, options=tf.RunOptions(timeout_in_ms=100))
        assert not hasattr(caught.value, "__notes__")
        np.testing.assert_array_equal(session.run(v), np.arange(4.0))
        assert session.run(slow) == 1.0 and session.run(v).tolist() == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("reads", range(1, 8))
def test_a_run_whose_time_ends_at_any_check_writes_all_or_nothing(reads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    v, w = tf.Variable(np.arange(100.0), name="v"), tf.Variable(0, name="w")
    with tf.control_dependencies([tf.assign_add(v, np.ones(100), name="write")]):
        after = tf.assign_add(w, tf.cumsum(tf.placeholder_with_default(np.ones(1, np.int32), [1]))[0], name="after")
    with tf.Session() as session:
        session.run([v.initializer, w.initializer])
        times = iter([0.0] * reads)
        monkeypatch.setattr(stop_signal, "clock", lambda: next(times, 1.0))
        try:
            session.run([after], options=tf.RunOptions(timeout_in_ms=100))
            steps = 1
        except tf.errors.DeadlineExceededError:
            steps = 0
        monkeypatch.undo()
        assert session.run(w) == steps
        np.testing.assert_array_equal(session.run(v), np.arange(100.0) + steps)


def test_a_run_inside_a_run_has_to_end_with_it(clock: Clock) -> None:
    x, y = slow_sum(clock)
    inner = tf.Session()
    outer = tf.py_func(lambda v: inner.run(y, {x: v}), [x], tf.float32, name="outer")
    with tf.Session() as session, pytest.raises(DEADLINE) as caught:
        session.run(outer, {x: 1.0}, options=tf.RunOptions(timeout_in_ms=100))
    assert '"outer' in str(caught.value)
    with tf.Session() as session:
        assert session.run(outer, {x: 1.0}, options=tf.RunOptions(timeout_in_ms=400)) == 2.0


def test_waiting_for_a_variable_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    v = tf.Variable(1.0, name="v")
    begun, go_on = threading.Event(), threading.Event()

    def hold(value: Any) -> Any:
        begun.set()
        go_on.wait(60)
        return value

    held = tf.assign(v, tf.py_func(hold, [v], tf.float32, name="hold"))
    other = tf.assign(v, 5.0)
    with tf.Session() as session:
        session.run(v.initializer)
        thread = threading.Thread(target=session.run, args=(held,))
        thread.start()
        begun.wait(60)
        try:
            with pytest.raises(DEADLINE, match="while it waited for another run of this session, which uses the var"):
                session.run(other, options=tf.RunOptions(timeout_in_ms=1))
            assert session.run(v) == 1.0  # readers need not wait
        finally:
            go_on.set()
            thread.join()
        session.run(other, options=tf.RunOptions(timeout_in_ms=60_000))
        assert session.run(v) == 5.0


def test_steps_on_several_threads_end_too(clock: Clock) -> None:
    x = tf.placeholder(tf.float64, [1 << 18], name="x")
    late = [tf.py_func(clock.step(0.2), [x + float(i)], tf.float64, name=f"late{i}") for i in range(4)]
    with tf.Session(config=tf.SessionConfig(threads=2)) as session, pytest.raises(DEADLINE, match='in node "late'):
        session.run([tf.reduce_sum(each) for each in late], {x: np.ones(1 << 18)},
                    options=tf.RunOptions(timeout_in_ms=100))  # fmt: skip


def test_other_threads_are_not_limited(clock: Clock) -> None:
    x, y = slow_sum(clock)
    found: list[Any] = []
    with tf.Session() as session:

        def elsewhere(value: Any) -> Any:
            thread = threading.Thread(target=lambda: found.append(session.run(y, {x: 1.0})))
            thread.start()
            thread.join()
            return value

        slow = tf.py_func(elsewhere, [x], tf.float32)
        with pytest.raises(DEADLINE):
            session.run(slow, {x: 1.0}, options=tf.RunOptions(timeout_in_ms=100))
    assert found == [2.0]


def test_a_timeout_is_a_number_of_milliseconds() -> None:
    for make in (tf.RunOptions, tf.SessionConfig):
        with pytest.raises(TypeError, match=r"timeout_in_ms=0\.5\): a timeout is an int, a number of milliseconds"):
            make(timeout_in_ms=0.5)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"timeout_in_ms=-1\): a timeout is at least 0; 0 is no limit"):
            make(timeout_in_ms=-1)
    with pytest.raises(ValueError, match=r"ConfigProto\(operation_timeout_in_ms=-1\)"):
        tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=-1))
