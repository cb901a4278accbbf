"""A loop variable keeps the sizes of its start that no iteration changes, and only these, once feeds have told them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.passes.known_sizes import with_known_sizes

from ...op_samples import same
from ..passes.stages import stage_of

AFTER = 1
SHAPES = [(2, 3), (3, 2), (3, 3), (1, 3), (2, 2)]


@pytest.fixture(autouse=True)
def _default() -> Any:
    with tf.Graph().as_default():
        yield


def operand(shape: tuple[int, ...], ranked: bool = True) -> tf.Tensor:
    """A placeholder whose sizes, or whose rank, nobody knows."""
    return tf.placeholder(tf.float32, [None] * len(shape) if ranked else None)


def loop(starts: Any, body: Any, steps: Any, ranked: bool = False) -> list[Any]:
    """The last values of variables that may have any shape, or any of two axes."""
    invariants = [tf.TensorShape([]), *[tf.TensorShape([None, None] if ranked else None)] * len(starts)]
    found: Any = tf.while_loop(lambda i, *v: i < steps, lambda i, *v: (i + 1, *body(*v)), [0, *starts], invariants)
    return list(found[1:])


def sizes_known(fetches: list[Any], feeds: list[Any], shapes: Any) -> list[Any]:
    """What a plan for these shapes knows of the fetches."""
    return [t.shape.raw for t in with_known_sizes(stage_of(fetches, feeds), shapes).fetches]


@pytest.mark.parametrize("ranked", [True, False])
def test_a_state_that_only_its_start_tells_of_keeps_its_sizes(ranked: bool) -> None:
    x, steps = operand((2, 3), ranked), tf.placeholder(tf.int32, [])
    (last,) = loop([x], lambda v: [tf.tanh(v) * 0.5], steps)
    assert last.shape.raw is None
    assert sizes_known([last], [x, steps], [(2, 3), ()]) == [(2, 3)]


def test_what_an_iteration_changes_is_given_up_and_so_is_what_follows_from_it() -> None:
    x, y, z = [operand((2, 3)) for _ in range(3)]
    steps = tf.placeholder(tf.int32, [])
    last = loop([x, y, z], lambda a, b, c: [tf.concat(0, [a, a]), tf.sin(a), c * 2.0], steps)
    grown, follows, stays = sizes_known(last, [x, y, z, steps], [(2, 3), (2, 3), (2, 3), ()])
    assert stays == (2, 3)
    assert grown is None and follows is None


def test_of_a_known_rank_the_sizes_that_an_iteration_changes_are_given_up() -> None:
    x, steps = operand((2, 3)), tf.placeholder(tf.int32, [])
    (last,) = loop([x], lambda v: [tf.concat(0, [v, v])], steps, ranked=True)
    ((rows, columns),) = sizes_known([last], [x, steps], [(2, 3), ()])
    assert columns == 3 and not isinstance(rows, int)


def test_variables_that_take_turns_keep_sizes_only_where_they_are_equal() -> None:
    x, y, steps = operand((2, 3)), operand((2, 3)), tf.placeholder(tf.int32, [])
    last = loop([x, y], lambda a, b: [b, a], steps)
    assert sizes_known(last, [x, y, steps], [(2, 3), (2, 3), ()]) == [(2, 3)] * 2
    assert sizes_known(last, [x, y, steps], [(2, 3), (3, 2), ()]) == [None] * 2


def test_an_iteration_that_would_fail_does_not_keep_a_loop_without_iterations_from_being_planned() -> None:
    x, steps = operand((2, 3), ranked=False), tf.placeholder(tf.int32, [])

    def turned(v: tf.Tensor) -> list[tf.Tensor]:
        result = tf.transpose(v)
        result.set_shape([2, 3])
        return [result]

    (last,) = loop([x], turned, steps)
    assert sizes_known([last], [x, steps], [(2, 3), ()]) == [None]
    with tf.Session(config=tf.SessionConfig(verify=True, check=True, specialise_after=AFTER)) as session:
        values = np.ones((2, 3), np.float32)
        for _ in range(AFTER + 2):
            assert same(session.run(last, {x: values, steps: 0}), values)
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(last, {x: values, steps: 1})


@pytest.mark.parametrize("seed", range(6))
def test_loops_whose_variables_keep_change_and_exchange_sizes_give_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 5))
    shapes = [SHAPES[i] for i in rng.integers(0, len(SHAPES), count)]
    changes: list[Callable[[Any], Any]] = [
        lambda v: v * 0.5, lambda v: tf.transpose(v), lambda v: tf.concat(0, [v, v])[1:], lambda v: v[:1],
        lambda v: tf.matmul(v, tf.transpose(v)), lambda v: tf.tile(v, [1, 2])[:, : tf.shape(v)[0]],
    ]  # fmt: skip
    rules = [(int(source), changes[int(which)]) for source, which in rng.integers(0, [[count, 6]] * count)]
    ranked = seed % 2 > 0
    feeds = [operand(shape, ranked or bool(rng.integers(2))) for shape in shapes]
    steps = tf.placeholder(tf.int32, [])
    last = loop(feeds, lambda *v: [change(v[source]) for source, change in rules], steps, ranked)
    values = [rng.standard_normal(shape, np.float32) for shape in shapes]
    for times in (0, 1, 3):
        fed = dict(zip([*feeds, steps], [*values, times], strict=True))
        with tf.Session(config=tf.SessionConfig(passes=(), specialise_after=0)) as session:
            plain = session.run(last, fed)
        with tf.Session(config=tf.SessionConfig(verify=True, check=True, specialise_after=AFTER)) as session:
            for _ in range(AFTER + 2):
                assert all(same(a, b) for a, b in zip(plain, session.run(last, fed), strict=True))
        known = sizes_known(last, [*feeds, steps], [*shapes, ()])
        assert all(size is None or _is(value.shape, size) for value, size in zip(plain, known, strict=True))


def _is(shape: tuple[int, ...], known: Any) -> bool:
    return len(shape) == len(known) and all(not isinstance(k, int) or k == s for s, k in zip(shape, known, strict=True))
