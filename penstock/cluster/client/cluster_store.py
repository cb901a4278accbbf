"""The variables of a cluster's session: their values lie on workers, or here until a run needs them there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...graph.shapes.literal import Array
from ...runtime.session.variable_store import Lease, VariableStore
from ..access.cluster_worker import WorkerLost
from .remote_value import RemoteValue, array_of, is_remote


class ClusterStore(VariableStore):
    """A `VariableStore` whose values may be `RemoteValue`s. Who asks for an array gets it from a worker."""

    __slots__ = ("_gone",)

    def __init__(self) -> None:
        super().__init__()
        self._gone: dict[str, str] = {}
        """By variable: what is told of a value that was lost with its worker."""

    def begin(self, lease: Lease) -> list[Any]:
        """As of `VariableStore`.

        Raises:
            WorkerLost: the value of a variable was lost with its worker, and there is no new one.
        """
        if self._gone:
            for resource, kind in lease.use.order:
                if kind == "value" and resource in self._gone and not self.has(resource):
                    raise WorkerLost(message=self._gone[resource])
        return super().begin(lease)

    def remote_values(self) -> list[tuple[str, RemoteValue]]:
        """The variables whose values lie on workers, with these values."""
        return [(name, value) for name, value in self._values.copy().items() if is_remote(value)]  # type: ignore[misc]  # it stands for an array

    def lose(self, names: Sequence[str], why: str) -> None:
        """Note that the values of variables are gone; `why` is told to who reads them before there are new ones."""
        with self._lock:
            for name in names:
                self._gone[name] = why
                self._values.pop(name, None)

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
            yield [array_of(value) for value in values]

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
