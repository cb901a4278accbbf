"""Running sums and products: with loops and threads the bits of NumPy, and nothing is touched beside the arrays."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.shapes.dtypes import bfloat16

from .buffers import Guarded, guarded, same_bits
from .fences import loop, loops_at_once, needs_the_tier, run
from .test_shared_copies import THREADS, shared_by

pytestmark = needs_the_tier

DTYPES = [np.dtype(name) for name in ("i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16")] + [bfloat16.np]
SHAPES = [(0,), (1,), (7,), (1000,), (1, 9), (9, 1), (3, 4), (5, 65), (66, 3, 2), (2, 3, 4, 5), (3, 0, 2), (200, 300)]


def values(shape: Any, dtype: Any) -> Any:
    rng = np.random.default_rng(0)
    x = np.asarray(rng.normal(size=shape) * 50).astype(dtype)
    x = x if x.dtype.kind != "c" else x + np.asarray(1j * rng.normal(size=shape)).astype(dtype)
    if x.dtype.kind not in "iu" and x.size:
        x.reshape(-1)[::3] = -0.0
    return x


def check(name: str, x: Any, axis: int, exclusive: bool = False, reverse: bool = False) -> list[str]:
    """Loops and threads against the plain kernel; the loops that were used."""
    arguments = x, np.array(axis), exclusive, reverse
    expected = plain(name, *arguments)
    names: list[str] = []
    for threads in (1, *THREADS):
        for on in (True, False):
            with shared_by(threads), loops_at_once(on) as handed, np.errstate(all="ignore"):
                assert same_bits(run(OPS[name], *arguments), expected)
            names += handed.names
    return names


def plain(name: str, x: Any, axis: Any, exclusive: bool, reverse: bool) -> Any:
    """By NumPy alone."""
    axis = int(axis) % x.ndim
    ufunc, neutral = (np.cumsum, 0) if name == "Cumsum" else (np.cumprod, 1)
    x = np.flip(x, axis) if reverse else x
    if exclusive and x.shape[axis]:
        first = np.full_like(np.take(x, [0], axis), neutral)
        x = np.concatenate([first, np.take(x, range(x.shape[axis] - 1), axis)], axis)
    with np.errstate(all="ignore"):
        found = ufunc(x, axis, x.dtype)
    return np.ascontiguousarray(np.flip(found, axis) if reverse else found)


@pytest.mark.share(12)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_axis_and_direction(shape: tuple[int, ...], dtype: Any) -> None:
    x = values(shape, dtype)
    for axis in range(x.ndim):
        for exclusive in (False, True):
            for reverse in (False, True):
                check("Cumsum", x, axis, exclusive, reverse)
                check("Cumprod", x, axis, exclusive, reverse)


def test_views_are_left_to_numpy() -> None:
    x = values((300, 40), np.dtype("f4"))
    for view in (x.T, x[::-1], x[:, ::2], x[3:, 1:]):
        assert check("Cumsum", view, 0) == check("Cumsum", view, 1) == []


def test_which_loop_is_used() -> None:
    x = values((300, 40), np.dtype("f4"))
    assert set(check("Cumsum", x, 0)) == {"running_sums"}
    assert set(check("Cumsum", x, -1, True, True)) == {"running_sums_of_rows"}
    assert set(check("Cumsum", x.reshape(-1), 0)) == {"running_sums_of_rows"}
    assert set(check("Cumprod", x, 0)) == {"running_sums"}
    assert set(check("Cumprod", x, 1)) == {"running_sums_of_rows"}
    assert check("Cumsum", x.astype("i4").reshape(-1), 0) == check("Cumprod", x.astype("c8"), 0) == []


def test_beyond_the_caches() -> None:
    x = values((30, 40_001), np.dtype("f4"))
    for axis in (0, 1):
        check("Cumsum", x, axis)


def test_an_axis_out_of_range_is_told_in_the_same_words() -> None:
    with shared_by(2), pytest.raises(tf.errors.InvalidArgumentError, match=r"in the range \[-2, 2\), but got 2"):
        run(OPS["Cumsum"], np.zeros((5, 5), "f4"), np.array(2), False, False)


@pytest.mark.share(2)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "c16", "f2"])
@given(st.integers(0, 9), st.integers(0, 40), st.integers(0, 3), st.integers(0, 3))
def test_nothing_is_touched_beside_the_arrays(dtype: str, rows: int, width: int, images: int, off: int) -> None:
    x = guarded(values((images, rows, width), dtype), off)
    out = Guarded((images, rows + 1, width), dtype, off)
    out.array[:, 0] = 1
    strides = out.array.strides, x.strides
    loop("running_sums", dtype, False)(
        out.array, x, rows, width, strides[0][1], strides[1][1], images, strides[0][0], strides[1][0]
    )
    out.check()
    first = np.ones((images, 1, width), dtype)
    with np.errstate(all="ignore"):
        wanted = np.cumsum(np.concatenate([first, x], 1), 1, dtype)
    assert same_bits(out.array, wanted)
    total = Guarded((images, width), dtype, off)
    total.array[...] = 1
    loop("running_sums", dtype, True)(
        total.array, x, rows, width, 0, strides[1][1], images, total.array.strides[0], strides[1][0]
    )
    total.check()
    assert same_bits(total.array, np.ascontiguousarray(wanted[:, -1]))


@pytest.mark.share(2)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "c16", "f2"])
@given(st.integers(0, 13), st.integers(0, 40), st.integers(0, 3), st.booleans())
def test_rows_side_by_side_touch_nothing_else(dtype: str, rows: int, width: int, off: int, reverse: bool) -> None:
    x = guarded(values((rows, width), dtype), off)
    out = Guarded((rows, width + 1), dtype, off)
    out.array[...] = 1
    target, source = (out.array[:, ::-1], x[:, ::-1]) if reverse else (out.array, x)
    strides = [a.strides[i] for i in (0, 1) for a in (target, source)]
    loop("running_sums_of_rows", dtype)(target, source, rows, width, *strides)
    out.check()
    with np.errstate(all="ignore"):
        wanted = np.cumsum(np.concatenate([np.ones((rows, 1), dtype), source], 1), 1, dtype)
    assert same_bits(np.ascontiguousarray(target), wanted)
