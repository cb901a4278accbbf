"""Products by tiles: the bits of NumPy's product, or NumPy's product itself."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock as tf
from penstock.runtime.base.blas_threads import with_one_thread
from penstock.runtime.kernels.products import fast_matmul, small_products
from penstock.runtime.kernels.products.matrix_product_loop import MOST_ROWS, panel_of, tiles_of
from penstock.runtime.kernels.products.small_products import Product, cuts, is_served, transposed

from ...helpers import examples
from .buffers import Guarded, guarded
from .fences import loop, needs_the_tier

pytestmark = [needs_the_tier, pytest.mark.usefixtures("tiles_anywhere")]


@pytest.fixture
def tiles_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles where they do not pay, too: LLVM divides vectors that are too wide."""
    monkeypatch.setattr(small_products, "has_tiles", lambda: True)
    monkeypatch.setattr(fast_matmul, "_products", {})
    monkeypatch.setattr(small_products, "_cuts", {})


@pytest.mark.share(2)
@pytest.mark.parametrize("kind", ["f4", "f8"])
@settings(max_examples=max(4, examples(2) // 3))
@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 70), st.integers(0, 2**32))
def test_the_loop_adds_every_product_and_writes_nothing_else(
    kind: str, rows: int, inner: int, columns: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    a = rng.integers(-9, 9, (rows, inner)).astype(kind)
    b = rng.integers(-9, 9, (inner, columns)).astype(kind)
    out = Guarded((rows, columns), kind, 0)
    tiles, height, larger = tiles_of(rows)
    call = loop("matrix_product", kind, height, columns % panel_of(kind))
    start = int(rng.integers(0, inner + 1))
    for begin, end, is_new in ((0, start, True), (start, inner, False)):
        if begin == end and not is_new:
            continue
        if begin == end:
            out.array[...] = 0
            continue
        given = out.array, guarded(a, 0), guarded(b, 0), out.array, out.array
        call(*given, 0, tiles, larger, columns, begin, end, inner, 1, columns, columns, columns, is_new)
    assert np.array_equal(out.array, with_one_thread(np.matmul, a, b))
    out.check()


def test_tiles_cover_the_rows_and_equal_ones_share_the_code_of_others() -> None:
    for rows in range(8, 400):
        tiles, height, larger = tiles_of(rows)
        assert 0 < larger <= tiles == -(-rows // MOST_ROWS)
        assert tiles * height + larger == rows
        assert height < MOST_ROWS
    assert tiles_of(156)[1] == tiles_of(128)[1]


@pytest.mark.share(8)
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("shape", [(100, 110, 120), (33, 500, 90), (257, 64, 120), (66, 1000, 128), (90, 129, 128)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_products_have_the_bits_of_numpy(dtype: str, shape: tuple[int, int, int], turned: tuple[bool, bool]) -> None:
    rows, inner, columns = shape
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(rows, inner)).astype(dtype), rng.normal(size=(inner, columns)).astype(dtype)
    a[0, :5] = np.inf, 0.0, -0.0, 1e-40, -np.inf
    b[:3, 0] = np.nan, -0.0, 1e-40
    a[1], b[:, 1] = 1e-30, -1e-30
    a, b = (np.asfortranarray(a).T if turned[0] else a), (np.asfortranarray(b).T if turned[1] else b)
    left, right = a.T if turned[0] else a, b.T if turned[1] else b
    product = Product(dtype, (rows, inner, columns, *turned))
    with np.errstate(all="ignore"):
        with patch.object(small_products, "find_for_few", lambda name, *key, work: loop(name, *key)):
            found = product(left, right)
        wanted = with_one_thread(np.matmul, left, right)
    if found is None:
        assert product.cut == ()
    else:
        assert product.cut
        assert np.array_equal(found, wanted, equal_nan=True)
        assert np.array_equal(np.signbit(found), np.signbit(wanted)) or np.isnan(wanted).any()
        assert found.flags.carray and found.base is None


def test_a_product_whose_order_is_not_found_is_left_to_numpy() -> None:
    a, b = np.ones((100, 900), "f4"), np.ones((900, 100), "f4")
    product = Product("f4", (100, 900, 100, False, False))
    with patch.object(small_products, "find_for_few", lambda name, *key, work: loop(name, *key)), \
            patch.object(small_products, "cuts", lambda length: iter([(0, 1, length)])):  # fmt: skip
        assert product(a, b) is None
    assert product.cut == ()


def test_before_the_loop_is_compiled_numpy_computes() -> None:
    product = Product("f4", (100, 200, 100, False, False))
    with patch.object(small_products, "find_for_few", lambda name, *key, work: None):
        assert product(np.ones((100, 200), "f4"), np.ones((200, 100), "f4")) is None
    assert product.cut is None


def test_small_thin_and_deep_products_are_left_to_numpy() -> None:
    assert not is_served((32, 256, 10, False, False))
    assert not is_served((4, 1000, 1000, False, False))
    assert not is_served((100, 100_000, 100, False, False))
    assert is_served((100, 200, 100, False, False))


def test_processors_with_few_registers_leave_products_to_numpy_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_products, "has_tiles", lambda: False)
    with patch.object(small_products, "find_for_few", side_effect=AssertionError):
        product = Product("f4", (100, 200, 100, False, False))
        assert product.cut == () == product.cut_at_once()


def test_a_matrix_times_its_own_transpose_is_left_to_numpy() -> None:
    x = np.ones((200, 200), "f4")
    with patch.object(fast_matmul, "Product", side_effect=AssertionError):
        found = fast_matmul.matmul(np, x, x, False, True, False, False)
    assert np.array_equal(found, with_one_thread(np.matmul, x, x.T))


@given(st.integers(1, 5000))
def test_every_cut_begins_and_ends_with_the_sum(length: int) -> None:
    found = list(cuts(length))
    assert found[0] == (0, length)
    assert len(set(found)) == len(found)
    assert all(cut[0] == 0 and cut[-1] == length and list(cut) == sorted(set(cut)) for cut in found)


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(3, 5), (16, 16), (33, 70), (200, 17)])
def test_a_transposed_copy_is_row_major(dtype: str, shape: tuple[int, int]) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype(dtype)
    with patch.object(small_products, "find_for_few", lambda name, *key, work: loop(name, *key)):
        made = transposed(x)
    assert np.array_equal(made, x.T) and made.flags.c_contiguous


def test_a_program_gives_the_same_bits_with_and_without_machine_code() -> None:
    a, b = tf.placeholder(tf.float32, [64, 300]), tf.placeholder(tf.float32, [200, 300])
    product = tf.matmul(a, b, transpose_b=True)
    rng = np.random.default_rng(0)
    feeds = {a: rng.normal(size=(64, 300)), b: rng.normal(size=(200, 300))}
    with tf.Session() as session:
        first = session.run(product, feeds)
        with patch.object(small_products, "find_for_few", lambda name, *key, work: loop(name, *key)):
            then = session.run(product, feeds)
    assert first.tobytes() == then.tobytes()
