"""Shared by the tests of elementwise ops: arrays of awkward values, a run, and a comparison of bits."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.graph.shapes.dtypes import ALL, DType

Array = np.ndarray[Any, np.dtype[Any]]
Build = Callable[..., Tensor]

INTS = tuple(d for d in ALL if d.is_integer)
SIGNED = tuple(d for d in INTS if not d.is_unsigned)
FLOATS = tuple(d for d in ALL if d.is_floating)
HALVES = (tf.float16, tf.bfloat16)
COMPLEX = tuple(d for d in ALL if d.is_complex)
REALS = INTS + FLOATS
NUMBERS = REALS + COMPLEX

_PRECISION = {np.dtype(np.float64): 52, np.dtype(np.float32): 23, np.dtype(np.float16): 10, tf.bfloat16.np: 7}

_SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 3.0, 1e30, -7.25, float("inf"), -float("inf"), float("nan"))


def elements(dtype: DType) -> st.SearchStrategy[Any]:
    """Values of a dtype, often those at which laws break."""
    if dtype.is_bool:
        return st.booleans()
    if dtype.is_string:
        return st.binary(max_size=2)
    if dtype.is_integer:
        ends = [dtype.min, dtype.min + 1, 0, 1, 2, 3, dtype.max - 1, dtype.max]
        return st.sampled_from(ends) | st.integers(dtype.min, dtype.max)
    real = st.sampled_from(_SPECIAL) | st.floats(-100.0, 100.0, width=16)
    return st.builds(complex, real, real) if dtype.is_complex else real


def array(values: Sequence[Any], shape: Sequence[int], dtype: DType) -> Array:
    """The values as an array of `dtype`, rounded where it must be."""
    made = np.empty(len(values), object)
    made[:] = values
    with np.errstate(all="ignore"):
        if dtype == tf.bfloat16:
            made = made.astype(np.float32)
        return made.astype(dtype.np).reshape(shape)


@st.composite
def arrays(draw: st.DrawFn, dtype: DType, shape: Sequence[int] | None = None) -> Array:
    """An array of `dtype`, scalars and empty ones included."""
    if shape is None:
        shape = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4))
    count = int(np.prod(shape))
    return array(draw(st.lists(elements(dtype), min_size=count, max_size=count)), shape, dtype)


@st.composite
def pairs(draw: st.DrawFn, dtype: DType) -> tuple[Array, Array]:
    """Two arrays of `dtype` whose shapes broadcast."""
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, min_side=0, max_side=3)).input_shapes
    x, y = (draw(arrays(dtype, shape)) for shape in shapes)
    return x, y


def of_dtypes(strategy: Callable[[DType], st.SearchStrategy[Any]], dtypes: Sequence[DType]) -> st.SearchStrategy[Any]:
    """The strategy for each of some dtypes."""
    return st.sampled_from(dtypes).flatmap(strategy)


def run(build: Build, *values: Array) -> Array:
    """What `build` of placeholders gives when fed with `values`; its static dtype and shape must agree with it."""
    with tf.Graph().as_default() as graph:
        fed = [tf.placeholder(v.dtype, [None] * v.ndim) for v in values]
        result = build(*fed)
    with tf.Session(graph=graph) as session:
        got = session.run(result, dict(zip(fed, values, strict=True)))
    found = np.empty((), object) if isinstance(got, bytes) else np.asarray(got)
    if isinstance(got, bytes):
        found[()] = got
    assert found.dtype == result.dtype.np
    assert result.shape.is_compatible_with(found.shape)
    return found


def wrapped(values: Any, dtype: DType) -> Array:
    """Python ints reduced to what `dtype` holds, in two's complement."""
    exact = np.asarray(values, object)
    bits = 8 * dtype.size
    made = np.empty(exact.shape, dtype.np)
    for at, value in np.ndenumerate(exact):
        made[at] = (int(value) - dtype.min) % (1 << bits) + dtype.min
    return made


def rounded(exact: Any, dtype: DType) -> Array:
    """Float64 results as `dtype`; 16-bit floats by way of float32, as they are computed."""
    with np.errstate(all="ignore"):
        wide = np.asarray(exact)
        return (wide.astype(np.float32) if dtype in HALVES else wide).astype(dtype.np)


def exactly(x: Array) -> Array:
    """The same values as Python ints (of ints), or as float64 or complex128."""
    if x.dtype.kind in "iu":
        return x.astype(object)
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def same(got: Array, want: Array, ulps: int = 0) -> bool:
    """Of one dtype and shape, and of equal values: NaN equals NaN, floats may differ by units in the last place."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if got.dtype.kind in "biuO":
        return bool((got == want).all())
    if got.dtype.kind == "c":
        got, want = (np.ascontiguousarray(a).reshape(-1).view(a.real.dtype) for a in (got, want))
    with np.errstate(all="ignore"):
        g, w = got.astype(np.float64), want.astype(np.float64)
        least = 2.0**-14 if got.dtype == np.float16 else 2.0**-126
        unit = 2.0 ** -_PRECISION[got.dtype] * np.maximum(np.abs(w), least)
        return bool(((g == w) | (np.isnan(g) & np.isnan(w)) | (np.abs(g - w) <= ulps * unit)).all())
