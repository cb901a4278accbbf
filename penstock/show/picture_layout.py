"""Layout of a whole picture: boxes, scopes around their members, and lines that cross no box.

Scopes are laid out from the inside outwards: the finished drawing of a scope is a single node of the scope around it.
So a scope holds exactly its members and overlaps nothing else, by construction. Lines through a border join up because
the inner drawing fixes the ports at which the outer one takes over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .component_layout import NO_HINTS, Drawing, Hints, Title
from .connection_points import LOOP_ROOM, Cell, label_width
from .edge_routing import (
    BORDER,
    Member,
    Routed,
    Scope,
    Stream,
    labelled_streams,
    meeting_path,
    member_within,
    scopes_of,
)
from .geometry import Point, Rect, rounded, simplified
from .picture import Arrow, Box, Group, Path, Picture, all_groups
from .scope_layout import TITLE_HEIGHT, draw_scope
from .text_measure import LABEL_SIZE, box_text, shorten, text_width

_LABEL_DROP = 4.0
_LABEL_HEIGHT = 13.0


@dataclass(frozen=True, slots=True)
class PlacedBox:
    """A box with its rectangle and the lines of text in it."""

    box: Box
    rect: Rect
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlacedGroup:
    """A scope with the rectangle around its members, and the rectangle of its label."""

    group: Group
    rect: Rect
    title: Rect


@dataclass(frozen=True, slots=True)
class PlacedArrow:
    """An arrow as a line from source to target; arrows that share a line share its label's place."""

    arrow: Arrow
    points: tuple[Point, ...]
    label: Rect | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """A picture with coordinates: y grows downwards, everything lies within 0..width and 0..height."""

    width: float
    height: float
    boxes: tuple[PlacedBox, ...] = ()
    groups: tuple[PlacedGroup, ...] = ()
    arrows: tuple[PlacedArrow, ...] = ()


def lay_out(picture: Picture) -> Layout:
    """Place every box, group and arrow of `picture`; the order in which they were added has no effect.

    No scope is closed here: call `closed_scopes.fit` first.

    >>> layout = lay_out(Picture("", (Box("a", "a"), Box("b", "b")), (Arrow("a", "b"),)))
    >>> [placed.rect.y for placed in layout.boxes]
    [0.0, 55.0]
    """
    scopes, routed = scopes_of(picture)
    labelled = labelled_streams(routed)
    groups = all_groups(picture)
    boxes = {box.id: box for box in picture.boxes}
    drawings = _draw_all(boxes, scopes, routed, labelled, groups, NO_HINTS)
    if _crossings(drawings):
        # The first pass shows where lines come from. The second lets scopes take their lines in that order.
        hints = _origins_of_streams(routed, boxes, drawings)
        again = _draw_all(boxes, scopes, routed, labelled, groups, hints)
        drawings = min(drawings, again, key=_crossings)
    root, places = drawings[()], _places(drawings)
    placed = {box_id: _placed_box(boxes[box_id], drawings, places) for box_id in boxes}
    return Layout(
        width=round(root.width, 2),
        height=round(root.height, 2),
        boxes=tuple(placed[member.box] for path in scopes for member in scopes[path].members if member.box),
        groups=tuple(_placed_group(groups[path], drawings[path], places[path]) for path in scopes if path),
        arrows=tuple(_placed_arrow(item, boxes, placed, labelled, drawings, places) for item in routed),
    )


def _draw_all(
    boxes: Mapping[str, Box],
    scopes: Mapping[Path, Scope],
    routed: Sequence[Routed],
    labelled: set[Stream],
    groups: Mapping[Path, Group],
    hints: Hints,
) -> dict[Path, Drawing]:
    own: dict[str, set[Stream]] = {}
    for stream in labelled:
        own.setdefault(stream.source, set()).add(stream)
    loops = {item.arrow.source for item in routed if item.stream is None}
    drawings: dict[Path, Drawing] = {}
    for path in sorted(scopes, key=len, reverse=True):
        cells = [
            _box_cell(boxes[member.box], own, loops)
            if member.box
            else _scope_cell(member, drawings[member.path])
            for member in scopes[path].members
        ]
        title = Title(_title_width(groups[path]), TITLE_HEIGHT) if path else None
        drawings[path] = draw_scope(cells, list(scopes[path].nets.values()), title, hints)
    return drawings


def _crossings(drawings: Mapping[Path, Drawing]) -> int:
    return sum(drawing.crossings for drawing in drawings.values())


