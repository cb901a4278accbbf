"""`WeakTable`: a value for each of some objects, by identity, as long as the object lives.

`weakref.WeakKeyDictionary` and `WeakSet` run Python code when an object dies. Ctrl-C that arrives in it is lost,
because Python ignores what finalizers raise. Here that is one call of a function in C.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Generic, TypeVar
from weakref import ref

K = TypeVar("K")
V = TypeVar("V")


class WeakTable(Generic[K, V]):
    """A table whose keys are weak. Each method is safe beside other threads and finalizers.

    >>> class Thing: ...
    >>> thing, table = Thing(), WeakTable[Thing, int]()
    >>> table[thing] = 1
    >>> thing in table, table.get(thing), len(list(table))
    (True, 1, 1)
    >>> del thing
    >>> list(table)
    []
    """

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[int, tuple[ref[K], V]] = {}

    def get(self, key: K) -> V | None:
        """The value of `key`, or None."""
        entry = self._entries.get(id(key))
        return None if entry is None else entry[1]

    def __setitem__(self, key: K, value: V) -> None:
        # Called with the weak reference, `pop` takes it for the default.
        self._entries[id(key)] = ref(key, partial(self._entries.pop, id(key))), value

    def setdefault(self, key: K, value: V) -> V:
        """The value of `key`, which is `value` if it had none."""
        entry = ref(key, partial(self._entries.pop, id(key))), value
        return self._entries.setdefault(id(key), entry)[1]

    def discard(self, key: K) -> None:
        """Forget `key`."""
        self._entries.pop(id(key), None)

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()

    def __contains__(self, key: K) -> bool:
        return id(key) in self._entries

    def __iter__(self) -> Iterator[K]:
        """The keys that live now."""
        for known, _ in list(self._entries.values()):
            key = known()
            if key is not None:
                yield key
