"""The scopes that can be opened on a page.

These are the scopes of the picture. A row of equal scopes is a scope around them, "step x5". Where a scope has more
members than a screen shows, its members are put into ranges of consecutive levels: "levels 12-40" is a scope like any
other, closed at first, and cut again where it is still too full. Scopes are numbered parents first, siblings in program
order; number 0 is the picture itself. Which scopes are open at first, `open_at_first` decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..content.arrow_bundles import contents_of
from ..content.closed_scopes import kept_open, told_of
from ..content.open_at_first import VISIBLE_LIMIT, Openable, choose_open
from ..content.palette import SCOPE_HUES
from ..content.picture import Box, BoxKind, Face, Group, Path, Picture, all_groups, members_in_order
from ..content.repeated_scopes import Repeats, Row, repeats_of, row_label, siblings
from ..layout.edge_routing import meeting_path
from ..layout.layering import cut_runs, levels_of, run_label

RUNS = 24
_FEWER = (32, 25, 20, 16, 13, 10, 8)
"""The numbers of boxes with which a page tries to fit its window, after `AT_FIRST`."""


@dataclass(slots=True, eq=False)
class PageScope:
    """A scope of a page.

    kind: "scope", "levels" for a range of levels, "row" for a row of equal scopes.
    members: box ids and inner scopes in order.
    inside: all boxes in it at any depth; for a row, those of its first scope.
    structure, hue: as in `Repeats`; -1 for none.
    face: what it is drawn as when it is closed.
    told: the boxes that it counts, if not all of them.
    of: the boxes whose derivatives are inside.
    """

    label: str
    path: str
    kind: str = "scope"
    members: list[str | PageScope] = field(default_factory=list)
    inside: list[Box] = field(default_factory=list)
    open: bool = True
    structure: int = -1
    hue: int = -1
    face: Face | None = None
    told: list[Box] = field(default_factory=list)
    of: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The path by which it is sorted: a row stands where its first scope does."""
        first = self.members[0] if self.members else ""
        return first.place if self.kind == "row" and isinstance(first, PageScope) else self.path

    @property
    def row(self) -> list[object]:
        """The data of the scope without its parent: label, path, kind, "13 operations", their types, open, hue."""
        contents = contents_of(self.told or self.inside)
        faded = bool(self.inside) and all(box.kind is BoxKind.PRUNED for box in self.inside)
        hue = SCOPE_HUES[self.hue] if self.hue >= 0 else -1
        kind = "pruned" if faded else self.kind
        return [self.label, self.path, kind, contents.size, contents.types, int(self.open), hue]


def page_scopes(picture: Picture) -> tuple[list[tuple[int, PageScope]], list[list[int]]]:
    """Every scope of the page with the number of its parent; the first is the picture itself, with parent -1.

    And what is closed, one list after the other, where fewer boxes fit a window: the numbers of scopes.
    """
    groups = all_groups(picture)
    repeats = repeats_of(picture)
    root, by_path = _scopes(picture, groups, repeats)
    in_rows = _fold(groups, by_path, repeats.rows)
    crowded = {path for path, scope in by_path.items() if len(scope.members) > VISIBLE_LIMIT}
    if crowded:
        edges = _edges(picture, {**by_path, **in_rows}, by_path, crowded)
        for path in crowded:
            _cut(by_path[path], edges[path])
    fewer = _choose_open(root, groups, {scope: path for path, scope in by_path.items()})
    return list(_numbered(root)), fewer


def homes(scopes: Sequence[tuple[int, PageScope]]) -> dict[str, int]:
    """The number of the scope that each box stands in."""
    return {
        member: number
        for number, (_, scope) in enumerate(scopes)
        for member in scope.members
        if isinstance(member, str)
    }


def _scopes(
    picture: Picture, groups: Mapping[Path, Group], repeats: Repeats
) -> tuple[PageScope, dict[Path, PageScope]]:
    root = PageScope(picture.title, "")
    scopes: dict[Path, PageScope] = {(): root}
    for path, group in groups.items():
        structure, hue = repeats.structures[path], repeats.hues.get(path, -1)
        page_scope = PageScope(group.label or path[-1], "/".join(path), structure=structure, hue=hue)
        page_scope.face, page_scope.of = group.face, group.of
        scopes[path] = page_scope
    for path, members in members_in_order(picture).items():
        scopes[path].members = [member.id if isinstance(member, Box) else scopes[member] for member in members]
    for box in picture.boxes:
        for length in range(len(box.group) + 1):
            scopes[box.group[:length]].inside.append(box)
    if any(group.face is not None and group.face.box for group in groups.values()):
        for path, scope in scopes.items():
            scope.told = told_of(scope.inside, path, groups)
    return root, scopes


def _fold(
    groups: Mapping[Path, Group], scopes: Mapping[Path, PageScope], rows: Sequence[Row]
) -> dict[Path, PageScope]:
    """Put each row of equal scopes into a scope of its own; the new scope of each path in a row."""
    if not rows:
        return {}
    by_parent = siblings(groups)
    row_scopes: dict[Path, PageScope] = {}
    for row in rows:
        outside = scopes[row[0][:-1]]
        members: list[str | PageScope] = [scopes[path] for path in row]
        row_scope = _row(outside, members, row_label(row, by_parent[row[0][:-1]]))
        row_scopes.update(dict.fromkeys(row, row_scope))
    for parent in {row[0][:-1] for row in rows}:
        own: dict[str | PageScope, str | PageScope]
        own = {scopes[path]: row_scopes[path] for path in by_parent[parent] if path in row_scopes}
        # The row stands where its first scope stood.
        scopes[parent].members = list(dict.fromkeys(own.get(member, member) for member in scopes[parent].members))
    return row_scopes


