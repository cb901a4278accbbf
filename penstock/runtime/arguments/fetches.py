"""Fetches: a nested structure becomes a flat list, and the results the same structure again.

Lists, tuples, namedtuples and dicts may be nested. Leaves are tensors, operations, their names, SparseTensors and
IndexedSlices. A fetched operation is run and gives None.

A structure becomes a list of builders in postorder. Each builder takes its parts from a stack, so that nesting may have
any depth:

    [a, (b, c)]    take result 0 | take result 1 | take result 2 | a tuple of the last 2 | a list of the last 2
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np

from ...errors import FetchError, GraphError
from ...graph.building.given_none import why_none
from ...graph.building.registered_conversions import conversions
from ...graph.declare.op_declaration import OpDef
from ...graph.model.indexed_slices import IndexedSlices, IndexedSlicesValue
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor, SparseTensorValue

Repack = Callable[[Sequence[Any]], Any]
_Made = Callable[[list[Any]], Any]
_Builder = int | tuple[int, _Made]
"""The position of a result, or (the number of parts, the function that makes a container of them)."""
FETCH_INSTEAD = "_fetch_instead"
"""The attribute in which a class says what a program fetches in the place of its objects."""
_NOTHING = -1
"""The position of an operation's result, which is None."""


class Fetches:
    """The leaves of one fetch argument; `repack(results)` gives the caller's structure."""

    __slots__ = ("_builders", "_is_flat", "_places", "operations", "tensors")

    def __init__(self, graph: Graph, structure: Any, call: str = "Session.run") -> None:
        """`call` is the call that errors name."""
        self.tensors: list[Tensor] = []
        self.operations: list[Operation] = []
        self._builders: list[_Builder] = []
        self._flatten(graph, structure, call)
        if graph.unfetchable:
            for each in (*self.tensors, *self.operations):
                if not graph.is_fetchable(each):
                    raise FetchError(f"{call}: {each!r} may not be fetched: graph.prevent_fetching named it")
        # A list of tensors, the usual structure, becomes the list of results; one with operations has None for these.
        is_list = structure.__class__ is list and len(structure) == len(self._builders) - 1
        self._is_flat = is_list and len(self.tensors) == len(structure)
        self._places = [each for each in self._builders if isinstance(each, int)] if is_list else []

    @property
    def key(self) -> Hashable:
        """A key of the fetched tensors and operations, independent of the structure; a single tensor is its own key."""
        if len(self.tensors) == 1 and not self.operations:
            return self.tensors[0]
        return tuple(self.tensors), tuple(self.operations)

    def repack(self, results: Sequence[Any]) -> Any:
        """The caller's structure with each tensor replaced by its result; `results` follow `tensors`."""
        if self._is_flat:
            return list(results)
        if self._places:
            return [results[i] if i >= 0 else None for i in self._places]
        parts: list[Any] = []
        for builder in self._builders:
            if builder.__class__ is int:
                parts.append(results[builder] if builder >= 0 else None)
            else:
                count, made = builder  # type: ignore[misc]
                start = len(parts) - count
                parts[start:] = [made(parts[start:])]
        return parts[0]

    def _flatten(self, graph: Graph, structure: Any, call: str) -> None:
        waiting: list[Any] = [structure]
        around: dict[int, Any] = {}  # the containers around the next part
        while waiting:
            part = waiting.pop()
            if part.__class__ is Tensor and part.op.graph is graph:  # the usual case: 0.5 us less
                self._builders.append(len(self.tensors))
                self.tensors.append(part)
                continue
            if part.__class__ is _End:
                del around[part.key]
                self._builders.append((part.count, part.made))
                continue
            if isinstance(part, SparseTensor):
                items: list[Any] = [part.indices, part.values, part.dense_shape]
                builder: _Made = _sparse
            elif isinstance(part, IndexedSlices):
                items = [part.values, part.indices]
                builder = _slices_without_shape
                if part.dense_shape is not None:
                    items.append(part.dense_shape)
                    builder = _slices
            elif isinstance(part, Mapping):
                items = list(part.values())
                builder = _mapping(part)
            elif isinstance(part, (list, tuple)):
                items = list(part)
                builder = list if isinstance(part, list) else _named(part) if hasattr(part, "_fields") else tuple
            else:
                self._builders.append(self._leaf(graph, part, call))
                continue
            if id(part) in around:
                _refuse_cycle(part, call)
            around[id(part)] = part
            waiting.append(_End(id(part), len(items), builder))
            items.reverse()
            waiting += items

    def _leaf(self, graph: Graph, part: Any, call: str) -> int:
        try:
            element = graph.as_graph_element(part)
        except (KeyError, GraphError) as error:
            raise FetchError(f"{call}: the fetch {part!r} cannot be run: {_words(error)}") from None
        except TypeError:
            raise TypeError(
                f"{call}: a fetch is a tensor, an operation, a name such as 'scope/op:0', or lists, tuples and "
                f"dicts of these, not {type(part).__name__}; {_cause(graph, part)}"
            ) from None
        if isinstance(element, Operation):
            self.operations.append(element)
            return _NOTHING
        self.tensors.append(element)
        return len(self.tensors) - 1


