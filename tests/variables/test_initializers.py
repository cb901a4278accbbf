"""Initializers: their values are those of TensorFlow, and both of its eras' ways of calling them work."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1
from penstock.variables.random_initializers import fans_of

from ..golden_cases import EXTRA
from ..helpers import every_case

RECORDED: list[Any] = json.loads((EXTRA / "initializers.json").read_text("utf-8"))
BIT_EQUAL = ("zeros", "ones", "constant", "identity", "random_uniform")


def value_of(case: dict[str, Any]) -> Any:
    """What a recorded case gives here."""
    with tf.Graph().as_default(), tf.Session() as session:
        if case["graph_seed"] is not None:
            tf.set_random_seed(case["graph_seed"])
        made = getattr(tf.initializers, case["name"])(**case["arguments"])
        return session.run(made(case["shape"]) if case["dtype"] is None else made(case["shape"], case["dtype"]))


IDS = [f"{i}-{case['name']}" for i, (case, _) in enumerate(RECORDED)]


@every_case("case, recorded", RECORDED)
def test_values_are_those_of_tensorflow(case: dict[str, Any], recorded: dict[str, Any]) -> None:
    got = np.asarray(value_of(case))
    assert str(got.dtype) == recorded["dtype"] and got.shape == tuple(case["shape"])
    want = np.array(recorded["values"], recorded["dtype"]).reshape(case["shape"])
    if case["name"] in BIT_EQUAL:
        np.testing.assert_array_equal(got, want)
    elif case["name"] == "orthogonal":
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-6 if got.dtype == np.float32 else 1e-14)
    else:
        np.testing.assert_array_max_ulp(got, want, 8)


@pytest.mark.parametrize("namespace", [tf, v1])
def test_the_function_form_of_0x_gives_the_tensor(namespace: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        for made in (
            namespace.zeros_initializer([2, 3]),
            namespace.zeros_initializer((2, 3), tf.float32),
            namespace.zeros_initializer(shape=[2, 3], dtype=tf.float32),
            namespace.zeros_initializer(tf.TensorShape([2, 3]), dtype=tf.float32, partition_info=None),
        ):
            assert isinstance(made, tf.Tensor)
            np.testing.assert_array_equal(session.run(made), np.zeros((2, 3), "f4"))
        assert namespace.ones_initializer([2], tf.int64).dtype == tf.int64


def test_the_class_and_an_initializer_of_it_are_both_initializers_of_a_variable() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a = tf.get_variable("a", [2], initializer=tf.ones_initializer)
        b = tf.get_variable("b", [2], initializer=tf.ones_initializer())
        c = tf.get_variable("c", [2], tf.int32, tf.ones_initializer(tf.float64))
        session.run(tf.global_variables_initializer())
        assert [session.run(v).tolist() for v in (a, b, c)] == [[1, 1]] * 3
        assert c.dtype == tf.int32


def test_functions_of_0x_with_partition_info_are_initializers() -> None:
    def filled(shape: Any, dtype: Any, partition_info: Any) -> Any:
        assert partition_info is None
        return tf.fill(shape, tf.cast(3, dtype))

    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [2], initializer=filled)
        session.run(v.initializer)
        assert session.run(v).tolist() == [3, 3]


@pytest.mark.parametrize("name", ["zeros", "ones", "constant", "identity", "random_uniform", "random_normal",
                                  "truncated_normal", "uniform_unit_scaling", "variance_scaling", "glorot_normal",
                                  "glorot_uniform", "orthogonal"])  # fmt: skip
def test_the_configuration_makes_an_equal_initializer(name: str) -> None:
    kind = getattr(tf.initializers, name)
    made = kind(dtype=tf.float64)
    config = made.get_config()
    assert config["dtype"] == "float64" and json.loads(json.dumps(config)) == config
    assert repr(kind.from_config(config)) == repr(made)


def test_the_dtype_of_a_call_comes_before_that_of_the_initializer() -> None:
    with tf.Graph().as_default():
        made = tf.random_normal_initializer(dtype=tf.float64)
        assert made([2]).dtype == tf.float64
        assert made([2], tf.float32).dtype == tf.float32


def test_orthogonal_columns_have_the_signs_that_make_r_positive() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        for shape in ([6, 4], [4, 6], [2, 3, 4]):
            matrix = session.run(tf.orthogonal_initializer(gain=2.0, seed=3)(shape, tf.float64)).reshape(-1, shape[-1])
            matrix = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
            np.testing.assert_allclose(matrix.T @ matrix, 4 * np.eye(matrix.shape[1]), atol=1e-12)


@pytest.mark.parametrize(("sizes", "fans"), [([], (1, 1)), ([7], (7, 7)), ([3, 4], (3, 4)), ([5, 5, 3, 4], (75, 100))])
def test_fans_of_shapes(sizes: list[int], fans: tuple[int, int]) -> None:
    assert fans_of(sizes) == fans


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: tf.random_normal_initializer(dtype=tf.int32), ValueError, "only float dtypes"),
        (lambda: tf.variance_scaling_initializer(scale=0.0), ValueError, "greater than 0"),
        (lambda: tf.variance_scaling_initializer(mode="fan"), ValueError, "'fan_in', 'fan_out', 'fan_avg'"),
        (lambda: tf.variance_scaling_initializer(distribution="gauss"), ValueError, "'untruncated_normal', 'uniform'"),
        (lambda: tf.constant_initializer({}), TypeError, "a number, a string, a list or an array"),
        (lambda: tf.constant_initializer([1, 2, 3])([2]), ValueError, "Too many elements"),
        (lambda: tf.constant_initializer([1, 2], verify_shape=True)([2, 1]), ValueError, r"shape \(2,\).*has \(2, 1\)"),
        (lambda: tf.orthogonal_initializer()([3]), ValueError, "two sizes at least"),
        (lambda: tf.initializers.identity()([3]), ValueError, "a matrix has two"),
        (lambda: tf.glorot_uniform_initializer()([None, 3]), ValueError, "must be fully known"),
        (lambda: tf.zeros_initializer("float99"), TypeError, "float99"),
        (lambda: vars(tf)["initializers"].convolutional_orthogonal_2d, AttributeError, "shape of a kernel"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_in_words(call: Any, kind: type[Exception], words: str) -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(kind, match=words):
            call()
        assert graph.get_operations() == []
