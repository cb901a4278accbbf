"""Repetition in a picture: scopes of equal structure share a colour, and rows of them fold to one, "step x5".

A row is made of at least three scopes beside each other in one scope, of equal structure, with one name and consecutive
numbers: `step`, `step_1`, `step_2`, or `block_0` to `block_5`. They may form a chain or stand side by side. A row is
left alone if something between its scopes depends on one and feeds another: folded, the two would be in a cycle.
Only scopes are compared; repetition among boxes without scopes is not looked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from zlib import crc32

from ..layout.edge_routing import meeting_path
from .arrow_bundles import contents_of
from .closed_scopes import collapse
from .palette import SCOPE_HUES
from .picture import Arrow, Box, Group, Path, Picture, all_groups, sorted_arrows
from .scope_structure import structures_of

_LEAST = 3

Repetition = Literal["fold", "each"]
"""What a drawing does with rows of equal scopes."""
Row = tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Repeats:
    """The repetition in a picture.

    structures: the number of each scope's structure.
    hues: the colour of each scope whose structure occurs more than once.
    rows: the rows of scopes that fold, each in order.
    """

    structures: Mapping[Path, int]
    hues: Mapping[Path, int]
    rows: tuple[Row, ...]


def repeats_of(picture: Picture) -> Repeats:
    """The repetition in a picture."""
    groups = all_groups(picture)
    structures = structures_of(picture, groups)
    rows = list(_rows(groups, structures))
    plain = {path: number for path, number in structures.items() if groups[path].face is None}
    return Repeats(structures, _hues(picture, plain), tuple(_without_cycles(picture, rows)))


def row_label(row: Row, beside: Sequence[Path]) -> str:
    """The label of a folded row among the scopes `beside` it: "step x5", or "step_1 to step_4 x4" if others exist.

    >>> row_label((("step",), ("step_1",), ("step_2",)), ())
    'step x3'
    """
    stem = _stems([path[-1] for path in row])[0]
    names = [path[-1] for path in beside if path not in set(row)]
    whole = all(name != stem and not re.fullmatch(rf"{re.escape(stem)}_?\d+", name) for name in names)
    return f"{stem} x{len(row)}" if whole else f"{row[0][-1]} to {row[-1][-1]} x{len(row)}"


def siblings(groups: Iterable[Path]) -> dict[Path, list[Path]]:
    """The scopes directly inside each scope, in their order; the outermost under `()`."""
    inside: dict[Path, list[Path]] = {}
    for path in groups:
        inside.setdefault(path[:-1], []).append(path)
    return inside


def with_scopes(picture: Picture, repeats: Repetition | None, depth: int | None = None) -> Picture:
    """The picture with its scopes as a drawing has them.

    Args:
        picture: the picture.
        repeats: "fold" for one scope of each row, "each" for all, both with the colours of structures; None leaves the
            picture as it is.
        depth: scopes nested deeper than this are closed, as in `collapse`.

    Returns:
        A new Picture.
    """
    if repeats is not None:
        picture = folded(picture) if repeats == "fold" else painted_scopes(picture)
    return picture if depth is None else collapse(picture, depth=depth)


def folded(picture: Picture) -> Picture:
    """The picture with each row as its first scope, labelled "step x5"; scopes of equal structure have one colour.

    What a step hands to the next is a line in the box that takes it: an arrow back would make a cycle of a chain.
    """
    found = repeats_of(picture)
    drawn = fold_rows(picture, found.rows)
    shown = all_groups(drawn)
    plain = {path: found.structures[path] for path, group in shown.items() if group.face is None}
    return _painted(drawn, _hues(drawn, plain))


def painted_scopes(picture: Picture) -> Picture:
    """The picture with a colour for scopes of equal structure, and nothing folded."""
    return _painted(picture, repeats_of(picture).hues)


def _painted(picture: Picture, hues: Mapping[Path, int]) -> Picture:
    if not hues or picture.legend:  # the colours of the boxes have another meaning
        return picture
    groups = all_groups(picture)
    return replace(picture, groups=tuple(replace(group, hue=hues.get(path, -1)) for path, group in groups.items()))


def fold_rows(picture: Picture, rows: Sequence[Row]) -> Picture:
    """The picture with each of these rows as its first scope."""
    if not rows:
        return picture
    groups = all_groups(picture)
    by_parent = siblings(groups)
    stands_for = _stands_for(picture, by_parent, {path: row[0] for row in rows for path in row})
    for row in rows:
        label = row_label(row, by_parent[row[0][:-1]])
        groups[row[0]] = replace(groups[row[0]], label=label, times=len(row))
    arrows, handed_on = _folded_arrows(picture, stands_for, {path: row for row in rows for path in row})
    boxes = [box for box in picture.boxes if stands_for[box.id] == box.id]
    told = (replace(box, detail=(*box.detail, *handed_on[box.id])) if box.id in handed_on else box for box in boxes)
    # A scope is drawn if a box in it is; listed ones without any are not.
    return replace(picture, boxes=tuple(told), arrows=arrows, groups=tuple(groups.values()))


def _stands_for(
    picture: Picture, by_parent: Mapping[Path, Sequence[Path]], first: Mapping[Path, Path]
) -> dict[str, str]:
    """The box that is drawn for each box: the one at its place in the first scope of each row around it."""
    shown: dict[Path, Path] = {(): ()}
    for parent, inner in by_parent.items():  # parents first
        for path, drawn in zip(inner, by_parent[shown[parent]], strict=True):
            shown[path] = first.get(drawn, drawn)
    members: dict[Path, list[str]] = {}
    for box in picture.boxes:
        members.setdefault(box.group, []).append(box.id)
    return {
        identity: drawn
        for path, inside in members.items()
        for identity, drawn in zip(inside, members[shown[path]], strict=True)
    }


def _folded_arrows(
    picture: Picture, stands_for: Mapping[str, str], rows: Mapping[Path, Row]
) -> tuple[tuple[Arrow, ...], dict[str, list[str]]]:
    """The arrows between the boxes that are drawn; and by the ids of boxes, what scopes of a row hand on to the next.

    rows: the row of each scope in one.
    """
    homes = {box.id: box.group for box in picture.boxes}
    arrows: dict[tuple[object, ...], Arrow] = {}
    handed_on: dict[str, list[str]] = {}
    for number, arrow in enumerate(sorted_arrows(picture)):
        source, target = homes[arrow.source], homes[arrow.target]
        length = len(meeting_path(source, target))
        if any(path in rows and rows[path][0] != path for path in _around(source[:length])):
            continue  # as in the first scope of the row
        ends = source[: length + 1], target[: length + 1]
        drawn = replace(arrow, source=stands_for[arrow.source], target=stands_for[arrow.target])
        if ends[0] != ends[1] and ends[0] in rows and rows[ends[0]] is rows.get(ends[1]):
            row, lines = rows[ends[0]], handed_on.setdefault(drawn.target, [])
            to = "the next" if row.index(ends[1]) == row.index(ends[0]) + 1 else "a later one"
            line = f"in {to}: from {arrow.source.removeprefix('/'.join(ends[0]) + '/')}"
            lines += [line] if line not in lines else []
            continue
        output = arrow.tensors[0].rpartition(":")[2] if len(arrow.tensors) == 1 else ""
        if drawn.source != arrow.source and output.isdecimal():
            drawn = replace(drawn, tensors=(f"{drawn.source}:{output}",))
        key: tuple[object, ...] = (number,)
        if any(path in rows for path in _around(source)[length:]):
            key = (drawn.source, drawn.target, arrow.kind, output)  # one arrow from a row to each of its readers
        elif any(path in rows for path in _around(target)[length:]):
            key = (drawn.source, drawn.target, arrow.slot, arrow.kind, output)
        arrows.setdefault(key, drawn)
    return tuple(arrows.values()), handed_on


def _around(path: Path) -> list[Path]:
    """The scopes of a path, outermost first."""
    return [path[:length] for length in range(1, len(path) + 1)]


# ---- rows and colours ---------------------------------------------------------------------------------


def _rows(groups: Mapping[Path, Group], structures: Mapping[Path, int]) -> Iterator[Row]:
    for inner in siblings(groups).values():
        by_stem: dict[str, list[Path]] = {}
        for path, stem in zip(inner, _stems([path[-1] for path in inner]), strict=True):
            by_stem.setdefault(stem, []).append(path)
        for beside in by_stem.values():
            start = 0
            for end in range(1, len(beside) + 1):
                if end < len(beside) and _alike(groups, structures, beside[start], beside[end]):
                    continue
                if end - start >= _LEAST:
                    yield tuple(beside[start:end])
                start = end


def _alike(groups: Mapping[Path, Group], structures: Mapping[Path, int], one: Path, other: Path) -> bool:
    """Whether two scopes may be in one row: equal inside, and marked alike."""
    a, b = groups[one], groups[other]
    if a.face or b.face:
        return False  # a variable is not a step
    return structures[one] == structures[other] and a.collapsed == b.collapsed and not a.open and not b.open


def _stems(names: Sequence[str]) -> list[str]:
    """The names without their numbers: "step" and "step_1" are "step"; "conv2" and "conv2_1" are "conv2".

    >>> _stems(["step", "step_1", "conv2", "conv2_1", "fc1", "block_0"])
    ['step', 'step', 'conv2', 'conv2', 'fc', 'block']
    """
    numbered = {name: re.sub(r"_\d+$", "", name) for name in names}
    bases = {stem for name, stem in numbered.items() if stem != name}
    return [
        stem if stem != name or name in bases else re.sub(r"(?<=.)\d+$", "", name) for name, stem in numbered.items()
    ]


def _hues(picture: Picture, structures: Mapping[Path, int]) -> dict[Path, int]:
    """A colour for each structure that occurs more than once.

    It follows from the op types inside, so that it stays as the graph around changes. The next free one is taken if
    another structure has it.
    """
    counts = Counter(structures.values())
    repeated = {path: number for path, number in structures.items() if counts[number] > 1}
    if not repeated:
        return {}
    first = {number: path for path, number in reversed(list(repeated.items()))}
    inside: dict[Path, list[Box]] = {path: [] for path in first.values()}
    for box in picture.boxes:
        for length in range(1, len(box.group) + 1):
            if box.group[:length] in inside:
                inside[box.group[:length]].append(box)
    colours = len(SCOPE_HUES)
    hues: dict[int, int] = {}
    taken: Counter[int] = Counter()
    for number, path in reversed(first.items()):
        wanted = crc32(str(contents_of(inside[path])).encode()) % colours
        hue = min(range(colours), key=lambda hue: (taken[hue], (hue - wanted) % colours))
        hues[number] = hue
        taken[hue] += 1
    return {path: hues[number] for path, number in repeated.items()}


# ---- cycles -------------------------------------------------------------------------------------------


def _without_cycles(picture: Picture, rows: Sequence[Row]) -> Iterator[Row]:
    """The rows that can be one box each without a cycle through a box or scope beside them."""
    if not rows:
        return
    by_parent: dict[Path, list[Row]] = {}
    for row in rows:
        by_parent.setdefault(row[0][:-1], []).append(row)
    drawn = {path: row[0] for row in rows for path in row}
    homes = {box.id: box.group for box in picture.boxes}
    edges: dict[Path, dict[object, set[object]]] = {parent: {} for parent in by_parent}
    for arrow in picture.arrows:
        source, target = homes[arrow.source], homes[arrow.target]
        parent = meeting_path(source, target)
        if parent in edges:
            ends: list[object] = [
                drawn.get(inner, inner) if (inner := home[: len(parent) + 1]) != parent else identity
                for identity, home in ((arrow.source, source), (arrow.target, target))
            ]
            edges[parent].setdefault(ends[0], set()).add(ends[1])
    for parent, beside in by_parent.items():
        cyclic = _cyclic(edges[parent])
        yield from (row for row in beside if row[0] not in cyclic)


def _cyclic(after: Mapping[object, set[object]]) -> set[object]:
    """The nodes on a cycle of at least two nodes (Tarjan's strong components, without recursion)."""
    number: dict[object, int] = {}
    lowest: dict[object, int] = {}
    stack: list[object] = []
    inside: set[object] = set()
    cyclic_nodes: set[object] = set()
    for root in after:
        if root in number:
            continue
        path = [(root, iter(after[root]))]
        number[root] = lowest[root] = len(number)
        stack.append(root)
        inside.add(root)
        while path:
            node, following = path[-1]
            for other in following:
                if other not in number:
                    number[other] = lowest[other] = len(number)
                    stack.append(other)
                    inside.add(other)
                    path.append((other, iter(after.get(other, ()))))
                    break
                if other in inside:
                    lowest[node] = min(lowest[node], number[other])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    component = [stack.pop()]
                    while component[-1] != node:
                        component.append(stack.pop())
                    inside.difference_update(component)
                    if len(component) > 1:
                        cyclic_nodes.update(component)
    return cyclic_nodes
