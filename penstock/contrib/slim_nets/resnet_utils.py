"""`tf.contrib.slim.nets.resnet_utils`: blocks of residual units, and the arguments of their layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...derivatives import rule_namespace as ops
from ...errors import ValueRuleError
from ...graph.model.nodes import Tensor
from ...variables.graph_keys import GraphKeys
from ...variables.variable_scope_block import variable_scope
from ..framework import add_arg_scope, arg_scope
from ..layer_functions.layer_utilities import collect_named_outputs, convert_collection_to_dict
from ..layers import batch_norm, conv2d, l2_regularizer, max_pool2d, softmax
from ..layers import variance_scaling_initializer as scaled
from .end_points import Network, Points, collected, public_network


class ResidualBlock(NamedTuple):
    """A block of a ResNet.

    Attributes:
        scope: its name.
        unit_fn: the function of a unit.
        args: for each unit a dict of its arguments: depth, depth_bottleneck, stride.
    """

    scope: str
    unit_fn: Callable[..., Tensor]
    args: list[dict[str, int]]


Block = ResidualBlock
"""The name that programs know."""


def subsample(inputs: Tensor, factor: int, scope: Any = None) -> Tensor:
    """Every `factor`-th pixel of images.

    Args:
        inputs: (batch, height, width, channels).
        factor: the step.
        scope: the name of the operation.
    """
    return inputs if factor == 1 else max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(
    inputs: Tensor, num_outputs: int, kernel_size: int, stride: int, rate: int = 1, scope: Any = None
) -> Tensor:
    """A convolution that pads by its window alone, and not by the size of the images, as SAME does with strides.

    Args:
        inputs: (batch, height, width, channels).
        num_outputs: the number of channels of the result.
        kernel_size: the side of the window.
        stride: the step of the window.
        rate: the step within the window.
        scope: the scope of the variables.
    """
    if stride == 1:
        return conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope)
    total = kernel_size + (kernel_size - 1) * (rate - 1) - 1
    ends = [total // 2, total - total // 2]
    padded = ops.pad(inputs, [[0, 0], ends, ends, [0, 0]])
    return conv2d(padded, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope)


@add_arg_scope
def stack_blocks_dense(
    net: Tensor, blocks: list[Block], output_stride: float | None = None, outputs_collections: Any = None
) -> Tensor:
    """One block after the other.

    Args:
        net: (batch, height, width, channels).
        blocks: the blocks.
        output_stride: the step that all strides together reach; beyond it, windows widen instead. None: no limit.
        outputs_collections: where the outputs of blocks are noted.

    Raises:
        ValueError: no product of strides is `output_stride`.
    """
    stride, rate = 1, 1
    for block in blocks:
        with variable_scope(block.scope, "block", [net]) as scope:
            for place, unit in enumerate(block.args, 1):
                if output_stride is not None and stride > output_stride:
                    raise ValueRuleError("The target output_stride cannot be reached.")
                with variable_scope(f"unit_{place}", values=[net]):
                    own = unit.get("stride", 1)
                    if stride == output_stride:
                        net, rate = block.unit_fn(net, rate=rate, **{**unit, "stride": 1}), rate * own
                    else:
                        net, stride = block.unit_fn(net, rate=1, **unit), stride * own
            net = collect_named_outputs(outputs_collections, scope.name, net)
    if output_stride is not None and stride != output_stride:
        raise ValueRuleError("The target output_stride cannot be reached.")
    return net


def resnet_arg_scope(
    weight_decay: float = 0.0001, batch_norm_decay: float = 0.997, batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> Any:  # fmt: skip
    """The arguments of layers that the networks were trained with.

    Args:
        weight_decay: the weight of the squares of the weights in the loss.
        batch_norm_decay: how slowly the moving averages move.
        batch_norm_epsilon: what is added to variances.
        batch_norm_scale: whether there is a gamma.
    """
    params = {
        "decay": batch_norm_decay, "epsilon": batch_norm_epsilon, "scale": batch_norm_scale,
        "updates_collections": GraphKeys.UPDATE_OPS,
    }  # fmt: skip
    with (
        arg_scope([conv2d], weights_regularizer=l2_regularizer(weight_decay), weights_initializer=scaled(),
                  activation_fn=ops.relu, normalizer_fn=batch_norm, normalizer_params=params),
        arg_scope([batch_norm], **params),
        arg_scope([max_pool2d], padding="SAME") as scope,
    ):  # fmt: skip
        return scope


def residual_network(name: str, unit: Any, is_preactivated: bool) -> Network:
    """The ResNets of one version: units of the second begin with batch_norm and relu, and one follows the last."""

    @public_network(name)
    def network(
        inputs: Tensor, blocks: list[Block], num_classes: int | None = None, is_training: Any = True,
        global_pool: bool = True, output_stride: int | None = None, include_root_block: bool = True, reuse: Any = None,
        scope: Any = None,
    ) -> tuple[Tensor, Points]:  # fmt: skip
        """A ResNet of blocks.

        Args:
            inputs: images, (batch, height, width, channels).
            blocks: its blocks; `resnet_v1_block` or `resnet_v2_block` makes one.
            num_classes: the number of logits; None for what stands before them.
            is_training: whether batch normalisation takes the statistics of the batch.
            global_pool: whether the last images are averaged to 1 by 1.
            output_stride: the step that all strides together reach; None for no limit.
            include_root_block: whether a convolution and a pooling come first.
            reuse: whether the variables of the scope are shared.
            scope: the scope of the variables.

        Returns:
            The logits, (batch, 1, 1, num_classes), and a dict of what each block gives, with "predictions".

        Raises:
            ValueError: `output_stride` cannot be reached.
        """
        with (
            collected(scope, name, inputs, [conv2d, unit, stack_blocks_dense], reuse) as (_, collection),
            arg_scope([batch_norm], is_training=is_training),
        ):
            net, wanted = inputs, output_stride
            if include_root_block:
                if output_stride is not None and output_stride % 4:
                    raise ValueRuleError("The output_stride needs to be a multiple of 4.")
                wanted = None if output_stride is None else output_stride // 4
                plain = {"activation_fn": None, "normalizer_fn": None} if is_preactivated else {}
                with arg_scope([conv2d], **plain):
                    net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
                net = max_pool2d(net, [3, 3], stride=2, scope="pool1")
            net = stack_blocks_dense(net, blocks, wanted)
            if is_preactivated:
                net = batch_norm(net, activation_fn=ops.relu, scope="postnorm")
            if global_pool:
                net = ops.reduce_mean(net, [1, 2], name="pool5", keepdims=True)
            if num_classes is not None:
                net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="logits")
            points = convert_collection_to_dict(collection)
            if num_classes is not None:
                points["predictions"] = softmax(net, scope="predictions")
            return net, points

    return network


def block_of(unit: Callable[..., Tensor], scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """A block of units that widen four times; the last one has the stride."""
    each = {"depth": base_depth * 4, "depth_bottleneck": base_depth, "stride": 1}
    return Block(scope, unit, [each] * (num_units - 1) + [{**each, "stride": stride}])


def sized_network(name: str, units: tuple[int, ...], network: Any, block: Any) -> Network:
    """A ResNet with that many units in its four blocks."""

    @public_network(name, 224)
    def sized(
        inputs: Tensor, num_classes: int | None = None, is_training: Any = True, global_pool: bool = True,
        output_stride: int | None = None, reuse: Any = None, scope: Any = name,
    ) -> Any:  # fmt: skip
        sizes = zip(units, (64, 128, 256, 512), (2, 2, 2, 1), strict=True)
        blocks = [block(f"block{place}", depth, count, stride) for place, (count, depth, stride) in enumerate(sizes, 1)]
        return network(inputs, blocks, num_classes, is_training, global_pool, output_stride, True, reuse, scope)

    sized.__doc__ = f"{name}: images (batch, 224, 224, 3) -> the logits, and what each block gives; see `resnet_v1`."
    return sized
