"""Layers of `tf.contrib.layers` that normalize: batch_norm and layer_norm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ... import maximum, ones_like, stop_gradient, zeros_like
from ... import pow as pow_op
from ...errors import UnimplementedError, ValueRuleError
from ...graph.building.context_functions import control_dependencies
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Tensor
from ...layers.batch_normalization_layer import BatchNormalization
from ...layers.layer import Layer, chosen
from ...ops.control.control import identity
from ...ops.declare.composite import reported_as_call
from ...ops.nn.normalization import batch_normalization as normalize
from ...ops.reduce.moments import moments
from ...variables.constant_initializers import OnesInitializer, ZerosInitializer
from ...variables.graph_keys import GraphKeys
from ...variables.variable import Variable
from ...variables.variable_scope_object import whole_variables
from ..argument_scope import add_arg_scope
from .layer_utilities import collect_named_outputs
from .slim_layers import _applied

_EPSILON_OF_LAYER_NORM = 1e-12


@add_arg_scope
@reported_as_call("BatchNorm")
def batch_norm(
    inputs: TensorLike,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: Mapping[str, Any] | None = None,
    param_regularizers: Mapping[str, Any] | None = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: float = 0.99,
    adjustment: Any = None,
) -> Tensor:
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, for each channel.

    In training the mean and the variance are those of `inputs`, and the moving averages come nearer to them where a
    step runs the operations of `updates_collections`; otherwise they are the moving averages.

    Args:
        inputs: floats of rank 2 or higher.
        decay: how much of a moving average stays in an update.
        center: whether there is a variable beta that is added.
        scale: whether there is a variable gamma that is the factor.
        epsilon: what is added to the variance.
        activation_fn: a function of the result; None leaves it.
        param_initializers: a dictionary of initializers, by "beta", "gamma", "moving_mean" and "moving_variance".
        param_regularizers: a dictionary of regularizers, by "beta" and "gamma".
        updates_collections: the collection of the updates; None runs them with the result.
        is_training: a bool, or a tensor that says so at each run.
        reuse: whether the variables of `scope` are shared.
        variables_collections: collections for the variables: a list, or a dictionary by their names.
        outputs_collections: a collection for the result, or a list of them.
        trainable: whether optimizers change beta and gamma.
        zero_debias_moving_mean: whether the moving mean counts its updates, so that its start has no weight.
        renorm, renorm_clipping, adjustment: as of `tf.layers.batch_normalization`.
        renorm_decay: how much of the moving averages of renorm stays in an update.
        batch_weights: not supported.
        fused: taken for programs that give it.
        data_format: "NHWC" or "NCHW".
        scope: the name of the variable scope; by default "BatchNorm", made unique.

    Returns:
        A tensor of the shape and dtype of `inputs`.

    Raises:
        UnimplementedError: an argument that is not supported is given.
        ValueError: the number of channels is not known, `renorm_clipping` has another key, or the variables exist
            without `reuse`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y = tf.contrib.layers.batch_norm(tf.constant([[1.0], [3.0]]), epsilon=0.0)
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(y).tolist(), [v.name for v in tf.global_variables()][0])
    [[-1.0], [1.0]] BatchNorm/beta:0

    Source: TensorFlow 1.x, `tf.contrib.layers.batch_norm`.
    """
    if batch_weights is not None:
        raise UnimplementedError(message="batch_norm(batch_weights=...) is not supported; leave it out")
    starts, costs = dict(param_initializers or {}), dict(param_regularizers or {})
    layer = (_WithoutStart if zero_debias_moving_mean else BatchNormalization)(
        1 if data_format.startswith("NC") else -1, decay, epsilon, center, scale,
        starts.get("beta"), starts.get("gamma"), starts.get("moving_mean"), starts.get("moving_variance"),
        costs.get("beta"), costs.get("gamma"), renorm=renorm, renorm_clipping=renorm_clipping,
        renorm_momentum=renorm_decay, trainable=trainable, adjustment=adjustment,
    )  # fmt: skip
    outputs = _applied(layer, "BatchNorm", inputs, scope, reuse, variables_collections, None, is_training, {})
    if updates_collections != GraphKeys.UPDATE_OPS:
        _move_updates(layer, updates_collections)
        if updates_collections is None and layer.updates:
            with control_dependencies(layer.updates):
                outputs = identity(outputs)
    return _finished(outputs, activation_fn, outputs_collections, layer)


