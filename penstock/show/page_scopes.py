"""The scopes that can be opened on a page, and which of them are open at first.

These are the scopes of the picture. Where a scope has more members than a screen shows, its members are put into ranges
of consecutive levels: "levels 12-40" is a scope like any other, closed at first, and cut again where it is still too
full. Scopes are numbered parents first, siblings in program order; number 0 is the picture itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .arrow_bundles import describe_counts
from .closed_scopes import VISIBLE_LIMIT, kept_open, scopes_to_close
from .edge_routing import meeting_path
from .layering import cut_runs, levels_of, run_label
from .picture import Box, BoxKind, Path, Picture, all_groups, members_in_order

RUNS = 24
AT_FIRST = 40
"""The number of boxes in view at first, if closing scopes can achieve it."""


@dataclass(slots=True)
class PageScope:
    """A scope of a page. `members` are box ids and inner scopes in order; `inside` are all boxes in it at any depth."""

    label: str
    path: str
    kind: str = "scope"
    collapsed: bool = False
    members: list[str | PageScope] = field(default_factory=list)
    inside: list[Box] = field(default_factory=list)
    open: bool = True

    @property
    def row(self) -> list[object]:
        """The data of the scope without its parent: label, path, kind, number of operations, their types, open."""
        total, types, _ = describe_counts(self.inside)
        faded = bool(self.inside) and all(box.kind is BoxKind.PRUNED for box in self.inside)
        return [self.label, self.path, "pruned" if faded else self.kind, total, types, int(self.open)]


def page_scopes(picture: Picture) -> list[tuple[int, PageScope]]:
    """Every scope of the page with the number of its parent; the first is the picture itself, with parent -1."""
    root, by_path = _scopes(picture)
    crowded = {path for path, scope in by_path.items() if len(scope.members) > VISIBLE_LIMIT}
    if crowded:
        edges = _edges(picture, by_path, crowded)
        for path in crowded:
            _cut(by_path[path], edges[path])
    _close(picture, by_path)
    return list(_numbered(root))


def homes(scopes: Sequence[tuple[int, PageScope]]) -> dict[str, int]:
    """The number of the scope that each box stands in."""
    return {
        member: number
        for number, (_, scope) in enumerate(scopes)
        for member in scope.members
        if isinstance(member, str)
    }


def _scopes(picture: Picture) -> tuple[PageScope, dict[Path, PageScope]]:
    root = PageScope(picture.title, "")
    found: dict[Path, PageScope] = {(): root}
    for path, group in all_groups(picture).items():
        found[path] = PageScope(group.label or path[-1], "/".join(path), collapsed=group.collapsed)
    for path, members in members_in_order(picture).items():
        found[path].members = [member.id if isinstance(member, Box) else found[member] for member in members]
    for box in picture.boxes:
        for length in range(len(box.group) + 1):
            found[box.group[:length]].inside.append(box)
    return root, found


def _close(picture: Picture, scopes: Mapping[Path, PageScope]) -> None:
    """Close the scopes that are marked collapsed, then scopes from the deepest outwards, as `fit` does."""
    groups = all_groups(picture)
    marked = {path for path, group in groups.items() if group.collapsed}
    # Scopes marked open are open at first, as long as the page can show them.
    closed = scopes_to_close(picture, groups, AT_FIRST) - kept_open(groups)
    for path in {*marked, *closed, *scopes_to_close(picture, groups, VISIBLE_LIMIT)}:
        scopes[path].open = False


def _edges(
    picture: Picture, scopes: Mapping[Path, PageScope], crowded: set[Path]
) -> dict[Path, list[tuple[int, int]]]:
    """The arrows between the members of each crowded scope, by their positions."""
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
                seats[path][arrow_end if group == path else "\n" + "/".join(group[: len(path) + 1])]
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
