"""Why a run may refuse operands, judged by their static shapes: what several `fails` rules have in common.

Each function gives None where every run accepts them, and else the reason, as `graph.failing` wants it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..graph.operation import Tensor
from ..graph.values import known_value, known_vector
from .checks import least


def never(*args: Any) -> None:
    """The rule of ops that no run can fail at."""


def why_shapes_may_differ(values: Sequence[Tensor], along: int | None = None) -> str | None:
    """None if all have one shape in every run, apart from dimension `along`."""
    first = values[0].shape.raw
    for value in values[1:]:
        dims = value.shape.raw
        if dims is None or first is None or _without(dims, along) != _without(first, along):
            return "whether the values have one shape is not known before the run"
    return None


def _without(dims: tuple[Any, ...], along: int | None) -> tuple[Any, ...]:
    return dims if along is None else (*dims[:along], *dims[along + 1 :])


def why_rows_may_be_missing(params: Tensor, indices: Tensor) -> str | None:
    """None if `indices` are rows of `params` in every run."""
    dims, places = params.shape.raw, known_value(indices)
    if not dims or places is None:
        return "which rows are meant is not known before the run"
    inside = not places.size or 0 <= places.min() <= places.max() < least(dims[0])
    return None if inside else "whether the indices lie inside is not known before the run"


def why_sizes_are_open(dims: Tensor, value: Tensor) -> str | None:
    """None if every entry of `dims` is known to be a size, and `value` to be a scalar."""
    entries = known_vector(dims)
    known = entries is not None and None not in entries and value.shape.ndims == 0
    return None if known else "a size is not known before the run"
