"""The shapes of variables whose static shape leaves sizes open, for plans that are made for the shapes of now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...graph.model.nodes import Operation
from ..planning.plan import Plan
from .variable_store import VariableStore


class VariableShapes:
    """The shapes of the variables of a session, as plans see them.

    Args:
        find: finds the operation of the user's graph that holds a variable.
        store: the variables.
    """

    __slots__ = ("_find", "_store")

    def __init__(self, find: Callable[[str], Operation | None], store: VariableStore) -> None:
        self._find = find
        self._store = store

    def now(self, resource: str) -> tuple[int, ...] | None:
        """The shape of the value of a variable; None if it has none."""
        value = self._store.get(resource)
        return None if value is None else tuple(value.shape)

    def are(self, shapes: Mapping[str, tuple[int, ...]]) -> bool:
        """Whether some variables have these shapes now."""
        return all(self.now(resource) == shape for resource, shape in shapes.items())

    def planned(self, plan: Plan) -> dict[str, tuple[int, ...]]:
        """The shapes of variables for which alone a plan was made, because their static shapes leave sizes open."""
        return {resource: shape for resource, shape in _values(plan) if is_whole(shape) and self._is_open(resource)}

    def _is_open(self, resource: str) -> bool:
        holder = self._find(resource)
        return holder is not None and not holder.outputs[0].shape.is_known


def reads_open_variables(plan: Plan) -> bool:
    """Whether sizes in a plan follow from the values of variables."""
    return not all(is_whole(shape) for _, shape in _values(plan))


def is_whole(shape: Any) -> bool:
    """Whether all sizes of the shape of a slot are known."""
    return shape is not None and all(isinstance(size, int) for size in shape)


def _values(plan: Plan) -> Iterator[tuple[str, Any]]:
    """The variables with whose values a plan begins, and the shapes of these."""
    for each, (_, slot) in zip(plan.state, plan.feeds[len(plan.user_feeds) :], strict=True):
        if each.kind == "value":
            yield each.resource, plan.slots[slot].shape
