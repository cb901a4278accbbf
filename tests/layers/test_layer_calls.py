"""What a layer knows of its calls: its input and output, their shapes, and the number of its parameters."""

from __future__ import annotations

from typing import Any

import pytest

import penstock.compat.v1 as tf

NAMES = ("input", "output", "input_shape", "output_shape")


def test_a_layer_that_was_called_once_knows_its_tensors() -> None:
    with tf.Graph().as_default():
        layer, x = tf.layers.Dense(4), tf.placeholder(tf.float32, [None, 3])
        y = layer(x)
        assert layer.input is x
        assert layer.output is y
        assert (layer.input_shape, layer.output_shape) == ((None, 3), (None, 4))
        assert layer.count_params() == 3 * 4 + 4


def test_parameters_that_are_not_trained_count() -> None:
    with tf.Graph().as_default():
        layer = tf.layers.BatchNormalization()
        layer(tf.zeros([2, 5]))
        assert layer.count_params() == 4 * 5


@pytest.mark.parametrize("name", NAMES)
def test_a_layer_without_a_call_has_none(name: str) -> None:
    with pytest.raises(AttributeError, match=f"'dense' is not connected, so it has no {name}: call it"):
        getattr(tf.layers.Dense(4), name)


def test_a_layer_without_a_call_has_no_parameters_to_count() -> None:
    with pytest.raises(ValueError, match="'dense' has no variables yet: its first call makes them"):
        tf.layers.Dense(4).count_params()


def test_a_layer_of_several_calls_has_a_shape_if_all_have_it() -> None:
    with tf.Graph().as_default():
        layer = tf.layers.Dense(4)
        for _ in range(2):
            layer(tf.zeros([2, 3]))
        assert (layer.input_shape, layer.output_shape) == ((2, 3), (2, 4))
        with pytest.raises(AttributeError, match="was called 2 times, so it has no one input"):
            _ = layer.input
        layer(tf.zeros([5, 3]))
        with pytest.raises(AttributeError, match="was called 3 times, so it has no one output_shape"):
            _ = layer.output_shape


def test_a_call_that_fails_is_none() -> None:
    with tf.Graph().as_default():
        layer = tf.layers.Dense(4)
        with pytest.raises(ValueError, match="min_ndim"):
            layer(tf.zeros([]))
        with pytest.raises(AttributeError, match="not connected"):
            _ = layer.output


class OfItsOwn(tf.nn.rnn_cell.RNNCell):
    """A cell whose class sets attributes of these names."""

    state_size = output_size = 2

    def __init__(self) -> None:
        super().__init__()
        self.input, self.output_shape = "mine", 7

    def call(self, inputs: Any, state: Any) -> Any:
        return state, state


def test_a_class_may_have_attributes_of_these_names() -> None:
    cell = OfItsOwn()
    assert (cell.input, cell.output_shape) == ("mine", 7)


def test_a_cell_knows_its_call() -> None:
    with tf.Graph().as_default():
        cell, x = tf.nn.rnn_cell.GRUCell(4), tf.zeros([2, 3])
        output, _ = cell(x, cell.zero_state(2, tf.float32))
        assert cell.input is x
        assert cell.output is output
        assert cell.count_params() == (3 + 4) * 8 + 8 + (3 + 4) * 4 + 4
