"""The calls that export: their named parameters, what their errors name, and which JSON they write."""

from __future__ import annotations

import inspect
import json
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.cli import main
from penstock.runtime.observe.profile import Profile
from penstock.runtime.planning.plan import Plan
from penstock.show import export
from penstock.show.formats.export_options import ExportOptions

from .test_page_document import data_of


@pytest.fixture
def graph() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.name_scope("tower"):
            tf.sqrt(x, name="root")
        tf.add(x, 1.0, name="more")
    return graph


def plan_of(graph: tf.Graph) -> Plan:
    return tf.Session(graph=graph).plan("more:0")


def record_of(graph: tf.Graph) -> tf.RunRecord:
    metadata = tf.RunMetadata()
    tf.Session(graph=graph).run("more:0", {"x:0": [1.0]}, run_metadata=metadata)
    assert metadata.record is not None
    return metadata.record


def options_of(call: Callable[..., Any]) -> dict[str, Any]:
    """The named options of a call with their defaults."""
    parameters = inspect.signature(call).parameters.values()
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters)
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}


def test_every_call_that_exports_names_its_options_and_they_are_the_same() -> None:
    fields = {name: getattr(ExportOptions(), name) for name in ExportOptions.__slots__ if name != "call"}
    of_graphs = {"fetches": None, "feeds": None, "session": None, "play": False, "context": None, "opset": None}
    assert options_of(tf.Graph.export) == options_of(export) == fields
    assert options_of(tf.RunRecord.export) == options_of(Plan.export)
    assert {**of_graphs, **options_of(Plan.export)} == fields
    assert options_of(Profile.export) == {**options_of(Plan.export), "colour": "time"}


CALLS: dict[str, Callable[[tf.Graph], Any]] = {
    "Graph.export": lambda graph: graph.export,
    "Plan.export": lambda graph: plan_of(graph).export,
    "RunRecord.export": lambda graph: record_of(graph).export,
    "Profile.export": lambda graph: tf.Session(graph=graph).profile("more:0", {"x:0": [1.0]}, runs=1).export,
    "show.export": lambda graph: lambda path, **options: export(graph, path, **options),
}
WRONG: dict[str, tuple[type[Exception], str, Any, dict[str, Any]]] = {
    "a suffix": (ValueError, r"\('.*a\.foo'\): the path has the suffix '\.foo'", "a.foo", {}),
    "no path": (TypeError, r"\(3\): the path is a text or a pathlib.Path, not int", 3, {}),
    "a colour": (ValueError, r"\(colour='taste'\): there is no such colouring; there are kind", "a.svg",
                 {"colour": "taste"}),
    "a colour that is no text": (TypeError, r"\(colour=3\): it must be a text, not int", "a.svg", {"colour": 3}),
    "a title": (TypeError, r"\(title=None\): it must be a text, not NoneType", "a.svg", {"title": None}),
    "a depth": (TypeError, r"\(depth='2'\): it must be an int or None, not str", "a.svg", {"depth": "2"}),
    "a negative depth": (ValueError, r"\(depth=-1\): it must be None or at least 0", "a.svg", {"depth": -1}),
    "what to hide": (TypeError, r"\(hide=3\): it must be a list of patterns", "a.svg", {"hide": 3}),
    "patterns": (TypeError, r"\(hide=\[1\]\): it must be a list of patterns", "a.svg", {"hide": [1]}),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("mistake", WRONG)
def test_errors_of_export_name_the_call_and_end_in_the_users_line(
    call: str, mistake: str, graph: tf.Graph, tmp_path: Path
) -> None:
    kind, words, path, options = WRONG[mistake]
    with pytest.raises(kind, match=call.replace(".", r"\.") + words) as found:
        CALLS[call](graph)(path if isinstance(path, int) else tmp_path / path, **options)
    assert {Path(frame.f_code.co_filename).name for frame, _ in traceback.walk_tb(found.tb)} == {Path(__file__).name}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["Graph.export", "Plan.export", "RunRecord.export"])
def test_a_misspelled_option_is_told_with_the_nearest_and_all(call: str, graph: tf.Graph, tmp_path: Path) -> None:
    words = rf"^{call}: no parameter is called 'depht'; did you mean 'depth'\?; the parameters are path, .*hide"
    with pytest.raises(TypeError, match=words):
        CALLS[call](graph)(tmp_path / "a.svg", depht=3)
    with pytest.raises(TypeError, match="'color'; color is called colour here"):
        CALLS[call](graph)(tmp_path / "a.svg", color="type")


