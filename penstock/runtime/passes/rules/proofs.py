"""Facts that can be proven before a run, from constants and static shapes.

A rule that removes an op also removes its checks, so the check must be proven to pass. A static shape holds in every
run. Two dimensions that print alike are equal only if they are the same symbol.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import OpError
from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Tensor
from ....ops.declare.reduction_decl import axes_of


def constant(tensor: Tensor | None) -> Any:
    """The value of a tensor if it is known before the run, else None."""
    return None if tensor is None else known_value(tensor)


def same_shape(*tensors: Tensor) -> bool:
    """True if all have one shape in every run."""
    first = tensors[0].shape.raw
    return first is not None and all(t.shape.raw == first for t in tensors)


def is_zero(value: Any) -> bool:
    """True for an array of zeros, none of them -0.0."""
    if value.dtype.kind in "OSU":
        return False
    return not value.any() and not _signs(value).any()


def is_minus_zero(value: Any) -> bool:
    """True for an array of floats that are all -0.0, of complex numbers whose parts both are."""
    parts = (value.real, value.imag) if value.dtype.kind == "c" else (value,)
    return value.dtype.kind not in "iub" and not value.any() and all(bool(_signs(part).all()) for part in parts)


def _signs(value: Any) -> Any:
    if value.dtype.kind in "iub":
        return np.zeros(value.shape, bool)
    if value.dtype.kind == "c":
        return np.signbit(value.real) | np.signbit(value.imag)
    return np.signbit(value.astype(np.float64))


def broadcasts_into(small: Tensor, large: Tensor) -> bool:
    """True if broadcasting `small` with `large` gives the shape of `large` in every run."""
    a, b = small.shape.raw, large.shape.raw
    if a == ():
        return True
    if a is None or b is None or len(a) > len(b):
        return False
    return all(p == 1 or p == q for p, q in zip(reversed(a), reversed(b), strict=False))


def known_axes(x: Tensor, axis: Tensor | None) -> tuple[int, ...] | None:
    """The axes of x, from 0 on, that a reduction along `axis` combines; None if they are not known or not valid."""
    entries, rank = constant(axis), x.shape.ndims
    if rank is None or (entries is None and axis is not None):
        return None
    try:
        return axes_of(entries, rank)
    except OpError:  # the run will refuse it
        return None
