"""Sums over the first axes: with the loop and without, the same bits, and nothing is touched beside the arrays."""

from typing import Any

import numpy as np
import pytest

from penstock.graph.declare.op_declaration import OPS

from .buffers import Guarded
from .fences import loop, loops_at_once, needs_the_tier, run

pytestmark = needs_the_tier

SHAPES = [(1, 2), (5, 2), (7, 3), (128, 10), (9, 64), (9, 65), (128, 256), (3, 1000), (7, 2001), (100, 17)]
SUM = OPS["Sum"]


def _with_loops(x: Any, axes: list[int], keepdims: bool = False) -> Any:
    with loops_at_once() as handed:
        total = run(SUM, x, np.array(axes, np.int32), keepdims)
    assert handed.names == ["column_sums"]
    return total


def both(x: Any, axes: list[int], keepdims: bool = False) -> Any:
    """The sum by the loop, which must be that of NumPy."""
    made = _with_loops(x, axes, keepdims)
    wanted: Any = x.sum(tuple(axes), keepdims=keepdims)
    assert (made.shape, made.dtype) == (wanted.shape, wanted.dtype)
    assert made.tobytes() == wanted.tobytes()
    return made


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_loop_gives_the_bits_of_numpy(shape: tuple[int, int], dtype: str) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype(dtype)
    x[:, 0] = -0.0
    x[0, -1] = np.inf
    both(x, [0])
    both(x, [0], keepdims=True)


def test_several_first_axes_are_one() -> None:
    x = np.random.default_rng(0).normal(size=(4, 5, 6)).astype("f4")
    both(x, [0, 1], keepdims=True)
    both(x, [0])


@pytest.mark.parametrize("cut", [np.s_[..., :16], np.s_[..., 3:19], np.s_[:, ::2], np.s_[::-1], np.s_[..., ::2]])
def test_rows_that_lie_apart_are_copied(cut: Any) -> None:
    x = np.random.default_rng(0).normal(size=(16, 32, 32)).astype("f4")[cut]
    assert both(np.ascontiguousarray(x), [0, 1]).tobytes() == _with_loops(x, [0, 1]).tobytes()


@pytest.mark.parametrize(("x", "axis"), [
    (np.zeros((3, 4), "f4"), [1]),
    (np.zeros((3, 4), "f4"), [0, 1]),
    (np.zeros((3, 1), "f4"), [0]),
    (np.zeros((0, 4), "f4"), [0]),
    (np.zeros((3, 4), "f2"), [0]),
    (np.zeros((3, 4), "i4"), [0]),
    (np.zeros((3, 8), "f4")[:, ::2], [0]),
])  # fmt: skip
def test_other_axes_layouts_and_dtypes_are_left_to_the_plain_kernel(x: Any, axis: list[int]) -> None:
    with loops_at_once() as handed:
        run(SUM, x, np.array(axis, np.int32), False)
    assert not handed.names


@pytest.mark.parametrize("off", [0, 1, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_is_touched_beside_the_arrays(shape: tuple[int, int], off: int) -> None:
    rows, width = shape
    for dtype in ("f4", "f8"):
        x, out = Guarded(shape, dtype, off), Guarded((width,), dtype, off)
        x.array[...] = 1.0
        for key in {width if width <= 64 else 0, 0}:
            out.array[...] = 0
            assert loop("column_sums", dtype, key)(out.array, x.array, rows, width) == 0
            assert (out.array == rows).all()
        out.check()
        x.check()
