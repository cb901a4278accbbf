"""Records `models/`: a graph with variables of both kinds and a checkpoint of it, by TensorFlow's own Saver.

    python -m tests.golden_extra.record_models

Run by an interpreter that has TensorFlow 2.21.
"""

from __future__ import annotations

import importlib
import json
import shutil
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "models"


def build(tf: Any) -> None:
    """A linear model with a reference and a handle, a counter, and updates of them."""
    x = tf.placeholder_with_default([[1.0, 2.0]], [None, 2], name="x")
    w = tf.Variable([[0.5], [-1.0]], name="layer/w", use_resource=False)
    b = tf.get_variable("layer/b", initializer=[0.25], use_resource=True)
    step = tf.Variable(7, name="step", trainable=False, use_resource=False)
    out = tf.identity(tf.matmul(x, w) + b, name="out")
    tf.add_to_collection("outputs", out)
    with tf.control_dependencies([tf.assign_add(w, [[0.5], [0.5]]), b.assign_sub([0.25])]):
        after = tf.identity(w.read_value(), name="after")
        also = tf.identity(b.read_value(), name="also")
    with tf.control_dependencies([after, also]):
        tf.group(tf.assign_add(step, 1), tf.scatter_update(w, [0], [[9.0]]), name="train")
    tf.global_variables_initializer()


def main() -> None:
    """Record everything anew."""
    tf = importlib.import_module("tensorflow").compat.v1
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with tf.Graph().as_default(), tf.Session() as session:
        build(tf)
        saver = tf.train.Saver()
        session.run("init")
        session.run("train")
        saver.save(session, str(FOLDER / "linear"), write_state=False)
        told = {"out": session.run("out:0").tolist()}
        told["after"], told["also"] = (each.tolist() for each in session.run(["after:0", "also:0"]))
        saver.restore(session, str(FOLDER / "linear"))
        told["variables"] = [session.run(v).tolist() for v in tf.global_variables()]
    (FOLDER / "linear.json").write_text(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
