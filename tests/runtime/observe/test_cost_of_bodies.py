"""Costs of graphs with graphs inside ops: nodes inside have rows, sizes go inside, each body is counted once."""

from __future__ import annotations

import penstock as tf

from ...holders import call, either


def test_nodes_inside_have_costs_of_their_own() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        w = tf.placeholder(tf.float32, [3, 5], name="w")
        call(lambda a: call(lambda b: tf.matmul(b, w, name="product"), [a], name="in")[0] * 2.0, [x], name="out")
    found = graph.cost(n=10)
    assert not found.unknown
    assert found.node("out/body/in/body/product").flops == 2 * 10 * 3 * 5
    assert found.node("out/body/mul").flops == 50
    assert found.node("out").flops == 0
    assert found.flops == 350
    assert found.critical_path == ("out",)


def test_both_branches_count_and_a_size_that_depends_on_values_inside_is_named() -> None:
    with tf.Graph().as_default() as graph:
        p, x = tf.placeholder(tf.bool, [], name="p"), tf.placeholder(tf.float32, ["n"], name="x")
        k = tf.placeholder(tf.int32, ["n"], name="k")
        either(p, lambda a: a * 2.0, lambda a: tf.dynamic_partition(a, k, 2, name="split")[0], [x], name="out")
    found = graph.cost(n=7)
    assert found.node("out/yes/mul").flops == 7
    assert [unknown.tensor for unknown in found.unknown][:2] == ["out:0", "out/no/split:0"]
