"""Layers of `tf.contrib.layers` for images and generators: instance_norm, unit_norm, maxout, bias_add, softmax."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ... import add, name_scope, nn, reduce_max, reduce_sum, reshape, square
from ... import shape as shape_op
from ... import sqrt as sqrt_op
from ...errors import ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...layers.layer import Layer
from ...ops.create.constant_and_placeholder import convert_to_tensor
from ...ops.declare.composite import reported_as_call
from ...ops.nn.normalization import batch_normalization as normalize
from ...ops.reduce.moments import moments
from ...variables.constant_initializers import OnesInitializer, ZerosInitializer
from ..argument_scope import add_arg_scope
from .normalizing_layers import _finished
from .slim_layers import _applied, fully_connected


class _OfChannels(Layer):
    """A layer with numbers for each channel."""

    def __init__(self, trainable: bool, channels_first: bool) -> None:
        super().__init__(trainable)
        self._channels_first = channels_first

    def _channels(self, x: Tensor) -> tuple[int, int]:
        """The axis of the channels, and their number."""
        rank = x.shape.ndims
        if rank is None or rank < 2:
            raise ValueRuleError(f"{self.name}: inputs have shape {x.shape}; their rank must be known, and 2 or higher")
        axis = 1 if self._channels_first else rank - 1
        size = x.shape[axis].value
        if size is None:
            raise ValueRuleError(f"{self.name}: the number of channels must be known; inputs have shape {x.shape}")
        return axis, size

    def _by_channel(self, vector: Any, x: Tensor) -> Any:
        if vector is None or not self._channels_first:
            return vector
        axis, size = self._channels(x)
        return reshape(vector, [size if each == axis else 1 for each in range(x.shape.ndims or 0)])


class _InstanceNorm(_OfChannels):
    base_name = "InstanceNorm"

    def __init__(self, center: Any, scale: Any, epsilon: float, trainable: bool, channels_first: bool) -> None:
        super().__init__(trainable, channels_first)
        self._center, self._scale, self._epsilon = center, scale, epsilon
        self.beta: Any = None
        self.gamma: Any = None

    def _build(self, x: Tensor) -> None:
        size = self._channels(x)[1]
        if self._center is not None:
            self.beta = self._weight("beta", [size], self._center, None, None)
        if self._scale is not None:
            self.gamma = self._weight("gamma", [size], self._scale, None, None)

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        axis = self._channels(x)[0]
        others = [each for each in range(1, x.shape.ndims or 0) if each != axis]
        mean, variance = moments(x, others, keep_dims=True)
        beta, gamma = self._by_channel(self.beta, x), self._by_channel(self.gamma, x)
        return normalize(x, mean, variance, beta, gamma, self._epsilon)


class _BiasAdd(_OfChannels):
    base_name = "BiasAdd"

    def __init__(self, start: Any, regularizer: Any, trainable: bool, channels_first: bool) -> None:
        super().__init__(trainable, channels_first)
        self._start, self._regularizer = start, regularizer
        self.bias: Any = None

    def _build(self, x: Tensor) -> None:
        self.bias = self._weight("bias", [self._channels(x)[1]], self._start, self._regularizer, None)

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        return add(x, self._by_channel(self.bias, x))


@add_arg_scope
@reported_as_call("InstanceNorm")
def instance_norm(
    inputs: TensorLike,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable[..., Any] | None = None,
    param_initializers: Mapping[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Tensor:
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, with the mean and variance of each channel of each example.

    Args:
        inputs: floats of rank 2 or higher.
        center: whether there is a variable beta that is added.
        scale: whether there is a variable gamma that is the factor.
        epsilon: what is added to the variance.
        activation_fn: a function of the result; None leaves it.
        param_initializers: a dictionary of initializers, by "beta" and "gamma".
        reuse: whether the variables of `scope` are shared.
        variables_collections: collections for the variables: a list, or a dictionary by their names.
        outputs_collections: a collection for the result, or a list of them.
        trainable: whether optimizers change beta and gamma.
        data_format: "NHWC" or "NCHW".
        scope: the name of the variable scope; by default "InstanceNorm", made unique.

    Returns:
        A tensor of the shape and dtype of `inputs`.

    Raises:
        ValueError: the number of channels is not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y = tf.contrib.layers.instance_norm(tf.constant([[[1.0], [3.0]]]))
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(y).round(3).tolist(), [v.name for v in tf.trainable_variables()])
    [[[-1.0], [1.0]]] ['InstanceNorm/beta:0', 'InstanceNorm/gamma:0']

    Source: TensorFlow 1.x, `tf.contrib.layers.instance_norm`.
    """
    starts = dict(param_initializers or {})
    layer = _InstanceNorm(
        starts.get("beta") or ZerosInitializer() if center else None,
        starts.get("gamma") or OnesInitializer() if scale else None,
        epsilon, trainable, data_format.startswith("NC"),
    )  # fmt: skip
    outputs = _applied(layer, "InstanceNorm", inputs, scope, reuse, variables_collections, None, False, {})
    return _finished(outputs, activation_fn, outputs_collections, layer)


