"""One call under every amount of static knowledge, for property tests.

`run_knowing_less` feeds arrays through placeholders of which only some sizes, or not even the rank, are declared; what
the graph claims about the result must then hold for what the run returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import penstock as tf

Array = np.ndarray[Any, np.dtype[Any]]

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
RANKED_SHAPES = hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4)


def numbered(shape: Iterable[int]) -> Array:
    """An int32 array of that shape in which every element is another number."""
    sizes = tuple(shape)
    return np.arange(1, 1 + int(np.prod(sizes)), dtype=np.int32).reshape(sizes)


def run_knowing_less(draw: Callable[[st.SearchStrategy[Any]], Any], build: Callable[..., Any], *arrays: Array) -> Any:
    """What `build(*placeholders)` gives for `arrays`, after checking the static shapes it claimed."""
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        tensors = [tf.placeholder(array.dtype, draw(_what_is_known(array))) for array in arrays]
        result = build(*tensors)
        values = session.run(result, dict(zip(tensors, arrays, strict=True)))
    for tensor, value in zip(*(r if isinstance(r, list) else [r] for r in (result, values)), strict=True):
        assert np.shape(value) == shape_claimed(tensor, np.shape(value))
    return values


def shape_claimed(tensor: tf.Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The static shape, its open parts taken from `shape`."""
    claimed = tensor.shape.dims
    if claimed is None:
        return shape
    open_filled = [d.value for d in claimed]
    if len(open_filled) != len(shape):
        return tuple(-1 if size is None else size for size in open_filled)
    return tuple(found if size is None else size for size, found in zip(open_filled, shape, strict=True))


def _what_is_known(array: Array) -> st.SearchStrategy[list[int | None] | None]:
    sizes = st.tuples(*(st.sampled_from([size, None]) for size in array.shape))
    return st.none() | sizes.map(list)


def shape_text(tensor: tf.Tensor) -> str:
    """The static shape as it prints: `(2*batch, 3)`."""
    return str(tensor.shape)
