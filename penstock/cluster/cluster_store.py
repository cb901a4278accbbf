"""The variables of a cluster's session: their values lie on workers, or here until a run needs them there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..graph.literal import Array
from ..runtime.session.variable_store import VariableStore
from .remote_value import RemoteValue, is_remote


class ClusterStore(VariableStore):
    """A `VariableStore` whose values may be `RemoteValue`s. Who asks for an array gets it from a worker."""

    __slots__ = ()

    def get(self, resource: str) -> Array | None:
        """As of `VariableStore`."""
        value: Array | None = self.held(resource)
        return value.copy() if value is not None and is_remote(value) else value

    def now_at(self, resource: str, array: Any, value: RemoteValue) -> None:
        """Note that workers have the array of a variable too, if it is still its value."""
        with self._lock:
            if self._values.get(resource) is array:
                self._values[resource] = value  # type: ignore[assignment]  # it stands for an array

    @contextmanager
    def reading(self, resources: Sequence[str]) -> Iterator[list[Array]]:
        """As of `VariableStore`."""
        with super().reading(resources) as values:
            yield [value.copy() if is_remote(value) else value for value in values]

    @contextmanager
    def kept(self) -> Iterator[None]:
        """As of `VariableStore`."""
        before = {name: value if is_remote(value) else value.copy() for name, value in self._values.copy().items()}
        try:
            yield
        finally:
            with self._lock:
                self._values.clear()
                self._values.update(before)