def _row(outside: PageScope, members: Sequence[str | PageScope], label: str) -> PageScope:
    """A row of equal scopes; one with more than a screen shows is made of shorter rows."""
    made = PageScope(label, f"{outside.path}/{label}".strip("/"), "row", list(members), open=False)
    first = next(member for member in members if isinstance(member, PageScope))
    made.inside, made.told, made.structure, made.hue = first.inside, first.told, first.structure, first.hue
    if len(members) > VISIBLE_LIMIT:
        length = -(-len(members) // RUNS)
        parts = [members[at : at + length] for at in range(0, len(members), length)]
        made.members = [_row(made, part, _part_label(part)) for part in parts]
    return made


def _part_label(part: Sequence[str | PageScope]) -> str:
    labels = [member.label for member in part if isinstance(member, PageScope)]
    return f"{labels[0]} to {labels[-1]} x{len(part)}"


def _choose_open(
    root: PageScope, groups: Mapping[Path, Group], paths: Mapping[PageScope, Path]
) -> list[list[int]]:
    """Set `open` of every scope; `paths`: the path of each scope that the picture has.

    Returns the scopes to close for each smaller number of boxes, those of a larger number left out.
    """
    marked = kept_open(groups)
    scopes = list(_numbered(root))
    openables: list[Openable] = []
    for parent, scope in scopes:
        path = paths.get(scope, ())
        fixed = scope.kind == "levels" or (bool(path) and groups[path].collapsed)
        inner = Openable(len(scope.members), scope.structure, [], path in marked, fixed, scope.kind == "row")
        if parent >= 0:
            openables[parent].inner.append(inner)
            if openables[parent].row:
                openables[parent].wanted |= inner.wanted
                openables[parent].fixed |= inner.row  # it has too many members
        openables.append(inner)
    choose_open(openables[0])
    for (_, scope), chosen in zip(scopes, openables, strict=True):
        scope.open = chosen.open
    fewer: list[list[int]] = []
    kept = _around_bodies(scopes)
    still = [number for number, each in enumerate(openables) if each.open and number not in kept]
    for limit in _FEWER if len(openables) > 1 else ():
        for each in openables:
            each.open = False
        choose_open(openables[0], limit, limit)
        closed = [number for number in still if not openables[number].open]
        if closed:
            fewer.append(closed)
            still = [number for number in still if openables[number].open]
    return fewer


def _around_bodies(scopes: Sequence[tuple[int, PageScope]]) -> set[int]:
    """The numbers of the open scopes that are bodies of loops and branches, and of those around them."""
    found: set[int] = set()
    for number, (_, scope) in enumerate(scopes):
        if not scope.open:
            continue
        inside = set(scope.members)
        if any(box.type == "Input" and box.id in inside for box in scope.inside):
            while number >= 0 and number not in found:
                found.add(number)
                number = scopes[number][0]
    return found


def _edges(
    picture: Picture, in_view: Mapping[Path, PageScope], scopes: Mapping[Path, PageScope], crowded: set[Path]
) -> dict[Path, list[tuple[int, int]]]:
    """The arrows between the members of each crowded scope, by their positions.

    in_view: the scope, or the row around it, that stands for each path.
    """
    seats = {
        path: {_key(member): seat for seat, member in enumerate(scopes[path].members)} for path in crowded
    }
    groups = {box.id: box.group for box in picture.boxes}
    edges: dict[Path, list[tuple[int, int]]] = {path: [] for path in crowded}
    for arrow in picture.arrows:
        source, target = groups[arrow.source], groups[arrow.target]
        path = meeting_path(source, target)
        if path in crowded:
            ends = [
                seats[path][arrow_end if group == path else _key(in_view[group[: len(path) + 1]])]
                for arrow_end, group in ((arrow.source, source), (arrow.target, target))
            ]
            edges[path].append((ends[0], ends[1]))
    return edges


def _key(member: str | PageScope) -> str:
    return member if isinstance(member, str) else "\n" + member.path


def _cut(scope: PageScope, edges: Sequence[tuple[int, int]]) -> None:
    """Put the members of a crowded scope into runs of levels."""
    level = levels_of(len(scope.members), edges)
    by_id = {box.id: box for box in scope.inside}
    scope.members = _runs(scope, [(level[seat], member) for seat, member in enumerate(scope.members)], by_id)


def _runs(
    scope: PageScope, members: Sequence[tuple[int, str | PageScope]], by_id: Mapping[str, Box]
) -> list[str | PageScope]:
    one_level = len({level for level, _ in members}) == 1
    runs = cut_runs(members, RUNS, inside_level=one_level)
    return [_run(scope, run, number if one_level else None, by_id) for number, run in enumerate(runs, start=1)]


def _run(
    scope: PageScope, run: Sequence[tuple[int, str | PageScope]], part: int | None, by_id: Mapping[str, Box]
) -> PageScope:
    label = run_label(run) + ("" if part is None else f", part {part}")
    made = PageScope(label, f"{scope.path}/{label}".strip("/"), "levels", open=False)
    for _, member in run:
        made.inside += [by_id[member]] if isinstance(member, str) else member.inside
    made.members = [member for _, member in run]
    if len(run) > VISIBLE_LIMIT:
        made.members = _runs(made, run, by_id)
    return made


def _numbered(root: PageScope) -> Iterator[tuple[int, PageScope]]:
    """The scopes, parents before children and children in their order. Not recursive: scopes may nest deeply."""
    waiting = [(-1, root)]
    number = 0
    while waiting:
        parent, scope = waiting.pop()
        yield parent, scope
        inner = [member for member in scope.members if isinstance(member, PageScope)]
        waiting += [(number, member) for member in reversed(inner)]
        number += 1
