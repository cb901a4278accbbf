"""Files with control flow: names that programs fetch, what cannot be read, and damaged files."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.interchange.tensorflow import LoadedGraphDef, read_graphdef
from penstock.interchange.tensorflow.wire.messages import AttrValue, FunctionName, GraphProto
from penstock.interchange.wire.wire_format import decode, encode

from ...helpers import nightly

FOLDER = Path(__file__).resolve().parents[2] / "golden_extra" / "foreign_graphs"


def load(name: str) -> LoadedGraphDef:
    return read_graphdef((FOLDER / f"{name}.pb").read_bytes())


# ---- names --------------------------------------------------------------------------------------


def test_results_keep_their_names() -> None:
    with tf.Session(graph=load("cond.v1").graph) as session:
        assert session.run("cond/Merge:0", {"p:0": True, "x:0": [1.0]}).tolist() == [3.0]
    with tf.Session(graph=load("count.v1").graph) as session:
        assert session.run("while/Exit:0", {"n:0": 3}) == 3
    with tf.Session(graph=load("count.v2").graph) as session:
        assert session.run(["while:2", "while:4"], {"n:0": 3}) == [3, 3]


@pytest.mark.parametrize(("name", "inside"), [("cond.v1", "cond/mul:0"), ("count.v1", "while/add:0")])
def test_what_is_inside_is_refused_with_the_node_that_holds_it(name: str, inside: str) -> None:
    feeds: dict[str, Any] = {"p:0": True, "x:0": [1.0]} if name == "cond.v1" else {"n:0": 3}
    with (
        tf.Session(graph=load(name).graph) as session,
        pytest.raises(tf.errors.PenstockError, match=f"is inside the body of '{inside.partition('/')[0]}'"),
    ):
        session.run(inside, feeds)


def test_constants_do_not_wait_for_the_branch_that_they_are_in() -> None:
    (op,) = [op for op in load("cond.v1").graph.get_operations() if op.type == "If"]
    inside = [each for body in (op.args[2], op.args[3]) for each in body.operations]
    assert {each.type for each in inside} == {"Const", "Mul", "Add", "Sub"}
    assert all(not each.control_inputs for each in inside)


def test_a_value_that_no_iteration_changes_is_no_loop_variable() -> None:
    (op,) = [op for op in load("count.lowered").graph.get_operations() if op.type == "While"]
    assert op.get_attr("variables") == 3  # of five in the file


# ---- what cannot be read ------------------------------------------------------------------------

CALL = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "PartitionedCall" input: "x" attr { key: "f" value { func { name: "f" } } } }
node { name: "z" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
"""
FUNCTION = """
library { function {
  signature { name: "f" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } }
  node_def { name: "n" op: "%s" input: "a" attr { key: "T" value { type: DT_FLOAT } }
             attr { key: "f" value { func { name: "f" } } } }
  ret { key: "r" value: "n:%s:0" }
} }
"""


def test_a_function_that_is_called_becomes_nodes_of_the_caller() -> None:
    graph = read_graphdef((CALL + FUNCTION % ("Neg", "y")).encode(), text=True).graph
    assert [op.name for op in graph.get_operations()] == ["x", "y/n", "y", "z"]
    with tf.Session(graph=graph) as session:
        assert session.run("y:0", {"x:0": 2.0}) == -2.0


def test_a_function_that_calls_itself_is_refused_by_name_and_the_rest_runs() -> None:
    loaded = read_graphdef((CALL + FUNCTION % ("PartitionedCall", "output")).encode(), text=True)
    assert "the function 'f' calls itself" in loaded.reasons["n"]
    with tf.Session(graph=loaded.graph) as session:
        assert session.run("z:0", {"x:0": 2.0}) == -2.0


def test_an_op_inside_that_does_not_exist_here_is_named() -> None:
    loaded = read_graphdef((CALL + FUNCTION % ("ExtractGlimpseV2", "y")).encode(), text=True)
    assert loaded.missing == {"ExtractGlimpseV2": 1}
    assert loaded.left_out == ("y",)


