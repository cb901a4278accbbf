"""`tf.contrib.slim.nets.inception_v3`: Inception v3, its blocks written as a table.

A block has branches, and a branch has layers, one after the other:

    0a_1x1:64         the convolution "Conv2d_0a_1x1" to 64 channels, its window by its name
    1a_1x1=3x3:384/2  the same with another window than its name says; /2 is a stride of 2 without padding
    0b_1x3:384|...    two convolutions beside each other, their channels joined
    avg, max          the pooling "AvgPool_0a_3x3"; "MaxPool_1a_3x3" with a stride of 2 without padding
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ...derivatives import rule_namespace as ops
from ...errors import ValueRuleError
from ...graph.model.nodes import Tensor
from ...variables.graph_keys import GraphKeys
from ...variables.random_initializers import truncated_normal_initializer
from ...variables.variable_scope_block import variable_scope
from ..framework import arg_scope
from ..layers import avg_pool2d, batch_norm, conv2d, dropout, fully_connected, l2_regularizer, max_pool2d, softmax
from ..layers import variance_scaling_initializer as scaled
from .end_points import Points, public_network

_STEM: Final = ("Conv2d_1a_3x3:32/2", "Conv2d_2a_3x3:32", "Conv2d_2b_3x3:64", "max_3a", "Conv2d_3b_1x1:80",
                "Conv2d_4a_3x3:192", "max_5a")  # fmt: skip
_DOUBLE: Final = "0a_1x1:64 0b_3x3:96 0c_3x3:96"


def _seven(d: int) -> list[str]:
    return ["0a_1x1:192", f"0a_1x1:{d} 0b_1x7:{d} 0c_7x1:192",
            f"0a_1x1:{d} 0b_7x1:{d} 0c_1x7:{d} 0d_7x1:{d} 0e_1x7:192", "avg 0b_1x1:192"]  # fmt: skip


def _forked(name: str) -> list[str]:
    return ["0a_1x1:320", f"0a_1x1:384 0b_1x3:384|{name}:384", "0a_1x1:448 0b_3x3:384 0c_1x3:384|0d_3x1:384",
            "avg 0b_1x1:192"]  # fmt: skip


_BLOCKS: Final[dict[str, list[str]]] = {
    "Mixed_5b": ["0a_1x1:64", "0a_1x1:48 0b_5x5:64", _DOUBLE, "avg 0b_1x1:32"],
    "Mixed_5c": ["0a_1x1:64", "0b_1x1:48 Conv_1_0c_5x5:64", _DOUBLE, "avg 0b_1x1:64"],
    "Mixed_5d": ["0a_1x1:64", "0a_1x1:48 0b_5x5:64", _DOUBLE, "avg 0b_1x1:64"],
    "Mixed_6a": ["1a_1x1=3x3:384/2", "0a_1x1:64 0b_3x3:96 1a_1x1=3x3:96/2", "max"],
    "Mixed_6b": _seven(128), "Mixed_6c": _seven(160), "Mixed_6d": _seven(160), "Mixed_6e": _seven(192),
    "Mixed_7a": ["0a_1x1:192 1a_3x3:320/2", "0a_1x1:192 0b_1x7:192 0c_7x1:192 1a_3x3:192/2", "max"],
    "Mixed_7b": _forked("0b_3x1"), "Mixed_7c": _forked("0c_3x1"),
}  # fmt: skip


def _layer(net: Tensor, text: str, depth: Callable[[int], int]) -> Tensor:
    if "|" in text:
        return ops.concat(3, [_layer(net, each, depth) for each in text.split("|")])
    if text.startswith("max"):
        return max_pool2d(net, [3, 3], stride=2, padding="VALID", scope=f"MaxPool_{text[4:] or '1a'}_3x3")
    if text == "avg":
        return avg_pool2d(net, [3, 3], scope="AvgPool_0a_3x3")
    form, _, channels = text.partition(":")
    name, _, window = form.partition("=")
    sides = [int(side) for side in (window or name.rpartition("_")[2]).split("x")]
    whole = name if name.startswith("Conv") else f"Conv2d_{name}"
    strided: dict[str, Any] = {"stride": 2, "padding": "VALID"} if channels.endswith("/2") else {}
    return conv2d(net, depth(int(channels.removesuffix("/2"))), sides, scope=whole, **strided)


def _depths(min_depth: int, depth_multiplier: float) -> Callable[[int], int]:
    if depth_multiplier <= 0:
        raise ValueRuleError("depth_multiplier is not greater than zero.")
    return lambda channels: max(int(channels * depth_multiplier), min_depth)


def inception_v3_base(
    inputs: Tensor, final_endpoint: str = "Mixed_7c", min_depth: int = 16, depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Tensor, Points]:  # fmt: skip
    """The layers before the logits.

    Args:
        inputs: images, (batch, height, width, channels).
        final_endpoint: the name of the last layer.
        min_depth: the least number of channels.
        depth_multiplier: by what the numbers of channels are multiplied.
        scope: the scope of the variables.

    Returns:
        The last layer's output, and a dict of those of all.

    Raises:
        ValueError: `depth_multiplier` is not positive, or there is no layer `final_endpoint`.
    """
    depth, net, points = _depths(min_depth, depth_multiplier), inputs, {}
    layers: list[Any] = [conv2d, max_pool2d, avg_pool2d]
    with variable_scope(scope, "InceptionV3", [inputs]):
        for text in _STEM:
            name = f"MaxPool_{text[4:]}_3x3" if text.startswith("max") else text.partition(":")[0]
            with arg_scope(layers, stride=1, padding="SAME" if "2b" in name else "VALID"):
                points[name] = net = _layer(net, text, depth)
            if name == final_endpoint:
                return net, points
        for name, branches in _BLOCKS.items():
            with arg_scope(layers, stride=1, padding="SAME"), variable_scope(name):
                ends = []
                for place, branch in enumerate(branches):
                    with variable_scope(f"Branch_{place}"):
                        end = net
                        for text in branch.split():
                            end = _layer(end, text, depth)
                        ends.append(end)
                points[name] = net = ops.concat(3, ends)
            if name == final_endpoint:
                return net, points
    raise ValueRuleError(f"Unknown final endpoint {final_endpoint}; there are {', '.join(points)}")


@public_network("inception_v3", 299)
def inception_v3(
    inputs: Tensor, num_classes: int = 1000, is_training: Any = True, dropout_keep_prob: float = 0.8,
    min_depth: int = 16, depth_multiplier: float = 1.0, prediction_fn: Any = softmax, spatial_squeeze: bool = True,
    reuse: Any = None, create_aux_logits: bool = True, scope: Any = "InceptionV3",
) -> tuple[Tensor, Points]:  # fmt: skip
    """Inception v3.

    Args:
        inputs: images, (batch, 299, 299, channels).
        num_classes: the number of logits.
        is_training: whether dropout drops, and batch normalisation takes the statistics of the batch.
        dropout_keep_prob: the part that dropout keeps.
        min_depth: the least number of channels.
        depth_multiplier: by what the numbers of channels are multiplied.
        prediction_fn: from logits to predictions.
        spatial_squeeze: whether the logits are (batch, num_classes).
        reuse: whether the variables of the scope are shared.
        create_aux_logits: whether there are logits in the middle too, "AuxLogits".
        scope: the scope of the variables.

    Returns:
        The logits, and a dict of what each layer gives, with "Predictions".

    Raises:
        ValueError: `depth_multiplier` is not positive.
    """
    depth = _depths(min_depth, depth_multiplier)
    plain: dict[str, Any] = {"activation_fn": None, "normalizer_fn": None}
    with (
        variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as whole,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, points = inception_v3_base(inputs, scope=whole, min_depth=min_depth, depth_multiplier=depth_multiplier)
        if create_aux_logits and num_classes:
            layers: list[Any] = [conv2d, max_pool2d, avg_pool2d]
            with arg_scope(layers, stride=1, padding="SAME"), variable_scope("AuxLogits"):
                side = avg_pool2d(points["Mixed_6e"], [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
                side = conv2d(side, depth(128), [1, 1], scope="Conv2d_1b_1x1")
                window = _window(side, [5, 5])
                side = conv2d(side, depth(768), window, weights_initializer=truncated_normal_initializer(0.0, 0.01),
                              padding="VALID", scope=f"Conv2d_2a_{window[0]}x{window[1]}")  # fmt: skip
                start = truncated_normal_initializer(0.0, 0.001)
                side = conv2d(side, num_classes, [1, 1], weights_initializer=start, scope="Conv2d_2b_1x1", **plain)
                points["AuxLogits"] = ops.squeeze(side, [1, 2], name="SpatialSqueeze") if spatial_squeeze else side
        with variable_scope("Logits"):
            window = _window(net, [8, 8])
            net = avg_pool2d(net, window, padding="VALID", scope=f"AvgPool_1a_{window[0]}x{window[1]}")
            points["PreLogits"] = net = dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
            logits = conv2d(net, num_classes, [1, 1], scope="Conv2d_1c_1x1", **plain)
            if spatial_squeeze:
                logits = ops.squeeze(logits, [1, 2], name="SpatialSqueeze")
        points["Logits"] = logits
        points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, points


def _window(net: Tensor, sides: list[int]) -> list[int]:
    """The window, or the whole of smaller images."""
    return [side if size is None else min(side, size) for side, size in zip(sides, net.shape.as_list()[1:3],
                                                                          strict=True)]  # fmt: skip


def inception_v3_arg_scope(
    weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars", batch_norm_decay: float = 0.9997,
    batch_norm_epsilon: float = 0.001, updates_collections: Any = GraphKeys.UPDATE_OPS,
    use_fused_batchnorm: bool = True,
) -> Any:  # fmt: skip
    """The arguments of layers that the network was trained with.

    Args:
        weight_decay: the weight of the squares of the weights in the loss.
        batch_norm_var_collection: the collection of the moving averages.
        batch_norm_decay: how slowly they move.
        batch_norm_epsilon: what is added to variances.
        updates_collections: the collection of their updates.
        use_fused_batchnorm: accepted for TensorFlow's sake.
    """
    moving = [batch_norm_var_collection]
    params = {
        "decay": batch_norm_decay, "epsilon": batch_norm_epsilon, "updates_collections": updates_collections,
        "fused": use_fused_batchnorm,
        "variables_collections": {"beta": None, "gamma": None, "moving_mean": moving, "moving_variance": moving},
    }  # fmt: skip
    with (
        arg_scope([conv2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope([conv2d], weights_initializer=scaled(), activation_fn=ops.relu, normalizer_fn=batch_norm,
                  normalizer_params=params) as scope,
    ):  # fmt: skip
        return scope
