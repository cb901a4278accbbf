"""`graph.export("g.py")`: the text builds the same graph again, and that computes the same.

Graphs are compared as the documents of saved graphs: names, operands, attributes, shapes, devices, control inputs,
graphs inside, collections and scopes. Which unknown sizes inside of bodies are the same is not compared: the text tells
it only where a tensor outside has the size.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
import penstock.compat.v1 as v1
from penstock.errors import GraphFormatError
from penstock.extend import Float, Tensor, TensorShape, body, claim_shape, node, op, record
from penstock.graph.serial.document import DocumentWriter
from penstock.repro.criteria import same_value
from penstock.repro.graph_text import graph_text

from ..control_flow.random_control import control_program
from ..golden_extra.control_flow_programs import PROGRAMS
from ..helpers import EVERY, nightly
from ..op_samples import USERS_OPS, all_known, of_each_kind
from ..train.test_updates_in_one_run import OPTIMIZERS

PYTHON = ("PyFunc", "PyFuncStateless")
"""Functions of the program have no form as text."""


def rebuilt(graph: tf.Graph) -> tf.Graph:
    """The graph that the text of another one builds."""
    namespace: dict[str, Any] = {}
    exec(compile(graph_text(graph), "g.py", "exec"), namespace)
    made = namespace["graph"]
    assert isinstance(made, tf.Graph)
    return made


def told(graph: tf.Graph) -> tuple[dict[str, Any], dict[str, bytes]]:
    """A graph as data, without the lines of programs; unknown sizes are numbered anew, those inside of bodies not."""
    writer = DocumentWriter(graph)
    document = writer.document()
    numbers: dict[str, str] = {}
    found = {
        "nodes": [_plain(each, numbers) for each in document["nodes"]],
        "collections": {key: items for key, items in document["collections"].items() if items},
        "names": [document[key] for key in ("scopes", "reserved", "shows")],
    }
    return found, {key: array.tobytes() for key, array in writer.arrays.outside.items()}


def _plain(value: Any, numbers: dict[str, str] | None) -> Any:
    if isinstance(value, list):
        return [_plain(each, numbers) for each in value]
    if isinstance(value, dict):
        inside = numbers is None or "nodes" in value
        left_out = ("origins", "pinned") if inside else ("origins",)
        here = None if inside else numbers
        return {_plain(key, here): _plain(each, here) for key, each in value.items() if key not in left_out}
    if isinstance(value, str) and re.fullmatch(r"\?\d+", value):
        return "?" if numbers is None else numbers.setdefault(value, f"?{len(numbers)}")
    return value


def assert_comes_back(graph: tf.Graph) -> tf.Graph:
    again = rebuilt(graph)
    assert told(again) == told(graph)
    return again


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", [1, *nightly([EVERY])])
def test_every_sample_of_every_op_comes_back(first: int) -> None:
    """first: of each op so many samples are tried, and each of a kind that none before was."""
    wrong, refused = [], set()
    for kind in USERS_OPS:
        for call in of_each_kind(USERS_OPS[kind], first):
            with tf.Graph().as_default() as graph:
                call.with_placeholders(all_known(call))
            try:
                again = rebuilt(graph)
            except GraphFormatError:
                refused.add(kind)
                continue
            if told(again) != told(graph):
                wrong.append(str(call))
    assert wrong == [] and refused == set(PYTHON)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("every", [6, *nightly([1])])
def test_recorded_programs_of_control_flow_come_back(every: int) -> None:
    count = 0
    for program in list(PROGRAMS.values() if isinstance(PROGRAMS, dict) else PROGRAMS)[::every]:
        with v1.Graph().as_default() as graph:
            try:
                program.build(v1, **program.given)
            except Exception:  # some programs are mistakes
                continue
        try:
            again = rebuilt(graph)
        except GraphFormatError as error:
            assert "function of Python" in str(error)
            continue
        assert told(again) == told(graph), program.name
        count += 1
    assert count > 200 // every


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [*range(8), *nightly(range(8, 25))])
def test_random_programs_of_control_flow_come_back_and_compute_the_same(seed: int) -> None:
    program = control_program(seed)
    with v1.Graph().as_default() as graph:
        made = program.build(v1)
        slopes = [eval(slope, made) for slope in program.slopes]
        fetches = [made[name] for name in program.fetched]
        fetches += [v1.convert_to_tensor(slope) for slope in slopes if slope is not None]
    again = assert_comes_back(graph)
    feeds = {made[name].name: array for name, array in program.feeds(0).items()}
    names = [each.name for each in fetches]
    with tf.Session(graph=graph) as one, tf.Session(graph=again) as other:
        expected, found = one.run(names, feeds), other.run(names, feeds)
    assert all(same_value(a, b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_graphs_come_back_and_train(name: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        w = tf.get_variable("w", [3, 2], initializer=tf.random_uniform_initializer(seed=1))
        hidden = tf.nn.dropout(tf.tanh(tf.matmul(x, w)), 0.5, seed=2)
        loss = tf.reduce_sum(tf.square(hidden), name="loss")
        step = tf.get_variable("step", [], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
        OPTIMIZERS[name]().minimize(loss, global_step=step, name="train")
    again = assert_comes_back(graph)
    found = []
    for each in (graph, again):
        with each.as_default(), tf.Session(graph=each) as session:
            assert [v.name for v in tf.trainable_variables()] == ["w:0"]
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run("train", {"x:0": np.eye(3)})
            found.append(session.run(["w:0", "step:0", "loss:0"], {"x:0": np.eye(3)}))
    assert all(same_value(a, b) for a, b in zip(*found, strict=True))


def test_the_text_reads_like_a_program(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.device("/job:worker/task:1"):
            y = tf.multiply(x, 0.1, name="y")
        with tf.control_dependencies([y]):
            tf.negative(x, name="z")
    text = graph.export(tmp_path / "g.py").read_text()
    lines = re.sub(r"  # test_graph_text.py:\d+", "", text)
    assert lines == '''"""A graph of 4 operations: this program builds it again, as `graph`."""

import penstock as tf

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(dtype=tf.float32, shape=["n"], name="x")
    with tf.device("/job:worker/task:1"):
        y_y = tf.constant(0.1, name="y/y")
        y = tf.multiply(x=x, y=y_y, name="y")
    with tf.control_dependencies([y.op]):
        z = tf.negative(x=x, name="z")
'''


def test_scopes_keep_their_names_for_what_is_built_later() -> None:
    with tf.Graph().as_default() as graph, tf.name_scope("tower"):
        tf.constant(1.0, name="a")
    with assert_comes_back(graph).as_default(), tf.name_scope("tower"):
        assert tf.constant(2.0).name == "tower_1/Const:0"


@pytest.mark.parametrize("name", ["x:0", "two\nlines", "größe", "a/b/"])
def test_a_name_that_no_call_could_give_comes_back(name: str) -> None:
    graph = tf.Graph()
    with graph.as_default():
        found = node("Const", value=np.float32(1.0), name=name)
    assert rebuilt(graph).get_operations()[0].name == found.op.name == name


def test_names_that_differ_in_the_case_of_letters_come_back() -> None:
    with tf.Graph().as_default() as graph:
        node("Const", value=np.float32(1.0), name="a")
        node("Const", value=np.float32(2.0), name="A")
    assert [each.name for each in assert_comes_back(graph).get_operations()] == ["a", "A"]


def test_long_arrays_and_rare_numbers_keep_their_bits() -> None:
    rng = np.random.default_rng(0)
    rare = np.array([0x7FC00001, 0xFFC00000, 0x80000000, 0x00000001], np.uint32).view(np.float32)
    with tf.Graph().as_default() as graph:
        for array in (rng.normal(size=[40, 30]), rare, np.full([50, 50], -0.0), np.full(7, 1e30, np.float32),
                      np.array(0.1, np.float32), np.array([], np.int64), np.array([b"\xff"], object)):  # fmt: skip
            tf.constant(array)
    assert_comes_back(graph)


def test_what_has_no_text_names_the_node(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.py_func(lambda: 1.0, [], tf.float64, name="asked")
    with pytest.raises(GraphFormatError, match=r"the node 'asked' .*function of Python"):
        graph.export(tmp_path / "g.py")
    assert not (tmp_path / "g.py").exists()


def test_an_op_of_the_program_is_asked_for_by_its_type() -> None:
    @op("OnlyInThisTest", out="T")
    def twice(x: Float, name: str | None = None) -> Tensor:
        """Twice x."""
        raise AssertionError("an op has a kernel")

    @twice.shape
    def _(x: Tensor) -> TensorShape:
        return x.shape

    with tf.Graph().as_default() as graph:
        twice(tf.constant(1.0))
    assert 'node("OnlyInThisTest", ' in graph_text(graph)


def test_mistakes_of_written_nodes_are_told() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0, name="x")
        with pytest.raises(TypeError, match="they must be those of the op: x, y, and a name"):
            node("Add", x=x, name="y")
        with pytest.raises(TypeError, match="has an operation of that name already"):
            node("Neg", x=x, name="x")
        with pytest.raises(TypeError, match="1 operands, but 2 names"):
            body(lambda a: [a], [x], "loop", inputs=["loop/a", "loop/b"])
        with pytest.raises(TypeError, match="there is no such record; there are Index"):
            record("Nothing")
        with pytest.raises(ValueError, match="2"):
            claim_shape(tf.constant([1.0]), [2])
