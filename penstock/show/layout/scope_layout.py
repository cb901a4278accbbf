"""Layout of one scope: its connected parts side by side, below its title and within its border.

The part whose lines reach the border comes first and spans the scope from its title to its lower side. Parts without
lines to the outside are packed onto shelves beside it, the tallest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt

from ..content.picture import Path
from .column_layout import Room, draw_part
from .component_layout import Drawing, Title
from .connection_points import Cell
from .edge_routing import BORDER, Member, Net, Scope
from .layered_nodes import NO_HINTS, Hints, enters_above, leaves_below

TITLE_HEIGHT = 26.0
_PADDING = 14.0
_PART_GAP = 24.0
_TITLE_GAP = 6.0
_INNER_SHARE = 0.9


def draw_scope(
    cells: Sequence[Cell],
    nets: Sequence[Net],
    title: Title | None,
    room: Room,
    hints: Hints = NO_HINTS,
    across: bool = False,
) -> Drawing:
    """Lay out the members of one scope; the root has no title, no padding and no ports.

    With `across` the result will be turned, so the title has a strip of its own on the left, which becomes the top.
    """
    bordered, parts = _parts(cells, nets)
    pad = _PADDING if title is not None else 0.0
    left = TITLE_HEIGHT + _TITLE_GAP if title is not None and across else pad
    whole = Drawing(padding=pad)
    x = left
    if bordered is not None:
        main = draw_part(*bordered, None if across else title, hints, room)
        top = pad if across and not any(enters_above(net) for net in nets) else 0.0
        _insert(whole, main, left, top)
        x = left + main.width + (_PART_GAP if parts else 0.0)
        whole.width, whole.height = left + main.width, top + main.height
    top = title.height + _TITLE_GAP if title is not None and not across else pad
    _shelve(whole, [draw_part(*part, None, NO_HINTS, room) for part in parts], x, top, room)
    if title is not None and across:
        whole.height = max(whole.height, pad + title.width)
    elif title is not None:
        whole.width = max(whole.width, pad + title.width)
    whole.width += pad
    if parts or not any(leaves_below(net) for net in nets):
        whole.height += pad
    return whole


def rooms_of(scopes: Mapping[Path, Scope], room: Room) -> dict[Path, Room]:
    """The room of each scope: the width of the scope around it, shared by the numbers of boxes, at about its height."""
    counts = Counter[Path]()
    for path, scope in scopes.items():
        boxes = sum(bool(member.box) for member in scope.members)
        for length in range(len(path) + 1):
            counts[path[:length]] += boxes
    rooms: dict[Path, Room] = {(): room}
    for path in scopes:  # parents come first
        if path:
            outer = rooms[path[:-1]]
            rooms[path] = Room(outer.width * counts[path] / counts[path[:-1]], _INNER_SHARE * outer.height)
    return rooms


def _parts(
    cells: Sequence[Cell], nets: Sequence[Net]
) -> tuple[tuple[list[Cell], list[Net]] | None, list[tuple[list[Cell], list[Net]]]]:
    """The part that touches the border (or None), and the other connected parts by first member."""
    leader = {cell.member: cell.member for cell in cells}
    leader[BORDER] = BORDER
    for net in nets:
        for end in net.ends:
            a, b = _find(leader, net.hub), _find(leader, end)
            if b is BORDER:
                a, b = b, a
            leader[b] = a
    found: dict[Member, tuple[list[Cell], list[Net]]] = {}
    for cell in cells:
        found.setdefault(_find(leader, cell.member), ([], []))[0].append(cell)
    for net in nets:
        found[_find(leader, net.hub)][1].append(net)
    return found.pop(BORDER, None), list(found.values())


def _find(leader: dict[Member, Member], member: Member) -> Member:
    while leader[member] != member:
        leader[member] = leader[leader[member]]
        member = leader[member]
    return member


def _shelve(whole: Drawing, parts: Sequence[Drawing], left: float, top: float, room: Room) -> None:
    if not parts:
        return
    ordered = sorted(
        parts, key=lambda part: -part.height
    )  # stable: equal ones keep the order of their members
    area = sum((part.width + _PART_GAP) * (part.height + _PART_GAP) for part in parts)
    limit = left + max(max(part.width for part in parts), sqrt(area * room.width / room.height))
    x, y, shelf = left, top, 0.0
    for part in ordered:
        if x > left and x + part.width > limit:
            x, y, shelf = left, y + shelf + _PART_GAP, 0.0
        _insert(whole, part, x, y)
        whole.width = max(whole.width, x + part.width)
        whole.height = max(whole.height, y + part.height)
        x += part.width + _PART_GAP
        shelf = max(shelf, part.height)


def _insert(whole: Drawing, part: Drawing, x: float, y: float) -> None:
    whole.widths.update(part.widths)
    whole.crossings += part.crossings
    whole.climbs += part.climbs
    for member, (left, top) in part.origins.items():
        whole.origins[member] = (left + x, top + y)
    for key, points in part.routes.items():
        whole.routes[key] = [(a + x, b + y) for a, b in points]
    for stream, port in part.ports.items():
        whole.ports[stream] = port + x
