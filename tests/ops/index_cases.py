"""Shared by the tests of index ops: arrays of every dtype with awkward values and layouts, and a way to run."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

import penstock as tf

Array = np.ndarray[Any, np.dtype[Any]]

_FLOATS = [0.0, -0.0, 1.5, -2.25, float("nan"), float("inf"), -float("inf"), 3.0]
_INTS = [0, 1, 2, 3, 5, 7, 100, 127]
POOLS: dict[str, Array] = {
    "bool": np.array([True, False] * 4),
    **{name: np.array(_INTS, name) for name in ("u1", "u2", "u4", "u8")},
    **{name: np.array([-i if i % 2 else i for i in _INTS], name) for name in ("i1", "i2", "i4", "i8")},
    **{name: np.array(_FLOATS, name) for name in ("f2", "f4", "f8", "c8", "c16")},
    "bfloat16": np.array(_FLOATS, "f4").astype(tf.bfloat16.np),
    "string": np.array([b"", b"a", b"b\0", b"longer than a pointer", b"\xff", b"a ", b"A", b"aa"], object),
}

dtypes = st.sampled_from(sorted(POOLS))
sizes = st.integers(0, 4)
shapes = st.lists(sizes, max_size=3).map(tuple)


@st.composite
def values(draw: st.DrawFn, shape: Sequence[int], dtype: str) -> Array:
    """An array of that shape from the pool of awkward values, in some layout."""
    places = draw(st.lists(st.integers(0, 7), min_size=prod(shape), max_size=prod(shape)))
    return draw(laid_out(POOLS[dtype][np.array(places, int)].reshape(tuple(shape))))


@st.composite
def laid_out(draw: st.DrawFn, array: Array) -> Array:
    """The same values somewhere else in memory: row by row, column by column, spread out, backwards."""
    match draw(st.integers(0, 3)):
        case 1 if array.ndim:  # NumPy would make a vector of a scalar
            return np.asfortranarray(array)
        case 2 if array.ndim:
            wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
            wide[..., ::2] = array
            return wide[..., ::2]
        case 3 if array.ndim:
            return np.ascontiguousarray(array[::-1])[::-1]
    return array


@st.composite
def index_arrays(draw: st.DrawFn, shape: Sequence[int], size: int, dtype: str = "i4") -> Array:
    """Indices into [0, size); no entries where there is nothing to name."""
    count = prod(shape)
    entries = draw(st.lists(st.integers(0, max(size - 1, 0)), min_size=count, max_size=count))
    return draw(laid_out(np.array(entries, dtype).reshape(tuple(shape))))


def run(call: Callable[..., Any], *arrays: Any, known: bool = True) -> Any:
    """What `call` gives for placeholders fed with `arrays` (lists of arrays become lists of placeholders)."""
    feeds: dict[Any, Any] = {}

    def fed(array: Any) -> Any:
        if isinstance(array, list):
            return [fed(each) for each in array]
        tensor = tf.placeholder(tf.as_dtype(array.dtype), array.shape if known else None)
        feeds[tensor] = array
        return tensor

    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        result = call(*map(fed, arrays))
        got = session.run(result, feeds)
        tensors, found = (result, got) if isinstance(result, (list, tuple)) else ([result], [got])
        for tensor, each in zip(tensors, found, strict=True):
            shape = () if isinstance(each, bytes) else each.shape
            assert tensor.shape.is_compatible_with(shape), f"{tensor} gave {shape}"
    return got


def message_of(call: Callable[..., Any], *arrays: Any, known: bool = False) -> str:
    """The bare message of the InvalidArgumentError that the run gives."""
    try:
        result = run(call, *arrays, known=known)
    except tf.errors.InvalidArgumentError as error:
        return error.message
    raise AssertionError(f"no error, but {result}")


def same(got: Any, want: Any) -> bool:
    """Equal dtype, shape and values; zeros keep their sign, all NaNs are one value."""
    if isinstance(got, bytes) or isinstance(want, bytes):
        got, want = (np.array(each, object) for each in (got, want))
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if got.dtype.kind in "fcV" or got.dtype == tf.bfloat16.np:
        if got.dtype.kind == "c":
            return same(got.real, want.real) and same(got.imag, want.imag)
        got, want = got.astype("f8"), want.astype("f8")
        return bool(np.array_equal(got, want, equal_nan=True) and (np.signbit(got) | np.isnan(got)).tolist()
                    == (np.signbit(want) | np.isnan(want)).tolist())  # fmt: skip
    return bool(np.array_equal(got, want))


def empty(shape: Sequence[int], like: Array) -> Array:
    """An array to be filled, of zeros or empty strings."""
    return np.full(tuple(shape), b"" if like.dtype == object else 0, like.dtype)
