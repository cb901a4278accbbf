"""Which scopes are open at first: as many as a budget of boxes in view allows, the outer ones before the inner ones.

One rule for pages (`AT_FIRST` boxes) and for still pictures (`VISIBLE_LIMIT`):

    - Every scope is closed. Scopes that the program marks open, and those around them, are opened as long as
      `VISIBLE_LIMIT` boxes allow; those that it marks collapsed stay closed.
    - Then the scopes in view are opened, depth by depth, within one depth those that add the fewest boxes first. What
      would exceed the budget stays closed.
    - Scopes of equal structure are opened all together or not at all, at whatever depth they stand.
    - A row of equal scopes ("step x5") is opened only together with its members: members that stay closed say no more
      than the row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

AT_FIRST = 40
"""The number of boxes in view when a page opens, if closing scopes can achieve it."""
VISIBLE_LIMIT = 300
"""The most boxes in view in a still picture, and on a page for scopes that are marked open."""


@dataclass(slots=True, eq=False)
class Openable:
    """A scope as far as this rule looks at it.

    size: the boxes and closed scopes directly inside.
    structure: its number in `structures_of`; a row has that of its members.
    wanted: the program marks it, or a scope inside it, open.
    fixed: it stays closed.
    row: it is a row of equal scopes.
    """

    size: int
    structure: int
    inner: list[Openable] = field(default_factory=list)
    wanted: bool = False
    fixed: bool = False
    row: bool = False
    open: bool = False

    def together(self) -> list[Openable]:
        """The scopes that are opened at once: a row with its members."""
        return [self, *self.inner] if self.row else [self]

    def added(self) -> int:
        """The number of boxes that opening it adds to those in view."""
        return sum(each.size - 1 for each in self.together() if not each.open)

    def can_open(self) -> bool:
        """Whether nothing keeps it closed."""
        return not any(each.fixed for each in self.together())


def choose_open(root: Openable, limit: int = AT_FIRST, most: int = VISIBLE_LIMIT) -> None:
    """Set `open` for every scope below `root`; `most`: the limit for scopes that are marked open."""
    root.open = True
    kept = list(_open_marked(root, most))
    refused: set[int] = set()
    while not _open_by_depth(root, limit, refused):
        # A structure was opened further out and did not fit here: once more, with all of it closed.
        for scope in _below(root):
            scope.open = False
        for scope in kept:
            scope.open = True


def _open_marked(root: Openable, most: int) -> Iterator[Openable]:
    shown, waiting = root.size, [root]
    for scope in waiting:
        for inner in scope.inner:
            if inner.wanted and not inner.fixed and shown + inner.size - 1 <= most:
                inner.open = True
                shown += inner.size - 1
                waiting.append(inner)
                yield inner


def _open_by_depth(root: Openable, limit: int, refused: set[int]) -> bool:
    """Open scopes depth by depth; False if a structure that is open already must be refused."""
    shown = 1 + sum(scope.size - 1 for scope in (root, *_opened(root)))
    opened: set[int] = set()
    level: list[Openable] = list(root.inner)
    while level:
        alike: dict[int, list[Openable]] = {}
        for scope in level:
            if scope.can_open() and scope.structure not in refused:
                alike.setdefault(scope.structure, []).append(scope)
        # The sort is stable: those that add the same are taken in their order.
        for number, scopes in sorted(alike.items(), key=lambda item: sum(each.added() for each in item[1])):
            added = sum(scope.added() for scope in scopes)
            if shown + added > limit:
                refused.add(number)
                if number in opened:
                    return False
                continue
            shown += added
            opened.add(number)
            for scope in scopes:
                for each in scope.together():
                    each.open = True
        level = [inner for scope in level if scope.open for inner in _inside(scope)]
    return True


def _inside(scope: Openable) -> Iterator[Openable]:
    if not scope.row:
        yield from scope.inner
        return
    for member in scope.inner:
        yield from member.inner if member.open else [member]


def _opened(scope: Openable) -> Iterator[Openable]:
    """The open scopes inside open ones."""
    waiting = list(scope.inner)
    while waiting:
        each = waiting.pop()
        if each.open:
            yield each
            waiting += each.inner


def _below(scope: Openable) -> Iterator[Openable]:
    waiting = list(scope.inner)
    while waiting:
        each = waiting.pop()
        yield each
        waiting += each.inner
