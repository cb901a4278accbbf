"""A product and what is added to it are one call, with the bits of both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.base import pending_writes
from penstock.runtime.base.blas_threads import with_one_thread
from penstock.runtime.execution import block_search
from penstock.runtime.execution.joined import summed_products as summed_products_module
from penstock.runtime.execution.joined.summed_products import summed_products, update_of
from penstock.runtime.llvm.tier import why_off

pytestmark = pytest.mark.skipif(bool(why_off()), reason=why_off() or "the compiled tier is on")
SHAPES = {"rows": (100, 110), "row": (110,), "flat row": (1, 110), "column": (100, 1), "number": ()}


@pytest.fixture(autouse=True)
def compiled_at_once() -> Iterator[None]:
    before = jit.mode
    jit.mode = "now"
    yield
    jit.mode = before


def given(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    made = np.random.default_rng(seed).normal(size=shape).astype(dtype)
    if made.ndim == 2 and min(made.shape) > 2:
        made[0], made[1, :3] = -1e-30, (-0.0, np.inf, 1e-40)
    return made


def shape_of(x: tf.Tensor) -> tuple[int, ...]:
    return tuple([size for size in x.shape.as_list() if size is not None])


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("other", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_product_and_a_sum_have_the_bits_of_both(dtype: str, other: str, turned: tuple[bool, bool]) -> None:
    a = tf.placeholder(dtype, (120, 100) if turned[0] else (100, 120))
    b = tf.placeholder(dtype, (110, 120) if turned[1] else (120, 110))
    c = tf.placeholder(dtype, SHAPES[other])
    product = tf.matmul(a, b, *turned)
    sums = [product + c, c + tf.matmul(a * 2.0, b, *turned)]
    if other == "rows":
        sums.append(tf.add_n([c, tf.matmul(a * 3.0, b, *turned)]))
    feeds = {x: given(shape_of(x), dtype, i) for i, x in enumerate((a, b, c))}
    if other == "rows":
        feeds[c][:] = np.where(feeds[c] > 0, feeds[c], -0.0)
    feeds[b][:, :5] = 1e-30
    with np.errstate(all="ignore"), tf.Session() as session:
        jit.mode = "off"
        alone = session.run(sums, feeds)
        jit.mode = "now"
        for _ in range(3):
            together = session.run(sums, feeds)
    for x, y in zip(alone, together, strict=True):
        assert np.array_equal(x, y, equal_nan=True)
        assert np.array_equal(np.signbit(x[~np.isnan(x)]), np.signbit(y[~np.isnan(y)]))


def test_a_product_that_is_read_elsewhere_is_no_part_of_a_sum() -> None:
    a, b, c = [tf.placeholder(tf.float32, [100, 110][::turn]) for turn in (1, -1, 1)]
    product = tf.matmul(a, b)
    with tf.Session() as session:
        once = session.plan(tf.matmul(product + 1.0, c) + c, [a, b, c])
        assert len(summed_products(once)) >= 1
        assert summed_products(session.plan([product, product + 1.0], [a, b])) == []
        assert summed_products(session.plan(product + product, [a, b])) == []


def test_small_products_stay_steps() -> None:
    a, b = tf.placeholder(tf.float32, [4, 5]), tf.placeholder(tf.float32, [5, 6])
    with tf.Session() as session:
        assert summed_products(session.plan(tf.matmul(a, b) + 1.0, [a, b])) == []


def test_an_error_of_either_names_its_node() -> None:
    a, b, c = tf.placeholder(tf.float32), tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    total = tf.add(tf.matmul(a, b, name="product"), c, name="total")
    ones = np.ones((100, 110), "f4")
    with tf.Session() as session:
        for _ in range(2):
            session.run(total, {a: ones, b: ones.T, c: 1.0})
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"product|total"):
                session.run(total, {a: ones, b: ones, c: 1.0})
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"product|total"):
                session.run(total, {a: ones, b: ones.T, c: np.ones(7)})


def trained(runs: int) -> list[bytes]:
    """What some steps of gradient descent make of a matrix and a bias."""
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, [100, 110]), tf.placeholder(tf.float32, [100, 120])
        w, b = tf.Variable(given((110, 120), "float32", 1) * np.float32(0.1)), tf.Variable(np.zeros(120, "f4"))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        rng = np.random.default_rng(0)
        feeds = {each: rng.normal(size=shape_of(each)).astype("f4") for each in (x, y)}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            found = [session.run([loss, train], feeds)[0].tobytes() for _ in range(runs)]
            if jit.mode == "now":
                plan = session.plan([loss, train], feeds)
                assert any(update_of(plan, plan.steps[i], plan.steps[i + 1]) for i in summed_products(plan))
            return [*found, *[each.tobytes() for each in session.run([w, b])]]


def test_an_update_by_a_product_has_the_bits_of_both() -> None:
    together = trained(5)
    jit.mode = "off"
    assert trained(5) == together


def test_a_value_that_was_fetched_before_an_update_stays_what_it_was() -> None:
    x, g = tf.placeholder(tf.float32, [100, 110]), tf.placeholder(tf.float32, [100, 120])
    w = tf.Variable(np.ones((110, 120), "f4"))
    new = w.assign_sub(tf.matmul(x, g, transpose_a=True) * 0.5)
    feeds = {x: np.ones((100, 110), "f4"), g: np.ones((100, 120), "f4")}
    with tf.Session() as session:
        session.run(w.initializer)
        seen = [session.run([w, new.op], feeds)[0] for _ in range(4)]
        assert [float(each[3, 4]) for each in seen] == [1.0, -49.0, -99.0, -149.0]
        assert float(session.run(w)[0, 0]) == -199.0


def test_a_matrix_that_its_own_update_reads_is_not_overwritten_too_early() -> None:
    w = tf.Variable(given((110, 110), "float32", 3))
    new = w.assign_sub(tf.matmul(w, w, transpose_a=True) * 0.01)
    with tf.Session() as session:
        session.run(w.initializer)
        wanted = session.run(w)
        for _ in range(3):
            with np.errstate(all="ignore"):
                wanted = wanted - with_one_thread(np.matmul, wanted.T, wanted) * np.float32(0.01)
                session.run(new.op)
                assert np.array_equal(session.run(w), wanted, equal_nan=True)


def test_a_sum_does_not_lie_in_the_memory_of_the_product_s_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operands of the product end one step before the sum, so the arena gives their memory to the sum."""
    overlaps: list[bool] = []

    def tile_by_tile(a: Any, b: Any, more: Any, turn_a: bool, turn_b: bool, place: Any = None) -> Any:
        out = np.empty((128, 128), a.dtype) if place is None else place.reshape((128, 128))
        overlaps.append(place is not None)
        for row in range(0, 128, 16):  # what the loop does: it stores a tile while it still reads the operands
            out[row : row + 16] = a[row : row + 16] @ b + more[row : row + 16]
        return out

    x, c = tf.placeholder(tf.float32, [128, 128]), tf.placeholder(tf.float32, [128, 128])
    left = tf.transpose(tf.exp(x * 0.01)) * 1.5
    total = tf.cumsum(tf.matmul(left, tf.sin(x)) + c, 1)
    feeds = {x: np.random.default_rng(1).normal(size=(128, 128)), c: np.ones((128, 128))}
    jit.mode = "off"
    with tf.Session() as session:
        wanted = session.run(total, feeds)
    jit.mode = "now"
    monkeypatch.setattr(summed_products_module, "matmul_plus", tile_by_tile)
    monkeypatch.setattr(block_search, "block_driver", lambda spent: None)
    with tf.Session() as session:
        memory = session.memory(total, feeds)
        for _ in range(3):
            assert np.allclose(session.run(total, feeds), wanted, rtol=1e-5, atol=1e-3)
    assert len(overlaps) == 3 and memory.arena.total == 2 * 128 * 128 * 4


