"""The block driver binds a program to the arrays of a run, refuses arrays of other kinds, and makes its calls."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from penstock.config import jit
from penstock.runtime.llvm.block_driver import (
    DENSE,
    WRITABLE,
    BlockDriver,
    BlockText,
    CannotWrite,
    Check,
    block_driver,
)
from penstock.runtime.llvm.block_driver_code import COUNTS
from penstock.runtime.llvm.native_calls import Address, NativeCall, Numbers, loop_call
from penstock.runtime.llvm.tier import why_off
from penstock.runtime.llvm.ufunc_loops import numpy_loop

pytestmark = pytest.mark.skipif(bool(why_off()), reason=why_off() or "the compiled tier is on")


@pytest.fixture
def driver() -> Iterator[BlockDriver]:
    before = jit.mode
    jit.mode = "now"
    made = block_driver(1.0)
    assert made is not None
    yield made
    jit.mode = before


def place_in(*arrays: Any) -> Any:
    """The places of addresses in stand-ins, which `bind` gets in this order."""

    def place(address: int) -> tuple[int, int] | None:
        for number, each in enumerate(arrays):
            start = each.ctypes.data
            if start <= address < start + each.nbytes:
                return number, address - start
        return None

    return place


def sums(driver: BlockDriver, flags: int = DENSE) -> Any:
    """y = x + x, then z = y + x, for eight numbers each, with y in an arena."""
    x, arena, z = np.zeros(8, "f4"), np.zeros(16, "f4"), np.zeros(8, "f4")
    loop = numpy_loop("add", "ff->f")
    assert loop is not None
    at, y = [each.ctypes.data for each in (x, z)], arena.ctypes.data + 32
    text = BlockText(place_in(x, arena, z))
    calls = [loop_call(loop, (at[0], at[0], y), (8,), (4, 4, 4)), loop_call(loop, (y, at[0], at[1]), (8,), (4, 4, 4))]
    starts = [text.add([call], release=i > 0) for i, call in enumerate(calls)]
    return driver.frame(text, [Check(flags, x.dtype, x.shape)], starts, [])


def test_calls_use_the_arrays_of_the_run(driver: BlockDriver) -> None:
    frame = sums(driver)
    for seed in range(5):
        x = np.random.default_rng(seed).normal(size=8).astype("f4")
        z = np.empty(8, "f4")
        assert frame.bind(x, np.empty(16, "f4"), z) is True
        for piece in frame.pieces:
            assert piece() is True
        assert np.array_equal(z, x + x + x)


def test_frames_of_one_program_do_not_disturb_each_other(driver: BlockDriver) -> None:
    x, arena, z = np.zeros(8, "f4"), np.zeros(16, "f4"), np.zeros(8, "f4")
    loop = numpy_loop("add", "ff->f")
    assert loop is not None
    text = BlockText(place_in(x, arena, z))
    start = text.add([loop_call(loop, (x.ctypes.data, x.ctypes.data, z.ctypes.data), (8,), (4, 4, 4))], release=False)
    frames = [driver.frame(text, [], [start], []) for _ in range(3)]
    given, results = [np.full(8, i, "f4") for i in range(3)], [np.zeros(8, "f4") for _ in frames]
    for frame, one, result in zip(frames, given, results, strict=True):
        assert frame.bind(one, arena, result)
    for frame in frames:
        frame.pieces[0]()
    assert [result[0] for result in results] == [0, 2, 4]


@pytest.mark.parametrize(
    "other",
    [
        np.zeros(9, "f4"),
        np.zeros((8, 1), "f4"),
        np.zeros((), "f4"),
        np.zeros(8, "f8"),
        np.zeros(8, ">f4"),
        np.zeros(8, "i4"),
        np.zeros(16, "f4")[::2],
        np.zeros(33, "u1")[1:].view("f4"),
        np.ma.zeros(8, "f4"),
        np.float32(1),
        [0.0] * 8,
        None,
    ],
    ids=str,
)
def test_arrays_of_other_kinds_are_refused(driver: BlockDriver, other: Any) -> None:
    assert sums(driver).bind(other, np.empty(16, "f4"), np.empty(8, "f4")) is False


def test_an_array_that_is_to_be_written_must_be_writable(driver: BlockDriver) -> None:
    frozen = np.zeros(8, "f4")
    frozen.flags.writeable = False
    rest = np.empty(16, "f4"), np.empty(8, "f4")
    assert sums(driver).bind(frozen, *rest)
    assert not sums(driver, WRITABLE).bind(frozen, *rest)


@pytest.mark.parametrize("count", [1, *COUNTS])
def test_a_function_gets_its_arguments_and_may_take_fewer_than_there_are(driver: BlockDriver, count: int) -> None:
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * count)
    found: list[tuple[int, ...]] = []

    def noted(*args: int) -> int:
        found.append(args)
        return 0

    function = kind(noted)
    text = BlockText(lambda address: None)
    numbers = tuple(range(100, 100 + count))
    start = text.add([NativeCall(ctypes.cast(function, ctypes.c_void_p).value or 0, numbers)] * 2, release=False)
    frame = driver.frame(text, [], [start], [])
    frame.pieces[0]()
    assert found == [numbers] * 2


def test_more_arguments_cannot_be_written() -> None:
    with pytest.raises(CannotWrite):
        BlockText(lambda address: None).add([NativeCall(0, (0,) * (COUNTS[-1] + 1))], release=False)


def test_rows_are_copied_behind_each_other(driver: BlockDriver) -> None:
    x, row, out = np.zeros((5, 12), "f4"), np.zeros(3, "f4"), np.zeros((5, 7), "f4")
    text = BlockText(place_in(x, row, out))
    wide = x[:, 4:8]
    columns = (out, wide, 0, 28, 48, 5, 16), (out, row, 16, 28, 0, 5, 12)
    calls = [NativeCall(driver.copy, each) for each in columns]
    frame = driver.frame(text, [], [text.add(calls, release=True)], [])
    given, last, result = np.arange(60, dtype="f4").reshape(5, 12), np.full(3, 9, "f4"), np.empty((5, 7), "f4")
    assert frame.bind(given, last, result)
    frame.pieces[0]()
    assert np.array_equal(result, np.concatenate([given[:, 4:8], np.full((5, 3), 9)], 1))


def test_equal_numbers_and_arrays_are_kept_once() -> None:
    x = np.zeros(8, "f4")
    text = BlockText(place_in(x))
    call = NativeCall(1, (Numbers((1, 2, 3)), x, Address(x.ctypes.data + 4)))
    text.add([call], release=False)
    words, moves = len(text.words), len(text.moves)
    text.add([call], release=False)
    assert len(text.words) - words == 2 + 2 + COUNTS[0]  # head of the piece, head of the row, arguments
    assert len(text.moves) - moves == 3  # the address stands in the row itself
