"""A supervised program leaves what TensorFlow 2.21's `tf.compat.v1.train.Supervisor` leaves; threads end with it.

RECORDED is what `python -m tests.train.supervised_program` printed there.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import penstock.compat.v1 as tf

from .supervised_program import report

RECORDED = {
    "began 0": [1.0, 0, 0.0],
    "stops 0": False,
    "stopped 0": True,
    "began 1": [0.125, 3, 0.0],
    "stops 1": False,
    "stopped 1": True,
    "last": "model.ckpt-6",
    "files": ["checkpoint", "events.out", "graph.pbtxt", "model.ckpt"],
    "events": ["graph", "session 1 ", "session 2 ", "session 3 model.ckpt", "summary global_step/sec", "summary w_1"],
    "errors": ["KeyError", "no error", "RuntimeError", "Writing a summary requires a summary writer"],
}


def test_a_supervised_program_does_what_it_does_in_tensorflow(tmp_path: Path) -> None:
    before = threading.active_count()
    assert report(tf, str(tmp_path)) == RECORDED
    assert threading.active_count() == before


def test_an_error_of_a_thread_is_raised_at_the_end() -> None:
    def fails() -> None:
        raise ValueError("of the thread")

    with tf.Graph().as_default():
        supervisor = tf.train.Supervisor()
        with pytest.raises(ValueError, match="of the thread"), supervisor.managed_session():
            supervisor.loop(None, fails)
            assert supervisor.wait_for_stop()


def test_queue_runners_fill_queues_until_the_data_end() -> None:
    with tf.Graph().as_default():
        queue = tf.train.string_input_producer(["a", "b"], shuffle=False, num_epochs=1)
        word = queue.dequeue()
        supervisor = tf.train.Supervisor()
        seen = []
        with supervisor.managed_session() as session:
            while not supervisor.should_stop():
                seen.append(session.run(word))
        assert seen == [b"a", b"b"]


def test_a_program_may_write_its_own_summaries(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        loss = tf.summary.scalar("loss", tf.constant(2.0))
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), summary_op=None, save_model_secs=0, global_step=None)
        with supervisor.managed_session() as session:
            supervisor.SummaryComputed(session, session.run(loss), 7)
    (path,) = tmp_path.glob("events*")
    events = [(event.step, event.summary) for event in tf.train.summary_iterator(str(path))]
    assert [(step, each.tag) for step, summary in events if summary for each in summary.value] == [(7, "loss")]


def test_the_graph_cannot_be_changed_any_more() -> None:
    with tf.Graph().as_default() as graph:
        tf.train.Supervisor()
        assert graph.finalized


def test_what_is_not_wanted_is_not_made() -> None:
    with tf.Graph().as_default() as graph:
        tf.Variable(1.0)
        supervisor = tf.train.Supervisor(saver=None, summary_op=None, ready_op=None, local_init_op=None)
        assert (supervisor.saver, supervisor.summary_op, supervisor.ready_op) == (None, None, None)
        assert not any(op.name.startswith(("save", "report")) for op in graph.get_operations())


def test_another_program_than_the_chief_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(tf.errors.UnimplementedError, match="Run the chief alone"):
        tf.train.Supervisor(is_chief=False)


# ---- SessionManager -----------------------------------------------------------------------------


def manager(**options: Any) -> Any:
    return tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), recovery_wait_secs=0.01, **options)


def test_a_session_is_restored_or_initialised(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        v = tf.Variable(3.0, name="v")
        saver, init, sessions = tf.train.Saver(), tf.global_variables_initializer(), manager()
        with sessions.prepare_session("", init, saver, str(tmp_path)) as session:
            assert session.run(v) == 3.0
            v.load(5.0, session)
            saver.save(session, str(tmp_path / "model"))
        with sessions.prepare_session("", init, saver, str(tmp_path)) as session:
            assert session.run(v) == 5.0
        session, is_ready = sessions.recover_session("", saver, str(tmp_path))
        assert is_ready
        assert session.run(v) == 5.0
        session, is_ready = sessions.recover_session("", saver, str(tmp_path / "none"))
        assert not is_ready


def test_it_waits_for_a_checkpoint(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        v = tf.Variable(3.0, name="v")
        saver, sessions = tf.train.Saver(), manager()

        def save() -> None:
            with tf.Session(graph=v.graph) as session:
                v.load(9.0, session)
                saver.save(session, str(tmp_path / "model"))

        later = threading.Timer(0.1, save)
        later.start()
        with sessions.prepare_session("", None, saver, str(tmp_path), wait_for_checkpoint=True) as session:
            assert session.run(v) == 9.0
        later.join()


@pytest.mark.parametrize(("call", "kind", "words"), [
    (lambda sessions: sessions.prepare_session(""), RuntimeError, "no init_op or init_fn or local_init_op was given"),
    (lambda sessions: sessions.prepare_session("", tf.no_op()), RuntimeError, "not initialized: v. After init_op"),
    (lambda sessions: sessions.prepare_session("", None, None, "a", "b"), ValueError, "Can not provide both"),
    (lambda sessions: sessions.wait_for_session("", max_wait_secs=0), tf.errors.DeadlineExceededError,
     "Session was not ready after waiting 0 secs"),
    (lambda sessions: tf.train.SessionManager(ready_for_local_init_op=tf.no_op()), ValueError, "local_init_op"),
])  # fmt: skip
def test_what_never_becomes_ready_is_told(call: Any, kind: type[Exception], words: str) -> None:
    with tf.Graph().as_default():
        tf.Variable(3.0, name="v")
        with pytest.raises(kind, match=words):
            call(manager())
