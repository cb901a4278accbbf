"""The comparison of two graphs reports what changed, and nothing else."""

from __future__ import annotations

import numpy as np

import penstock as tf
from penstock.graph.inspect.graph_diff import Change, NodeDiff


def graph(value: float = 2.0, dims: object = ("n",), extra: bool = False, device: str | None = None) -> tf.Graph:
    with tf.Graph().as_default() as made, tf.device(device):
        x = tf.placeholder(tf.float32, dims, name="x")  # type: ignore[arg-type]  # any shape
        tf.add(x, value, name="sum")
        if extra:
            tf.constant(1, name="extra")
    return made


def test_a_graph_does_not_differ_from_itself_or_from_one_built_alike() -> None:
    one = graph()
    assert not one.diff(one)
    assert str(one.diff(graph())) == "no difference"
    assert not graph(float("nan")).diff(graph(float("nan")))


def test_added_and_lost_nodes_have_their_type() -> None:
    assert str(graph().diff(graph(extra=True))) == "+ extra  Const  int32 ()"
    assert str(graph(extra=True).diff(graph())) == "- extra  Const  int32 ()"


def test_a_changed_value_shape_and_device_are_told_with_both_sides() -> None:
    assert graph().diff(graph(3.0)).nodes == (
        NodeDiff("~", "sum/y", "Const", changes=(Change("value", "2.0", "3.0"),)),
    )
    assert str(graph(dims=[2]).diff(graph(dims=[3]))).splitlines() == [
        "~ x  Placeholder",
        "    shape: (2,) -> (3,)",
        "    outputs: float32 (2,) -> float32 (3,)",
        "~ sum  Add",
        "    outputs: float32 (2,) -> float32 (3,)",
    ]
    assert "device: none -> /device:GPU:0" in str(graph().diff(graph(device="/gpu:0")))


def test_large_constants_name_the_first_place_that_differs() -> None:
    def large(last: float) -> tf.Graph:
        values = np.zeros((100, 3), np.float32)
        values[99, 1] = last
        with tf.Graph().as_default() as made:
            tf.constant(values, name="c")
        return made

    assert "at [99, 1]" in str(large(0.0).diff(large(4.0)))
    assert "other bits" in str(large(0.0).diff(large(-0.0)))


def test_another_op_of_the_same_name_is_a_change() -> None:
    def one(op: object) -> tf.Graph:
        with tf.Graph().as_default() as made:
            op(tf.placeholder(tf.float32, [2], name="x"), name="y")  # type: ignore[operator]  # an op
        return made

    assert "op: Neg -> Exp" in str(one(tf.negative).diff(one(tf.exp)))