@add_arg_scope
@reported_as_call("BiasAdd")
def bias_add(
    inputs: TensorLike,
    activation_fn: Callable[..., Any] | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str | None = None,
    scope: Any = None,
) -> Tensor:
    """inputs + biases, with a number for each channel.

    Args:
        inputs: floats of rank 2 or higher.
        activation_fn: a function of the result; None leaves it.
        initializer: how the biases start; zeros by default.
        regularizer: a function of the biases whose result is a regularization loss.
        reuse: whether the variables of `scope` are shared.
        variables_collections: collections for the variables: a list, or a dictionary by their names.
        outputs_collections: a collection for the result, or a list of them.
        trainable: whether optimizers change the biases.
        data_format: "NHWC" or "NCHW".
        scope: the name of the variable scope; by default "BiasAdd", made unique.

    Returns:
        A tensor of the shape and dtype of `inputs`.

    Raises:
        ValueError: the number of channels is not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y = tf.contrib.layers.bias_add(tf.zeros([1, 2]), initializer=tf.constant_initializer(0.5))
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(y), [v.name for v in tf.trainable_variables()])
    [[0.5 0.5]] ['BiasAdd/biases:0']

    Source: TensorFlow 1.x, `tf.contrib.layers.bias_add`.
    """
    layer = _BiasAdd(initializer or ZerosInitializer(), regularizer, trainable, (data_format or "").startswith("NC"))
    outputs = _applied(layer, "BiasAdd", inputs, scope, reuse, variables_collections, None)
    return _finished(outputs, activation_fn, outputs_collections, layer)


@add_arg_scope
@reported_as_call("UnitNorm")
def unit_norm(inputs: TensorLike, dim: int, epsilon: float = 1e-7, scope: str | None = None) -> Tensor:
    """inputs / (their length along `dim` + epsilon).

    Args:
        inputs: floats.
        dim: the dimension along which the squares are summed.
        epsilon: what is added to a length.
        scope: the name of the scope; by default "UnitNorm", made unique.

    Returns:
        A tensor of the shape and dtype of `inputs`.

    Raises:
        ValueError: `dim` is no dimension of `inputs`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.layers.unit_norm([[3.0, 4.0]], 1)).round(3))
    [[0.6 0.8]]

    Source: TensorFlow 1.x, `tf.contrib.layers.unit_norm`.
    """
    with name_scope(scope, "UnitNorm"):
        x = convert_to_tensor(inputs)
        return x / sqrt_op(epsilon + reduce_sum(square(x), dim, True))


