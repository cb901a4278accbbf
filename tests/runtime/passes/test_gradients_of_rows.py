"""Gradients of normalisations take as few steps where only a run knows the shapes as where the graph does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import penstock as tf

from ...op_samples import same
from .stages import plan_of_run

ROWS, WIDTH = 40, 70
FORMS: Final[dict[str, Callable[[list[int]], list[int | None] | None]]] = {
    "known": lambda shape: [*shape],
    "rows open": lambda shape: [None, *shape[1:]] if len(shape) > 1 else [*shape],
    "sizes open": lambda shape: [None] * len(shape),
    "nothing known": lambda shape: None,
}
"""From the shape of what is fed to what a placeholder says."""


def normalised(x: Any, gain: Any, offset: Any) -> Any:
    distance = x - tf.reduce_mean(x, 1, keepdims=True)
    return distance / tf.sqrt(tf.reduce_mean(distance * distance, 1, keepdims=True) + 1e-5) * gain + offset


def normalised_along(axis: int) -> Callable[..., Any]:
    def function(x: Any, gain: Any, offset: Any) -> Any:
        mean, variance = tf.nn.moments(x, [axis], keep_dims=axis == 1)
        return tf.nn.batch_normalization(x, mean, variance, offset, gain, 1e-5)

    return function


def softmax(x: Any) -> Any:
    e = tf.exp(x - tf.reduce_max(x, 1, keepdims=True))
    return e / tf.reduce_sum(e, 1, keepdims=True)


def centred_without_kept_axes(x: Any) -> Any:
    return tf.exp(x - tf.expand_dims(tf.reduce_mean(x, 1), 1))


FORMULAS: Final[dict[str, tuple[Callable[..., Any], str]]] = {
    "layer norm": (normalised, "x gain offset"),
    "layer norm by moments": (normalised_along(1), "x gain offset"),
    "batch norm": (normalised_along(0), "x gain offset"),
    "moments": (lambda x: tf.multiply(*tf.nn.moments(x, [1], keep_dims=True)), "x"),
    "softmax by hand": (softmax, "x"),
    "softmax": (tf.nn.softmax, "x"),
    "log softmax": (tf.nn.log_softmax, "x"),
    "cross entropy": (lambda x, labels: -tf.reduce_sum(labels * tf.log(softmax(x)), 1), "x labels"),
    "l2": (lambda x: tf.nn.l2_normalize(x, 1), "x"),
    "l2 by hand": (lambda x: x / tf.sqrt(tf.reduce_sum(x * x, 1, keepdims=True) + 1e-12), "x"),
    "bias and relu": (lambda x, gain: tf.nn.relu(x + gain) * x, "x gain"),
    "centred": (centred_without_kept_axes, "x"),
}
MOST_STEPS: Final = {"batch norm": 9, "bias and relu": 2}
"""Sums down the columns end a group: with them more steps than one."""
MORE_STEPS: Final = {("batch norm", "nothing known"): 4, ("centred", "nothing known"): 2}
"""Where vectors of one number for each column, or row, get another shape and back."""
MORE_STEPS_OF_ONE_EXAMPLE: Final = {"batch norm": 4, "centred": 5}
"""The same, and where a single number does."""


def program(name: str, form: str, rows: int = ROWS) -> tuple[list[Any], dict[Any, Any]]:
    formula, words = FORMULAS[name]
    rng = np.random.default_rng(0)
    placeholders, feeds = [], {}
    for word in words.split():
        shape = [rows, WIDTH] if word in ("x", "labels") else [WIDTH]
        placeholders.append(tf.placeholder(tf.float32, FORMS[form](shape), name=word))
        feeds[placeholders[-1]] = np.abs(rng.standard_normal(shape, np.float32)) + np.float32(0.1)
    return tf.gradients(formula(*placeholders), placeholders), feeds


@pytest.mark.parametrize("form", [form for form in FORMS if form != "known"])
@pytest.mark.parametrize("name", FORMULAS)
def test_the_plan_for_the_shapes_of_runs_has_the_steps_of_known_shapes(name: str, form: str) -> None:
    with tf.Graph().as_default():
        want = [step.op for step in plan_of_run(*program(name, "known")).steps]
    assert len(want) <= MOST_STEPS.get(name, 1), want
    with tf.Graph().as_default():
        got = [step.op for step in plan_of_run(*program(name, form)).steps]
    assert len(got) <= len(want) + MORE_STEPS.get((name, form), 0), (got, want)


@pytest.mark.parametrize("rows", [1, ROWS])
@pytest.mark.parametrize("name", FORMULAS)
def test_runs_have_the_bits_of_the_operations_before_and_after_that_plan(name: str, rows: int) -> None:
    with tf.Graph().as_default():
        slopes, feeds = program(name, "nothing known", rows)
        with tf.Session(config=tf.SessionConfig(passes=())) as plain:
            want = plain.run(slopes, feeds)
        with tf.Session(config=tf.SessionConfig(specialise_after=1, verify=True)) as session:
            for _ in range(4):
                got = session.run(slopes, feeds)
                assert all(map(same, got, want))


def test_a_batch_of_one_example_takes_as_few_steps() -> None:
    for name in FORMULAS:
        with tf.Graph().as_default():
            want = [step.op for step in plan_of_run(*program(name, "known", 1)).steps]
        with tf.Graph().as_default():
            got = [step.op for step in plan_of_run(*program(name, "nothing known", 1)).steps]
        assert len(got) <= len(want) + MORE_STEPS_OF_ONE_EXAMPLE.get(name, 0), (name, got, want)


def test_many_parts_are_not_added_in_one_group() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, None)
        parts = [tf.exp(x * float(number)) for number in range(1, 8)]
        (slope,) = tf.gradients(tf.add_n(parts), x)
        assert "AddN" in [step.op for step in plan_of_run([slope], {x: np.ones((3, 5), np.float32)}).steps]


def test_a_reduction_that_is_read_twice_stays_one() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4, 5])
        total = tf.reduce_sum(tf.cumsum(x), 1)
        fetches = [total, tf.expand_dims(total, 1)]
        plan = plan_of_run(fetches, {x: np.ones((4, 5), np.float32)})
        assert [step.op for step in plan.steps].count("Sum") == 1
