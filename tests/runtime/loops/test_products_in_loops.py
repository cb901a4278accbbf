"""Products in compiled loops: by the loop of small products where it serves, with the bits of the plain path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.kernels.products.matrix_product_loop import has_tiles
from penstock.runtime.llvm import tier
from penstock.runtime.loops import loop_module, product_steps
from penstock.runtime.loops.loop_report import loop_reports

from ...helpers import nightly
from .loop_programs import same_bits

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
    usual = product_steps.product_code

    def noted(dtype: Any, *sizes: Any) -> Any:
        code = usual(dtype, *sizes)
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
    return all(same_bits(x, y) for x, y in zip(plain, native, strict=True))


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


@pytest.mark.share(9)
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("body", [last_split, uneven, *nightly([gated])])  # that one is below, too
@pytest.mark.parametrize("rows", [17, 50, *nightly([ROWS])])
def test_sums_of_products_have_the_bits_of_the_plain_path(body: Any, dtype: Any, rows: int) -> None:
    fetches, feeds = recurrence(body, dtype, rows)
    assert same(fetches, feeds)


def test_large_products_are_computed_by_the_loop_of_small_products(codes: list[Any]) -> None:
    fetches, feeds = recurrence(gated)
    assert same(fetches, feeds)
    asked = dict(codes)
    assert asked.keys() >= {(ROWS, SIZE, WIDE, False, False), (ROWS, WIDE, SIZE, False, True)}
    cut = product_steps.product_code(np.dtype("f4"), ROWS, SIZE, WIDE, False, False)
    assert (cut is not None) is has_tiles()
    assert asked[ROWS, SIZE, WIDE, False, False] is (cut is not None)


@pytest.mark.parametrize("is_known", [False, True])
def test_products_and_stacks_are_written_where_they_stay(is_known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a product, a sum of one, a concat make for the next iteration or a stack is not copied there."""
    texts = []

    class Noted(loop_module.LoopModule):
        def made(self) -> Any:
            result = super().made()
            texts.append(str(self.text))
            return result

    monkeypatch.setattr(loop_module, "LoopModule", Noted)
    rows, size = ROWS if is_known else None, 2 * SIZE
    h, w = tf.placeholder(tf.float32, [rows, size]), tf.placeholder(tf.float32, [2 * size, size])
    total = tf.placeholder(tf.float32, [size, size])

    def body(i: Any, h: Any, total: Any) -> Any:
        new = tf.tanh(tf.matmul(tf.concat(1, [h, tf.exp(h)]), w))
        return i + 1, new, total + tf.matmul(new, h, transpose_a=True)

    loop = tf.while_loop(lambda i, h, total: i < 6, body, [0, h, total])
    fetches = [loop[2], *tf.gradients(loop[2], [h, w])]
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape).astype("f4") / 9 for shape in ((ROWS, size), (2 * size, size), (size, size))]
    assert same(fetches, dict(zip((h, w, total), arrays, strict=True)))
    forward, backward = texts
    assert forward.count("copy(") == 4  # the pieces of the concat; h, which is stacked, and new, which is the next h
    assert backward.count("copy(") == 0
    assert forward.count("and a sum") == has_tiles()


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


# ---- batches of matrices ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize(
    ("left", "right", "transposes"),
    [((6, 1, 24), (6, 5, 24), (False, True)), ((2, 3, 4, 7), (2, 3, 7, 5), (False, False)),
     ((6, 7, 4), (7, 5), (True, False)), ((4, 7), (3, 7, 5), (False, False)), ((6, 9, 4), (6, 5, 9), (True, True)),
     ((1, 1, 3), (1, 3, 1), (False, False))],
)  # fmt: skip
def test_products_of_batches_are_compiled(dtype: Any, left: Any, right: Any, transposes: Any) -> None:
    a, b = tf.placeholder(dtype, left), tf.placeholder(dtype, right)
    result = tf.matmul(a, b, *transposes)
    start = tf.zeros(result.shape, dtype)
    made = tf.while_loop(lambda i, total: i < 3, lambda i, total: (
        i + 1, total * 0.5 + tf.matmul(a + tf.cast(i, dtype), b, *transposes)), [0, start])  # fmt: skip
    feeds = {a: drawn(1, *left, dtype=dtype.np), b: drawn(2, *right, dtype=dtype.np)}
    assert same(made, feeds)
    assert [report.reason for report in reports(made)] == [""]


def test_batches_that_are_repeated_along_one_of_two_dimensions_are_not() -> None:
    a, b = tf.placeholder(tf.float32, [2, 1, 3, 4]), tf.placeholder(tf.float32, [1, 5, 4, 3])

    def body(i: Any, total: Any) -> Any:
        return i + 1, total + tf.matmul(a + total[:, :1, :, :1], b)

    made = tf.while_loop(lambda i, total: i < 3, body, [0, tf.zeros([2, 5, 3, 3])])
    (report,) = reports(made)
    assert "repeated along a dimension" in report.reason
    assert same(made, {a: drawn(1, 2, 1, 3, 4), b: drawn(2, 1, 5, 4, 3)})


# ---- ops of rows --------------------------------------------------------------------------------


@pytest.mark.share(8)
@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 3, 100)])
@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
@pytest.mark.parametrize("op", [tf.nn.softmax, tf.nn.log_softmax, lambda x: tf.gradients(tf.nn.softmax(x), x, x)[0]])
def test_softmax_in_loops_has_the_bits_of_the_plain_path(op: Any, shape: Any, dtype: Any) -> None:
    x = tf.placeholder(dtype, shape)
    made = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, op(y * 1.5 + x)), [0, x])
    values = drawn(3, *shape, dtype=dtype.np)
    for special in (0.0, np.inf, -np.inf, np.nan):
        values.reshape(-1)[0] = special
        assert same(made, {x: values})
    if dtype is not tf.float16:
        assert [report.reason for report in reports(made)] == [""]


def test_cross_entropy_in_loops_is_compiled() -> None:
    x, labels = tf.placeholder(tf.float32, [6, 9]), tf.placeholder(tf.float32, [6, 9])

    def body(i: Any, y: Any, total: Any) -> Any:
        loss = tf.nn.softmax_cross_entropy_with_logits(y, labels)
        return i + 1, y - 0.3 * tf.gradients(loss, y)[0], total + loss

    made = tf.while_loop(lambda i, *_: i < 4, body, [0, x, tf.zeros([6])])
    feeds = {x: drawn(3, 6, 9), labels: np.eye(9, dtype=np.float32)[[0, 3, 8, 8, 1, 2]]}
    assert same(made, feeds)
    assert [report.reason for report in reports(made)] == [""]


def reports(fetches: Any) -> Any:
    """Which loops of a plan are compiled."""
    with tf.Session() as session:
        return loop_reports(session.plan(fetches), None)
