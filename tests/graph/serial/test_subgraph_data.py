"""Graphs inside ops in files: they come back as they were, and a file cannot bring about one that no call could."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.graph.declare.effects import effects_of
from penstock.graph.model.nesting import within
from penstock.graph.model.subgraph import DEEPEST, SubGraph, bodies_of
from penstock.graph.serial import Limits
from tests.helpers import second_derivatives
from tests.holders import RUNS, call, count_up, either, twice

X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


def program() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        p = tf.placeholder(tf.bool, [], name="p")
        w = tf.constant([3.0, 4.0], name="w")

        def yes(a: tf.Tensor) -> list[tf.Tensor]:
            noted = count_up(a, name="noted")
            with tf.control_dependencies([noted]), tf.device("/cpu:0"):
                return [tf.concat(0, [a, a * w], name="both"), noted]

        def no(a: tf.Tensor) -> list[tf.Tensor]:
            made = twice(lambda b: b * tf.constant([[0.5, 2.0]]) + w, [a], name="inner")[0]
            made.set_shape([2, 2])
            return [tf.concat(0, [made, made]), tf.exp(made)]

        either(p, yes, no, [x], name="out")
    return graph


def saved(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(tf.save_graph(program(), folder / "graph.json").read_bytes())
    return document


def loaded(document: dict[str, Any], folder: Path, **limits: Any) -> tf.Graph:
    path = folder / "changed.json"
    path.write_text(json.dumps(document))
    return tf.load_graph(path, limits=Limits(**limits))


def the_holder(graph: tf.Graph) -> tuple[SubGraph, ...]:
    return bodies_of(graph.get_operation_by_name("out"))


def test_bodies_come_back_with_everything_in_them(tmp_path: Path) -> None:
    graph = program()
    again = tf.load_graph(tf.save_graph(graph, tmp_path / "graph.json"))
    assert str(graph.diff(again)) == "no difference"
    for old, new in zip(within(graph.get_operations()), within(again.get_operations()), strict=True):
        assert (old.name, old.type, old.device) == (new.name, new.type, new.device)
        assert [c.name for c in old.control_inputs] == [c.name for c in new.control_inputs]
        assert [(o.file, o.line) for o in old.origins] == [(o.file, o.line) for o in new.origins]
        assert effects_of(old) == effects_of(new)
    for one, other in zip(the_holder(graph), the_holder(again), strict=True):
        assert one.name == other.name
        assert [t.name for t in one.captures] == [t.name for t in other.captures] == ["w:0"]
        assert one.pinned_names == other.pinned_names
        assert [op.name for op in one.targets] == [op.name for op in other.targets]
    assert tf.save_graph(again, tmp_path / "b.json").read_bytes() == (tmp_path / "graph.json").read_bytes()


@pytest.mark.parametrize("which", [True, False])
def test_a_loaded_graph_with_bodies_computes_the_same(which: bool, tmp_path: Path) -> None:
    graph = program()
    again = tf.load_graph(tf.save_graph(graph, tmp_path / "graph.json"))
    RUNS.clear()
    found = [tf.Session(graph=g).run(["out:0", "out:1"], {"x:0": X, "p:0": which}) for g in (graph, again)]
    assert all(np.array_equal(a, b) for a, b in zip(*found, strict=True))
    assert [10.0, 10.0] * which == RUNS
    with again.as_default(), tf.name_scope("out"):
        assert tf.exp(again.get_tensor_by_name("x:0"), name="yes").name == "out_1/yes:0"


def test_unknown_sizes_inside_are_those_outside_after_loading(tmp_path: Path) -> None:
    again = tf.load_graph(tf.save_graph(program(), tmp_path / "graph.json"))
    x = again.get_tensor_by_name("x:0")
    assert the_holder(again)[0].inputs[0].shape.raw == x.shape.raw
    assert the_holder(again)[0].pinned == ()


def test_a_shape_that_a_file_claims_of_an_input_is_checked_by_each_run(tmp_path: Path) -> None:
    document = saved(tmp_path)
    (node,) = [n for n in document["nodes"] if n["name"] == "out"]
    node["attrs"]["yes"]["inputs"][0][2] = [2, 2]
    node["outputs"][0][1] = None
    session = tf.Session(graph=loaded(document, tmp_path))
    assert session.run("out:0", {"x:0": X, "p:0": True}).shape == (4, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="out/yes/a:0 is declared with shape"):
        session.run("out:0", {"x:0": X[:1], "p:0": True})


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(node: dict[str, Any]) -> None:
        at: Any = node["attrs"]["yes"]
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return change


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "no object": (lambda node: node["attrs"].update(yes=[1]), "must be an object with the keys"),
    "another key": (put("more", value=1), "must be an object with the keys"),
    "no name": (put("graph", value=7), "has a name, and lists"),
    "inputs that are none": (put("inputs", value={}), "has a name, and lists"),
    "too few inputs": (put("inputs", value=[]), "has 0 inputs, which are not those of the operands"),
    "an input of another dtype": (put("inputs", 0, 1, value="int32"), "is int32, but its operand is float32"),
    "an input of no form": (put("inputs", 0, value=3), r"must be \[name, dtype, shape\]"),
    "an input without a name": (put("inputs", 0, 0, value=""), "a name has 1 to"),
    "an input twice": (put("inputs", 0, 0, value="out/yes/w"), "names are unique"),
    "captures of the wrong kind": (put("captures", value=True), "inputs are captures"),
    "more captures than inputs": (put("captures", value=9), "inputs are captures"),
    "a result that is not there": (put("results", 0, value="x:0"), "not among the nodes before it"),
    "a result that is no name": (put("results", 0, value=None), "must be the name of a tensor"),
    "a node that is none": (put("nodes", 0, value=1), "must be an object with keys among"),
    "a node that reads one outside": (
        lambda node: node["attrs"]["yes"]["nodes"][0]["inputs"].update(x="x:0"), "inside 'out/yes', at 'out/yes/noted'",
    ),
    "a placeholder inside": (
        put("nodes", 0, value={"name": "out/yes/noted", "op": "Placeholder", "outputs": [["float32", None]],
                               "attrs": {"dtype": {"dtype": "float32"}, "shape": {"shape": None}}}),
        "where nothing can be fed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_a_file_cannot_describe_a_body_that_no_call_makes(what: str, tmp_path: Path) -> None:
    document = saved(tmp_path)
    (node,) = [n for n in document["nodes"] if n["name"] == "out"]
    change, words = CHANGES[what]
    change(node)
    with pytest.raises(GraphFormatError, match=words):
        loaded(document, tmp_path)


def test_nodes_inside_count_for_the_limits_of_a_file(tmp_path: Path) -> None:
    document = saved(tmp_path)
    operations = list(within(program().get_operations()))
    count = len(operations) + sum(len(body.inputs) for op in operations for body in bodies_of(op))
    loaded(document, tmp_path, nodes=count)
    with pytest.raises(GraphFormatError, match=f"more than {count - 1} nodes"):
        loaded(document, tmp_path, nodes=count - 1)


def test_bodies_in_a_file_are_nested_to_a_limit(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        call(lambda: tf.zeros([1]), [], name="a")
    document = json.loads(tf.save_graph(graph, tmp_path / "graph.json").read_bytes())

    def nested(levels: int) -> dict[str, Any]:
        made = json.loads(json.dumps(document))
        body = made["nodes"][0]
        for level in range(levels - 1):
            inner = json.loads(json.dumps(document["nodes"][0]))
            inner["name"] = f"n{level}"
            inner["attrs"]["body"] = body["attrs"]["body"]
            body["attrs"]["body"] = body["attrs"]["body"] | {"nodes": [inner], "results": [f"n{level}:0"]}
        return made  # type: ignore[no-any-return]  # json gives what was written

    assert len(loaded(nested(DEEPEST), tmp_path)) == 1
    with pytest.raises(GraphFormatError, match="nested more than"):
        loaded(nested(DEEPEST + 1), tmp_path)


@pytest.mark.parametrize("suffix", [".pb", ".pbtxt"])
def test_a_graphdef_cannot_hold_a_body_and_the_error_says_which_form_can(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(GraphFormatError, match=r"'out' is a TestEither.*\.json keeps it, and none for graphs inside"):
        tf.save_graph(program(), tmp_path / f"graph{suffix}")


def test_bodies_whose_operations_share_names_come_back(tmp_path: Path) -> None:
    graph, fetches, feeds = second_derivatives()
    tf.save_graph(graph, tmp_path / "graph.json")
    loaded = tf.load_graph(tmp_path / "graph.json")
    with tf.Session(graph=graph) as one, tf.Session(graph=loaded) as two:
        found = two.run([t.name for t in fetches], {t.name: value for t, value in feeds.items()})
        for here, there in zip(one.run(fetches, feeds), found, strict=True):
            np.testing.assert_array_equal(here, there)
