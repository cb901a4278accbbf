"""Loops over TensorArrays as ONNX models: rows and stacks of ONNX's Loop, and tensors with the elements as rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError

X = np.arange(12, dtype=np.float32).reshape(4, 3) / 9


def recurrent(x: Any) -> Any:
    """What `dynamic_rnn` of TensorFlow 1 is: rows read, states written at the counter."""
    n = tf.shape(x)[0]
    rows = tf.TensorArray(tf.float32, n, clear_after_read=False).unstack(x)
    out = tf.TensorArray(tf.float32, n)

    def body(i: Any, state: Any, out: Any) -> Any:
        state = tf.tanh(state * 0.5 + rows.read(i))
        return i + 1, state, out.write(i, state)

    return tf.while_loop(lambda i, *_: i < n, body, [0, tf.zeros([3]), out])[2].stack()


def growing(x: Any) -> Any:
    """A decoder: the array grows until a condition on values ends the loop."""
    out = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    return tf.while_loop(lambda i, v, out: tf.reduce_sum(v) < 50.0, lambda i, v, out: (i + 1, v + 1.0, out.write(i, v)),
                         [0, x, out])[2].stack()  # fmt: skip


def any_row(x: Any) -> Any:
    """Rows read from the end: the array is a tensor that the loop sees."""
    rows = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x)
    out = tf.TensorArray(tf.float32, 4)
    body: Callable[..., Any] = lambda i, out: (i + 1, out.write(i, rows.read(3 - i) * 2.0))  # noqa: E731
    return tf.while_loop(lambda i, out: i < 4, body, [0, out])[1].concat()


def element_by_element(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False).write(2, x).write(0, x * x)
    return tf.concat(0, [array.read(2), array.gather([0, 2])[1], array.stack()[0]]) + tf.cast(array.size(), tf.float32)


def model_of(build: Callable[..., Any], derivative: bool = True, dims: Any = (None, 3)) -> tuple[bytes, list[Any]]:
    """The model of a program with its gradient, and the values here."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, dims, name="x")
        y = build(x)
        fetches = {"y": y}
        if derivative:
            (fetches["slope"],) = tf.gradients(tf.reduce_sum(y * y), [x])
        return tf.save_onnx(None, fetches, [x]), tf.Session(graph=graph).run([*fetches.values()], {x: X})


@pytest.mark.parametrize(
    ("build", "derivative"),
    [(recurrent, True), (growing, True), (any_row, False), (element_by_element, True)],
)  # fmt: skip
def test_a_model_computes_what_the_session_does(build: Callable[..., Any], derivative: bool) -> None:
    content, want = model_of(build, derivative, dims=(None, 3) if build in (recurrent, growing) else (4, 3))
    with tf.Graph().as_default() as graph:
        model = tf.load_onnx(content)
        got = tf.Session(graph=graph).run([*model.outputs.values()], {model.inputs["x"]: X})
    for mine, theirs in zip(got, want, strict=True):
        assert np.allclose(mine, theirs, 1e-5, 1e-6)


def test_rows_and_stacks_are_those_of_a_loop() -> None:
    content, _ = model_of(recurrent)
    assert content.count(b"Loop") >= 2
    assert b"Sequence" not in content


def test_arrays_that_a_loop_fills_elsewhere_are_refused_with_what_to_write() -> None:
    def backwards(x: Any) -> Any:
        out = tf.TensorArray(tf.float32, 4)
        return tf.while_loop(lambda i, out: i < 4, lambda i, out: (i + 1, out.write(3 - i, x[i])), [0, out])[1].stack()

    with pytest.raises(GraphFormatError, match="not at its counter; write them there") as caught:
        model_of(backwards, derivative=False)
    assert "1 operation has no ONNX form" in str(caught.value)  # not what reads the array, too
    assert "test_arrays_as_models.py" in str(caught.value)
    assert "out.write(3 - i" in str(caught.value)
