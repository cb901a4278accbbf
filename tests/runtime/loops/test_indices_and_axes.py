"""Compiled loops: parts of arrays at a counted index, places of extremes, and axes that the code depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.llvm import tier
from penstock.runtime.loops.promoted_loop import PromotedLoop

pytestmark = pytest.mark.skipif(bool(tier.why_off()), reason="the compiled tier is off")
Build = Callable[[], tuple[Any, list[tf.Tensor]]]


@pytest.fixture(autouse=True)
def mode() -> Iterator[None]:
    before = jit.mode
    yield
    jit.mode = before


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> list[PromotedLoop]:
    """The loops that sessions make during the test."""
    made: list[PromotedLoop] = []
    init = PromotedLoop.__init__

    def noted(self: PromotedLoop, *args: Any) -> None:
        init(self, *args)
        made.append(self)

    monkeypatch.setattr(PromotedLoop, "__init__", noted)
    return made


def results(build: Build, mode: Any, feeds: list[tuple[Any, ...]]) -> list[list[Any]]:
    """What one session gives for feeds, one run after the other."""
    jit.mode = mode
    with tf.Graph().as_default(), tf.Session() as session:
        fetches, placeholders = build()
        return [session.run(fetches, dict(zip(placeholders, each, strict=True))) for each in feeds]


def assert_same(build: Build, loops: list[PromotedLoop], *feeds: tuple[Any, ...]) -> list[list[Any]]:
    """Compiled loops have the bits of interpreted ones; gives the results."""
    wanted = results(build, "off", list(feeds))
    loops.clear()
    found = results(build, "now", list(feeds))
    assert loops and all(each.kernel.now().tier == "compiled" for each in loops)
    for a, b in zip(found, wanted, strict=True):
        assert [np.asarray(x).tobytes() for x in a] == [np.asarray(x).tobytes() for x in b]
    return found


SPANS: dict[str, Callable[[Any, Any], Any]] = {
    "x[i, ::2]": lambda x, i: x[i, ::2],
    "x[i, ::-2]": lambda x, i: x[i, ::-2],
    "x[i, 1:6:2]": lambda x, i: x[i, 1:6:2],
    "x[-1 - i, 1:4]": lambda x, i: x[-1 - i, 1:4],
    "x[1:, 5 - i]": lambda x, i: x[1:, 5 - i],
}


@pytest.mark.parametrize("span", SPANS)
def test_a_part_of_a_row_at_a_counted_index_is_that_of_numpy(span: str, loops: list[PromotedLoop]) -> None:
    values = np.arange(24, dtype="f4").reshape(4, 6) ** 1.5

    def build() -> tuple[Any, list[tf.Tensor]]:
        x = tf.placeholder(tf.float32, [4, 6])
        loop = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s * 1.5 + SPANS[span](x, i)), [0, tf.zeros([3])])
        return [loop[1]], [x]

    ((total,),) = assert_same(build, loops, (values,))
    wanted = np.zeros(3, "f4")
    for i in range(4):
        wanted = wanted * np.float32(1.5) + SPANS[span](values, i)
    assert np.array_equal(total, wanted)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64", "int8", "int32"])
def test_the_place_of_an_extreme_knows_numbers_without_a_sign(dtype: str, loops: list[PromotedLoop]) -> None:
    high = int(np.iinfo(dtype).max)
    rows = np.array([[1, high - 55, high // 2 + 3, high - 55], [high, 0, high // 2 + 1, high // 2],
                     [high // 2, high // 2 + 1, 1, 2], [0, 0, 0, 0]], dtype)  # fmt: skip

    def build() -> tuple[Any, list[tf.Tensor]]:
        x = tf.placeholder(dtype, [4, 4])
        return list(tf.map_fn(lambda row: (tf.argmax(row, -1), tf.argmin(row, -1)), x, dtype=(tf.int64, tf.int64))), [x]

    ((most, least),) = assert_same(build, loops, (rows,))
    assert most.tolist() == rows.argmax(1).tolist() and least.tolist() == rows.argmin(1).tolist()


@pytest.mark.parametrize("start", [0, -4])
def test_the_gradient_of_a_row_at_a_remainder_adds_up_what_each_iteration_took(
    start: int, loops: list[PromotedLoop]
) -> None:
    def build() -> tuple[Any, list[tf.Tensor]]:
        x = tf.placeholder(tf.float32, [3, 2])
        _, s = tf.while_loop(
            lambda i, s: i < start + 7, lambda i, s: (i + 1, s + float(3) * x[i % 3] * tf.cast(i, tf.float32)),
            [start, tf.ones([2])],
        )  # fmt: skip
        return [s, tf.gradients(s, x)[0]], [x]

    values = np.random.default_rng(0).normal(size=(3, 2)).astype("f4")
    found = assert_same(build, loops, (values,), (values * 2,))
    wanted = np.zeros((3, 2), "f4")
    for i in range(start, start + 7):
        wanted[i % 3] += 3 * i
    for _, gradient in found:
        assert np.array_equal(gradient, wanted)


def test_a_sum_over_a_captured_axis_follows_the_feed(loops: list[PromotedLoop]) -> None:
    """The code is made for one axis; with another one the loop must not run it."""
    values = np.random.default_rng(1).normal(size=(3, 3)).astype("f4")

    def build() -> tuple[Any, list[tf.Tensor]]:
        axis, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [3, 3])
        body = lambda i, s: (i + 1, s * 0.5 + tf.reduce_sum(x * s, axis))  # noqa: E731
        return [tf.while_loop(lambda i, s: i < 4, body, [0, tf.ones([3])])[1]], [axis, x]

    axes = (0, 1, 0, -1, -2)
    found = assert_same(build, loops, *[(axis, values) for axis in axes])
    for axis, (total,) in zip(axes, found, strict=True):
        wanted = np.ones(3, "f4")
        for _ in range(4):
            wanted = wanted * np.float32(0.5) + (values * wanted).sum(axis)
        assert np.allclose(total, wanted, rtol=1e-5)
    assert not np.allclose(found[0][0], found[1][0])


def test_sums_of_negative_zeros_are_zero(loops: list[PromotedLoop]) -> None:
    def build() -> tuple[Any, list[tf.Tensor]]:
        x = tf.placeholder(tf.float32, [3, 8])
        body = lambda i, s: (i + 1, tf.reduce_sum(x * tf.expand_dims(s * s + 1.0, 1), 1))  # noqa: E731  # in a line
        loop = tf.while_loop(lambda i, s: i < 3, body, [0, tf.ones([3])])
        return [loop[1]], [x]

    ((total,),) = assert_same(build, loops, (np.full((3, 8), -0.0, "f4"),))
    assert not np.signbit(total).any()


def test_the_place_of_an_extreme_among_nans_is_that_of_numbers(loops: list[PromotedLoop]) -> None:
    nan, inf = np.nan, np.inf
    rows = [[nan, 1, 2, 0], [nan, -inf, -1, -3], [nan, nan, 5, 5], [1, nan, 3, 2], [nan] * 4, [nan, inf, 1, -inf],
            [-inf, nan, -inf, 0], [nan, -inf, nan, inf]]  # fmt: skip

    def build() -> tuple[Any, list[tf.Tensor]]:
        x = tf.placeholder(tf.float32, [len(rows), 4])
        both = lambda i, a, b: (i + 1, a + tf.argmax(x, 1), b + tf.argmin(x, 1))  # noqa: E731  # a body in a line
        return tf.while_loop(lambda i, a, b: i < 3, both, [0, *[tf.zeros([len(rows)], tf.int64)] * 2])[1:], [x]

    ((most, least),) = assert_same(build, loops, (np.array(rows, "f4"),))
    assert most.tolist() == [6, 6, 6, 6, 0, 3, 9, 9] and least.tolist() == [9, 3, 6, 0, 0, 9, 0, 3]
