"""How does a nested structure of fetches become a flat list, and the results the same structure again?

Lists, tuples, namedtuples and dicts nest; leaves are tensors, operations, names of these, and SparseTensors. An
operation is run and gives None.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ..errors import FetchError, GraphError
from ..graph.graph import Graph
from ..graph.operation import Operation, Tensor
from ..graph.sparse import SparseTensor, SparseTensorValue

Repack = Callable[[Sequence[Any]], Any]


class Fetches:
    """The leaves of one fetch argument, and the way back: `repack(results)` gives the caller's structure."""

    __slots__ = ("_build", "operations", "tensors")

    def __init__(self, graph: Graph, structure: Any) -> None:
        self.tensors: list[Tensor] = []
        self.operations: list[Operation] = []
        self._build = self._walk(graph, structure)

    def repack(self, results: Sequence[Any]) -> Any:
        """The caller's structure with each tensor replaced by its result; `results` follow `tensors`."""
        return self._build(results)

    def _walk(self, graph: Graph, part: Any) -> Repack:
        if isinstance(part, SparseTensor):
            parts = [self._leaf(graph, t) for t in (part.indices, part.values, part.dense_shape)]
            return lambda results: SparseTensorValue(*(p(results) for p in parts))
        if isinstance(part, Mapping):
            entries = [(key, self._walk(graph, item)) for key, item in part.items()]
            made = _maker_of(part)
            return lambda results: made((key, build(results)) for key, build in entries)
        if isinstance(part, (list, tuple)):
            items = [self._walk(graph, item) for item in part]
            if isinstance(part, list):
                return lambda results: [build(results) for build in items]
            if hasattr(part, "_fields"):
                return lambda results: type(part)(*(build(results) for build in items))
            return lambda results: tuple(build(results) for build in items)
        return self._leaf(graph, part)

    def _leaf(self, graph: Graph, part: Any) -> Repack:
        try:
            element = graph.as_graph_element(part)
        except (KeyError, GraphError) as error:
            raise FetchError(f"Session.run: the fetch {part!r} cannot be run: {_words(error)}") from None
        except TypeError:
            raise TypeError(
                "Session.run: a fetch is a tensor, an operation, a name such as 'scope/op:0', or lists, tuples and "
                f"dicts of these; {part!r} is of type {type(part).__name__}"
            ) from None
        if isinstance(element, Operation):
            self.operations.append(element)
            return lambda results: None
        position = len(self.tensors)
        self.tensors.append(element)
        return lambda results: results[position]


def _maker_of(mapping: Mapping[Any, Any]) -> Callable[[Iterable[tuple[Any, Any]]], Mapping[Any, Any]]:
    """What makes a mapping of the same kind from its items."""
    if isinstance(mapping, defaultdict):
        return partial(type(mapping), mapping.default_factory)
    return type(mapping) if isinstance(mapping, dict) else dict


def _words(error: Exception) -> str:
    return str(error.args[0]) if error.args else str(error)
