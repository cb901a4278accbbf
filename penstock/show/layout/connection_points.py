"""Connection points: where lines touch a box or a scope, and the room that they take.

A scope that is already laid out has ports at fixed places. A box has *pins*: on each side one for each line that
touches it there, sorted by where the lines go. A line that leaves a box carries its label right at the box, within the
room that the box claims in its layer. So no label can lie on another box or label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .edge_routing import BORDER, Member, Net, Stream
from .text_measure import ARROW_SIZE, shorten, text_width

LABEL_ROOM = 19.0
LABEL_HEIGHT = 13.0
_PIN_ROOM = 12.0
_WIDEST_SPREAD = 30.0
_CORNER = 12.0
LOOP_ROOM = 24.0


@dataclass(frozen=True, slots=True)
class Cell:
    """A member with its own size; `ports` are where (from its left) streams pass a scope's border."""

    member: Member
    width: float
    height: float
    ports: Mapping[Stream, float] | None = None
    labelled: frozenset[Stream] = frozenset()
    self_arrows: bool = False
    across: bool = False  # the picture runs to the right, so a label lies along its line


@dataclass(slots=True)
class Pins:
    """The places on one member where lines touch it, as offsets from its middle, and the room it claims."""

    width: float
    height: float
    left: float
    right: float
    above: float = 0.0
    below: float = 0.0
    offset: dict[Stream, float] = field(default_factory=dict)
    sides: dict[bool, list[Stream]] = field(default_factory=dict)  # True: upper side
    rooms: dict[Stream, float] = field(default_factory=dict)

    @property
    def cell_height(self) -> float:
        """The height with the room for labels."""
        return self.above + self.height + self.below

    def arrange(self, desired: Mapping[tuple[bool, Stream], float], main: Stream | None = None) -> None:
        """Sort the pins of each side by the desired positions; on the upper side `main` is in the middle."""
        for top, streams in self.sides.items():
            numbers = sorted(range(len(streams)), key=[desired[top, stream] for stream in streams].__getitem__)
            ordered = [streams[number] for number in numbers]
            middle = ordered.index(main) if top and main in ordered else None
            self.offset.update(zip(ordered, self._spread([self.rooms[s] for s in ordered], middle), strict=True))

    def _spread(self, rooms: Sequence[float], middle: int | None) -> list[float]:
        inner = self.width - 2 * _CORNER
        if all(room == _PIN_ROOM for room in rooms):
            if middle is not None:
                step = min(_WIDEST_SPREAD, inner / 2 / max(middle, len(rooms) - 1 - middle, 1))
                return [(number - middle) * step for number in range(len(rooms))]
            step = min(_WIDEST_SPREAD, inner / max(len(rooms) - 1, 1))
            return [(number - (len(rooms) - 1) / 2) * step for number in range(len(rooms))]
        places: list[float] = []
        at = -sum(rooms) / 2
        for room in rooms:
            places.append(at + room / 2)
            at += room
        return places


def label_width(stream: Stream) -> float:
    """The width of a stream's label as drawn."""
    return text_width(shorten(stream.label), ARROW_SIZE)


def pins_of(cells: Sequence[Cell], nets: Sequence[Net]) -> dict[Member, Pins]:
    """The pins of each member, not yet arranged for boxes."""
    sides: dict[Member, dict[bool, list[Stream]]] = {cell.member: {} for cell in cells}
    for net in nets:
        if net.hub is not BORDER:
            sides[net.hub].setdefault(not net.stream.down, []).append(net.stream)
        for end in net.ends:
            if end is not BORDER:
                sides[end].setdefault(net.stream.down, []).append(net.stream)
    return {cell.member: _pins(cell, sides[cell.member]) for cell in cells}


def _pins(cell: Cell, sides: dict[bool, list[Stream]]) -> Pins:
    half = cell.width / 2
    if cell.ports is not None:
        pins = Pins(cell.width, cell.height, half, half)
        used = {stream for streams in sides.values() for stream in streams}
        pins.offset = {stream: x - half for stream, x in cell.ports.items() if stream in used}
        return pins
    rooms = {
        stream: _room_beside(cell, stream) if stream in cell.labelled else _PIN_ROOM
        for streams in sides.values()
        for stream in streams
    }
    spans = {top: sum(rooms[stream] for stream in streams) for top, streams in sides.items()}
    crowded = [
        spans[top]
        for top, streams in sides.items()
        if len(streams) > 1 and any(stream in cell.labelled for stream in streams)
    ]
    width = max(cell.width, *crowded) if crowded else cell.width
    reach = max([width, *spans.values()]) / 2 if any(s in cell.labelled for s in rooms) else width / 2
    room = {top: max((room_along(cell, s) for s in streams), default=0.0) for top, streams in sides.items()}
    return Pins(
        width=width,
        height=cell.height,
        left=reach,
        right=max(reach, width / 2 + LOOP_ROOM) if cell.self_arrows else reach,
        above=room.get(True, 0.0),
        below=room.get(False, 0.0),
        sides=sides,
        rooms=rooms,
    )


def _room_beside(cell: Cell, stream: Stream) -> float:
    """The room that a label needs along the side of its box."""
    return LABEL_HEIGHT + 6 if cell.across else label_width(stream) + 10


def room_along(cell: Cell, stream: Stream) -> float:
    """The room that a label needs between its box and the next."""
    if stream not in cell.labelled:
        return 0.0
    return label_width(stream) + 10 if cell.across else LABEL_ROOM