def test_a_product_that_reads_a_variable_which_is_overwritten_is_no_part_of_an_update(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two factors are trained: the gradient of each is a product with the other one, whose update may come at once."""
    monkeypatch.setattr(pending_writes, "WORTH", 1e-9)  # the writes of a run share its threads, however short they are
    rng = np.random.default_rng(0)
    left, right, target = (rng.standard_normal((160, 160)).astype("f4") for _ in range(3))
    with tf.Graph().as_default() as graph:
        first, second = tf.Variable(left), tf.Variable(right)
        loss = tf.reduce_sum(tf.square(tf.matmul(first, second) - target))
        train = tf.train.GradientDescentOptimizer(1e-6).minimize(loss, var_list=[second, first])
    with tf.Session(graph=graph) as session:
        plan = session.plan(train)
    (position,) = [i for i, step in enumerate(plan.steps[:-1])
                   if step.op == "MatMul" and update_of(plan, step, plan.steps[i + 1])]  # fmt: skip
    assert position not in summed_products(plan)
    with tf.Session(graph=graph, config=tf.SessionConfig(threads=4)) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(12):
            session.run(train)
            difference = left @ right - target
            difference = difference * np.float32(2)
            by_first, by_second = difference @ right.T, left.T @ difference
            left, right = left - by_first * np.float32(1e-6), right - by_second * np.float32(1e-6)
        assert np.allclose(session.run(first), left, rtol=1e-6, atol=1e-6)
        assert np.allclose(session.run(second), right, rtol=1e-6, atol=1e-6)
