"""Tables of a session whose keys and values runs change: dictionaries from keys to values, or to rows of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.object_place import ObjectTable
from ...graph.shapes.dtypes import DType


class TableObject:
    """A table. Keys come out in the order in which they came in.

    Attributes:
        name: its name in the session.
        key_dtype, value_dtype: the dtypes.
        value_shape: the shape of a value.
        refused: keys that it may not have, by what they are called.
    """

    def __init__(
        self, objects: ObjectTable, name: str, key_dtype: DType, value_dtype: DType, value_shape: tuple[int, ...],
        refused: dict[Any, str] | None = None,
    ) -> None:  # fmt: skip
        self.name, self.key_dtype, self.value_dtype, self.value_shape = name, key_dtype, value_dtype, value_shape
        self.refused = refused or {}
        self._monitor = objects.monitor()
        self._values: dict[Any, Any] = {}

    def find(self, keys: Any, default: Any) -> Any:
        """The values of keys, `default` for keys that it does not have."""
        if default.shape != self.value_shape:
            raise InvalidArgumentError(message=f"Expected shape {list(self.value_shape)} for default value, got "
                                               f"{list(default.shape)}")  # fmt: skip
        wanted = self._allowed(keys)
        missing = default if self.value_shape else default.item()

        def found() -> list[Any]:
            get = self._values.get
            return [get(key, missing) for key in wanted]

        return self._array(self._monitor.change(found), keys.shape)

    def insert(self, keys: Any, values: Any) -> None:
        """Give keys values; those that it has get new ones, and of equal keys the last one counts."""
        self._check(keys, values)
        self._put(self._allowed(keys), values, clears=False)

    def replace(self, keys: Any, values: Any) -> None:
        """Have these keys and values and no others."""
        self._check(keys, values)
        self._put(self._allowed(keys), values, clears=True)

    def _put(self, keys: list[Any], values: Any, clears: bool) -> None:
        rows = values.copy().reshape(len(keys), *self.value_shape) if self.value_shape else values.reshape(-1).tolist()
        pairs = list(zip(keys, rows, strict=True))

        def put() -> None:
            if clears:
                self._values.clear()
            self._values.update(pairs)

        self._monitor.change(put)

    def remove(self, keys: Any) -> None:
        """Remove keys; those that it does not have are ignored."""
        wanted = self._allowed(keys)

        def drop() -> None:
            for key in wanted:
                self._values.pop(key, None)

        self._monitor.change(drop)

    def size(self) -> int:
        """How many keys it has."""
        return len(self._values)

    def export(self) -> tuple[Any, Any]:
        """(its keys, their values)."""
        pairs = self._monitor.change(lambda: list(self._values.items()))
        keys = np.empty(len(pairs), self.key_dtype.np)
        keys[:] = [key for key, _ in pairs]
        return keys, self._array([value for _, value in pairs], keys.shape)

    def _array(self, values: list[Any], shape: tuple[int, ...]) -> Any:
        out = np.empty((len(values), *self.value_shape), self.value_dtype.np)
        if values:
            out[:] = values
        return out.reshape(*shape, *self.value_shape)

    def _check(self, keys: Any, values: Any) -> None:
        if values.shape != keys.shape + self.value_shape:
            raise InvalidArgumentError(message=f"Expected shape {list(keys.shape + self.value_shape)} for value, got "
                                               f"{list(values.shape)}")  # fmt: skip

    def _allowed(self, keys: Any) -> list[Any]:
        """The keys as Python values."""
        wanted: list[Any] = keys.reshape(-1).tolist()
        for key, words in self.refused.items():
            if key in wanted:
                raise InvalidArgumentError(message=f"Using the {words} as a table key is not allowed: {key!r}")
        return wanted
