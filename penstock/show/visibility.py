"""What did the user decide about scopes? `name_scope(..., show=)` marks them, `hide=` leaves nodes out by pattern.

A mark belongs to the graph and is saved with it; a pattern belongs to one picture. A hidden node takes its arrows with
it, so the boxes that read from it say how many of their inputs are not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from re import compile as compile_pattern
from typing import Any

from .picture import Group, Path

DEEPEST = 32
"""Scopes within scopes that a picture shows; names from files can have thousands of slashes."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """How scopes are to be shown: scope -> "open", "collapsed" or "hidden"; and the patterns of what to leave out."""

    shows: Mapping[str, str]
    hide: tuple[str, ...]

    def shown(self, operations: Sequence[Any]) -> list[Any]:
        """The operations that the picture has.

        >>> from types import SimpleNamespace as Node
        >>> nodes = [Node(name=name) for name in ("a/Regularizer/mul", "a/x", "b/y")]
        >>> [node.name for node in Wishes({"b": "hidden"}, ("*/Regularizer",)).shown(nodes)]
        ['a/x']
        """
        hidden = {scope for scope, show in self.shows.items() if show == "hidden"}
        if not hidden and not self.hide:
            return list(operations)
        leave_out = _LeftOut(hidden, self.hide)
        return [op for op in operations if not leave_out.match(op.name)]

    def groups(self) -> tuple[Group, ...]:
        """The marked scopes as groups of a picture."""
        marked = {
            scope_path(scope.split("/")): show for scope, show in self.shows.items() if show in ("open", "collapsed")
        }
        return tuple(
            Group(path, path[-1], collapsed=show == "collapsed", open=show == "open")
            for path, show in marked.items()
            if path
        )


def wishes_of(graph: Any, operations: Sequence[Any], hide: Iterable[str] = ()) -> Wishes:
    """The wishes for a picture of `operations`: those of `graph`, or of the graph that they come from."""
    shows = getattr(graph, "scope_shows", None)
    if shows is None and operations:
        shows = getattr(getattr(operations[0], "graph", None), "scope_shows", None)
    return Wishes(shows or {}, (hide,) if isinstance(hide, str) else tuple(hide))


def scope_path(scope: Sequence[str]) -> Path:
    """The group of a scope, whatever its name: boxes within boxes are not readable beyond a few dozen."""
    # A name from a file can have thousands of slashes.
    return tuple(part for part in scope if part)[:DEEPEST]


class _LeftOut:
    """Scopes, and glob patterns, each of which means a node of that name or everything in a scope of that name."""

    def __init__(self, scopes: Iterable[str], patterns: Iterable[str]) -> None:
        self._scopes: dict[str, bool] = {"": False, **dict.fromkeys(scopes, True)}
        self._patterns = [compile_pattern(translate(pattern.rstrip("/"))) for pattern in patterns]

    def match(self, name: str) -> bool:
        """Whether a pattern fits the name, or one of the scopes around it is left out."""
        return self._fits(name) or any(self._is_out(name[:end]) for end in _ends(name))

    def _is_out(self, scope: str) -> bool:
        found = self._scopes.get(scope)
        if found is None:
            found = self._scopes[scope] = self._fits(scope)
        return found

    def _fits(self, name: str) -> bool:
        return any(pattern.match(name) for pattern in self._patterns)


def _ends(name: str) -> list[int]:
    ends: list[int] = []
    at = name.find("/")
    while at >= 0 and len(ends) < DEEPEST:
        ends.append(at)
        at = name.find("/", at + 1)
    return ends
