"""Records `partitioned/`: a checkpoint of partitioned variables and their slots, as TensorFlow's Saver writes it, and
`embeddings.npz`: what TensorFlow gives for the first programs of `tests.fuzz.embedding_programs`.

    python -m tests.golden_extra.record_partitioned

Run by an interpreter that has TensorFlow 2.21. `build` and `write` are run by the tests with Penstock too.
"""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from ..fuzz.embedding_programs import results

FOLDER = Path(__file__).parent / "partitioned"
PROGRAMS = 40


def build(tf: Any, parts: int, axis: int = 0) -> tuple[Any, Any]:
    """(a partitioned table, a step that trains it); and a variable of one part."""
    table = np.arange(24.0, dtype="f4").reshape(6, 4)
    with tf.variable_scope("emb"):
        v = tf.get_variable("table", initializer=tf.constant(table), partitioner=tf.fixed_size_partitioner(parts, axis))
    tf.get_variable("one", [3], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(1))
    rows = tf.nn.embedding_lookup(v, [0, 5], partition_strategy="div") if axis == 0 else v.as_tensor()
    return v, tf.train.AdagradOptimizer(0.5).minimize(tf.reduce_sum(tf.square(rows)))


def write(tf: Any, prefix: str) -> Any:
    """Train a step, save, and give the table."""
    with tf.Session() as session:
        v, step = build(tf, 3)
        session.run(tf.global_variables_initializer())
        session.run(step)
        tf.train.Saver().save(session, prefix, write_meta_graph=False, write_state=False)
        return session.run(v.as_tensor())


def main() -> None:
    """Record everything anew."""
    tensorflow = importlib.import_module("tensorflow")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with tensorflow.Graph().as_default():
        np.save(FOLDER / "table.npy", write(tensorflow.compat.v1, str(FOLDER / "model")))
    found: dict[str, Any] = {}
    for seed in range(PROGRAMS):
        with tensorflow.Graph().as_default():
            found |= results(tensorflow.compat.v1, seed)
    np.savez_compressed(Path(__file__).with_name("embeddings.npz"), **found)


if __name__ == "__main__":
    main()
