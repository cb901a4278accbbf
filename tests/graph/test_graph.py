"""The graph itself: finding elements, refusing growth, collections, and the view for networkx."""

from __future__ import annotations

import sys
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf


@pytest.fixture
def g() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 4], name="x")
        with tf.name_scope("tower"):
            parts = tf.split(1, 2, x, name="halves")
            tf.add(parts[0], parts[1], name="sum")
    return graph


# ---- elements by name -------------------------------------------------------------------------------


def test_operations_come_in_the_order_of_their_creation(g: tf.Graph) -> None:
    assert [op.name for op in g.get_operations()] == ["x", "tower/halves/split_dim", "tower/halves", "tower/sum"]
    assert len(g) == 4


def test_the_list_of_operations_is_the_callers_own(g: tf.Graph) -> None:
    g.get_operations().clear()
    assert len(g.get_operations()) == 4


def test_elements_are_found_by_name(g: tf.Graph) -> None:
    halves = g.get_operation_by_name("tower/halves")
    assert halves.type == "Split"
    assert g.get_tensor_by_name("tower/halves:1") is halves.outputs[1]
    assert g.as_graph_element("tower/halves") is halves
    assert g.as_graph_element("tower/halves:0") is halves.outputs[0]
    assert g.as_graph_element(halves) is halves
    assert g.as_graph_element(halves.outputs[1]) is halves.outputs[1]


def test_elements_added_after_a_search_are_found_too(g: tf.Graph) -> None:
    g.get_operation_by_name("x")
    with g.as_default():
        late = tf.constant(1, name="late")
    assert g.get_tensor_by_name("late:0") is late


@pytest.mark.parametrize("name", ["tower/sun", "tower/Sum", "towr/sum"])
def test_a_wrong_name_is_a_key_error_that_offers_the_nearest(g: tf.Graph, name: str) -> None:
    with pytest.raises(KeyError, match=f"{name}.*not in the graph.*did you mean 'tower/sum'?"):
        g.get_operation_by_name(name)
    with pytest.raises(KeyError, match=f"{name}:0.*does not exist.*did you mean 'tower/sum'?"):
        g.get_tensor_by_name(f"{name}:0")


def test_a_name_unlike_any_other_gets_no_suggestion(g: tf.Graph) -> None:
    with pytest.raises(KeyError) as e:
        g.get_operation_by_name("qqqqqqqq")
    assert "did you mean" not in str(e.value)


@pytest.mark.parametrize("name", ["tower/halves:2", "tower/halves:-1", "tower/halves:", "tower/halves:x"])
def test_an_output_that_an_operation_does_not_have_is_a_key_error(g: tf.Graph, name: str) -> None:
    with pytest.raises(KeyError, match="'tower/halves' has 2 outputs"):
        g.get_tensor_by_name(name)


def test_operation_and_tensor_names_are_not_mistaken_for_each_other(g: tf.Graph) -> None:
    with pytest.raises(ValueError, match="'x' is the name of an operation; a tensor's is 'x:0'"):
        g.get_tensor_by_name("x")
    with pytest.raises(ValueError, match="'x:0' is the name of a tensor; its operation's is 'x'"):
        g.get_operation_by_name("x:0")


@pytest.mark.parametrize("bad", [3, None, b"x", ["x"], np.zeros(2)])
def test_what_names_no_element_is_a_type_error(g: tf.Graph, bad: Any) -> None:
    with pytest.raises(TypeError, match="expected a Tensor or an Operation, or the name of one"):
        g.as_graph_element(bad)


def test_an_element_of_another_graph_is_refused_naming_both(g: tf.Graph) -> None:
    with tf.Graph().as_default() as other:
        y = tf.constant(1, name="y")
    with pytest.raises(ValueError, match="is not an element of this graph") as e:
        g.as_graph_element(y)
    assert repr(other) in str(e.value)
    assert repr(g) in str(e.value)


