"""Layout of one scope: its connected parts side by side, below its title and within its border.

The part whose lines reach the border comes first and spans the scope from its title to its lower side. Parts without
lines to the outside are packed onto shelves beside it, the tallest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from .component_layout import NO_HINTS, Drawing, Hints, Title, draw_component
from .connection_points import Cell
from .edge_routing import BORDER, Member, Net

TITLE_HEIGHT = 26.0
_PADDING = 14.0
_PART_GAP = 30.0
_ASPECT = 1.7  # wider than tall: screens are


def draw_scope(
    cells: Sequence[Cell], nets: Sequence[Net], title: Title | None, hints: Hints = NO_HINTS
) -> Drawing:
    """Lay out the members of one scope; the root has no title, no padding and no ports."""
    bordered, parts = _parts(cells, nets)
    pad = _PADDING if title is not None else 0.0
    whole = Drawing(padding=pad)
    x = pad
    if bordered is not None:
        main = draw_component(*bordered, title, hints)
        _insert(whole, main, pad, 0.0)
        x = pad + main.width + (_PART_GAP if parts else 0.0)
        whole.width, whole.height = pad + main.width, main.height
    top = title.height + 6 if title is not None else 0.0
    _shelve(whole, [draw_component(*part, None) for part in parts], x, top)
    least = title.width if title is not None else 0.0
    whole.width = max(whole.width, pad + least) + pad
    if parts or not _has_lower_ports(nets):
        whole.height += pad
    return whole


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


def _shelve(whole: Drawing, parts: Sequence[Drawing], left: float, top: float) -> None:
    if not parts:
        return
    ordered = sorted(
        parts, key=lambda part: -part.height
    )  # stable: equal ones keep the order of their members
    area = sum((part.width + _PART_GAP) * (part.height + _PART_GAP) for part in parts)
    limit = left + max(max(part.width for part in parts), sqrt(area * _ASPECT))
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
    for member, (left, top) in part.origins.items():
        whole.origins[member] = (left + x, top + y)
    for key, points in part.routes.items():
        whole.routes[key] = [(a + x, b + y) for a, b in points]
    for stream, port in part.ports.items():
        whole.ports[stream] = port + x


def _has_lower_ports(nets: Sequence[Net]) -> bool:
    return any(_at_lower_border(net) for net in nets)


def _at_lower_border(net: Net) -> bool:
    return (net.hub is BORDER and not net.stream.down) or (BORDER in net.ends and net.stream.down)