TWO = """
library { function { signature { name: "f" } } function { signature { name: "f" } } }
"""
DAMAGED = {
    "no such function": (CALL, r"'y'.*calls the function 'f', which is not in the library"),
    "a result that no node has": (CALL + FUNCTION % ("TopKV2", "other"), "names no result of 'TopKV2'"),
    "another dtype": (CALL + FUNCTION.replace('name: "a" type: DT_FLOAT', 'name: "a" type: DT_INT32') % ("Neg", "y"),
                      r"the argument 'a' of the function 'f' gets float32"),
    "another number of arguments": (CALL.replace('input: "x" attr { key: "f"', 'input: "x" input: "x" attr { key: "f"')
                                    + FUNCTION % ("Neg", "y"), "takes 1 arguments, not 2"),
    "an argument that is a list": (CALL + FUNCTION.replace('name: "a" type: DT_FLOAT', 'name: "a" type: DT_FLOAT '
                                   'number_attr: "N"') % ("Neg", "y"), "'a' stands for a list of tensors"),
    "a result of several types": (CALL + FUNCTION.replace('name: "r" type: DT_FLOAT', 'name: "r" type_list_attr: "T"')
                                  % ("Neg", "y"), "'r' stands for a list of tensors"),
    "two functions of one name": (CALL + TWO, "two functions called 'f'"),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_library_is_an_error_that_names_the_node_or_the_function(what: str) -> None:
    text, message = DAMAGED[what]
    with pytest.raises(GraphFormatError, match=message):
        read_graphdef(text.encode(), text=True)


def test_a_loop_variable_that_changes_its_dtype_is_named() -> None:
    proto = decode(GraphProto, (FOLDER / "count.v1.pb").read_bytes())
    for node in proto.nodes:
        if node.name == "while/NextIteration":
            node.inputs = ["while/Less"]
    with pytest.raises(GraphFormatError, match="'while/Merge' is int32, and bool after one iteration"):
        read_graphdef(encode(proto))


@pytest.mark.parametrize("seed", [*range(5), *nightly(range(5, 12))])
def test_a_changed_file_is_read_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    paths = [path for path in sorted(FOLDER.glob("*.pb")) if path.stat().st_size < 12_000]
    for _ in range(10):
        proto = decode(GraphProto, rng.choice(paths).read_bytes())
        change(proto, rng)
        try:
            loaded = read_graphdef(encode(proto))
        except GraphFormatError:
            continue
        assert len(loaded.graph) >= 0


def change(proto: GraphProto, rng: random.Random) -> None:
    functions = proto.library.functions if proto.library else []
    nodes = rng.choice([proto.nodes, *[f.nodes for f in functions if f.nodes]])
    node, other = rng.choice(nodes), rng.choice(nodes)
    kind = rng.randrange(6)
    if kind == 0 and node.inputs:
        node.inputs[rng.randrange(len(node.inputs))] = other.name
    elif kind == 1:
        node.op = other.op
    elif kind == 2 and node.attrs:
        del node.attrs[rng.randrange(len(node.attrs))]
    elif kind == 3:
        node.inputs = node.inputs[1:]
    elif kind == 4 and functions:
        functions.remove(rng.choice(functions))
    elif node.attrs:
        rng.choice(node.attrs).value = rng.choice([AttrValue(i=7), AttrValue(func=FunctionName("none"))])


def test_a_graph_of_our_own_has_a_json_form_both_ways(tmp_path: Path) -> None:
    graph = load("gradient_of_cond_in_loop.v2").graph
    again = tf.load_graph(tf.save_graph(graph, tmp_path / "graph.json"))
    assert str(graph.diff(again)) == "no difference"
    feeds = {"n:0": 3, "x:0": [0.5, -0.75]}
    fetches = [op.outputs[0].name for op in graph.get_operations() if op.type == "Identity" and op.outputs][-1:]
    with tf.Session(graph=graph) as one, tf.Session(graph=again) as two:
        np.testing.assert_array_equal(one.run(fetches, feeds), two.run(fetches, feeds))
