"""`==` and `!=` on tensors: identity, with one warning where a line of the program compares values."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def tensor() -> Any:
    return tf.placeholder(tf.float32, [2])


def test_a_comparison_with_a_number_is_false_and_warns_with_the_cure() -> None:
    x = tensor()
    with pytest.warns(tf.MistakeWarning, match=r"`x == y` compares identity: .* unless .* write tf.equal\(x, y\)"):
        assert (x == 0.0) is False
    with pytest.warns(tf.MistakeWarning, match=r"`x != y` .* write tf.not_equal\(x, y\), for identity `x is not y`"):
        assert x != 0.0
    with pytest.warns(tf.MistakeWarning, match="tf.equal"):
        assert (0.0 == x) is False  # noqa: SIM300  # the order is what is tested


@pytest.mark.parametrize("other", [True, 1, 1.5, 1j, b"a", "a", [1.0], (1.0, 2.0)])
def test_values_of_every_kind_warn(other: Any) -> None:
    x = tensor()
    with pytest.warns(tf.MistakeWarning):
        assert (x == other) is False


def test_a_comparison_with_another_tensor_warns_once() -> None:
    x, y = tensor(), tensor()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        assert (x == y) is False
    assert len(found) == 1


def test_the_warning_names_the_users_line_and_comes_once_per_line() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            tf.where(tensor() == 0.0, tensor(), tensor()) if False else tensor() == 0.0
    assert [(each.filename, each.category) for each in found] == [(__file__, tf.MistakeWarning)]


def test_what_looks_for_identity_does_not_warn() -> None:
    x, y, z = tensor(), tensor(), tensor()
    assert x in [y, x] and x not in (y, 1.0) and z not in [1.0, y]
    assert [y, x].index(x) == 1 and [x, y, y].count(y) == 2
    listed = [1.0, y, x]
    listed.remove(x)
    assert len(listed) == 2
    assert {x: 1, y: 2}[y] == 2 and len({x, y, x}) == 2 and z not in {x, y}
    assert x == x and not x is y  # noqa: E714  # identity is what is tested
    assert (x, y) == (x, y)


def test_other_objects_do_not_warn() -> None:
    x = tensor()
    assert x != None and x != object() and x != tf.float32  # noqa: E711  # None is what is tested


def test_x_unequal_to_itself_warns_for_that_is_how_nan_is_found() -> None:
    x = tensor()
    with pytest.warns(tf.MistakeWarning, match="tf.not_equal"):
        assert (x != x) is False  # the idiom


def test_a_comparison_with_an_array_builds_the_op() -> None:
    compared: Any = tensor() == np.zeros(2)
    assert compared.op.type == "Equal"


def test_tensors_are_keys_by_identity() -> None:
    x, y = tensor(), tensor()
    assert hash(x) != hash(y) and {x: "x", y: "y"} == {y: "y", x: "x"}
