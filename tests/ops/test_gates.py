"""with_dependencies, tuple, and programs of random effects: what runs, and in which order."""

import random
from functools import partial
from typing import Any

import numpy as np
import pytest

import penstock as tf

from ..helpers import nightly


def test_with_dependencies_runs_them_first() -> None:
    ran: list[str] = []
    with tf.Graph().as_default(), tf.Session() as session:
        late = tf.py_func(lambda: ran.append("late"), [], [])
        x = tf.constant([1.0, 2.0])
        y = tf.with_dependencies([late], x)
        assert (y.name, y.shape.as_list()) == ("control_dependency:0", [2])
        assert session.run(y).tolist() == [1, 2]
        assert ran == ["late"]
        assert session.run(tf.with_dependencies([late], 3.0)) == 3


def test_a_tuple_has_all_or_nothing() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        check = tf.Assert(x > 0.0, [x])
        slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))
        a, nothing, b, rows = tf.tuple([x, None, x * 2.0, slices], control_inputs=[check])
        assert nothing is None and a.name == "tuple/control_dependency:0" and b.dtype is tf.float32
        assert isinstance(rows, tf.IndexedSlices)
        assert session.run([a, b], {x: 2.0}) == [2, 4]
        for each in (a, b, rows.values):
            with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
                session.run(each, {x: -2.0})
        before = len(graph.get_operations())
        with pytest.raises(ValueError, match="at least one tensor"):
            tf.tuple([None])
        with pytest.raises(TypeError):
            tf.tuple([x, "x"])
        assert len(graph.get_operations()) == before


WAYS: list[dict[str, Any]] = [
    {"passes": ()}, {"passes": None}, {"passes": None, "threads": 1}, {"passes": None, "threads": 4},
    {"passes": ("merge", "fold")}, {"passes": None, "verify": True}, {"passes": None, "check": True},
    {"passes": None, "arena": False},
]  # fmt: skip


@pytest.mark.parametrize("seed", [*range(16), *nightly(range(16, 40))])
def test_random_programs_run_their_effects_once_in_the_order_of_creation(seed: int) -> None:
    """Effects run once if a fetch needs them, in the order of creation; a failing check stops all effects after it."""
    rng = random.Random(seed)
    ran: list[int] = []
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [64, 64], name="x")
        tensors: list[tf.Tensor] = [x, tf.constant(np.full((64, 64), 2.0, "f4"))]
        effects: dict[int, Any] = {}
        for i in range(rng.randint(5, 25)):
            a, b = rng.choice(tensors), rng.choice(tensors)
            before = rng.sample([t.op for t in tensors], rng.randint(0, min(2, len(tensors))))
            with tf.control_dependencies(before if rng.random() < 0.4 else []):
                match rng.randint(0, 6):
                    case 0 | 1:
                        made = tf.py_func(partial(noting, i, ran), [a], tf.float32, name=f"effect{i}")
                        made.set_shape([64, 64])
                        effects[i] = made.op
                    case 2:
                        made = tf.matmul(a, b) / 64.0
                    case 3:
                        made = tf.tanh(a) * 0.5 + b
                    case 4:
                        made = tf.with_dependencies([tf.Assert(tf.reduce_all(tf.is_finite(a)), [a])], b)
                    case 5:
                        made = a + b
                    case _:
                        made, _ = tf.tuple([a, b])
            tensors.append(made)
        fetches = rng.sample(tensors[2:], rng.randint(1, 3))
        fed = [t for t in tensors[2:] if t not in fetches and rng.random() < 0.1]
        value = np.linspace(-1, 1, 64 * 64, dtype="f4").reshape(64, 64)
        feeds = {x: value} | dict.fromkeys(fed, value)
        expected = sorted(i for i, op in effects.items() if op in needed([f.op for f in fetches], {t.op for t in fed}))
        first = None
        for way in WAYS:
            ran.clear()
            with tf.Session(graph=graph, config=tf.SessionConfig(**way)) as session:
                got = session.run(fetches, feeds)
            assert ran == expected, f"seed {seed}, {way}: ran {ran}, expected {expected}\n{graph.summary()}"
            first = first or got
            for left, right in zip(first, got, strict=True):
                np.testing.assert_array_equal(left, right)


def noting(number: int, ran: list[int], value: Any) -> Any:
    ran.append(number)
    return value


def needed(targets: Any, fed: Any) -> set[Any]:
    """The operations that a run of `targets` needs: by inputs that are not fed, and by control inputs.

    All tensors here have one output, so an operation whose output is fed does not run unless a control input asks.
    """
    found: set[Any] = set()
    waiting = [op for op in targets if op not in fed]
    while waiting:
        op = waiting.pop()
        if op not in found:
            found.add(op)
            waiting += [t.op for t in op.inputs if t.op not in fed]
            waiting += op.control_inputs  # also one whose output is fed
    return found
