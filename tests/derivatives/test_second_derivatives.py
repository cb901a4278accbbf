"""Second derivatives equal differences of first ones: of every op's samples, and of a small network."""

import numpy as np
import pytest

import penstock as tf
from penstock.derivatives.gradient_paths import is_differentiable
from penstock.errors import ValueRuleError

from ..helpers import EVERY, at_most, case, every_case, shares
from ..op_samples import Call
from .differences import is_free, places_of, slopes, wide
from .test_every_gradient import SAMPLES, SOME_ELEMENTS, by_op, off_kinks, samples

ONE_ONLY = {
    "LRN": "TensorFlow's LRNGrad has no derivative",
    "FractionalMaxPool": "TensorFlow's FractionalMaxPoolGrad has no derivative",
    "Igamma": "TensorFlow's IgammaGradA, the derivative by the first operand, has no derivative",
    "Igammac": "TensorFlow's IgammaGradA, the derivative by the first operand, has no derivative",
}
"""Ops with a first derivative only."""
WITHOUT_JVP = ("FractionalMaxPool", "LRN")
"""Ops of which the gradient of the gradient, from which a jvp is made, is not there."""


def is_complex_svd(call: Call) -> bool:
    """The derivative of its singular values is made of its vectors, which have none themselves, as in TensorFlow."""
    return call.op.type == "Svd" and any(call.array(place).dtype.kind == "c" for place in call.free)


TWICE = by_op(call for call in samples() if call.op.type not in ONE_ONLY and not is_complex_svd(call))
FORWARD = {op_type: calls for op_type, calls in SAMPLES.items() if op_type not in WITHOUT_JVP}


@pytest.mark.parametrize("op_type", ONE_ONLY)
def test_a_second_derivative_that_does_not_exist_is_none_and_says_why(op_type: str) -> None:
    call = next(each for each in samples() if each.op.type == op_type)
    with tf.Graph().as_default():
        place = next(iter(call.free))
        x = tf.placeholder(tf.float32, call.array(place).shape)
        y = call.build({place: x})
        (slope,) = tf.gradients(y, x)
        assert tf.gradients(slope, x) == [None]
        assert "TensorFlow has none" in str(tf.explain_gradient(slope, x))


@every_case("op_type", TWICE, parts=4, by_day=1)
@shares(1)
def test_the_second_derivatives_of_the_samples_of_an_op_equal_differences_of_the_first(op_type: str, most: int) -> None:
    for call in at_most(TWICE[op_type], most):
        with case(call):
            check_second_derivative(call, EVERY if most == EVERY else SOME_ELEMENTS)


def check_second_derivative(call: Call, most: int) -> None:
    rng = np.random.default_rng(call.number)
    with tf.Graph().as_default():
        places = [place for place in places_of(call) if is_differentiable(tf.as_dtype(call.array(place).dtype))]
        moved = {place: np.array(off_kinks(rng, wide(call.array(place)))) for place in places}
        free = [place for place in places if is_free(call, place)]
        xs = {place: tf.placeholder(moved[place].dtype, moved[place].shape) for place in free}
        outputs = [t for t in call.build({place: xs.get(place, moved[place]) for place in places})
                   if is_differentiable(t.dtype)]  # fmt: skip
        if not outputs:
            return
        weights = [tf.placeholder(t.dtype, t.shape) for t in outputs]
        values = {xs[place]: moved[place] for place in free}
        with tf.Session() as session:
            for weight, found in zip(weights, session.run(outputs, values), strict=True):
                values[weight] = np.asarray(rng.normal(size=np.shape(found))).astype(weight.dtype.np)
        firsts = tf.gradients(outputs, list(xs.values()), grad_ys=weights)
        made = [tf.convert_to_tensor(g) for g in firsts if g is not None]
        if not made:
            return
        for slope in slopes(made, [*xs.values(), *weights], values, call.number, most):
            if slope.x.dtype not in (tf.float64, tf.complex128):  # the digits of a weight are too few
                continue
            got = np.zeros_like(slope.numeric) if slope.symbolic is None else slope.symbolic
            assert got.shape == slope.numeric.shape
            usable = np.isfinite(got) & np.isfinite(slope.numeric)
            near = slope.tolerance
            assert np.allclose(got[usable], slope.numeric[usable], rtol=near, atol=near)


