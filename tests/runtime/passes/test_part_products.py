"""Of a product that is split only the needed parts are computed, where that changes no bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
import penstock.compat.v1 as tf1
from penstock.runtime.passes import part_products

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


@pytest.fixture(autouse=True)
def all_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_products, "FEWEST", 1)


def numbers(*shape: int, kind: str = "f4") -> Any:
    return RNG.standard_normal(shape).astype(kind)


def shapes_of_products(session: tf.Session, fetches: Any, feeds: Any) -> list[Any]:
    plan = session.plan(fetches, feeds)
    return [plan.slots[step.outputs[0]].shape for step in plan.steps if step.op == "MatMul"]


def agree(fetches: list[Any], feeds: dict[Any, Any]) -> None:
    with tf.Session(config=tf.SessionConfig(passes=())) as session:
        want = session.run(fetches, feeds)
    with tf.Session(config=tf.SessionConfig(verify=True)) as session:
        got = session.run(fetches, feeds)
    assert [each.tobytes() for each in got] == [each.tobytes() for each in want]


def recurrent(steps: int = 3, units: int = 16) -> tuple[Any, Any, Any, Any]:
    """A loss of a recurrent network: its rows, weights and both kinds of gradients."""
    x = tf.placeholder(tf.float32, [steps, 8, units])
    w = tf.placeholder(tf.float32, [2 * units, units])
    h: Any = tf.placeholder(tf.float32, [8, units])
    start = h
    for i in range(steps):
        h = tf.tanh(tf.matmul(tf.concat(1, [x[i], h]), w))
    loss = tf.reduce_sum(tf.square(h))
    return x, w, start, loss


def test_the_gradient_of_fed_rows_is_not_computed_with_that_of_the_state() -> None:
    x, w, start, loss = recurrent()
    feeds = {x: numbers(3, 8, 16), w: numbers(32, 16) * 0.3, start: numbers(8, 16)}
    with tf.Session(config=tf.SessionConfig(verify=True)) as session:
        of_states = shapes_of_products(session, tf.gradients(loss, [w, start]), feeds)
        of_all = shapes_of_products(session, tf.gradients(loss, [w, start, x]), feeds)
    assert of_all.count((8, 32)) == 3 and of_states.count((8, 32)) == 0
    assert len(of_states) == len(of_all)
    agree(tf.gradients(loss, [w, start]), feeds)


def test_in_a_loop_too() -> None:
    x = tf.placeholder(tf.float32, [5, 8, 16])
    w, start = tf.placeholder(tf.float32, [32, 16]), tf.placeholder(tf.float32, [8, 16])
    states = tf.scan(lambda h, row: tf.tanh(tf.matmul(tf.concat(1, [row, h]), w)), x, start)
    slopes = tf.gradients(tf.reduce_sum(tf.square(states)), [w, start])
    feeds = {x: numbers(5, 8, 16), w: numbers(32, 16) * 0.3, start: numbers(8, 16)}
    with tf.Session() as session:
        assert "float32 (8, 32)" not in str(session.explain(slopes, feeds).plan)
    agree(slopes, feeds)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_every_layout_gives_the_bits_of_the_whole(axis: int, turned: tuple[bool, bool], kind: str) -> None:
    dtype = {"f4": tf.float32, "f8": tf.float64}[kind]
    a, b = numbers(*((40, 24) if turned[0] else (24, 40)), kind=kind), numbers(
        *((36, 40) if turned[1] else (40, 36)), kind=kind)  # fmt: skip
    x, y = tf.placeholder(dtype, a.shape), tf.placeholder(dtype, b.shape)
    product = tf.matmul(x, y, transpose_a=turned[0], transpose_b=turned[1])
    first, _, last = tf.split(axis, 3, product)
    agree([first, last], {x: a, y: b})
    sizes = [5, 7, (24, 36)[axis] - 12]
    agree([tf1.split(product, sizes, axis)[1]], {x: a, y: b})


def test_a_product_that_is_read_as_a_whole_too_stays_whole() -> None:
    x, y = tf.placeholder(tf.float32, [8, 16]), tf.placeholder(tf.float32, [32, 16])
    product = tf.matmul(x, y, transpose_b=True)
    part = tf.split(1, 2, product)[1]
    with tf.Session() as session:
        assert shapes_of_products(session, [part, product], [x, y]) == [(8, 32)]
        assert shapes_of_products(session, [part], [x, y]) == [(8, 16)]
        assert shapes_of_products(session, tf.split(1, 2, product), [x, y]) == [(8, 32)]


def test_where_a_trial_finds_other_bits_the_product_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_products, "parts_have_the_same_bits", lambda *_: False)
    x, y = tf.placeholder(tf.float32, [8, 16]), tf.placeholder(tf.float32, [32, 16])
    with tf.Session() as session:
        part = tf.split(1, 2, tf.matmul(x, y, transpose_b=True))[1]
        assert shapes_of_products(session, [part], [x, y]) == [(8, 32)]
