"""The memory that gradients need by the plan: n layers when values are kept, sqrt(n) with recompute_grad."""

from functools import cache
from math import isqrt, sqrt

import pytest

import penstock as tf
from benchmarks.gradient_memory import Point, chain, table
from penstock.runtime.passes.pipeline import ALL_PASSES

WIDTH = 8
LAYER = WIDTH * WIDTH * 4
"""Bytes of the value of one layer."""


@cache
def peak(layers: int, segments: int, without: str = "") -> int:
    """The peak of the plan that is made without one of the passes, in values of one layer."""
    config = tf.SessionConfig(passes=tuple(name for name in ALL_PASSES if name != without))
    with tf.Session(graph=tf.Graph(), config=config) as session, session.graph.as_default():
        x, w = (tf.placeholder(tf.float32, [WIDTH, WIDTH], name=name) for name in "xw")
        return session.memory(tf.gradients(chain(x, w, layers, segments), [x, w])).peak // LAYER


@pytest.mark.parametrize("layers", [64, 256, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_peak_of_recomputed_segments_grows_with_the_root_of_the_number_of_layers(layers: int) -> None:
    assert layers <= peak(layers, 0) <= layers + 16
    assert peak(layers, isqrt(layers)) <= 2.2 * sqrt(layers) + 16


def test_four_times_as_many_layers_need_twice_the_memory() -> None:
    assert peak(256, 16) - 16 <= 2 * peak(64, 8)


@pytest.mark.share(2)
@pytest.mark.parametrize("without", ALL_PASSES)
def test_the_bound_needs_no_single_pass(without: str) -> None:
    assert peak(49, 7, without) <= 2.2 * 7 + 16 < 49


def test_recomputed_products_are_not_merged_with_forward_ones_and_wait_for_the_gradient() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, w = (tf.placeholder(tf.float32, [WIDTH, WIDTH], name=name) for name in "xw")
        plan = session.plan(tf.gradients(chain(x, w, 12, 3), x))
    products = [step.node for step in plan.steps if step.op == "MatMul"]
    forward = [place for place, name in enumerate(products) if not name.startswith("gradients/")]
    again = [place for place, name in enumerate(products) if "_grad/recomputed/MatMul" in name]
    assert len(again) == 12 and max(forward) < min(again)
    assert len(forward) == 8  # the last segment is only needed again


def test_the_benchmark_prints_both_curves() -> None:
    lines = table([(4, Point(4_000_000, 4_100_000, 1.0), Point(2_000_000, 2_100_000, 1.5))])
    assert lines[2] == "| 4 | 4.0 MB | 4.1 MB | 2.0 MB | 2.1 MB | 2.0x | 1.50x |"
    assert [line.count("#") for line in lines[4:]] == [46, 23]
