"""Exchanged dimensions, woven and taken apart arrays: each loop against NumPy, at every edge of a block."""

import ctypes
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.runtime.execution.row_major import _merged, row_major_copies, row_major_copy
from penstock.runtime.kernels import transposed_copies
from penstock.runtime.kernels.loops import transpose_loop
from penstock.runtime.kernels.loops.loop_cache import TEMPLATES, find
from penstock.runtime.llvm.toolchain import build
from penstock.runtime.memory.buffer_pool import SMALL

from ...helpers import some_nightly
from .buffers import Guarded, guarded, random_bits, same_bits, times
from .fences import loop, needs_the_tier

pytestmark = needs_the_tier

DTYPES = ["u1", "u2", "f4", "f8", "c16"]
EDGES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 65]


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("most", [16, 8, 4])
@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 3), st.integers(0, 7), st.integers(0, 2**32))
def test_a_transpose_moves_every_element_and_nothing_else(
    dtype: str, most: int, more_rows: int, more_columns: int, images: int, off: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows, columns, gap = most + more_rows, most + more_columns, int(rng.integers(0, 4))
    x = guarded(random_bits(rng, (images, rows, columns + gap), dtype), off)
    out = Guarded((images, columns, rows), dtype, off)
    strip = int(rng.choice([16, 32, 512]))
    (x_image, x_row, _), (out_image, out_row, _) = x.strides, out.array.strides
    call = loop("transpose", x.itemsize, most)
    call(out.array, x, rows, columns, x_row, out_row, images, x_image, out_image, strip)
    assert same_bits(out.array, np.ascontiguousarray(x[:, :, :columns].transpose(0, 2, 1)))
    out.check()


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8"])
@pytest.mark.parametrize("parts", [2, 3, 8, *[pytest.param(parts, marks=pytest.mark.slow) for parts in (4, 5, 7)]])
@given(st.sampled_from([0, *EDGES]), st.integers(1, 3), st.integers(0, 3), st.booleans(), st.integers(0, 2**32))
def test_zip_and_unzip_are_stack_and_its_inverse(
    dtype: str, parts: int, count: int, images: int, off: int, apart: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    step = 2 if apart else 1
    sources = [guarded(random_bits(rng, (images, count * step), dtype), off)[:, ::step] for _ in range(parts)]
    addresses = np.array([s.ctypes.data for s in sources], np.int64)
    strides = np.full(parts, sources[0].itemsize * step, np.int64)
    image = sources[0].strides[0]
    whole = Guarded((images, count, parts), dtype, off)
    loop("zip", sources[0].itemsize, parts)(
        whole.array, addresses, strides, count, images, image, whole.array.strides[0]
    )
    assert same_bits(whole.array, np.stack(sources, -1))
    whole.check()
    again = [Guarded((images, count * step), dtype, off) for _ in range(parts)]
    for target in again:
        target.array[...] = 7
    addresses = np.array([a.array.ctypes.data for a in again], np.int64)
    loop("unzip", sources[0].itemsize, parts)(
        whole.array, addresses, strides, count, images, image, whole.array.strides[0]
    )
    for source, target in zip(sources, again, strict=True):
        assert same_bits(np.ascontiguousarray(target.array[:, ::step]), np.ascontiguousarray(source))
        assert not apart or (target.array[:, 1::2] == 7).all()
        target.check()


@pytest.mark.share(4)
@pytest.mark.parametrize("there", [{"avx2"}, set()], ids=["registers of 32 bytes", "registers of 16 bytes"])
@pytest.mark.parametrize("dtype", some_nightly(["u1", "u2", "f4", "f8"], ["u1", "f8"]))
def test_narrower_registers_give_the_same(there: set[str], dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transpose_loop, "features", lambda: there)
    rng = np.random.default_rng(0)
    x, size = random_bits(rng, (2, 37, 21), dtype), np.dtype(dtype).itemsize
    out = Guarded((2, 21, 37), dtype)
    (x_image, x_row, _), (out_image, out_row, _) = x.strides, out.array.strides
    call = built("transpose", size, 16)
    call(out.array, x, 37, 21, x_row, out_row, 2, x_image, out_image, 16)
    assert same_bits(out.array, np.ascontiguousarray(x.transpose(0, 2, 1)))
    out.check()
    parts = [random_bits(rng, 85, dtype) for _ in range(3)]
    pointers, strides = np.array([p.ctypes.data for p in parts]), np.full(3, size)
    whole = Guarded((85, 3), dtype)
    built("zip", size, 3)(whole.array, pointers, strides, 85, 1, 0, 0)
    assert same_bits(whole.array, np.stack(parts, 1))
    whole.check()
    again = [np.empty_like(p) for p in parts]
    built("unzip", size, 3)(whole.array, np.array([p.ctypes.data for p in again]), strides, 85, 1, 0, 0)
    assert all(same_bits(p, q) for p, q in zip(parts, again, strict=True))


def built(name: str, *key: int) -> Any:
    """The loop of a template as it is now, which the table of loops does not see."""
    made = TEMPLATES[name]
    ir, function = made.code(*key)
    types = [ctypes.c_void_p if t == "p" else ctypes.c_int64 for t in made.takes]
    call = ctypes.CFUNCTYPE(ctypes.c_int64, *types)(build(ir, (function,))[function])
    return lambda *args: call(*[a.ctypes.data if isinstance(a, np.ndarray) else a for a in args])


# ---- whole views --------------------------------------------------------------------------------


def copied(view: Any, off: int = 0) -> Any:
    """`view`, however small, copied by a loop; None if there is none for it."""
    out = Guarded(view.shape, view.dtype, off)
    source, target = _merged(view, out.array)
    with (
        patch.object(transposed_copies, "find", lambda name, *key, work: loop(name, *key)),
        patch.object(transposed_copies, "_FEWEST", 0),
    ):
        done = transposed_copies.copied_by_loop(target, source)
    out.check()
    return out.array if done else None


@st.composite
def views(draw: st.DrawFn) -> Any:
    """A view of any strides: permuted, cut, with steps (negative ones too), repeated, overlapping, unaligned."""
    rank = draw(st.integers(2, 5))
    sizes = [draw(st.sampled_from([1, 2, 3, 4, 5, 8, 9, 16, 17] if rank < 5 else [1, 2, 3, 5, 8])) for _ in range(rank)]
    dtype = draw(st.sampled_from([*DTYPES, "?", "i1", "f2", "c8"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    cuts = [draw(st.sampled_from([slice(None)] * 5 + [slice(None, None, 2), slice(None, None, -1), slice(1, None)]))
            for _ in sizes]  # fmt: skip
    x = guarded(random_bits(rng, sizes, dtype), draw(st.integers(0, 3)))[tuple(cuts)]
    x = x.transpose(draw(st.permutations(range(rank))))
    form = draw(st.sampled_from(["plain", "plain", "repeated", "overlapping"]))
    if form == "repeated":
        at = draw(st.integers(0, rank))
        x = np.repeat(np.expand_dims(x, at), 1, at)
        x = np.broadcast_to(x, (*x.shape[:at], 3, *x.shape[at + 1 :]))
    if form == "overlapping" and x.ndim and x.shape[0] > 2:
        x = np.lib.stride_tricks.sliding_window_view(x, 2, axis=0)
    return x


@given(views())
def test_a_view_of_any_strides_is_copied_bit_by_bit(view: Any) -> None:
    if view.size == 0 or all(n == 1 for n in view.shape):
        return
    found = copied(view)
    assert found is None or same_bits(found, np.array(view, order="C"))


@pytest.mark.share(8)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("perm", [(1, 0), (0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1), (3, 1, 2, 0), (0, 3, 1, 2),
                                  (0, 2, 3, 1), (4, 2, 0, 3, 1), (2, 4, 1, 0, 3)])  # fmt: skip
def test_every_permutation_of_plain_dimensions_has_a_loop(dtype: str, perm: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(perm))
    view = random_bits(rng, (17, 9, 19, 8, 11)[: len(perm)], dtype).transpose(perm)
    found = copied(view, 3)
    assert found is not None
    assert same_bits(found, np.array(view, order="C"))


@pytest.mark.share(8)
@pytest.mark.parametrize("dtype", ["u1", "f4", "f8"])
@pytest.mark.parametrize("channels", range(2, 18))
def test_images_with_channels_first_and_last_have_loops(dtype: str, channels: int) -> None:
    rng = np.random.default_rng(channels)
    for view in (
        random_bits(rng, (3, 5, 7, channels), dtype).transpose(0, 3, 1, 2),
        random_bits(rng, (3, channels, 5, 7), dtype).transpose(0, 2, 3, 1),
    ):
        found = copied(view)
        assert found is not None
        assert same_bits(found, np.array(view, order="C"))


@pytest.mark.parametrize("view", [
    np.zeros((40, 40))[:, ::2], np.zeros((40, 40))[:, ::-1], np.zeros((40, 40))[::-1, ::-1].T,
    np.zeros((3, 4096)), np.broadcast_to(np.zeros((40, 1)), (40, 40))[:, ::-1].T[:, ::2],
], ids=["every second", "backwards", "both backwards", "long rows", "repeated, every second"])  # fmt: skip
def test_other_views_are_left_to_numpy(view: Any) -> None:
    assert copied(view) is None


def test_parts_of_a_split_are_copied_in_one_walk() -> None:
    rng = np.random.default_rng(0)
    with patch.object(transposed_copies, "find", lambda name, *key, work: find(name, *key, work=1 << 40)):
        for columns, parts, dtype, template in [(16, 4, "f4", "cut"), (6, 3, "u1", "unzip"), (8, 4, "f4", "unzip"),
                                                (9, 3, "c16", "cut"), (32, 2, "f8", "cut")]:  # fmt: skip
            x = random_bits(rng, (2 * SMALL * parts // (columns * np.dtype(dtype).itemsize), columns), dtype)
            views = np.split(x, parts, 1)
            before = times(template)
            for view, copy in zip(views, row_major_copies(views), strict=True):
                assert same_bits(copy, np.array(view, order="C"))
                assert copy.flags.c_contiguous
            assert times(template) == before + 1
            one, two, moved = views[0], views[1], x[:, 1 : 1 + columns // parts]
            for others in ([two, one], [one, one], [one, moved], [x[::-1, :2]] * 2):
                for view, copy in zip(others, row_major_copies(others), strict=True):
                    assert same_bits(copy, np.array(view, order="C"))


def test_a_fetched_transpose_runs_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    loop("transpose", 4, 16)
    before = times("transpose")
    x = np.random.default_rng(0).random((300, 200), np.float32)
    got = row_major_copy(x.T)
    assert times("transpose") == before + 1
    monkeypatch.setenv("PENSTOCK_JIT", "off")
    assert same_bits(got, np.array(x.T, order="C"))