def test_a_fetch_that_is_not_there_names_the_call(graph: tf.Graph, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^Graph\.export\(fetches\): the fetch 'z' is not one of"):
        graph.export(tmp_path / "a.svg", fetches="z")


def test_options_of_graphs_are_refused_for_a_plan(graph: tf.Graph, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^show\.export\(fetches=\.\.\.\): a plan has fetches and feeds of its own"):
        export(plan_of(graph), tmp_path / "a.svg", fetches="more:0")


def test_feeds_alone_run_the_fetches_and_a_list_of_tensors_shows_the_stages(graph: tf.Graph, tmp_path: Path) -> None:
    ran = data_of(graph.export(tmp_path / "run.html", fetches="more:0", feeds={"x:0": np.ones(3)}).read_text("utf-8"))
    assert ran["facts"]["run"] and len(ran["views"]) > 1
    stages = data_of(graph.export(tmp_path / "stages.html", fetches="more:0", feeds=["x:0"]).read_text("utf-8"))
    assert len(stages["views"]) == len(ran["views"]) and "run" not in stages["facts"]


def test_a_page_of_a_run_begins_with_the_initial_values_of_variables(tmp_path: Path) -> None:
    with tf.Graph().as_default() as trained:
        x = tf.placeholder(tf.float32, [2], name="x")
        w = tf.Variable(3.0, name="w")
        up = w.assign_add(tf.reduce_sum(x), name="up")
        doubled = x * 2.0
    for fetches in (up, w.initializer, [doubled]):
        before = len(trained)
        page = trained.export(tmp_path / "run.html", fetches=fetches, feeds={x: [1.0, 2.0]}).read_text("utf-8")
        assert "run" in data_of(page)["facts"]
        assert len(trained) == before
    with tf.Session(graph=trained) as session, pytest.raises(tf.errors.FailedPreconditionError):
        trained.export(tmp_path / "run.html", fetches=up, feeds={x: [1.0, 2.0]}, session=session)


# ---- one JSON -----------------------------------------------------------------------------------


def test_a_graphs_json_is_the_saved_graph_that_inspect_and_load_graph_read(
    graph: tf.Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = graph.export(tmp_path / "g.json")
    assert not graph.diff(tf.load_graph(path))
    assert path.read_text() == tf.save_graph(graph, tmp_path / "saved.json").read_text()
    assert main(["inspect", str(path)]) == 0
    assert "tower/root" in capsys.readouterr().out


def test_the_picture_as_data_has_a_suffix_of_its_own(graph: tf.Graph, tmp_path: Path) -> None:
    found = json.loads(graph.export(tmp_path / "g.picture.json", hide="more*").read_text())
    assert found["format"] == "penstock-picture"
    assert [box["id"] for box in found["boxes"]] == ["x", "tower/root"]
    with pytest.raises(ValueError, match=r"hide=\.\.\.\): \.json is the saved graph, .* write 'g\.picture\.json'"):
        graph.export(tmp_path / "g.json", hide="more*")


@pytest.mark.parametrize("kind", ["picture", "plan", "run"])
def test_other_json_of_penstock_is_told_by_its_name(kind: str, graph: tf.Graph, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind}.json"
    drawn: Any = {"picture": graph, "plan": plan_of(graph), "run": record_of(graph)}[kind]
    export(drawn, path)
    words = {"picture": "a picture", "plan": "a plan", "run": "a recorded run"}[kind]
    with pytest.raises(ValueError, match=rf"{words} that export wrote, .*not a saved graph"):
        tf.load_graph(path)


def test_drawings_of_graphs_fold_rows_of_equal_scopes_and_data_does_not(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        for _ in range(3):
            with tf.name_scope("step"):
                x = tf.sqrt(x, name="root")
    assert graph.export(tmp_path / "a.txt").read_text().splitlines()[1:] == [
        "x  Placeholder  float32 (n,)",
        "step x3/  one of 3 equal scopes",
        "  root  Sqrt  float32 (n,)  in the next: from root  <- x:0",
    ]
    names = ("a.svg", "a.dot", "a.mmd", "a.graphml", "a.picture.json")
    drawn = {name: graph.export(tmp_path / name).read_text() for name in names}
    assert {name: "step x3" in text for name, text in drawn.items()} == dict.fromkeys(names[:3], True) | dict.fromkeys(
        names[3:], False
    )
    each = graph.export(tmp_path / "each.svg", repeats="each").read_text()
    assert each.count(f'class="scope depth1 hue{each.partition(" hue")[2][0]}"') == 3
    assert ">step_1<" in each and "step x3" not in each
    assert "step x3" in graph.export(tmp_path / "b.picture.json", repeats="fold").read_text()
    closed = graph.export(tmp_path / "closed.txt", depth=0).read_text().splitlines()
    assert closed[-1].split("  ")[0] == "step x3" and "each 1 operation" in closed[-1]
    assert "step_1" in graph.export(tmp_path / "closed.txt", depth=0, repeats="each").read_text()
    with pytest.raises(ValueError, match=r"Graph.export\(repeats='all'\): it must be 'fold', 'each' or None"):
        graph.export(tmp_path / "a.svg", repeats="all")  # type: ignore[arg-type]  # the mistake is the point


@pytest.mark.parametrize("made", [lambda graph: graph, plan_of, record_of], ids=["graph", "plan", "run"])
def test_the_direction_of_arrows_is_chosen(made: Callable[[tf.Graph], Any], graph: tf.Graph, tmp_path: Path) -> None:
    drawn = made(graph)
    sizes = []
    for way in ("down", "right"):
        text = drawn.export(tmp_path / "a.svg", direction=way).read_text("utf-8")
        sizes.append(tuple(float(part) for part in text.split('viewBox="0 0 ')[1].split('"')[0].split()))
        assert data_of(drawn.export(tmp_path / "a.html", direction=way).read_text("utf-8"))["direction"] == way
        rankdir = "TB" if way == "down" else "LR"
        assert f"rankdir={rankdir}" in drawn.export(tmp_path / "a.dot", direction=way).read_text()
    assert sizes[0][1] > sizes[1][1]
    with pytest.raises(ValueError, match=r"direction='up'\): it must be 'auto', 'down' or 'right'"):
        drawn.export(tmp_path / "a.svg", direction="up")
