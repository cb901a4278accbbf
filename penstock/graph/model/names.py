"""Names of a graph: which are taken, and how a new one becomes unique.

Names are unique whatever the case of their letters; a taken one gets `_1`, `_2` ... A scope reserves its own name, and
one operation may still be called exactly so. The graph's journal notes every change, so that it can be undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...errors import GraphError, UseError
from .journal import ABSENT, Journal, put_back

_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_SCOPED_NAME = re.compile(r"[A-Za-z0-9_.\\/>-]+")


class NameTable:
    """The names of one graph. The graph's lock guards it."""

    def __init__(self, journal: Journal) -> None:
        self._next: dict[str, int] = {}  # lower-case name -> the suffix to try first
        self._free_scopes: set[str] = set()
        self._journal = journal

    def unique(self, name: str, mark: bool = True) -> str:
        """`name`, or `name_1` ... if it is taken; `mark` takes it."""
        taken = self._next
        key = name.lower()
        count = taken.get(key)
        if count is None:
            if mark:
                log = self._journal.log
                if log is not None:
                    log.append((put_back, (taken, key, ABSENT)))
                taken[key] = 1
            return name
        free = name
        tried = key
        while tried in taken:
            free = f"{name}_{count}"
            tried = free.lower()
            count += 1
        if mark:
            log = self._journal.log
            if log is not None:
                log += ((put_back, (taken, key, taken[key])), (put_back, (taken, tried, ABSENT)))
            taken[key] = count
            taken[tried] = 1
        return free

    def whole(self, name: str) -> str:
        """The name for an operation that is to be called exactly `name`, a scope's perhaps."""
        if name in self._free_scopes:
            self._set_free(name, False)
            return name
        return self.unique(name)

    def scope(self, name: str) -> str:
        """A unique name for a scope."""
        full = self.unique(name)
        self._set_free(full, True)
        return full

    def _set_free(self, scope: str, free: bool) -> None:
        self._journal.note(self._put, scope, scope in self._free_scopes)
        self._put(scope, free)

    def _put(self, scope: str, free: bool) -> None:
        if free:
            self._free_scopes.add(scope)
        else:
            self._free_scopes.discard(scope)

    def reserved(self, operations: Iterable[str]) -> tuple[list[str], list[str]]:
        """The taken names that none of `operations` has: scopes, whose name one operation may have, and others."""
        keys = {scope.lower() for scope in self._free_scopes}.union(name.lower() for name in operations)
        return sorted(self._free_scopes), [key for key in self._next if key not in keys]

    def is_taken(self, name: str) -> bool:
        """Whether an operation or a scope has a name."""
        return name.lower() in self._next

    def take(self, name: str) -> None:
        """Take a name that an operation has already; two may differ in the case of letters only, if a file says so."""
        key = name.lower()
        if key not in self._next:
            self._journal.note(put_back, self._next, key, ABSENT)
            self._next[key] = 1

    def reserve(self, name: str, free: bool) -> bool:
        """Take one name of `reserved`, `free` if it is a scope's; False if it is taken."""
        if not name or name.lower() in self._next:
            return False
        self._journal.note(put_back, self._next, name.lower(), ABSENT)
        self._next[name.lower()] = 1
        if free:
            self._set_free(name, True)
        return True


def check_name(name: object, scoped: bool) -> None:
    """Raise ValueError unless `name` can be an operation's name, inside a scope or outside of all.

    Raises:
        GraphError (a ValueError): a character that names cannot have. UseError (a TypeError): not a string.
    """
    if not isinstance(name, str):
        raise UseError(f"name={name!r}: a name is a str, not {type(name).__name__}")
    if not (_SCOPED_NAME if scoped else _NAME).fullmatch(name):
        raise GraphError(f"{name!r} is not a valid scope name or operation name: names are made of letters, "
                         "digits and . _ - / and begin with a letter, a digit or a dot", code="graph/name")  # fmt: skip
