"""Gradients of loops in loops as ONNX models: sequences of what each run of the inner loop saves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError

X = np.array([0.3, -1.0, 2.0], np.float32)
OF_ONNXRUNTIME = {
    0: ([0.3, -1.0, 2.0], [1.0, 1.0, 1.0]),
    1: ([0.02659682, -0.84147096, 3.6371896], [0.26329243, 2.2232442, 1.9726022]),
    3: ([1.09409815e-10, -2.80907393e-01, -1.14098482e01], [6.8846866e-09, 3.7067370e00, 1.5287714e02]),
}
"""What onnxruntime 1.32 computes for `triangle` by the number of iterations: its result, the gradient of the sum."""


def triangle(x: tf.Tensor, n: tf.Tensor) -> tf.Tensor:
    """Iteration i of the outer loop has i + 1 inner ones."""

    def outer(i: Any, v: Any) -> Any:
        inner = tf.while_loop(lambda j, u: j < i + 1, lambda j, u: (j + 1, tf.sin(u) * x), [0, v])[1]
        return i + 1, inner * v

    made: tf.Tensor = tf.while_loop(lambda i, v: i < n, outer, [0, x])[1]
    return made


def model_of(build: Any) -> bytes:
    with tf.Graph().as_default() as graph:
        x, n = tf.placeholder(tf.float32, [3], name="x"), tf.placeholder(tf.int32, [], name="n")
        y = build(x, n)
        (slope,) = tf.gradients(tf.reduce_sum(y), [x])
        return bytes(tf.save_onnx(None, {"y": y, "slope": slope}, [x, n], graph=graph))


def nodes(content: bytes) -> str:
    with tf.Graph().as_default() as graph:
        tf.load_onnx(content)
        return " ".join(op.type for op in graph.get_operations())


@pytest.mark.parametrize("count", OF_ONNXRUNTIME)
def test_a_gradient_of_a_loop_in_a_loop_is_read_back_with_the_values_of_onnxruntime(count: int) -> None:
    content = model_of(triangle)
    with tf.Graph().as_default() as graph:
        model = tf.load_onnx(content)
        feeds = {model.inputs["x"]: X, model.inputs["n"]: np.int32(count)}
        y, slope = tf.Session(graph=graph).run([model.outputs["y"], model.outputs["slope"]], feeds)
    want_y, want_slope = OF_ONNXRUNTIME[count]
    assert np.allclose(y, want_y, 1e-4)
    assert np.allclose(slope, want_slope, 1e-4)


def test_what_inner_loops_save_is_a_sequence_in_the_file() -> None:
    content = model_of(triangle)
    assert content.count(b"SequenceEmpty") >= 2  # an input of each inner product, and the value before it
    assert b"SequenceInsert" in content
    assert b"SequenceAt" in content
    assert "TensorArray" in nodes(content)


def test_a_sequence_of_a_scan_from_the_end_is_in_the_order_of_its_rows() -> None:
    with tf.Graph().as_default() as graph:
        rows = tf.placeholder(tf.float32, [4, 2], name="rows")
        counts = tf.placeholder(tf.int32, [4], name="counts")

        def step(state: Any, row: Any) -> Any:
            value, count = row
            return tf.while_loop(lambda i, v: i < count, lambda i, v: (i + 1, tf.sin(v) + value), [0, state])[1]

        made = tf.scan(step, (rows, counts), initializer=tf.zeros([2]), reverse=True)
        (slope,) = tf.gradients(tf.reduce_sum(made * made), [rows])
        feeds = {rows: np.arange(8, dtype=np.float32).reshape(4, 2), counts: np.array([2, 0, 3, 1], np.int32)}
        want = tf.Session(graph=graph).run(slope, feeds)
        content = tf.save_onnx(None, {"slope": slope}, [rows, counts])
    with tf.Graph().as_default() as graph:
        model = tf.load_onnx(content)
        fed = {model.inputs["rows"]: feeds[rows], model.inputs["counts"]: feeds[counts]}
        got = tf.Session(graph=graph).run(model.outputs["slope"], fed)
    assert np.allclose(got, want, 1e-4, 1e-5)


def test_gradients_of_loops_three_deep_are_refused_with_what_to_write() -> None:
    def three(x: tf.Tensor, n: tf.Tensor) -> tf.Tensor:
        def outer(i: Any, v: Any) -> Any:
            return i + 1, triangle(v, i) * v

        made: tf.Tensor = tf.while_loop(lambda i, v: i < n, outer, [0, x])[1]
        return made

    with pytest.raises(GraphFormatError, match="three deep") as caught:
        model_of(three)
    assert "test_loops_in_loops.py" in str(caught.value)
