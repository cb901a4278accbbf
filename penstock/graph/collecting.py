"""Collections of a graph: lists of tensors, operations and values under a name, for programs to find things again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .journal import Journal, entry


class GraphCollections:
    """The part of a `Graph` that holds its collections."""

    lock: Any
    journal: Journal

    def __init__(self) -> None:
        self._collections: dict[Any, list[Any]] = {}
        self._handed_out: dict[Any, list[Any]] = {}  # those that `get_collection_ref` gave away

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Append `value` to the collection `name`."""
        with self.lock:
            items = self._collection(name)
            self.journal.note(_cut, items, len(items))
            items.append(value)

    def _collection(self, name: Any) -> list[Any]:
        if name not in self._collections:
            self.journal.note(*entry(self._collections, name))
        return self._collections.setdefault(name, [])

    def add_to_collections(self, names: Iterable[Any], value: Any) -> None:
        """Append `value` to several collections."""
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """A copy of the collection; with `scope`, only items whose name begins with a match of it."""
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        return [item for item in items if re.match(scope, getattr(item, "name", ""))]

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The collection itself: changing the list changes the graph's."""
        with self.lock:
            items = self._collection(name)
            self.journal.note(_fill, items, list(items))
            self.journal.note(*entry(self._handed_out, name))
            self._handed_out[name] = items
            return items

    def get_all_collection_keys(self) -> list[Any]:
        """The names of the collections that hold something."""
        return [name for name, items in self._collections.items() if items]

    def clear_collection(self, name: Any) -> None:
        """Empty a collection."""
        with self.lock:
            self.journal.note(*entry(self._collections, name))
            self.journal.note(*entry(self._handed_out, name))
            self._collections.pop(name, None)
            self._handed_out.pop(name, None)


def _cut(items: list[Any], length: int) -> None:
    del items[length:]


def _fill(items: list[Any], content: list[Any]) -> None:
    items[:] = content
