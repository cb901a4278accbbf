"""What a run needs and nothing else; networkx says what is reachable."""

from __future__ import annotations

import networkx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.runtime.passes.pipeline import prune

from ...helpers import names


def graph_of(links: list[tuple[int, int, bool]]) -> list[tf.Tensor]:
    """A tensor for each entry, made of two earlier ones or waiting for two earlier ones."""
    made = [tf.placeholder(tf.float32, [], name="n0")]
    for i, (a, b, control) in enumerate(links, 1):
        x, y = made[a % i], made[b % i]
        if control:
            with tf.control_dependencies([x, y]):
                made.append(tf.placeholder(tf.float32, [], name=f"n{i}"))
        else:
            made.append(tf.add(x, y, name=f"n{i}"))
    return made


links = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.booleans()), max_size=25)
picks = st.lists(st.integers(0, 99), max_size=4)


@given(links, picks, picks, picks)
def test_what_is_kept_is_what_can_be_reached_without_passing_a_feed(
    spec: list[tuple[int, int, bool]], fetched: list[int], targets: list[int], fed: list[int]
) -> None:
    with tf.Graph().as_default() as g:
        made = graph_of(spec)
        tensors = [made[i % len(made)] for i in fetched]
        operations = [made[i % len(made)].op for i in targets]
        cut = {made[i % len(made)] for i in fed}
        view = g.to_networkx()
        # A feed cuts the data edges out of its node; who waits for the node itself still does.
        view.remove_edges_from(
            [(a, b, k) for a, b, k, data in view.edges(keys=True, data=True)
             if data["kind"] == "data" and g.get_tensor_by_name(data["tensor"]) in cut]
        )  # fmt: skip
        wanted = {t.op.name for t in tensors if t not in cut} | set(names(operations))
        reachable = wanted.union(*(networkx.ancestors(view, name) for name in wanted))
        kept = prune(tensors, operations, cut)
    assert set(names(kept)) == reachable
    assert names(kept) == [name for name in names(g.get_operations()) if name in reachable]


def test_a_fed_tensor_cuts_off_its_producers() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.add(x, x, name="y")
        z = tf.multiply(y, y, name="z")
    assert names(prune([z], [], {y})) == ["z"]
    assert names(prune([z], [], set())) == ["x", "y", "z"]
    assert prune([z], [], {z}) == []


def test_one_unfed_output_keeps_the_operation() -> None:
    with tf.Graph().as_default():
        a, b = tf.split(0, 2, tf.placeholder(tf.float32, [4], name="x"), name="halves")
        total = tf.add(a, b, name="total")
    assert names(prune([total], [], {a})) == ["halves/split_dim", "x", "halves", "total"] or names(
        prune([total], [], {a})
    ) == ["x", "halves/split_dim", "halves", "total"]
    assert names(prune([total], [], {a, b})) == ["total"]


def test_an_operation_asked_for_is_kept_even_if_what_it_makes_is_fed() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.add(x, x, name="y")
    assert names(prune([], [y.op], {y})) == ["x", "y"]


def test_control_inputs_are_kept_with_all_they_need() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [], name="x")
        checked = tf.add(x, x, name="checked")
        with tf.control_dependencies([checked]):
            y = tf.placeholder(tf.float32, [], name="y")
    assert names(prune([y], [], set())) == ["x", "checked", "y"]


def test_a_long_chain_does_not_exhaust_the_stack() -> None:
    with tf.Graph().as_default():
        x = t = tf.placeholder(tf.float32, [])
        for _ in range(5000):
            t = tf.identity(t)
        assert len(prune([t], [], set())) == 5001
        assert len(prune([t], [], {x})) == 5000


def test_shapes_behind_a_feed_in_the_middle_are_those_of_what_is_fed() -> None:
    """What was known of a computed value, here a shape, is no fact where another value is fed for it."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [6])
        sizes = tf.add([2, 3], 0, name="sizes")
        table = tf.reshape(x, sizes)
        shape = tf.shape(tf.exp(table))
        rows = tf.range(shape[0]) * shape[1]
        assert table.shape.as_list() == [2, 3]
    array = np.arange(6, dtype="f4")
    for passes in (None, ()):
        with tf.Session(graph=graph, config=tf.SessionConfig(passes=passes)) as session:
            assert session.run(shape, {x: array}).tolist() == [2, 3]
            assert session.run(shape, {x: array, sizes: [3, 2]}).tolist() == [3, 2]
            assert session.run(rows, {x: array, sizes: [3, 2]}).tolist() == [0, 2, 4]
            assert session.run(table, {x: array, sizes: [6, 1]}).shape == (6, 1)


def test_the_plan_behind_a_feed_in_the_middle_knows_nothing_of_the_former_value() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [6], name="x")
        sizes = tf.add([2, 3], 0, name="sizes")
        table = tf.exp(tf.reshape(x, sizes), name="table")
    with tf.Session(graph=graph) as session:
        plan = session.plan(table, [x, sizes])
    assert not any(dim in (2, 3) for slot in plan.fetches for dim in plan.slots[slot].shape or ())
