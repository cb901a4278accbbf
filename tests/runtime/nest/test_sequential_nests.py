"""Sequential nests: their text, their rules, and what they compute step by step and as code."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.graph.shapes.dtypes import float32, int32, int64
from penstock.runtime.ir.element_program import identity_program
from penstock.runtime.ir.nest_verifier import InvalidNest
from penstock.runtime.ir.scalar_ir import CannotLower
from penstock.runtime.kernels.loops.nest_loops import NEST_LOOPS
from penstock.runtime.nest.sequential.nest_builder import NestBuilder, nest
from penstock.runtime.nest.sequential.nest_table import BUILDS, nest_of
from penstock.runtime.nest.sequential.sequential_ir import SequentialNest
from penstock.runtime.nest.sequential.sequential_writer import code_of
from penstock.runtime.nest.sequential.vector_steps import emit_vector_step
from tests.runtime.nest.by_steps import by_steps

from ..kernels.buffers import random_bits
from ..kernels.fences import Array, empty, fenced, loop, needs_the_tier

counts = st.sampled_from((0, 1, 2, 3, 5, 16, 17, 33))


def test_a_nest_prints_as_its_loops() -> None:
    assert str(nest_of("add_runs", "f4", 16, "i4")) == """\
add_runs(out, rows, index, sizes, count, row)
%6 = sizes[0]  int64
%7 = kept, from -1  int64
for c < 16, 16 in a vector
  %9 = kept, from 0.0  float32
  %7 := -1
  for i < count
    %11 = index[i*4]  int32
    %12 = astype(%11)  int64
    check %12 < %6, else i
    %13 = not_equal(%12, %7)  bool
    when %13
      %14 = greater_equal(%7, 0)  bool
      when %14
        out[%7*64 + c*4] = %9
      %15 = out[%12*64 + c*4]  float32
      %9 := %15
      %7 := %12
    %16 = rows[i*64 + c*4]  float32
    %17 = add(%9, %16)  float32
    %9 := %17
  %18 = greater_equal(%7, 0)  bool
  when %18
    out[%7*64 + c*4] = %9
