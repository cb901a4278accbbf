"""Quotients of sizes that are rounded down: how they print, what they equal, what they are in a run."""

import pickle
import random

import pytest

import penstock as tf
from penstock.graph.dimension import Dimension, unknown
from penstock.graph.size_quotient import SizeQuotient, floor_quotient

H, W = Dimension("h"), Dimension("w")


@pytest.mark.parametrize(
    ("size", "by", "text"),
    [
        (H, 2, "h//2"), (H * 2, 2, "h"), (H * 2 + 3, 2, "h+1"), (H - 2, 2, "h//2-1"), (H + 1, 2, "(h+1)//2"),
        (H * 3 + W + 7, 3, "h+(w+1)//3+2"), (H + W, 2, "(h+w)//2"), (H * 5, 3, "h+(2*h)//3"), (-H, 2, "-h+h//2"),
        (unknown("it is so"), 2, "?"), (H + unknown("it is so"), 1, "?"), (7, 2, "3"), (-7, 2, "-4"), (H, 1, "h"),
    ],
)  # fmt: skip
def test_a_quotient_prints_as_an_expression(size: Dimension | int, by: int, text: str) -> None:
    assert str(floor_quotient(size, by, "")) == text


def test_quotients_with_one_expression_are_one_size() -> None:
    one, other = floor_quotient(H + 1, 2, "here"), floor_quotient(H + 3, 2, "there")
    assert one == other - 1 and hash(one) == hash(other - 1)
    others = [floor_quotient(H, 2, ""), floor_quotient(W + 1, 2, ""), floor_quotient(H + 1, 3, "")]
    assert one not in others
    assert tf.TensorShape([one]).merge_with(tf.TensorShape([other - 1])).raw == (one,)


def test_a_quotient_of_a_quotient_is_one_quotient() -> None:
    half = floor_quotient(H + 1, 2, "")
    assert str(floor_quotient(half + 1, 2, "")) == "(h+3)//4"


@pytest.mark.parametrize("seed", range(50))
def test_a_quotient_has_the_size_that_python_computes(seed: int) -> None:
    rng = random.Random(seed)
    size: Dimension | int = Dimension(0) + rng.randint(-9, 9)
    h, w = rng.randint(0, 20), rng.randint(0, 20)
    want = int(size.const)
    for symbol, value in ((H, h), (W, w)):
        count = rng.randint(-4, 4)
        size, want = size + symbol * count, want + value * count
    for _ in range(3):
        by, more = rng.randint(1, 5), rng.randint(-3, 3)
        size, want = Dimension(0) + floor_quotient(size, by, "") + more, want // by + more
    sizes = {H.terms[0][0]: h, W.terms[0][0]: w}
    assert size.at(sizes) == want
    assert size.at({}) == (want if not size.terms else None)


def test_a_quotient_counts_as_a_size_without_a_name() -> None:
    half = floor_quotient(H, 2, "it is halved")
    assert isinstance(half, Dimension) and not half.is_named and half.value is None
    symbol = half.terms[0][0]
    assert isinstance(symbol, SizeQuotient) and symbol.reason == "it is halved"
    assert pickle.loads(pickle.dumps(symbol)) == symbol
    assert symbol.at({symbol: 5}) == 5


def test_two_branches_with_equal_strides_fit() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", "h", "w", 3], name="x")
        one = tf.nn.conv2d(x, tf.zeros([3, 3, 3, 4]), 2, "SAME")
        both = one + tf.nn.conv2d(x, tf.zeros([1, 1, 3, 4]), 2, "SAME")
        assert str(both.shape) == "(n, (h+1)//2, (w+1)//2, 4)"
        assert both.shape.as_list() == [None, None, None, 4]
        assert "h / 2 is rounded up" in str(tf.why_unknown(both))
        again = tf.nn.conv2d(both, tf.zeros([3, 3, 4, 4]), 2, "SAME")
        assert str(again.shape) == "(n, (h+3)//4, (w+3)//4, 4)"
