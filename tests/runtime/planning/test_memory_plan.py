"""A memory plan follows from live ranges, which are worked out once, and from the sizes of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.memory.buffer_pool import Pool
from penstock.runtime.planning import memory_plan
from penstock.runtime.planning.memory_plan import LiveRanges, plan_memory, sizes_of_feeds
from penstock.runtime.planning.offset_allocator import ArenaLayout, lay_out
from penstock.runtime.planning.plan import Plan


@pytest.fixture
def laid_out(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each layout that is worked out."""
    met: list[int] = []

    def counted(buffers: Any) -> ArenaLayout:
        met.append(1)
        return lay_out(buffers)

    monkeypatch.setattr(memory_plan, "lay_out", counted)
    return met


def chain() -> Plan:
    """Tanh steps and reverses, casts between them that make some values larger, and two that live long."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 16], name="x")
        y = tf.reverse(tf.tanh(x), [True, False])
        z = tf.cast(tf.tanh(y), tf.float64)
        for _ in range(5):
            z = tf.tanh(tf.reverse(tf.tanh(z), [False, True]))
        w = tf.reduce_sum(z, 1) + tf.cast(tf.reduce_sum(y, 1), tf.float64)
        session = tf.Session(graph=graph, config=tf.SessionConfig(passes=()))
        return session.plan(w, [x])


def sized(plan: Plan, rows: int) -> dict[Any, int]:
    return sizes_of_feeds(plan, ((rows, 16),))


def test_a_plan_for_new_sizes_is_the_one_that_is_made_from_scratch() -> None:
    plan = chain()
    lives = LiveRanges(plan, lambda step: True)
    for rows in (2, 64, 70, 500, 999, 1000, 4096):
        sizes = sized(plan, rows)
        found = lives.at(sizes)
        assert found == plan_memory(plan, sizes, lambda step: True), rows
        assert found.is_exact


def test_the_peak_is_the_most_bytes_that_are_alive_at_one_step() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        wide = tf.cast(tf.cumsum(x), tf.float64, name="wide")
        total = tf.reduce_sum(tf.cumsum(wide))
        plan = tf.Session(graph=graph, config=tf.SessionConfig(passes=())).plan(total, [x])
    constants = sum(plan.slots[slot].dtype.size for slot, _, _ in plan.constants)
    found = plan_memory(plan, sizes_of_feeds(plan, ((1000,),)), lambda step: False)
    assert found.peak == 2 * 8000 + constants
    assert plan.steps[found.peak_step].inputs[0] == next(s.outputs[0] for s in plan.steps if s.node == "wide")


def test_what_is_fetched_and_what_others_hold_has_no_place_in_the_arena() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        inner = tf.exp(x, name="inner")
        fetched = tf.sin(inner, name="fetched")
        view = tf.reshape(tf.cos(inner, name="seen"), [-1, 1], name="view")
        plan = tf.Session(graph=graph, config=tf.SessionConfig(passes=())).plan([fetched, view], [x])
    found = plan_memory(plan, sizes_of_feeds(plan, ((100_000,),)), lambda step: True)
    assert set(found.arena.offsets) == {step.outputs[0] for step in plan.steps if step.node == "inner"}


def test_batch_sizes_share_one_layout(laid_out: list[int]) -> None:
    plan = chain()
    lives = LiveRanges(plan, lambda step: True)
    for rows in (1024, 2048, 1024 * 7, 1024 * 1000):
        found = lives.at(sized(plan, rows))
        assert found.arena.total >= found.arena.minimum > rows
    assert len(laid_out) == 1


def test_live_ranges_of_a_program_are_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Plan] = []
    init = LiveRanges.__init__

    def counted(self: LiveRanges, plan: Plan, takes: Any) -> None:
        made.append(plan)
        init(self, plan, takes)

    monkeypatch.setattr(LiveRanges, "__init__", counted)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 8], name="x")
        inner = tf.tanh(tf.reverse(tf.tanh(x), [False, True]))
        y = tf.tanh(tf.reverse(inner, [True, False])) + tf.reverse(x, [False, True])
    with tf.Session(graph=graph) as session:
        for rows in (1000, 1001, 2000, 1000):
            array = np.linspace(0, 1, rows * 8, dtype=np.float32).reshape(rows, 8)
            expected = np.tanh(np.tanh(np.tanh(array)[:, ::-1])[::-1]) + array[:, ::-1]
            assert np.allclose(session.run(y, {x: array}), expected, atol=1e-6)
    assert len(made) == 1


def test_a_run_takes_one_block_for_all_values_whose_step_writes_where_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 8], name="x")
        y = x
        for _ in range(6):
            y = tf.tanh(y) * 2.0
        total = tf.reduce_sum(y)
    array = np.linspace(-1, 1, 80_000, dtype="f4").reshape(-1, 8)
    found = []
    for arena in (True, False):
        with tf.Session(graph=graph, config=tf.SessionConfig(passes=(), arena=arena)) as session:
            taken: list[int] = []
            with monkeypatch.context() as patch:
                patch.setattr(Pool, "empty", counting(Pool.empty, taken))
                found.append(session.run(total, {x: array}))
            assert taken == [array.nbytes] * (1 if arena else 12)
    assert found[0] == found[1]


def counting(empty: Any, taken: list[int]) -> Any:
    """`Pool.empty`, which notes the bytes of what it makes."""

    def counted(self: Pool, shape: Any, dtype: Any) -> Any:
        made = empty(self, shape, dtype)
        taken.append(made.nbytes)
        return made

    return counted


def test_only_a_plain_name_is_read_off_the_shape_of_a_feed() -> None:
    """Of a feed of shape (2*n + 1,) or (2*n,) the size of n would be another number than that of its dimension."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        twice = tf.concat(0, [x, x], name="twice")
        more = tf.pad(x, [[0, 1]], name="more")
        plan = tf.Session(graph=graph, config=tf.SessionConfig(passes=())).plan([twice, more], [x])
    by_node = {step.node: step.outputs[0] for step in plan.steps}
    ((symbol, _),) = sizes_of_feeds(plan, ((5,),)).items()
    for node, length in (("twice", 10), ("more", 6)):
        fed = replace(plan, feeds=((f"{node}:0", by_node[node]),))
        assert plan.slots[by_node[node]].shape != plan.slots[plan.feeds[0][1]].shape
        assert sizes_of_feeds(fed, ((length,),)).get(symbol, 5) == 5, node


