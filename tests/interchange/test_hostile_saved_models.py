"""Changed bytes in a SavedModel or a MetaGraph with its checkpoint end in an error of the package, or load."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import penstock as tf

from ..helpers import nightly


@pytest.mark.parametrize("turns", [3, *nightly([50])])
@pytest.mark.parametrize("of_model", [True, False])
def test_changed_bytes_of_a_model_give_errors_of_the_package(of_model: bool, turns: int, tmp_path: Path) -> None:
    model = tmp_path / "model"
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        y = tf.matmul(x, tf.Variable(np.ones((3, 2), "f"), name="v"))
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])
        tf.identity(tf.cond(tf.reduce_sum(y) > 0, lambda: y * 2.0, lambda: y - 1.0), name="y")
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, str(model), {"x": x}, {"y": y})
        meta = tf.train.Saver().save(session, str(tmp_path / "check"))

    def computed() -> bytes:
        try:
            with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
                if of_model:
                    tf.saved_model.loader.load(session, ["serve"], str(model))
                else:
                    saver = tf.train.import_meta_graph(f"{meta}.meta")
                    assert saver is not None
                    saver.restore(session, meta)
                return np.asarray(session.run("y:0", {"x:0": np.ones((1, 3))})).tobytes()
        except Exception as error:
            if type(error).__module__.startswith("penstock"):
                return b""
            raise

    right, rng = computed(), Random(5)
    assert right
    refused = 0
    for path in sorted(model.rglob("*.*")) if of_model else sorted(tmp_path.glob("check.*")):
        content = path.read_bytes()
        for turn in range(turns):
            damaged, at = bytearray(content), rng.randrange(len(content))
            if turn % 3 == 0:
                damaged[at] ^= 1 << rng.randrange(8)
            elif turn % 3 == 1:
                del damaged[at : at + rng.randrange(1, 9)]
            else:
                damaged[at:at] = rng.randbytes(rng.randrange(1, 9))
            path.write_bytes(damaged)
            refused += computed() == b""
        path.write_bytes(content)
    assert refused > turns and computed() == right
