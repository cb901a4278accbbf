"""Golden plans of known programs, as text files; a change of one is a decision that shows in the diff.

`PENSTOCK_UPDATE_GOLDEN=1 python -m pytest tests/runtime/planning/test_plan_golden.py` writes them anew.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

FOLDER = Path(__file__).parent.parent.parent / "golden_files" / "plans"
Program = tuple[Any, dict[tf.Tensor, Any]]  # what is fetched, and what is fed


def stitched_pages_program() -> Program:
    """The dynamic_stitch page: add 1 to what is not -1."""
    x = tf.placeholder(tf.float32, ["n"], name="x")
    mask = tf.cast(tf.not_equal(x, tf.constant(-1.0)), tf.int32)
    parts = tf.dynamic_partition(x, mask, 2)
    parts[1] = parts[1] + 1.0
    where = tf.dynamic_partition(tf.range(tf.shape(x)[0]), mask, 2)
    return tf.dynamic_stitch(where, parts, name="joined"), {x: np.zeros(1000, "f4")}


def updates_in_place() -> Program:
    """Two updates of a value nobody else reads, and one of a feed."""
    x = tf.placeholder(tf.float32, ["n"], name="x")
    at = tf.placeholder(tf.int32, ["m", 1], name="at")
    value = tf.sqrt(x, name="root")
    for name in ("first", "second"):
        value = tf.tensor_scatter_nd_update(value, at, tf.cast(at[:, 0], tf.float32), name=name)
    return [value, tf.tensor_scatter_nd_update(x, at, x[: tf.shape(at)[0]], name="fed")], {
        x: np.zeros(5000, "f4"),
        at: np.zeros((3, 1), "i4"),
    }


def layers() -> Program:
    """Matrix products with elementwise groups between them: buffers of the arena, one after the other."""
    x = tf.placeholder(tf.float32, ["batch", 64], name="x")
    for i in range(3):
        with tf.name_scope(f"layer{i}"):
            weights = tf.constant(np.full((64, 64), 0.01, "f4"), name="weights")
            x = tf.relu(tf.matmul(x, weights) * 2.0 + 1.0)
    return tf.reduce_sum(tf.squared_difference(x, 1.0), 1, name="loss"), {
        tf.get_default_graph().get_tensor_by_name("x:0"): np.zeros((128, 64), "f4")
    }


@pytest.mark.parametrize("program", [stitched_pages_program, updates_in_place, layers])
def test_the_plan_of_a_known_program_is_the_recorded_one(program: Callable[[], Program]) -> None:
    with tf.Graph().as_default():
        fetches, feeds = program()
        with tf.Session(config=tf.SessionConfig(verify=True)) as session:
            found = f"{session.plan(fetches, list(feeds))}\n\n{session.memory(fetches, feeds)}\n"
            session.run(fetches, feeds)
    file = FOLDER / f"{program.__name__}.txt"
    if os.environ.get("PENSTOCK_UPDATE_GOLDEN"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        file.write_text(found, encoding="utf-8")
    assert found == file.read_text(encoding="utf-8")
