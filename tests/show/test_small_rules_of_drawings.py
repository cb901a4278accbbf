"""Rules of drawings that whole pictures rarely show: rounded corners, titles wider than their scopes, tall scopes."""

from __future__ import annotations

import pytest

from penstock.show.formats.svg import _straight
from penstock.show.layout.column_layout import Room
from penstock.show.layout.component_layout import Title
from penstock.show.layout.connection_points import Cell
from penstock.show.layout.edge_routing import Member, Net, Stream
from penstock.show.layout.layered_nodes import cell_levels
from penstock.show.layout.scope_layout import draw_scope

ROOM = Room(1000.0, 800.0)


@pytest.mark.parametrize("following", [(40.0, 90.0), (40.0, -10.0)])
def test_a_right_angle_is_rounded(following: tuple[float, float]) -> None:
    assert "Q40 20" in _straight((0.0, 20.0), (40.0, 20.0), following)
    x, y = following
    assert "Q20 40" in _straight((20.0, 0.0), (20.0, 40.0), (y, 40.0)), x


def test_what_goes_on_slanting_has_a_sharp_corner() -> None:
    assert _straight((0.0, 20.0), (40.0, 20.0), (90.0, 70.0)) == "L40 20"
    assert _straight((0.0, 20.0), (40.0, 20.0), None) == "L40 20"


@pytest.mark.parametrize("across", [False, True])
def test_a_scope_is_as_wide_as_its_title(across: bool) -> None:
    cells = [Cell(Member("a"), 40.0, 30.0)]
    drawings = [draw_scope(cells, [], Title(width, 20.0), ROOM, across=across) for width in (10.0, 500.0)]
    sizes = [drawing.height if across else drawing.width for drawing in drawings]
    assert sizes[0] < 200.0 and sizes[1] >= 500.0


def test_a_tall_scope_that_needs_another_one_stays_below_it() -> None:
    names = ["a", "b", "c", "d"]
    members = {name: Member(path=(name,)) for name in names}
    cells = [Cell(members[name], 100.0, 200.0, {}) for name in names]
    streams = [Stream(source, (f"{source}:0",), "", "data", 0, True) for source in "ab"]
    nets = [Net(stream, members[stream.source], [members[end]]) for stream, end in zip(streams, "bc", strict=True)]
    assert cell_levels(cells, nets) == [0, 1, 2, 2]
