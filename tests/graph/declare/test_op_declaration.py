"""Declarations of ops: where `name` stands among the parameters."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.extend import OpDef, find_op, op

X = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)


@pytest.fixture
def space_to_depth() -> Iterator[OpDef[..., tf.Tensor]]:
    with tf.Graph().as_default():
        yield find_op("SpaceToDepth")


def test_an_attribute_behind_the_name_is_given_by_position_and_by_name(
    space_to_depth: OpDef[..., tf.Tensor],
) -> None:
    channels_first = X.reshape(1, 1, 4, 4)
    calls: list[Callable[[], tf.Tensor]] = [
        lambda: space_to_depth(channels_first, 2, "there", "NCHW"),
        lambda: space_to_depth(channels_first, 2, data_format="NCHW", name="by_name"),
        lambda: space_to_depth(channels_first, block_size=2, data_format="NCHW"),
    ]
    for call, name in zip(calls, ("there:0", "by_name:0", "SpaceToDepth:0"), strict=True):
        result = call()
        assert result.name == name and result.shape == (1, 4, 2, 2)
        assert result.op.args[1:] == (2, "NCHW")


def test_what_is_left_out_behind_the_name_has_its_default(space_to_depth: OpDef[..., tf.Tensor]) -> None:
    assert space_to_depth.parameters == ("input", "block_size", "data_format")
    assert space_to_depth.bind(X, 2, "n")[1:] == (2, "NHWC", "n")
    assert [space_to_depth(X, 2).op.args[1:], space_to_depth(X, 2, "n").op.args[1:]] == [(2, "NHWC")] * 2


def test_the_errors_of_such_an_op_show_the_parameters_in_their_order(space_to_depth: OpDef[..., tf.Tensor]) -> None:
    shown = r"space_to_depth\(input, block_size, name=None, data_format='NHWC'\)"
    with pytest.raises(TypeError, match=shown + ": missing a required argument: 'block_size'"):
        space_to_depth(X)
    with pytest.raises(TypeError, match=shown + ": name=3"):
        space_to_depth(X, 2, 3)


def test_an_op_without_a_parameter_name_is_refused() -> None:
    def nameless(x: Any) -> tf.Tensor: ...  # type: ignore[empty-body]

    with pytest.raises(TypeError, match=r"op\('Nameless'\): a parameter must be called `name`"):
        op("Nameless")(nameless)
