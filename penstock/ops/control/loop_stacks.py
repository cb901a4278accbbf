"""Stacks of a loop: arrays of which each iteration writes one row.

Their memory comes from the pool: a loop of training makes stacks of the same sizes in each run, and the first touch of
new memory takes longer than what an iteration writes there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import InvalidArgumentError
from ...graph.common.hooks import hooks

_FIRST_ROWS = 16


def first_sizes(limit: Any, rows: Sequence[Any]) -> int | None:
    """At most so many iterations, by the limit and the number of rows; None where nothing says.

    Raises:
        InvalidArgumentError: two operands have different numbers of rows.
    """
    if not rows:
        return None if limit is None else max(0, int(limit))
    sizes = {len(each) if each.ndim else None for each in rows}
    if None in sizes or len(sizes) > 1:
        found = ", ".join(str(list(each.shape)) for each in rows)
        raise InvalidArgumentError(message=f"the operands given by rows have the shapes {found}; all must have the "
                                   "same number of rows")  # fmt: skip
    if limit is not None:
        sizes.add(max(0, int(limit)))
    return min(size for size in sizes if size is not None)


class LoopStack:
    """The values of one result of a body, by iterations. The array is allocated at the first value.

    Args:
        rows: how many rows there will be at most; None if that is not known: the array then grows to twice its size.
    """

    __slots__ = ("_array", "_rows")

    def __init__(self, rows: int | None) -> None:
        self._rows = rows
        self._array: Any = None

    def put(self, at: int, value: Any) -> None:
        """Write row `at`.

        Raises:
            InvalidArgumentError: the value has another shape than those before.
        """
        array = self._array
        if array is None:
            array = self._array = hooks.empty((self._rows or _FIRST_ROWS, *value.shape), value.dtype)
        elif at >= len(array):
            self._grow()
            array = self._array
        require_one_shape(at, value.shape, array.shape[1:])
        if array.dtype.kind == "O":
            array[at, ...] = value  # array[at] would hold an array where `value` is a scalar string
        else:
            array[at] = value

    def reserve(self, at: int, dtype: Any, shape: tuple[int, ...]) -> tuple[Any, int]:
        """The array, with room for row `at`, and the number of rows from there on; for rows of this dtype and shape."""
        if self._array is None:
            self._array = hooks.empty((self._rows or _FIRST_ROWS, *shape), dtype)
        if at >= len(self._array) and self._rows is None:
            self._grow()
        return self._array, len(self._array) - at

    def _grow(self) -> None:
        array = self._array
        grown = hooks.empty((2 * len(array), *array.shape[1:]), array.dtype)
        grown[: len(array)] = array
        self._array = grown

    def finished(self, count: int) -> Any:
        """The array with `count` rows."""
        return self._array if len(self._array) == count else self._array[:count]


def require_one_shape(at: int, shape: tuple[int, ...], before: tuple[int, ...]) -> None:
    """InvalidArgumentError unless the value that iteration `at` gives to a stack has the shape of those before."""
    if shape != before:
        raise InvalidArgumentError(
            message=f"iteration {at} gives a value of shape {list(shape)}, those before {list(before)}; values are "
            "stacked, so they must have one shape"
        )
