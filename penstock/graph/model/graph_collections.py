"""Collections of a graph: lists of tensors, operations and values under a name, for programs to find things again.

The graph of a body has none of its own: its collections are those of the graph around all bodies, as in TensorFlow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ..common.tracebacks import hides_frames_of_methods
from .journal import Journal, entry


@hides_frames_of_methods
class GraphCollections:
    """The part of a `Graph` that holds its collections."""

    lock: Any
    journal: Journal
    outer: Any

    def __init__(self) -> None:
        self._collections: dict[Any, list[Any]] = {}
        self._handed_out: dict[Any, list[Any]] = {}  # those that `get_collection_ref` gave away

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Appends `value` to the collection `name`.

        Args:
            name: any hashable value.
            value: a tensor, an operation or any other value.

        >>> import penstock as tf
        >>> g = tf.Graph()
        >>> g.add_to_collection("losses", "mean")
        >>> g.get_collection("losses")
        ['mean']
        """
        holder = self._collecting()
        with holder.lock:
            items = self._collection(name)
            self._note_collection(_cut, items, len(items))
            items.append(value)

    def _collecting(self) -> GraphCollections:
        """The graph whose collections these are: the one around all bodies."""
        graph: GraphCollections = self
        while graph.outer is not None:
            graph = graph.outer
        return graph

    def _collection(self, name: Any) -> list[Any]:
        table = self._collecting()._collections
        if name not in table:
            self._note_collection(*entry(table, name))
        return table.setdefault(name, [])

    def _note_collection(self, undo: Callable[..., object], *args: Any) -> None:
        """Note a change: whichever transaction fails, on this graph or on one around it, undoes it."""
        graph: GraphCollections | None = self
        while graph is not None:
            graph.journal.note(undo, *args)
            graph = graph.outer

    def add_to_collections(self, names: Iterable[Any], value: Any) -> None:
        """Appends `value` to several collections.

        Args:
            names: the names of the collections.
            value: a tensor, an operation or any other value.

        >>> import penstock as tf
        >>> g = tf.Graph()
        >>> g.add_to_collections(["losses", "summaries"], "mean")
        >>> g.get_all_collection_keys()
        ['losses', 'summaries']
        """
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """The values in a collection.

        Args:
            name: the name of the collection.
            scope: a regular expression; only values whose `name` begins with a match are returned.

        Returns:
            A new list; it is empty if there is no such collection.

        >>> import penstock as tf
        >>> g = tf.Graph()
        >>> g.add_to_collection("losses", "mean")
        >>> g.get_collection("losses"), g.get_collection("other")
        (['mean'], [])
        """
        items = self._collecting()._collections.get(name, [])
        if scope is None:
            return list(items)
        return [item for item in items if re.match(scope, getattr(item, "name", ""))]

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The list that holds a collection. Changing it changes the collection.

        Args:
            name: the name of the collection, which is made if there is none.

        Returns:
            The list itself.

        >>> import penstock as tf
        >>> g = tf.Graph()
        >>> g.get_collection_ref("losses").append("mean")
        >>> g.get_collection("losses")
        ['mean']
        """
        holder = self._collecting()
        with holder.lock:
            items = self._collection(name)
            self._note_collection(_fill, items, list(items))
            self._note_collection(*entry(holder._handed_out, name))
            holder._handed_out[name] = items
            return items

    def get_all_collection_keys(self) -> list[Any]:
        """The names of the collections that hold a value.

        Returns:
            A list, in the order in which the collections were made.

        >>> import penstock as tf
        >>> g = tf.Graph()
        >>> g.add_to_collection("losses", "mean")
        >>> g.get_all_collection_keys()
        ['losses']
        """
        return [name for name, items in self._collecting()._collections.items() if items]

    def clear_collection(self, name: Any) -> None:
        """Removes all values from a collection.

        Args:
            name: the name of the collection.

        >>> import penstock as tf
        >>> g = tf.Graph()
        >>> g.add_to_collection("losses", "mean")
        >>> g.clear_collection("losses")
        >>> g.get_collection("losses")
        []
        """
        holder = self._collecting()
        with holder.lock:
            self._note_collection(*entry(holder._collections, name))
            self._note_collection(*entry(holder._handed_out, name))
            holder._collections.pop(name, None)
            holder._handed_out.pop(name, None)


def _cut(items: list[Any], length: int) -> None:
    del items[length:]


def _fill(items: list[Any], content: list[Any]) -> None:
    items[:] = content
