"""`XP`: NumPy with `empty`, `zeros`, `ones` and `full` that take the memory of large arrays from the pool.

It is the `xp` of kernels on the CPU. Every other name is NumPy's own object. The four functions keep their meaning for
every argument; calls that the pool does not support (column-major order, subclasses, `like=`, a dtype of Python objects
or subarrays) are passed on to NumPy.
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
    found = _from_pool(shape, dtype, order, device, like)
    if found is None:
        return np.zeros(shape, dtype, order, device=device, like=like)
    # Fill bytes, as NumPy does: filling with the number 0 would write the text "0" into an array of strings.
    found.reshape(-1).view(np.uint8).fill(0)
    return found


def ones(shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Array:
    """`numpy.ones`."""
    found = _from_pool(shape, dtype, order, device, like)
    if found is None:
        return np.ones(shape, dtype, order, device=device, like=like)
    np.copyto(found, 1, casting="unsafe")
    return found


def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None
) -> Array:
    """`numpy.full`."""
    found = _from_pool(shape, np.asarray(fill_value).dtype if dtype is None else dtype, order, device, like)
    if found is None:
        return np.full(shape, fill_value, dtype, order, device=device, like=like)
    np.copyto(found, fill_value, casting="unsafe")
    return found


def _from_pool(shape: Any, dtype: Any, order: Any, device: Any, like: Any) -> Array | None:
    """An array of the pool; None if the pool does not support the call, or for a small array, which NumPy makes as
    fast.
    """
    if order != "C" or device is not None or like is not None:
        return None
    if type(shape) is int:
        shape = (shape,)
    if type(shape) is not tuple or prod(map(index, shape)) < FEW:
        return None
    found = _pooled(shape, dtype)
    return found if POOL.owns(found) else None


def _pooling_numpy() -> ModuleType:
    module = ModuleType("numpy", np.__doc__)
    # A copied dictionary makes `xp.add` one look-up. It includes NumPy's `__getattr__`, which imports lazy submodules.
    module.__dict__.update(np.__dict__)
    for function in (empty, zeros, ones, full):
        setattr(module, function.__name__, function)
    return module


XP: Final[Any] = _pooling_numpy()