count"""


def test_rows_that_are_moved_print_with_their_bytes() -> None:
    lines = str(nest_of("join", (4, 12))).splitlines()
    assert "  %9 = %6[i*%4]  4 bytes" in lines
    assert "  out[i*16 + 4] = %10" in lines


def test_each_template_has_a_nest_of_its_name_and_parameters() -> None:
    own, read = identity_program(float32, is_own=True), identity_program(float32, is_own=False).for_rows((True,))
    keys: dict[str, tuple[Any, ...]] = {
        "add_made": (read, "f4", 0, "i4", 2), "add_runs_made": (read, "f4", 3, "i8"),
        "scan_elements": (read, own, "add", 0, False), "scan_rows": (read, own, "multiply", 1, True),
        "take_made": (own, 0, "i4", 1), "take_sums": ("f4", 4, "i8", 1),
        "add": ("f4", 0, "i4", 2), "add_runs": ("f4", 3, "i8"), "cast": ("f4", "f2"), "column_sums": ("f4", 0),
        "copy_rows": (0,), "cut": (4, 2), "join": ((4, 4),), "part": (0, 1), "pick": (8, "b1"), "put": (0, "u2", 1),
        "reverse_starts": (4, "i4", 8), "running_sums": ("f4", False), "running_sums_of_rows": ("c8",),
        "select": (16,), "subtract": ("f4", 2, "i8", 1), "take": (4, "i2", 3), "where": (2,),
        "bytes_only": ((8, 16, 32),), "numbers": ("O", (8, 16, 32), "f4"),
        "count_labels": (4, 1), "fill_examples": (), "scan_examples": (), "merge": (4, False), "merge_two": (4, True),
        "part_by_lines": (4, 2), "shuffle_buffer": (), "strided_rows": ((4,), (8,)), "shuffle_order": (),
        "sorted_match": (4,), "unzip": (2, 3), "sparse_product": ("f4", ("i8", "i4"), 2, 0, True), "woven_rows": (),
        "zip": (2, 3), "compact": (4, True), "gathered_rows": (), "mask_bits": (4, True), "transpose": (4, 16),
    }  # fmt: skip
    assert sorted(BUILDS) == sorted(each.name for each in NEST_LOOPS) == sorted(keys)
    for each in NEST_LOOPS:
        made = nest_of(each.name, *keys[each.name])
        assert made.name == each.name
        assert "".join(["i" if p.is_number else "a" if p.of_array else "p" for p in made.parameters()]) == each.takes


# ---- rules --------------------------------------------------------------------------------------


def _read_later(n: NestBuilder) -> None:
    with n.each("i", n.count) as i:
        x = n.read(n.x, [i], float32)
    n.put(n.x, [0], x)


def _rounds_of_another_dtype(n: NestBuilder) -> None:
    with n.each("i", n.read(n.x, [0], int32)):
        pass


def _place_of_another_dtype(n: NestBuilder) -> None:
    n.read(n.x, [n.read(n.x, [0], int32)], float32)


def _number_as_memory(n: NestBuilder) -> None:
    n.read(n.count, [0], float32)


def _memory_as_number(n: NestBuilder) -> None:
    n.x + n.count


def _row_that_is_added(n: NestBuilder) -> None:
    row = n.read_row(n.x, [0], 12)
    row + row


def _kept_as_another_dtype(n: NestBuilder) -> None:
    n.keep(n.kept(0, float32), n.count)


def _not_kept(n: NestBuilder) -> None:
    n.keep(n.read(n.x, [0], int64), n.count)


def _one_value_for_all_lanes(n: NestBuilder) -> None:
    total = n.kept(0, float32)
    with n.each("c", n.count, lanes=[4, 1]) as c:
        n.keep(total, n.read(n.x, [(c, 4)], float32))


def _check_in_lanes(n: NestBuilder) -> None:
    with n.each("c", n.count, lanes=[4, 1]) as c:
        n.check(c, n.count, 0)


def _condition_in_lanes(n: NestBuilder) -> None:
    with n.each("c", n.count, together=[4, 1]) as c, n.when(c > 2):
        pass


def _lanes_in_lanes(n: NestBuilder) -> None:
    with n.each("c", n.count, lanes=[4, 1]), n.each("d", n.count, together=[4, 1]):
        pass


def _call_in_lanes(n: NestBuilder) -> None:
    with n.each("c", n.count, lanes=[4, 1]) as c:
        n.call("f", (n.x, [(c, 4)]), 1)


def _call_with_a_float(n: NestBuilder) -> None:
    n.call("f", n.read(n.x, [0], float32))


def _no_single_rounds(n: NestBuilder) -> None:
    with n.each("c", n.count, lanes=[4]):
        pass


def _nothing_to_leave(n: NestBuilder) -> None:
    with n.each("i", n.count) as i:
        n.leave(i > 3)


def _leaves_in_lanes(n: NestBuilder) -> None:
    with n.each("c", n.count, lanes=[4, 1]) as c, n.repeat():
        n.leave(c > 2)


def _element_past_the_caches(n: NestBuilder) -> None:
    n.put(n.x, [0], n.read(n.x, [8], int64), past_caches=True)


@pytest.mark.parametrize(("build", "message"), [
    (_nothing_to_leave, "nothing to leave"), (_leaves_in_lanes, "no condition, or differs"),
    (_element_past_the_caches, "no row of 64 bytes"),
    (_read_later, "is not there"), (_rounds_of_another_dtype, "a loop has %2, of int32"),
    (_place_of_another_dtype, "a place has %2, of int32"), (_number_as_memory, "count is a number, not memory"),
    (_memory_as_number, "x is memory, not a number"), (_row_that_is_added, "a row, which is only moved"),
    (_kept_as_another_dtype, "kept as int64"), (_not_kept, "%2 is not kept"),
    (_one_value_for_all_lanes, "one value, kept in rounds that are computed at once"),
    (_check_in_lanes, "the check of %2 differs"), (_condition_in_lanes, "no condition, or differs"),
    (_call_in_lanes, "f is called in rounds that are computed at once"),
    (_call_with_a_float, "a call has %2, of float32"),
    (_lanes_in_lanes, "inside another such axis"), (_no_single_rounds, "does not end with single rounds"),
])  # fmt: skip
def test_what_breaks_a_rule_is_refused(build: Callable[[NestBuilder], None], message: str) -> None:
    n = NestBuilder("wrong", "x", "count")
    build(n)
    with pytest.raises(InvalidNest, match=message):
        n.done()


@nest("gathered", "out x index", "count")
def gathered(n: NestBuilder, lanes: tuple[int, ...]) -> SequentialNest:
    """out[c] = x[index[c]]: lanes that lie apart."""
    with n.each("c", n.count, lanes=lanes) as c:
        n.put(n.out, [(c, 4)], n.read(n.x, [(n.read(n.index, [(c, 8)], int64), 4)], float32))
    return n.done()


def test_lanes_that_lie_apart_have_no_code() -> None:
    with pytest.raises(CannotLower, match="do not lie side by side"):
        code_of(gathered((4, 1)))
    assert "define i64 @gathered" in code_of(gathered(()))


def test_a_step_without_a_vector_instruction_has_no_code() -> None:
    n = NestBuilder("wrong", "x", "count")
    with n.each("c", n.count, lanes=[4, 1]) as c:
        x = n.read(n.x, [(c, 4)], float32)
        n.put(n.x, [(c, 4)], x % x)
    with pytest.raises(CannotLower, match="remainder of float32 has no instruction for vectors"):
        code_of(n.done())
    assert emit_vector_step.__doc__


# ---- step by step and as code -------------------------------------------------------------------


def both(name: str, *key: Any) -> tuple[Callable[..., int], Callable[..., int]]:
    """The function of a nest step by step, and its code."""
    return by_steps(nest_of(name, *key)), loop(name, *key)


@needs_the_tier
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "c8"])
@pytest.mark.parametrize("kind", ["i4", "i8"])
@settings(deadline=None)
@given(counts, st.sampled_from((1, 2, 5, 16)), st.integers(1, 9), st.booleans(), st.integers(0, 3), st.integers(0, 99))
def test_sums_in_registers_are_those_of_single_additions(
    dtype: str, kind: str, count: int, width: int, places: int, is_sorted: bool, shift: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    index: Any = rng.integers(0, places, count).astype(kind)
    index = np.sort(index) if is_sorted else index
    rows = fenced((rng.standard_normal((count, width)) * 9).astype(dtype), shift)
    want = np.full((places, width), 3, dtype)
    np.add.at(want, index, rows.array)
    for function in both("add_runs", dtype, width, kind):
        out = fenced(np.full((places, width), 3, dtype), shift)
        assert function(out.array, rows.array, index, np.array([places]), count, width) == count
        assert out.array.tobytes() == want.tobytes()
        out.assert_whole()


@needs_the_tier
@pytest.mark.parametrize("at", [0, 3, 8])
@pytest.mark.parametrize("bad", [-1, 4, 2**31 - 1])
def test_sums_in_registers_end_at_a_wrong_place(at: int, bad: int) -> None:
    index = np.array([0, 0, 1, 1, 1, 3, 3, 3, 3], "i4")
    index[at] = bad
    rows = np.ones((9, 5), "f4")
    for function in both("add_runs", "f4", 5, "i4"):
        out = fenced(np.zeros((4, 5), "f4"))
        assert function(out.array, rows, index, np.array([4]), 9, 5) == at
        out.assert_whole()


@needs_the_tier
@settings(deadline=None)
@given(counts, counts, st.sampled_from(("add", "multiply")), st.sampled_from(("f4", "f2", "i2")), st.integers(0, 99))
def test_running_sums_and_products_have_the_numbers_of_their_steps(
    rows: int, width: int, ufunc: str, dtype: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    x = fenced((rng.standard_normal((rows, width)) * 2).astype(dtype))
    size = x.array.itemsize
    for name, key, shape, args in (
        ("running_sums", (dtype, False, ufunc), (rows + 1, width), (rows, width, size * width, size * width, 1, 0, 0)),
        ("running_sums_of_rows", (dtype, ufunc), (rows, width + 1), (rows, width, size * width + size, size * width,
                                                                     size, size)),
    ):  # fmt: skip
        found = []
        for function in both(name, *key):
            out = fenced(np.full(shape, 1, dtype))
            function(out.array, x.array, *args)
            out.assert_whole()
            x.assert_whole()
            found.append(out.array.tobytes())
        assert found[0] == found[1]


@needs_the_tier
@settings(deadline=None)
@given(counts, st.sampled_from((2, 5, 16)), st.integers(0, 99))
def test_starts_are_reversed_step_by_step_as_in_registers(rows: int, width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 1 << 30, (rows, width)).astype("i4")
    lengths = rng.integers(0, width + 1, rows).astype("i8")
    found: list[Array] = []
    # Step by step only element by element: in registers what lies before the second row is read, too.
    for function in (by_steps(nest_of("reverse_starts", 4, "i8", 0)), loop("reverse_starts", 4, "i8", width)):
        out = empty((rows, width), "i4")
        assert function(out.array, x, lengths, rows, width, 4) == rows
        out.assert_whole()
        found.append(out.array)
    assert np.array_equal(found[0], found[1])


def test_steps_read_what_the_addresses_say() -> None:
    parts = [np.arange(6, dtype="i2").reshape(3, 2), np.arange(9, dtype="i2").reshape(3, 3)]
    out = np.zeros((3, 5), "i2")
    addresses, strides = np.array([p.ctypes.data for p in parts]), np.array([4, 6])
    assert by_steps(nest_of("join", (4, 6)))(out, addresses, strides, 3) == 0
    assert np.array_equal(out, np.concatenate(parts, 1))
    assert ctypes.sizeof(ctypes.c_void_p) == 8


def test_a_nest_calls_functions_with_addresses_and_numbers() -> None:
    n = NestBuilder("calls", "x", "count")
    with n.each("i", 3) as i:
        n.call("f", (n.x, [(i, 8), 4]), n.count)
    made = n.done()
    assert str(made) == "calls(x, count)\nfor i < 3\n  f(x[i*8 + 4], count)\n0"
    assert re.search(r"call void @f\(ptr %v\d+, i64 %count\)", code_of(made))
    x, seen = np.zeros(9, "i4"), list[tuple[int, int]]()
    assert by_steps(made, {"f": lambda place, count: seen.append((place - x.ctypes.data, count))})(x, 7) == 0
    assert seen == [(4, 7), (12, 7), (20, 7)]


# ---- loops without an end, own memory, calls ----------------------------------------------------


@needs_the_tier
@settings(deadline=None)
@given(*[st.lists(st.integers(0, 9), min_size=fewest, max_size=40) for fewest in (0, 4)])
@example([1, 1, 2], [0, 1, 1, 2])
def test_keys_are_matched_step_by_step_as_by_the_code(keys: list[int], others: list[int]) -> None:
    wanted, of_values = (np.array(sorted(each), np.int64) for each in (keys, others))
    values = np.arange(1, len(others) + 1, dtype=np.uint32)
    first = {int(key): int(value) for key, value in reversed(list(zip(of_values, values, strict=True)))}
    for function in both("sorted_match", 4):
        out = np.full(len(keys), 99, np.uint32)
        assert function(out, values, of_values, wanted, len(others), len(keys)) == len(keys)
        assert out.tolist() == [first.get(key, 0) for key in wanted.tolist()]


@needs_the_tier
@settings(deadline=None)
@given(st.integers(2, 9), st.integers(0, 30), st.integers(0, 9), st.booleans(), st.integers(0, 99))
@example(5, 20, 4, True, 0)
def test_a_shuffled_buffer_is_a_ring_step_by_step_as_by_code(
    size: int, count: int, first: int, items_come: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    first, number = first % size, size - 1 if items_come else size
    count = count if items_come else min(count, number)
    words, items = rng.integers(0, 1 << 32, count, dtype=np.uint32), rng.integers(100, 200, count)
    start = rng.integers(0, 100, size)
    ring, wanted, at, held = start.copy(), [], first, number
    for word, item in zip(words.tolist(), items.tolist(), strict=True):
        if items_come:
            ring[(at + held) % size] = item
            held += 1
        place = (at + word % held) % size
        wanted.append(int(ring[place]))
        ring[place] = ring[at]
        at, held = (at + 1) % size, held - 1
    for function in both("shuffle_buffer"):
        own, out = np.append(start, [-1] * 2 * size), np.zeros(count, np.int64)  # what lies behind it stays
        assert function(out, own, words, items, count, first, number, size | items_come << 62) == 0
        assert out.tolist() == wanted and own.tolist() == [*ring.tolist(), *[-1] * 2 * size]


@needs_the_tier
@settings(deadline=None)
@given(st.integers(0, 30), st.integers(1, 5), st.sampled_from([1, 2, 4]), st.integers(0, 99))
def test_labels_are_counted_and_parted_step_by_step_as_by_code(count: int, parts: int, size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, rows = rng.integers(0, parts, count).astype(np.int32), random_bits(rng, (count,), f"u{size}")
    wanted = [rows[labels == part].tolist() for part in range(parts)]
    for counting, moving in zip(both("count_labels", 2, 1), both("part_by_lines", size, 1), strict=True):
        counts, narrow = np.zeros((2, parts), np.int64), np.zeros(count, np.uint8)
        assert counting(counts, narrow, labels, count, parts) == max(labels.tolist(), default=0)
        sizes = counts.sum(0)
        assert sizes.tolist() == [len(each) for each in wanted] and narrow.tolist() == labels.tolist()
        results, memory = [np.zeros(n, rows.dtype) for n in sizes], np.zeros(64 * (parts + 1), np.uint8)
        starts = np.array([each.ctypes.data for each in results])
        lines = memory[-memory.ctypes.data % 64 :]
        assert moving(starts.copy(), starts, lines, rows, narrow, count, parts) == 0
        assert [each.tolist() for each in results] == wanted


@nest("summed", "x", "function count")
def summed(n: NestBuilder) -> SequentialNest:
    """The function of an address gets the memory of the nest's own, with the numbers of `x` up to the first 0."""
    own, i = n.own_memory(80), n.kept(0, int64)
    with n.repeat():
        n.leave(i == n.count)
        n.fetch(n.x, [(i, 8)])
        x = n.read(n.x, [(i, 8)], int64)
        n.leave(x == 0)
        n.put(own, [(i, 8)], x << 2)
        n.keep(i, i + 1)
    n.call(n.function, (own, []), i)
    return n.done(i)


def test_what_is_left_and_called_prints_with_its_condition_and_address() -> None:
    lines = str(summed()).splitlines()
    assert "repeat" in lines and "  fetch x[%4*8]" in lines and "%3 = 80 bytes of scratch" in lines
    assert lines[-2:] == ["function(%3[0], %4)", "%4"]
    code = code_of(summed())
    assert "call void @llvm.prefetch" in code and "shl i64" in code


def test_a_call_by_address_gets_the_memory_of_the_nest() -> None:
    seen: list[tuple[int, ...]] = []

    def note(address: int, count: int) -> None:
        seen.append(tuple(np.ctypeslib.as_array((ctypes.c_int64 * count).from_address(address))))

    x = np.array([5, 7, 0, 9])
    assert by_steps(summed(), {"%1": note})(x, 0, 4) == 2
    assert seen == [(20, 28)]
