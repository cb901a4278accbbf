"""Products have the bits of BLAS with one thread, however many threads compute them."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.base.blas_threads import with_one_thread
from penstock.runtime.base.thread_pool import thread_limit
from penstock.runtime.kernels.products import blas_products
from penstock.runtime.kernels.products.blas_products import blas_product, cuts_of

from ...helpers import nightly
from .buffers import same_bits

SHAPES = [
    (512, 300, 257), (257, 300, 512), (800, 64, 600), (130, 1100, 128), (129, 784, 313), (128, 128, 2100),
    (1, 3000, 1500), (1500, 3000, 1), (64, 300, 1000), (1500, 7, 1400), (4100, 33, 256), (1029, 16, 512),
]  # fmt: skip


NUMBERS = np.random.default_rng(0).standard_normal(65_521)


@cache
def numbers_of(dtype: str) -> Any:
    """Numbers of a dtype; complex ones have two parts that do not repeat together."""
    return (NUMBERS - 1j * NUMBERS[::-1] if dtype[0] == "c" else NUMBERS).astype(dtype)


def operands(rows: int, inner: int, columns: int, dtype: str, turned: str) -> tuple[Any, Any]:
    # To draw each number took longer than the products; no shape has rows of as many elements as there are numbers.
    numbers = numbers_of(dtype)
    a = np.resize(numbers[rows % 97 :], (inner, rows) if "a" in turned else (rows, inner))
    b = np.resize(numbers[columns % 89 :], (columns, inner) if "b" in turned else (inner, columns))
    a[3:5, ::3] = 0.0
    return (a.T if "a" in turned else a), (b.T if "b" in turned else b)


@pytest.fixture
def cut_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas_products, "SHARED", 1 << 22)
    monkeypatch.setattr(blas_products, "_PART", 1 << 21)
    monkeypatch.setattr(blas_products, "_may_cut", {})


@pytest.mark.share(3)
@pytest.mark.usefixtures("cut_early")
@pytest.mark.parametrize(("dtype", "turned"), [
    ("f4", ""), ("f4", "a"), ("f4", "b"), ("f4", "ab"), ("f8", ""), ("f8", "b"), ("c8", ""), ("c8", "a"), ("c16", "b")
])  # fmt: skip
@pytest.mark.parametrize("every", [False, *nightly([True])], ids=["half of the shapes", "all"])
def test_bits_do_not_depend_on_the_number_of_threads(dtype: str, turned: str, every: bool) -> None:
    calls = 0
    shapes = SHAPES if every else SHAPES["a" in turned :: 2]
    for shape in shapes:
        a, b = operands(*shape, dtype, turned)
        want = with_one_thread(np.matmul, a, b)
        for threads in (1, 2, 7) if every else (2, 7):
            with thread_limit(threads):
                calls += len(cuts_of(max(shape[0], shape[2]), blas_products.parts_of_product(int(np.prod(shape))))) - 1
                assert same_bits(blas_product(a, b), want), (shape, threads)
    assert calls > 3 * len(shapes)


@pytest.mark.share(2)
@pytest.mark.usefixtures("cut_early")
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_sizes_about_those_of_kernels_have_the_bits_of_one_thread(dtype: str) -> None:
    """BLAS's kernels compute 4, 8, 12, 16 or 24 rows or columns at once, in orders of their own at the edges."""
    for rows in (191, 192, 193, 196, 200, 204, 208, 216, 252):
        for columns in (144, 149, 152, 160):
            a, b = operands(rows, 200, columns, dtype, "")
            with thread_limit(3):
                found = blas_product(a, b)
            assert found.tobytes() == with_one_thread(np.matmul, a, b).tobytes(), (rows, columns)
            with thread_limit(3):
                found = blas_product(a.T, a)
            assert found.tobytes() == with_one_thread(np.matmul, a.T, a).tobytes(), (rows, columns)


@pytest.mark.usefixtures("cut_early")
@pytest.mark.parametrize(("left", "right"), [
    ((5, 60, 70), (5, 70, 80)), ((1, 60, 70), (9, 70, 80)), ((9, 60, 70), (70, 80)), ((2, 1, 60, 70), (1, 7, 70, 80)),
    ((0, 60, 70), (1, 70, 80)), ((4, 0, 70), (4, 70, 80)), ((4, 6, 0), (4, 0, 8)), ((3, 3, 64, 64), (3, 3, 64, 64)),
])  # fmt: skip
def test_batches_are_cut_between_their_matrices(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal(left).astype("f4"), rng.standard_normal(right).astype("f4")
    want = with_one_thread(np.matmul, a, b)
    for threads in (1, 2, 5):
        with thread_limit(threads):
            found = blas_product(a, b)
        assert found.shape == want.shape and found.tobytes() == want.tobytes()


@pytest.mark.usefixtures("cut_early")
def test_a_kind_whose_bits_differ_is_never_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    cut = blas_products._in_blocks

    def other_bits(left: Any, right: Any, out: Any, by_rows: bool, cuts: list[int]) -> Any:
        made.append(len(cuts))
        return np.nextafter(cut(left, right, out, by_rows, cuts), 9)

    monkeypatch.setattr(blas_products, "_in_blocks", other_bits)
    a, b = operands(400, 300, 300, "f4", "")
    with thread_limit(4):
        for _ in range(3):
            assert blas_product(a, b).tobytes() == with_one_thread(np.matmul, a, b).tobytes()
    assert len(made) == 2  # a trial of each side


def test_sizes_that_do_not_fit_are_errors_of_numpy() -> None:
    a, b = np.ones((600, 600), "f4"), np.ones((601, 600), "f4")
    with pytest.raises(ValueError, match="matmul"):
        blas_product(a, b)
    with pytest.raises(ValueError, match="matmul"):
        blas_product(np.stack([a] * 3), np.stack([b] * 3))


def test_a_side_is_cut_at_units_and_covered() -> None:
    for size in (1, 47, 48, 49, 95, 96, 127, 1000, 4096):
        for parts in (1, 2, 3, 8, 100):
            cuts = cuts_of(size, parts)
            assert cuts[0] == 0 and cuts[-1] == size and len(cuts) <= parts + 1
            assert all(x < y for x, y in pairwise(cuts))
            assert all(each % blas_products.UNIT == 0 for each in cuts[:-1])


def test_sessions_with_any_number_of_threads_have_the_same_bits() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((700, 513)).astype("f4"), rng.standard_normal((513, 400)).astype("f4")
    x = tf.placeholder(tf.float32, [None, None])
    y = tf.matmul(tf.matmul(x, b), b, transpose_b=True)
    found = set()
    for threads in (1, 2, 5, None):
        with tf.Session(config=tf.SessionConfig(threads=threads)) as session:
            found.add(session.run(y, {x: a}).tobytes())
    assert len(found) == 1
