"""What is a sparse tensor?"""

from __future__ import annotations

from typing import Any, NamedTuple


class SparseTensorValue(NamedTuple):
    """indices, values, dense_shape."""

    indices: Any
    values: Any
    dense_shape: Any


class SparseTensor:
    """indices, values, dense_shape."""

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self.indices = indices
        self.values = values
        self.dense_shape = dense_shape
