"""A run fails with the default passes wherever it fails without any.

A pass may use what it knows of a value, but an op that may fail in the run must still run. Every op's samples and every
rule's example are fed with other values than they were made for, and the outcomes compared.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.runtime.passes.rules.rule import Rule
from penstock.runtime.passes.rules.rule_table import RULES

from ..helpers import at_most, every_case, op_of, shares
from ..op_samples import USERS_OPS, Call, calls, runnable
from .passes.rules import EXAMPLES, NEAR_MISSES

Feeds = Mapping[Tensor, Any]


def outcome(session: tf.Session, fetches: Sequence[Tensor], feeds: Feeds) -> str:
    try:
        session.run(list(fetches), dict(feeds))
    except (tf.errors.OpError, ValueError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return "values"


PLAIN, DEFAULT = tf.SessionConfig(passes=()), tf.SessionConfig(verify=True)
Sessions = tuple[tf.Session, tf.Session]


@contextmanager
def sessions_of(graph: tf.Graph) -> Iterator[Sessions]:
    """Sessions without passes and with the default ones; each plans once for all values that are fed."""
    with tf.Session(graph=graph, config=PLAIN) as plain, tf.Session(graph=graph, config=DEFAULT) as default:
        yield plain, default


def lost(what: str, sessions: Sessions, fetches: Sequence[Tensor], feeds: Feeds) -> Iterator[str]:
    plain, default = (outcome(session, fetches, feeds) for session in sessions)
    if plain != default:
        yield f"{what} fed {[np.asarray(v).tolist() for v in feeds.values()]}: {plain}, with passes {default}"


# ---- what the graphs are fed --------------------------------------------------------------------


def other_values(array: Any) -> Iterator[Any]:
    """Values that are likely to be errors, of the same shape and dtype."""
    if array.dtype.kind not in "iu" or not array.size:
        return
    yield array
    for number in (0, 1, 3, 97):
        yield np.full_like(array, number)
    if array.dtype.kind == "i":
        yield np.full_like(array, -1)
        yield np.full_like(array, -97)


def behind(tensors: Sequence[Tensor]) -> Iterator[Sequence[Tensor]]:
    """What may be fetched of an op's results: all, each, and numbers that follow from their shapes or entries."""
    yield tensors
    for tensor in tensors:
        yield [tf.shape(tensor)]
        if tensor.dtype.is_integer and tensor.shape.ndims == 1:
            yield [tensor[:1] * 2]
        if tensor.shape.raw:
            yield [tf.shape(tensor)[-1] + 1]


@shares(1)
@every_case(
    "type", sorted(t for t, op in USERS_OPS.items() if not op.facts.must_feed and op.operands), parts=8, by_day=1
)
def test_an_op_fed_with_other_numbers_fails_with_passes_where_it_fails_without(type: str, most: int) -> None:
    samples = at_most(filter(runnable, calls(USERS_OPS[type])), most)
    lines = [line for call in samples for line in lost_of(call)]
    assert not lines, "\n".join(lines[:10])


def lost_of(call: Call) -> Iterator[str]:
    for place in call.free:
        array = call.array(place)
        for static in (list(array.shape), [None] * array.ndim):
            values = list(other_values(array))
            if not values:
                continue
            with tf.Graph().as_default() as graph:
                fed = tf.placeholder(array.dtype, static)
                try:
                    tensors = call.build({place: fed})
                except ValueError:
                    continue  # an op that has to know more
                every = list(behind(tensors)) if tensors else []
            with sessions_of(graph) as sessions:
                for fetches, value in itertools.product(every, values):
                    yield from lost(f"{call} {place}", sessions, fetches, {fed: value})


each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@each_rule
def test_the_graphs_of_a_rule_fed_with_other_numbers_fail_with_passes_where_they_fail_without(rule: Rule) -> None:
    with tf.Graph().as_default():
        examples = [EXAMPLES[rule.name](), *NEAR_MISSES.get(rule.name, tuple)()]
    lines: list[str] = []
    for example in examples:
        with sessions_of(example.fetches[0].graph) as sessions:
            for tensor, value in example.feeds.items():
                for other in (*other_values(np.asarray(value, tensor.dtype.np)), *other_sizes(tensor, value)):
                    lines += lost(rule.name, sessions, example.fetches, {**example.feeds, tensor: other})
            for rows in (0, 1, 5):  # of all at once
                sized = {t: np.resize(np.asarray(v, t.dtype.np), resized(t, v, rows)) for t, v in example.feeds.items()}
                lines += lost(rule.name, sessions, example.fetches, sized)
    assert not lines, "\n".join(lines[:10])


