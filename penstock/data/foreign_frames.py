"""Frames and columns of pandas, Arrow and Dask as arrays. None of these libraries is imported: their methods are asked.

    pandas   Series, DataFrame, Index      to_numpy
    Arrow    Array, ChunkedArray, Table    to_numpy; texts and lists are copied
    Dask     arrays and frames             compute first
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UseError
from ..graph.model.nodes import Tensor


def plain(value: Any, what: str) -> Any:
    """The array of a frame or of a column; other values as they are.

    Args:
        value: what the program gave.
        what: the call, for errors.

    Raises:
        TypeError: a frame has columns of texts and of numbers, or a column of Arrow has nulls or rows of many lengths.
    """
    if isinstance(value, (Tensor, np.ndarray, list, int, float, bytes, str)) or hasattr(value, "op"):
        return value
    if hasattr(value, "compute"):
        value = value.compute()
    if hasattr(value, "column_names"):
        return _of_columns({name: value.column(name) for name in value.column_names}, what, "table")
    if not hasattr(value, "to_numpy"):
        return value if isinstance(value, np.ndarray) else np.asarray(value) if hasattr(value, "__array__") else value
    if hasattr(value, "null_count"):
        return _of_arrow(value, what)
    array = np.asarray(value.to_numpy())
    if array.ndim == 2 and array.dtype == object:
        return _of_columns({name: value[name] for name in value.columns}, what, "frame")
    return array


def _of_columns(columns: dict[Any, Any], what: str, kind: str) -> Any:
    """A matrix of the columns of a frame."""
    arrays = {name: plain(column, what) for name, column in columns.items()}
    is_text = {array.dtype.kind in "OSU" for array in arrays.values()}
    if len(is_text) > 1:
        listed = ", ".join(f"{name!r}: {_kind(array)}" for name, array in arrays.items())
        cure = "dict(frame)" if kind == "frame" else "{name: table[name] for name in table.column_names}"
        raise UseError(f"{what}: the {kind} has columns of texts and of numbers ({listed}), which cannot be in one "
                       f"tensor. Give {cure}: elements are then dicts of columns")  # fmt: skip
    return np.stack(list(arrays.values()), 1) if arrays else np.zeros((0, 0))


def _kind(array: Any) -> str:
    return "texts" if array.dtype.kind in "OSU" else str(array.dtype)


def _of_arrow(column: Any, what: str) -> Any:
    if column.null_count:
        raise UseError(f"{what}: a column of type {column.type} has {column.null_count} nulls, and tensors have none. "
                       "Write column.fill_null(value), or column.drop_null()")  # fmt: skip
    chunks = list(getattr(column, "chunks", [column]))
    arrays = [_of_chunk(chunk, what) for chunk in chunks]
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else column.to_numpy()


def _of_chunk(chunk: Any, what: str) -> Any:
    if hasattr(chunk, "flatten") and hasattr(chunk.type, "value_type") and not hasattr(chunk, "dictionary"):
        size = getattr(chunk.type, "list_size", None)
        inner = _of_arrow(chunk.flatten(), what)
        if size is not None:
            return inner.reshape(len(chunk), size, *inner.shape[1:])
        lengths = set(chunk.value_lengths().to_pylist())
        if len(lengths) > 1:
            raise UseError(f"{what}: the rows of a column of type {chunk.type} have {min(lengths)} to {max(lengths)} "
                           "entries; tensors have one length. Pad them, or give from_generator the rows")  # fmt: skip
        return inner.reshape(len(chunk), lengths.pop() if lengths else 0, *inner.shape[1:])
    if hasattr(chunk, "dictionary"):
        return _of_arrow(chunk.dictionary_decode(), what)
    return chunk.to_numpy(zero_copy_only=False)
