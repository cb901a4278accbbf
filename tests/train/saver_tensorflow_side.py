"""What TensorFlow makes of a checkpoint and its graph: run by its own interpreter, never imported by the tests.

    python saver_tensorflow_side.py PREFIX

Imports PREFIX.meta, restores PREFIX, runs "out:0" and "train", saves again to PREFIX-theirs, and prints the values.
"""

from __future__ import annotations

import importlib
import json
import sys


def main(prefix: str) -> None:
    """Import, restore, run and save."""
    tf = importlib.import_module("tensorflow").compat.v1
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(prefix + ".meta")
        saver.restore(session, prefix)
        before = session.run("out:0").tolist()
        session.run("train")
        after = session.run("out:0").tolist()
        names = [v.name for v in tf.global_variables()]
        values = [session.run(v).tolist() for v in tf.global_variables()]
        saver.save(session, prefix + "-theirs")
        with tf.Session() as other_session:
            other_session.run("init")
            fresh = other_session.run("out:0").tolist()
        trainable = [v.name for v in tf.trainable_variables()]
        other = [t.name for t in tf.get_collection("outputs")] + tf.get_collection("numbers")
    print(json.dumps([before, after, names, values, fresh, trainable, other]))


if __name__ == "__main__":
    main(sys.argv[1])