def test_results_of_a_loop_are_counted_and_what_its_bodies_keep_is_named() -> None:
    with tf.Graph().as_default() as graph:
        start = tf.placeholder(tf.int32, [4], name="start")
        last, steps = tf.while_loop(
            lambda n, k: tf.reduce_any(n > 1), lambda n, k: (n // 2, k + 1), [start, 0], name="halved"
        )
    with tf.Session(graph=graph) as session:
        plan = session.memory([last, steps], {start: np.ones(4, np.int32)})
        inside = session.memory(start + 1, {start: np.ones(4, np.int32)})
    results = {plan.names[b.slot]: b for b in plan.buffers if plan.names[b.slot].startswith("halved:")}
    assert [b.size for b in results.values()] == [16, 4, 8]
    assert all(b.root == b.slot for b in results.values())
    assert [b.last for b in results.values()] == [plan.steps, plan.steps, 0]
    assert plan.peak == 16 + 4 + 16 + 4 + 8
    assert plan.bodies == ("halved",) and "peak at least" in str(plan) and "is not in the peak" in str(plan)
    assert not plan.is_exact and inside.is_exact and not inside.bodies
    cost = graph.cost(last)
    assert cost.bodies == ("halved",) and "halved: its graphs are counted once each" in str(cost)
    assert "(0% of" not in str(cost)
