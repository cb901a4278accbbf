"""How large pictures become small ones: closed scopes, merged arrows, runs of levels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.show.content.closed_scopes import collapse, fit
from penstock.show.content.picture import Arrow, Box, BoxKind, Group, Picture
from penstock.show.layout.layering import picture_levels, runs_of_levels

from .fakes import pictures


def _two_scopes() -> Picture:
    boxes = (
        Box("a/x", "x", type="Add", group=("a",)),
        Box("a/y", "y", type="Add", group=("a",)),
        Box("a/in/z", "z", type="Mul", group=("a", "in")),
        Box("out", "out", type="Neg"),
    )
    arrows = (
        Arrow("a/x", "a/y", "float32 ()", tensors=("a/x:0",)),
        Arrow("a/x", "out", "float32 ()", tensors=("a/x:0",)),
        Arrow("a/y", "out", "float32 (3,)", tensors=("a/y:0",)),
        Arrow("a/in/z", "out", "float32 ()", tensors=("a/in/z:0",), slot=2),
        Arrow("a/y", "out", "", "control"),
    )
    return Picture("two", boxes, arrows)


def test_a_closed_scope_is_one_box_that_counts_what_it_holds() -> None:
    closed = collapse(_two_scopes(), depth=0)
    assert {box.id for box in closed.boxes} == {"a/", "out"}
    (group,) = [box for box in closed.boxes if box.id == "a/"]
    assert group.kind is BoxKind.GROUP
    assert group.detail == ("3 operations", "Add x2, Mul x1")


def test_parallel_arrows_merge_and_say_how_many_tensors_they_carry() -> None:
    closed = collapse(_two_scopes(), depth=0)
    labels = {(arrow.source, arrow.target, arrow.kind): arrow.label for arrow in closed.arrows}
    assert labels == {("a/", "out", "data"): "3 tensors", ("a/", "out", "control"): ""}


def test_one_tensor_that_goes_to_two_hidden_boxes_is_one_tensor() -> None:
    boxes = (Box("x", "x"), Box("s/a", "a", group=("s",)), Box("s/b", "b", group=("s",)))
    arrows = tuple(Arrow("x", f"s/{name}", "float32 (3,)", tensors=("x:0",)) for name in "ab")
    (arrow,) = collapse(Picture("", boxes, arrows), depth=0).arrows
    assert arrow.label == "float32 (3,)"


def test_a_closed_scope_stands_where_its_first_box_stood() -> None:
    boxes = (Box("z", "z"), Box("s/b", "b", group=("s",)), Box("y", "y"), Box("s/a", "a", group=("s",)))
    assert [box.id for box in collapse(Picture("", boxes), depth=0).boxes] == ["z", "s/", "y"]


def test_an_arrow_out_of_a_closed_scope_says_its_type_and_one_into_it_does_not() -> None:
    boxes = (Box("x", "x"), Box("s/a", "a", group=("s",)), Box("y", "y"))
    arrows = (
        Arrow("x", "s/a", tensors=("x:0",), type="float32 (3,)"),
        Arrow("s/a", "y", tensors=("s/a:0",), type="int32 ()"),
    )
    found = collapse(Picture("", boxes, arrows), depth=0).arrows
    assert [(arrow.label, arrow.type) for arrow in found] == [("", "float32 (3,)"), ("int32 ()", "int32 ()")]


def test_depth_leaves_the_outer_scopes_open() -> None:
    opened = collapse(_two_scopes(), depth=1)
    assert {box.id for box in opened.boxes} == {"a/x", "a/y", "a/in/", "out"}


def test_scopes_can_be_closed_by_name_by_path_and_by_mark() -> None:
    by_name = collapse(_two_scopes(), closed=["a/in"])
    marked = Picture("two", _two_scopes().boxes, _two_scopes().arrows, (Group(("a", "in"), "in", True),))
    assert {box.id for box in by_name.boxes} == {"a/x", "a/y", "a/in/", "out"}
    assert by_name.boxes == collapse(_two_scopes(), closed=[("a", "in")]).boxes == collapse(marked).boxes


def test_collapsing_step_by_step_gives_the_same_boxes_as_at_once() -> None:
    stepwise = collapse(collapse(_two_scopes(), depth=1), depth=0)
    at_once = collapse(_two_scopes(), depth=0)
    assert stepwise.boxes == at_once.boxes
    assert stepwise.arrows == at_once.arrows


def test_a_closed_scope_does_not_take_the_id_of_a_box() -> None:
    boxes = (Box("a/", "odd"), Box("a/x", "x", group=("a",)))
    assert {box.id for box in collapse(Picture("", boxes), depth=0).boxes} == {"a/", "a//"}


def test_a_scope_of_pruned_boxes_is_pruned() -> None:
    boxes = (Box("a/x", "x", BoxKind.PRUNED, group=("a",)),)
    assert collapse(Picture("", boxes), depth=0).boxes[0].kind is BoxKind.PRUNED


def test_a_negative_depth_is_refused_with_the_cure() -> None:
    with pytest.raises(ValueError, match=r"depth=-1.*at least 0.*Write depth=0"):
        collapse(_two_scopes(), depth=-1)


@given(pictures(), st.integers(1, 20))
def test_fit_keeps_the_limit_whatever_the_picture(picture: Picture, limit: int) -> None:
    shown = fit(picture, limit)
    assert len(shown.boxes) <= max(limit, 24)
    held = sum(number for box in shown.boxes for _, number in box.counts())
    assert held == len(picture.boxes)


def test_fit_closes_the_deepest_scopes_first_and_only_as_many_as_needed() -> None:
    boxes = [Box(f"a/b/{n}", str(n), group=("a", "b")) for n in range(6)]
    boxes += [Box(f"a/{n}", str(n), group=("a",)) for n in range(5)]
    boxes += [Box(f"c/{n}", str(n), group=("c",)) for n in range(3)]
    shown = fit(Picture("", tuple(boxes)), limit=9)
    assert {box.id for box in shown.boxes if box.kind is BoxKind.GROUP} == {"a/b/"}


def test_of_scopes_of_one_depth_the_fullest_is_closed_first() -> None:
    boxes = [Box(f"a/{n}", str(n), group=("a",)) for n in range(3)]
    boxes += [Box(f"b/{n}", str(n), group=("b",)) for n in range(6)]
    shown = fit(Picture("", tuple(boxes)), limit=5)
    assert {box.id for box in shown.boxes if box.kind is BoxKind.GROUP} == {"b/"}


def test_a_picture_within_the_limit_is_left_alone() -> None:
    assert fit(_two_scopes()) == _two_scopes()


def test_a_flat_graph_of_a_thousand_nodes_becomes_runs_of_levels() -> None:
    boxes = tuple(Box(f"n{n}", f"n{n}", type="Add" if n % 3 else "Mul") for n in range(1000))
    arrows = tuple(Arrow(f"n{n // 2}", f"n{n}") for n in range(1, 1000))
    shown = fit(Picture("flat", boxes, arrows))
    assert 2 < len(shown.boxes) <= 24
    assert all(box.kind is BoxKind.LEVELS for box in shown.boxes)
    assert sum(number for box in shown.boxes for _, number in box.counts()) == 1000
    assert {arrow.source for arrow in shown.arrows} < {box.id for box in shown.boxes}


def test_a_run_names_its_levels_and_its_types() -> None:
    boxes = tuple(Box(f"n{n}", f"n{n}", type="Add" if n else "Const") for n in range(4))
    arrows = tuple(Arrow(f"n{n}", f"n{n + 1}") for n in range(3))
    runs = runs_of_levels(Picture("", boxes, arrows), runs=2).boxes
    assert [(run.label, run.detail) for run in runs] == [
        ("levels 0-1", ("2 operations", "Add x1, Const x1")),
        ("levels 2-3", ("2 operations", "Add x2")),
    ]


def test_a_constant_is_in_the_run_of_what_it_is_for() -> None:
    boxes = tuple(Box(f"{kind}{i}", "", type=kind) for i in range(100) for kind in ("add", "const"))
    arrows = tuple(Arrow(f"const{i}", f"add{i}") for i in range(100))
    arrows += tuple(Arrow(f"add{i}", f"add{i + 1}") for i in range(99))
    picture = Picture("", boxes, arrows)
    level = picture_levels(picture)
    assert all(level[f"const{i}"] == level[f"add{i}"] - 1 for i in range(100))
    runs = runs_of_levels(picture, runs=4)
    assert all("const" in box.detail[1] and "add" in box.detail[1] for box in runs.boxes)
    assert len(runs.arrows) == len(runs.boxes) - 1  # from run to run, each once


@given(pictures())
def test_levels_grow_along_every_arrow(picture: Picture) -> None:
    level = picture_levels(picture)
    assert all(level[arrow.source] < level[arrow.target] for arrow in picture.arrows)
