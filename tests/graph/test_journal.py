"""Transactions: a build that fails leaves all state of the graph as it was, whatever it had done."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock as tf
from penstock import extend
from penstock.graph.declare.gradient_registry import give_gradient
from penstock.graph.model.lookup import NodeIndex
from penstock.graph.model.names import NameTable
from penstock.graph.model.nodes import Operation, Tensor


class Stop(Exception):
    """What a build fails with."""


@extend.composite("half_way")
def half_way(x: tf.Tensor, change: Callable[[tf.Tensor], Any], name: str | None = None) -> tf.Tensor:
    """A composite that fails after it has changed the graph."""
    y = tf.add(x, 1.0)
    change(y)
    raise Stop


def graph_with_everything() -> tuple[tf.Graph, tf.Tensor]:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, ["n", None], name="x")
        graph.add_to_collection("old", x)
        with tf.name_scope("seen", show="collapsed"):
            tf.shape(x)[0]
        with tf.variable_scope("seen"):
            tf.get_variable_scope()
    graph.get_tensor_by_name("x:0")  # fills the index
    return graph, x


def scope_of_float64() -> tf.VariableScope:
    """The current variable scope, with another dtype than it had."""
    scope = tf.get_variable_scope()
    scope.set_dtype(tf.float64)
    return scope


RESTORED = {
    "_operations": "cut to its former length",
    "equations": "cut to its former length",
    "names": "its tables are logged",
    "scope_shows": "logged",
    "_pinned": "logged, with the shape that the tensor had",
    "_collections": "logged; lists that `get_collection_ref` gave away are copied when a transaction begins",
    "_handed_out": "logged",
    "_finalized": "logged",
    "surroundings": "what the blocks of this thread say is put back",
    "own_gradients": "logged",
    "_seed": "logged",
    "_unseeded": "logged",
    "shared_variables": "logged",
    "known_values": "emptied, being a cache",
    "known_entries": "emptied, being a cache",
    "_index": "emptied if it holds nodes that go, being an index; further names are logged",
}
"""How a transaction restores each attribute of a graph."""

EXEMPT = {
    "origin": "never changes",
    "serial": "never changes",
    "planned_by": "the sessions, which a failed build keeps",
    "attributes_of_programs": "by tensors: what a failed build added is not asked for again",
    "lock": "a lock; released when the transaction ends",
    "journal": "the log itself; closed when the outermost transaction ends",
}
"""State that a transaction does not restore."""

CHANGES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "_operations": lambda g, x, y: tf.multiply(y, 2.0),
    "equations": lambda g, x, y: tf.pack([x, tf.zeros([3, 2])]),
    "names": lambda g, x, y: [g.unique_name("taken"), g.unique_name("taken"), g.name_scope("s").__enter__()],
    "scope_shows": lambda g, x, y: [g.show_scope("seen", "hidden"), g.show_scope("new", "open")],
    "_pinned": lambda g, x, y: [x.set_shape([3, "m"]), y.set_shape([None, 7])],
    "_collections": lambda g, x, y: [g.add_to_collections(["old", "new"], y), g.clear_collection("old")],
    "_handed_out": lambda g, x, y: [g.get_collection_ref("old").append(y), g.get_collection_ref("new").append(y)],
    "_finalized": lambda g, x, y: g.finalize(),
    "surroundings": lambda g, x, y: [
        g.name_scope("open").__enter__(), g.device("/gpu:0").__enter__(), g.control_dependencies([x]).__enter__(),
        scope_of_float64(), tf.variable_scope("open").__enter__(),
        tf.variable_scope("seen").__enter__()
    ],
    "shared_variables": lambda g, x, y: [tf.get_variable("taken", [2]), tf.get_variable("other", [2])],
    "own_gradients": lambda g, x, y: give_gradient(g, y.op, "Doubled"),
    "_seed": lambda g, x, y: g.__setattr__("seed", 7),
    "_unseeded": lambda g, x, y: [g.__setattr__("seed", 7), g.seeds_of_op(None)],
    "known_values": lambda g, x, y: tf.reshape(y, tf.add([1], [1])[:0]),
    "known_entries": lambda g, x, y: tf.fill(tf.pack([tf.shape(y)[0], 2]), 0.0),
    "_index": lambda g, x, y: [
        g.get_tensor_by_name(y.name), x.consumers(), g.name_also("further:0", y), g.note_absent("absent", "no reason")
    ],
}  # fmt: skip

CACHES = {"known_values", "known_entries", "_index"}


def state(graph: tf.Graph) -> dict[str, Any]:
    """All mutable state of a graph by attribute; caches as what they answer."""
    found: dict[str, Any] = {}
    for name, value in vars(graph).items():
        if name in EXEMPT or name in CACHES:
            continue
        if isinstance(value, NameTable):
            value = {k: v for k, v in vars(value).items() if k != "_journal"}
        elif name == "surroundings":
            scope = value.variable_scope or value.root_variable_scope
            opened = value.opened_scopes
            value = (value.prefix, value.device, value.controls, value.variable_scope, scope and scope.dtype,
                     opened and [opened.count(name) for name in ("open", "seen")])  # fmt: skip
        found[name] = copied(value)
    found["shapes"] = [t.shape for op in graph.get_operations() for t in op.outputs]
    found["by name"] = [graph.get_operation_by_name(op.name) for op in graph.get_operations()]
    found["consumers"] = [t.consumers() for op in graph.get_operations() for t in op.outputs]
    found["default"] = tf.get_default_graph()
    found["further names"] = [dict(graph._index._others), dict(graph._index._absent)]
    found["not fed or fetched"] = [graph.unfeedable, graph.unfetchable]
    return found


def copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: copied(v) for k, v in value.items()}
    return type(value)(value) if isinstance(value, (list, set)) else value


def test_every_attribute_of_a_graph_is_restored_or_exempt_with_a_reason() -> None:
    attributes = set(vars(tf.Graph()))
    assert attributes == set(RESTORED) | set(EXEMPT)
    assert not set(RESTORED) & set(EXEMPT)
    assert set(RESTORED) == set(CHANGES)
    assert all({**RESTORED, **EXEMPT}.values())


def test_what_a_graph_holds_has_no_other_mutable_state() -> None:
    """A new field is named here and in `RESTORED`, with how it is restored."""
    assert set(vars(tf.Graph().names)) == {"_next", "_free_scopes", "_journal"}
    assert set(NodeIndex.__slots__) == {"_absent", "_by_name", "_consumers", "_indexed", "_inside", "_lock",
                                       "_operations", "_others", "_walked"}  # fmt: skip
    assert set(Tensor.__slots__) == {"__weakref__", "_shape", "dtype", "op", "value_index"}
    assert set(Operation.__slots__) == {"__weakref__", "args", "control_inputs", "device", "graph", "index", "inputs",
                                        "name", "opdef", "origins", "outputs"}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_a_composite_that_fails_half_way_leaves_the_graph_as_it_was(what: str) -> None:
    graph, x = graph_with_everything()
    before = state(graph)
    changed: list[Any] = []

    def change(y: tf.Tensor) -> None:
        CHANGES[what](graph, x, y)
        changed.append(vars(graph)[what])

    with graph.as_default():
        with pytest.raises(Stop):
            half_way(x, change)
        assert changed
    assert state(graph) == {**before, "default": tf.get_default_graph()}
    with graph.as_default():
        assert tf.add(x, 1.0, name="half_way").name == "half_way:0"


def test_a_list_that_was_given_away_before_is_restored_too() -> None:
    graph, x = graph_with_everything()
    mine = graph.get_collection_ref("old")
    with graph.as_default(), pytest.raises(Stop):
        half_way(x, mine.append)
    assert mine == [x] and graph.get_collection("old") == [x] and graph.get_collection_ref("old") is mine


def test_a_transaction_inside_of_another_is_undone_alone() -> None:
    graph, x = graph_with_everything()

    def outer() -> tf.Tensor:
        kept = tf.add(x, 1.0, name="kept")
        graph.add_to_collection("new", kept)
        with pytest.raises(Stop):
            half_way(x, lambda y: graph.add_to_collection("new", y))
        return kept

    with graph.as_default():
        kept = graph.journal.all_or_nothing(outer)
    assert graph.get_collection("new") == [kept]
    assert [op.name for op in graph.get_operations()][-2:] == ["kept/y", "kept"]
    assert graph.journal.log is None


def test_a_graph_on_which_a_composite_failed_can_be_saved_and_loaded(tmp_path: Path) -> None:
    graph, x = graph_with_everything()

    def change(y: tf.Tensor) -> None:
        graph.add_to_collection("old", y)
        y.set_shape([3, 3])
        with tf.name_scope("inside", show="hidden"):
            tf.negative(y)

    with graph.as_default(), pytest.raises(Stop):
        half_way(x, change)
    loaded = tf.load_graph(tf.save_graph(graph, tmp_path / "graph.json"))
    assert str(graph.diff(loaded)) == "no difference"
    assert [t.name for t in loaded.get_collection("old")] == ["x:0"]


def test_what_another_thread_adds_meanwhile_stays() -> None:
    graph, x = graph_with_everything()
    inside, go = threading.Event(), threading.Event()
    added = tf.TensorShape([5, 5])

    def elsewhere() -> None:
        inside.wait(60)
        go.set()  # the next line waits for the end of the transaction
        graph.add_to_collection("new", "theirs")
        x.set_shape(added)

    thread = threading.Thread(target=elsewhere)
    thread.start()

    def change(y: tf.Tensor) -> None:
        inside.set()
        go.wait(60)

    with graph.as_default(), pytest.raises(Stop):
        half_way(x, change)
    thread.join(60)
    assert graph.get_collection("new") == ["theirs"]
    assert x.shape == added and graph.pinned == (x,)


def test_after_a_failure_in_a_transaction_other_threads_can_build() -> None:
    graph, x = graph_with_everything()
    with graph.as_default(), pytest.raises(Stop):
        half_way(x, lambda y: None)
    thread = threading.Thread(target=lambda: tf.add(x, 1.0))
    thread.start()
    thread.join(60)
    assert not thread.is_alive() and len(graph.operations_since(0)) > 2
