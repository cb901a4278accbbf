"""`tf.contrib.slim.nets.vgg`: the VGG networks with 11, 16 and 19 layers."""

from __future__ import annotations

from typing import Any

from ...graph.model.nodes import Tensor
from ...ops.nn.activations import relu
from ...variables.constant_initializers import zeros_initializer
from ..framework import arg_scope
from ..layer_functions.repeated_layers import repeat
from ..layers import conv2d, fully_connected, l2_regularizer, max_pool2d
from .end_points import Network, Points, classified, collected, public_network


def vgg_arg_scope(weight_decay: float = 0.0005) -> Any:
    """The arguments of layers that the networks were trained with.

    Args:
        weight_decay: the weight of the squares of the weights in the loss.
    """
    with (
        arg_scope([conv2d, fully_connected], activation_fn=relu,
                  weights_regularizer=l2_regularizer(weight_decay), biases_initializer=zeros_initializer()),
        arg_scope([conv2d], padding="SAME") as scope,
    ):  # fmt: skip
        return scope


def _vgg(name: str, repeats: tuple[int, ...]) -> Network:
    @public_network(name, 224)
    def network(
        inputs: Any, num_classes: int = 1000, is_training: Any = True, dropout_keep_prob: float = 0.5,
        spatial_squeeze: bool = True, scope: Any = name,
    ) -> tuple[Tensor, Points]:  # fmt: skip
        with collected(scope, name, inputs, [conv2d, fully_connected, max_pool2d]) as (whole, collection):
            net = inputs
            for place, (count, depth) in enumerate(zip(repeats, (64, 128, 256, 512, 512), strict=True), 1):
                net = repeat(net, count, conv2d, depth, [3, 3], scope=f"conv{place}")
                net = max_pool2d(net, [2, 2], scope=f"pool{place}")
            return classified(net, whole, collection, [7, 7], num_classes, is_training, dropout_keep_prob,
                              spatial_squeeze)  # fmt: skip

    network.__doc__ = f"{name}: images (batch, 224, 224, channels) -> the logits, and what each layer gives."
    return network


vgg_a = _vgg("vgg_a", (1, 1, 2, 2, 2))
vgg_16 = _vgg("vgg_16", (2, 2, 3, 3, 3))
vgg_19 = _vgg("vgg_19", (2, 2, 4, 4, 4))
