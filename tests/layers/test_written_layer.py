"""Layers that programs write: `tf.layers.Layer` with `build` and `call`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.errors import UseError

LAYERS: Any = tf.layers


class ScaleAndShift(LAYERS.Layer):  # type: ignore[misc]  # of a namespace without types
    def __init__(self, factor: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.factor = factor

    def build(self, input_shape: Any) -> None:
        self.scale = self.add_weight("scale", [input_shape[-1]], initializer=tf.ones_initializer(),
                                     regularizer=tf.nn.l2_loss)  # fmt: skip
        self.shift = tf.get_variable("shift", [1], initializer=tf.zeros_initializer())
        self.built = True

    def call(self, inputs: Any, negated: bool = False) -> Any:
        out = inputs * self.scale * self.factor + self.shift
        return -out if negated else out


class TwoInputs(LAYERS.Layer):  # type: ignore[misc]  # of a namespace without types
    def build(self, input_shape: Any) -> None:
        assert [each.as_list() for each in input_shape] == [[2, 3], [2, 4]]
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        self.add_loss(tf.reduce_sum(inputs[0]))
        self.add_update(tf.no_op())
        return tf.concat(inputs, 1)


def test_variables_are_made_once_in_the_scope_of_the_class() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        layer = ScaleAndShift(2.0)
        first, again = layer(np.ones([4, 3], "f")), layer.apply(tf.ones([4, 3]), negated=True)
        other = ScaleAndShift(3.0)(tf.ones([4, 3]))
        names = ["scale_and_shift/scale:0", "scale_and_shift/shift:0", "scale_and_shift_1/scale:0"]
        assert [each.name for each in tf.global_variables()][:3] == names
        assert [each.name for each in layer.weights] == names[:1]  # get_variable's own are of the graph alone
        assert len(graph.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 2
        session.run(tf.global_variables_initializer())
        assert [session.run(each)[0, 0] for each in (first, again, other)] == [2.0, -2.0, 3.0]


def test_a_layer_takes_structures_and_notes_losses_and_updates() -> None:
    with tf.Graph().as_default() as graph:
        layer = TwoInputs(name="both")
        assert layer([tf.ones([2, 3]), tf.ones([2, 4])]).shape.as_list() == [2, 7]
        assert graph.get_collection(tf.GraphKeys.UPDATE_OPS) == layer.updates and len(layer.losses) == 1
        assert layer.name == layer.scope_name == "both"


def test_what_a_class_lacks_is_said() -> None:
    class Forgetful(LAYERS.Layer):  # type: ignore[misc]  # of a namespace without types
        def __init__(self) -> None:
            pass

    with tf.Graph().as_default():
        with pytest.raises(NotImplementedError, match="Layer has no method call"):
            LAYERS.Layer()(tf.ones([2]))
        with pytest.raises(UseError, match=r"Forgetful has an __init__ that does not call super\(\)"):
            Forgetful()(tf.ones([2]))
