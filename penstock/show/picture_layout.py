"""Layout of a whole picture: boxes, scopes around their members, and lines that cross no box.

Scopes are laid out from the inside outwards: the finished drawing of a scope is a single node of the scope around it.
So a scope holds exactly its members and overlaps nothing else, by construction. Lines through a border join up because
the inner drawing fixes the ports at which the outer one takes over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .component_layout import NO_HINTS, Drawing, Hints, Title
from .connection_points import LOOP_ROOM, Cell, label_width
from .edge_routing import (
    Member,
    Routed,
    Stream,
    labelled_streams,
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
    """A picture with coordinates: y grows downwards, and everything lies within 0..width and 0..height.

    Attributes:
        width: the width of the whole.
        height: the height of the whole.
        boxes: the boxes with their rectangles.
        groups: the frames of the open scopes with their rectangles.
        arrows: the arrows with their paths.
    """

    width: float
    height: float
    boxes: tuple[PlacedBox, ...] = ()
    groups: tuple[PlacedGroup, ...] = ()
    arrows: tuple[PlacedArrow, ...] = ()


def lay_out(picture: Picture) -> Layout:
    """The coordinates of every box, scope and arrow of a picture. The order in which they were added has no effect.

    Args:
        picture: the picture. No scope of it is closed; call `fit` first.

    Returns:
        A `Layout`.

    >>> from penstock.show import Arrow, Box, Picture, lay_out
    >>> layout = lay_out(Picture("", (Box("a", "a"), Box("b", "b")), (Arrow("a", "b"),)))
    >>> [placed.rect.y for placed in layout.boxes]
    [0.0, 55.0]
    """
    cut = _Cut(picture)
    drawn = _Drawn(cut, NO_HINTS)
    if drawn.crossings:
        # The first pass shows where lines come from. The second lets scopes take their lines in that order.
        drawn = min(drawn, _Drawn(cut, drawn.origins_of_streams()), key=lambda each: each.crossings)
    return drawn.layout()


class _Cut:
    """A picture before layout, with its arrows cut into pieces by scope."""

    def __init__(self, picture: Picture) -> None:
        self.scopes, self.routed = scopes_of(picture)
        self.labelled = labelled_streams(self.routed)
        self.groups = all_groups(picture)
        self.boxes = {box.id: box for box in picture.boxes}
        self._own: dict[str, set[Stream]] = {}
        for stream in self.labelled:
            self._own.setdefault(stream.source, set()).add(stream)
        self._loops = {item.arrow.source for item in self.routed if item.stream is None}

    def draw(self, hints: Hints) -> dict[Path, Drawing]:
        """The drawing of every scope, inner ones first."""
        drawings: dict[Path, Drawing] = {}
        for path in sorted(self.scopes, key=len, reverse=True):
            scope = self.scopes[path]
            cells = [self._cell(member, drawings) for member in scope.members]
            title = Title(_title_width(self.groups[path]), TITLE_HEIGHT) if path else None
            drawings[path] = draw_scope(cells, list(scope.nets.values()), title, hints)
        return drawings

    def _cell(self, member: Member, drawings: Mapping[Path, Drawing]) -> Cell:
        if not member.box:
            drawing = drawings[member.path]
            return Cell(member, drawing.width, drawing.height, drawing.ports)
        text = box_text(self.boxes[member.box])
        labelled = frozenset(self._own.get(member.box, ()))
        return Cell(member, text.width, text.height, None, labelled, member.box in self._loops)


class _Drawn:
    """The drawings of all scopes of a picture, put together."""

    def __init__(self, cut: _Cut, hints: Hints) -> None:
        self._cut = cut
        self._drawings = cut.draw(hints)
        self.crossings = sum(drawing.crossings for drawing in self._drawings.values())
        # The upper left corner of every scope in the whole picture.
        self._places: dict[Path, Point] = {(): (0.0, 0.0)}
        for path in sorted(self._drawings, key=len):
            if path:
                x, y = self._places[path[:-1]]
                dx, dy = self._drawings[path[:-1]].origins[Member(path=path)]
                self._places[path] = (x + dx, y + dy)

    def origins_of_streams(self) -> dict[Stream, float]:
        """The x at which each stream starts within the outermost scope in which it meets a target."""
        origins: dict[Stream, float] = {}
        outermost: dict[Stream, int] = {}
        for item in self._cut.routed:
            if item.stream is None:
                continue
            path, end = item.meeting.path, item.meeting.end
            if len(path) < outermost.get(item.stream, len(path) + 1):
                start = self._drawings[path].routes[item.stream, end][0]
                origins[item.stream] = start[0] + self._places[path][0]
                outermost[item.stream] = len(path)
        return origins

    def layout(self) -> Layout:
        """The finished layout."""
        cut, root = self._cut, self._drawings[()]
        placed = {name: self._placed_box(box) for name, box in cut.boxes.items()}
        return Layout(
            width=round(root.width, 2),
            height=round(root.height, 2),
            boxes=tuple(placed[member.box] for scope in cut.scopes.values() for member in scope.members if member.box),
            groups=tuple(self._placed_group(path) for path in cut.scopes if path),
            arrows=tuple(self._placed_arrow(item, placed[item.arrow.source].rect) for item in cut.routed),
        )

    def _placed_box(self, box: Box) -> PlacedBox:
        text = box_text(box)
        member = Member(box=box.id)
        drawing = self._drawings[box.group]
        x, y = drawing.origins[member]
        rect = Rect(x, y, drawing.widths[member], text.height).moved(*self._places[box.group])
        return PlacedBox(box, rounded(rect), text.lines)

    def _placed_group(self, path: Path) -> PlacedGroup:
        group, drawing, place = self._cut.groups[path], self._drawings[path], self._places[path]
        rect = Rect(*place, drawing.width, drawing.height)
        title = Rect(place[0] + drawing.padding, place[1], _title_width(group), TITLE_HEIGHT)
        return PlacedGroup(group, rounded(rect), rounded(title))

    def _placed_arrow(self, item: Routed, rect: Rect) -> PlacedArrow:
        arrow, stream = item.arrow, item.stream
        if stream is None:
            return PlacedArrow(arrow, _loop(rect))
        points: list[Point] = []
        for piece in item.pieces:
            dx, dy = self._places[piece.path]
            points += [(x + dx, y + dy) for x, y in self._drawings[piece.path].routes[stream, piece.end]]
        label = _label_place(rect, points[0], stream) if stream in self._cut.labelled else None
        return PlacedArrow(arrow, simplified(points), label)


def group_title(group: Group) -> str:
    """The label of a scope as drawn."""
    return shorten(group.label or group.path[-1])


def _title_width(group: Group) -> float:
    return text_width(group_title(group), LABEL_SIZE) + 8


def _loop(rect: Rect) -> tuple[Point, ...]:
    y, out = rect.y + rect.height / 2, rect.right + LOOP_ROOM - 8
    return simplified([(rect.right, y - 7), (out, y - 7), (out, y + 7), (rect.right, y + 7)])


def _label_place(rect: Rect, start: Point, stream: Stream) -> Rect:
    width = label_width(stream)
    y = rect.bottom + _LABEL_DROP if stream.down else rect.y - _LABEL_DROP - _LABEL_HEIGHT
    return rounded(Rect(start[0] - width / 2, y, width, _LABEL_HEIGHT))
