"""The pictures in the documents are up to date, easy to read and true, as are the shapes in the table of ops."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import penstock as tf
import tests.op_samples  # noqa: F401  # all ops are declared then
from penstock.graph.declare.op_declaration import OPS, OpDef
from tests.helpers import every_case
from tests.test_docs import ROOT, script
from tests.warm_python import run_warm

gallery = script("make_gallery")
moves = script("draw_moves")
ops_table = script("make_ops_table")

PICTURES = sorted([*(ROOT / "docs" / "gallery").glob("*.svg"), *(ROOT / "docs" / "moves").glob("*.svg")])


@pytest.mark.parametrize("name", ["make_gallery", "draw_moves"])
def test_the_pictures_are_up_to_date(name: str) -> None:
    # In a process of its own: other tests may have declared ops of theirs.
    result = run_warm([str(ROOT / "docs" / f"{name}.py")])
    assert result.returncode == 0, f"{result.stdout}{result.stderr}run python docs/{name}.py --write"


def test_the_gallery_shows_at_least_five_examples_with_the_line_that_makes_each() -> None:
    page = (ROOT / "docs" / "gallery.md").read_text("utf-8")
    examples = {entry.example for entry in gallery.ENTRIES}
    assert len(examples) >= 5
    for entry in gallery.ENTRIES:
        assert f"(gallery/{entry.file}.svg)" in page
        assert f'graph.export("{entry.file}.svg"' in page


def test_no_two_pictures_of_the_gallery_show_the_same() -> None:
    files = {entry.title: ROOT / "docs" / "gallery" / f"{entry.file}.svg" for entry in gallery.ENTRIES}
    pictures = [path.read_text("utf-8").replace(title, "") for title, path in files.items()]
    assert len(set(pictures)) == len(pictures)


def test_the_lines_in_the_gallery_make_its_pictures(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "gallery.md").read_text("utf-8")
    calls = re.findall(r'^    (graph\.export\("[\w-]+\.svg".*\))$', page, re.MULTILINE)
    for entry, call in zip(gallery.ENTRIES, calls, strict=True):
        graph = gallery.graph_of(entry.example)
        path = eval(call.replace('export("', f'export("{tmp_path}/'), {"graph": graph})
        drawn = path.read_text("utf-8")
        kept = (ROOT / "docs" / "gallery" / f"{entry.file}.svg").read_text("utf-8")
        assert re.findall(r'class="name"[^>]*>(.*?)<', drawn) == re.findall(r'class="name"[^>]*>(.*?)<', kept)


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_picture_is_xml_with_a_dark_set_of_colours_and_asks_for_nothing(path: Path) -> None:
    text = path.read_text("utf-8")
    ElementTree.fromstring(text)
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"href|url\((?!#)|<script|<image|<foreignObject", text)


# ---- the drawings of moves -------------------------------------------------------------------------


@pytest.mark.parametrize("draw", moves.DRAWINGS, ids=lambda draw: draw.__name__)
def test_a_line_joins_cells_that_hold_the_same_value(draw: Any) -> None:
    drawing = draw()
    summed = draw.__name__ == "scatter_nd"
    came: dict[tuple[int, int, int], list[Any]] = {}
    for move in drawing.moves:
        if not move.lost:
            came.setdefault(move.end, []).append(text_at(drawing, move.start))
    assert came
    for end, values in came.items():
        found = text_at(drawing, end)
        assert found == sum(values) if summed else set(values) == {found}


def text_at(drawing: Any, place: tuple[int, int, int]) -> Any:
    row, strip, cell = place
    return drawing.rows[row][strip].texts[cell]


def test_what_is_lost_in_a_stitch_is_drawn_as_lost() -> None:
    drawing = moves.dynamic_stitch()
    (lost,) = [move for move in drawing.moves if move.lost]
    assert text_at(drawing, lost.start) == 30 and text_at(drawing, lost.end) == 31


# ---- the table of ops ------------------------------------------------------------------------------


def test_every_drawing_of_moves_is_in_the_table_of_ops() -> None:
    assert set(ops_table.MOVES) == {draw.__name__ for draw in moves.DRAWINGS}


# Other tests declare ops and take them back.
OWN_OPS = sorted(type_ for type_, opdef in OPS.items() if opdef.__module__.startswith("penstock."))


@every_case("type_", OWN_OPS)
def test_the_shape_in_words_is_that_of_the_samples(type_: str) -> None:
    opdef = OPS[type_]
    if opdef.sample_rule is None or getattr(tf, opdef.__name__, None) is not opdef:
        return
    words = ops_table.shape_in_words(opdef.__name__, opdef)
    assert words
    for each in opdef.sample_rule(np.random.default_rng(0)):
        with tf.Graph().as_default():
            made = opdef(*each.args, **each.kwargs)
            if not isinstance(made, tf.Tensor):
                continue
            shapes = operand_shapes(opdef, made)
            expected = shape_that_is_meant(words, shapes)
            assert expected is None or tuple(made.shape.as_list()) == expected, words


def operand_shapes(opdef: OpDef[Any, Any], made: tf.Tensor) -> dict[str, tuple[int, ...]]:
    args = made.op.args
    if made.op.opdef is not opdef:
        return {}
    one = {name: args[i] for i, name, operand in opdef.operands if not operand.many and args[i] is not None}
    return {name: tuple(tensor.shape.as_list()) for name, tensor in one.items() if tensor.shape.is_fully_defined()}


def shape_that_is_meant(words: str, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...] | None:
    """The shape that words of a common form say; None for other words."""
    same = re.fullmatch(r"that of `?(\w+)`?", words)
    if same and same[1] in shapes:
        return shapes[same[1]]
    if re.fullmatch(r"that of the (input|tensor|strings)", words) and shapes:
        return next(iter(shapes.values()))
    both = re.fullmatch(r"(\w+) and (\w+), broadcast", words)
    if both and {both[1], both[2]} <= shapes.keys():
        return np.broadcast_shapes(shapes[both[1]], shapes[both[2]])
    if words == "()":
        return ()
    if words == "[rank of the input]" and shapes:
        return (len(next(iter(shapes.values()))),)
    return None


def test_the_check_of_shapes_in_words_sees_a_wrong_word() -> None:
    assert shape_that_is_meant("that of x", {"x": (2, 3)}) == (2, 3)
    assert shape_that_is_meant("x and y, broadcast", {"x": (2, 1), "y": (3,)}) == (2, 3)
    assert shape_that_is_meant("[number of values] + that of each", {"x": (2,)}) is None
