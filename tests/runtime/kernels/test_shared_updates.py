"""Updates that threads divide by the places written: the bits of one thread, errors included."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.op_declaration import OPS
from penstock.runtime.kernels import shared_updates

from .buffers import Guarded, guarded, same_bits
from .fences import loop, loops_at_once, needs_the_tier, run
from .test_shared_copies import THREADS, shared_by

pytestmark = needs_the_tier


@pytest.fixture(autouse=True)
def _all_is_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_updates, "_FAR", -1)
    monkeypatch.setattr(shared_updates, "_WIDE", 1)
    monkeypatch.setattr(shared_updates, "LINE", 1)


def check(name: str, *args: Any, template: str) -> None:
    with loops_at_once(on=False):
        expected = run(OPS[name], *args)
    for threads in THREADS:
        with shared_by(threads), loops_at_once() as handed:
            assert same_bits(run(OPS[name], *args), expected)
        assert f"{template}_range" in handed.names


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize(("outer", "width"), [((1,), 3), ((7,), 1), ((1000,), 16), ((30, 40), 2), ((3, 5, 2), 70)])
@pytest.mark.parametrize("count", [1, 2, 5001])
def test_equal_places_keep_their_order(outer: tuple[int, ...], width: int, count: int, dtype: str) -> None:
    rng = np.random.default_rng(count)
    vectors = np.stack([rng.integers(0, n, count) for n in outer], 1).astype("i4")
    rows = rng.integers(0, 9, (count, width)).astype(dtype)
    tensor = rng.integers(0, 99, (*outer, width)).astype(dtype)
    check("TensorScatterUpdate", tensor, vectors, rows, template="put")
    check("ScatterNd", vectors, rows, np.array([*outer, width]), template="add")
    if len(outer) == 1 and width > 1:
        ids = np.sort(vectors[:, 0])
        check("SegmentSum", rows, ids, template="add")
        check("UnsortedSegmentSum", rows, vectors[:, 0], np.int32(outer[0]), template="add")


@pytest.mark.parametrize("at", [0, 2500, 4999])
@pytest.mark.parametrize("bad", [-1, 50])
def test_an_index_out_of_range_is_told_by_any_thread(at: int, bad: int) -> None:
    index = np.arange(5000, dtype="i4")[:, None] % 50
    index[at] = bad
    rows = np.ones((5000, 2), "f4")
    for threads in THREADS:
        with shared_by(threads), loops_at_once(), pytest.raises(tf.errors.InvalidArgumentError, match=rf"\[{at}\]"):
            run(OPS["TensorScatterUpdate"], np.zeros((50, 2), "f4"), index, rows)
        with shared_by(threads), loops_at_once(), pytest.raises(tf.errors.InvalidArgumentError, match=rf"\[{at}"):
            run(OPS["ScatterNd"], index, rows, np.array([50, 2]))


def test_narrow_rows_and_what_the_caches_hold_are_left_to_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    rng = np.random.default_rng(0)
    index = rng.integers(0, 5000, (5000, 1)).astype("i4")
    for width in (1, 16):
        with shared_by(2), loops_at_once() as handed:
            run(OPS["ScatterNd"], index, np.ones((5000, width), "f4"), np.array([5000, width]))
        assert handed.names == ["add"]
    with shared_by(2), loops_at_once() as handed:
        run(OPS["ScatterNd"], np.sort(index, 0), np.ones((5000, 16), "f4"), np.array([5000, 16]))
    assert handed.names == ["add", "add_range"]


@pytest.mark.parametrize("width", [1, 3, 20])
@given(st.integers(0, 60), st.integers(0, 9), st.integers(0, 9), st.integers(0, 3), st.integers(0, 2**32))
def test_places_of_others_are_not_touched(width: int, count: int, low: int, high: int, off: int, seed: int) -> None:
    rng, high = np.random.default_rng(seed), max(low, high)
    rows, index = rng.integers(0, 99, (count, width)).astype("i4"), rng.integers(0, 9, count).astype("i4")
    given_rows, given_index, sizes = guarded(rows, off), guarded(index, off), np.array([9])
    for name in ("put", "add"):
        out, expected = Guarded((9, width), "i4", off), np.full((9, width), 7, "i4")
        out.array[...] = 7
        key = (4 * width, "i4", 1) if name == "put" else ("i4", width if width <= 4 else 0, "i4", 1)
        size = 4 * width if name == "put" else width
        assert loop(f"{name}_range", *key)(out.array, given_rows, given_index, sizes, count, size, low, high) == count
        for place, row in zip(index.tolist(), rows, strict=True):
            if low <= place < high:
                expected[place] = row if name == "put" else expected[place] + row
        out.check()
        assert same_bits(out.array, expected)
