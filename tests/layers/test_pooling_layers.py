"""Layers of pooling: values of `tf.nn`, names, layouts and errors."""

from typing import Any

import numpy as np
import pytest

import penstock as tf

SHAPES = {1: (2, 6, 3), 2: (2, 6, 5, 3), 3: (2, 4, 6, 5, 3)}


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("kind", ["max", "average"])
@pytest.mark.parametrize("padding", ["valid", "same"])
def test_a_layer_pools_as_the_function_does_in_both_layouts(rank: int, kind: str, padding: str) -> None:
    x = np.random.default_rng(rank).standard_normal(SHAPES[rank]).astype("f4")
    function = getattr(tf.nn, f"{'max' if kind == 'max' else 'avg'}_pool{rank}d")
    layer = getattr(tf.layers, f"{kind}_pooling{rank}d")
    with tf.Graph().as_default(), tf.Session() as session:
        want = function(x, 2, 2, padding.upper())
        last = layer(x, 2, 2, padding)
        first = layer(np.moveaxis(x, -1, 1), 2, 2, padding, "channels_first")
        assert last.name.startswith(f"{kind}_pooling{rank}d/") and first.name.startswith(f"{kind}_pooling{rank}d_1/")
        values = session.run([want, last, first])
    assert np.array_equal(values[0], values[1])
    assert np.array_equal(np.moveaxis(values[2], 1, -1), values[0])


def test_an_object_pools_several_tensors_in_one_scope() -> None:
    with tf.Graph().as_default():
        layer = tf.layers.MaxPooling2D((2, 3), 1, name="pool")
        shapes = [layer(tf.zeros([1, size, size, 2])).shape for size in (4, 6)]
        assert shapes == [(1, 3, 2, 2), (1, 5, 4, 2)]
        assert not layer.variables


def test_wrong_arguments_are_errors_of_the_call() -> None:
    with tf.Graph().as_default() as graph:
        for wrong, words in (
            ({"padding": "full"}, "padding"), ({"pool_size": (1, 2, 3)}, "2 integers"),
            ({"pool_size": 0}, "at least 1"),
            ({"data_format": "NHWC"}, "data_format"), ({"inputs": np.zeros((2, 3), "f4")}, "ndim=4"),
        ):  # fmt: skip
            given: dict[str, Any] = {"inputs": np.zeros((1, 4, 4, 1), "f4"), "pool_size": 2, "strides": 2} | wrong
            with pytest.raises(ValueError, match=words):
                tf.layers.max_pooling2d(**given)
        assert len(graph) == 0
