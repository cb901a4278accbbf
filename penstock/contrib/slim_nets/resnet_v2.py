"""`tf.contrib.slim.nets.resnet_v2`: residual networks with batch normalisation before the convolutions."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...graph.model.nodes import Tensor
from ...ops.nn.activations import relu
from ...variables.variable_scope_block import variable_scope
from ..framework import add_arg_scope
from ..layer_functions.layer_utilities import collect_named_outputs
from ..layers import batch_norm, conv2d
from .resnet_utils import block_of, conv2d_same, residual_network, sized_network, subsample
from .resnet_utils import resnet_arg_scope as resnet_arg_scope


@add_arg_scope
def bottleneck(
    inputs: Tensor, depth: int, depth_bottleneck: int, stride: int, rate: int = 1, outputs_collections: Any = None,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """A residual unit of three convolutions.

    Args:
        inputs: (batch, height, width, channels).
        depth: the channels of the result.
        depth_bottleneck: the channels within.
        stride: the step of the second convolution.
        rate: the step within its window.
        outputs_collections: where the result is noted.
        scope: the scope of the variables.
    """
    with variable_scope(scope, "bottleneck_v2", [inputs]) as own:
        preact = batch_norm(inputs, activation_fn=relu, scope="preact")
        if depth == inputs.shape[-1]:
            shortcut = subsample(inputs, stride, "shortcut")
        else:
            shortcut = conv2d(preact, depth, [1, 1], stride=stride, normalizer_fn=None, activation_fn=None,
                              scope="shortcut")  # fmt: skip
        residual = conv2d(preact, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        residual = conv2d(residual, depth, [1, 1], stride=1, normalizer_fn=None, activation_fn=None, scope="conv3")
        return collect_named_outputs(outputs_collections, own.name, shortcut + residual)


resnet_v2 = residual_network("resnet_v2", bottleneck, is_preactivated=True)
resnet_v2_block = partial(block_of, bottleneck)
resnet_v2_50 = sized_network("resnet_v2_50", (3, 4, 6, 3), resnet_v2, resnet_v2_block)
resnet_v2_101 = sized_network("resnet_v2_101", (3, 4, 23, 3), resnet_v2, resnet_v2_block)
resnet_v2_152 = sized_network("resnet_v2_152", (3, 8, 36, 3), resnet_v2, resnet_v2_block)
resnet_v2_200 = sized_network("resnet_v2_200", (3, 24, 36, 3), resnet_v2, resnet_v2_block)
