"""`tf.contrib.slim.nets`: the variables, layers and logits that tf_slim with TensorFlow 2.21 has for the same call."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.errors import ShapeError

SLIM: Any = tf.contrib.slim
NETS: Any = SLIM.nets

# arg_scope, network, side of the images, arguments: how many variables, trainable ones, end points, regularization
# losses, and a hash of all names and shapes.
RECORDED: dict[str, tuple[Any, Any, int, dict[str, Any], tuple[Any, ...]]] = {
    "resnet v1": (NETS.resnet_v1.resnet_arg_scope, NETS.resnet_v1.resnet_v1_50, 64, {},
                  (267, 161, 75, 54, "a4d254b5b73b")),
    "resnet v1, dense": (NETS.resnet_v1.resnet_arg_scope, NETS.resnet_v1.resnet_v1_50, 65,
                         {"output_stride": 8, "global_pool": False}, (267, 161, 75, 54, "ae46a0b43784")),
    "resnet v2": (NETS.resnet_v2.resnet_arg_scope, NETS.resnet_v2.resnet_v2_50, 65, {},
                  (272, 174, 75, 54, "6f40331a732c")),
    "vgg a": (NETS.vgg.vgg_arg_scope, NETS.vgg.vgg_a, 224, {}, (22, 22, 16, 11, "84c810694b18")),
    "vgg 19": (NETS.vgg.vgg_arg_scope, NETS.vgg.vgg_19, 224, {}, (38, 38, 24, 19, "04a96f97d9ea")),
    "alexnet": (NETS.alexnet.alexnet_v2_arg_scope, NETS.alexnet.alexnet_v2, 224, {}, (16, 16, 11, 8, "31b706d07b86")),
    "inception v3": (NETS.inception_v3.inception_v3_arg_scope, NETS.inception_v3.inception_v3, 299, {},
                     (388, 196, 22, 98, "37b4611b1a38")),
    "inception v3, narrow": (NETS.inception_v3.inception_v3_arg_scope, NETS.inception_v3.inception_v3, 150,
                             {"depth_multiplier": 0.25}, (388, 196, 22, 98, "86c0dec90014")),
}  # fmt: skip


@pytest.mark.share(2)
@pytest.mark.parametrize("name", RECORDED)
def test_names_and_shapes_are_tensorflows(name: str) -> None:
    scope, network, side, options, expected = RECORDED[name]
    with tf.Graph().as_default() as graph, SLIM.arg_scope(scope()):
        _, ends = network(tf.zeros([1, side, side, 3]), 10, is_training=False, **options)
        variables = [[each.op.name, each.shape.as_list()] for each in tf.global_variables()]
        points = sorted([key, end.shape.as_list()] for key, end in ends.items())
        text = json.dumps([variables, points])
        told = (len(variables), len(tf.trainable_variables()), len(points),
                len(graph.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)),
                hashlib.sha1(text.encode()).hexdigest()[:12])  # fmt: skip
    assert told == expected


@pytest.mark.parametrize(
    ("name", "logits"),
    [
        ("inception v3, narrow", [0.0569, 0.1229, -0.03, 0.0722]),
        pytest.param("resnet v2", [-104.7037, -276.0461, 149.4371, 309.7505], marks=pytest.mark.nightly),
    ],
)  # fmt: skip
def test_logits_are_tensorflows(name: str, logits: list[float]) -> None:
    scope, network, side, options, _ = RECORDED[name]
    images = np.random.RandomState(0).rand(1, side, side, 3).astype("f")
    with tf.Graph().as_default(), SLIM.arg_scope(scope()), tf.Session() as session:
        net, _ = network(tf.constant(images), 10, is_training=False, **options)
        rng, feed, writes = np.random.RandomState(1), {}, []
        for each in tf.global_variables():
            shape: Any = each.shape.as_list()
            if len(shape) > 1:
                value = rng.randn(*shape) * np.sqrt(2.0 / np.prod(shape[:-1]))
            else:
                is_scale = "var" in each.op.name or "gamma" in each.op.name
                value = 1 + 0.1 * rng.rand(*shape) if is_scale else 0.1 * rng.rand(*shape)
            fed = tf.placeholder(tf.float32, shape)
            feed[fed] = value
            writes.append(each.assign(fed))
        session.run(writes, feed)
        np.testing.assert_allclose(np.ravel(session.run(net))[:4], logits, rtol=1e-4, atol=1e-4)


def test_a_layer_can_be_the_last_and_images_must_have_a_size() -> None:
    with tf.Graph().as_default(), SLIM.arg_scope(NETS.inception_v3.inception_v3_arg_scope()):
        net, ends = NETS.inception_v3.inception_v3_base(tf.zeros([1, 150, 150, 3]), final_endpoint="Mixed_5c")
        assert net is ends["Mixed_5c"] and net.shape.as_list() == [1, 16, 16, 288] and len(ends) == 9
        with pytest.raises(ValueError, match="Unknown final endpoint Mixed_9; there are"):
            NETS.inception_v3.inception_v3_base(tf.zeros([1, 150, 150, 3]), final_endpoint="Mixed_9", scope="again")
    with tf.Graph().as_default(), pytest.raises(ValueError, match="cannot be reached"):
        NETS.resnet_v1.resnet_v1_50(tf.zeros([1, 65, 65, 3]), 10, output_stride=12)
    with tf.Graph().as_default(), pytest.raises(ShapeError, match="padding"):
        NETS.vgg.vgg_16(tf.zeros([1, 64, 64, 3]), 10)


@pytest.mark.parametrize(("options", "words"), [
    ({"num_clases": 3}, "did you mean 'num_classes'"), ({"num_classes": "a"}, "vgg_16.*must be a Python int"),
])  # fmt: skip
def test_a_network_that_fails_adds_nothing_and_is_named(options: dict[str, Any], words: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 224, 224, 3])
        with pytest.raises(TypeError, match=words):
            tf.contrib.slim.nets.vgg.vgg_16(x, **options)
        assert graph.get_operations() == [x.op] and not tf.global_variables()
