"""Another thread writes into fed indices while an op works: nothing outside of its arrays is read or written.

The first tests make it certain: the array is spoiled right behind the check. What was checked is what is used, so the
result is that of the indices as they were. The last one lets a thread write as fast as it can, in a process of its own.
"""

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.graph.model.nodes import Tensor
from penstock.ops.index import dynamic_partition, multiplex, row_indexing
from penstock.ops.move import transpose_reverse

from ..op_samples import same

BAD = 1 << 30
COUNTS = (6, 40_000)
"""Few, and more than enough for the ways of many."""


@pytest.fixture(autouse=True)
def _plain() -> Iterator[None]:
    before = jit.mode
    jit.mode = "off"
    yield
    jit.mode = before


def programs(index: Tensor, count: int) -> dict[str, Callable[[], list[Tensor]]]:
    """What reads a vector of `count` indices below 3."""
    values = tf.range(count)
    column = tf.expand_dims(index, 1)
    table = tf.constant(np.arange(12.0).reshape(3, 4))
    return {
        "gather": lambda: [tf.gather(table, index)],
        "gather_nd": lambda: [tf.gather_nd(table, column)],
        "gather pairs": lambda: [tf.gather_nd(table, tf.concat(1, [column, column]))],
        "scatter_nd": lambda: [tf.scatter_nd(column, values, [3])],
        "rows": lambda: [tf.scatter_nd(column, tf.stack([values, values], 1), [3, 2])],
        "update": lambda: [tf.tensor_scatter_nd_update(tf.zeros([3], tf.int32), column, values)],
        "partition": lambda: tf.dynamic_partition(values, index, 3),
        "partition of many": lambda: tf.dynamic_partition(values, index, 20),
        "stitch": lambda: [tf.dynamic_stitch([index], [values])],
        "multiplex": lambda: [tf.multiplex([tf.stack([values + i, values], 1) for i in range(3)], column)],
        "reverse": lambda: [tf.reverse_sequence(tf.stack([values, values + 1, values + 2], 1), index, 1)],
    }


NAMES = list(programs(tf.placeholder(tf.int32, [6]), 6))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", NAMES)
def test_indices_that_change_behind_the_check_are_used_as_they_were(
    name: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = np.random.default_rng(count).integers(0, 3, count, np.int32)
    good[:3] = 0, 1, 2
    with tf.Graph().as_default() as graph:
        index = tf.placeholder(tf.int32, [count])
        fetches = programs(index, count)[name]()
        with tf.Session(graph=graph, config=tf.SessionConfig(passes=())) as session:
            want = session.run(fetches, {index: good})
            fed = good.copy()
            for module, check in (
                (row_indexing, "all_in_range"), (multiplex, "all_in_range"), (dynamic_partition, "stitched_shape"),
                (transpose_reverse, "check_lengths"),
            ):  # fmt: skip
                monkeypatch.setattr(module, check, spoiling(getattr(module, check), fed))
            got = session.run(fetches, {index: fed})
    assert all(map(same, got, want))


def spoiling(check: Callable[..., Any], fed: Any) -> Callable[..., Any]:
    """`check`, behind which another thread seems to have written."""

    def checked(*args: Any) -> Any:
        result = check(*args)
        fed[...] = BAD
        return result

    return checked


STRESS = """
    import sys, threading, time
    import numpy as np
    import penstock as tf

    tf.config.jit.mode = sys.argv[1]
    count = 60_000
    good = np.random.default_rng(0).integers(0, 3, count).astype(np.int32)
    bad = np.where(np.arange(count) % 7 == 0, np.int32(-(1 << 28)), good)
    index, mask = tf.placeholder(tf.int32, [count]), tf.placeholder(tf.bool, [count])
    values, column = tf.range(count), tf.expand_dims(index, 1)
    programs = [
        [tf.gather(values, index)], [tf.gather_nd(values, column)], [tf.scatter_nd(column, values, [3])],
        [tf.tensor_scatter_nd_update(tf.zeros([3], tf.int32), column, values)],
        tf.dynamic_partition(values, index, 3), tf.dynamic_partition(values, index, 20),
        [tf.dynamic_stitch([index], [values])], [tf.boolean_mask(values, mask)], list(tf.unique(index)),
        [tf.multiplex([tf.stack([values, values], 1)] * 3, column)],
        [tf.reverse_sequence(tf.stack([values] * 3, 1), index, 1)],
    ]
    fed, choice = good.copy(), good > 0
    stop = threading.Event()

    def write():
        while not stop.is_set():
            np.copyto(fed, bad)
            np.copyto(choice, True)
            np.copyto(fed, good)
            np.copyto(choice, False)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with tf.Session() as session:
            for _ in range(15):
                for program in programs:
                    try:
                        session.run(program, {index: fed, mask: choice})
                    except tf.errors.InvalidArgumentError:
                        pass
    finally:
        stop.set()
        writer.join()
"""


@pytest.mark.share(2)
@pytest.mark.parametrize("mode", ["off", "on"])
def test_a_thread_that_writes_fed_indices_all_the_time_cannot_make_an_op_leave_its_arrays(mode: str) -> None:
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(STRESS), mode], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
