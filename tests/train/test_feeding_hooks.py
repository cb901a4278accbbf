"""Hooks that feed, compute at the end and wait, and listeners of checkpoints."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import penstock as tf


class Recorder(tf.train.CheckpointSaverListener):
    """Writes down what it is told, and asks to stop after a checkpoint of step `stop_at`."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.told: list[tuple[str, int]] = []
        self.stop_at = stop_at

    def begin(self) -> None:
        self.told.append(("begin", -1))

    def before_save(self, session: Any, global_step_value: int) -> None:
        self.told.append(("before", global_step_value))

    def after_save(self, session: Any, global_step_value: int) -> bool:
        self.told.append(("after", global_step_value))
        return global_step_value == self.stop_at

    def end(self, session: Any, global_step_value: int) -> None:
        self.told.append(("end", global_step_value))


def test_listeners_are_told_in_order_and_one_of_them_stops_the_training(tmp_path: Path) -> None:
    first, second = Recorder(stop_at=4), Recorder()
    with tf.Graph().as_default():
        counter: Any = tf.train.get_or_create_global_step()
        step = tf.assign_add(counter, 1)
        hook = tf.train.CheckpointSaverHook(tmp_path, save_steps=2, listeners=[first, second])
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            steps = 0
            while not session.should_stop():
                session.run(step)
                steps += 1
    assert steps == 4 and str(tf.train.latest_checkpoint(tmp_path)).endswith("model.ckpt-4")
    saves = [(kind, at) for at in (0, 2, 4) for kind in ("before", "after")]
    assert first.told == second.told == [("begin", -1), *saves, ("end", 4)]


def test_feeds_of_a_hook_and_what_is_computed_at_the_end() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        total = tf.Variable(0.0)
        add = tf.assign_add(total, x)
        numbers = iter([1.0, 2.0, 4.0])
        final = tf.train.FinalOpsHook([total, x], {x: 9.0})
        values: Any = final.final_ops_values
        assert values is None
        hooks = [tf.train.FeedFnHook(lambda: {x: next(numbers)}), final]
        with tf.train.MonitoredSession(hooks=hooks) as session:
            assert [float(session.run(add)) for _ in range(3)] == [1.0, 3.0, 7.0]
    values = final.final_ops_values
    assert [float(value) for value in values] == [7.0, 9.0]


def test_a_run_waits_for_the_step_of_others() -> None:
    with tf.Graph().as_default():
        step: Any = tf.train.get_or_create_global_step()
        bump = tf.assign_add(step, 1)
        with tf.train.SingularMonitoredSession(hooks=[tf.train.GlobalStepWaiterHook(3)]) as session:
            raw = session.raw_session()
            others = threading.Timer(0.1, lambda: [raw.run(bump) for _ in range(3)])
            others.start()
            assert session.run(step) == 3
            others.join()
            assert session.run(bump) == 4  # it waits once
