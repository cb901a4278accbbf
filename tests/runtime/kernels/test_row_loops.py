"""Rows joined, copied, picked and turned around: each loop against NumPy, with bad indices at every position."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ...helpers import nightly
from .buffers import Guarded, guarded, random_bits, same_bits
from .fences import loop, needs_the_tier

pytestmark = needs_the_tier

seeds = st.integers(0, 2**32)
offs = st.integers(0, 3)
COUNTS = st.sampled_from([0, 1, 2, 7, 8, 9, 63, 64, 65, 200])


@pytest.mark.parametrize("widths", [(32, 32), (1, 2, 3), (12, 4), (3,) * 16, (256, 1), (40, 100),
                                    *nightly([(64, 64), (16,) * 4])])  # fmt: skip
@given(COUNTS, offs, st.integers(0, 9), seeds)
def test_join_puts_rows_one_behind_the_other(
    widths: tuple[int, ...], count: int, off: int, gap: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    parts = [guarded(random_bits(rng, (count, w + gap), "u1"), off)[:, :w] for w in widths]
    out = Guarded((count, sum(widths)), "u1", off)
    addresses = np.array([p.ctypes.data for p in parts], np.int64)
    strides = np.array([p.strides[0] for p in parts], np.int64)
    loop("join", widths)(out.array, addresses, strides, count)
    assert same_bits(out.array, np.concatenate(parts, 1))
    out.check()


@pytest.mark.parametrize(
    ("width", "parts"),
    [(16, 4), (1, 16), (12, 3), (256, 2), (33, 5),
     *[pytest.param(*each, marks=pytest.mark.nightly) for each in ((32, 2), (64, 3))]],
)  # fmt: skip
@given(COUNTS, offs, st.integers(0, 9), seeds)
def test_cut_takes_all_parts_of_each_row(width: int, parts: int, count: int, off: int, gap: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = guarded(random_bits(rng, (count, width * parts + gap), "u1"), off)
    outs = [Guarded((count, width), "u1", off) for _ in range(parts)]
    addresses = np.array([out.array.ctypes.data for out in outs], np.int64)
    loop("cut", width, parts)(x, addresses, count, x.strides[0])
    for p, out in enumerate(outs):
        assert same_bits(out.array, np.ascontiguousarray(x[:, p * width : (p + 1) * width]))
        out.check()


@pytest.mark.parametrize("row_bytes", [1, 12, 16, 33, 256, 300, *nightly([4])])
@given(COUNTS, st.integers(0, 3), st.integers(0, 20), st.booleans(), seeds)
def test_copy_rows_takes_rows_that_lie_apart(
    row_bytes: int, count: int, images: int, gap: int, backwards: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    x = random_bits(rng, (images, count, row_bytes + gap), "u1")[:, :, gap:]
    x = x[::-1, ::-1] if backwards else x
    out = Guarded((images, count, row_bytes), "u1")
    loop("copy_rows", row_bytes if row_bytes <= 256 else 0)(
        out.array, x, count, x.strides[1], images, x.strides[0], row_bytes
    )
    assert same_bits(out.array, np.ascontiguousarray(x))
    out.check()


@pytest.mark.parametrize("row_bytes", [4, 8, 24, 64, 300])
@pytest.mark.parametrize("kind", ["i4", "i8", "b1"])
@given(COUNTS, offs, seeds)
def test_pick_takes_each_row_from_the_array_that_is_named(
    row_bytes: int, kind: str, count: int, off: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    arrays = [guarded(random_bits(rng, (count, row_bytes), "u1"), off) for _ in range(2 if kind == "b1" else 5)]
    index = guarded(rng.integers(0, len(arrays), count).astype(kind), off)
    out = Guarded((count, row_bytes), "u1", off)
    addresses = np.array([a.ctypes.data for a in arrays], np.int64)
    done = loop("pick", row_bytes if row_bytes <= 256 else 0, kind)(
        out.array, addresses, index, count, len(arrays), row_bytes
    )
    assert done == count
    assert same_bits(out.array, np.stack(arrays)[index.astype(int), np.arange(count)])
    out.check()


@pytest.mark.parametrize("bad", [-1, 3, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("at", [0, 1, 8, 19])
def test_pick_stops_at_an_index_out_of_range(bad: int, at: int) -> None:
    arrays = [np.full((20, 8), k, "u1") for k in range(3)]
    index = np.ones(20, "i4")
    index[at] = bad
    out = Guarded((20, 8), "u1")
    out.array[...] = 9
    addresses = np.array([a.ctypes.data for a in arrays], np.int64)
    assert loop("pick", 8, "i4")(out.array, addresses, index, 20, 3, 8) == at
    assert (out.array[:at] == 1).all()
    assert (out.array[at:] == 9).all()
    out.check()


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16"])
@given(COUNTS, offs, seeds)
def test_select_copies_bits(dtype: str, count: int, off: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    t, e = (guarded(random_bits(rng, count, dtype), off) for _ in range(2))
    mask = guarded(rng.integers(0, 3, count).astype("u1"), off)
    out = Guarded(count, dtype, off)
    loop("select", t.itemsize)(out.array, mask, t, e, count)
    assert same_bits(out.array, np.where(mask != 0, t, e))
    out.check()


# ---- starts of rows -----------------------------------------------------------------------------


def turned(x: Any, lengths: Any) -> Any:
    out = x.copy()
    for i, n in enumerate(lengths.tolist()):
        out[i, :n] = x[i, :n][::-1]
    return out


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8"])
@pytest.mark.parametrize("kind", ["i4", "i8"])
@pytest.mark.parametrize("width", [2, 3, 8, 10, 16, 31, 32])
@given(st.integers(0, 40), offs, seeds)
def test_short_rows_are_turned_in_registers(
    dtype: str, kind: str, width: int, rows: int, off: int, seed: int
) -> None:
    check_turned(dtype, kind, width, rows, off, seed, width)


@pytest.mark.parametrize("dtype", ["u1", "f4", "c16", "V24", "V300"])
@pytest.mark.parametrize("kind", ["i4", "i8"])
@given(st.integers(0, 40), st.integers(1, 90), offs, seeds)
def test_other_rows_are_turned_element_by_element(
    dtype: str, kind: str, rows: int, width: int, off: int, seed: int
) -> None:
    check_turned(dtype, kind, width, rows, off, seed, 0)


def check_turned(dtype: str, kind: str, width: int, rows: int, off: int, seed: int, key: int) -> None:
    rng = np.random.default_rng(seed)
    x = Guarded((rows, width), dtype, off)
    x.array[...] = random_bits(rng, (rows, width), dtype)
    lengths = guarded(rng.integers(0, width + 1, rows).astype(kind), off)
    out, size = Guarded((rows, width), dtype, off), x.array.itemsize
    done = loop("reverse_starts", size if size <= 256 else 0, kind, key)(
        out.array, x.array, lengths, rows, width, size
    )
    assert done == rows
    assert same_bits(out.array, turned(x.array, lengths))
    out.check()


@pytest.mark.parametrize("key", [16, 0])
@pytest.mark.parametrize("bad", [-1, 17, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("at", [0, 1, 19])
def test_a_length_out_of_range_stops_the_loop(key: int, bad: int, at: int) -> None:
    x = np.random.default_rng(0).random((20, 16), np.float32)
    lengths = np.full(20, 16, "i4")
    lengths[at] = bad
    out = Guarded((20, 16), "f4")
    assert loop("reverse_starts", 4, "i4", key)(out.array, x, lengths, 20, 16, 4) == at
    assert same_bits(out.array[:at], x[:at, ::-1].copy())
    out.check()
