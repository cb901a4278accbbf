"""Laws of every layout: no overlaps, scopes around their members, lines past boxes, siblings in program order."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.show.content.picture import DIRECTIONS, Arrow, Box, Picture
from penstock.show.content.screen_fit import climbs
from penstock.show.layout.geometry import Point, Rect
from penstock.show.layout.picture_layout import Layout, PlacedArrow, lay_out
from penstock.show.layout.text_measure import DETAIL_SIZE, LABEL_SIZE, LINE_HEIGHT, text_width
from penstock.show.layout.vertical_placement import Footprint, Wire, stack

from .fakes import grid, pictures

_DIRECTED = st.builds(lambda picture, way: replace(picture, direction=way), pictures(), st.sampled_from(DIRECTIONS))


def _crossed_box(arrow: PlacedArrow, rects: dict[str, Rect]) -> str | None:
    """A box whose inside some piece of the line can touch; slanted pieces are drawn within their hull."""
    own = {arrow.arrow.source, arrow.arrow.target}
    for (x0, y0), (x1, y1) in pairwise(arrow.points):
        hull = Rect(min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0))
        for name, rect in rects.items():
            inner = Rect(rect.x + 0.1, rect.y + 0.1, rect.width - 0.2, rect.height - 0.2)
            if name not in own and inner.overlaps(
                Rect(hull.x, hull.y, hull.width + 0.01, hull.height + 0.01)
            ):
                return name
    return None


def _on_border(point: Point, rect: Rect) -> bool:
    x, y = point
    above_or_below = abs(y - rect.y) < 0.02 or abs(y - rect.bottom) < 0.02
    beside = abs(x - rect.x) < 0.02 or abs(x - rect.right) < 0.02
    within = rect.x - 0.02 <= x <= rect.right + 0.02, rect.y - 0.02 <= y <= rect.bottom + 0.02
    return (above_or_below and within[0]) or (beside and within[1])


def _crossings(layout: Layout) -> int:
    """How many pairs of pieces of different arrows cross, ends not counted."""
    pieces = [(number, a, b) for number, arrow in enumerate(layout.arrows) for a, b in pairwise(arrow.points)]
    return sum(1 for (i, a, b), (j, c, d) in combinations(pieces, 2) if i != j and _cross(a, b, c, d))


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


@given(_DIRECTED)
def test_no_two_boxes_overlap(picture: Picture) -> None:
    layout = lay_out(picture)
    assert len(layout.boxes) == len(picture.boxes)
    for one, other in combinations(layout.boxes, 2):
        assert not one.rect.overlaps(other.rect), (one, other)


@given(_DIRECTED)
def test_a_scope_holds_exactly_its_members(picture: Picture) -> None:
    layout = lay_out(picture)
    for group in layout.groups:
        path = group.group.path
        for box in layout.boxes:
            if box.box.group[: len(path)] == path:
                assert group.rect.contains(box.rect), (path, box)
            else:
                assert not group.rect.overlaps(box.rect), (path, box)


@given(_DIRECTED)
def test_scopes_are_nested_or_apart(picture: Picture) -> None:
    for one, other in combinations(lay_out(picture).groups, 2):
        outer, inner = sorted((one, other), key=lambda group: len(group.group.path))
        if inner.group.path[: len(outer.group.path)] == outer.group.path:
            assert outer.rect.contains(inner.rect)
        else:
            assert not outer.rect.overlaps(inner.rect)


@given(_DIRECTED)
def test_lines_start_and_end_on_their_boxes_and_cross_no_other_box(picture: Picture) -> None:
    layout = lay_out(picture)
    rects = {placed.box.id: placed.rect for placed in layout.boxes}
    assert len(layout.arrows) == len(picture.arrows)
    for arrow in layout.arrows:
        assert _on_border(arrow.points[0], rects[arrow.arrow.source])
        assert _on_border(arrow.points[-1], rects[arrow.arrow.target])
        assert _crossed_box(arrow, rects) is None, arrow


@given(_DIRECTED)
def test_a_label_lies_on_no_box_and_on_no_other_label(picture: Picture) -> None:
    layout = lay_out(picture)
    labels = {(arrow.label, arrow.arrow.label) for arrow in layout.arrows if arrow.label is not None}
    written = {(arrow.source, arrow.label) for arrow in picture.arrows if arrow.label}
    assert len(labels) >= len(written)
    for label, _ in labels:
        assert label is not None
        assert not any(label.overlaps(box.rect) for box in layout.boxes)
    for (one, _), (other, _) in combinations(labels, 2):
        assert one is not None and other is not None and not one.overlaps(other)


@given(_DIRECTED)
def test_everything_lies_on_the_page(picture: Picture) -> None:
    layout = lay_out(picture)
    page = Rect(-0.02, -0.02, layout.width + 0.04, layout.height + 0.04)
    rects = [box.rect for box in layout.boxes] + [group.rect for group in layout.groups]
    rects += [arrow.label for arrow in layout.arrows if arrow.label is not None]
    assert all(page.contains(rect) for rect in rects)
    for arrow in layout.arrows:
        assert all(page.contains(Rect(x, y, 0, 0)) for x, y in arrow.points)


@given(_DIRECTED)
def test_the_text_of_a_box_fits_into_it(picture: Picture) -> None:
    for placed in lay_out(picture).boxes:
        sizes = [LABEL_SIZE] + [DETAIL_SIZE] * (len(placed.lines) - 1)
        widest = max(text_width(line, size) for line, size in zip(placed.lines, sizes, strict=True))
        assert widest < placed.rect.width
        assert len(placed.lines) * LINE_HEIGHT < placed.rect.height


@given(_DIRECTED, st.randoms(use_true_random=False))
def test_the_order_of_arrows_changes_nothing(picture: Picture, random: Random) -> None:
    arrows = list(picture.arrows)
    random.shuffle(arrows)
    assert lay_out(replace(picture, arrows=tuple(arrows))) == lay_out(picture)


@pytest.mark.parametrize("names", [("b", "a", "c"), ("n10", "n9", "n2"), ("c", "b", "a")])
def test_siblings_stand_side_by_side_in_program_order(names: tuple[str, ...]) -> None:
    boxes = (Box("x", "x"), *(Box(name, name) for name in names))
    layout = lay_out(Picture("", boxes, tuple(Arrow("x", name) for name in names)))
    places = {placed.box.id: placed.rect.x for placed in layout.boxes}
    assert sorted(names, key=places.__getitem__) == list(names)


def test_an_empty_picture_has_an_empty_layout() -> None:
    assert lay_out(Picture()) == Layout(0.0, 0.0)


def test_a_lone_box_is_placed_at_the_corner() -> None:
    (placed,) = lay_out(Picture("", (Box("a", "a"),))).boxes
    assert (placed.rect.x, placed.rect.y) == (0.0, 0.0)


def test_independent_chains_do_not_cross_and_run_straight_down() -> None:
    layout = lay_out(grid(columns=4, rows=5))
    assert _crossings(layout) == 0
    assert all(arrow.points[0][0] == arrow.points[-1][0] for arrow in layout.arrows)


def test_a_binary_tree_has_no_crossings() -> None:
    boxes = tuple(Box(f"t{number}", f"t{number}") for number in range(1, 32))
    arrows = tuple(Arrow(f"t{number}", f"t{number // 2}") for number in range(2, 32))
    assert _crossings(lay_out(Picture("", boxes, arrows))) == 0


def test_a_twisted_ladder_is_untwisted() -> None:
    boxes = tuple(Box(name, name) for name in ("a0", "a1", "a2", "b0", "b1", "b2"))
    arrows = tuple(Arrow(f"a{number}", f"b{2 - number}") for number in range(3))
    joined = (*arrows, Arrow("a0", "b1"), Arrow("a1", "b0"))
    assert _crossings(lay_out(Picture("", boxes, joined))) == 0


def test_lines_enter_a_scope_in_the_order_in_which_they_come() -> None:
    boxes = [Box(f"s{n}", f"s{n}", group=("from",)) for n in range(4)]
    boxes += [Box(f"t{n}", f"t{n}", group=("to",)) for n in range(4)]
    arrows = [Arrow(f"s{n}", f"t{3 - n}") for n in range(4)]
    assert _crossings(lay_out(Picture("", tuple(boxes), tuple(arrows)))) == 0


def test_a_line_past_several_layers_is_one_straight_piece() -> None:
    boxes = tuple(Box(f"n{number}", f"n{number}") for number in range(6))
    chain = tuple(Arrow(f"n{number}", f"n{number + 1}") for number in range(5))
    layout = lay_out(Picture("", boxes, (*chain, Arrow("n0", "n5"))))
    (long,) = [arrow for arrow in layout.arrows if arrow.arrow == Arrow("n0", "n5")]
    tallest = max(abs(y1 - y0) for (x0, y0), (x1, y1) in pairwise(long.points) if x0 == x1)
    assert tallest > 0.6 * layout.height


def test_both_arrows_of_x_plus_x_are_drawn_apart() -> None:
    twice = (Arrow("x", "y", "float32 (3,)"),) * 2
    layout = lay_out(Picture("", (Box("x", "x"), Box("y", "y")), twice))
    first, second = layout.arrows
    assert first.points[-1] != second.points[-1]


def test_a_cycle_is_drawn_with_one_arrow_upwards() -> None:
    boxes = tuple(Box(name, name) for name in "abc")
    layout = lay_out(Picture("", boxes, (Arrow("a", "b"), Arrow("b", "c"), Arrow("c", "a"))))
    upwards = [arrow for arrow in layout.arrows if arrow.points[0][1] > arrow.points[-1][1]]
    assert len(upwards) == 1


def test_a_self_arrow_is_a_loop_at_the_side_of_its_box() -> None:
    layout = lay_out(Picture("", (Box("a", "a"), Box("b", "b")), (Arrow("a", "a"), Arrow("a", "b"))))
    (loop,) = [arrow for arrow in layout.arrows if arrow.arrow.target == "a"]
    rect = layout.boxes[0].rect
    assert loop.points[0][0] == loop.points[-1][0] == rect.right
    assert max(x for x, _ in loop.points) > rect.right


def test_a_box_and_a_scope_may_have_the_same_name() -> None:
    picture = Picture("", (Box("a", "a"), Box("a/b", "b", group=("a",))), (Arrow("a", "a/b"),))
    layout = lay_out(picture)
    boxes = {placed.box.id: placed.rect for placed in layout.boxes}
    assert not layout.groups[0].rect.overlaps(boxes["a"])
    assert layout.groups[0].rect.contains(boxes["a/b"])


def _flat(*arrows: str) -> Picture:
    """A picture of the arrows "a>b"; boxes are those that occur."""
    ends = [tuple(arrow.split(">")) for arrow in arrows]
    names = sorted({name for pair in ends for name in pair})
    return Picture("", tuple(Box(name, name) for name in names), tuple(Arrow(a, b) for a, b in ends))


def _slanted(layout: Layout) -> int:
    return sum(x0 != x1 for arrow in layout.arrows for (x0, _), (x1, _) in pairwise(arrow.points))


def test_a_long_line_beside_a_chain_is_made_vertical() -> None:
    layout = lay_out(_flat("a>b", "b>c", "a>d", "c>d", "c>e", "c>f"))
    (long,) = [arrow for arrow in layout.arrows if arrow.arrow == Arrow("a", "d")]
    vertical = [abs(y1 - y0) for (x0, y0), (x1, y1) in pairwise(long.points) if x0 == x1]
    assert len(vertical) == 1  # past b and c in one piece
    assert _slanted(layout) == 4


def test_a_box_moves_a_little_to_stand_under_its_producer() -> None:
    assert _slanted(lay_out(_flat("a>b", "a>c", "b>d", "a>e"))) == 2


def test_a_chain_with_constants_beside_it_is_drawn_straight_down() -> None:
    layout = lay_out(_flat("x>a0", *[f"a{i}>a{i + 1}" for i in range(10)], *[f"k{i}>a{i}" for i in range(11)]))
    middle = {placed.box.id: placed.rect.x + placed.rect.width / 2 for placed in layout.boxes}
    assert len({middle[f"a{i}"] for i in range(11)}) == 1
    chain = [arrow.points for arrow in layout.arrows if arrow.arrow.source.startswith("a")]
    assert all(x0 == x1 for points in chain for (x0, _), (x1, _) in pairwise(points))


def test_a_line_that_serves_every_box_of_a_chain_does_not_pull_it_away() -> None:
    layout = lay_out(_flat(*[f"a{i}>a{i + 1}" for i in range(10)], *[f"w>a{i}" for i in range(1, 11)]))
    middle = [placed.rect.x + placed.rect.width / 2 for placed in layout.boxes if placed.box.id not in ("w", "a0")]
    assert max(middle) - min(middle) < 1
    assert layout.width < 300


def test_neighbours_swap_where_that_saves_a_crossing() -> None:
    picture = _flat("a>b", "a>c", "b>c", "c>d", "a>e", "b>f", "f>g", "g>h", "e>h")
    assert _crossings(lay_out(picture)) == 0


def test_a_scope_takes_its_lines_in_the_order_in_which_they_come() -> None:
    groups = {"n0": ("b",), "n1": ("b",), "n2": ("a",), "n4": ("a",)}
    flat = _flat("n0>n1", "n1>n2", "n0>n3", "n0>n4")
    boxes = tuple(replace(box, group=groups.get(box.id, ())) for box in flat.boxes)
    arrows = (*flat.arrows, Arrow("n1", "n2"))
    assert _crossings(lay_out(replace(flat, boxes=boxes, arrows=arrows))) == 0


def test_a_constant_stands_right_above_its_consumer() -> None:
    layout = lay_out(_flat("a>b", "b>c", "c>d", "k>d"))
    tops = {placed.box.id: placed.rect.y for placed in layout.boxes}
    assert tops["k"] == tops["c"]


@given(_DIRECTED)
def test_a_line_runs_straight_through_its_own_label(picture: Picture) -> None:
    for arrow in lay_out(picture).arrows:
        if arrow.label is None:
            continue
        (x0, y0), (x1, y1) = arrow.points[:2]
        assert y0 == y1 if arrow.across else x0 == x1
        ends, label = ((x0, x1), arrow.label.turned()) if arrow.across else ((y0, y1), arrow.label)
        assert min(ends) <= label.y + 0.01 and label.bottom <= max(ends) + 0.01
        assert label.x <= (y0 if arrow.across else x0) <= label.right


# ---- direction and folding ---------------------------------------------------------------------------------


def test_an_arrow_to_the_right_leaves_at_the_right_side() -> None:
    layout = lay_out(replace(_flat("a>b", "b>c"), direction="right"))
    places = {placed.box.id: placed.rect for placed in layout.boxes}
    assert places["a"].right < places["b"].x < places["c"].x
    assert {placed.rect.y for placed in layout.boxes} == {0.0}
    assert [arrow.points[0][0] for arrow in layout.arrows] == [places["a"].right, places["b"].right]


def _scale(picture: Picture) -> float:
    """The factor by which a picture must be scaled down to fit a screen."""
    layout = lay_out(picture)
    return max(layout.width / 1600, layout.height / 1000)


def test_the_direction_follows_the_proportion_of_a_screen() -> None:
    small = _flat(*[f"x>y{i}" for i in range(3)])
    assert not any(arrow.across for arrow in lay_out(small).arrows)
    wide = _flat(*[f"x{i}>{end}{i}" for i in range(24) for end in "yz"], *[f"x{i}>x{i + 1}" for i in range(23)])
    assert all(arrow.across for arrow in lay_out(wide).arrows)
    assert _scale(wide) < 0.85 * _scale(replace(wide, direction="down"))


def test_a_long_chain_is_folded_into_columns_that_are_read_from_left_to_right() -> None:
    layout = lay_out(_flat(*[f"a{i:02}>a{i + 1:02}" for i in range(59)]))
    assert 1 < layout.width / layout.height < 2.4
    places = [placed.rect for placed in sorted(layout.boxes, key=lambda placed: placed.box.id)]
    turns = sum(after.y < before.y for before, after in pairwise(places))
    assert turns >= 3
    assert all(after.x > before.right for before, after in pairwise(places) if after.y < before.y)
    assert _crossings(layout) == 0


@pytest.mark.parametrize("count", [14, 15])
def test_what_is_a_little_too_tall_is_not_folded_if_many_lines_would_climb(count: int) -> None:
    chain = [f"a{i:02}>a{i + 1:02}" for i in range(count)]
    layout = lay_out(_flat(*chain, *[f"a{i:02}>a{count - 1}" for i in range(count - 2)]))
    assert climbs(layout) == 0
    assert layout.height > 900


@pytest.mark.parametrize(("count", "last"), [(20, 16), (24, 20), (30, 25)])
def test_no_column_is_nearly_empty(count: int, last: int) -> None:
    chain = [f"a{i:02}>a{i + 1:02}" for i in range(count - 1)]
    picture = _flat(*chain, *[f"a{i:02}>a{last:02}" for i in range(last - 1)])
    layout = lay_out(replace(picture, direction="down"))
    places = [placed.rect for placed in sorted(layout.boxes, key=lambda placed: placed.box.id)]
    turns = [i for i, (before, after) in enumerate(pairwise(places), 1) if after.y < before.y]
    counts = [stop - start for start, stop in pairwise([0, *turns, count])]
    assert min(counts) >= 0.3 * max(counts)


def test_a_folded_chain_with_constants_is_as_readable_as_before() -> None:
    layout = lay_out(_flat("x>a0", *[f"a{i}>a{i + 1}" for i in range(40)], *[f"k{i}>a{i}" for i in range(41)]))
    assert _crossings(layout) == 0
    assert 1 < layout.width / layout.height < 2.6


def test_equal_towers_stand_side_by_side_at_one_height_though_one_starts_later() -> None:
    boxes = [Box(name, name) for name in ("x", "cast", "end")]
    arrows = [Arrow("x", "t0_0"), Arrow("x", "cast"), Arrow("cast", "t1_0"), Arrow("t0_6", "end"), Arrow("t1_6", "end")]
    for tower in ("t0", "t1"):
        boxes += [Box(f"{tower}_{n}", f"{tower}_{n}", group=(tower,)) for n in range(7)]
        arrows += [Arrow(f"{tower}_{n}", f"{tower}_{n + 1}") for n in range(6)]
    for way in DIRECTIONS[1:]:
        layout = lay_out(Picture("", tuple(boxes), tuple(arrows), direction=way))
        first, second = (placed.rect for placed in layout.groups)
        assert (first.y, first.height) == (second.y, second.height) if way == "down" else first.x == second.x
        assert not first.overlaps(second)


def _solid(left: float, right: float, height: float) -> Footprint:
    return Footprint(left, right, height, solid=True)


def test_a_box_beside_a_tall_one_stands_as_high_as_its_lines_allow() -> None:
    bodies = [_solid(0, 100, 500), _solid(120, 200, 40), _solid(120, 200, 40), _solid(0, 200, 40)]
    rows = stack([[0, 1], [2], [3]], bodies, [Wire(1, 2, 160, 160), Wire(2, 3, 160, 160), Wire(0, 3, 50, 50)])
    assert rows.tops == [0, 0, 64, 524]


def test_a_constant_comes_down_to_its_consumer() -> None:
    bodies = [_solid(0, 100, 500), _solid(120, 200, 40), _solid(0, 100, 40)]
    rows = stack([[0, 1], [2]], bodies, [Wire(0, 2, 50, 50), Wire(1, 2, 160, 90)])
    assert rows.tops[1] == 460
