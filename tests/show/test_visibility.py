"""The visibility of scopes is honoured by every form: open, collapsed, hidden, depth and patterns."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import networkx
import pytest

import penstock as tf
from penstock.graph.model.identity_comparison import MistakeWarning
from penstock.show.content.closed_scopes import collapse, fit, scopes_to_close
from penstock.show.content.from_graph import picture_of
from penstock.show.content.picture import Box, Group, Picture, all_groups
from penstock.show.page.page_views import PageOptions, data_of_graph
from tests.show.test_page_document import data_of


def model() -> tf.Graph:
    """Four scopes: one to each mark, one without, and a regularizer in two of them."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        with tf.name_scope("plain"):
            a = tf.exp(x, name="a")
            with tf.name_scope("inner"):
                a = tf.sin(a, name="sine")
            with tf.name_scope("Regularizer"):
                tf.square(a, name="mul")
        with tf.name_scope("shut", show="collapsed"):
            b = tf.cos(a, name="cosine")
            tf.square(b, name="Regularizer")
        with tf.name_scope("gone", show="hidden"):
            c = tf.tan(b, name="tangent")
        with tf.name_scope("kept", show="open"), tf.name_scope("inner"):
            tf.add(tf.negative(c, name="minus"), b, name="out")
    return graph


SUFFIXES = (".dot", ".graphml", ".html", ".mmd", ".picture.json", ".svg", ".txt")


def boxes_in(path: Path) -> tuple[set[str], set[str]]:
    """The labels of operations and of closed scopes that a file shows."""
    text = path.read_text("utf-8")
    match path.suffix:
        case ".dot":
            shown = re.findall(r'^ *"([^"]*)" \[label', text, re.MULTILINE)
        case ".graphml":
            shown = list(networkx.parse_graphml(text, force_multigraph=True).nodes)
        case ".html":
            (view,) = data_of(text)["views"]
            open_ = {number for number, scope in enumerate(view["scopes"]) if scope[6]}
            closed = [scope[2] + "/" for scope in view["scopes"] if not scope[6]]
            shown = [box[0] for box in view["boxes"] if box[5] in open_] + closed
        case ".json":
            data = json.loads(text)
            shut = ["/".join(group["path"]) for group in data["groups"] if group["collapsed"]]
            names = [box["id"] for box in data["boxes"]]
            shown = [name for name in names if not name.startswith(tuple(s + "/" for s in shut))]
            shown += [s + "/" for s in shut]
        case ".svg":
            shown = re.findall(r'<g class="box \w+"><title>(\S+?)(?:\n.*?)?</title>', text, re.DOTALL)
        case _:
            labels = {"cosine": "shut/cosine", "shut": "shut/", "a": "plain/a", "sine": "plain/inner/sine",
                      "tangent": "gone/tangent", "mul": "plain/Regularizer/mul", "inner": "plain/inner/"}  # fmt: skip
            words = re.findall(r'\["(\w+)|^ *(\w+)(?=  )', text, re.MULTILINE)
            shown = [labels.get(a or b, a or b) for a, b in words]
    return {name for name in shown if not name.endswith("/")}, {name for name in shown if name.endswith("/")}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("saved", [False, True])
def test_marks_are_honoured_in_every_form_and_after_loading(suffix: str, saved: bool, tmp_path: Path) -> None:
    graph = model()
    if saved:
        graph = tf.load_graph(tf.save_graph(graph, tmp_path / "model.json"))
    operations, scopes = boxes_in(graph.export(tmp_path / f"shown{suffix}"))
    assert "plain/a" in operations and "plain/inner/sine" in operations
    assert "shut/cosine" not in operations and "gone/tangent" not in operations
    assert "shut/" in scopes and "gone/" not in scopes


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_pattern_hides_nodes_and_whole_scopes(suffix: str, tmp_path: Path) -> None:
    operations, _ = boxes_in(model().export(tmp_path / f"shown{suffix}", hide=["*/Regularizer"]))
    assert "plain/a" in operations and "plain/Regularizer/mul" not in operations


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_depth_closes_scopes_but_not_those_marked_open(suffix: str, tmp_path: Path) -> None:
    operations, scopes = boxes_in(model().export(tmp_path / f"shown{suffix}", depth=1))
    assert "plain/a" in operations and "plain/inner/sine" not in operations
    if suffix not in (".mmd", ".txt"):  # these show no whole paths
        assert {"plain/inner/", "kept/inner/"} <= scopes
    marked = model()
    marked.scope_shows["kept/inner"] = "open"
    operations, scopes = boxes_in(marked.export(tmp_path / f"open{suffix}", depth=0))
    if suffix not in (".mmd", ".txt"):
        assert "kept/inner/out" in operations and "plain/" in scopes


