"""Products in compiled loops: by the loop of small products where it serves, with the bits of the plain path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.kernels.products import products_in_code
from penstock.runtime.llvm import tier
from penstock.runtime.llvm.toolchain import features
from penstock.runtime.loops import product_steps
from penstock.runtime.loops.loop_report import loop_reports

ROWS, SIZE, WIDE = 32, 128, 512


@pytest.fixture(autouse=True)
def compiled() -> Iterator[None]:
    if tier.why_off():
        pytest.skip(f"nothing is compiled here: {tier.why_off()}")
    before = jit.mode
    with tf.Graph().as_default():
        yield
    jit.mode = before


@pytest.fixture(autouse=True)
def codes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What compiled loops asked for products, and whether they got a loop."""
    asked: list[Any] = []

    def noted(dtype: Any, *sizes: Any) -> Any:
        code = products_in_code.product_code(dtype, *sizes)
        asked.append((sizes, code is not None))
        return code

    monkeypatch.setattr(product_steps, "product_code", noted)
    return asked


def both(fetches: Any, feeds: Any) -> tuple[list[Any], list[Any]]:
    """The results of the plain path, and those of compiled code."""
    found = []
    for mode in ("off", "now"):
        jit.mode = mode
        with tf.Session() as session:
            found.append(session.run(fetches, feeds))
    return found[0], found[1]


def same(fetches: Any, feeds: Any) -> bool:
    plain, native = both(fetches, feeds)
    return [x.tobytes() for x in plain] == [x.tobytes() for x in native]


def drawn(seed: int, *shape: int, dtype: Any = np.float32) -> Any:
    return (np.random.default_rng(seed).standard_normal(shape) / np.sqrt(shape[-1])).astype(dtype)


def recurrence(body: Any, dtype: Any = tf.float32, rows: int = ROWS) -> tuple[Any, Any]:
    """A scan over five rows, of a state and weights; what is fed."""
    x = tf.placeholder(dtype, [5, rows, WIDE])
    w = tf.placeholder(dtype, [SIZE, WIDE])
    start = tf.placeholder(dtype, [rows, SIZE])
    made = tf.scan(lambda state, row: body(state, row, w), x, initializer=start)
    slopes = tf.gradients(tf.reduce_sum(made * made), [w, x])
    feeds = {x: drawn(1, 5, rows, WIDE, dtype=dtype.np), w: drawn(2, SIZE, WIDE, dtype=dtype.np),
             start: drawn(3, rows, SIZE, dtype=dtype.np)}  # fmt: skip
    return [made, *slopes], feeds


def gated(state: Any, row: Any, w: Any) -> Any:
    a, b, c, d = tf.split(1, 4, row + tf.matmul(state, w))
    return tf.sigmoid(a) * tf.tanh(b) + tf.sigmoid(c) * tf.tanh(d) * state


def last_split(state: Any, row: Any, w: Any) -> Any:
    """Parts of 64 columns, and the sum itself is read too."""
    total = row + tf.matmul(state, w)
    parts = tf.split(1, 8, total)
    return tf.concat(1, [tf.tanh(parts[0]), tf.tanh(parts[7])]) + total[:, :SIZE]


def uneven(state: Any, row: Any, w: Any) -> Any:
    """A sum that is not split, of a product and a row for all rows."""
    total = tf.matmul(state, w) + row[0]
    return tf.tanh(total[:, 7 : 7 + SIZE])


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("body", [gated, last_split, uneven])
@pytest.mark.parametrize("rows", [ROWS, 17, 50])
def test_sums_of_products_have_the_bits_of_the_plain_path(body: Any, dtype: Any, rows: int) -> None:
    fetches, feeds = recurrence(body, dtype, rows)
    assert same(fetches, feeds)


def test_large_products_are_computed_by_the_loop_of_small_products(codes: list[Any]) -> None:
    fetches, feeds = recurrence(gated)
    assert same(fetches, feeds)
    asked = dict(codes)
    assert asked.keys() >= {(ROWS, SIZE, WIDE, False, False), (ROWS, WIDE, SIZE, False, True)}
    cut = products_in_code.product_code(np.dtype("f4"), ROWS, SIZE, WIDE, False, False)
    assert "avx512f" in features() or cut is None
    assert asked[ROWS, SIZE, WIDE, False, False] is (cut is not None)


def test_small_products_are_left_to_blas(codes: list[Any]) -> None:
    x, w = tf.placeholder(tf.float32, [9, 4, 8]), tf.placeholder(tf.float32, [8, 8])
    made = tf.scan(lambda state, row: tf.tanh(row + tf.matmul(state, w)), x, initializer=tf.zeros([4, 8]))
    assert same([made], {x: drawn(4, 9, 4, 8), w: drawn(5, 8, 8)})
    assert codes
    assert not any(code for _, code in codes)


def test_a_product_of_wrong_dtype_is_told_by_the_name_of_its_step() -> None:
    x = tf.placeholder(tf.int32, [5, 3, 3])
    made = tf.scan(lambda state, row: row + tf.matmul(state, row, name="whole"), x)
    with tf.Session() as session:
        plan = session.plan(made, [x])
    (report,) = loop_reports(plan, ((5, 3, 3),))
    assert "whole" in report.reason
    assert "two matrices of floats" in report.reason
