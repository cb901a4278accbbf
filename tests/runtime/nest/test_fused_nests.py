"""Nests with groups in them: their text, and what they compute step by step and as code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.graph.shapes.dtypes import DType, bfloat16, float16, float32, of_numpy
from penstock.runtime.compiled.emit_llvm import is_direct
from penstock.runtime.ir.element_program import INSTRUCTIONS, ElementProgram, element_program, identity_program
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.ir.scalar_ir import CannotLower, Literal, ScalarStep
from penstock.runtime.nest.fused.group_elements import GroupElements, place_of
from penstock.runtime.nest.sequential.nest_table import nest_of
from tests.runtime.nest.by_steps import by_steps

from ...helpers import examples
from ..kernels.fences import Array, fenced, loop, needs_the_tier

counts = st.sampled_from((1, 2, 3, 5, 16, 17, 33))


def squares_plus(dtype: DType, own: int = -1) -> ElementProgram:
    """x * x + y."""
    body = Body((dtype, dtype), (Instruction("Mul", (Value(0), Value(0)), dtype, "m"),
                                 Instruction("Add", (Value(2), Value(1)), dtype, "a")), (Value(3),))  # fmt: skip
    return element_program(body, own)


def test_a_group_is_a_part_of_the_text() -> None:
    program = squares_plus(float32).for_rows((True, False))
    assert str(nest_of("add_made", program, "f4", 16, "i4", 1)) == """\
add_made(out, table, index, sizes, count, row)
%6 = table[0]  int64
%7 = table[8]  int64
%8 = table[16]  int64
%9 = table[24]  int64
%10 = sizes[0]  int64
for i < count
  %12 = index[i*4]  int32
  %13 = astype(%12)  int64
  check %13 < %10, else i
  for c < 16, each by itself
    %15 = out[%13*64 + c*4]  float32
    %16 = %6[i*%7 + c*4]  float32
    %17 = %8[i*%9]  float32
    %18 = multiply(%16, %16)  float32
    %19 = add(%18, %17)  float32
    %20 = add(%15, %19)  float32
    out[%13*64 + c*4] = %20
