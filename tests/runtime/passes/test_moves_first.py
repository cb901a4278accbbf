"""Moves stand before the elementwise operations whose result they move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.passes import moves_first

X = np.random.default_rng(0).normal(size=(6, 8)).astype(np.float32)


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves_first, "FEWEST", 1)


def f(x: Any) -> Any:
    return x * 2.0 + 1.0


def ops(fetches: Any, feeds: Any) -> list[str]:
    with tf.Session(config=tf.SessionConfig(verify=True)) as session:
        return [step.op for step in session.plan(fetches, feeds).steps]


MOVES: dict[str, Callable[[Any], list[Any]]] = {
    "slice": lambda x: [tf.slice(x, [1, 2], [3, 4])],
    "index": lambda x: [x[1:-1, 3]],
    "reverse": lambda x: [tf.reverse(x, [True, False])],
    "transpose": lambda x: [tf.transpose(x)],
    "split": lambda x: tf.split(1, 2, x),
    "unpack": lambda x: tf.unpack(x),
    "gather": lambda x: [tf.gather(x, [3, 1, 1])],
}


@pytest.mark.parametrize("name", MOVES)
def test_what_a_move_leaves_out_is_not_computed(name: str) -> None:
    x = tf.placeholder(tf.float32, X.shape)
    moved = MOVES[name](f(x))
    made = ops(moved, [x])
    assert made[0] not in ("Fused", "Mul") and made[1:] == ["Fused"] * len(moved)
    with tf.Session(config=tf.SessionConfig(verify=True)) as session:
        got = session.run(moved, {x: X})
    with tf.Session(config=tf.SessionConfig(passes=())) as session:
        want = session.run(moved, {x: X})
    assert [(a.shape, a.tobytes()) for a in got] == [(a.shape, a.tobytes()) for a in want]
    assert not any(np.shares_memory(a, X) for a in got)


def test_the_result_keeps_its_name() -> None:
    x = tf.placeholder(tf.float32, X.shape)
    with tf.Session() as session:
        assert session.plan(tf.slice(f(x), [1, 2], [3, 4], name="cut"), [x]).steps[-1].node == "cut"
        assert "cut" in str(session.explain(tf.slice(f(x), [1, 2], [3, 4], name="cut"), [x]))


def test_a_move_stays_behind_what_is_read_elsewhere_or_may_fail() -> None:
    x, n = tf.placeholder(tf.float32, X.shape), tf.placeholder(tf.int32, X.shape)
    a = f(x)
    assert ops([a, tf.transpose(a)], [x]) == ["Fused", "Transpose"]
    assert ops([tf.transpose(7 // n)], [n])[-1] == "Transpose"
    assert ops([tf.matmul(a, tf.transpose(f(x * 3.0)))], [x]).index("Transpose") > 0
    assert ops([tf.gather(f(x), np.arange(100) % 6)], [x]) == ["Fused", "Gather"]


def test_a_row_beside_it_stays_where_it_is_for_rows_only() -> None:
    x, row = tf.placeholder(tf.float32, X.shape), tf.placeholder(tf.float32, [8])
    assert ops([tf.gather(x * row + 1.0, [3, 1])], [x, row]) == ["Gather", "Fused"]
    assert ops([tf.transpose(x * row + 1.0)], [x, row]) == ["Fused", "Transpose"]


def test_few_elements_are_moved_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    x = tf.placeholder(tf.float32, X.shape)
    assert ops([tf.transpose(f(x))], [x]) == ["Fused", "Transpose"]


JOINS: dict[str, Callable[[Any, Any], Any]] = {
    "concat": lambda a, b: tf.concat(0, [a, b]),
    "columns": lambda a, b: tf.concat(1, [a, b]),
    "stack": lambda a, b: tf.stack([a, b]),
    "pack": lambda a, b: tf.pack([a, b]),
}


@pytest.mark.parametrize("name", JOINS)
def test_of_the_gradient_of_a_join_only_needed_parts_are_computed(name: str) -> None:
    a, b = [tf.placeholder(tf.float32, X.shape, name=each) for each in "ab"]
    joined = JOINS[name](a, b)
    (slope,) = tf.gradients(tf.square(joined) * tf.exp(joined), b)
    both = tf.gradients(tf.square(joined) * tf.exp(joined), [a, b])
    with tf.Session(config=tf.SessionConfig(verify=True)) as session:
        (step,) = session.plan(slope, [a, b]).steps
        assert step.op == "Fused" and step.outputs and 0 not in step.inputs  # a is not read
        got, (_, want) = session.run(slope, {a: X, b: -X}), session.run(both, {a: X, b: -X})
    with tf.Session(config=tf.SessionConfig(passes=())) as session:
        plain = session.run(slope, {a: X, b: -X})
    assert got.tobytes() == want.tobytes() == plain.tobytes()


def test_a_part_that_is_read_by_a_product_is_computed_alone_too() -> None:
    a, b, w = [tf.placeholder(tf.float32, shape) for shape in ([6, 8], [6, 8], [8, 3])]
    _, part = tf.split(0, 2, tf.exp(f(tf.concat(0, [a, b]))))
    assert ops(tf.matmul(part, w), [a, b, w]) == ["Fused", "MatMul"]


def test_what_is_also_needed_as_a_whole_is_computed_as_a_whole() -> None:
    a, b = [tf.placeholder(tf.float32, X.shape) for _ in "ab"]
    whole = tf.exp(f(tf.concat(0, [a, b])))
    _, part = tf.split(0, 2, tf.square(whole))
    assert ops([part, tf.reduce_max(whole, 1)], [a, b]).count("Concat") == 1
