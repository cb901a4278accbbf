"""The structure of each scope of a picture, as a number: two scopes have the same number if they are equal inside.

Equal inside means: the same operations (op type, attributes, dtypes, shapes, small constants, number of inputs) in the
same inner scopes, wired alike. Names do not count: a box is known by its position among the boxes of the scope, in
program order. What lies outside does not count either: the first of five equal steps reads the start value, the others
read the step before, and the last is fetched.

Structures are numbered from the inside outwards, so a scope is compared by the numbers of its inner scopes. The time is
linear in the boxes and arrows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..layout.edge_routing import meeting_path
from .picture import Arrow, Box, BoxKind, Group, Path, Picture

Wire = tuple[int, int, int, str, str]


@dataclass(slots=True)
class _Scope:
    """What a scope is compared by.

    first: the position of its first box in the picture.
    boxes, inner: the kinds of its boxes and the structures of its inner scopes, as numbers.
    wires: (target, source, slot, kind, output), with positions counted from the first box.
    """

    first: int = 0
    boxes: list[int] = field(default_factory=list)
    inner: list[int] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)

    def key(self) -> tuple[object, ...]:
        """A value that is equal for scopes of equal structure."""
        return tuple(self.boxes), tuple(self.inner), tuple(sorted(self.wires))


def structures_of(picture: Picture, groups: Mapping[Path, Group]) -> dict[Path, int]:
    """The number of each scope's structure. `groups`: all scopes, parents first."""
    if not groups:
        return {}
    scopes = {path: _Scope() for path in ((), *groups)}
    positions = _positions(picture, scopes)
    homes = {box.id: box.group for box in picture.boxes}
    for arrow in picture.arrows:
        path = meeting_path(homes[arrow.source], homes[arrow.target])
        if path:
            scopes[path].wires.append(_wire(arrow, positions, scopes[path].first))
    numbers: dict[tuple[object, ...], int] = {}
    found: dict[Path, int] = {}
    for path in reversed(list(groups)):
        number = found[path] = numbers.setdefault(scopes[path].key(), len(numbers))
        scopes[path[:-1]].inner.append(number)  # in reverse order, for all alike
    return found


def _positions(picture: Picture, scopes: Mapping[Path, _Scope]) -> dict[str, int]:
    """The position of each box by its id: the boxes of a scope and its inner scopes stand next to each other."""
    members: dict[Path, list[Box]] = {}
    for box in picture.boxes:
        members.setdefault(box.group, []).append(box)
    inputs = Counter(arrow.target for arrow in picture.arrows)
    positions: dict[str, int] = {}
    kinds: dict[tuple[object, ...], int] = {}
    for path, scope in scopes.items():
        scope.first = len(positions)
        for box in members.get(path, ()):
            positions[box.id] = len(positions)
            constants = tuple([(each.slot, each.type, each.value) for each in box.constants])
            kind = (box.type, box.alike or box.detail, constants, inputs[box.id], box.kind is BoxKind.PRUNED)
            scope.boxes.append(kinds.setdefault(kind, len(kinds)))
    return positions


def _wire(arrow: Arrow, positions: Mapping[str, int], first: int) -> Wire:
    output = arrow.tensors[0].rpartition(":")[2] if len(arrow.tensors) == 1 else ""
    start, end = positions[arrow.source] - first, positions[arrow.target] - first
    return end, start, arrow.slot, arrow.kind, output
