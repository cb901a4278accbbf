"""`tf.contrib.layers` does what tf_slim was recorded doing: variables, names, outputs, gradients; regularizers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.contrib import layers

from ..golden_cases import EXTRA, Json, decode, read
from ..golden_extra.contrib_layer_cases import PROGRAMS
from ..golden_extra.layer_cases import evaluate

NOTHING: tuple[Any] = (None,)
RECORDED = {case["name"]: case["expect"] for case in read(EXTRA / "contrib_layers.json")["cases"]}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_does_what_was_recorded(name: str) -> None:
    want: Json = RECORDED[name]
    got = evaluate(tf, name, lambda graph: tf.Session(graph=graph), PROGRAMS)
    for part in ("variables", "trainable", "updates"):
        assert got[part] == want[part]
    assert [each.split("/")[0] for each in got["names"]] == [each.split("/")[0] for each in want["names"]]
    for part in ("outputs", "gradients", "after"):
        for found, recorded in zip(got[part], want[part], strict=True):
            value = decode(recorded)
            assert found.dtype == value.dtype and found.shape == value.shape
            size = max(1.0, float(np.abs(value).max())) if value.size else 1.0
            assert np.allclose(found, value, rtol=1e-5, atol=1e-5 * size), part


def test_collections_hold_variables_and_outputs() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.zeros([1, 4, 4, 2])
        y = layers.conv2d(x, 3, 3, variables_collections={"weights": ["w"], "biases": ["b"]}, outputs_collections="y")
        layers.conv2d(y, 3, 3, scope="c", variables_collections=["all"])
        layers.conv2d(y, 3, 3, scope="c", reuse=True, variables_collections=["all"])
        named = {key: [v.op.name for v in graph.get_collection(key)] for key in ("w", "b", "all", "model_variables")}
        assert named["w"] == ["Conv/weights"] and named["b"] == ["Conv/biases"]
        assert named["all"] == ["c/weights", "c/biases"] and len(named["model_variables"]) == 4
        assert graph.get_collection("y") == [y]


def test_a_regularizer_of_scale_0_gives_no_loss() -> None:
    with tf.Graph().as_default():
        for none in (layers.l1_regularizer(0.0), layers.l2_regularizer(0.0), layers.l1_l2_regularizer(0.0, 0.0)):
            assert none(tf.ones([2])) is None
        tf.layers.conv2d(tf.zeros([1, 4, 4, 2]), 3, 3, kernel_regularizer=layers.l2_regularizer(0.0))
        assert tf.losses.get_regularization_losses() == []
        wrong: Any
        for wrong in (1, -0.5, "x"):
            with pytest.raises(ValueError, match="scale"):
                layers.l2_regularizer(wrong)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: layers.conv2d(tf.zeros([4, 4, 2]), 3, 3), "Convolution expects input with rank 4, got 3"),
        (lambda: layers.convolution(tf.zeros([4, 2]), 3, 3), "rank 3, 4 or 5, got 2"),
        (lambda: layers.separable_conv2d(tf.zeros([1, 4, 4, 2]), *NOTHING, 3), "num_outputs"),
        (lambda: layers.variance_scaling_initializer(mode="FAN"), "Unknown mode"),
        (lambda: layers.xavier_initializer(dtype=tf.int32), "non-floating"),
    ],
)
def test_wrong_arguments_are_told(call: Callable[[], Any], words: str) -> None:
    with tf.Graph().as_default(), pytest.raises((TypeError, ValueError), match=words):
        call()
