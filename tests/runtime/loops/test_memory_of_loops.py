"""Stacks and buffers of loops come from the pool, which never hands out memory that a result still lies in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.ops.control.loop_stacks import LoopStack
from penstock.runtime.llvm import tier
from penstock.runtime.memory.buffer_pool import POOL

ROWS, SIZE = 40, 32  # all rows together are large enough for the pool


@pytest.fixture(params=["off", "now"], ids=["plain", "compiled"], autouse=True)
def mode(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "now" and tier.why_off():
        pytest.skip("the compiled tier is off")
    before, jit.mode = jit.mode, request.param
    with tf.Graph().as_default():
        yield
    jit.mode = before


def sums() -> tuple[Any, Any]:
    """Running sums of matrices: what is fed, and all of them."""
    x = tf.placeholder(tf.float32, [ROWS, SIZE, SIZE])
    return x, tf.scan(lambda total, row: total + row, x, tf.zeros([SIZE, SIZE]))


def test_a_stack_lies_in_memory_of_the_pool_and_keeps_its_rows_where_it_grows() -> None:
    stack = LoopStack(None)
    row = np.arange(4 * SIZE * SIZE, dtype=np.float32)
    for i in range(ROWS):
        stack.put(i, row + i)
    assert POOL.owns(stack.finished(64))
    assert np.array_equal(stack.finished(ROWS), row + np.arange(ROWS, dtype=np.float32)[:, None])


def test_a_further_run_needs_no_new_memory() -> None:
    x, totals = sums()
    values = np.ones((ROWS, SIZE, SIZE), np.float32)
    loss = tf.reduce_sum(totals)
    with tf.Session() as session:
        session.run(loss, {x: values})
        session.run(loss, {x: values})
        before = POOL.stats()
        session.run(loss, {x: values})
        after = POOL.stats()
    assert after.hits > before.hits
    assert after.misses == before.misses


def test_results_that_a_user_holds_stay_as_they_are() -> None:
    x, totals = sums()
    held = []
    with tf.Session() as session:
        for k in range(6):
            values = np.full((ROWS, SIZE, SIZE), float(k), np.float32)
            held.append(session.run([totals, totals[3:5]], {x: values}))
    for k, (all_rows, two) in enumerate(held):
        wanted = np.cumsum(np.full((ROWS, SIZE, SIZE), float(k), np.float32), 0)
        assert np.array_equal(all_rows, wanted)
        assert np.array_equal(two, wanted[3:5])


def test_a_view_of_a_result_keeps_its_memory() -> None:
    x, totals = sums()
    views = []
    with tf.Session() as session:
        for k in range(4):
            views.append(session.run(totals, {x: np.full((ROWS, SIZE, SIZE), float(k), np.float32)})[-1, 0])
    for k, view in enumerate(views):
        assert np.array_equal(view, np.full(SIZE, float(k * ROWS)))


def test_the_last_value_of_a_loop_variable_that_becomes_a_variable_is_not_overwritten() -> None:
    start = tf.placeholder(tf.float32, [256, 256])
    kept = tf.Variable(tf.zeros([256, 256]))
    _, last = tf.while_loop(lambda i, v: i < 7, lambda i, v: (i + 1, v + 1.0), [tf.constant(0), start])
    store = tf.assign(kept, last)
    with tf.Session() as session:
        session.run(store.op, {start: np.zeros((256, 256), np.float32)})
        fetched = [session.run(last, {start: np.full((256, 256), float(k), np.float32)}) for k in range(5)]
        assert np.array_equal(session.run(kept), np.full((256, 256), 7.0))
    for k, value in enumerate(fetched):
        assert np.array_equal(value, np.full((256, 256), k + 7.0))