def test_an_element_of_the_wrong_kind_is_refused(g: tf.Graph) -> None:
    op = g.get_operation_by_name("x")
    with pytest.raises(TypeError, match="expected a Tensor, or the name"):
        g.as_graph_element(op, allow_operation=False)
    with pytest.raises(TypeError, match="expected an Operation, or the name"):
        g.as_graph_element(op.outputs[0], allow_tensor=False)


# ---- consumers --------------------------------------------------------------------------------------


def test_consumers_are_the_operations_that_take_a_tensor_each_once() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        twice = tf.add(x, x)
        assert x.consumers() == [twice.op]
        more = tf.add(x, 1.0)
        assert x.consumers() == [twice.op, more.op]
        assert more.consumers() == []


# ---- growth -----------------------------------------------------------------------------------------


def test_a_finalized_graph_refuses_every_kind_of_growth(g: tf.Graph) -> None:
    x = g.get_tensor_by_name("x:0")
    g.finalize()
    assert g.finalized
    with g.as_default():
        for grow in (lambda: tf.constant(1), lambda: tf.add(x, x), lambda: tf.add(x, 1.0), lambda: tf.no_op()):
            with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
                grow()
    assert len(g) == 4


def test_a_finalized_graph_still_runs(g: tf.Graph) -> None:
    g.finalize()
    with tf.Session(graph=g) as session:
        assert session.run("tower/sum:0", {"x:0": np.ones((1, 4))}).tolist() == [[2, 2]]


def test_the_version_grows_with_the_graph(g: tf.Graph) -> None:
    before = g.version
    with g.as_default():
        tf.constant(1, name="late")
    assert g.version > before
    assert [op.name for op in g.operations_since(before)] == ["late"]


def test_a_graph_is_true_even_when_empty_and_prints_its_size_and_place(g: tf.Graph) -> None:
    assert tf.Graph()
    assert "of 4 operations, made at test_graph.py:" in repr(g)


# ---- collections ------------------------------------------------------------------------------------


def test_collections_hold_what_is_put_into_them_in_order() -> None:
    g = tf.Graph()
    g.add_to_collection("losses", 1)
    g.add_to_collection("losses", 1)
    g.add_to_collections(["losses", "all", "all"], 2)
    g.add_to_collections("all", 3)
    assert g.get_collection("losses") == [1, 1, 2]
    assert g.get_collection("all") == [2, 3]
    assert g.get_collection("nothing") == []
    assert sorted(g.get_all_collection_keys()) == ["all", "losses"]


def test_a_collection_is_copied_and_its_reference_is_not() -> None:
    g = tf.Graph()
    g.add_to_collection("c", 1)
    g.get_collection("c").append(2)
    assert g.get_collection("c") == [1]
    g.get_collection_ref("c").append(3)
    assert g.get_collection("c") == [1, 3]
    g.clear_collection("c")
    assert g.get_collection("c") == []
    assert g.get_all_collection_keys() == []


def test_a_scope_selects_items_by_the_beginning_of_their_names(g: tf.Graph) -> None:
    for op in g.get_operations():
        g.add_to_collection("ops", op)
    g.add_to_collection("ops", "no name")
    assert [op.name for op in g.get_collection("ops", "tower/h")] == ["tower/halves/split_dim", "tower/halves"]
    assert [op.name for op in g.get_collection("ops", "x$")] == ["x"]


# ---- networkx ---------------------------------------------------------------------------------------


def random_graph(links: list[tuple[int, int, bool]]) -> tuple[tf.Graph, list[tf.Tensor]]:
    """A node for each entry: the sum of two earlier ones, or one that waits for two earlier ones."""
    with tf.Graph().as_default() as graph:
        made = [tf.placeholder(tf.float32, [], name="n0")]
        for i, (a, b, control) in enumerate(links, 1):
            x, y = made[a % i], made[b % i]
            if control:
                with tf.control_dependencies([x, y]):
                    made.append(tf.placeholder(tf.float32, [], name=f"n{i}"))
            else:
                made.append(tf.add(x, y, name=f"n{i}"))
    return graph, made


links = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.booleans()), max_size=25)


