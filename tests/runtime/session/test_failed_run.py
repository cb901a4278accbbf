"""What a session remembers of its last run that failed."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.repro.saved_run import last_failure
from penstock.runtime.session import failed_run, run_start
from penstock.runtime.session.failed_run import FailedRun

F32 = np.float32


@pytest.fixture
def session() -> Iterator[tf.Session]:
    with tf.Session(graph=tf.Graph()) as session:
        yield session


def failed(session: tf.Session, call: Callable[[], Any]) -> FailedRun:
    with pytest.raises(tf.errors.OpError):
        call()
    return last_failure(session)


def assert_none_is_kept(session: tf.Session) -> None:
    with pytest.raises(TypeError, match="no run of this session has failed"):
        last_failure(session)


def test_a_failed_run_is_kept_with_fetches_feeds_and_the_error_as_text(session: tf.Session) -> None:
    x = tf.placeholder(tf.int32, [None], name="x")
    y = tf.gather([10, 20], x, name="y")
    run = failed(session, lambda: session.run({"a": y, "b": [x]}, {"x:0": [0, 5]}))
    assert run.fetches == {"a": y, "b": [x]} and run.names == ("y:0", "x:0")
    assert {name: array.tolist() for name, array in run.feed_dict().items()} == {"x:0": [0, 5]}
    assert (run.failure.kind, run.failure.node, run.failure.op) == ("InvalidArgumentError", "y", "Gather")
    assert run.failure.message in run.failure.text and run.random is None and run.state() == {} and run.doubts == ()


def test_runs_that_succeed_leave_the_record_and_close_drops_it(session: tf.Session) -> None:
    x = tf.placeholder(tf.int32, [])
    y = 7 // x
    run = failed(session, lambda: session.run(y, {x: 0}))
    assert session.run(y, {x: 1}) == 7 and last_failure(session) is run
    other = failed(session, lambda: session.make_callable(y, [x])(0))
    assert other is not run and other.feed_dict() == {x.name: 0}
    session.close()
    assert_none_is_kept(session)


def test_calls_that_are_refused_are_no_failed_runs(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    calls: list[Callable[[], Any]] = [
        lambda: session.run("nothing"), lambda: session.run(x, {x: [1, 2, 3]}), lambda: session.run(3),
        lambda: session.run(x, feeds={x: [1, 2]}),  # type: ignore[arg-type]  # that is the mistake
        lambda: session.run(x, {"x": 1}),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises((TypeError, ValueError)):
            call()
    assert_none_is_kept(session)


def test_fed_arrays_are_copies_so_a_later_change_in_place_is_no_matter(session: tf.Session) -> None:
    x = tf.placeholder(tf.int32, [None])
    fed = np.array([0, 9], np.int32)
    run = failed(session, lambda: session.run(tf.gather([1, 2], x), {x: fed}))
    fed[:] = 0
    assert run.feed_dict()[x.name].tolist() == [0, 9]


def test_what_is_too_large_is_held_weakly_and_told(session: tf.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failed_run, "HELD_BYTES", 100)
    x, i = tf.placeholder(tf.float32, [None], name="x"), tf.placeholder(tf.int32, [], name="i")
    feeds: dict[tf.Tensor, Any] = {x: np.arange(1000, dtype=F32), i: 5000}
    run = failed(session, lambda: session.run(tf.gather(x, i), feeds))
    assert run.feed_dict()["x:0"] is feeds[x] and run.feeds[1].array is not None
    (doubt,) = run.doubts
    assert doubt.startswith("the value fed to 'x:0' has 4000 bytes; a session holds 100 bytes of a failed run; ")
    gone = weakref.ref(feeds[x])
    feeds.clear()
    gc.collect()
    assert gone() is None
    with pytest.raises(TypeError, match="and it is gone"):
        run.feed_dict()


def test_a_large_variable_is_the_one_of_now(session: tf.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (failed_run, run_start, failed_run):
        monkeypatch.setattr(module, "HELD_BYTES", 10)
    monkeypatch.setattr("penstock.runtime.session.state_run.HELD_BYTES", 10)
    v = tf.Variable(np.zeros(100, F32), name="v")
    i = tf.placeholder(tf.int32, [], name="i")
    session.run(v.initializer)
    run = failed(session, lambda: session.run(tf.gather(v, i), {i: 500}))
    session.run(v.assign_add(np.ones(100, F32)))
    assert run.state()["v"].tolist() == [1] * 100
    assert [doubt.partition(" has")[0] for doubt in run.doubts] == ["the variable 'v'"]


def test_variables_are_as_they_were_at_the_start(session: tf.Session) -> None:
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable([3.0], name="w")
    i = tf.placeholder(tf.int32, [], name="i")
    session.run(tf.global_variables_initializer())
    bad = tf.gather(v, i)
    run = failed(session, lambda: session.run([bad, w + 1.0], {i: 7}))
    session.run([v.assign([8.0, 9.0]), w.assign([5.0])])
    assert {name: value.tolist() for name, value in run.state().items()} == {"v": [1, 2], "w": [3]}
    assert run.doubts == () and run.missing == ()


def test_a_variable_is_not_overwritten_before_an_error(session: tf.Session) -> None:
    v = tf.Variable(np.ones(100), name="v")
    i = tf.placeholder(tf.int32, [], name="i")
    session.run(v.initializer)
    added = tf.assign_add(v, np.ones(100))
    with tf.control_dependencies([added]):
        bad = tf.gather(tf.range(1), i)
    run = failed(session, lambda: session.run([bad, added.op], {i: 7}))
    assert run.doubts == ()
    assert run.state()["v"].tolist() == session.run(v).tolist() == [1.0] * 100


def test_variables_without_a_value_are_listed(session: tf.Session) -> None:
    v = tf.Variable([1.0], name="v")
    run = failed(session, lambda: session.run(v + 1.0))
    assert run.missing == ("v",) and run.failure.kind == "FailedPreconditionError"


@pytest.mark.parametrize("place", ["outside", "in a branch", "in a loop"])
def test_the_random_state_before_the_run_draws_the_same_numbers_again(session: tf.Session, place: str) -> None:
    x = tf.placeholder(tf.int32, [])

    def draw() -> tf.Tensor:
        return tf.random_uniform([2], 0, 1000, dtype=tf.int32)

    r = draw()
    if place == "in a branch":
        r = tf.cond(x > 5, draw, lambda: tf.constant([0, 0]))
    if place == "in a loop":
        r = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, v + draw()), [0, tf.constant([0, 0])])[1]
    y = tf.gather([1, 2], x)
    session.run(r, {x: 9})
    before = session.random_state()
    with tf.control_dependencies([r]):
        bad = y + 1
    run = failed(session, lambda: session.run([bad, r], {x: 9}))
    assert run.random is not None and run.random == before
    other = tf.Session(graph=session.graph)
    other.set_random_state(run.random)
    again = other.run(r, {x: 9}).tolist()
    session.set_random_state(before)
    assert again == session.run(r, {x: 9}).tolist()


def test_the_first_run_of_a_random_op_begins_at_its_seeds(session: tf.Session) -> None:
    x = tf.placeholder(tf.int32, [])
    r = tf.random_uniform([2])
    run = failed(session, lambda: session.run(tf.gather(r, x), {x: 9}))
    assert run.random is not None and [each.drawn for each in run.random.values()] == [0]


def test_the_error_holds_no_array_after_the_run(session: tf.Session) -> None:
    v = tf.Variable([1.0, 2.0])
    i = tf.placeholder(tf.int32, [])
    session.run(v.initializer)
    with pytest.raises(tf.errors.OpError) as caught:
        session.run(tf.gather(v, i), {i: 9})
    assert not any(isinstance(value, run_start.RunStart) for value in vars(caught.value).values())


def test_the_record_does_not_hold_the_error_or_its_frames(session: tf.Session) -> None:
    x = tf.placeholder(tf.int32, [])

    class Mark:
        pass

    mark = Mark()
    gone = weakref.ref(mark)

    def run(kept: Any) -> None:
        session.run(tf.gather([1], x), {x: 9})

    with pytest.raises(tf.errors.OpError):
        run(mark)
    del mark
    gc.collect()
    assert gone() is None and last_failure(session).failure.kind == "InvalidArgumentError"


def test_two_threads_that_fail_at_once_leave_one_whole_record(session: tf.Session) -> None:
    x = tf.placeholder(tf.int32, [None], name="x")
    y = tf.gather([1, 2], x)
    barrier = threading.Barrier(2)

    def work(size: int) -> None:
        for _ in range(20):
            barrier.wait(60)
            with pytest.raises(tf.errors.OpError):
                session.run(y, {x: np.full(size, 9, np.int32)})

    threads = [threading.Thread(target=work, args=(size,)) for size in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert last_failure(session).feeds[0].shape in [(2,), (3,)]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "complex64", "bool", "int64", "uint8", "string"])
def test_feeds_of_every_kind_are_kept(session: tf.Session, dtype: str) -> None:
    x = tf.placeholder(tf.as_dtype(dtype), [None], name="x")
    i = tf.placeholder(tf.int32, [])
    value: Any = [b"a\xff", b""] if dtype == "string" else np.array([1, 0]).astype(tf.as_dtype(dtype).as_numpy_dtype)
    run = failed(session, lambda: session.run(tf.gather(x, i), {x: value, i: 9}))
    assert run.feeds[0].dtype is tf.as_dtype(dtype) and run.feed_dict()["x:0"].tolist() == list(value)
