"""A compiled loop reads a transposed capture row-major, from a copy made once, where that changes no bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.kernels.products.small_products import transposed
from penstock.runtime.llvm import tier
from penstock.runtime.loops import native_loop, product_steps
from penstock.runtime.loops.product_steps import has_the_same_bits

ROWS, SIZE = 32, 48


@pytest.fixture(autouse=True)
def compiled() -> Iterator[None]:
    if tier.why_off():
        pytest.skip(f"nothing is compiled here: {tier.why_off()}")
    before = jit.mode
    has_the_same_bits.cache_clear()
    with tf.Graph().as_default():
        yield
    jit.mode = before


@pytest.fixture(autouse=True)
def copies(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The matrices of which a run of compiled code has made transposed copies."""
    made: list[Any] = []

    def noted(x: Any) -> Any:
        made.append(x)
        return transposed(x)

    monkeypatch.setattr(native_loop, "transposed", noted)
    return made


def products(dtype: Any, rows: int, inner: int, columns: int) -> tuple[Any, Any, Any]:
    """A loop that multiplies by one matrix and by its transpose, the placeholders of it and of the start."""
    w = tf.placeholder(dtype, [inner, columns])
    start = tf.placeholder(dtype, [rows, columns])

    def body(i: Any, x: Any) -> Any:
        return i + 1, tf.tanh(tf.matmul(tf.matmul(x, w, transpose_b=True), w))

    return tf.while_loop(lambda i, x: i < 5, body, [0, start])[1], w, start


def both(fetch: Any, feeds: Any) -> tuple[Any, Any]:
    """The result of the interpreter, and that of compiled code."""
    found = []
    for mode in ("off", "now"):
        jit.mode = mode
        with tf.Session() as session:
            found.append(session.run(fetch, feeds))
    return found[0], found[1]


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("sizes", [(ROWS, SIZE, SIZE), (8, 100, 100), (1, 64, 64), (3, 5, 7), (2, 300, 17)])
def test_products_have_the_bits_of_the_interpreter(dtype: Any, sizes: Any, copies: list[Any]) -> None:
    fetch, w, start = products(dtype, *sizes)
    rng = np.random.default_rng(0)
    feeds = {w: rng.standard_normal((sizes[1], sizes[2])).astype(dtype.np) / 9,
             start: rng.standard_normal((sizes[0], sizes[2])).astype(dtype.np)}  # fmt: skip
    plain, native = both(fetch, feeds)
    assert plain.tobytes() == native.tobytes()
    rows, inner, columns = sizes
    assert len(copies) == has_the_same_bits(np.dtype(dtype.np).char, rows, columns, inner, False)


@pytest.mark.parametrize("rows", [(28, 128), (0, 100), (64, 16)])
@pytest.mark.parametrize("by_blas", [False, True])
def test_rows_of_a_large_capture_are_columns_of_its_copy(
    rows: tuple[int, int], by_blas: bool, monkeypatch: pytest.MonkeyPatch, copies: list[Any]
) -> None:
    if by_blas:
        monkeypatch.setattr(product_steps, "product_code", lambda *sizes: None)
    first, count = rows
    w = tf.placeholder(tf.float32, [156, 512])  # more elements than have positions
    start = tf.placeholder(tf.float32, [64, 512])

    def body(i: Any, x: Any) -> Any:
        part = tf.slice(w, [first, 0], [count, 512])
        return i + 1, tf.tanh(tf.matmul(tf.matmul(x, part, transpose_b=True), part))

    fetch = tf.while_loop(lambda i, x: i < 5, body, [0, start])[1]
    rng = np.random.default_rng(0)
    feeds = {w: rng.standard_normal((156, 512)).astype("f4") / 9, start: rng.standard_normal((64, 512)).astype("f4")}
    plain, native = both(fetch, feeds)
    assert plain.tobytes() == native.tobytes()
    assert len(copies) == has_the_same_bits("f", 64, 512, count, False, 156)


def test_a_capture_that_is_read_in_another_shape_is_no_copy_of_itself(copies: list[Any]) -> None:
    w, start = tf.placeholder(tf.float32, [64, 96]), tf.placeholder(tf.float32, [32, 64])

    def body(i: Any, x: Any) -> Any:
        return i + 1, tf.tanh(tf.matmul(tf.matmul(x, tf.reshape(w, [96, 64]), transpose_b=True), w, transpose_b=True))

    fetch = tf.while_loop(lambda i, x: i < 5, body, [0, start])[1]
    rng = np.random.default_rng(0)
    feeds = {w: rng.standard_normal((64, 96)).astype("f4") / 9, start: rng.standard_normal((32, 64)).astype("f4")}
    plain, native = both(fetch, feeds)
    assert plain.tobytes() == native.tobytes()


def test_the_copy_is_made_anew_in_each_run(monkeypatch: pytest.MonkeyPatch, copies: list[Any]) -> None:
    monkeypatch.setattr(product_steps, "has_the_same_bits", lambda *shape: True)
    fetch, w, start = products(tf.float32, ROWS, SIZE, SIZE)
    jit.mode = "now"
    with tf.Session() as session:
        first = np.ones((ROWS, SIZE), np.float32)
        found = [session.run(fetch, {w: np.full((SIZE, SIZE), scale, np.float32), start: first}) for scale in (0, 1e-2)]
    assert len(copies) == 2
    assert not found[0].any()
    assert found[1].all()


def test_a_matrix_that_bits_forbid_to_turn_is_read_as_it_lies(
    monkeypatch: pytest.MonkeyPatch, copies: list[Any]
) -> None:
    asked: list[Any] = []

    def never(*shape: Any) -> bool:
        asked.append(shape)
        return False

    monkeypatch.setattr(product_steps, "has_the_same_bits", never)
    fetch, w, start = products(tf.float32, ROWS, SIZE, SIZE)
    rng = np.random.default_rng(0)
    plain, native = both(fetch, {w: rng.standard_normal((SIZE, SIZE)).astype("f4") / 9,
                                 start: rng.standard_normal((ROWS, SIZE)).astype("f4")})  # fmt: skip
    assert asked == [("f", ROWS, SIZE, SIZE, False, SIZE)]
    assert copies == []
    assert plain.tobytes() == native.tobytes()


def test_a_trial_tells_shapes_whose_bits_differ_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not has_the_same_bits("f", 1, 64, 64, False)
    assert not has_the_same_bits("f", 2, 2, 2, False)
    multiply = np.matmul
    for factor in (1.01, 1.0):
        monkeypatch.setattr(np, "matmul", lambda a, b, by=factor: multiply(a, np.ascontiguousarray(b))
                            * np.float32(1 if b.flags.c_contiguous else by))  # fmt: skip
        has_the_same_bits.cache_clear()
        assert has_the_same_bits("f", ROWS, SIZE, SIZE, False) is (factor == 1.0)