class _WithoutStart(BatchNormalization):
    """The moving mean is that of the updates alone: update t moves it by (1 - decay) / (1 - decay**t) of the way."""

    def _build(self, x: Tensor) -> None:
        super()._build(x)
        with whole_variables():
            self._steps = self._weight("moving_mean/local_step", [], ZerosInitializer(), None, None, trainable=False)

    def _move(self, average: Variable, value: Tensor, training: Any) -> None:
        if average is not self.moving_mean:
            return super()._move(average, value, training)
        before = average.as_operand()
        count = self._steps.as_operand()
        steps = count + chosen(training, ones_like(count), zeros_like(count))
        share = (1.0 - self.momentum) / maximum(1.0 - pow_op(self.momentum, steps), 1.0 - self.momentum)
        delta = (before - stop_gradient(value)) * share
        self._add_update(average.assign_sub(chosen(training, delta, zeros_like(delta)), read_value=False))
        return self._add_update(self._steps.assign(steps, read_value=False))


def _move_updates(layer: Layer, collections: Any) -> None:
    graph = get_default_graph()
    listed = graph.get_collection_ref(GraphKeys.UPDATE_OPS)
    listed[:] = [each for each in listed if not any(each is update for update in layer.updates)]
    for key in [collections] if isinstance(collections, str) else collections or ():
        for update in layer.updates:
            graph.add_to_collection(key, update)


def _finished(outputs: Tensor, activation: Callable[..., Any] | None, collections: Any, layer: Layer) -> Tensor:
    if activation is not None:
        outputs = activation(outputs)
    return collect_named_outputs(collections, layer.scope_name, outputs)


class _LayerNorm(Layer):
    """beta and gamma of the sizes behind `begin_params_axis`; mean and variance of each example."""

    base_name = "LayerNorm"
    least_rank = 2

    def __init__(self, center: bool, scale: bool, norm_axis: int, parameter_axis: int, trainable: bool) -> None:
        super().__init__(trainable)
        self._center, self._scale = center, scale
        self._norm_axis, self._parameter_axis = norm_axis, parameter_axis
        self.beta: Any = None
        self.gamma: Any = None

    def _build(self, x: Tensor) -> None:
        rank = x.shape.ndims
        axes = self._norm_axis, self._parameter_axis
        if rank is None or not all(-rank <= axis < rank for axis in axes):
            raise ValueRuleError(f"layer_norm: begin_norm_axis={axes[0]} and begin_params_axis={axes[1]} must be "
                                 f"dimensions of inputs, which have shape {x.shape}")  # fmt: skip
        parts = x.shape[self._parameter_axis :].as_list()
        sizes = [size for size in parts if size is not None]
        if len(sizes) < len(parts):
            raise ValueRuleError(f"layer_norm: the sizes behind begin_params_axis={axes[1]} must be known; inputs have "
                                 f"shape {x.shape}")  # fmt: skip
        if self._center:
            self.beta = self._weight("beta", sizes, ZerosInitializer(), None, None)
        if self._scale:
            self.gamma = self._weight("gamma", sizes, OnesInitializer(), None, None)

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        rank = x.shape.ndims or 0
        mean, variance = moments(x, list(range(self._norm_axis % rank, rank)), keep_dims=True)
        return normalize(x, mean, variance, self.beta, self.gamma, _EPSILON_OF_LAYER_NORM)


@add_arg_scope
@reported_as_call("LayerNorm")
@documented_like(batch_norm)
def layer_norm(
    inputs: TensorLike,
    center: bool = True,
    scale: bool = True,
    activation_fn: Callable[..., Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Tensor:
    """gamma * (x - mean) / sqrt(variance) + beta, with the mean and the variance of each example.

    Args:
        begin_norm_axis: the first dimension that belongs to an example.
        begin_params_axis: the first dimension for which beta and gamma have a number for each index.
        scope: the name of the variable scope; by default "LayerNorm", made unique.

    Raises:
        ValueError: an axis is none of `inputs`, or its size is not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y = tf.contrib.layers.layer_norm(tf.constant([[1.0, 3.0], [5.0, 9.0]]))
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(y).tolist(), [v.name for v in tf.trainable_variables()])
    [[-1.0, 1.0], [-1.0, 1.0]] ['LayerNorm/beta:0', 'LayerNorm/gamma:0']
    """
    layer = _LayerNorm(center, scale, begin_norm_axis, begin_params_axis, trainable)
    outputs = _applied(layer, "LayerNorm", inputs, scope, reuse, variables_collections, None, False, {})
    return _finished(outputs, activation_fn, outputs_collections, layer)
