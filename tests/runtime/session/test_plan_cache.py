"""The plans of a session: one for the same feeds in any order, the least recently used dropped first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.session.call_table import ORDERS

from ...helpers import placeholders, plans_of


@pytest.fixture
def five() -> Iterator[tuple[tf.Session, list[tf.Tensor], tf.Tensor]]:
    with tf.Graph().as_default() as graph:
        xs = [tf.placeholder(tf.float32, [2], name=f"x{i}") for i in range(5)]
        total = xs[0]
        for i, x in enumerate(xs[1:]):
            total = total * 2.0 - x * float(i)
    with tf.Session(graph=graph) as session:
        yield session, xs, total


def test_the_order_in_which_tensors_are_fed_makes_no_new_plan(
    five: tuple[tf.Session, list[tf.Tensor], tf.Tensor],
) -> None:
    session, xs, total = five
    values = {x: np.array([i, -i], np.float32) for i, x in enumerate(xs)}
    want = session.run(total, values)
    plan = session.plan(total, xs)
    for order in permutations(xs):
        for _ in range(2):
            assert np.array_equal(session.run(total, {x: values[x] for x in order}), want)
        assert session.plan(total, order) is plan
    assert len(plans_of(session)) == 1
    assert plans_of(session).calls.requests <= ORDERS * (session.config.plan_cache_size + 1)


def test_a_callable_takes_values_in_its_own_order(five: tuple[tf.Session, list[tf.Tensor], tf.Tensor]) -> None:
    session, xs, total = five
    values = [np.array([i, 7.0], np.float32) for i in range(5)]
    want = session.make_callable(total, xs)(*values)
    assert np.array_equal(session.make_callable(total, xs[::-1])(*values[::-1]), want)
    assert np.array_equal(session.make_callable(total, [*xs[2:], *xs[:2]])(*values[2:], *values[:2]), want)
    assert len(plans_of(session)) == 1


@pytest.mark.parametrize("how", ["trace", "metadata", "watch", "as device", "memory", "placement"])
def test_every_way_to_run_takes_feeds_in_any_order(
    how: str, five: tuple[tf.Session, list[tf.Tensor], tf.Tensor]
) -> None:
    session, xs, total = five
    values = {x: np.array([i, 2.0], np.float32) for i, x in enumerate(xs)}
    back = dict(reversed(values.items()))

    def result(fed: dict[tf.Tensor, np.ndarray]) -> object:
        if how == "trace":
            trace = session.trace(total, fed)
            return [trace.result.tolist(), {name: trace[name].tolist() for name in trace}]
        if how == "metadata":
            record = tf.RunMetadata()
            found = session.run(total, fed, run_metadata=record)
            return [found.tolist(), [step.node for step in record.steps]]
        if how == "watch":
            return session.run(total, fed, options=tf.RunOptions(watch=True)).tolist()
        if how == "as device":
            return session.run(total, fed, as_device=True).tolist()
        return str(session.memory(total, fed) if how == "memory" else session.placement(total, fed))

    assert result(values) == result(back)


def test_feeds_of_different_sizes_are_checked_in_any_order() -> None:
    with tf.Graph().as_default() as graph:
        x, y = placeholders(2, "n", dtype=tf.float32)
        total = x + y
    with tf.Session(graph=graph) as session:
        for fed in ({x: [1.0], y: [2.0]}, {y: [1.0], x: [2.0]}):
            assert session.run(total, fed).tolist() == [3.0]
        with pytest.raises(ValueError, match="two sizes in one run"):
            session.run(total, {y: [1.0, 2.0, 3.0], x: [2.0, 1.0]})


def test_a_plan_that_is_replaced_serves_every_order() -> None:
    with tf.Graph().as_default() as graph:
        x, y = placeholders(2, 2, dtype=tf.float32)
        difference, total = x - y, x + y
    with tf.Session(graph=graph) as session:
        fed = {x: [5.0, 4.0], y: [1.0, 2.0]}
        back = {y: fed[y], x: fed[x]}
        assert session.run(difference, fed).tolist() == session.run(difference, back).tolist() == [4.0, 2.0]
        session.replace_plan(difference, [y, x], session.plan(total, [x, y]))
        assert session.run(difference, fed).tolist() == session.run(difference, back).tolist() == [6.0, 6.0]
        session.replace_plan(difference, [x, y], session.plan(difference, [y, x]))
        assert session.run(difference, back).tolist() == [6.0, 6.0]


def test_a_plan_that_is_dropped_is_dropped_for_every_order() -> None:
    with tf.Graph().as_default() as graph:
        x, y = placeholders(2, 2, dtype=tf.float32)
        first, second = x - y, x + y
    with tf.Session(graph=graph, config=tf.SessionConfig(plan_cache_size=1)) as session:
        for order in ([x, y], [y, x]):
            plan = session.plan(first, order)
        session.plan(second, [x, y])
        assert plans_of(session).calls.requests == 0
        assert session.plan(first, [y, x]) is not plan
        assert len(plans_of(session)) == 1
        session.close()
        assert not plans_of(session).calls.requests


def test_a_tensor_its_name_and_a_list_of_it_share_a_plan(
    five: tuple[tf.Session, list[tf.Tensor], tf.Tensor],
) -> None:
    session, xs, total = five
    plan = session.plan(total, xs)
    for fetches in (total.name, [total], {"total": (total,)}):
        assert session.plan(fetches, xs) is plan
    assert session.plan(total.op, xs) is not plan
    assert session.plan([total, total], xs) is not plan


def structure_of(session: tf.Session, fetches: Any) -> Any:
    """The structure of fetches, the one that is kept if it is."""
    return plans_of(session).find(fetches, ())[1]


def test_the_structure_of_a_list_is_kept_but_not_the_list() -> None:
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    done = tf.group(a, b)
    fetches: list[Any] = [a, done, b]
    with tf.Session() as session:
        assert [session.run(fetches) for _ in range(2)] == [[1.0, None, 2.0]] * 2
        kept = structure_of(session, fetches)
        assert structure_of(session, [a, done, b]) is kept
        fetches[0] = "b:0"
        assert session.run(fetches) == [2.0, None, 2.0]
        assert structure_of(session, fetches) is not structure_of(session, fetches)  # of names none is kept
        assert structure_of(session, [a, done, b]) is kept
        assert session.run([a, [b, done]]) == [1.0, [2.0, None]]
        assert session.run((a, done)) == (1.0, None)
        with pytest.raises(tf.errors.FetchError):
            session.run([a, "nothing:0"])
    assert structure_of(session, [a, done, b]) is not structure_of(session, [a, done, b])  # a closed one keeps none
