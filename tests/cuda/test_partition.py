"""Rows are partitioned in one launch and in order, in whatever order blocks run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from penstock.runtime.base.launch_count import LAUNCHES
from penstock.runtime.cuda import partition_kernel
from penstock.runtime.cuda.cuda_source import OPTIONS
from penstock.runtime.cuda.partition_kernel import kernel_source, rounds_of

from . import nvrtc, shim
from .fake_cupy import FakeCupy

ROWS = [("f4", ()), ("u1", ()), ("f8", ()), ("c16", ()), ("u1", (3,)), ("f8", (4,)), ("f4", (40,)), ("f2", (0,))]
"""A unit each; short rows, of odd and of even widths; long rows; rows of no bytes."""


_SLOW = pytest.mark.slow  # each case compiles its own kernels


@pytest.fixture
def turns() -> Iterator[type[shim.Turns]]:
    """The order in which blocks and threads run, for one test."""
    yield shim.Turns
    shim.Turns.seed = 0


def rows_and_labels(n: int, dtype: str, inner: Any, count: int) -> tuple[Any, Any]:
    """Some labels belong nowhere."""
    rng = np.random.default_rng(n)
    rows = (rng.random((n, *inner)) * 100).astype(dtype)
    return rows, rng.integers(-1, count + 1, n).astype("i4")


def assert_in_order(xp: Any, n: int, dtype: str, inner: Any, count: int) -> None:
    rows, labels = rows_and_labels(n, dtype, inner, count)
    got = partition_kernel.partition(xp, xp.asarray(rows), xp.asarray(labels), count)
    assert len(got) == count
    for k in range(count):
        assert np.array_equal(xp.asnumpy(got[k]), rows[labels == k]), k


@pytest.mark.share(4)
@pytest.mark.parametrize(
    "dtype, inner, count",
    [
        pytest.param(*row, count, marks=() if row == ROWS[0] or count in (2, 256, 1001) else _SLOW)
        for row in ROWS
        for count in (1, 2, 3, 16, 255, 256, 1000, 1001)
    ],
    ids=str,
)
def test_a_partition_keeps_the_order_of_rows(xp: Any, dtype: str, inner: Any, count: int) -> None:
    for n in (0, 1, 33, 4097):
        assert_in_order(xp, n, dtype, inner, count)


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype, inner", ROWS, ids=str)
def test_a_partition_is_one_launch_and_for_long_rows_two(xp: Any, dtype: str, inner: Any) -> None:
    before = LAUNCHES.count
    assert_in_order(xp, 5000, dtype, inner, 2)
    want = 2 if inner == (40,) else 0 if inner == (0,) else 1
    assert LAUNCHES.count - before == want


@pytest.mark.share(2)
@pytest.mark.parametrize("labels", [[1] * 3000, [0] * 2999 + [1], [-5] * 3000, [2**31 - 1] * 3000, list(range(3000))])
def test_lopsided_labels(xp: Any, labels: list[int]) -> None:
    rows = np.arange(3000, dtype="i8")
    for dtype in ("i8", "u1"):
        got = partition_kernel.partition(xp, xp.asarray(rows.astype(dtype)), xp.asarray(np.array(labels, "i4")), 2)
        for k in range(2):
            assert np.array_equal(xp.asnumpy(got[k]), rows.astype(dtype)[np.array(labels) == k])


@pytest.mark.share(4)
@pytest.mark.parametrize("small", [1 << 30, 0], ids=["32 bits", "64 bits"])
@pytest.mark.parametrize("spare", [1 << 30, -1], ids=["at once", "counted first"])
@pytest.mark.parametrize("seed", [pytest.param(0, marks=_SLOW), 1, 2, pytest.param(3, marks=_SLOW)])
def test_neither_the_order_of_blocks_nor_that_of_threads_matters(
    turns: type[shim.Turns], monkeypatch: pytest.MonkeyPatch, seed: int, spare: int, small: int
) -> None:
    """The played GPU runs blocks one after another where it may; here five at a time, in turns that a seed draws."""
    monkeypatch.setattr(partition_kernel, "SPARE", spare)
    monkeypatch.setattr(partition_kernel, "SMALL_WORDS", small)
    turns.seed = seed
    for count in (2, 40):
        assert_in_order(FakeCupy(), 9000, "f4", (), count)
    assert_in_order(FakeCupy(), 3000, "u1", (3,), 40)


def test_tiles_by_block_number_would_wait_for_ever_and_the_played_gpu_shows_it(
    turns: type[shim.Turns], monkeypatch: pytest.MonkeyPatch
) -> None:
    by_number = partition_kernel.KERNEL_TEXT.replace("atomicAdd(&state[0], 1ULL)", "blockIdx.x")
    assert by_number != partition_kernel.KERNEL_TEXT
    monkeypatch.setattr(partition_kernel, "KERNEL_TEXT", by_number)
    partition_kernel.kernel_source.cache_clear()
    assert_in_order(FakeCupy(), 9000, "f4", (), 2)  # as long as blocks happen to start in their order
    turns.seed = 1
    with pytest.raises(AssertionError, match="wait for each other for ever"):
        assert_in_order(FakeCupy(), 9000, "f4", (), 2)
    partition_kernel.kernel_source.cache_clear()


def test_tiles_that_publish_only_at_their_end_are_still_right_but_words_without_a_meaning_are_not(
    turns: type[shim.Turns], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a tile has taken for what there is up to its end would be wrong, and the played GPU shows that too."""
    turns.seed = 2
    for old, new, works in (("    words[(tile + 1) * K + k] = HAS | (S)before;\n", "", True),
                            ("= HAS | (S)before;", "= UPTO | (S)before;", False)):  # fmt: skip
        with monkeypatch.context() as patch:
            changed = partition_kernel.KERNEL_TEXT.replace(old, new)
            assert changed != partition_kernel.KERNEL_TEXT
            patch.setattr(partition_kernel, "KERNEL_TEXT", changed)
            partition_kernel.kernel_source.cache_clear()
            if works:
                assert_in_order(FakeCupy(), 9000, "f4", (), 2)
            else:
                with pytest.raises(AssertionError):
                    assert_in_order(FakeCupy(), 9000, "f4", (), 2)
    partition_kernel.kernel_source.cache_clear()


