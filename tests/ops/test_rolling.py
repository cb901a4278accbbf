"""roll against NumPy's."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from .index_cases import dtypes, message_of, run, same, shapes, values


@given(st.data(), dtypes, shapes.filter(bool), st.sampled_from(["i4", "i8"]))
def test_elements_that_leave_at_one_end_enter_at_the_other(
    data: Any, dtype: str, shape: tuple[int, ...], index: str
) -> None:
    x = data.draw(values(shape, dtype))
    count = data.draw(st.integers(0, 3))
    axes = data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), min_size=count, max_size=count))
    shifts = data.draw(st.lists(st.integers(-9, 9), min_size=count, max_size=count))
    got = run(tf.roll, x, np.array(shifts, index), np.array(axes, index), known=data.draw(st.booleans()))
    want = x
    for shift, axis in zip(shifts, axes, strict=True):
        want = np.roll(want, shift, axis)
    assert same(got, want)


def test_one_shift_may_be_a_scalar() -> None:
    assert run(lambda t: tf.roll(t, -1, 0), np.array([b"a", b"b", b"c"], object)).tolist() == [b"b", b"c", b"a"]


@pytest.mark.parametrize(("shift", "axis", "words"), [
    (1, 2, "axis 2 is out of range"), (1, -3, "axis -1 is out of range"),
    ([1, 2], [0], "shift and axis must have the same size."), ([[1]], 0, "shift must be a scalar or a 1-D vector."),
])  # fmt: skip
def test_the_run_checks_shifts_and_axes(shift: Any, axis: Any, words: str) -> None:
    assert message_of(tf.roll, np.zeros((2, 2)), np.array(shift), np.array(axis)).startswith(words)


def test_an_axis_that_constants_show_to_be_wrong_warns_while_building() -> None:
    with tf.Graph().as_default(), pytest.warns(tf.MistakeWarning, match="axis 1 is out of range"):
        tf.roll(tf.placeholder(tf.float32, ["n"]), 1, 1)
