"""The forms for other tools (Mermaid, JSON, GraphML, GraphDef) hold everything in the picture, for any names."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import networkx
import pytest

import penstock as tf
from penstock.graph.model.scopes import Show
from penstock.show.content.picture import Arrow, Box, BoxKind, Group, Picture
from penstock.show.content.visibility import Visibility
from penstock.show.formats.export import SAVED, export_picture
from penstock.show.formats.graphml import graphml_text
from penstock.show.formats.mermaid import label, mermaid_text
from penstock.show.formats.picture_json import json_text
from tests.graph.serial.programs import HOSTILE, hostile_graph, program


def nasty() -> Picture:
    boxes = tuple(Box(name, name, BoxKind.FED, name, (name,), (name,)) for name in HOSTILE)
    arrows = tuple(Arrow(a, b, a, tensors=(a,)) for a, b in itertools.pairwise(HOSTILE))
    return Picture(
        "".join(HOSTILE), boxes, (*arrows, Arrow(HOSTILE[0], HOSTILE[2], "", "control")), (Group((HOSTILE[0],)),)
    )


# ---- Mermaid ------------------------------------------------------------------------------------

_LINE = re.compile(
    r'---|title: "[^"]*"|flowchart TB|end|subgraph s\d+\["[^"]*"\]|n\d+\["[^"]*"\]:::[a-z]+'
    r'|n\d+ (?:-->|-\.->)(?:\|"[^"]*"\|)? n\d+|style n\d+ fill:[#a-zA-Z0-9]+|classDef [a-z]+ [a-z0-9#:,-]+'
)


def test_every_line_of_mermaid_is_one_of_the_forms_that_we_mean() -> None:
    for line in mermaid_text(nasty(), None).splitlines():
        assert _LINE.fullmatch(line.strip()), line[:200]


def test_mermaid_has_each_box_arrow_and_scope_once() -> None:
    lines = [line.strip() for line in mermaid_text(nasty(), None).splitlines()]
    assert sum(":::" in line for line in lines) == len(HOSTILE)
    assert sum("-->" in line for line in lines) == len(HOSTILE) - 1
    assert sum("-.->" in line for line in lines) == 1
    assert sum(line.startswith("subgraph") for line in lines) == lines.count("end") == len(HOSTILE)


def test_nothing_in_a_mermaid_label_can_end_it_or_be_markup() -> None:
    for name in HOSTILE:
        text = label(name)
        assert not set(text.replace("<br/>", "")) & set("\"<>&`'\\{}[]|\n\r\x00")
        assert len(text) < 2000
    assert label("a\nb") == "a<br/>b"
    assert label("#quot;") == "#35;quot#59;"


def test_mermaid_closes_scopes_of_large_pictures() -> None:
    boxes = tuple(Box(f"s{i}/n{j}", f"n{j}", group=(f"s{i}",)) for i in range(20) for j in range(50))
    text = mermaid_text(Picture("", boxes))
    assert text.count(":::group") > 0 and text.count(":::") <= 300


@pytest.mark.parametrize("suffix", [".dot", ".graphml", ".json", ".mmd", ".svg", ".txt"])
def test_a_name_with_thousands_of_slashes_is_drawn(suffix: str, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="/".join("a" * 5000))
    assert graph.export(tmp_path / f"deep{suffix}").stat().st_size > 0


# ---- JSON ---------------------------------------------------------------------------------------


def test_json_holds_all_of_the_picture() -> None:
    picture = nasty()
    found = json.loads(json_text(picture))
    assert (found["format"], found["version"], found["title"]) == ("penstock-picture", 1, picture.title)
    assert {box["id"] for box in found["boxes"]} == set(HOSTILE)
    first = next(box for box in found["boxes"] if box["id"] == HOSTILE[0])
    assert (first["kind"], first["detail"], first["group"]) == ("fed", [HOSTILE[0]], [HOSTILE[0]])
    assert len(found["arrows"]) == len(picture.arrows)
    assert len(found["groups"]) == len(HOSTILE)
    assert json.loads(json_text(Picture()))["boxes"] == []


# ---- GraphML ------------------------------------------------------------------------------------


def test_graphml_reads_back_into_networkx() -> None:
    graph, _, _ = program()
    picture_file = graphml_text(tf_picture(graph))
    found = networkx.parse_graphml(picture_file, force_multigraph=True)
    assert set(found.nodes) == {op.name for op in graph.get_operations()}
    edges = sum(len(op.inputs) + len(op.control_inputs) for op in graph.get_operations())
    assert found.number_of_edges() == edges
    assert found.nodes["x"]["type"] == "Placeholder"
    assert found.nodes["x"]["detail"] == "float32 (batch, 3)"


def tf_picture(graph: tf.Graph) -> Picture:
    from penstock.show.content.from_graph import picture_of

    return picture_of(graph, constants="boxes")


def test_graphml_of_hostile_names_is_well_formed_and_keeps_them_apart() -> None:
    found = networkx.parse_graphml(graphml_text(nasty()), force_multigraph=True)
    assert found.number_of_nodes() == len(HOSTILE)
    assert found.number_of_edges() == len(HOSTILE)
    assert {"a:0", "<script>alert(1)</script>", "]]>", "&amp;", "x" * 10_000} <= set(found.nodes)
    assert "nul\\x00\\x1b[31m" in found.nodes


def test_different_names_are_different_ids_in_graphml() -> None:
    names = ["a\x00", "a\\x00", "a\n", "a\\n", "a\t", "a ", "a\r", "a\\r", "a\\", "a"]
    found = networkx.parse_graphml(graphml_text(Picture("", tuple(Box(n, n) for n in names))))
    assert found.number_of_nodes() == len(names)


# ---- to disk ------------------------------------------------------------------------------------


EVERY = (".dot", ".graphml", ".html", ".json", ".mmd", ".pb", ".pbtxt", ".picture.json", ".svg", ".txt")


@pytest.mark.parametrize("suffix", EVERY)
def test_a_graph_with_hostile_names_is_exported_in_every_form(suffix: str, tmp_path: Path) -> None:
    path = hostile_graph().export(tmp_path / f"graph{suffix}")
    assert path.stat().st_size > 1000


def test_a_graphdef_needs_the_graph_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a GraphDef holds a graph, not a picture"):
        export_picture(Picture(), tmp_path / "picture.pb")


@pytest.mark.filterwarnings("ignore:.*hides nothing")
@pytest.mark.parametrize("suffix", EVERY)
@pytest.mark.parametrize("show", ["open", "folded", "collapsed", "hidden"])
def test_hostile_names_of_scopes_can_be_shown_in_any_way(suffix: str, show: Show, tmp_path: Path) -> None:
    graph = hostile_graph()
    graph.scope_shows.update(dict.fromkeys((*HOSTILE, "", "/", "//", "a/" * 30_000, "nobody"), show))
    again = tf.load_graph(tf.save_graph(graph, tmp_path / "graph.json"))
    assert again.scope_shows == graph.scope_shows
    hide = () if suffix in SAVED else ("[", "*" * 1000, "a*" * 500)
    path = again.export(tmp_path / f"shown{suffix}", title="".join(HOSTILE), hide=hide)
    content = path.read_bytes()
    assert content
    if suffix in (".svg", ".graphml"):
        root = ElementTree.fromstring(content)
        assert not [e for e in root.iter() if e.tag.lower().endswith(("script", "foreignobject", "image"))]
    if suffix == ".html":
        assert b"<script>alert" not in content


def test_a_hidden_scope_is_looked_up_and_not_searched_for() -> None:
    boxes = [SimpleNamespace(name=f"s{i}/x") for i in range(3000)]
    shows = {f"s{i}": "hidden" for i in range(1, 3000)} | {f"other{i}": "hidden" for i in range(3000)}
    asked: list[str] = []

    class Watched(str):
        def startswith(self, *_: object) -> bool:
            asked.append(self)
            return False

    for box in boxes:
        box.name = Watched(box.name)
    assert [box.name for box in Visibility(shows, ()).shown(boxes)] == ["s0/x"]
    assert asked == []
