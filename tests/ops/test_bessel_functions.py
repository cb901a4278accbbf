"""Modified Bessel functions against their power series."""

from fractions import Fraction

import numpy as np

import penstock as tf


def by_series(order: int, x: float) -> float:
    """The sum of (x / 2)**(2 k + order) / k! / (k + order)!, in whole fractions."""
    half = Fraction(x) / 2
    term = total = half**order
    for k in range(1, 60):
        term *= half**2 / (k * (k + order))
        total += term
    return float(total)


def test_they_equal_their_power_series() -> None:
    x = np.array([0.0, 1e-3, 0.5, 2.0, 7.999, 8.0, 8.001, 11.5, 20.0])
    x = np.concatenate([x, -x])
    with tf.Graph().as_default(), tf.Session() as session:
        values = session.run([tf.math.bessel_i0(x), tf.math.bessel_i1(x)])
        scaled = session.run([tf.math.bessel_i0e(x), tf.math.bessel_i1e(x)])
    for order, (value, small) in enumerate(zip(values, scaled, strict=True)):
        exact = np.array([by_series(order, each) for each in x])
        np.testing.assert_allclose(value, exact, rtol=2e-15, atol=0)
        np.testing.assert_allclose(small, exact * np.exp(-np.abs(x)), rtol=2e-15, atol=0)
