"""Attributes that programs set on tensors and variables."""

from __future__ import annotations

import copy
import gc
import weakref
from typing import Any

import numpy as np
import pytest

import penstock
import penstock.compat.v1 as tf


def test_a_program_hands_facts_on_in_attributes() -> None:
    with penstock.tensorflow_stand_in(), tf.Graph().as_default(), tf.Session() as session:
        x: Any = tf.placeholder(tf.float32, [None, 3])
        weights: Any = tf.Variable(np.eye(3, dtype="f4"))
        layer: Any = tf.matmul(x, weights)
        layer.W, layer.scope, weights.is_mine = weights, "dense", True
        assert (layer.W is weights, layer.scope, weights.is_mine) == (True, "dense", True)
        assert not hasattr(layer, "b") and not hasattr(x, "W") and getattr(tf.identity(layer), "W", None) is None
        layer.scope = "other"
        del layer.W
        assert layer.scope == "other" and not hasattr(layer, "W")
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(layer, {x: np.ones([2, 3])}), np.ones([2, 3]))
        loop = tf.while_loop(lambda i: i < 3, lambda i: marked(i) + 1, [tf.constant(0)])
        assert session.run(loop) == 3


def marked(tensor: Any) -> Any:
    tensor.is_inside = True
    assert tensor.is_inside
    return tensor


def test_what_the_class_has_stays_as_it_is() -> None:
    with penstock.tensorflow_stand_in(), tf.Graph().as_default():
        x, v = tf.constant([1.0]), tf.Variable(1.0)
        each: Any
        for each in (x, v):
            for name in ("name", "graph", "shape", "device"):
                with pytest.raises(AttributeError, match=name):
                    setattr(each, name, 1)
            with pytest.raises(AttributeError, match="'shpae'"):
                _ = each.shpae
            with pytest.raises(AttributeError, match="'shpae'"):
                del each.shpae
        with pytest.raises(TypeError):
            copy.copy(x)


def test_elsewhere_a_new_attribute_is_an_error() -> None:
    with tf.Graph().as_default():
        x: Any = tf.constant([1.0])
        v: Any = tf.Variable(1.0)
        for _ in range(2):
            for each in (x, v):
                with pytest.raises(AttributeError):
                    each.shpae = 1
                with pytest.raises(AttributeError):
                    _ = each.shpae
            with penstock.tensorflow_stand_in():
                x.shpae = 1


def test_a_graph_lets_go_of_the_attributes_of_its_tensors() -> None:
    class Fact:
        pass

    with penstock.tensorflow_stand_in():
        with tf.Graph().as_default():
            x: Any = tf.constant([1.0])
            fact = Fact()
            x.fact, x.itself = fact, x
        alive = weakref.ref(fact)
        del x, fact
        gc.collect()
        assert alive() is None
