"""What an update reads and writes of a variable: all of it, or the rows that have a gradient.

A formula is written once, for values of one shape. For a dense gradient these are whole variables; for `IndexedSlices`
the rows with the indices of the gradient, which are all different.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...derivatives import rule_namespace as ops
from ...graph.model.nodes import Tensor
from ...variables.latest_values import LatestValues
from ...variables.variable import Variable


class UpdatedRows:
    """A variable, or some rows of it, inside one update.

    Args:
        variable: the variable.
        indices: different ints, the rows; None means the whole variable.
        writes: where the writes are noted.
        latest: the values that earlier writes have left.
    """

    __slots__ = ("_before", "_indices", "_latest", "_variable", "_writes")

    def __init__(self, variable: Variable, indices: Tensor | None, writes: list[Tensor], latest: LatestValues) -> None:
        self._variable = variable
        self._indices = indices
        self._writes = writes
        self._latest = latest
        self._before: Tensor | None = None

    @property
    def value(self) -> Tensor:
        """What the update starts from. Formulas that do not ask read nothing."""
        if self._before is None:
            before = self._latest.of(self._variable)
            self._before = before if self._indices is None else ops.gather(before, self._indices)
        return self._before

    def set(self, value: Tensor, after: Sequence[Tensor] = ()) -> Tensor:
        """Write new values, and give them; `after`: what is computed from the old ones first."""
        with value.graph.control_dependencies(after):
            if self._indices is not None:
                self._note(self._variable.scatter_update(ops.IndexedSlices(value, self._indices)))
                return value
            written: Tensor = self._variable.assign(value)
        self._note(written)
        return written

    def subtract(self, delta: Tensor) -> None:
        """Subtract from the values; two such updates of one run both count."""
        if self._indices is not None:
            self._note(self._variable.scatter_sub(ops.IndexedSlices(delta, self._indices)))
        else:
            self._note(self._variable.assign_sub(delta))

    def _note(self, written: Tensor) -> None:
        self._writes.append(written)
        self._latest.note(written.op)