def test_without_memory_to_spare_partitions_are_counted_first(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = FakeCupy.__getattr__

    def tight(self: Any, name: str) -> Any:
        found = plain(self, name)
        if name != "empty":
            return found

        def empty(shape: Any, dtype: Any) -> Any:
            if np.prod(shape) * np.dtype(dtype).itemsize > 50_000:
                raise MemoryError("Out of memory allocating 80,000 bytes")
            return found(shape, dtype)

        return empty

    monkeypatch.setattr(FakeCupy, "__getattr__", tight)
    assert_in_order(FakeCupy(), 10_000, "f4", (), 2)


def test_partitions_begin_where_wide_loads_can(xp: Any) -> None:
    rows, labels = rows_and_labels(1001, "f4", (), 5)
    for part in partition_kernel.partition(xp, xp.asarray(rows), xp.asarray(labels), 5):
        assert part.data.ptr % 16 == 0


def _every_source() -> list[str]:
    made = [
        kernel_source(unit, per, count, rounds_of(n, unit * per, per), words, 32, counted)
        for unit, per in ((4, 1), (1, 1), (16, 1), (4, 3), (16, 8), (16, 40))
        for n in (1000, partition_kernel.MANY) for count in (1, 2, 300, partition_kernel.MOST)
        for words in (4, 8) for counted in (False, True) if counted or per == 1
    ]  # fmt: skip
    return [m.text for m in made]


@pytest.mark.skipif(nvrtc.library() is None, reason="NVRTC is not installed: pip install nvidia-cuda-nvrtc-cu12")
@pytest.mark.parametrize(
    "architecture, every",
    [("90", 71), pytest.param("90", 10, marks=pytest.mark.nightly), pytest.param("90", 3, marks=_SLOW),
     pytest.param("70", 7, marks=_SLOW), pytest.param("80", 7, marks=_SLOW)],
)  # fmt: skip
def test_nvidias_compiler_takes_partitions_and_what_a_block_shares_fits(architecture: str, every: int) -> None:
    for code in _every_source()[::every]:
        assert 0 < nvrtc.compile_code(code, OPTIONS, architecture).shared <= 48 * 1024 - 64


def test_as_many_lanes_look_back_for_a_partition_as_a_block_has() -> None:
    counts = (1, 8, 9, 16, 128, 129, partition_kernel.MOST)
    assert [partition_kernel.lanes_each(k) for k in counts] == [32, 32, 16, 16, 2, 1, 1]
