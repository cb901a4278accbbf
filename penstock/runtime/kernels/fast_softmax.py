"""Fast kernels of softmax, log_softmax and the softmax cross entropies: one pass over the logits."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..memory.buffer_pool import POOL, SMALL
from .native_loops import find_for_few, in_shares, shares
from .softmax_loops import WIDEST, is_ready

KINDS = {np.dtype(np.float32): "f4", np.dtype(np.float64): "f8"}
_LABELS = {np.dtype(np.int32): "i4", np.dtype(np.int64): "i8"}
_DENSE = 0x101
"""NumPy's flags of a contiguous (0x1) and aligned (0x100) array."""
SECONDS = 2e-9
"""What a loop takes for an element."""


def softmax(xp: Any, logits: Any, axis: int) -> Any:
    """exp(x) / sum(exp(x)) along the last axis."""
    return _along_rows("softmax", logits, axis)


def log_softmax(xp: Any, logits: Any, axis: int) -> Any:
    """x - log(sum(exp(x))) along the last axis."""
    return _along_rows("log_softmax", logits, axis)


def _along_rows(name: str, x: Any, axis: int) -> Any:
    if axis not in (-1, x.ndim - 1) or not is_served(x):
        return None
    loop = find_for_few(name, KINDS[x.dtype], work=x.size)
    if loop is None:
        return None
    width = x.shape[-1]
    rows = x.size // width
    out = _empty(x.shape, x.dtype)
    divided = shares(rows, x.size * SECONDS)
    if len(divided) == 1:
        loop(out, x, rows, width)
        return out
    given, made = x.reshape(rows, width), out.reshape(rows, width)
    in_shares(divided, lambda _, start, stop: loop(made[start:stop], given[start:stop], stop - start, width))
    return out


def cross_entropy(xp: Any, features: Any, labels: Any) -> Any:
    """(loss, backprop) of matrices of one shape."""
    if labels.shape != features.shape or labels.dtype is not features.dtype or not is_served(labels):
        return None
    return _entropies("cross_entropy", (KINDS[features.dtype],), features, labels)


def sparse_cross_entropy(xp: Any, features: Any, labels: Any) -> Any:
    """(loss, backprop) of a matrix and a vector of classes; None for a class that does not exist."""
    kind = _LABELS.get(labels.dtype)
    if kind is None or labels.shape != features.shape[:1] or labels.flags.num & _DENSE != _DENSE:
        return None
    return _entropies("sparse_cross_entropy", (KINDS.get(features.dtype), kind), features, labels)


def _entropies(name: str, key: tuple[str | None, ...], x: Any, labels: Any) -> Any:
    if x.ndim != 2 or not is_served(x):
        return None
    loop = find_for_few(name, *key, work=x.size)
    if loop is None:
        return None
    rows, width = x.shape
    loss, out = _empty((rows,), x.dtype), _empty(x.shape, x.dtype)
    ends = in_shares(
        shares(rows, x.size * SECONDS),
        lambda _, start, stop: loop(
            out[start:stop], x[start:stop], labels[start:stop], loss[start:stop], stop - start, width
        ),
    )
    return None if any(ends) else (loss, out)


def is_served(x: Any) -> bool:
    """Whether a loop takes these logits."""
    return (
        x.dtype in KINDS and x.ndim > 0 and 0 < x.shape[-1] <= WIDEST and x.size > 0
        and x.flags.num & _DENSE == _DENSE and is_ready()
    )  # fmt: skip


def _empty(shape: tuple[int, ...], dtype: Any) -> Any:
    return np.empty(shape, dtype) if prod(shape) * dtype.itemsize < SMALL else POOL.empty(shape, dtype)
