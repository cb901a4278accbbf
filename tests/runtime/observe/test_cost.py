"""`graph.cost` predicts what a run computes, moves and holds, names unknown sizes, and matches measurements."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

import networkx
import numpy as np
import pytest

import penstock as tf
from penstock.runtime.observe.cost import longest_path


def layer() -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 100], name="x")
        w = tf.constant(np.ones((100, 10), np.float32), name="w")
        y = tf.relu(tf.matmul(x, w, name="product"), name="y")
    return graph, x, y


def test_a_named_dimension_gives_every_node_its_cost() -> None:
    graph, _, y = layer()
    cost = graph.cost(y, batch=64)
    product, relu = cost.node("product"), cost.node("y:0")
    assert (product.flops, product.read, product.written) == (128_000, 64 * 400 + 4000, 64 * 40)
    assert (relu.flops, relu.read, relu.written) == (640, 2560, 2560)
    assert (cost.flops, cost.bytes_written, cost.is_exact) == (128_640, 5120, True)
    assert cost.sizes == ("batch=64",) and cost.fetches == ("y:0",)
    assert product.place.startswith("test_cost.py:")


def test_the_peak_is_where_most_is_alive_and_what_a_run_without_passes_holds() -> None:
    graph, x, y = layer()
    cost = graph.cost(y, batch=64)
    assert (cost.peak_bytes, cost.peak_node) == (64 * 400 + 4000 + 64 * 40, "product")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph, config=tf.SessionConfig(passes=(), arena=False)) as session:
        session.run(y, {x: np.ones((64, 100), np.float32)}, run_metadata=metadata)
    assert metadata.peak_bytes == cost.peak_bytes


def test_what_nobody_gave_is_named_and_not_guessed() -> None:
    graph, _, y = layer()
    cost = graph.cost(y)
    assert not cost.is_exact and cost.node("product").flops is None
    assert [str(u) for u in cost.unknown] == ["batch of x:0: its size is not given. Write cost(batch=...)."]
    assert str(cost).startswith("cost of y:0: it depends on batch\n")
    assert "not known: batch of x:0" in str(cost) and "\nall              ?           ?     ?\n" in str(cost)


def test_a_size_that_only_values_decide_is_named_with_the_reason_and_can_be_expected() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        rows = tf.where(tf.greater(x, 0.0), name="rows")
        tf.cast(rows, tf.float32, name="y")
    (missing,) = graph.cost(n=10).unknown
    assert missing.tensor == "rows:0" and "how many are True is known only by the run" in missing.reason
    cost = graph.cost(n=10, shapes={"rows:0": [4, 1]})
    assert cost.is_exact and cost.node("y").flops == 4 and cost.node("Greater").flops == 10


def test_sizes_flow_through_what_is_not_linear() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", "m"], name="x")
        y = tf.add(tf.reshape(x, [-1]), 1.0, name="y")
        assert y.shape.num_elements() is None
    assert graph.cost(n=6, m=7).node("y").flops == 42


def test_unnamed_dimensions_and_ranks_are_given_as_shapes() -> None:
    with tf.Graph().as_default() as graph:
        a = tf.placeholder(tf.float32, [None, 3], name="a")
        b = tf.placeholder(tf.float32, name="b")
        tf.add(a, 1.0, name="more")
        tf.exp(b, name="e")
    assert [u.tensor for u in graph.cost().unknown] == ["a:0", "b:0"]
    cost = graph.cost(shapes={a: (5, 3), "b": [2, 2]})
    assert cost.is_exact and cost.node("more").flops == 15 and cost.node("e").flops == 80


def test_names_that_are_arguments_are_given_as_sizes() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["run", "shapes"], name="x")
        tf.add(x, 1.0, name="y")
    assert "Write cost(sizes={'run': ...})." in str(graph.cost())
    assert graph.cost(sizes={"run": 2, "shapes": 3}).node("y").flops == 6


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"bath": 3}, ValueError, "no dimension of that name; it has batch. Did you mean batch?"),
        ({"batch": -1}, ValueError, "must be >= 0"),
        ({"batch": 1.5}, TypeError, "a size is an int"),
        ({"batch": True}, TypeError, "a size is an int"),
        ({"shapes": {"x:0": (3, 4)}}, ValueError, "has shape (batch, 100)"),
        ({"shapes": {"x:0": 3}}, TypeError, "a shape is a list of ints"),
        ({"shapes": {"x:0": (3, None)}}, TypeError, "a size is an int"),
        ({"shapes": {"q:0": (3,)}}, ValueError, "there is no operation 'q'"),
        ({"shapes": {"x:0": (3, 100)}, "batch": 4}, ValueError, "cannot have two sizes"),
        ({"fetches": "nobody:0"}, ValueError, "nobody"),
        ({"run": tf.RunMetadata()}, ValueError, "holds no recorded run"),
        ({"run": 3}, TypeError, "give the RunMetadata of a run"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_reason(arguments: dict[str, Any], error: type, says: str) -> None:
    graph, _, _ = layer()
    with pytest.raises(error) as caught:
        graph.cost(**arguments)
    assert says in str(caught.value)


def test_sizes_that_the_graph_contradicts_are_refused_at_the_node() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        tf.add(x, tf.constant([1.0, 2.0, 3.0]), name="three")
        tf.reshape(x, [2, -1], name="pairs")
    assert graph.cost("pairs:0", n=6).is_exact
    with pytest.raises(ValueError, match=r"'pairs' \(Reshape\) does not allow these sizes"):
        graph.cost("pairs:0", n=7)
    with pytest.raises(ValueError, match="three"):
        graph.cost("three:0", n=7)


def test_predicted_stands_beside_measured_after_a_run() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = tf.exp(x * 2.0, name="y")
        total = tf.reduce_sum(tf.cumsum(y, name="sums"), name="total")
        rows = tf.where(tf.greater(x, 0.5), name="rows")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run([total, rows], {x: [0.0, 1.0, 2.0]}, run_metadata=metadata)
    cost = graph.cost(run=metadata)
    assert cost.is_exact and cost.node("rows").written == 16
    assert [step.node for step in cost.steps] == [step.node for step in metadata.steps]
    for step, measured in zip(cost.steps, metadata.steps, strict=True):
        assert step.written == measured.bytes and step.seconds == measured.duration
    fused = next(step for step in cost.steps if "y" in step.nodes)
    assert fused.flops == 3 + 3 * 20
    assert cost.measured_peak_bytes == metadata.peak_bytes > 0
    assert "predicted beside measured" in str(cost)


def test_a_run_of_another_graph_is_refused() -> None:
    graph, x, y = layer()
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {x: np.ones((2, 100), np.float32)}, run_metadata=metadata)
    with pytest.raises(ValueError, match="the run is of"):
        layer()[0].cost(run=metadata)


def test_a_run_that_fed_the_middle_costs_what_lies_after_it() -> None:
    graph, _, y = layer()
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {"product:0": np.ones((2, 10), np.float32)}, run_metadata=metadata)
    assert [row.node for row in graph.cost(run=metadata).nodes] == ["y"]


def test_the_critical_path_is_the_heaviest_chain() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        light = tf.negative(x, name="light")
        heavy = tf.exp(x, name="heavy")
        tf.add(light, tf.sqrt(heavy, name="root"), name="y")
    assert graph.cost(n=100).critical_path == ("heavy", "root", "y")


def test_the_longest_path_is_that_of_all_paths() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        names = [f"n{i}" for i in range(7)]
        weights = {name: float(rng.integers(0, 9)) for name in names}
        edges = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if rng.random() < 0.4]
        graph = networkx.DiGraph(edges)
        graph.add_nodes_from(names)
        best = max(
            sum(weights[node] for node in path)
            for a in names for b in names for path in ([[a]] if a == b else networkx.all_simple_paths(graph, a, b))
        )  # fmt: skip
        found = longest_path(weights, edges)
        assert all(graph.has_edge(a, b) for a, b in itertools.pairwise(found))
        assert sum(weights[node] for node in found) == best


def test_the_longest_path_of_nothing_is_empty() -> None:
    assert longest_path({}, []) == []


def test_empty_tensors_strings_and_constants_cost_what_they_are() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 4], name="x")
        tf.reduce_sum(tf.exp(x, name="e"), name="total")
        words = tf.placeholder(tf.string, ["n"], name="words")
        tf.add(words, words, name="both")
        tf.constant([1.0], name="c")
    cost = graph.cost(n=0)
    assert cost.flops == 0 and cost.is_exact
    assert graph.cost(n=2).node("both").written == 16
    assert graph.cost("c:0").nodes == () and str(graph.cost("c:0"))
    with pytest.raises(KeyError, match="nobody"):
        cost.node("nobody")


def test_fetching_nothing_and_an_empty_graph_cost_nothing() -> None:
    assert tf.Graph().cost().flops == 0
    graph, _, _ = layer()
    assert graph.cost([]).nodes == () and "nothing" in str(graph.cost([]))


def test_sizes_that_no_memory_holds_are_costed_all_the_same() -> None:
    graph, x, y = layer()
    assert graph.cost(y, batch=10**15).flops == 2010 * 10**15
    assert graph.cost(y, shapes={x: [10**15, 100]}).flops == 2010 * 10**15
    assert "2.01 E operations" in str(graph.cost(y, batch=10**15))


def test_asking_for_a_cost_adds_nothing_to_the_graph() -> None:
    graph, x, y = layer()
    before = len(graph)
    graph.cost(y, batch=3)
    assert len(graph) == before and str(x.shape) == "(batch, 100)"


# ---- how long it takes ------------------------------------------------------------------------------


def calls_of_cost(build: Callable[[int], tf.Tensor], nodes: int) -> int:
    """How many Python functions `graph.cost` calls: what does not depend on the machine."""
    with tf.Graph().as_default() as graph:
        y = build(nodes)
    graph.cost(y)  # what is imported and cached only once
    seen = [0]

    def count(frame: Any, event: str, arg: Any) -> None:
        seen[0] += event == "call"

    sys.setprofile(count)
    try:
        graph.cost(y)
    finally:
        sys.setprofile(None)
    return seen[0]


def chain(nodes: int) -> tf.Tensor:
    y = tf.placeholder(tf.float32, [None, 3])
    for _ in range(nodes):
        y = y + 1.0
    return y


def longer_and_longer(nodes: int) -> tf.Tensor:
    y = tf.placeholder(tf.float32, [None, 3])
    for _ in range(nodes):
        y = tf.concat(0, [y, tf.placeholder(tf.float32, [None, 3])])
    return y


def test_a_cost_of_unnamed_sizes_takes_one_walk() -> None:
    assert calls_of_cost(chain, 200) < 2.2 * calls_of_cost(chain, 100)


def test_a_cost_of_sums_of_unnamed_sizes_looks_at_each_term_a_few_times() -> None:
    # The sum at node n has n terms, so there are 20,000 terms; the reasons for them were cubic.
    assert calls_of_cost(longer_and_longer, 200) < 200 * 200 * 4


def test_unnamed_sizes_of_a_sum_each_tell_their_own_reason() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.concat(0, [tf.boolean_mask(x, x > 0.0), x], name="y")
    dims = [(u.tensor, u.reason) for u in graph.cost(y).unknown]
    assert dims[0] == ("x:0", "the placeholder leaves it open") and len(dims) == 2
    assert "true" in dims[1][1].lower() or "mask" in dims[1][1].lower()
