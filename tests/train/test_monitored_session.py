"""`tf.train.MonitoredTrainingSession` and hooks: they begin, save, restore, stop and end as in TensorFlow."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf


class Noted(tf.train.SessionRunHook):
    """Notes what is called."""

    def __init__(self, name: str, args: tf.train.SessionRunArgs | None = None) -> None:
        self.said: list[Any] = []
        self._name = name
        self._args = args

    def begin(self) -> None:
        self.said.append(("begin", tf.get_default_graph().finalized))

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.said.append(("created", session.graph.finalized, coord.should_stop()))

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs | None:
        self.said.append(("before", run_context.original_args.feed_dict))
        return self._args

    def after_run(self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues) -> None:
        self.said.append(("after", run_values.results))

    def end(self, session: Any) -> None:
        self.said.append(("end",))


def counting() -> tuple[Any, Any]:
    """An operation that adds 4 to w and 1 to the step; w."""
    step: Any = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    tf.get_local_variable("here", [], initializer=tf.ones_initializer())
    return tf.group(tf.assign_add(step, 1), tf.assign_add(w, 4.0)), w


def test_hooks_are_called_in_order_with_what_they_fetched() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        twice, two = x * 2.0, tf.constant(2)
        first = Noted("a", tf.train.SessionRunArgs({"two": two}, {x: 4.0}))
        second = Noted("b")
        with tf.train.MonitoredSession(hooks=[first, second]) as session:
            assert session.run([twice]) == [8.0]
    created = ("created", True, False)
    assert first.said == [("begin", False), created, ("before", None), ("after", {"two": 2}), ("end",)]
    assert second.said == [("begin", False), created, ("before", None), ("after", None), ("end",)]


@pytest.mark.parametrize("given", [{"num_steps": 3}, {"last_step": 3}])
def test_a_session_stops_at_its_step(given: dict[str, int]) -> None:
    with tf.Graph().as_default():
        train, w = counting()
        with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(**given)]) as session:
            count = 0
            while not session.should_stop():
                session.run(train)
                count += 1
            with pytest.raises(RuntimeError, match="Run called even after should_stop requested"):
                session.run(w)
        assert count == 3 and session.should_stop()
        with pytest.raises(RuntimeError, match="Session is already closed"):
            session.run(w)
        with pytest.raises(RuntimeError, match="Session is already closed"):
            session.close()


def test_a_training_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    def go(steps: int) -> float:
        with tf.Graph().as_default():
            train, w = counting()
            hooks = [tf.train.StopAtStepHook(num_steps=steps)]
            tf.summary.scalar("curve", w)
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=tmp_path, hooks=hooks, save_checkpoint_steps=2, save_summaries_steps=1
            ) as session:
                before = session.run(w)
                while not session.should_stop():
                    session.run(train)
            return float(before)

    assert [go(3), go(2), go(1)] == [0.0, 12.0, 20.0]
    kept = sorted(name for name in os.listdir(tmp_path) if name.endswith(".index"))
    assert kept == [f"model.ckpt-{step}.index" for step in (0, 2, 3, 5, 6)]
    events = [event for name in os.listdir(tmp_path) if "tfevents" in name
              for event in tf.train.summary_iterator(tmp_path / name)]  # fmt: skip
    shown = [(event.step, event.summary) for event in events]
    steps = sorted(step for step, each in shown if each and each.value and each.value[0].tag == "curve")
    assert steps[0] == 1 and steps[-1] == 6 and len(set(steps)) == 6


def test_the_end_of_the_data_ends_the_block_without_an_error_and_with_the_last_checkpoint(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        train, _ = counting()
        hook = Noted("a")
        with tf.train.MonitoredTrainingSession(checkpoint_dir=tmp_path, hooks=[hook]) as session:
            session.run(train)
            raise tf.errors.OutOfRangeError(message="end of the data")
    assert hook.said[-1] == ("end",)
    assert str(tf.train.latest_checkpoint(tmp_path)).endswith("model.ckpt-1")


def test_another_error_passes_and_the_ends_of_hooks_are_not_called() -> None:
    with tf.Graph().as_default():
        train, _ = counting()
        hook = Noted("a")
        with pytest.raises(ZeroDivisionError), tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            session.run(train)
            raise ZeroDivisionError
    assert ("end",) not in hook.said and session.should_stop()


def test_a_feed_of_a_hook_and_of_the_program_is_refused() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        hook = Noted("a", tf.train.SessionRunArgs(None, {x: 1.0}))
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            assert session.run(x) == 1.0
            with pytest.raises(RuntimeError, match="fed by a SessionRunHook and user"):
                session.run(x, {x: 2.0})
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        same = tf.train.SessionRunArgs(None, {x: 1.0})
        session = tf.train.MonitoredSession(hooks=[Noted("a", same), Noted("b", same)])
        with session, pytest.raises(RuntimeError, match="and another SessionRunHook"):
            session.run(x)


def test_variables_without_a_value_are_named() -> None:
    with tf.Graph().as_default():
        tf.get_variable("v", [])
        with pytest.raises(RuntimeError, match=r"Variables not initialized: v\. After init_op .*Scaffold\(init_op="):
            tf.train.MonitoredTrainingSession(scaffold=tf.train.Scaffold(init_op=tf.no_op()))


def test_a_scaffold_feeds_and_calls_what_begins() -> None:
    with tf.Graph().as_default():
        x, v = tf.placeholder(tf.float32, []), tf.get_variable("v", [])
        called: list[float] = []
        scaffold = tf.train.Scaffold(
            init_op=v.assign(x).op,
            init_feed_dict={x: 7.0},
            init_fn=lambda scaffold, session: called.append(float(session.run(v))),
        )
        with tf.train.MonitoredTrainingSession(scaffold=scaffold) as session:
            assert session.run(v) == 7.0
    assert called == [7.0]


def test_a_loss_that_is_nan_ends_the_training() -> None:
    for fails in (True, False):
        with tf.Graph().as_default():
            loss = tf.log(tf.constant(-1.0))
            hook = tf.train.NanTensorHook(loss, fail_on_nan_loss=fails)
            with tf.train.MonitoredSession(hooks=[hook]) as session:
                if fails:
                    with pytest.raises(tf.train.NanLossDuringTrainingError, match="NaN loss during training"):
                        session.run(loss)
                else:
                    assert np.isnan(session.run(loss)) and session.should_stop()


def test_values_and_the_speed_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "penstock")
    with tf.Graph().as_default():
        train, w = counting()
        shown = tf.train.LoggingTensorHook({"w": w}, every_n_iter=2)
        with tf.train.MonitoredTrainingSession(hooks=[shown], log_step_count_steps=2) as session:
            for _ in range(4):
                session.run(train)
    told = [record.getMessage() for record in caplog.records if record.name == "penstock"]
    assert [line for line in told if line.startswith("w = ")] == ["w = 0.0", "w = 8.0"]
    assert sum(line.startswith("global_step/sec: ") for line in told) == 2


def test_a_function_may_make_runs_with_and_without_hooks() -> None:
    with tf.Graph().as_default():
        v = tf.get_variable("v", [], initializer=tf.ones_initializer())
        hook = Noted("a")

        def twice(step_context: Any) -> Any:
            assert step_context.session.run(v) == 1.0
            step_context.request_stop()
            return 1.0

        with tf.train.MonitoredSession(hooks=[hook]) as session:
            assert session.run_step_fn(lambda step_context: step_context.run_with_hooks(v)) == 1.0
            assert session.run_step_fn(twice) == 1.0 and session.should_stop()
            with pytest.raises(ValueError, match=r"may have one `step_context` argument\. Got \(a, b\)"):
                session.run_step_fn(lambda a, b: None)
    assert [said[0] for said in hook.said].count("before") == 1


def test_a_lost_session_is_opened_again_with_the_last_checkpoint(tmp_path: Path) -> None:
    class Loses(tf.train.SessionRunHook):
        def __init__(self) -> None:
            self.sessions: list[Any] = []

        def after_create_session(self, session: Any, coord: Any) -> None:
            self.sessions.append(session)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            if len(self.sessions) == 1 and run_context.session.run(w) == 12.0:
                raise tf.errors.UnavailableError(message="a worker is lost")

    with tf.Graph().as_default():
        train, w = counting()
        hook = Loses()
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=tmp_path, hooks=[hook], save_checkpoint_steps=1
        ) as session:
            for _ in range(4):
                session.run(train)
            # the third run was lost with its checkpoint still to come, and was made once more
            assert session.run(w) == 16.0
    assert len(hook.sessions) == 2
    with tf.Graph().as_default():
        train, w = counting()
        with pytest.raises(tf.errors.UnavailableError), tf.train.MonitoredTrainingSession(hooks=[Loses()]) as session:
            for _ in range(4):
                session.run(train)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="One of num_steps or last_step must be specified"):
        tf.train.StopAtStepHook()
    with pytest.raises(ValueError, match="Only one of num_steps or last_step"):
        tf.train.StopAtStepHook(1, 2)
    other: Any = "hook"
    with tf.Graph().as_default():
        with pytest.raises(RuntimeError, match="Global step should be created to use StopAtStepHook"):
            tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(1)])
        with pytest.raises(tf.errors.UnimplementedError, match=r"is_chief=False\): this would be one of several"):
            tf.train.MonitoredTrainingSession(is_chief=False)
        with pytest.raises(ValueError, match="give save_checkpoint_secs or save_checkpoint_steps, not both"):
            tf.train.MonitoredTrainingSession(save_checkpoint_secs=1, save_checkpoint_steps=1)
        with pytest.raises(TypeError, match=r"'hook' is no tf\.train\.SessionRunHook"):
            tf.train.MonitoredSession(hooks=[other])


def test_a_singular_session_shows_its_session_and_ends_with_an_error_of_workers() -> None:
    calls: list[str] = []

    class Counted(tf.train.SessionRunHook):
        def before_run(self, run_context: object) -> None:
            calls.append("run")

    with tf.Graph().as_default():
        v = tf.Variable(3.0)

        def lost() -> float:
            raise tf.errors.UnavailableError(None, None, "a worker is gone")

        broken = tf.py_func(lost, [], tf.float32)
        with tf.train.SingularMonitoredSession([Counted()]) as session:
            assert session.run(v) == session.raw_session().run(v) == 3.0
            assert calls == ["run"]
            with pytest.raises(tf.errors.OpError):
                session.run(broken)
        with pytest.raises(RuntimeError, match="closed"):
            session.raw_session()


def test_summaries_are_written_every_few_steps_to_the_writer_that_is_given(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        step = tf.train.create_global_step()
        following = tf.assign_add(step, 1)
        with tf.summary.FileWriter(str(tmp_path / "given")) as writer:
            hook = tf.train.SummarySaverHook(3, output_dir=str(tmp_path / "other"), summary_writer=writer,
                                             summary_op=tf.summary.scalar("step", step))  # fmt: skip
            with tf.train.MonitoredSession(hooks=[hook]) as session:
                for _ in range(8):
                    session.run(following)
    (file,) = (tmp_path / "given").iterdir()
    events = tf.train.summary_iterator(str(file))
    assert [event.step for event in events if event.summary and event.summary.value] == [1, 4, 7]
    assert not (tmp_path / "other").exists()


def test_a_graph_has_one_global_step() -> None:
    with tf.Graph().as_default() as graph:
        tf.train.create_global_step()
        graph.add_to_collection("global_step", tf.Variable(0, name="other"))
        with pytest.raises(ValueError, match=r"holds 2 values: \['global_step:0', 'other:0'\]; there is one global"):
            tf.train.get_global_step()


def test_listeners_hear_of_checkpoints_and_may_stop_the_training(tmp_path: Path) -> None:
    heard: list[Any] = []

    class Listener(tf.train.CheckpointSaverListener):
        def begin(self) -> None:
            heard.append("begin")

        def before_save(self, session: Any, global_step_value: int) -> None:
            heard.append(("before", global_step_value))

        def after_save(self, session: Any, global_step_value: int) -> Any:
            heard.append(("after", global_step_value))
            return global_step_value >= 4

        def end(self, session: Any, global_step_value: int) -> None:
            heard.append(("end", global_step_value))

    with tf.Graph().as_default():
        step: Any = tf.train.get_or_create_global_step()
        more, x = tf.assign_add(step, 1), tf.placeholder(tf.int64, [])
        total = more + x
        last = tf.train.FinalOpsHook(step)
        hooks = [tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2, listeners=[Listener()]), last,
                 tf.train.FeedFnHook(lambda: {x: 10}), tf.train.GlobalStepWaiterHook(0)]  # fmt: skip
        with tf.train.MonitoredSession(hooks=hooks) as session:
            values = []
            while not session.should_stop():
                values.append(int(session.run(total)))
    assert values[:2] == [11, 12] and last.final_ops_values == len(values)
    assert heard[:3] == ["begin", ("before", 0), ("after", 0)] and heard[-1] == ("end", len(values))
    assert ("after", 2) in heard and len(values) < 8
    with pytest.raises(TypeError, match="write lambda"):
        tf.train.FeedFnHook({})  # type: ignore[arg-type]  # on purpose
