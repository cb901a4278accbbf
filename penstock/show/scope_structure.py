"""The structure of each scope of a picture, as a number: two scopes have the same number if they are equal inside.

Equal inside means: the same operations (op type, attributes, dtypes and shapes) in the same inner scopes, wired alike.
Names do not count. Constants that are written in boxes count by type, and small ones by value. A box is known by its
position among the boxes of the scope, in program order, and a tensor from outside by the order in which the scope first
reads it. What reads the results of a scope does not count either: the last of five equal steps is fetched, the others
are not.

Structures are numbered from the inside outwards, so a scope is compared by the numbers of its inner scopes. The time is
linear in the boxes, the arrows, and the borders of scopes that arrows pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .picture import Arrow, Box, BoxKind, Group, Path, Picture

Wire = tuple[int, int, int, bool, str]
Read = tuple[int, int, bool, str]


@dataclass(slots=True)
class _Scope:
    """What a scope is compared by.

    first: the position of its first box in the picture.
    boxes, inner: the kinds of its boxes and the structures of its inner scopes, as numbers.
    wires: (target, source, slot, control, output), with positions counted from the first box.
    reads: (position, slot, control, name) of what comes from outside.
    """

    first: int = 0
    boxes: list[int] = field(default_factory=list)
    inner: list[int] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)

    def key(self) -> tuple[object, ...]:
        """A value that is equal for scopes of equal structure."""
        numbers: dict[str, int] = {}
        reads = [
            (position - self.first, slot, control, numbers.setdefault(name, len(numbers)))
            for position, slot, control, name in sorted(self.reads)
        ]
        return tuple(self.boxes), tuple(self.inner), tuple(sorted(self.wires)), tuple(reads)


def structures_of(picture: Picture, groups: Mapping[Path, Group]) -> dict[Path, int]:
    """The number of each scope's structure. `groups`: all scopes, parents first."""
    if not groups:
        return {}
    scopes = {path: _Scope() for path in ((), *groups)}
    positions = _positions(picture, scopes)
    homes = {box.id: box.group for box in picture.boxes}
    for arrow in picture.arrows:
        _wire(arrow, homes[arrow.source], homes[arrow.target], positions, scopes)
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
    positions: dict[str, int] = {}
    kinds: dict[tuple[object, ...], int] = {}
    for path, scope in scopes.items():
        scope.first = len(positions)
        for box in members.get(path, ()):
            positions[box.id] = len(positions)
            constants = tuple((each.slot, each.type, each.value) for each in box.constants)
            kind = (box.type, box.alike or box.detail, box.kind is BoxKind.PRUNED, constants)
            scope.boxes.append(kinds.setdefault(kind, len(kinds)))
    return positions


def _wire(
    arrow: Arrow, source: Path, target: Path, positions: Mapping[str, int], scopes: Mapping[Path, _Scope]
) -> None:
    """Note an arrow in the innermost scope that holds both ends, and as read in those that hold only its target."""
    start, end, control = positions[arrow.source], positions[arrow.target], arrow.kind == "control"
    name = arrow.tensors[0] if len(arrow.tensors) == 1 else arrow.source
    depth = 0
    if source == target:
        depth = len(target)
    else:
        for one, other in zip(source, target, strict=False):
            if one != other:
                break
            depth += 1
        for length in range(depth + 1, len(target) + 1):
            scopes[target[:length]].reads.append((end, arrow.slot, control, name))
    if depth:
        scope = scopes[target[:depth]]
        output = name.rpartition(":")[2] if len(arrow.tensors) == 1 else ""
        scope.wires.append((end - scope.first, start - scope.first, arrow.slot, control, output))