def _origins_of_streams(
    routed: Sequence[Routed], boxes: Mapping[str, Box], drawings: Mapping[Path, Drawing]
) -> dict[Stream, float]:
    """The x at which each stream starts within the outermost scope in which it meets a target."""
    places = _places(drawings)
    origins: dict[Stream, float] = {}
    outermost: dict[Stream, int] = {}
    for item in routed:
        if item.stream is None:
            continue
        target = boxes[item.arrow.target].group
        meeting = meeting_path(boxes[item.arrow.source].group, target)
        if len(meeting) < outermost.get(item.stream, len(meeting) + 1):
            route = drawings[meeting].routes[item.stream, member_within(meeting, item.arrow.target, target)]
            origins[item.stream] = route[0][0] + places[meeting][0]
            outermost[item.stream] = len(meeting)
    return origins


def _box_cell(box: Box, own: Mapping[str, set[Stream]], loops: set[str]) -> Cell:
    text = box_text(box)
    labelled = frozenset(own.get(box.id, ()))
    return Cell(Member(box=box.id), text.width, text.height, None, labelled, box.id in loops)


def _scope_cell(member: Member, drawing: Drawing) -> Cell:
    return Cell(member, drawing.width, drawing.height, drawing.ports)


def group_title(group: Group) -> str:
    """The label of a scope as drawn."""
    return shorten(group.label or group.path[-1])


def _title_width(group: Group) -> float:
    return text_width(group_title(group), LABEL_SIZE) + 8


def _places(drawings: Mapping[Path, Drawing]) -> dict[Path, Point]:
    """The upper left corner of every scope in the whole picture."""
    places: dict[Path, Point] = {(): (0.0, 0.0)}
    for path in sorted(drawings, key=len):
        if path:
            x, y = places[path[:-1]]
            dx, dy = drawings[path[:-1]].origins[Member(path=path)]
            places[path] = (x + dx, y + dy)
    return places


def _placed_box(box: Box, drawings: Mapping[Path, Drawing], places: Mapping[Path, Point]) -> PlacedBox:
    text = box_text(box)
    member = Member(box=box.id)
    drawing = drawings[box.group]
    x, y = drawing.origins[member]
    rect = Rect(x, y, drawing.widths[member], text.height).moved(*places[box.group])
    return PlacedBox(box, rounded(rect), text.lines)


def _placed_group(group: Group, drawing: Drawing, place: Point) -> PlacedGroup:
    rect = Rect(*place, drawing.width, drawing.height)
    title = Rect(place[0] + drawing.padding, place[1], _title_width(group), TITLE_HEIGHT)
    return PlacedGroup(group, rounded(rect), rounded(title))


def _placed_arrow(
    item: Routed,
    boxes: Mapping[str, Box],
    placed: Mapping[str, PlacedBox],
    labelled: set[Stream],
    drawings: Mapping[Path, Drawing],
    places: Mapping[Path, Point],
) -> PlacedArrow:
    arrow, stream = item.arrow, item.stream
    source, target = boxes[arrow.source].group, boxes[arrow.target].group
    if stream is None:
        return PlacedArrow(arrow, _loop(placed[arrow.source].rect))
    meeting = meeting_path(source, target)
    pieces: list[tuple[Path, Member]] = [
        (source[:length], BORDER) for length in range(len(source), len(meeting), -1)
    ]
    pieces += [
        (target[:length], member_within(target[:length], arrow.target, target))
        for length in range(len(meeting), len(target) + 1)
    ]
    points: list[Point] = []
    for path, end in pieces:
        dx, dy = places[path]
        points += [(x + dx, y + dy) for x, y in drawings[path].routes[stream, end]]
    label = _label_place(placed[arrow.source].rect, points[0], stream) if stream in labelled else None
    return PlacedArrow(arrow, simplified(points), label)


def _loop(rect: Rect) -> tuple[Point, ...]:
    y, out = rect.y + rect.height / 2, rect.right + LOOP_ROOM - 8
    return simplified([(rect.right, y - 7), (out, y - 7), (out, y + 7), (rect.right, y + 7)])


def _label_place(rect: Rect, start: Point, stream: Stream) -> Rect:
    width = label_width(stream)
    y = rect.bottom + _LABEL_DROP if stream.down else rect.y - _LABEL_DROP - _LABEL_HEIGHT
    return rounded(Rect(start[0] - width / 2, y, width, _LABEL_HEIGHT))