def _cause(graph: Graph, part: Any) -> str:
    """What a program probably did to fetch something that is no part of a graph."""
    if part is None:
        return why_none(graph) or "leave it out; if a function of the program was to give it, that has no return"
    shown = " ".join(f"{part!r:.60}".split())
    if isinstance(part, (np.ndarray, np.generic, int, float, complex, bool)):
        return (
            f"{shown} is a value, as a run gives it. If a name was set to the result of a run, as in "
            "`loss = session.run(loss)`, give the result another name: `value = session.run(loss)`"
        )
    if inspect.isroutine(part) or isinstance(part, OpDef):
        name = getattr(part, "__name__", "")
        return f"this is the function {name!r} itself; call it: {name}()"
    if isinstance(part, conversions.kinds):
        return f"{shown} is made a tensor by a registered function: fetch tf.convert_to_tensor(x), made before the run"
    instead = getattr(part, FETCH_INSTEAD, "")
    return str(instead) if instead else f"{shown} is of type {type(part).__name__}"


class _End:
    """Marks the end of a container's parts, after which the container can be made."""

    __slots__ = ("count", "key", "made")

    def __init__(self, key: int, count: int, made: _Made) -> None:
        self.key = key
        self.count = count
        self.made = made


def _sparse(parts: list[Any]) -> SparseTensorValue:
    return SparseTensorValue(*parts)


def _slices(parts: list[Any]) -> IndexedSlicesValue:
    return IndexedSlicesValue(*parts)


def _slices_without_shape(parts: list[Any]) -> IndexedSlicesValue:
    return IndexedSlicesValue(parts[0], parts[1], None)


def _named(part: Any) -> _Made:
    kind = type(part)
    return lambda parts: kind(*parts)


def _mapping(part: Mapping[Any, Any]) -> _Made:
    keys, made = list(part), _maker_of(part)
    return lambda parts: made(zip(keys, parts, strict=True))


def _maker_of(mapping: Mapping[Any, Any]) -> Callable[[Iterable[tuple[Any, Any]]], Mapping[Any, Any]]:
    """The function that makes a mapping of the same kind from its items."""
    if isinstance(mapping, defaultdict):
        return partial(type(mapping), mapping.default_factory)
    return type(mapping) if isinstance(mapping, dict) else dict


def _refuse_cycle(part: Any, call: str) -> NoReturn:
    kind = type(part).__name__
    raise FetchError(
        f"{call}: the fetches hold a {kind} that contains itself; a structure of fetches must be finite. "
        f"Remove the {kind} from itself"
    )


def _words(error: Exception) -> str:
    return str(error.args[0]) if error.args else str(error)
