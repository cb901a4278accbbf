"""A graph comes back from JSON as it was, and malformed files are refused."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
import tests.op_samples  # noqa: F401  # all ops are declared then
from penstock.errors import GraphFormatError
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.model.nodes import Tensor
from penstock.graph.shapes.dtypes import variant
from tests.graph.serial.programs import HOSTILE, hostile_graph, program
from tests.helpers import at_most, every_case, shares
from tests.random_graphs import random_program


def again(graph: tf.Graph, folder: Path) -> tf.Graph:
    return tf.load_graph(tf.save_graph(graph, folder / "graph.json"))


def assert_same(a: tf.Graph, b: tf.Graph) -> None:
    """Every node, in order, with everything that a node has."""
    assert str(a.diff(b)) == "no difference"
    assert [op.name for op in a.get_operations()] == [op.name for op in b.get_operations()]
    for old, new in zip(a.get_operations(), b.get_operations(), strict=True):
        assert [(o.file, o.line, o.function, o.code) for o in old.origins] == [
            (o.file, o.line, o.function, o.code) for o in new.origins
        ]
        assert [t.dtype for t in old.outputs] == [t.dtype for t in new.outputs]
    assert [t.name for t in a.pinned] == [t.name for t in b.pinned]
    assert [(op.name, str(d), n) for op, d, n in a.equations] == [(op.name, str(d), n) for op, d, n in b.equations]


def without_variants(value: Any) -> Any:
    """A placeholder for a variant: its elements are objects of a run, so a constant of it has no written form."""
    is_variant = isinstance(value, np.ndarray) and value.dtype == variant.np
    return tf.placeholder(variant, value.shape) if is_variant else value


def test_a_constant_of_variants_has_no_written_form(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.identity(np.empty((), variant.np))
    with pytest.raises(GraphFormatError, match="a constant of dtype variant has no written form"):
        again(graph, tmp_path)


@shares(2)
@every_case("type_", sorted(OPS), parts=2, by_day=1)
def test_every_sample_of_every_op_comes_back(type_: str, most: int, tmp_path: Path) -> None:
    opdef = OPS[type_]
    if opdef.sample_rule is None or type_ == "Fused" or type_.startswith("PyFunc"):  # functions have no written form
        return
    for each in at_most(opdef.sample_rule(np.random.default_rng(0)), most):
        with tf.Graph().as_default() as graph:
            opdef(*map(without_variants, each.args), **each.kwargs)
        assert_same(graph, again(graph, tmp_path))


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs_come_back_and_compute_the_same(seed: int, tmp_path: Path) -> None:
    graph, fetches, feeds = random_program(seed).build()
    loaded = again(graph, tmp_path)
    assert_same(graph, loaded)
    names = [t.name for t in fetches]
    with tf.Session(graph=graph) as one, tf.Session(graph=loaded) as two:
        before = one.run(names, {t.name: v for t, v in feeds.items()})
        after = two.run(names, {t.name: v for t, v in feeds.items()})
    for a, b in zip(before, after, strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        assert np.asarray(a).tolist() == np.asarray(b).tolist() or np.asarray(a).tobytes() == np.asarray(b).tobytes()


def test_unknown_dimensions_that_were_equal_stay_equal_and_others_do_not(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, "n", 3], name="x")
        tf.add(x, x, name="same")
        tf.placeholder(tf.float32, [None, "n", 3], name="other")
        tf.concat(1, [x, x], name="twice")
    loaded = again(graph, tmp_path)
    shapes = {op.name: op.outputs[0].shape for op in loaded.get_operations() if op.outputs}
    assert shapes["x"] == shapes["same"]
    assert shapes["x"][0] != shapes["other"][0]
    assert str(shapes["twice"]) == "(?, 2*n, 3)"
    assert "placeholder leaves it open" in str(tf.why_unknown(loaded.get_tensor_by_name("same:0")))


def test_what_set_shape_added_stays_a_claim_that_runs_check(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        before = tf.identity(x, name="before")
        x.set_shape([3])
        after = tf.identity(x, name="after")
    loaded = again(graph, tmp_path)
    assert [loaded.get_tensor_by_name(t.name).shape.as_list() for t in (before, after)] == [[None], [3]]
    with tf.Session(graph=loaded) as session, pytest.raises(ValueError):
        session.run("after:0", {"x:0": [1.0]})


def test_a_shape_that_a_file_claims_beyond_the_rules_is_checked_by_each_run(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.identity(tf.placeholder(tf.float32, [None], name="x"), name="y")
    path = tf.save_graph(graph, tmp_path / "graph.json")
    document = json.loads(path.read_text())
    document["nodes"][1]["outputs"] = [["float32", [7]]]
    path.write_text(json.dumps(document))
    loaded = tf.load_graph(path)
    assert [t.name for t in loaded.pinned] == ["y:0"]
    with tf.Session(graph=loaded) as session, pytest.raises((ValueError, tf.errors.OpError)):
        session.run("y:0", {"x:0": [1.0]})


def test_devices_controls_scopes_and_collections_come_back(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        a = tf.constant(1.0, name="a")
        with tf.name_scope("tower"), tf.device("/gpu:0"), tf.control_dependencies([a]):
            b = tf.add(a, 2.0, name="b")
        graph.add_to_collection("kept", b)
        graph.add_to_collection("kept", b.op)
        graph.add_to_collection("kept", (1, "two", math.nan, None, b"\xff", 1j, [tf.float32]))
        graph.add_to_collection("kept", object())
    loaded = again(graph, tmp_path)
    new = loaded.get_operation_by_name("tower/b")
    assert (new.device, [c.name for c in new.control_inputs]) == ("/device:GPU:0", [])
    assert [c.name for c in loaded.get_operation_by_name("tower/b/y").control_inputs] == [
        c.name for c in graph.get_operation_by_name("tower/b/y").control_inputs
    ]
    tensor, operation, plain = loaded.get_collection("kept")
    assert (tensor, operation) == (new.outputs[0], new)
    assert repr(plain) == repr((1, "two", math.nan, None, b"\xff", 1j, [tf.float32]))
    with loaded.as_default(), tf.name_scope("tower"):
        assert tf.constant(1.0, name="b").name == "tower_1/b:0"


def test_large_constants_lie_outside_and_small_ones_inside(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(np.arange(256, dtype=np.float32), name="small")
        tf.constant(np.arange(257, dtype=np.float32), name="large")
        tf.constant([b"\xff" * 2000, b"", b"text"], name="strings")
        tf.constant(np.array([np.nan, np.inf, -0.0]), name="special")
        tf.constant(np.ones(600, np.float32).astype(tf.bfloat16.np), name="bfloat16")
        tf.constant(np.array([1 + 2j]), name="complex")
    path = tf.save_graph(graph, tmp_path / "graph.json")
    with zipfile.ZipFile(tmp_path / "graph.npz") as archive:
        assert archive.namelist() == ["c0.npy", "c1.npy", "c1.ends.npy", "c2.npy"]
    assert_same(graph, tf.load_graph(path))


def test_a_file_of_constants_that_belongs_to_another_graph_is_found_out(tmp_path: Path) -> None:
    for value, name in ((1.0, "one"), (2.0, "two")):
        with tf.Graph().as_default() as graph:
            tf.constant(np.full(1000, value))
        tf.save_graph(graph, tmp_path / f"{name}.json")
    (tmp_path / "one.npz").write_bytes((tmp_path / "two.npz").read_bytes())
    with pytest.raises(GraphFormatError, match="not the file it was saved with"):
        tf.load_graph(tmp_path / "one.json")
    (tmp_path / "one.npz").unlink()
    with pytest.raises(GraphFormatError, match="keep the two together"):
        tf.load_graph(tmp_path / "one.json")


def test_hostile_names_devices_and_strings_come_back(tmp_path: Path) -> None:
    graph = hostile_graph()
    loaded = again(graph, tmp_path)
    assert_same(graph, loaded)
    assert [op.device for op in loaded.get_operations()[::2]] == list(HOSTILE)
    assert (tmp_path / "graph.json").read_bytes().isascii()


def test_the_file_an_origin_names_is_never_opened(tmp_path: Path) -> None:
    graph, _, _ = program()
    path = tf.save_graph(graph, tmp_path / "graph.json")
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret\n")
    document = json.loads(path.read_text())
    document["files"] = [str(secret)] * len(document["files"])
    document["nodes"][0]["origins"] = [[0, 1, "f", "x = 1"]]
    path.write_text(json.dumps(document))
    assert tf.load_graph(path).get_operations()[0].origin.code == "x = 1"


def test_a_node_of_an_op_that_is_not_declared_is_named() -> None:
    with pytest.raises(GraphFormatError, match="no op 'Nowhere' is declared here"):
        read({"nodes": [{"name": "a", "op": "Nowhere"}]})


def read(changes: dict[str, Any]) -> tf.Graph:
    from penstock.graph.serial.document_reader import DocumentReader
    from penstock.graph.serial.limits import Limits

    return DocumentReader({"format": "penstock-graph", "version": 1, **changes}, None, Limits()).graph()


def const(name: str = "c", **changes: Any) -> dict[str, Any]:
    array = {"dtype": "float32", "shape": [1], "values": [1.0]}
    return {"name": name, "op": "Const", "attrs": {"value": {"array": array}}, "outputs": [["float32", [1]]], **changes}


def neg(name: str, of: str) -> dict[str, Any]:
    return {"name": name, "op": "Neg", "inputs": {"x": of}, "outputs": [["float32", [1]]]}


def array(**changes: Any) -> dict[str, Any]:
    return const(attrs={"value": {"array": {"dtype": "float32", "shape": [1], "values": [1.0], **changes}}})


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


BAD: dict[str, Any] = {
    "two nodes of one name": [const(), const()],
    "an input from later": [neg("a", "b:0"), const("b")],
    "a circle": [neg("a", "b:0"), neg("b", "a:0")],
    "itself": [neg("a", "a:0")],
    "an output that is not there": [const(), neg("a", "c:1")],
    "an index that is not a number": [const(), neg("a", "c:\u0661")],
    "no name": [const(name="")],
    "a name that is a number": [const(name=3)],  # type: ignore[arg-type]  # the point
    "an unknown key": [const(extra=1)],
    "a device that is a list": [const(device=[])],
    "a shape that is not so": [const(outputs=[["float32", [2]]])],
    "a rank that is not so": [const(outputs=[["float32", [1, 1]]])],
    "a dtype that is not so": [const(outputs=[["int32", [1]]])],
    "a dtype that does not exist": [const(outputs=[["float33", [1]]])],
    "no output": [const(outputs=[])],
    "a negative dimension": [const(outputs=[["float32", [-1]]])],
    "a huge constant": [array(shape=[1 << 40])],
    "a shape no memory holds": [array(shape=[1 << 47, 1 << 47, 0])],
    "too few values": [array(shape=[5])],
    "values of another kind": [array(values=["text"])],
    "a base64 that is none": [const(attrs={"value": {"array": {"dtype": "int8", "shape": [1], "base64": "%%%"}}})],
    "constants without their file": [const(attrs={"value": {"array": {"dtype": "int8", "shape": [1], "npz": "c0"}}})],
    "an attribute too many": [const(attrs={"value": {"array": {}}, "other": 1})],
    "an attribute of no form": [const(attrs={"value": {"pickle": "gASV"}})],
    "an attribute nested deeply": [const(attrs={"value": nested(200)})],
    "a pin of nothing": [const(pinned=[4])],
    "a control input of nothing": [const(after=["nobody"])],
    "an origin of nothing": [const(origins=[[7, 1, "f", ""]])],
    "a node that is a list": [[]],
    "a fused group": [{"name": "f", "op": "Fused", "inputs": {"inputs": []}, "attrs": {"body": None}, "outputs": []}],
    "a split into too many": [
        const(),
        {"name": "s", "op": "DynamicPartition", "inputs": {"data": "c:0", "partitions": "c:0"},
         "attrs": {"num_partitions": 1 << 40}, "outputs": []},
    ],
    "a record nobody knows": [const(attrs={"value": {"record": "os.system", "fields": {}}})],
    "a record with wrong fields": [const(attrs={"value": {"record": "Slot", "fields": {"number": "x"}}})],
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_a_document_that_describes_no_graph_is_refused(what: str) -> None:
    with pytest.raises(GraphFormatError):
        read({"nodes": BAD[what]})


INT = {"dtype": "int32", "shape": [1], "values": [1]}
INTS = const("i", attrs={"value": {"array": INT}}, outputs=[["int32", [1]]])
WRONG_DTYPES: dict[str, tuple[str, dict[str, Any]]] = {
    "a dtype that the op does not take": (
        "no call of Sin makes such a node: Value passed to parameter 'x' has DataType int32 not in list of allowed",
        {"name": "a", "op": "Sin", "inputs": {"x": "i:0"}, "outputs": [["int32", [1]]]},
    ),
    "two dtypes where one is asked for": (
        "Input 'y' of 'Sub' Op has type int32 that does not match type float32 of argument 'x'",
        {"name": "a", "op": "Sub", "inputs": {"x": "c:0", "y": "i:0"}, "outputs": [["float32", [1]]]},
    ),
    "a dtype in a list": (
        r"have types that don't all match: values\[0\] is float32, values\[1\] is int32",
        {"name": "a", "op": "Pack", "inputs": {"values": ["c:0", "i:0"]}, "outputs": [["float32", [2, 1]]]},
    ),
    "floats as indices": (
        "parameter 'indices' has DataType float32 not in list of allowed values: int16, int32, int64",
        {"name": "a", "op": "Gather", "inputs": {"params": "i:0", "indices": "c:0"}, "outputs": [["int32", [1]]]},
    ),
}


@pytest.mark.parametrize("what", WRONG_DTYPES)
def test_operands_of_wrong_dtypes_are_refused_on_loading(what: str) -> None:
    says, node = WRONG_DTYPES[what]
    with pytest.raises(GraphFormatError, match=says):
        read({"nodes": [const(), INTS, node]})


def test_a_slot_that_points_nowhere_is_refused() -> None:
    slot = {"record": "Index", "fields": {"items": [{"record": "Slot", "fields": {"number": 5}}]}}
    index = {"name": "i", "op": "StridedSlice", "inputs": {"tensor": "c:0", "bounds": []}, "attrs": {"index": slot},
             "outputs": [["float32", []]]}  # fmt: skip
    with pytest.raises(GraphFormatError, match="node 1 \\('i'\\)"):
        read({"nodes": [const(), index]})


def test_every_dtype_keeps_every_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for dtype in (tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.int8, tf.int16, tf.int32, tf.int64, tf.float16,
                  tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128):  # fmt: skip
        for count in (3, 900):
            bits = rng.integers(0, 256, count * dtype.size, dtype=np.uint8).view(dtype.np)
            with tf.Graph().as_default() as graph:
                tf.constant(bits, name="bits")
            loaded = again(graph, tmp_path).get_operation_by_name("bits").get_attr("value")
            assert loaded.dtype == dtype.np and loaded.tobytes() == bits.tobytes()


def test_a_loaded_tensor_is_an_ordinary_one(tmp_path: Path) -> None:
    graph, fetches, feeds = program()
    loaded = again(graph, tmp_path)
    assert isinstance(loaded.get_tensor_by_name(fetches[0]), Tensor)
    with tf.Session(graph=graph) as one, tf.Session(graph=loaded) as two:
        for a, b in zip(one.run(fetches, feeds), two.run(fetches, feeds), strict=True):
            np.testing.assert_array_equal(a, b)


# ---- names that no node has, and how scopes are shown --------------------------------------------


def names_given(graph: tf.Graph) -> list[str]:
    """The names that new nodes and scopes get."""
    with graph.as_default():
        found = [tf.constant(1, name=name).name for name in ("kept", "Empty", "b", "tower", "tower/x", "done")]
        for scope in ("empty", "b", "tower", "late"):
            with tf.name_scope(scope) as prefix:
                found += [prefix, tf.constant(1, name="x").name]
        with tf.name_scope("done/"):
            found.append(tf.constant(1, name="x").name)
    return found


def graph_with_names() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        with tf.name_scope("empty"), tf.name_scope("inner"):
            pass
        graph.unique_name("kept")
        tf.constant(1, name="b/not_a_scope")
        with tf.name_scope("tower", show="collapsed"):
            tf.constant(1, name="x")
        with tf.name_scope("done", show="hidden") as scope:
            tf.constant(1, name=scope)
    return graph


def test_new_names_are_the_same_after_loading(tmp_path: Path) -> None:
    loaded = again(graph_with_names(), tmp_path)
    twice = again(loaded, tmp_path)
    assert names_given(graph_with_names()) == names_given(loaded) == names_given(twice)


def test_how_scopes_are_shown_comes_back(tmp_path: Path) -> None:
    graph = graph_with_names()
    assert graph.scope_shows == {"tower": "collapsed", "done": "hidden"} == again(graph, tmp_path).scope_shows


def test_a_saved_graph_is_saved_again_as_the_same_file(tmp_path: Path) -> None:
    for graph in (graph_with_names(), program()[0], hostile_graph()):
        first = tf.save_graph(graph, tmp_path / "graph.json").read_bytes()
        assert tf.save_graph(tf.load_graph(tmp_path / "graph.json"), tmp_path / "graph.json").read_bytes() == first


def test_a_file_from_before_names_were_kept_is_read(tmp_path: Path) -> None:
    path = tf.save_graph(graph_with_names(), tmp_path / "graph.json")
    document = json.loads(path.read_text())
    for key in ("scopes", "reserved", "shows"):
        del document[key]
    path.write_text(json.dumps(document))
    with tf.load_graph(path).as_default() as loaded:
        assert loaded.scope_shows == {}
        with tf.name_scope("tower") as scope:
            assert scope == "tower_1/"


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("scopes", "tower", '"scopes" is .* it must be a list'),
        ("scopes", [3], "is not a name"),
        ("scopes", [""], "is taken already"),
        ("scopes", ["tower/x"], "is taken already"),
        ("scopes", ["a", "A"], "is taken already"),
        ("scopes", ["x" * 100_000], "is not a name"),
        ("reserved", [None], "is not a name"),
        ("reserved", {"a": 1}, '"reserved" is'),
        ("shows", [], '"shows" is'),
        ("shows", {"tower": "blue"}, "open, folded, collapsed, hidden"),
        ("shows", {"tower": ["hidden"]}, "open, folded, collapsed, hidden"),
    ],
)
def test_a_file_cannot_give_two_things_one_name_or_show_a_scope_in_an_unknown_way(
    key: str, value: Any, says: str, tmp_path: Path
) -> None:
    path = tf.save_graph(graph_with_names(), tmp_path / "graph.json")
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {key: value}))
    with pytest.raises(GraphFormatError, match=says):
        tf.load_graph(path)


def test_a_graph_says_which_file_it_was_loaded_from_and_its_nodes_where_they_were_made(tmp_path: Path) -> None:
    with tf.Graph().as_default() as made:
        tf.add(tf.placeholder(tf.float32, [2], name="x"), 1.0, name="y")
    path = tf.save_graph(made, tmp_path / "model.json")
    kept = tf.load_graph(path)
    assert repr(kept).endswith("loaded from model.json>")
    assert kept.get_operation_by_name("y").origin.made == made.get_operation_by_name("y").origin.made
    made_here = r"\n  made at test_json_files.py:\d+  tf.add\(tf.placeholder"
    with pytest.raises(tf.errors.InvalidArgumentError, match=made_here):
        tf.Session(graph=kept).run("y:0")


def test_a_node_of_a_file_without_lines_says_the_file(tmp_path: Path) -> None:
    with tf.Graph().as_default() as made:
        tf.add(tf.placeholder(tf.float32, [2], name="x"), 1.0, name="y")
    path = tf.save_graph(made, tmp_path / "model.json")
    document = json.loads(path.read_text())
    for node in document["nodes"]:
        del node["origins"]
    path.write_text(json.dumps(document))
    bare = tf.load_graph(path)
    y = bare.get_operation_by_name("y")
    assert (y.origin.place, y.origin.made, str(y.origin), y.origin.code) == (
        "model.json", "loaded from model.json", str(path), ""
    )  # fmt: skip
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\n  loaded from model\.json\n"):
        tf.Session(graph=bare).run("y:0")
    again = tf.load_graph(tf.save_graph(bare, tmp_path / "again.json"))
    assert again.get_operation_by_name("y").origin.made == "loaded from again.json"
    frozen = tf.load_graph(tf.save_graph(made, tmp_path / "frozen.pb"))
    assert repr(frozen).endswith("loaded from frozen.pb>")
    assert frozen.get_operation_by_name("y").origin.made == "loaded from frozen.pb:3"
