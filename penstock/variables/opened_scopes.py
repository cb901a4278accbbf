"""How often each variable scope has been opened: the numbers that make `default_name` unique.

A block whose name comes from `default_name` takes the first of `name`, `name_1` ... that has not been opened in the
scope around. When that scope ends, what was opened inside counts no more, so that the same code entered again, with
reuse, finds the same names. The counts are a tree by the parts of names, because a scope forgets all below it at once:
a table of full names would be searched at the end of every scope.
"""

from __future__ import annotations

from typing import Any

from ..graph.model.journal import Journal


class OpenedScope:
    """How often one scope has been opened, and the scopes inside it."""

    __slots__ = ("count", "inside")

    def __init__(self) -> None:
        self.count = 0
        self.inside: dict[str, OpenedScope] = {}


class OpenedScopes:
    """The scopes that one thread has opened in one graph. The graph's lock guards it, because its journal does."""

    __slots__ = ("_journal", "_log", "_root")

    def __init__(self, journal: Journal) -> None:
        self._root = OpenedScope()
        self._journal = journal
        self._log: list[tuple[OpenedScope, int, dict[str, OpenedScope]]] | None = None

    def open(self, name: str) -> None:
        """Count one more opening of the scope `name`."""
        scope = self._root
        for part in name.split("/"):
            inner = scope.inside.get(part)
            if inner is None:
                inner = scope.inside[part] = OpenedScope()
            scope = inner
        self._change(scope, scope.count + 1, scope.inside)

    def count(self, name: str) -> int:
        """How often the scope `name` has been opened since the scope around it began."""
        scope = self._found(name)
        return 0 if scope is None else scope.count

    def forget_inside(self, name: str) -> None:
        """Forget the scopes inside the scope `name`."""
        scope = self._found(name)
        if scope is not None and scope.inside:
            self._change(scope, scope.count, {})

    def unique(self, prefix: str, name: str) -> str:
        """`name`, or the first of `name_1` ... of which no scope `prefix/name` has been opened."""
        around = f"{prefix}/" if prefix else ""
        free, number = name, 0
        while self.count(around + free):
            number += 1
            free = f"{name}_{number}"
        return free

    def mark(self) -> Any:
        """What `restore` needs to return to the counts as they are now."""
        outer = self._log
        self._log = [] if outer is None else outer
        return outer is None, len(self._log)

    def restore(self, mark: Any) -> None:
        """Return to the counts as they were at `mark`."""
        is_outermost, length = mark
        log = self._log or []
        while len(log) > length:
            scope, count, inside = log.pop()
            self._journal.note(_put, scope, scope.count, scope.inside)
            _put(scope, count, inside)
        if is_outermost:
            self._log = None

    def _found(self, name: str) -> OpenedScope | None:
        scope: OpenedScope | None = self._root
        for part in name.split("/"):
            scope = None if scope is None else scope.inside.get(part)
        return scope

    def _change(self, scope: OpenedScope, count: int, inside: dict[str, OpenedScope]) -> None:
        self._journal.note(_put, scope, scope.count, scope.inside)
        if self._log is not None:
            self._log.append((scope, scope.count, scope.inside))
        _put(scope, count, inside)


def _put(scope: OpenedScope, count: int, inside: dict[str, OpenedScope]) -> None:
    scope.count, scope.inside = count, inside
