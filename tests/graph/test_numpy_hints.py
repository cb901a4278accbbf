"""NumPy's method names give a hint to an existing function that takes their place."""

from __future__ import annotations

import re

import numpy as np
import pytest

import penstock as tf
from penstock.graph.building.numpy_hints import INSTEAD, nearest


@pytest.mark.parametrize("name", INSTEAD)
def test_a_method_of_numpys_says_what_takes_its_place(name: str) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n"], name="x")
    assert not hasattr(x, name)
    with pytest.raises(AttributeError) as told:
        getattr(x, name)
    assert str(told.value) == f"'Tensor' object has no attribute {name!r}: write {INSTEAD[name]}"


def test_the_functions_that_are_named_exist() -> None:
    texts = [*INSTEAD.values(), nearest("where"), nearest("unique"), nearest("nonzero")]
    named = set(re.findall(r"tf\.(\w+)", " ".join(texts)))
    assert named
    assert named <= set(tf.__all__)


def test_a_function_of_numpys_without_an_op_names_the_nearest() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with pytest.raises(TypeError, match=r"np\.where on .*, the nearest is tf\.where\(condition, x, y\);"):
            np.where(x > 0.0, x, x)
        with pytest.raises(TypeError, match=r"np\.fliplr on a symbolic tensor: no op builds the same thing; use"):
            np.fliplr(x)


def test_a_format_for_numbers_says_that_there_is_no_value_and_a_plain_one_gives_the_text() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n"], name="x")
    assert f"{x}" == str(x) and f"{x:>60}" == str(x).rjust(60)
    with pytest.raises(TypeError, match=r"f'\{t:.3f\}': .*holds no value until Session\.run; use f'\{session"):
        f"{x:.3f}"
