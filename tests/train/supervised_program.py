"""A program with a `tf.train.Supervisor`, and what it leaves behind. TensorFlow's side:

    python -m tests.train.supervised_program
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from importlib import import_module
from typing import Any


def report(tf: Any, folder: str) -> dict[str, Any]:
    """What three sessions of one program give, with `tf.compat.v1` of TensorFlow or of Penstock."""
    found: dict[str, Any] = {}
    for number in range(2):
        with tf.Graph().as_default():
            w = tf.get_variable("w", [], initializer=tf.ones_initializer())
            local = tf.get_variable("seen", [], initializer=tf.zeros_initializer(),
                                    collections=[tf.GraphKeys.LOCAL_VARIABLES])  # fmt: skip
            step = tf.train.get_or_create_global_step()
            train = tf.train.GradientDescentOptimizer(0.25).minimize(tf.square(w), global_step=step)
            tf.summary.scalar("w", w)
            sv = tf.train.Supervisor(logdir=folder, save_summaries_secs=1000, save_model_secs=1000)
            with sv.managed_session() as session:
                found[f"began {number}"] = [float(session.run(w)), int(session.run(step)), float(session.run(local))]
                for _ in range(3):
                    session.run(train)
                while not sv.saver.last_checkpoints:  # a thread saves at once
                    time.sleep(0.01)
                sv.saver.save(session, sv.save_path, global_step=sv.global_step)
                sv.summary_computed(session, session.run(sv.summary_op))
                found[f"stops {number}"] = sv.should_stop()
            found[f"stopped {number}"] = sv.should_stop()
    found["last"] = os.path.basename(tf.train.latest_checkpoint(folder))
    names = {re.sub(r"\.tfevents.*|-\d+\..*|-\d+$", "", name) for name in os.listdir(folder)}
    found["files"] = sorted(names)
    found["events"] = sorted({kind for path in os.listdir(folder) if "tfevents" in path
                              for kind in kinds(tf, os.path.join(folder, path))})  # fmt: skip
    found["errors"] = errors(tf)
    return found


def kinds(tf: Any, path: str) -> list[str]:
    """What an event file holds."""
    made = []
    for event in tf.train.summary_iterator(path):
        made += [f"summary {value.tag}" for value in event.summary.value]
        if event.HasField("session_log"):
            made.append(f"session {event.session_log.status} {os.path.basename(event.session_log.checkpoint_path)}")
        if event.HasField("graph_def"):
            made.append("graph")
    return made


def errors(tf: Any) -> list[str]:
    """How a session ends whose block raises an error, or comes to the end of its data."""
    made = []
    for error in (KeyError("k"), tf.errors.OutOfRangeError(None, None, "over"), None):
        with tf.Graph().as_default():
            v = tf.Variable(1.0)
            init = tf.no_op() if error is None else tf.global_variables_initializer()
            sv = tf.train.Supervisor(init_op=init)
            try:
                with sv.managed_session() as session:
                    session.run(v)
                    if error is not None:
                        raise error
            except (KeyError, RuntimeError) as raised:
                made.append(type(raised).__name__)
            else:
                made.append("no error")
    with tf.Graph().as_default():
        sv = tf.train.Supervisor()
        with sv.managed_session() as session:
            try:
                sv.summary_computed(session, b"")
            except RuntimeError as raised:
                made.append(str(raised).split(":")[0].rstrip("."))
    return made


def main() -> None:
    """TensorFlow's side."""
    tf = import_module("tensorflow").compat.v1
    tf.disable_eager_execution()
    with tempfile.TemporaryDirectory() as folder:
        json.dump(report(tf, folder), sys.stdout, indent=1)


if __name__ == "__main__":
    main()