def test_a_box_says_how_many_of_its_inputs_are_hidden() -> None:
    boxes = {box.id: box for box in picture_of(model()).boxes}
    assert boxes["kept/inner/minus"].detail[-1] == "1 input not shown"
    assert boxes["kept/inner/out"].detail == ("float32 (4,)",)
    assert boxes["shut/cosine"].detail == ("float32 (4,)",)


def test_open_scopes_are_the_last_to_be_closed_for_lack_of_room() -> None:
    names = [(scope, f"{scope}/n{i}") for scope in ("a", "b", "c") for i in range(10)]
    boxes = tuple(Box(name, name, group=(scope, "in")) for scope, name in names)
    picture = Picture("", boxes, (), (Group(("b", "in"), open=True),))
    groups = all_groups(picture)
    assert scopes_to_close(picture, groups, 25) == {("a", "in"), ("c", "in")}  # equal scopes alike
    assert scopes_to_close(picture, groups, 12) == {("a", "in"), ("c", "in")}
    assert ("b", "in") in scopes_to_close(picture, groups, 5)
    assert len(fit(picture, 12).boxes) == 12
    assert len(collapse(picture, depth=0).boxes) == 12


def test_an_open_scope_is_open_on_the_page_even_where_others_must_be_closed() -> None:
    with tf.Graph().as_default() as graph:
        for name in ("a", "b", "c"):
            with tf.name_scope(name, show="open" if name == "b" else None):
                for _ in range(60):
                    tf.constant(1.0)
    (view,) = data_of_graph(graph, None, None, PageOptions())["views"]
    assert {scope[2]: scope[6] for scope in view["scopes"]} == {"": 1, "a": 0, "b": 1, "c": 0}


def test_marks_of_the_user_are_kept_in_the_stages_of_a_page(tmp_path: Path) -> None:
    graph = model()
    with tf.Session(graph=graph) as session:
        feeds = {"x:0": [1.0] * 4}
        page = graph.export(tmp_path / "run.html", fetches="kept/inner/out:0", session=session, feeds=feeds)
    views = [view for view in data_of(page.read_text("utf-8"))["views"] if "boxes" in view]
    assert len(views) > 1
    for view in views:
        assert not any(box[0].startswith("gone/") for box in view["boxes"])
        assert [scope[6] for scope in view["scopes"] if scope[2] == "shut"] in ([], [0])


def test_a_mark_can_be_changed_and_is_checked() -> None:
    with tf.Graph().as_default() as graph:
        with tf.name_scope("a", show="collapsed") as scope, tf.name_scope("b", show="hidden"):
            pass
        assert graph.scope_shows == {"a": "collapsed", "a/b": "hidden"}
        with tf.name_scope(scope, show="open"):
            pass
        with tf.name_scope(scope):
            pass
        with tf.name_scope("a", show="hidden"):
            pass
        assert graph.scope_shows == {"a": "open", "a/b": "hidden", "a_1": "hidden"}
        with pytest.raises(ValueError, match="show is 'open', 'folded', 'collapsed' or 'hidden'"):
            tf.name_scope("a", show="closed")  # type: ignore[arg-type]  # the mistake is the point
        with pytest.raises(ValueError, match="there is none to show"):
            tf.name_scope(None, show="open")
    assert len(graph) == 0


def test_a_pattern_that_fits_nothing_is_told(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        with tf.name_scope("tower"):
            y = tf.cumsum(x, name="sums")
    with tf.Session(graph=graph) as session:
        plan = session.plan(y)
        record = tf.RunMetadata()
        session.run(y, {x: [1.0, 2.0]}, run_metadata=record)
    assert record.record is not None
    for drawn in (graph, plan, record.record):
        for suffix in (".svg", ".html", ".txt"):
            with pytest.warns(MistakeWarning, match=r"'towr'\) hides nothing.* did you mean 'tower'") as told:
                drawn.export(tmp_path / f"a{suffix}", hide=["towr", "tower/*"])
            assert [each.filename for each in told] == [__file__]
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                drawn.export(tmp_path / f"b{suffix}", hide="tower")


def test_a_pattern_of_a_picture_that_fits_nothing_is_told() -> None:
    with tf.Graph().as_default() as graph, tf.name_scope("tower"):
        tf.zeros([2], name="sums")
    with pytest.warns(MistakeWarning, match=r"picture_of\(hide='towr'\) hides nothing.* did you mean 'tower'") as told:
        picture_of(graph, hide=["towr", "tower/*"])
    assert [each.filename for each in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture_of(graph, hide="tower")