def test_the_hessians_of_a_small_network_equal_differences_of_gradients() -> None:
    rng = np.random.default_rng(5)
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, labels = rng.normal(size=(5, 3)), np.eye(2)[rng.integers(0, 2, 5)]
        first = tf.placeholder(tf.float64, [3, 4])
        second = tf.placeholder(tf.float64, [4, 2])
        bias = tf.placeholder(tf.float64, [2])
        hidden = tf.tanh(tf.matmul(x, first))
        logits = tf.matmul(hidden, second) + bias
        loss = -tf.reduce_mean(tf.reduce_sum(labels * tf.log_softmax(logits), 1)) + tf.reduce_sum(tf.square(first))
        weights = [first, second, bias]
        values = {w: rng.normal(size=shape) for w, shape in zip(weights, ((3, 4), (4, 2), (2,)), strict=True)}
        slopes_of = tf.gradients(loss, weights)
        found = session.run(tf.hessians(loss, weights), values)
        for weight, hessian, slope in zip(weights, found, slopes_of, strict=True):
            shape = values[weight].shape
            assert hessian.shape == (*shape, *shape)
            for place in np.ndindex(*shape):
                up, down = values[weight].copy(), values[weight].copy()
                up[place] += 1e-5
                down[place] -= 1e-5
                higher, lower = (session.run(slope, {**values, weight: each}) for each in (up, down))
                assert np.allclose(hessian[place], (higher - lower) / 2e-5, atol=1e-6)


def test_the_slope_of_the_incomplete_gamma_functions_by_x_is_differentiated_again() -> None:
    a, x = np.array([0.5, 1.5, 2.0]), np.array([0.25, 3.0, 2.0])
    with tf.Graph().as_default():
        places = tf.placeholder(tf.float64, [3]), tf.placeholder(tf.float64, [3])
        for function in (tf.igamma, tf.igammac):
            (first,) = tf.gradients(function(*places), places[1])
            for slope in slopes([tf.convert_to_tensor(first)], list(places), dict(zip(places, (a, x), strict=True)), 0):
                assert slope.symbolic is not None
                assert np.allclose(slope.symbolic, slope.numeric, rtol=slope.tolerance, atol=slope.tolerance)


def test_singular_values_of_complex_matrices_have_no_second_derivative_and_say_why() -> None:
    (call,) = [each for each in samples() if is_complex_svd(each)]
    with tf.Graph().as_default():
        (place,) = call.free
        x = tf.placeholder(tf.complex64, call.array(place).shape)
        (slope,) = tf.gradients(call.build({place: x})[0], x)
        with pytest.raises(ValueRuleError, match="only of real matrices"):
            tf.gradients(slope, x, grad_ys=[tf.ones_like(x)])


@every_case("op_type", FORWARD, parts=4, by_day=1)
@shares(2)
def test_the_jvps_of_the_samples_of_an_op_equal_differences_along_the_tangents(op_type: str, most: int) -> None:
    for call in at_most(FORWARD[op_type], most):
        with case(call):
            check_jvp(call)


def check_jvp(call: Call) -> None:
    rng = np.random.default_rng(call.number)
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        places = [place for place in places_of(call) if is_differentiable(tf.as_dtype(call.array(place).dtype))]
        moved = {place: np.array(off_kinks(rng, wide(call.array(place)))) for place in places}
        if any(array.dtype.kind == "c" for array in moved.values()):
            return
        xs = {place: tf.placeholder(moved[place].dtype, moved[place].shape) for place in places if place in call.free}
        outputs = call.build({place: xs.get(place, moved[place]) for place in places})
        outputs = [t for t in outputs if t.dtype is tf.float64]
        if not outputs or not xs:
            return
        tangents = {place: np.asarray(rng.normal(size=moved[place].shape)) for place in xs}
        found = tf.jvp(outputs, list(xs.values()), [tf.constant(tangents[place]) for place in xs])
        step = 1e-6
        ends = [session.run(outputs, {x: moved[place] + way * step * tangents[place] for place, x in xs.items()})
                for way in (1, -1)]  # fmt: skip
        values = {x: moved[place] for place, x in xs.items()}
        numbers = iter(session.run([jvp for jvp in found if jvp is not None], values))
        for jvp, higher, lower in zip(found, *ends, strict=True):
            with np.errstate(invalid="ignore"):  # the least of nothing is infinite
                numeric = (higher - lower) / (2 * step)
            got = np.zeros_like(numeric) if jvp is None else next(numbers)
            assert np.shape(got) == np.shape(numeric)
            usable = np.isfinite(got) & np.isfinite(numeric)
            assert np.allclose(got[usable], numeric[usable], rtol=2e-4, atol=2e-4)