def other_sizes(tensor: Tensor, value: Any) -> Iterator[Any]:
    """Arrays of other sizes that `tensor` may be fed."""
    array = np.asarray(value, tensor.dtype.np)
    for rows in (0, 1, 5):
        for axis in range(array.ndim):
            shape = (*array.shape[:axis], rows, *array.shape[axis + 1 :])
            if tensor.shape.is_compatible_with(shape):
                yield np.zeros(shape, array.dtype)


def resized(tensor: Tensor, value: Any, rows: int) -> tuple[int, ...]:
    """The shape of `value` with every dimension that has a name of `rows`."""
    known = tensor.shape.raw or np.shape(value)
    return tuple(d if isinstance(d, int) else rows for d in known)


# ---- the cases that were lost -------------------------------------------------------------------


@pytest.fixture
def k() -> Iterator[Tensor]:
    with tf.Graph().as_default():
        yield tf.placeholder(tf.int32, [], name="k")


def fails(fetch: Tensor, feeds: Feeds, words: str) -> None:
    with tf.Session(graph=fetch.graph) as session, pytest.raises(tf.errors.InvalidArgumentError, match=words):
        session.run(fetch, dict(feeds))


def test_a_reshape_of_known_entries_to_a_fed_shape_fails_where_the_sizes_do_not_fit(k: Tensor) -> None:
    fails(tf.reshape(tf.constant([4, 5]), [k]), {k: 3}, "has 3")


def test_a_number_of_known_value_with_a_dimension_inserted_at_a_fed_place_fails_out_of_range(k: Tensor) -> None:
    fails(tf.expand_dims(5, k), {k: 9}, "Tried to expand dim index 9")


def test_known_vectors_joined_along_a_fed_dimension_fail_out_of_range(k: Tensor) -> None:
    fails(tf.concat(k, [[4], [5]]), {k: 7}, "in the range")


def test_a_quotient_of_sizes_fails_where_the_size_is_zero() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n"])
        n = tf.shape(x)[0]
        fails(n * 2 // n, {x: []}, "division by zero")


def test_what_follows_from_known_entries_does_not_hide_that_they_come_from_a_failing_op(k: Tensor) -> None:
    y = tf.reshape(tf.constant([4, 5]), [k])
    fails(y[0] + 1, {k: 3}, "has 3")
    fails(tf.shape(tf.zeros(y)), {k: 3}, "has 3")


def test_the_shape_of_a_result_does_not_hide_that_its_op_fails(k: Tensor) -> None:
    fails(tf.shape(tf.gather([[1, 2]], [k])), {k: 7}, r"is not in \[0, 1\)")


def test_a_permutation_known_through_a_failing_op_does_not_hide_it(k: Tensor) -> None:
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    perm = tf.concat(k, [[0], [1]])
    fails(tf.transpose(x, perm), {x: np.ones((2, 2)), k: 7}, "in the range")


def test_a_value_known_through_an_op_that_cannot_fail_needs_no_step() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 6])
        y = tf.reshape(tf.transpose(x), [-1])
        known = tf.shape(tf.reshape(y, [6, -1]))[0] + tf.shape(x * 2.0)[1]
        with tf.Session(graph=graph) as session:
            assert len(session.plan(known, [x]).steps) == 0


def test_an_op_with_effects_runs_though_only_the_shape_of_its_result_is_read() -> None:
    seen: list[Any] = []

    def note(x: Any) -> Any:
        seen.append(x)
        return x

    with tf.Graph().as_default() as graph, op_of(note, stateful=True) as effect:
        x = tf.placeholder(tf.float32, [2])
        number = tf.shape(effect(x))
        with tf.Session(graph=graph) as session:
            session.run(number, {x: [1.0, 2.0]})
    assert len(seen) == 1
