"""`group_norm` and `spatial_softmax` of `tf.contrib.layers`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ... import cast as cast_op
from ... import concat, convert_to_tensor, expand_dims, nn, range, reduce_sum, reshape, tile, transpose
from ... import maximum as maximum_op
from ... import shape as shape_op
from ...errors import ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...layers.layer import Layer
from ...ops.declare.composite import reported_as_call
from ...ops.nn.normalization import batch_normalization as normalize
from ...ops.reduce.moments import moments
from ...variables.constant_initializers import OnesInitializer, ZerosInitializer
from ...variables.get_variable import get_variable
from ...variables.variable_scope_block import variable_scope
from ..argument_scope import add_arg_scope
from .further_layers import instance_norm
from .normalizing_layers import _finished
from .slim_layers import _applied


class _GroupNorm(Layer):
    base_name = "GroupNorm"

    def __init__(self, groups: int, axis: int, others: Sequence[int], center: Any, scale: Any, epsilon: float,
                 trainable: bool) -> None:  # fmt: skip
        super().__init__(trainable)
        self._groups, self._axis, self._others = groups, axis, others
        self._center, self._scale, self._epsilon = center, scale, epsilon
        self.beta: Any = None
        self.gamma: Any = None

    def _build(self, x: Tensor) -> None:
        rank = x.shape.ndims
        size = None if rank is None else x.shape[self._axis].value
        if size is None:
            raise ValueRuleError(f"GroupNorm: the number of channels must be known; inputs have shape {x.shape}")
        if self._groups > size or size % self._groups:
            raise ValueRuleError(f"Invalid groups {self._groups} for {size} channels: the groups must divide them")
        if self._axis % (rank or 1) in [each % (rank or 1) for each in self._others]:
            raise ValueRuleError(f"reduction_axes {tuple(self._others)} must not have channels_axis {self._axis}")
        if self._center is not None:
            self.beta = self._weight("beta", [size], self._center, None, None)
        if self._scale is not None:
            self.gamma = self._weight("gamma", [size], self._scale, None, None)

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        rank, groups = x.shape.ndims or 0, self._groups
        axis, known, now = self._axis % rank, x.shape.as_list(), shape_op(x)
        sizes = [now[at] if each is None else each for at, each in enumerate(known)]
        each_group = (known[axis] or 0) // groups
        parts = reshape(x, [*sizes[:axis], groups, each_group, *sizes[axis + 1 :]])
        others = [at if at < axis else at + 1 for at in (each % rank for each in self._others)]
        mean, variance = moments(parts, [*others, axis + 1], keep_dims=True)
        wide = [1] * axis + [groups, each_group] + [1] * (rank - axis - 1)
        beta, gamma = (None if v is None else reshape(v, wide) for v in (self.beta, self.gamma))
        result = reshape(normalize(parts, mean, variance, beta, gamma, self._epsilon), sizes)
        result.set_shape(x.shape)
        return result


@add_arg_scope
@reported_as_call("GroupNorm")
@documented_like(instance_norm)
def group_norm(
    inputs: TensorLike,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: Mapping[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    mean_close_to_zero: bool = False,
) -> Tensor:
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, with mean and variance of each group of channels.

    Args:
        groups: the number of groups, which divides that of the channels.
        channels_axis: the dimension of the channels.
        reduction_axes: the dimensions over which means are taken, beside the channels of a group.
        scope: the name of the variable scope; by default "GroupNorm", made unique.
        mean_close_to_zero: accepted for TensorFlow's sake.

    Raises:
        ValueError: the number of channels is not known, or the groups do not divide it.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y = tf.contrib.layers.group_norm(tf.constant([[[[1.0, 3.0, 0.0, 4.0]]]]), groups=2)
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(y).round(3).tolist(), [v.name for v in tf.trainable_variables()])
    [[[[-1.0, 1.0, -1.0, 1.0]]]] ['GroupNorm/beta:0', 'GroupNorm/gamma:0']
    """
    starts = dict(param_initializers or {})
    layer = _GroupNorm(
        groups, channels_axis, list(reduction_axes), starts.get("beta") or ZerosInitializer() if center else None,
        starts.get("gamma") or OnesInitializer() if scale else None, epsilon, trainable,
    )  # fmt: skip
    outputs = _applied(layer, "GroupNorm", inputs, scope, reuse, variables_collections, None, False, {})
    return _finished(outputs, activation_fn, outputs_collections, layer)


@reported_as_call("spatial_softmax")
def spatial_softmax(
    features: TensorLike, temperature: Any = None, name: str | None = None, variables_collections: Any = None,
    trainable: bool = True, data_format: str = "NHWC",
) -> Tensor:  # fmt: skip
    """Where each channel of an image is large: the mean place, weighted by a softmax over all places.

    Args:
        features: floats of shape [batch, height, width, channels].
        temperature: by what the features are divided; None makes a variable "temperature" that starts with 1.
        name: the name of the variable scope; by default "spatial_softmax", made unique.
        variables_collections: collections for the variable.
        trainable: whether optimizers change it.
        data_format: "NHWC" or "NCHW".

    Returns:
        A tensor of shape [batch, 2 * channels]: of each channel the place along height and along width, from -1 to 1.

    Raises:
        ValueError: the number of channels is not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.constant([[[[0.0], [50.0]], [[0.0], [0.0]]]])
    ...     print(session.run(tf.contrib.layers.spatial_softmax(image, temperature=1.0)))
    [[-1.  1.]]

    Source: TensorFlow 1.x, `tf.contrib.layers.spatial_softmax`; Levine et al., arXiv:1504.00702.
    """
    with variable_scope(name, "spatial_softmax"):
        x = convert_to_tensor(features)
        x = transpose(x, [0, 2, 3, 1]) if data_format.startswith("NC") else x
        channels = x.shape[3].value
        if channels is None:
            raise ValueRuleError(f"spatial_softmax: the number of channels must be known; features are {x.shape}")
        if temperature is None:
            temperature = get_variable("temperature", [], x.dtype, OnesInitializer(), trainable=trainable,
                                       collections=variables_collections).as_operand()  # fmt: skip
        height, width = shape_op(x)[1], shape_op(x)[2]
        places = reshape(transpose(x, [0, 3, 1, 2]), [-1, height * width])
        weights = nn.softmax(places / temperature)
        xs = tile(expand_dims(_from_minus_1(width, x), 0), [height, 1])
        ys = tile(expand_dims(_from_minus_1(height, x), 1), [1, width])
        means = [reduce_sum(reshape(each, [1, -1]) * weights, 1, True) for each in (ys, xs)]
        return reshape(concat(1, means), [-1, 2 * channels])


def _from_minus_1(count: Tensor, x: Tensor) -> Tensor:
    """`count` numbers from -1 to 1."""
    return cast_op(range(count), x.dtype) * 2.0 / maximum_op(cast_op(count - 1, x.dtype), 1.0) - 1.0
