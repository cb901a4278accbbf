"""The nests of steps in bodies, computed step by step, give what NumPy gives; `test_random_loops` tests their code."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from penstock.graph.declare.op_declaration import OPS
from penstock.graph.shapes.dtypes import DType, float32, float64, int8, int32, int64, uint8
from penstock.runtime.ir.scalar_ir import CannotLower
from penstock.runtime.loops.body_nests import (
    column_reduction,
    divisor_check,
    place_at,
    place_of_extreme,
    place_of_row,
    row_calls,
    row_reduction,
    strided_copy,
)
from tests.runtime.nest.by_steps import by_steps

Array = np.ndarray[Any, Any]


def test_elements_are_copied_between_strides() -> None:
    x = np.arange(24, dtype="i4").reshape(2, 3, 4)
    out = np.full((3, 8), -1, "i4")
    source = x[1, ::-1, ::2]  # 3 x 2 elements
    start = np.lib.stride_tricks.as_strided(source, (1,), (4,))
    assert by_steps(strided_copy(((3, 32, source.strides[0]), (2, 4, source.strides[1])), 4))(out, start) == 0
    assert np.array_equal(out[:, :2], source)
    assert (out[:, 2:] == -1).all()


def test_pieces_are_copied_at_once() -> None:
    nest = strided_copy(((3, 8, 0),), 8)
    assert str(nest) == "copy(out, x)\nfor a0 < 3\n  %3 = x[0]  8 bytes\n  out[a0*8] = %3\n0"
    out = np.zeros((3, 2), "f4")
    by_steps(nest)(out, np.array([1.5, 2.5], "f4"))
    assert out.tolist() == [[1.5, 2.5]] * 3


@pytest.mark.parametrize(("index", "place"), [(0, 0), (4, 80), (-1, 80), (-5, 0)])
def test_an_index_may_count_from_the_end(index: int, place: int) -> None:
    assert by_steps(place_at(5, 20))(index) == place


@pytest.mark.parametrize("index", [5, -6, 2**40, -(2**62)])
def test_an_index_out_of_range_ends_the_nest(index: int) -> None:
    assert by_steps(place_at(5, 20))(index) == -1


@pytest.mark.parametrize(
    ("index", "place"), [([0, 0], 0), ([2, 1], 2 * 40 + 8), ([3, 0], 0), ([0, 5], 0), ([-1, 0], 0)]
)
@pytest.mark.parametrize("dtype", ["i4", "i8"])
def test_an_index_vector_names_a_row(index: list[int], place: int, dtype: str) -> None:
    assert by_steps(place_of_row(dtype, (3, 5), (40, 8)))(np.array(index, dtype)) == place


@pytest.mark.parametrize("dtype", [float32, float64, int8, uint8, int64])
@pytest.mark.parametrize("is_most", [True, False])
@pytest.mark.parametrize("rows", [1, 4])
def test_the_place_of_an_extreme_is_that_of_numpy(dtype: DType, is_most: bool, rows: int) -> None:
    rng = np.random.default_rng(rows)
    x = rng.integers(-4 if dtype is not uint8 else 0, 250 if dtype is uint8 else 5, (rows, 9)).astype(dtype.np)
    for out in (int32, int64):
        found = np.zeros(rows, out.np)
        by_steps(place_of_extreme(dtype, rows, 9, is_most, out))(found, x)
        assert found.tolist() == (x.argmax(1) if is_most else x.argmin(1)).tolist()


@pytest.mark.parametrize("row", [
    [np.nan, 1, 3, np.nan, 3], [np.nan] * 5, [np.nan, -np.inf, -np.inf, np.nan, -np.inf], [2, np.nan, 3, 3, -np.inf],
    [-np.inf] * 5, [np.inf, np.nan, np.inf, 1, -1], [np.nan, np.inf, np.inf, 1, -1], [-0.0, 0.0, 0, -0.0, np.nan],
])  # fmt: skip
@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
def test_nans_are_never_extreme(row: list[float], op: str) -> None:
    x = np.array([row], "f4")
    found = np.zeros(1, "i8")
    by_steps(place_of_extreme(float32, 1, 5, op == "ArgMax", int64))(found, x)
    assert found.tolist() == OPS[op].kernels["*"](np, x, np.array(1), int64).tolist()


def test_zeros_among_divisors_end_the_nest() -> None:
    walk = by_steps(divisor_check(int32, 4))
    divisors = [1, -2, 3, 4], [1, 2, 3, 0], [0, 1, 0, 2], [1, 2, 0, 1 << 30]
    assert [walk(np.array(x, "i4")) for x in divisors] == [4, 3, 0, 2]


@pytest.mark.parametrize(("op", "dtype"), [("Sum", float32), ("Mean", float64), ("Max", int32), ("Prod", int64)])
@pytest.mark.parametrize("rows", [1, 2, 5])
def test_columns_are_combined_row_by_row(op: str, dtype: DType, rows: int) -> None:
    rule = OPS[op].reduction
    assert rule is not None
    x = (np.random.default_rng(0).normal(size=(rows, 3)) * 3).astype(dtype.np)
    out, total = np.zeros(3, dtype.np), np.zeros(3, dtype.np)
    is_total = rule.finish is None
    by_steps(column_reduction(rule, dtype, rows, 3, dtype))(out, x, out if is_total else total)
    wanted = x[0].copy()
    for row in x[1:]:
        wanted = rule.ufunc(wanted, row)
    assert out.tobytes() == (wanted if is_total else rule.finish(wanted, rows, dtype)).tobytes()  # type: ignore[misc]


@pytest.mark.parametrize("rows", [1, 3])
def test_sums_of_columns_of_negative_zeros_are_those_of_numpy(rows: int) -> None:
    rule = OPS["Sum"].reduction
    assert rule is not None
    x = np.full((rows, 4), -0.0, "f4")
    out = np.ones(4, "f4")
    by_steps(column_reduction(rule, float32, rows, 4, float32))(out, x, out)
    assert out.tobytes() == x.sum(0).tobytes() == bytes(16)


@pytest.mark.parametrize("rows", [1, 3])
def test_rows_are_reduced_by_a_function_and_finished(rows: int) -> None:
    rule = OPS["Mean"].reduction
    assert rule is not None
    x = np.arange(rows * 4, dtype="f4").reshape(rows, 4)
    out, total = np.zeros(rows, "f4"), np.zeros(1, "f4")

    def fold(row: int, count: int, to: int) -> None:
        values = np.frombuffer(ctypes.string_at(row, 4 * count), "f4")
        ctypes.memmove(to, np.float32(values.sum()).tobytes(), 4)

    nest = row_reduction(rule, "fold", float32, rows, 4, float32)
    assert ("for i < 3" in str(nest)) == (rows == 3)
    by_steps(nest, {"fold": fold})(out, x, total)
    assert out.tolist() == x.mean(1).tolist()


def test_a_finish_that_takes_no_single_numbers_has_no_nest() -> None:
    rule = OPS["Mean"].reduction
    assert rule is not None
    broken = type(rule)(rule.ufunc, rule.axes, rule.keepdims, rule.how, rule.wide, lambda total, *_: float(total))
    with pytest.raises(CannotLower, match="does not take single numbers"):
        row_reduction(broken, "fold", float32, 2, 4, float32)


def test_a_function_is_called_for_each_row_of_strided_arrays() -> None:
    nest = row_calls("tile0", (2, 3, 5), [[60, 20, 4], [0, 4, 0]])
    lines = ["elements(x0, x1)", "for a0 < 2", "  for a1 < 3", "    tile0(x0[a0*60 + a1*20], x1[a1*4], 5)", "0"]
    assert str(nest).splitlines() == lines
