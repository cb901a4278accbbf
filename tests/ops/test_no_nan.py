"""`multiply_no_nan` and `div_no_nan`: zero wins over infinity and NaN, in values and in gradients."""

from collections.abc import Callable

import numpy as np
import pytest

import penstock as tf

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128])
def test_a_zero_in_y_gives_zero_and_keeps_the_dtype(dtype: tf.DType) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.constant(np.array([INF, NAN, 3.0, 0.0]).astype(dtype.np))
        y = tf.constant(np.array([0.0, -0.0, 2.0, 5.0]).astype(dtype.np))
        product, quotient = session.run([tf.multiply_no_nan(x, y), tf.div_no_nan(x, y)])
    assert product.dtype == dtype.np and product.tolist() == [0.0, 0.0, 6.0, 0.0]
    assert quotient.dtype == dtype.np and quotient.tolist() == [0.0, 0.0, 1.5, 0.0]


FUNCTIONS: dict[str, tuple[Callable[[tf.Tensor], tf.Tensor], list[float], list[float]]] = {
    "sqrt": (tf.sqrt, [0.0, 4.0, -1.0], [0.0, 0.25, 0.0]),
    "rsqrt": (tf.rsqrt, [0.0, 4.0, -1.0], [0.0, -0.0625, 0.0]),
    "reciprocal": (tf.reciprocal, [0.0, 4.0, -1.0], [0.0, -0.0625, 0.0]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_gradient_passes_where_a_choice_leaves_out_an_infinite_derivative(name: str) -> None:
    function, values, want = FUNCTIONS[name]
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.constant(values)
        (slope,) = tf.gradients(tf.where(x > 0.0, function(x), tf.zeros_like(x)), x)
        assert session.run(slope).tolist() == want


def test_the_derivative_in_a_direction_does_not_depend_on_the_weights_of_its_first_pass() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.constant([4.0, 0.25, 0.0], tf.float64)
        y = tf.where(x > 0.0, tf.sqrt(x) + tf.reciprocal(x), tf.zeros_like(x))
        assert session.run(tf.jvp(y, x, [1.0, 2.0, 1.0]))[0].tolist() == [0.25 - 0.0625, 2.0 - 32.0, 0.0]


def test_where_an_infinite_derivative_is_used_it_is_infinite() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.constant([0.0, 1.0])
        assert session.run(tf.gradients(tf.sqrt(x), x))[0].tolist() == [INF, 0.5]


def test_second_derivatives_are_zero_where_the_incoming_gradient_is() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.constant([0.0, 2.0], tf.float64)
        (first,) = tf.gradients(tf.log(x), x, grad_ys=[[0.0, 1.0]])
        assert session.run(tf.gradients(first, x, grad_ys=[[0.0, 1.0]]))[0].tolist() == [0.0, -0.25]
