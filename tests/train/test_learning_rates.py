"""Learning rates that decay are those of TensorFlow."""

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ..golden_cases import Json
from ..golden_extra.optimizer_cases import RATES, learning_rates
from ..helpers import every_case
from .recorded import cases_of, distance, session_of


@every_case("place, dtype, expect", cases_of("RATES"))
def test_a_rate_is_the_one_that_tensorflow_computed(place: int, dtype: str, expect: Json) -> None:
    found = learning_rates(tf, RATES[place], dtype, session_of)
    assert found["dtype"] == expect["dtype"]
    got = np.array(found["values"])
    # A few units in the last place: TensorFlow's powers and cosines of float32 are not rounded correctly.
    assert distance(got, [value for one in expect["values"] for value in one]) < (1e-14 if dtype == "float64" else 4e-7)


def test_a_rate_that_decays_in_float64_stays_float64_where_tensorflow_refuses_it() -> None:
    with tf.Graph().as_default():
        start = tf.constant(0.1, tf.float64)
        assert tf.train.cosine_decay(start, 3, 10).dtype == tf.float64
        assert tf.train.polynomial_decay(start, 3, 10, cycle=True).dtype == tf.float64


def test_a_rate_without_a_step_says_where_to_get_one() -> None:
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match=r"global_step is required for cosine_decay.*or_c"),
    ):
        tf.train.cosine_decay(0.1, None, 10)  # type: ignore[arg-type]  # what is tested


def test_an_int_for_a_rate_is_a_float() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.train.inverse_time_decay(1, 10, 10, 1)) == np.float32(0.5)


def test_piecewise_constants_need_one_value_more_than_boundaries() -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match="there are 2 boundaries and 2 values"):
            tf.train.piecewise_constant(1, [1, 2], [0.1, 0.2])
        assert graph.get_operations() == []


def test_boundaries_and_values_have_dtypes_that_fit() -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match=r"boundaries\[0\] is float32, x int32. Write tf.cast\(x, tf.float32\)"):
            tf.train.piecewise_constant(1, [1.5], [0.1, 0.2])
        with pytest.raises(ValueError, match=r"values\[0\] is float32, values\[1\] int32"):
            tf.train.piecewise_constant(1, [1], [0.1, 2])
        with pytest.raises(TypeError, match="boundaries is 5; give a list"):
            tf.train.piecewise_constant(1, 5, [0.1, 0.2])
        assert graph.get_operations() == []


def test_a_rate_without_boundaries_is_its_value() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.train.piecewise_constant(3, [], [0.5])) == 0.5


def test_nodes_of_a_rate_are_in_a_scope() -> None:
    with tf.Graph().as_default() as graph:
        tf.train.exponential_decay(0.1, 1, 2, 0.5, name="rate")
        assert {op.name.partition("/")[0] for op in graph.get_operations()} == {"rate"}


def test_noise_scatters_around_the_rate_without_noise() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        step = tf.placeholder(tf.int64, [])
        noisy = tf.train.noisy_linear_cosine_decay(0.1, step, 40, initial_variance=0.01)
        plain = tf.train.linear_cosine_decay(0.1, step, 40)
        found = np.array([session.run([noisy, plain], {step: 10}) for _ in range(400)])
        assert len(set(found[:, 0])) == 400 and len(set(found[:, 1])) == 1
        # The deviation at step 10 is 0.1 / 11 ** 0.275, times the rate and the cosine there.
        assert abs(found[:, 0].mean() - found[0, 1]) < 5e-4
        assert 0.7 < found[:, 0].std() / (0.1 * 0.1 / 11**0.275 * 0.8535534) < 1.3
