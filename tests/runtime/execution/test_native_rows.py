"""Steps on rows at given places are part of native blocks, with the bits, and the errors, of the steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.execution import block_search
from penstock.runtime.execution.native_blocks import NativeBlock
from penstock.runtime.kernels import native_row_forms
from penstock.runtime.kernels.loops.native_loops import find_at_once
from penstock.runtime.llvm.tier import why_off

from .test_native_blocks import blocks_in, data, program_of

pytestmark = pytest.mark.skipif(bool(why_off()), reason=why_off() or "the compiled tier is on")


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = jit.mode
    jit.mode = "now"
    monkeypatch.setattr(block_search, "AT_ONCE", (1, 2, 3))
    monkeypatch.setattr(block_search, "FEWEST", 1)
    monkeypatch.setattr(native_row_forms, "find_after", lambda name, *key, spent: find_at_once(name, *key))
    with tf.Graph().as_default():
        yield
    jit.mode = before


def apart_of(build: Callable[[], tuple[dict[Any, Any], list[Any]]]) -> list[str]:
    """Check that a program gives the same in blocks and step by step; the ops that are in no block."""
    found: dict[str, list[bytes]] = {}
    for mode in ("now", "off"):
        jit.mode = mode
        with tf.Graph().as_default():
            feeds, fetches = build()
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                results = [x for _ in range(5) for x in session.run(fetches, feeds) if x is not None]
                results += session.run(tf.global_variables())
                found[mode] = [x.tobytes() for x in results]
                program = program_of(session, fetches, feeds)
                if mode == "now":
                    assert blocks_in(session, fetches, feeds)
                    steps = program.joined_steps()
                    is_block = [isinstance(getattr(each.call, "__self__", each.call), NativeBlock) for each in steps]
                    places = [at for at, is_one in zip(steps.first, is_block, strict=True) if not is_one]
                    apart = [program.plan.steps[at].op for at in places]
    assert found["now"] == found["off"]
    return apart


INDEX = np.array([3, 0, 3, 7, 9, 3, 1, 0], "i4")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("inner", [(), (3,), (2, 5), (70,)])
@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_rows_are_gathered_and_added_up_in_a_block(dtype: str, inner: tuple[int, ...], kind: str) -> None:
    def build() -> tuple[dict[Any, Any], list[Any]]:
        x, ids = tf.placeholder(dtype, [10, *inner]), tf.placeholder(kind, [2, 4])
        rows = tf.gather(x + x, ids)
        feeds = {x: (data(10, *inner) * 9).astype(dtype), ids: INDEX.reshape(2, 4).astype(kind)}
        return feeds, [rows, tf.unsorted_segment_sum(rows * rows, ids, 10)]

    apart = apart_of(build)
    assert "Gather" not in apart and "UnsortedSegmentSum" not in apart


@pytest.mark.parametrize("how", ["scatter_sub", "scatter_add"])
def test_rows_of_a_variable_change_in_a_block(how: str) -> None:
    def build() -> tuple[dict[Any, Any], list[Any]]:
        v, ids = tf.Variable(data(10, 6)), tf.placeholder(tf.int32, [8])
        x = tf.placeholder(tf.float32, [8, 6])
        return {ids: INDEX, x: data(8, 6)}, [getattr(tf, how)(v, ids, tf.tanh(x * 2.0) + x).op, tf.reduce_sum(x * x, 0)]

    apart = apart_of(build)
    assert "CombineRows" not in apart


SLICES: dict[str, Callable[[Any], Any]] = {
    "first rows": lambda x: x[:3],
    "last rows": lambda x: x[3:],
    "columns": lambda x: x[:, 2:5],
    "a column": lambda x: x[:, 1],
    "every other row": lambda x: x[::2],
    "one row": lambda x: x[4],
    "a part": lambda x: x[1:4, 2:4],
    "backwards": lambda x: x[::-1],
}


@pytest.mark.parametrize("part", SLICES)
def test_gradients_of_slices_are_in_a_block(part: str) -> None:
    def build() -> tuple[dict[Any, Any], list[Any]]:
        x = tf.placeholder(tf.float32, [6, 5])
        y = tf.tanh(x * 2.0)
        z = SLICES[part](y)
        return {x: data(6, 5)}, [tf.gradients(z * z, x)[0], tf.matmul(y, y, transpose_b=True)]

    apart = apart_of(build)
    assert ("StridedSliceGrad" in apart) == (part == "backwards")


def test_parts_of_an_array_are_multiplied_reshaped_and_added_up_in_a_block() -> None:
    def build() -> tuple[dict[Any, Any], list[Any]]:
        x, w = tf.placeholder(tf.float32, [40, 33]), tf.placeholder(tf.float32, [32, 64])
        y = x * 2.0
        first, others = y[:, :1], y[:, 1:]
        products = [tf.matmul(others, w), tf.matmul(w, others, True, True)]
        wide = tf.expand_dims(first, 1) * tf.reshape(tf.matmul(others, w), [40, 1, 64])
        return {x: data(40, 33), w: data(32, 64)}, [
            *products, wide, tf.reshape(others, [32, 40]), tf.reshape(first, [40]),
            tf.reduce_sum(others, 0), tf.reduce_mean(others, 0),
        ]  # fmt: skip

    apart = apart_of(build)
    assert not {"Reshape", "MatMul", "Sum", "Mean"} & set(apart)


@pytest.mark.parametrize("wrong", [-1, 10, 2**31 - 1])
def test_an_index_that_is_out_of_range_is_the_error_of_the_step_and_changes_nothing(wrong: int) -> None:
    v, ids = tf.Variable(data(10, 6)), tf.placeholder(tf.int32, [8])
    rows = tf.gather(v, ids, name="rows")
    loss = tf.reduce_sum(rows * rows)
    fetches = [loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            session.run(fetches, {ids: INDEX})
        (block,) = blocks_in(session, fetches, {ids: INDEX})
        assert [test for _, test in block.layout.tests] == [native_row_forms.InRange(10)]  # one for both steps
        before = session.run(v)
        bad = INDEX.copy()
        bad[5] = wrong
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"(?s){wrong} is not in \[0, 10\).*rows"):
            session.run(fetches, {ids: bad})
        assert np.array_equal(session.run(v), before)
        session.run(fetches, {ids: INDEX})
        assert not np.array_equal(session.run(v), before)


def test_an_index_that_the_block_makes_begins_another_one() -> None:
    x, ids = tf.placeholder(tf.float32, [10, 6]), tf.placeholder(tf.int32, [8])
    rows = tf.gather(tf.tanh(x + 1.0), tf.maximum(ids, 0))
    fetches = [rows, tf.reduce_sum(rows * rows, 0)]
    feeds = {x: data(10, 6), ids: INDEX - 2}
    with tf.Session() as session:
        for _ in range(4):
            found = session.run(fetches, feeds)
        assert len(blocks_in(session, fetches, feeds)) == 2
        jit.mode = "off"
        assert all(np.array_equal(a, b) for a, b in zip(found, session.run(fetches, feeds), strict=True))
        jit.mode = "now"
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
            session.run(fetches, {**feeds, ids: INDEX + 9})


def test_ids_that_a_sum_leaves_out_end_no_run() -> None:
    """The run of which blocks are made has them already: what a block tests is narrower than what the op takes."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, ids = tf.placeholder(tf.float32, [5, 8]), tf.placeholder(tf.int32, [5])
        y = tf.square(tf.unsorted_segment_sum(tf.square(x - 1.0), ids, 3)) / tf.constant([[2.0], [3.0], [4.0]])
        values, places = np.arange(40, dtype=np.float32).reshape(5, 8), np.array([-1, 2, 0, -1, 2])
        want = np.zeros((3, 8), np.float32)
        for row, place in zip(np.square(values - 1), places, strict=True):
            if place >= 0:
                want[place] += row
        for _ in range(200):
            found = session.run(y, {x: values, ids: places})
        assert np.array_equal(found, np.square(want) / np.array([[2.0], [3.0], [4.0]], np.float32))