@given(links)
def test_the_order_of_creation_is_topological(spec: list[tuple[int, int, bool]]) -> None:
    graph, _ = random_graph(spec)
    view = graph.to_networkx()
    assert networkx.is_directed_acyclic_graph(view)
    place = {name: i for i, name in enumerate(op.name for op in graph.get_operations())}
    assert list(view) == list(place)
    assert all(place[a] < place[b] for a, b in view.edges())


@given(links, st.integers(0, 99))
def test_what_a_run_needs_is_what_networkx_can_reach(spec: list[tuple[int, int, bool]], which: int) -> None:
    graph, made = random_graph(spec)
    target = made[which % len(made)].op
    reachable = networkx.ancestors(graph.to_networkx(), target.name) | {target.name}
    seen: set[tf.Operation] = set()
    waiting = [target]
    while waiting:
        op = waiting.pop()
        if op not in seen:
            seen.add(op)
            waiting += [*(t.op for t in op.inputs), *op.control_inputs]
    assert {op.name for op in seen} == reachable


@given(links)
def test_consumers_are_the_successors_by_data_edges(spec: list[tuple[int, int, bool]]) -> None:
    graph, made = random_graph(spec)
    view = graph.to_networkx()
    for tensor in made:
        edges = view.out_edges(tensor.op.name, data=True)
        assert {op.name for op in tensor.consumers()} == {b for _, b, data in edges if data["kind"] == "data"}


def test_the_view_tells_what_flows_along_each_edge(g: tf.Graph) -> None:
    view = g.to_networkx()
    assert isinstance(view, networkx.MultiDiGraph)
    assert view.nodes["tower/halves"]["type"] == "Split"
    assert view.nodes["x"]["origin"].startswith(__file__)
    edges = {data["tensor"]: data for _, _, data in view.in_edges("tower/sum", data=True)}
    expected = {"kind": "data", "dtype": "float32", "shape": "(n, 2)"}
    assert edges == {f"tower/halves:{i}": {**expected, "tensor": f"tower/halves:{i}", "input": i} for i in (0, 1)}


def test_without_networkx_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError) as error:
        tf.Graph().to_networkx()
    assert str(error.value).startswith("to_networkx: the package networkx is not installed; run `pip install")


def test_control_edges_are_marked_and_two_uses_are_two_edges() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1, name="x")
        tf.add(x, x, name="twice")
        with tf.control_dependencies([x]):
            tf.constant(2, name="later")
    view = graph.to_networkx()
    assert view.number_of_edges("x", "twice") == 2
    assert [data for _, _, data in view.out_edges("x", data=True) if data["kind"] == "control"] == [{"kind": "control"}]


def test_the_names_of_a_graph_are_those_that_programs_use() -> None:
    shown = {name for name in dir(tf.Graph()) if not name.startswith("_")}
    assert shown == {
        "as_graph_def", "create_op", "graph_def_versions", "is_feedable", "is_fetchable", "prevent_feeding",
        "prevent_fetching", "building_function", "container",
        "add_to_collection", "add_to_collections", "as_default", "as_graph_element", "clear_collection",
        "colocate_with", "control_dependencies", "cost", "device", "diff", "export", "finalize", "finalized",
        "get_all_collection_keys", "get_collection", "get_collection_ref", "get_name_scope", "get_operation_by_name",
        "get_operations", "get_tensor_by_name", "gradient_override_map", "name_scope", "partitions", "races", "seed",
        "summary", "to_networkx", "unique_name", "version",
    }  # fmt: skip


def test_what_the_names_of_a_graph_leave_out_is_there() -> None:
    from penstock.graph.model.nodes import OF_THE_PACKAGE

    assert [name for name in OF_THE_PACKAGE if not hasattr(tf.Graph(), name)] == []


def test_a_graph_tells_its_name_scope() -> None:
    graph = tf.Graph()
    assert graph.get_name_scope() == ""
    with graph.as_default(), tf.name_scope("a"), tf.name_scope("b"):
        assert graph.get_name_scope() == "a/b"
        with tf.name_scope(None):
            assert graph.get_name_scope() == ""
    with graph.as_default(), tf.name_scope("a"):
        assert graph.get_name_scope() == "a_1"
