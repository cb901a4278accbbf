"""What a page that computes is made of, and what is refused before it is written."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.show.page.page_document import page_part
from penstock.show.play.compact_script import compact_script
from penstock.show.play.play_data import EDITABLE, MOST_NUMBERS, MOST_STEPS, play_data
from penstock.show.play.play_plan import ops_in
from penstock.show.play.play_scripts import PLAY_SCRIPTS, VIEW_SCRIPTS, needed_scripts, play_kernels
from penstock.show.play.play_values import attribute_data, tensor_data

from .play_pages import array_of
from .test_page_document import data_of


def graph_of_a_product() -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        v = tf.Variable([[1.0], [2.0]], name="v")
        y = tf.matmul(x * tf.constant(3.0, name="three"), v, name="y")
    return graph, x, y


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64", "complex64", "int8", "int64", "uint64",
                                   "bool", "string"])  # fmt: skip
def test_arrays_become_data_and_come_back(dtype: str) -> None:
    made = tf.as_dtype(dtype)
    values: Any = {"string": [b"a", b"\xff", b""], "bool": [True, False, True]}.get(dtype)
    if made.is_integer:
        values = [made.min, made.max, 1]
    array = np.array([0.1, -0.0, np.inf] if values is None else values, made.np)
    data = json.loads(json.dumps(tensor_data(array), allow_nan=False))
    back = array_of(data)
    assert back.dtype == array.dtype and (back.tobytes() == array.tobytes() or made.is_string)
    assert back.tolist() == array.tolist()


def test_float32_is_written_with_the_digits_that_it_needs() -> None:
    assert tensor_data(np.array([0.1, 1e-30, 3.0], np.float32))["data"] == [0.1, 1e-30, 3]


def test_attributes_become_data() -> None:
    assert attribute_data((1, 2.5, "a", b"\xff", tf.int8, None, ..., 1 << 60)) == [
        1, 2.5, "a", "\xff", {"dtype": "int8"}, None, "...", str(1 << 60)
    ]  # fmt: skip


def test_a_page_holds_plans_feeds_constants_and_variables(tmp_path: Path) -> None:
    graph, x, y = graph_of_a_product()
    path = graph.export(tmp_path / "play.html", fetches=y, feeds={x: [[1, 2]]}, play=True)
    play = data_of(path.read_text("utf-8"))["play"]
    assert set(play["plans"]) == {"written", "optimised", "open"}
    assert play["asked"] == ["y:0"] and play["constants"] == ["three:0"]
    assert dict(play["feeds"])["x:0"] == {"dtype": "float32", "shape": [1, 2], "data": [1, 2]}
    assert dict(play["variables"])["v"]["data"] == [1, 2]
    assert play["recorded"] == {"written": {}, "optimised": {}, "open": {}}
    assert path.stat().st_size < 400_000


def test_without_fetches_a_page_computes_what_nothing_reads_but_no_initializer() -> None:
    graph, x, _ = graph_of_a_product()
    with graph.as_default():
        tf.global_variables_initializer()
        tf.add(x, 1.0, name="aside")
    assert {"y:0", "aside:0"} <= set(play_data(graph, None, {x: [[1, 2]]})["asked"])
    assert not any("Assign" in name for name in play_data(graph, None, {x: [[1, 2]]})["asked"])


def test_exporting_adds_no_node_and_leaves_the_session_as_it_was() -> None:
    graph, x, y = graph_of_a_product()
    with graph.as_default():
        random = tf.random_uniform([2], seed=3)
    with tf.Session(graph=graph) as session:
        session.run("v/Assign")
        count, state = len(graph), session.random_state()
        play_data(graph, [y, random], {x: [[1, 2]]}, session)
        assert len(graph) == count and session.random_state() == state


def test_large_constants_are_not_editable() -> None:
    with tf.Graph().as_default() as graph:
        table = tf.constant(np.arange(EDITABLE + 1), name="table")
        y = tf.reduce_sum(table)
    data = play_data(graph, y, None)
    assert data["fixed"] == [["table:0", f"it has {EDITABLE + 1} elements, more than {EDITABLE}"]]
    assert "table:0" not in data["constants"]


def test_values_that_python_computed_stand_in_for_missing_kernels() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.py_func(lambda: np.float32(7.0), [], tf.float32, name="made") + 1.0
    data = play_data(graph, y, None)
    for name, plan in data["plans"].items():
        (given,) = [step for step in plan["steps"] if "given" in step]
        assert given["given"] == "no kernel for PyFunc"
        assert data["recorded"][name][given["out"][0]]["data"] == [7]


def test_a_run_that_fails_still_makes_a_page() -> None:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [], name="n")
        y = tf.floordiv(10, tf.py_func(lambda value: value, [n], tf.int32))
    assert play_data(graph, y, {n: 0})["asked"] == [y.name]


@pytest.mark.parametrize("waits", ["one", "many", "up to", "room"])
@pytest.mark.parametrize("kind", [tf.FIFOQueue, tf.RandomShuffleQueue, tf.PaddingFIFOQueue])
def test_a_page_does_not_wait_for_runs_that_only_the_program_makes(kind: Any, waits: str) -> None:
    with tf.Graph().as_default() as graph:
        sizes = (2, 0) if kind is tf.RandomShuffleQueue else (2,)
        queue = kind(*sizes, dtypes=[tf.float32], shapes=[[]], name="queue")
        waiting = {
            "one": queue.dequeue,
            "many": lambda: queue.dequeue_many(2),
            "up to": lambda: queue.dequeue_up_to(2),
            "room": lambda: queue.enqueue_many([[1.0, 2.0, 3.0]]),  # of which two fit
        }
        node = waiting[waits]()
    data = play_data(graph, node, None)
    assert data["asked"] == [node.name]
    for plan in data["plans"].values():
        (waited,) = [step for step in plan["steps"] if "lacks" in step]
        assert waited["node"] == getattr(node, "op", node).name and "run waited for" in waited["lacks"]
    assert all("data" in value for plan in data["recorded"].values() for value in plan.values())


def refusals(tmp_path: Path) -> list[tuple[str, type[Exception], str, Any]]:
    graph, x, y = graph_of_a_product()
    fed = {x: [[1.0, 2.0]]}
    page = tmp_path / "a.html"
    with tf.Graph().as_default() as long:
        value = tf.placeholder(tf.float32, [], name="p")
        for _ in range(MOST_STEPS + 1):
            value = tf.tanh(value)
    return [
        ("no value", ValueError, r"the fetches need a value for x:0 float32 \(\?, 2\)\. Give it: feeds={'x:0': \.\.\.}",
         lambda: graph.export(page, fetches=y, play=True)),
        ("no values", TypeError, "a page that computes needs values",
         lambda: graph.export(page, fetches=y, feeds=[x], play=True)),
        ("another form", ValueError, r"only a page \(\.html\) computes",
         lambda: graph.export(tmp_path / "a.svg", fetches=y, feeds=fed, play=True)),
        ("no bool", TypeError, r"\(play=1\): it must be True or False, not int",
         lambda: graph.export(page, play=1)),  # type: ignore[arg-type]  # the mistake is the point
        ("nothing", ValueError, "nothing is fetched", lambda: graph.export(page, fetches=[], feeds=fed, play=True)),
        ("another graph", ValueError, "the session runs",
         lambda: graph.export(page, fetches=y, feeds=fed, session=tf.Session(graph=tf.Graph()), play=True)),
        ("no initial value", ValueError, "Attempting to use uninitialized value v. Run its initializer",
         lambda: graph.export(page, fetches=y, feeds=fed, session=tf.Session(graph=graph), play=True)),
        ("too much", ValueError, rf"x:0 has {2 * MOST_NUMBERS}; it holds at most {MOST_NUMBERS}",
         lambda: graph.export(page, fetches=y, feeds={x: np.zeros((MOST_NUMBERS, 2))}, play=True)),
        ("too long", ValueError, rf"need {MOST_STEPS + 1} steps; a page computes at most {MOST_STEPS}",
         lambda: long.export(page, fetches=value, feeds={"p:0": 1.0}, play=True)),
        ("a plan", ValueError, "a page computes a graph",
         lambda: tf.show.export(tf.Session(graph=graph).plan(y), page, play=True)),
    ]  # fmt: skip


def test_what_no_page_can_hold_is_refused_before_it_is_written(tmp_path: Path) -> None:
    for what, error, text, call in refusals(tmp_path):
        with pytest.raises(error, match=text):
            call()
        assert list(tmp_path.iterdir()) == [], what


def test_scripts_can_be_written_without_comments_and_indentation() -> None:
    for name in (*PLAY_SCRIPTS, *VIEW_SCRIPTS):
        text = page_part(f"{name}.js")
        assert all(line.count("`") % 2 == 0 for line in text.splitlines()), f"{name}.js: a text goes over a line"
        assert len(compact_script(text)) < len(text)
        assert not re.search(r"\b(eval|new Function|innerHTML)\b", text), name


def test_a_page_needs_the_scripts_of_its_ops_alone() -> None:
    everything = needed_scripts(play_kernels())
    few = needed_scripts(["Add"])
    assert everything == PLAY_SCRIPTS
    assert {"elementwise_arithmetic", "interpreter", "tensor"} <= set(few) and "sorting" not in few


def test_every_name_of_the_scripts_that_compute_is_declared_once() -> None:
    declared = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
    names = [name for script in PLAY_SCRIPTS for name in declared.findall(page_part(f"{script}.js"))]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_the_ops_of_a_plan_are_found_in_bodies_and_groups_too() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        y = tf.while_loop(lambda v: tf.reduce_sum(v) < 9.0, lambda v: tf.exp(v * 2.0) + 1.0, [x])
    plans = play_data(graph, y, {x: [1.0, 2.0, 3.0]})["plans"]
    for name in ("written", "optimised"):
        assert {"While", "Sum", "Less", "Exp", "Mul", "Add"} <= set(ops_in(plans[name])), name


def test_a_copy_of_a_loop_has_the_title_of_the_loop_in_the_program(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        _, result = tf.while_loop(lambda i, v: i < 3, lambda i, v: [i + 1, v * v + x], [0, x], name="newton")
        (slope,) = tf.gradients(result, x)
    graph.export(tmp_path / "a.html", fetches=[result, slope], feeds={x: 1.0}, play=True)
    data = data_of((tmp_path / "a.html").read_text())
    assert "fetched: newton, " in data["words"] and "forward" not in data["words"]
    for view in data["views"]:
        titles = {row[0]: row[1] for row in view["boxes"]}
        assert titles["gradients/newton_grad/forward"] == "newton"


def test_no_two_scripts_of_a_page_declare_one_name() -> None:
    places: dict[str, list[str]] = {}
    for path in sorted((Path(tf.__file__).parent / "show").rglob("*.js")):
        for name in re.findall(r"^(?:function\*?|const|let|class) (\w+)", path.read_text("utf-8"), re.MULTILINE):
            places.setdefault(name, []).append(path.name)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
