"""Import rules of nodes that are several ops here: batch normalization and its gradient, the inverse of a permutation.

Their parts are calls of our functions, in a scope with the name of the node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ....derivatives import rule_namespace as ops
from ....errors import GraphFormatError
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import float32
from ..foreign_node import ForeignNode
from ..import_scope import Made

_FORMATS = {b"NHWC": 4, b"NDHWC": 5, b"NCHW": 4, b"NCDHW": 5}


def composite(s: ForeignNode, outputs: Callable[[], Sequence[Tensor]]) -> Made:
    """What our functions add, and a node with the name of TensorFlow's that has the results."""
    around = s.scope.graph
    with around.as_default(), around.name_scope(f"{s.scope.free_name(f'{s.true_name}/parts')}/"):
        made = tuple(outputs())
    op = s.add("IdentityN", made) if len(made) > 1 else s.add("Identity", made[0])
    return Made(op, tuple(op.outputs))


class _Channels:
    """The layout of a batch of images: where the channels are."""

    def __init__(self, s: ForeignNode, x: Tensor) -> None:
        form = s.attr("data_format", "s", b"NHWC")
        if form not in _FORMATS:
            raise GraphFormatError(f"its data_format is {form!r}")
        self.rank = _FORMATS[form]
        if x.shape.ndims not in (None, self.rank):
            raise GraphFormatError(f"its input has {x.shape.ndims} dimensions, and the data_format {form.decode()}")
        self.is_last = form.endswith(b"C")
        place = self.rank - 1 if self.is_last else 1
        self.others = [dim for dim in range(self.rank) if dim != place]

    def wide(self, vector: Tensor) -> Tensor:
        """A vector of channels as it is broadcast over the images."""
        return vector if self.is_last else ops.reshape(vector, [1, -1, *[1] * (self.rank - 2)])

    def mean(self, x: Tensor) -> Tensor:
        return ops.reduce_mean(x, self.others)

    def sum(self, x: Tensor) -> Tensor:
        return ops.reduce_sum(x, self.others)


def _batch_norm(s: ForeignNode) -> Made:
    """The outputs behind the third are for the gradient: the mean, and the variance of all elements."""
    x, scale, offset, mean, variance = s.take(5)
    training, epsilon = s.attr("is_training", "b", True), s.attr("epsilon", "f", 1e-4)
    factor = s.attr("exponential_avg_factor", "f", 1.0)
    channels = _Channels(s, x)

    def outputs() -> list[Tensor]:
        wide = ops.cast(x, float32) if x.dtype.size == 2 else x
        if training:
            center = channels.mean(wide)
            distance = ops.subtract(wide, channels.wide(center))
            spread = channels.mean(ops.square(distance))
        else:
            center, spread, distance = mean, variance, ops.subtract(wide, channels.wide(mean))
        slope = ops.multiply(ops.rsqrt(ops.add(spread, epsilon)), scale)
        y = ops.add(ops.multiply(distance, channels.wide(slope)), channels.wide(offset))
        given = [center, _of_a_sample(x, spread, channels) if training else spread]
        if training and factor != 1.0:
            given = [ops.add(ops.multiply(old, 1.0 - factor), ops.multiply(new, factor))
                     for old, new in zip((mean, variance), given, strict=True)]  # fmt: skip
        rest = [ops.constant(np.zeros(0, np.float32))] if s.node.op.endswith("V3") else []
        return [ops.cast(y, x.dtype) if wide is not x else y, *given, center, spread, *rest]

    return composite(s, outputs)


def _of_a_sample(x: Tensor, spread: Tensor, channels: _Channels) -> Tensor:
    """The variance of a sample: n / (n - 1) of the mean square."""
    count = ops.cast(ops.reduce_prod(ops.gather(ops.shape(x), channels.others)), spread.dtype)
    return ops.multiply(spread, ops.divide(count, ops.maximum(ops.subtract(count, 1.0), 1.0)))


def _batch_norm_gradient(s: ForeignNode) -> Made:
    gradient, x, scale, center, spread = s.take(6 if s.node.op.endswith("V3") else 5)[:5]
    training, epsilon = s.attr("is_training", "b", True), s.attr("epsilon", "f", 1e-4)
    channels = _Channels(s, x)

    def outputs() -> list[Tensor]:
        narrow = x.dtype.size == 2
        g, wide = (ops.cast(each, float32) if narrow else each for each in (gradient, x))
        distance = ops.subtract(wide, channels.wide(center))
        inverse = ops.rsqrt(ops.add(spread, epsilon))
        of_scale, of_offset = channels.sum(ops.multiply(g, distance)), channels.sum(g)
        if training:
            mean_of_product = channels.mean(ops.multiply(g, distance))
            corrected = ops.multiply(distance, channels.wide(ops.multiply(ops.square(inverse), mean_of_product)))
            g = ops.subtract(ops.subtract(g, channels.wide(channels.mean(g))), corrected)
        of_x = ops.multiply(g, channels.wide(ops.multiply(scale, inverse)))
        empty = [ops.constant(np.zeros(0, np.float32))] * 2
        return [ops.cast(of_x, x.dtype) if narrow else of_x, ops.multiply(of_scale, inverse), of_offset, *empty]

    return composite(s, outputs)


COMPOSITES: dict[str, Callable[[ForeignNode], Operation | Made]] = {
    **dict.fromkeys(["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"], _batch_norm),
    **dict.fromkeys(["FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"], _batch_norm_gradient),
}
"""TensorFlow's node -> the rule that reads it."""
