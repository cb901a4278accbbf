"""How do kernels that were written for NumPy get their results from the pool?

`XP` is NumPy under another hood: every name is NumPy's own object, but the functions that make arrays of a given size
(`empty`, `zeros`, `ones`, `full` and their `_like`) take memory from `POOL`. Kernels get it as `xp` on the CPU. What
they mean is unchanged, argument by argument; calls for which the pool has no answer (column-major order, subclasses,
`like=`, a dtype whose elements are Python objects or arrays) are passed on.
"""

from __future__ import annotations

from math import prod
from operator import index
from types import ModuleType
from typing import Any, Final

import numpy as np

from .buffer_pool import POOL, SMALL, Array

FEW: Final = SMALL // 16  # elements that make a small array of any numeric dtype
_pooled = POOL.empty


def empty(shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Array:
    """`numpy.empty`."""
    if order == "C" and device is None and like is None and (type(shape) is tuple or type(shape) is int):
        return _pooled(shape, dtype)
    return np.empty(shape, dtype, order, device=device, like=like)


def zeros(shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Array:
    """`numpy.zeros`."""
    if _is_plain(order, device, like):
        found = _from_pool(shape, dtype)
        if found is not None:
            return _cleared(found)
    return np.zeros(shape, dtype, order, device=device, like=like)


def ones(shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Array:
    """`numpy.ones`."""
    if _is_plain(order, device, like):
        found = _from_pool(shape, dtype)
        if found is not None:
            return _filled(found, 1)
    return np.ones(shape, dtype, order, device=device, like=like)


def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None
) -> Array:
    """`numpy.full`."""
    if _is_plain(order, device, like):
        if dtype is None:
            fill_value = np.asarray(fill_value)
            dtype = fill_value.dtype
        found = _from_pool(shape, dtype)
        if found is not None:
            return _filled(found, fill_value)
    return np.full(shape, fill_value, dtype, order, device=device, like=like)


def empty_like(
    prototype: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, *, device: Any = None
) -> Array:
    """`numpy.empty_like`."""
    found = _like(prototype, dtype, order, shape, device)
    if found is not None:
        return found
    return np.empty_like(prototype, dtype, order, subok, shape, device=device)


def zeros_like(
    a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, *, device: Any = None
) -> Array:
    """`numpy.zeros_like`."""
    found = _like(a, dtype, order, shape, device)
    if found is not None:
        return _cleared(found)
    return np.zeros_like(a, dtype, order, subok, shape, device=device)


def ones_like(
    a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, *, device: Any = None
) -> Array:
    """`numpy.ones_like`."""
    found = _like(a, dtype, order, shape, device)
    if found is not None:
        return _filled(found, 1)
    return np.ones_like(a, dtype, order, subok, shape, device=device)


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: Any = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """`numpy.full_like`."""
    found = _like(a, dtype, order, shape, device)
    if found is not None:
        return _filled(found, fill_value)
    return np.full_like(a, fill_value, dtype, order, subok, shape, device=device)


def _is_plain(order: Any, device: Any, like: Any) -> bool:
    return order == "C" and device is None and like is None


def _from_pool(shape: Any, dtype: Any) -> Array | None:
    """An array of the pool; None if it would be a small one, for which NumPy's own function is as good."""
    if type(shape) is int:
        shape = (shape,)
    if type(shape) is not tuple or prod(map(index, shape)) < FEW:
        return None
    found = _pooled(shape, dtype)
    return found if POOL.owns(found) else None


def _like(prototype: Any, dtype: Any, order: Any, shape: Any, device: Any) -> Array | None:
    """An array of the pool if that is what NumPy would make, but for the memory."""
    if type(prototype) is not np.ndarray or order not in ("K", "C", "A") or device is not None:
        return None
    if shape is not None or prototype.size < FEW:
        return None
    # Row-major is what "K" and "A" make of a row-major prototype, and of nothing else in every case.
    if order == "C" or prototype.flags.c_contiguous:
        return _from_pool(prototype.shape, prototype.dtype if dtype is None else dtype)
    return None


def _cleared(array: Array) -> Array:
    # All bytes, as NumPy does it: filling with the number 0 would write the text "0" into an array of strings.
    array.reshape(-1).view(np.uint8).fill(0)
    return array


def _filled(array: Array, value: Any) -> Array:
    np.copyto(array, value, casting="unsafe")
    return array


def _hood() -> ModuleType:
    module = ModuleType("numpy", np.__doc__)
    # A copied dictionary makes `xp.add` one look-up. NumPy's own `__getattr__` comes along and imports what is lazy.
    module.__dict__.update(np.__dict__)
    for function in (empty, zeros, ones, full, empty_like, zeros_like, ones_like, full_like):
        setattr(module, function.__name__, function)
    return module


XP: Final[Any] = _hood()
