"""What declarations say of a GraphDef's nodes: the words, and that an op from outside is written and read by them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.extend import Int, T, op
from penstock.graph.declare.graphdef_form import MISSING, FormAttribute, GraphDefForm, graphdef_form
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.model.nodes import Tensor
from penstock.interchange.tensorflow import read_graphdef, write_graphdef
from penstock.interchange.tensorflow.node_reader import knows_type
from penstock.interchange.tensorflow.result_names import NAMES, OF_LISTS, SEVERAL, called_results, reference
from penstock.interchange.tensorflow.rules.direct_rules import direct_nodes, form_of


def test_each_word_says_where_a_value_comes_from() -> None:
    words = "Tidx=axis axis N=#x T=*x Tout=result k:-2 index_type:int32? keep_dims=keepdims/False"
    form = graphdef_form("Own", f"Theirs: {words}")
    assert form.type == "Theirs"
    assert form.attributes == (
        FormAttribute("Tidx", "parameter", "axis"),
        FormAttribute("axis", "parameter", "axis"),
        FormAttribute("N", "count", "x"),
        FormAttribute("T", "dtypes", "x"),
        FormAttribute("Tout", "result"),
        FormAttribute("k", "constant", value=-2),
        FormAttribute("index_type", "constant", value=tf.int32, is_written=False),
        FormAttribute("keep_dims", "parameter", "keepdims", default=False),
    )
    assert graphdef_form("Own", "").type == "Own" and graphdef_form("Own", "T=x").attributes[0].default is MISSING


def test_the_results_have_the_names_of_the_op_definition() -> None:
    assert graphdef_form("Own", "T=x").results == ()
    assert graphdef_form("Own", "Theirs: T=x ->values,indices").results == ("values", "indices")
    assert graphdef_form("Own", "->values") == GraphDefForm("Own", (), ("values",))
    for wrong in ("T=x ->", "T=x -> a b", "T=x ->a,,b"):
        with pytest.raises(ValueError, match="names of results"):
            graphdef_form("Own", wrong)


def recorded() -> dict[str, list[str]]:
    """Node -> what TensorFlow calls its results, where that is not "output"."""
    lines = (Path(__file__).parents[2] / "golden_extra" / "op_results.txt").read_text("utf-8").splitlines()
    rows = [line.partition(": ") for line in lines]
    return {type: names.split(",") for names, _, types in rows for type in types.split()}


def test_results_are_called_what_tensorflow_calls_them() -> None:
    nodes, names = direct_nodes(), recorded()
    known = {type for type in names if knows_type(type)} - OF_LISTS
    assert len(known) >= 407  # none is lost
    assert {type: called_results(type) for type in known if list(called_results(type)) != names[type]} == {}
    assert not nodes.keys() & (SEVERAL | NAMES).keys()
    for type, each in nodes.items():
        assert len({form.results for direct in each if (form := form_of(direct.type)) is not None}) == 1, type


def test_every_form_names_parameters_of_its_op() -> None:
    direct_nodes()  # imports every op
    for type, opdef in OPS.items():
        form = form_of(type)
        for each in form.attributes if form else ():
            assert not each.parameter or each.parameter in opdef.parameters, (type, each)


def test_two_ops_that_are_one_node_are_told_apart_by_what_is_fixed() -> None:
    assert [each.type for each in direct_nodes()["Pack"]] == ["Pack", "Stack"]  # the first has axis:0
    assert [each.type for each in direct_nodes()["NotEqual"]] == ["NotEqual", "LogicalXor"]


@pytest.fixture
def declared() -> Iterator[Any]:
    """An op from outside that is a node of a GraphDef."""

    @op("TestScaled", graphdef="T=x by ->products")
    def scaled(x: T, by: Int, name: str | None = None) -> Tensor:  # type: ignore[empty-body]
        """x times a whole number."""

    @scaled.shape
    def scaled_shape(x: Tensor, by: int) -> tf.TensorShape:
        return x.shape

    @scaled.kernel
    def scaled_kernel(xp: Any, x: Any, by: int) -> Any:
        return x * x.dtype.type(by)

    yield scaled
    del OPS["TestScaled"]


def test_an_op_from_outside_is_written_and_read(declared: Any) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        declared(x, 3, name="y")
    assert reference("y", "TestScaled", 0) == "y:products:0"
    data = write_graphdef(graph)
    loaded = read_graphdef(data)
    with tf.Session(graph=loaded.graph) as session:
        np.testing.assert_array_equal(session.run("y:0", {"x:0": [1.0, 2.0]}), [3.0, 6.0])
    del OPS["TestScaled"]
    assert list(read_graphdef(data).missing) == ["TestScaled"]
    OPS["TestScaled"] = declared


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("T=z", "op('TestWrong'): graphdef='T=z': there is no parameter 'z'"),
        ("T=x+1", "op('TestWrong'): graphdef='T=x+1': 'T=x+1' is none of the forms"),
    ],
)
def test_a_wrong_form_from_outside_is_refused(text: str, message: str) -> None:
    def wrong(x: T, name: str | None = None) -> Tensor:  # type: ignore[empty-body]
        """Nothing."""

    with pytest.raises(TypeError, match=re.escape(message)):
        op("TestWrong", graphdef=text)(wrong)
    assert "TestWrong" not in OPS
