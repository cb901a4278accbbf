"""NumPy functions on tensors whose arguments differ from those of the op that they build.

`np.concatenate([t, u], axis=1)` on tensors builds `concat(1, [t, u])`. Each function below has the signature of
the NumPy function it serves; the table at the end pairs them. Where NumPy's arguments are those of an op, the op's
declaration names the function instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import UseError
from ...graph.common.hooks import hooks
from ...graph.declare.signature import as_ints
from ...graph.model.nodes import Tensor
from ..create.shape_size_rank import shape, size
from .concat_stack import concat, stack
from .reshaping import expand_dims, reshape, squeeze
from .slicing import split
from .tile_pad import pad, tile
from .transpose_reverse import reverse, transpose


def _tensor(value: Any) -> Tensor:
    made: Tensor = hooks.operators["convert"](value)
    return made


def _known_rank(a: Tensor, call: str) -> int:
    if a.shape.ndims is None:
        raise UseError(f"{call}: the rank of {a!r} is not known, and the dimensions are counted from it; "
                       "give the tensor a shape with t.set_shape")  # fmt: skip
    return a.shape.ndims


def _concatenate(arrays: Sequence[Any], /, axis: int | None = 0) -> Tensor:
    if axis is None:
        return concat(0, [reshape(a, [-1]) for a in arrays])
    return concat(axis, arrays)


def _stack(arrays: Sequence[Any], axis: int = 0) -> Tensor:
    return stack(arrays, axis)


def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    if isinstance(indices_or_sections, (int, np.integer)):
        return split(axis, int(indices_or_sections), ary)
    a = _tensor(ary)
    at = axis % max(_known_rank(a, "np.split"), 1)
    cuts = [None, *as_ints(indices_or_sections), None]
    before = (slice(None),) * at
    return [a[(*before, slice(start, stop))] for start, stop in itertools.pairwise(cuts)]


def _reshape(a: Any, /, shape: Any) -> Tensor:
    return reshape(a, [shape] if isinstance(shape, (int, np.integer)) else shape)


def _ravel(a: Any) -> Tensor:
    return reshape(a, [-1])


def _transpose(a: Any, axes: Any = None) -> Tensor:
    return transpose(a, axes)


def _swapaxes(a: Any, axis1: int, axis2: int) -> Tensor:
    order = list(range(_known_rank(_tensor(a), "np.swapaxes")))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return transpose(a, order)


def _moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    # NumPy itself works the order out, on an array whose sizes are the numbers of its dimensions: it has no elements.
    numbered = np.empty(tuple(range(_known_rank(_tensor(a), "np.moveaxis"))))
    return transpose(a, np.moveaxis(numbered, source, destination).shape)


def _squeeze(a: Any, axis: Any = None) -> Tensor:
    return squeeze(a, axis)


def _expand_dims(a: Any, axis: int) -> Tensor:
    return expand_dims(a, axis)


def _tile(A: Any, reps: Any) -> Tensor:
    a, factors = _tensor(A), list(as_ints(reps))
    missing = len(factors) - _known_rank(a, "np.tile")
    if missing > 0:
        a = a[(None,) * missing]
    return tile(a, [1] * -missing + factors)


def _pad(array: Any, pad_width: Any, mode: str = "constant") -> Tensor:
    if mode != "constant":
        raise UseError(f"np.pad(t, mode={mode!r}): tensors are padded with zeros only, which is mode='constant'")
    a = _tensor(array)
    return pad(a, np.broadcast_to(pad_width, (_known_rank(a, "np.pad"), 2)))


def _flip(m: Any, axis: Any = None) -> Tensor:
    known = _known_rank(_tensor(m), "np.flip")
    turned = range(known) if axis is None else [a % known for a in as_ints(axis)]
    return reverse(m, [i in turned for i in range(known)])


def _size(a: Any, axis: int | None = None) -> Tensor:
    return size(a) if axis is None else shape(a)[axis]


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.split: _split,
    np.reshape: _reshape,
    np.ravel: _ravel,
    np.transpose: _transpose,
    np.swapaxes: _swapaxes,
    np.moveaxis: _moveaxis,
    np.squeeze: _squeeze,
    np.expand_dims: _expand_dims,
    np.tile: _tile,
    np.pad: _pad,
    np.flip: _flip,
    np.size: _size,
}
"""NumPy's function -> what it builds on tensors."""
