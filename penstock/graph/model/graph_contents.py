"""The contents of a graph: its operations in order of creation, refined shapes, and claims about sizes.

The order of creation is a topological order, because inputs exist before the node that takes them. A graph only grows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, Protocol, TypeVar

from ..common.weak_table import WeakTable
from ..shapes.dimension import Dim, Dimension, SizeClaim
from ..shapes.shape import TensorShape
from .journal import Journal, entry


class HasShape(Protocol):
    """What refining needs of a `Tensor`."""

    _shape: TensorShape

    @property
    def op(self) -> Any: ...


N = TypeVar("N")
T = TypeVar("T", bound=HasShape)


class GraphContents(Generic[N, T]):
    """The part of a `Graph` that holds its operations."""

    journal: Journal
    lock: Any

    def __init__(self) -> None:
        self._operations: list[N] = []
        self._pinned: dict[T, None] = {}
        self._finalized = False
        self.equations: list[tuple[N, Dimension, Dim]] = []  # claims about sizes: graph.size_claims
        self.known_values: dict[T, Any] = {}  # caches of graph.constant_evaluation
        self.known_entries: dict[T, Any] = {}
        self.attributes_of_programs: dict[Any, dict[str, Any]] = {}  # by tensor or variable: tf1.attributes_of_programs
        self.planned_by = WeakTable[Any, None]()  # the plan caches of sessions

    def get_operations(self) -> list[N]:
        """All operations of the graph.

        Returns:
            A list in the order in which they were made.
        """
        return list(self._operations)

    def __len__(self) -> int:
        return len(self._operations)

    def __bool__(self) -> bool:
        return True

    @property
    def version(self) -> int:
        """A number that grows with every operation added."""
        return len(self._operations)

    def operations_since(self, version: int) -> list[N]:
        """The operations added since the graph had that version."""
        return self._operations[version:]

    @property
    def pinned(self) -> tuple[T, ...]:
        """The tensors whose shape `set_shape` refined, which a run has to check."""
        return tuple(self._pinned)

    def refine(self, tensor: T, shape: TensorShape, claims: Iterable[SizeClaim]) -> None:
        """Give `tensor` a shape that says more than its op's rule; a run checks it, and the claims in it."""
        with self.lock:
            self.journal.note(setattr, tensor, "_shape", tensor._shape)
            self.journal.note(*entry(self._pinned, tensor))
            tensor._shape = shape
            self._pinned[tensor] = None
            self.claims(tensor.op, claims)
            self.known_values.clear()
            self.known_entries.clear()

    def claims(self, op: N, claims: Iterable[SizeClaim]) -> None:
        """Keep what the static shapes at `op` claim of sizes: each run that uses these sizes checks the claims."""
        with self.lock:  # no transaction of another thread, which would take them for its own
            self.equations += [(op, dim, size) for dim, size in claims]

    @property
    def finalized(self) -> bool:
        """Whether `finalize` was called."""
        return self._finalized

    def finalize(self) -> None:
        """Makes the graph read-only: a call that would add an operation raises a RuntimeError from now on."""
        with self.lock:
            self.journal.note(setattr, self, "_finalized", self._finalized)
            self._finalized = True

    def check_open(self) -> None:
        """Raise RuntimeError if the graph is finalized."""
        if self._finalized:
            raise RuntimeError(f"Graph is finalized and cannot be modified: {self}; "
                               "add every operation before finalize()")  # fmt: skip
