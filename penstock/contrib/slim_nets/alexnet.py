"""`tf.contrib.slim.nets.alexnet`: AlexNet in its second form, with convolutions in the place of full connections."""

from __future__ import annotations

from typing import Any

from ...graph.model.nodes import Tensor
from ...ops.nn.activations import relu
from ...variables.constant_initializers import constant_initializer
from ...variables.random_initializers import truncated_normal_initializer
from ..framework import arg_scope
from ..layers import conv2d, fully_connected, l2_regularizer, max_pool2d
from .end_points import Points, classified, collected, public_network


def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> Any:
    """The arguments of layers that the network was trained with.

    Args:
        weight_decay: the weight of the squares of the weights in the loss.
    """
    with (
        arg_scope([conv2d, fully_connected], activation_fn=relu,
                  biases_initializer=constant_initializer(0.1), weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope([conv2d], padding="SAME"),
        arg_scope([max_pool2d], padding="VALID") as scope,
    ):  # fmt: skip
        return scope


@public_network("alexnet_v2", 224)
def alexnet_v2(
    inputs: Any, num_classes: int = 1000, is_training: Any = True, dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True, scope: Any = "alexnet_v2",
) -> tuple[Tensor, Points]:  # fmt: skip
    """AlexNet.

    Args:
        inputs: images, (batch, 224, 224, channels).
        num_classes: the number of logits.
        is_training: whether dropout drops.
        dropout_keep_prob: the part that dropout keeps.
        spatial_squeeze: whether the logits are (batch, num_classes), and not (batch, h, w, num_classes).
        scope: the scope of the variables.
    """
    with collected(scope, "alexnet_v2", inputs, [conv2d, fully_connected, max_pool2d]) as (whole, collection):
        net = conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
        net = max_pool2d(net, [3, 3], 2, scope="pool1")
        net = conv2d(net, 192, [5, 5], scope="conv2")
        net = max_pool2d(net, [3, 3], 2, scope="pool2")
        for place, depth in ((3, 384), (4, 384), (5, 256)):
            net = conv2d(net, depth, [3, 3], scope=f"conv{place}")
        net = max_pool2d(net, [3, 3], 2, scope="pool5")
        with arg_scope([conv2d], weights_initializer=truncated_normal_initializer(0.0, 0.005),
                       biases_initializer=constant_initializer(0.1)):  # fmt: skip
            return classified(net, whole, collection, [5, 5], num_classes, is_training, dropout_keep_prob,
                              spatial_squeeze)  # fmt: skip
