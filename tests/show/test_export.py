"""The three written forms and the way to disk."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.show.content.invisible_characters import visible
from penstock.show.content.picture import Arrow, Box, BoxKind, LegendEntry, Picture
from penstock.show.formats.dot import dot_text, label, quote
from penstock.show.formats.export import export_picture
from penstock.show.formats.svg import escape, svg_text
from penstock.show.formats.terminal_tree import text_tree

NASTY = (
    "a:0",
    'say "x"',
    "back\\slash\\",
    "two\nlines",
    "<b>&amp;</b>",
    "größe/漢字 ∑",
    "]]>",
    "\x00\x1b",
    "{|}",
)
_SVG = "{http://www.w3.org/2000/svg}"


def _nasty() -> Picture:
    boxes = tuple(Box(name, name, type=name, detail=(name,), group=(name,)) for name in NASTY)
    arrows = tuple(Arrow(a, b, a) for a, b in itertools.pairwise(NASTY))
    return Picture("".join(NASTY), boxes, (*arrows, Arrow(NASTY[0], NASTY[2], "", "control")))


def _small() -> Picture:
    boxes = (
        Box("x", "x", BoxKind.FED, "Placeholder", ("float32 (batch, 3)",)),
        Box("d/w", "w", BoxKind.CONSTANT, "Const", ("float32 (3,)",), ("d",)),
        Box("d/mul", "mul", BoxKind.FETCHED, "Mul", ("float32 (batch, 3)",), ("d",)),
    )
    arrows = (
        Arrow("x", "d/mul", "float32 (batch, 3)", tensors=("x:0",), slot=0),
        Arrow("d/w", "d/mul", "float32 (3,)", tensors=("d/w:0",), slot=1),
        Arrow("x", "d/w", "", "control"),
    )
    return Picture("small", boxes, arrows)


def test_a_tensor_name_is_one_quoted_id_and_no_port() -> None:
    text = dot_text(Picture("", (Box("scope/a:0", "a"), Box("b", "b")), (Arrow("scope/a:0", "b"),)))
    assert '"scope/a:0" -> "b";' in text


def test_dot_escapes_quotes_backslashes_line_ends_and_entities() -> None:
    assert quote('a"b') == '"a\\"b"'
    assert quote("end\\") == '"end\\\\"'
    assert label("two\nlines") == '"two\\nlines"'
    assert label("&lt;") == '"&amp;lt;"'
    assert quote("nul\x00") == '"nul\\x00"'
    assert label("bell\x07") == '"bell\\\\x07"'


@given(st.lists(st.text(), unique=True, max_size=6))
def test_different_names_are_different_dot_ids_on_one_line_each(names: list[str]) -> None:
    quoted = [quote(name) for name in names]
    assert len(set(quoted)) == len(names)
    for text in quoted:
        # Only backslash pairs and escapes within: so the closing quote is the first that is not escaped.
        assert re.fullmatch(r'"(?:[^"\\\n\r]|\\.)*"', text, re.DOTALL)


def test_dot_scopes_are_clusters_around_their_nodes() -> None:
    lines = [line.strip() for line in dot_text(_small()).splitlines()]
    start = lines.index("subgraph cluster_0 {")
    inside = lines[start : lines.index("}", start)]
    assert [line.split(" [")[0] for line in inside if " [" in line] == ['"d/w"', '"d/mul"']
    assert "style=dashed" in next(line for line in lines if line.startswith('"x" -> "d/w"'))


def test_braces_of_dot_balance_for_nasty_names() -> None:
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", dot_text(_nasty()), flags=re.DOTALL)
    assert bare.count("{") == bare.count("}") == 1 + len(NASTY)
    assert bare.count("->") == len(NASTY)


def test_svg_is_well_formed_whatever_the_names() -> None:
    root = ElementTree.fromstring(svg_text(_nasty()))
    assert root.tag == f"{_SVG}svg"
    tooltips = [element.text or "" for element in root.iter(f"{_SVG}title")]
    assert any(text.startswith("größe/漢字 ∑") for text in tooltips)
    assert any(text.startswith("<b>&amp;</b>") for text in tooltips)


@given(st.text())
def test_every_text_can_stand_in_an_svg(text: str) -> None:
    root = ElementTree.fromstring(f'<a b="{escape(text)}">{escape(text)}</a>')
    assert (root.text or "") == visible(text).replace("\r\n", "\n").replace("\r", "\n")


def test_svg_has_one_box_per_box_and_one_line_per_arrow() -> None:
    root = ElementTree.fromstring(svg_text(_small()))
    kinds = [element.get("class", "") for element in root.iter(f"{_SVG}g")]
    assert kinds.count("box fed") == 2  # the box and its legend entry
    lines = [element for element in root.iter(f"{_SVG}path") if element.get("marker-end")]
    assert [line.get("class") for line in lines].count("line control") == 1
    assert len(lines) == 3


def test_svg_needs_nothing_from_outside() -> None:
    text = svg_text(_small())
    outside = [url for url in re.findall(r"https?://[^\"' )]+", text) if url != "http://www.w3.org/2000/svg"]
    assert outside == []
    assert "<script" not in text and "@import" not in text
    assert set(re.findall(r"url\(([^)]*)\)", text)) == {"#head", "#head-control"}


def test_svg_has_a_dark_and_a_light_set_of_colours() -> None:
    assert "@media (prefers-color-scheme:dark)" in svg_text(_small())


def test_the_legend_explains_the_kinds_that_occur_or_what_the_picture_says() -> None:
    derived = ElementTree.fromstring(svg_text(_small()))
    legend = [element.text for element in derived.iter(f"{_SVG}text") if element.get("class") == "legend"]
    assert legend == ["fed (placeholder)", "constant", "fetched", "data", "control: runs before"]
    own = Picture("", (Box("a", "a", paint="#abc"),), legend=(LegendEntry("slow", paint="#abc"),))
    assert ">slow</text>" in svg_text(own)


def test_a_paint_that_is_no_plain_colour_is_refused() -> None:
    with pytest.raises(ValueError, match=r"paint 'red;x'.*must be #rgb"):
        Picture("", (Box("a", "a", paint="red;x"),))


def test_an_arrow_to_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'b', which is not a box"):
        Picture("", (Box("a", "a"),), (Arrow("a", "b"),))


def test_two_boxes_with_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'a' occurs twice"):
        Picture("", (Box("a", "a"), Box("a", "b")))


def test_text_shows_the_tree_with_types_and_inputs_in_their_order() -> None:
    assert text_tree(_small()) == (
        "small\n"
        "3 boxes, 3 arrows\n"
        "x  Placeholder  float32 (batch, 3)\n"
        "d/\n"
        "  w    Const  float32 (3,)        after x\n"
        "  mul  Mul    float32 (batch, 3)  <- x:0, d/w:0  [fetched]\n"
    )


def test_text_shows_full_names_on_demand() -> None:
    lines = text_tree(_small(), full_names=True).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["x", "d/", "d/w", "d/mul"]


def test_text_keeps_scopes_and_boxes_in_program_order() -> None:
    boxes = (Box("z", "z"), Box("s/b", "b", group=("s",)), Box("y", "y"), Box("s/a", "a", group=("s",)))
    assert text_tree(Picture("", boxes)).split()[4:] == ["z", "s/", "b", "a", "y"]


def test_text_keeps_a_name_on_its_line() -> None:
    lines = text_tree(_nasty()).splitlines()
    assert len(lines) == 2 + 2 * len(NASTY)
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("suffix", [".svg", ".dot", ".txt", ".SVG"])
def test_export_writes_utf8_and_returns_the_path(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"picture{suffix}"
    assert export_picture(_nasty(), target) == target
    assert "größe" in target.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("name", ["picture.gif", "picture"])
def test_an_unknown_suffix_names_the_supported_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"suffix.*\.dot, .*\.mmd, .*\.svg, \.txt.*Write for example 'picture\.svg'"):
        export_picture(_small(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_export_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "picture.txt"
    target.write_text("old", encoding="utf-8")

    def refuse(*_: object) -> None:
        raise OSError("disk gone")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="disk gone"):
        export_picture(_small(), target)
    assert [path.name for path in tmp_path.iterdir()] == ["picture.txt"]
    assert target.read_text(encoding="utf-8") == "old"


def test_a_thousand_flat_nodes_can_be_written_in_every_form() -> None:
    boxes = tuple(Box(f"n{n}", f"n{n}", type="Add") for n in range(1000))
    arrows = tuple(Arrow(f"n{n - 7}", f"n{n}") for n in range(7, 1000))
    picture = Picture("flat", boxes, arrows)
    assert "operations" in svg_text(picture)
    assert 'label="levels 0-' in dot_text(picture)
    assert text_tree(picture).count("\n") == 1002