count"""


def test_what_is_no_instruction_has_no_program() -> None:
    for op, dtype, message in (("Exp", float32, "exp is a loop"), ("Neg", float16, "it converts float16")):
        body = Body((dtype,), (Instruction(op, (Value(0),), dtype, "y"),), (Value(1),))
        with pytest.raises(CannotLower, match=message):
            element_program(body)


@pytest.mark.parametrize("name", sorted(INSTRUCTIONS))
def test_what_are_called_instructions_have_instructions(name: str) -> None:
    ufunc = getattr(np, name, None)
    if not isinstance(ufunc, np.ufunc):
        assert name in ("astype", "where")
        return
    kinds = []
    for kind in ("f4", "i4", "?"):
        try:
            dtypes = ufunc.resolve_dtypes((*[np.dtype(kind)] * ufunc.nin, None))
        except TypeError:
            continue
        step = ScalarStep(name, tuple(map(Value, range(ufunc.nin))), of_numpy(dtypes[-1]))
        if dtypes[0] == np.dtype(kind) and is_direct(step, tuple(map(of_numpy, dtypes[:-1]))):
            kinds.append(kind)
    assert kinds and ("f4" in kinds or name in ("invert", "logical_xor") or name.startswith(("bitwise", "logical")))


def test_operands_have_one_stride_for_each_axis() -> None:
    x = np.zeros((4, 6, 5), np.float32)
    address = x.ctypes.data
    assert place_of(x, [2]) == [address, 20, 4]
    assert place_of(x, [1, 2]) == [address, 120, 20, 4]
    assert place_of(x[:, :4], [2]) is None  # rows of an image have gaps that images do not have
    assert place_of(x[::-1], [1], turned=0) == [address, 120, 4]
    assert place_of(np.broadcast_to(x[:1, :1], x.shape), [2]) == [address, 0, 4]
    group = GroupElements(identity_program(float32, is_own=False), (x.transpose(2, 1, 0),), (5, 6, 4))
    assert group.placed([2]) is None  # its rows have gaps
    assert group.stand_in().shape == (5, 6, 4) and group.stand_in().dtype == np.float32


def operands(program: ElementProgram, arrays: list[Array], shape: tuple[int, ...], *cuts: int) -> tuple[Any, Any]:
    placed = GroupElements(program, tuple(arrays), shape).placed(cuts)
    assert placed is not None
    return placed


@pytest.mark.share(2)
@needs_the_tier
@pytest.mark.parametrize("kind", ["f4", "f8", "i4", "u1", "bf"])
@settings(deadline=None, max_examples=examples(1))
@given(counts, st.sampled_from((1, 2, 5, 16)), st.integers(1, 9), st.booleans(), st.integers(0, 3), st.integers(0, 99))
def test_computed_rows_are_added_as_arrays_are(
    kind: str, count: int, width: int, places: int, is_row: bool, shift: int, seed: int
) -> None:
    dtype = bfloat16 if kind == "bf" else of_numpy(np.dtype(kind))
    rng = np.random.default_rng(seed)
    index = np.sort(rng.integers(0, places, count)).astype("i4")
    x = fenced((rng.standard_normal((count, width)) * 3).astype(dtype.np), shift)
    y = fenced((rng.standard_normal((1, width) if is_row else (count, 1)) * 3).astype(dtype.np))
    want = np.ones((places, width), dtype.np)
    made = x.array * x.array + y.array
    for i in range(count):
        want[index[i]] += made[i]
    program, table = operands(squares_plus(dtype), [x.array, y.array], (count, width), 1)
    names: list[tuple[str, tuple[Any, ...]]] = [("add_made", (program, kind, width, "i4", 1))]
    if kind not in ("bf", "u1"):
        names.append(("add_runs_made", (program, kind, width, "i4")))
    for name, key in names:
        for function in (by_steps(nest_of(name, *key)), loop(name, *key)):
            out = fenced(np.ones((places, width), dtype.np), shift)
            done = function(out.array, np.array(table, np.int64), index, np.array([places]), count, width)
            assert done == count
            assert out.array.tobytes() == want.tobytes()
            out.assert_whole()


@pytest.mark.share(3)
@needs_the_tier
@pytest.mark.parametrize("kind", ["f4", "i2", "bf"])
@pytest.mark.parametrize("exclusive", [False, True])
@settings(deadline=None, max_examples=examples(1))
@given(st.integers(1, 5), counts, st.sampled_from((1, 2, 5, 16)), st.booleans(), st.integers(0, 99))
def test_computed_elements_are_scanned_as_arrays_are(
    kind: str, exclusive: bool, images: int, rows: int, width: int, backwards: bool, seed: int
) -> None:
    dtype = bfloat16 if kind == "bf" else of_numpy(np.dtype(kind))
    rng = np.random.default_rng(seed)
    shape = images, rows, width
    x, y = [(rng.standard_normal(s) * 2).astype(dtype.np) for s in (shape, (rows, 1))]
    turned = 1 if backwards else None
    before = GroupElements(squares_plus(dtype), (x, y), shape).placed((1, 2), turned)
    after = GroupElements(squares_plus(dtype, own=0), (y,), shape).placed((1, 2), turned)
    assert before is not None and after is not None
    order = slice(None, None, -1 if backwards else 1)
    made, sums = (x * x + y)[:, order], np.zeros(shape, dtype.np)
    total = np.zeros((images, width), dtype.np)
    for i in range(rows):
        total = (total if i and exclusive else made[:, i] if not i and not exclusive else total).copy()
        if exclusive:
            sums[:, i] = total
            total = total + made[:, i]
        else:
            total = made[:, i] if i == 0 else total + made[:, i]
            sums[:, i] = total
    sums = sums[:, order]
    want = sums * sums + y
    name = "scan_rows" if width > 1 else "scan_elements"
    key = before[0], after[0], "add", 0, exclusive
    for function in (by_steps(nest_of(name, *key)), loop(name, *key)):
        out = fenced(np.zeros(shape, dtype.np))
        target = place_of(out.array, (1, 2), turned)
        assert target is not None
        table = np.array([target[:-1], *before[1], *after[1]], np.int64)
        scratch = [fenced(np.zeros(width, dtype.np)).array] if width > 1 else []
        function(*scratch, table, images, rows, *([width] if width > 1 else []))
        assert out.array.tobytes() == want.tobytes()
        out.assert_whole()


@needs_the_tier
@settings(deadline=None, max_examples=examples(1))
@given(counts, st.sampled_from((1, 2, 4, 5)), st.integers(1, 4), st.integers(0, 99))
def test_rows_that_are_read_are_computed_with_and_added(count: int, width: int, each: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = (rng.standard_normal((7, width))).astype("f4")
    y = rng.standard_normal((count, 1)).astype("f4")
    index: Any = rng.integers(0, 7, (count, each)).astype("i8")
    program, table = operands(squares_plus(float32, own=0), [y], (count, width), 1)
    taken = rows[index[:, 0]]
    first = np.ascontiguousarray(index[:, :1])
    key = program, width, "i8", 1
    for function in (by_steps(nest_of("take_made", *key)), loop("take_made", *key)):
        out = fenced(np.zeros((count, width), "f4"))
        assert function(out.array, rows, first, np.array([7]), np.array(table, np.int64), count, width) == count
        assert out.array.tobytes() == (taken * taken + y).tobytes()
        out.assert_whole()
    total = np.zeros((count, width), "f4")
    for k in range(each):
        total = total + rows[index[:, k]]
    for known in (0, width if width in (1, 2, 4) else 0):
        for function in (by_steps(nest_of("take_sums", "f4", known, "i8", 1)), loop("take_sums", "f4", known, "i8", 1)):
            out = fenced(np.zeros((count, width), "f4"))
            assert function(out.array, rows, index, np.array([7]), count, each, width) == count
            assert out.array.tobytes() == total.tobytes()
            out.assert_whole()
            bad = index.copy()
            bad[-1, -1] = 7
            assert function(out.array, rows, bad, np.array([7]), count, each, width) == count - 1
            out.assert_whole()


def test_constants_are_parts_of_the_key() -> None:
    def plus(number: float) -> ElementProgram:
        step = ScalarStep("add", (Value(0), Literal(float32, np.float32(number).tobytes())), float32)
        return ElementProgram((float32,), (step,), Value(1))

    assert plus(1.0) == plus(1.0) and plus(0.0) != plus(-0.0)
    assert str(plus(1.0)) == "float32: add(%0, 1.0)  float32"
