"""Nested structures of tensors: what functions of branches and loops take and return.

A structure is a list, a tuple, a named tuple or a dict of structures, or a leaf. `flat` lists the leaves, dicts by
their sorted keys; `packed` builds a structure again from other leaves. An `IndexedSlices` or a `SparseTensor` is a
structure of its tensors, a `TensorArray` one of its flow.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..errors import UseError
from ..graph.model.indexed_slices import IndexedSlices
from ..graph.model.sparse_tensor import SparseTensor
from ..graph.shapes.dimension import Symbol
from ..graph.shapes.dtypes import DType
from .tensor_array import TensorArray, flow_of, outside, with_flow


def flat(structure: Any) -> list[Any]:
    """The leaves of a structure, in order."""
    found: list[Any] = []
    _collect(structure, found)
    return found


def _collect(structure: Any, found: list[Any]) -> None:
    parts = parts_of(structure)
    if parts is None:
        found.append(structure)
    else:
        for part in parts:
            _collect(part, found)


def parts_of(structure: Any) -> Sequence[Any] | None:
    """The structures that one consists of; None of a leaf."""
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    if isinstance(structure, (list, tuple)):
        return structure
    if isinstance(structure, IndexedSlices):
        dense = structure.dense_shape
        return [structure.values, structure.indices, *([] if dense is None else [dense])]
    if isinstance(structure, TensorArray):
        return [flow_of(structure)]
    if isinstance(structure, SparseTensor):
        return [structure.indices, structure.values, structure.dense_shape]
    return None


def leaf_names(structure: Any, name: str) -> list[str]:
    """A name for each leaf of a structure that is called `name`, in the order of `flat`.

    >>> leaf_names({"pos": 1, "vel": [2, 3]}, "s")
    ['s_pos', 's_vel_0', 's_vel_1']
    """
    parts = parts_of(structure)
    if parts is None or isinstance(structure, TensorArray):
        return [name]
    labels: Sequence[Any] = range(len(parts))
    if isinstance(structure, Mapping):
        labels = sorted(structure)
    elif isinstance(structure, IndexedSlices):
        labels = ("values", "indices", "shape")
    elif isinstance(structure, SparseTensor):
        labels = ("indices", "values", "shape")
    elif isinstance(structure, tuple):
        labels = getattr(structure, "_fields", labels)
    found = []
    for label, part in zip(labels, parts, strict=False):  # the slices of a tensor need not say its shape
        found += leaf_names(part, f"{name}_{re.sub('[^A-Za-z0-9_]', '_', str(label))}")
    return found


def packed(like: Any, leaves: Sequence[Any]) -> Any:
    """A structure like `like` with these leaves."""
    rest = iter(leaves)
    return _packed(like, rest)


def _packed(like: Any, leaves: Iterator[Any]) -> Any:
    parts = parts_of(like)
    if parts is None:
        return next(leaves)
    return _rebuilt(like, [_packed(part, leaves) for part in parts])


def _rebuilt(like: Any, parts: list[Any]) -> Any:
    """A structure like `like` that consists of other structures."""
    if isinstance(like, Mapping):
        by_key = dict(zip(sorted(like), parts, strict=True))
        return type(like)((key, by_key[key]) for key in like)  # type: ignore[call-arg]  # a dict, or one like it
    if isinstance(like, IndexedSlices):
        return IndexedSlices(*parts)
    if isinstance(like, SparseTensor):
        return SparseTensor(*parts)
    if isinstance(like, TensorArray):
        return with_flow(like, *parts)
    if isinstance(like, tuple):
        return type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)
    return parts


def differs(left: Any, right: Any, at: str = "") -> str | None:
    """Where two structures differ, in words; None if they are alike. A list counts as a tuple."""
    a, b = parts_of(left), parts_of(right)
    if a is None and b is None:
        return None
    if a is None or b is None:
        return f"{at or 'it'} is {described(left)} in one and {described(right)} in the other"
    if isinstance(left, Mapping) != isinstance(right, Mapping) or _array_dtype(left) != _array_dtype(right):
        return f"{at or 'it'} is {described(left)} in one and {described(right)} in the other"
    if isinstance(left, Mapping) and sorted(left) != sorted(right):
        return f"{at or 'it'} has the keys {sorted(left)} in one and {sorted(right)} in the other"
    if len(a) != len(b):
        return f"{at or 'it'} has {len(a)} elements in one and {len(b)} in the other"
    labels = sorted(left) if isinstance(left, Mapping) else range(len(a))
    for label, x, y in zip(labels, a, b, strict=True):
        found = differs(x, y, f"{at}[{label!r}]")
        if found:
            return found
    return None


def _array_dtype(structure: Any) -> DType | None:
    return structure.dtype if isinstance(structure, TensorArray) else None


def refuse_arrays(call: str, structure: Any) -> None:
    """UseError where the values of a structure are to be stacked and one is a `TensorArray`."""
    if isinstance(structure, TensorArray):
        raise UseError(f"{call}: {structure!r} is a TensorArray, and TensorArrays cannot be stacked; give what its "
                       "stack() returns, or write the loop with foldl or while_loop")  # fmt: skip
    for part in parts_of(structure) or ():
        if part is not structure:
            refuse_arrays(call, part)


def seen_from_outside(like: Any, results: Sequence[Any], known: Collection[Symbol]) -> Any:
    """A structure like `like`, where each `TensorArray` says what is known outside of those that the bodies return.

    Args:
        like: a structure.
        results: the structure that each body returns, all like that one.
        known: the sizes inside that are sizes outside, too.
    """
    if isinstance(like, TensorArray):
        return outside(results, known)
    parts = parts_of(like)
    if parts is None:
        return like
    rows = zip(*[parts_of(each) or () for each in results], strict=True)
    return _rebuilt(like, [seen_from_outside(part, row, known) for part, row in zip(parts, rows, strict=True)])


def described(structure: Any) -> str:
    """A structure in a few words."""
    if isinstance(structure, TensorArray):
        return f"a TensorArray of {structure.dtype.name}"
    parts = parts_of(structure)
    if parts is None:
        return "one tensor" if structure is not None else "None"
    return f"a {type(structure).__name__} of {len(parts)}"