@add_arg_scope
@reported_as_call("MaxOut")
def maxout(inputs: TensorLike, num_units: int, axis: int = -1, scope: str | None = None) -> Tensor:
    """The largest number of each group of channels.

    Args:
        inputs: numbers; the size along `axis` must be known.
        num_units: the number of groups, which divides that size.
        axis: the dimension of the channels.
        scope: the name of the scope; by default "MaxOut", made unique.

    Returns:
        A tensor of the dtype of `inputs` with `num_units` channels.

    Raises:
        ValueError: the channels cannot be cut into so many groups.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.layers.maxout([[1.0, 4.0, 3.0, 2.0]], 2)))
    [[4. 3.]]

    Source: TensorFlow 1.x, `tf.contrib.layers.maxout`.
    """
    with name_scope(scope, "MaxOut"):
        x = convert_to_tensor(inputs)
        size = x.shape[axis].value if x.shape.ndims is not None else None
        if size is None or size % num_units:
            raise ValueRuleError(f"number of features({size}) is not a multiple of num_units({num_units})")
        place = axis % (x.shape.ndims or 1)
        known = x.shape.as_list()
        sizes = [shape_op(x)[each] if size is None else size for each, size in enumerate(known)]
        # Channel g * (size / units) + i belongs to group g: TensorFlow puts the groups first.
        parts = reshape(x, [*sizes[:place], num_units, size // num_units, *sizes[place + 1 :]])
        return reduce_max(parts, place + 1)


@add_arg_scope
@reported_as_call("softmax")
def softmax(logits: TensorLike, scope: str | None = None) -> Tensor:
    """softmax(logits) along the last dimension.

    Args:
        logits: floats of rank 1 or higher.
        scope: the name of the scope; by default "softmax", made unique.

    Returns:
        A tensor of the shape and dtype of `logits`.

    Raises:
        ValueError: `logits` is a scalar.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.layers.softmax([[1.0, 1.0]])))
    [[0.5 0.5]]

    Source: TensorFlow 1.x, `tf.contrib.layers.softmax`.
    """
    with name_scope(scope, "softmax"):
        return nn.softmax(logits)


def linear(inputs: TensorLike, num_outputs: int, activation_fn: Any = None, **options: Any) -> Tensor:
    """`fully_connected` without an activation.

    Args:
        inputs: floats of rank 2 or higher.
        num_outputs: the number of outputs.
        activation_fn: a function of the result; None leaves it.
        options: further arguments of `tf.contrib.layers.fully_connected`.

    Returns:
        A tensor of the shape of `inputs` but for the last size, which is `num_outputs`.

    Raises:
        ValueError: the last size of `inputs` is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.linear(tf.zeros([2, 3]), 4).shape
    TensorShape((2, 4))

    Source: TensorFlow 1.x, `tf.contrib.layers.linear`.
    """
    return fully_connected(inputs, num_outputs, activation_fn, **options)


def relu(inputs: TensorLike, num_outputs: int, activation_fn: Any = nn.relu, **options: Any) -> Tensor:
    """`fully_connected` with relu.

    Args:
        inputs: floats of rank 2 or higher.
        num_outputs: the number of outputs.
        activation_fn: a function of the result; None leaves it.
        options: further arguments of `tf.contrib.layers.fully_connected`.

    Returns:
        A tensor of the shape of `inputs` but for the last size, which is `num_outputs`.

    Raises:
        ValueError: the last size of `inputs` is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.relu(tf.zeros([2, 3]), 4).op.type
    'Relu'

    Source: TensorFlow 1.x, `tf.contrib.layers.relu`.
    """
    return fully_connected(inputs, num_outputs, activation_fn, **options)


@documented_like(relu)
def relu6(inputs: TensorLike, num_outputs: int, activation_fn: Any = nn.relu6, **options: Any) -> Tensor:
    """`fully_connected` with relu6.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.relu6(tf.zeros([2, 3]), 4).op.type
    'Relu6'

    Source: TensorFlow 1.x, `tf.contrib.layers.relu6`.
    """
    return fully_connected(inputs, num_outputs, activation_fn, **options)
