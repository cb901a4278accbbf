"""`SessionConfig(check=True)`: what a checked run finds, and that it finds nothing where all is well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import InternalError
from penstock.graph.declare.memory_sharing import OWN, Sharing
from penstock.graph.declare.op_declaration import OPS

from ...helpers import op_of

CHECKED = tf.SessionConfig(check=True)
VALUES = np.arange(8192, dtype="f4")


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


def test_results_are_those_of_any_other_run() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    c = tf.sin(x) * 2.0
    turned = tf.reverse(c, [True])
    updated = tf.tensor_scatter_nd_update(c + 1.0, [[0]], [5.0])
    words = tf.gather(tf.constant(["a", "b"]), tf.cast(x > 3.0, tf.int32))
    fetches = [turned, tf.cumsum(updated), words, c]
    for config in (CHECKED, tf.SessionConfig(check=True, passes=()), tf.SessionConfig(check=True, arena=False)):
        got = tf.Session(config=config).run(fetches, {x: VALUES})
        want = tf.Session().run(fetches, {x: VALUES})
        assert all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))


def test_a_kernel_that_writes_its_operand_is_named() -> None:
    def writes(x: Any) -> Any:
        x[0] += 1
        return x.copy()

    x = tf.placeholder(tf.float32, [8192])
    with op_of(writes, fresh=True) as bad:
        y = bad(x + 1.0, name="bad")
        with pytest.raises(InternalError, match=r"'bad'.*its operand t.* changed"):
            tf.Session(config=CHECKED).run(y, {x: VALUES})


def test_a_kernel_that_writes_what_it_returned_before_is_found() -> None:
    kept = np.zeros(8192, "f4")

    def again(x: Any) -> Any:
        kept[:] = x
        return kept

    x = tf.placeholder(tf.float32, [8192])
    with op_of(again) as bad:
        a = bad(x + 1.0, name="first")
        b = bad(x + 2.0, name="second")
        with pytest.raises(InternalError, match=r"'second'.*which it does not read changed"):
            tf.Session(config=CHECKED).run(a + b, {x: VALUES})


@pytest.mark.parametrize(
    ("type", "wrong"),
    [
        ("Split", OWN),
        ("Transpose", OWN),
        ("Reshape", Sharing(((None, (1,)),))),
        ("CheckPartitions", Sharing(((None, (0,)),))),
    ],
)
def test_a_wrong_declaration_of_a_view_is_found(type: str, wrong: Sharing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OPS[type], "facts", replace(OPS[type].facts, sharing=wrong))
    x = tf.placeholder(tf.float32, ["n", 2])
    c = tf.tan(x)
    made = {
        "Split": lambda: tf.split(1, 2, c)[0],
        "Transpose": lambda: tf.transpose(c),
        "Reshape": lambda: tf.reshape(c, [-1]),
    }
    if type in made:
        y = tf.cumsum(made[type]() + 1.0)
    else:
        p = tf.maximum(tf.cast(x[:, 0], tf.int32), 0)
        rows = tf.dynamic_partition(tf.range(tf.shape(x)[0]), p, 2)
        parts = tf.dynamic_partition(c[:, 0], p, 2)
        y = tf.dynamic_stitch(rows, [parts[0] + 1.0, parts[1] * 2.0])
        assert "CheckPartitions" in [step.op for step in tf.Session().plan(y, [x]).steps]
    with pytest.raises(InternalError, match="shares memory with"):
        tf.Session(config=CHECKED).run(y, {x: np.zeros((4096, 2), "f4")})


def test_memory_that_is_given_up_is_filled_at_once() -> None:
    seen: list[Any] = []

    def hold(x: Any) -> Any:
        seen.append(x)
        return np.full_like(x, x.sum())

    x = tf.placeholder(tf.float32, [8192])
    with op_of(hold, fresh=True) as holding:
        y = holding(x + 1.0) + 1.0
        tf.Session(config=CHECKED).run(y, {x: VALUES})
    assert (seen[0].view(np.uint8) == 0xA5).all()


def test_what_a_kernel_keeps_by_its_declaration_is_not_filled() -> None:
    seen: list[Any] = []

    def hold(x: Any) -> Any:
        seen.append(x)
        return np.full_like(x, x.sum())

    x = tf.placeholder(tf.float32, [8192])
    with op_of(hold, keeps="x", fresh=True) as holding:
        y = holding(x + 1.0) + 1.0
        tf.Session(config=CHECKED).run(y, {x: VALUES})
    assert np.array_equal(seen[0], VALUES + 1)


def test_a_step_may_take_its_dying_operands_place_in_the_arena() -> None:
    x = tf.placeholder(tf.float64, ["n"])
    c = tf.tanh(tf.sin(x + 1.0) * 2.0)
    session = tf.Session(config=tf.SessionConfig(check=True, passes=()))
    y = tf.cumsum(tf.reverse(c, [True]))
    fed = np.arange(20_000.0)
    assert session.memory(y, {x: fed}).arena.in_place
    assert np.array_equal(session.run(y, {x: fed}), tf.Session().run(y, {x: fed}))


def test_feeds_may_share_memory_among_themselves() -> None:
    x, y = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.float32, ["n"])
    z = tf.reverse(x, [True]) + tf.reshape(y, [-1])
    got = tf.Session(config=CHECKED).run([z, tf.reshape(x, [2, -1])], {x: VALUES, y: VALUES})
    assert np.array_equal(got[0], VALUES[::-1] + VALUES)
