"""Layout of a whole picture: boxes, scopes around their members, and lines that cross no box.

Scopes are laid out from the inside outwards: the finished drawing of a scope is a single node of the scope around it.
So a scope holds exactly its members and overlaps nothing else, by construction. Lines through a border join up because
the inner drawing fixes the ports at which the outer one takes over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from ..content.picture import Arrow, Box, Group, Path, Picture, all_groups
from .column_layout import Room
from .component_layout import Drawing, Title
from .connection_points import LABEL_HEIGHT, LOOP_ROOM, Cell, label_width
from .edge_routing import (
    Member,
    Routed,
    Stream,
    labelled_streams,
    scopes_of,
)
from .geometry import Point, Rect, rounded, simplified
from .layered_nodes import NO_HINTS, Hints
from .scope_layout import TITLE_HEIGHT, draw_scope, rooms_of
from .text_measure import LABEL_SIZE, box_text, shorten, text_width

_SCREEN = Room(1600.0, 1000.0)
_ENDLESS = Room(inf, inf)  # in which nothing is folded
_READABLE = 1.25  # a picture that is at most that much larger than a screen is not folded
_LABEL_DROP = 4.0
_WELL_USED = 1.1  # a picture that almost fits a screen is not turned
_FLAT, _STEEP = 0.8, 2.4  # nor is one that has about the proportion of a screen
_RIGHT_GAIN = 0.85  # arrows point down unless turning makes the picture that much smaller
_CLIMBS, _CLIMB = 2, 0.04  # each further line that rises from column to column is as bad as a picture that much larger


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
    across: bool = False  # it leaves and enters boxes at their sides, not above and below


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


def lay_out(picture: Picture, across: bool | None = None) -> Layout:
    """The coordinates of every box, scope and arrow of a picture. The order in which arrows were added has no effect.

    Args:
        picture: the picture. No scope of it is closed; call `fit` first. A direction that it has is kept, and then
            nothing is folded into columns.
        across: whether arrows point to the right, where the picture leaves it open; as it was at first, for a page.

    Returns:
        A `Layout`.

    >>> from penstock.show import Arrow, Box, Picture, lay_out
    >>> layout = lay_out(Picture("", (Box("a", "a"), Box("b", "b")), (Arrow("a", "b"),)))
    >>> [placed.rect.y for placed in layout.boxes]
    [0.0, 53.0]
    """
    cut = _Cut(picture)
    if picture.direction != "auto":
        return _drawn(cut, picture.direction == "right", folds=False).layout()
    if across is not None:
        return _readable(cut, across).layout()
    down = _readable(cut, across=False)
    turns = down.used() > _WELL_USED and not _FLAT < down.proportion() < _STEEP
    unfolds = down.climbs > 0 and down.used() <= _READABLE
    if not turns and not unfolds:
        return down.layout()
    right = _readable(cut, across=True)
    if unfolds and not right.climbs and right.used() <= _READABLE:
        return right.layout()
    return (right if turns and right.burden() < _RIGHT_GAIN * down.burden() else down).layout()


def _readable(cut: _Cut, across: bool) -> _Drawn:
    """The drawing, folded into columns only where it is too large for a screen otherwise."""
    folded = _drawn(cut, across)
    if not folded.climbs or folded.used() > _READABLE:
        return folded
    plain = _drawn(cut, across, folds=False)
    return plain if plain.used() <= _READABLE else folded


def _drawn(cut: _Cut, across: bool, folds: bool = True) -> _Drawn:
    """The drawing of the picture, the arrows pointing down, or to the right with `across`."""
    drawn = _Drawn(cut, across, NO_HINTS, folds)
    if drawn.crossings:
        # The first pass shows where lines come from. The second lets scopes take their lines in that order.
        again = _Drawn(cut, across, drawn.origins_of_streams(), folds)
        drawn = min(drawn, again, key=lambda each: each.crossings)
    return drawn


class _Cut:
    """A picture before layout, with its arrows cut into pieces by scope."""

    def __init__(self, picture: Picture) -> None:
        self.scopes, self.routed = scopes_of(picture)
        self.labelled = labelled_streams(self.routed)
        self.groups = all_groups(picture)
        self.boxes = {box.id: box for box in picture.boxes}
        self.texts = {box.id: box_text(box) for box in picture.boxes}
        self._own: dict[str, set[Stream]] = {}
        for stream in self.labelled:
            self._own.setdefault(stream.source, set()).add(stream)
        self._loops = {item.arrow.source for item in self.routed if item.stream is None}

    def draw(self, across: bool, hints: Hints, folds: bool) -> dict[Path, Drawing]:
        """The drawing of every scope, inner ones first."""
        drawings: dict[Path, Drawing] = {}
        screen = _SCREEN.turned() if across else _SCREEN
        rooms = rooms_of(self.scopes, screen) if folds else dict.fromkeys(self.scopes, _ENDLESS)
        for path in sorted(self.scopes, key=len, reverse=True):
            scope = self.scopes[path]
            cells = [self._cell(member, drawings, across) for member in scope.members]
            title = Title(title_width(self.groups[path]), TITLE_HEIGHT) if path else None
            drawings[path] = draw_scope(cells, list(scope.nets.values()), title, rooms[path], hints, across)
        return drawings

    def _cell(self, member: Member, drawings: Mapping[Path, Drawing], across: bool) -> Cell:
        if not member.box:
            drawing = drawings[member.path]
            return Cell(member, drawing.width, drawing.height, drawing.ports)
        text = self.texts[member.box]
        labelled = frozenset(self._own.get(member.box, ()))
        width, height = (text.height, text.width) if across else (text.width, text.height)
        return Cell(member, width, height, None, labelled, member.box in self._loops, across)


class _Drawn:
    """The drawings of all scopes of a picture, put together; with `across` x and y are still exchanged."""

    def __init__(self, cut: _Cut, across: bool, hints: Hints, folds: bool) -> None:
        self._cut, self._across = cut, across
        self._drawings = cut.draw(across, hints, folds)
        self.climbs = sum(drawing.climbs for drawing in self._drawings.values())
        self.crossings = sum(drawing.crossings for drawing in self._drawings.values())
        # The upper left corner of every scope in the whole picture.
        self._places: dict[Path, Point] = {(): (0.0, 0.0)}
        for path in sorted(self._drawings, key=len):
            if path:
                x, y = self._places[path[:-1]]
                dx, dy = self._drawings[path[:-1]].origins[Member(path=path)]
                self._places[path] = (x + dx, y + dy)

    def used(self) -> float:
        """The factor by which the drawing must be scaled down to fit a screen."""
        root = self._drawings[()]
        return (_SCREEN.turned() if self._across else _SCREEN).used(root.width, root.height)

    def burden(self) -> float:
        """The same, more where many lines rise from column to column."""
        return self.used() * (1 + _CLIMB * max(self.climbs - _CLIMBS, 0))

    def proportion(self) -> float:
        """The width divided by the height, before x and y are exchanged."""
        return self._drawings[()].width / max(self._drawings[()].height, 1.0)

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
        cut = self._cut
        root = self._turned(Rect(0.0, 0.0, self._drawings[()].width, self._drawings[()].height))
        inner = {name: self._box_rect(box) for name, box in cut.boxes.items()}
        placed = {name: PlacedBox(cut.boxes[name], self._turned(inner[name]), cut.texts[name].lines) for name in inner}
        return Layout(
            width=root.width,
            height=root.height,
            boxes=tuple(placed[member.box] for scope in cut.scopes.values() for member in scope.members if member.box),
            groups=tuple(self._placed_group(path) for path in cut.scopes if path),
            arrows=tuple(self._placed_arrow(item, inner[item.arrow.source]) for item in cut.routed),
        )

    def _turned(self, rect: Rect) -> Rect:
        return rounded(rect.turned() if self._across else rect)

    def _box_rect(self, box: Box) -> Rect:
        text, member = self._cut.texts[box.id], Member(box=box.id)
        drawing = self._drawings[box.group]
        height = text.width if self._across else text.height
        return Rect(*drawing.origins[member], drawing.widths[member], height).moved(*self._places[box.group])

    def _placed_group(self, path: Path) -> PlacedGroup:
        group, drawing, place = self._cut.groups[path], self._drawings[path], self._places[path]
        rect = self._turned(Rect(*place, drawing.width, drawing.height))
        title = Rect(rect.x + drawing.padding, rect.y, title_width(group), TITLE_HEIGHT)
        return PlacedGroup(group, rect, rounded(title))

    def _placed_arrow(self, item: Routed, rect: Rect) -> PlacedArrow:
        arrow, stream = item.arrow, item.stream
        if stream is None:
            return PlacedArrow(arrow, self._line(_loop(rect)), across=self._across)
        points: list[Point] = []
        for piece in item.pieces:
            dx, dy = self._places[piece.path]
            points += [(x + dx, y + dy) for x, y in self._drawings[piece.path].routes[stream, piece.end]]
        label = None
        if stream in self._cut.labelled:
            label = self._turned(_label_place(rect, points[0], stream, self._across))
        return PlacedArrow(arrow, self._line(points), label, self._across)

    def _line(self, points: Sequence[Point]) -> tuple[Point, ...]:
        return simplified([(y, x) for x, y in points] if self._across else points)


def group_title(group: Group) -> str:
    """The label of a scope as drawn."""
    return shorten(group.label or group.path[-1])


def title_width(group: Group) -> float:
    """The room that the label of a scope needs."""
    return text_width(group_title(group), LABEL_SIZE) + 8


def _loop(rect: Rect) -> list[Point]:
    y, out = rect.y + rect.height / 2, rect.right + LOOP_ROOM - 8
    return [(rect.right, y - 7), (out, y - 7), (out, y + 7), (rect.right, y + 7)]


def _label_place(rect: Rect, start: Point, stream: Stream, across: bool) -> Rect:
    """The place of a label beside its box, before x and y are exchanged."""
    width, height = label_width(stream), LABEL_HEIGHT
    if across:
        width, height = height, width
    y = rect.bottom + _LABEL_DROP if stream.down else rect.y - _LABEL_DROP - height
    return Rect(start[0] - width / 2, y, width, height)
