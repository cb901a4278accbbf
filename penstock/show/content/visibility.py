"""Visibility of scopes and nodes: marks by `name_scope(..., show=)` and patterns by `hide=`.

A mark belongs to the graph and is saved with it; what is folded without a mark, `training_scopes` says. A pattern
belongs to one picture. The arrows of a hidden node are hidden too, so boxes that read from it show how many of their
inputs are not drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from re import compile as compile_pattern
from typing import Any

from .picture import Group, Path

VARIABLE_TYPES = ("Variable", "VariableV2", "VarHandleOp")
DEEPEST = 32
"""The deepest nesting of scopes that is drawn; names from files can have thousands of slashes."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """The marks of scopes (scope -> "open", "folded", "collapsed" or "hidden") and the patterns of what is left out."""

    shows: Mapping[str, str]
    hide: tuple[str, ...]

    def shown(self, operations: Sequence[Any]) -> list[Any]:
        """The operations that are drawn.

        >>> from types import SimpleNamespace as Node
        >>> nodes = [Node(name=name) for name in ("a/Regularizer/mul", "a/x", "b/y")]
        >>> [node.name for node in Visibility({"b": "hidden"}, ("*/Regularizer",)).shown(nodes)]
        ['a/x']
        """
        hidden = {scope for scope, show in self.shows.items() if show == "hidden"}
        if not hidden and not self.hide:
            return list(operations)
        leave_out = _LeftOut(hidden, self.hide)
        return [op for op in operations if not leave_out.match(op.name)]

    def leaves_out_any(self, names: Iterable[str]) -> bool:
        """Whether a pattern fits one of the names, or a scope around it."""
        return any(map(_LeftOut((), self.hide).match, names))

    def groups(self) -> tuple[Group, ...]:
        """The marked scopes as groups of a picture."""
        marked = {
            scope_path(scope.split("/")): show for scope, show in self.shows.items() if show != "hidden"
        }
        return tuple(
            Group(path, path[-1], collapsed=show != "open", open=show == "open", folded=show == "folded")
            for path, show in marked.items()
            if path
        )


def visibility_of(graph: Any, operations: Sequence[Any], hide: Iterable[str] = ()) -> Visibility:
    """The visibility in a picture of `operations`: the marks of `graph`, or of the graph that they come from."""
    shows = getattr(graph, "scope_shows", None)
    if shows is None and operations:
        shows = getattr(getattr(operations[0], "graph", None), "scope_shows", None)
    return Visibility(dict(shows or {}), (hide,) if isinstance(hide, str) else tuple(hide))


def scope_path(scope: Sequence[str]) -> Path:
    """The group of a scope: its path, cut at the deepest nesting that is drawn."""
    return tuple(part for part in scope if part)[:DEEPEST]


def common_scope(paths: Sequence[Path]) -> Path:
    """The innermost scope around these.

    >>> common_scope([("a", "b"), ("a", "c", "d")])
    ('a',)
    """
    first, last = min(paths), max(paths)
    length = 0
    while length < min(len(first), len(last)) and first[length] == last[length]:
        length += 1
    return first[:length]


class _LeftOut:
    """Scopes and glob patterns of names; a pattern matches a node, or a scope with all its content."""

    def __init__(self, scopes: Iterable[str], patterns: Iterable[str]) -> None:
        self._scopes: dict[str, bool] = {"": False, **dict.fromkeys(scopes, True)}
        self._patterns = [compile_pattern(translate(pattern.rstrip("/"))) for pattern in patterns]

    def match(self, name: str) -> bool:
        """Whether a pattern matches the name, or a scope around it is left out."""
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
