"""NumPy's functions, called on tensors, build the nodes that compute the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.ops.move.numpy_functions import FUNCTIONS

CALLS: dict[Any, list[Callable[[Any], Any]]] = {
    np.concatenate: [lambda x: np.concatenate([x, x]), lambda x: np.concatenate((x, x), axis=-1),
                     lambda x: np.concatenate([x, x], axis=None)],
    np.stack: [lambda x: np.stack([x, x]), lambda x: np.stack([x, x], axis=-1)],
    np.split: [lambda x: np.split(x, 2), lambda x: np.split(x, 3, axis=1), lambda x: np.split(x, [1, 2], axis=-1)],
    np.reshape: [lambda x: np.reshape(x, (3, -1)), lambda x: np.reshape(x, 24), lambda x: np.reshape(x, shape=[4, 6])],
    np.ravel: [np.ravel],
    np.transpose: [np.transpose, lambda x: np.transpose(x, (2, 0, 1)), lambda x: np.transpose(x, axes=(0, 2, 1))],
    np.swapaxes: [lambda x: np.swapaxes(x, 0, -1)],
    np.moveaxis: [lambda x: np.moveaxis(x, 0, -1), lambda x: np.moveaxis(x, [0, 1], [1, 2])],
    np.squeeze: [np.squeeze, lambda x: np.squeeze(x[:1], axis=0), lambda x: np.squeeze(x[:1, :1], axis=(0, 1))],
    np.expand_dims: [lambda x: np.expand_dims(x, 1), lambda x: np.expand_dims(x, axis=-1)],
    np.tile: [lambda x: np.tile(x, 2), lambda x: np.tile(x, (2, 1, 3)), lambda x: np.tile(x, (2, 1, 1, 1))],
    np.pad: [lambda x: np.pad(x, 1), lambda x: np.pad(x, (1, 2)), lambda x: np.pad(x, [(0, 1), (2, 0), (0, 0)])],
    np.flip: [np.flip, lambda x: np.flip(x, 1), lambda x: np.flip(x, axis=(0, -1))],
    np.size: [np.size, lambda x: np.size(x, 1)],
    np.shape: [np.shape],
    np.ndim: [np.ndim],
}  # fmt: skip


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
def test_numpy_s_function_builds_what_it_computes(function: Any) -> None:
    array = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    for call in CALLS[function]:
        with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
            built = call(tf.constant(array))
            assert isinstance(built, tf.Tensor | list)
            found, wanted = session.run(built), call(array)
        if not isinstance(wanted, list):
            found, wanted = [found], [wanted]
        for mine, numpys in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(mine, numpys)


def test_every_function_of_the_table_is_called_here() -> None:
    assert set(FUNCTIONS) <= set(CALLS)


def test_a_mode_of_padding_that_no_op_builds_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="mode='edge'"):
        np.pad(tf.zeros([2]), 1, mode="edge")
