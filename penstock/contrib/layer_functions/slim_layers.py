"""Layers of `tf.contrib.layers`: convolutions, fully_connected, flatten.

They are those of `tf.layers` with other names and defaults: variables "Conv/weights" and "Conv/biases", relu, "SAME",
Xavier's initializer; a normalizer such as `tf.layers.batch_normalization` takes the place of the bias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ... import nn
from ...errors import ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Tensor
from ...layers.convolving_layers import Conv1D, Conv2D, Conv3D
from ...layers.dense_layer import Dense
from ...layers.layer import Layer, Window
from ...layers.plain_layers import Flatten
from ...layers.separable_layers import SeparableConv2D
from ...layers.transposing_layers import Conv2DTranspose
from ...ops.create.constant_and_placeholder import convert_to_tensor
from ...ops.declare.composite import reported_as_call
from ...variables.constant_initializers import ZerosInitializer
from ...variables.graph_keys import GraphKeys
from ..argument_scope import add_arg_scope
from .layer_utilities import collect_named_outputs
from .weight_initializers import xavier_initializer

Function: TypeAlias = Callable[..., Any] | None
Parameters: TypeAlias = Mapping[str, Any] | None
_XAVIER = xavier_initializer()
_ZEROS = ZerosInitializer()
_NAMES = {
    "kernel": "weights", "bias": "biases", "depthwise_kernel": "depthwise_weights",
    "pointwise_kernel": "pointwise_weights",
}  # fmt: skip


@add_arg_scope
@reported_as_call("Conv")
def convolution(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: Window,
    stride: Window = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Window = 1,
    activation_fn: Function = nn.relu,
    normalizer_fn: Function = None,
    normalizer_params: Parameters = None,
    weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    conv_dims: int | None = None,
) -> Tensor:
    """activation_fn(convolution of `inputs` + biases) over one, two or three dimensions.

    Args:
        inputs: floats with the batch, the channels and one to three dimensions more.
        num_outputs: the number of filters.
        kernel_size, stride, rate: the sizes of a filter, its steps and those between its taps: ints, or one for all.
        padding: "SAME" or "VALID".
        data_format: such as "NHWC" or "NCHW"; None means channels last.
        activation_fn: a function of the result; None leaves it.
        normalizer_fn: a function that takes the place of the biases, called with `normalizer_params`.
        normalizer_params: a dictionary of its arguments.
        weights_initializer, biases_initializer: how the variables start; no biases if the latter is None.
        weights_regularizer, biases_regularizer: functions of a variable whose results are regularization losses.
        reuse: whether the variables of `scope` are shared.
        variables_collections: collections for the variables: a list, or a dictionary by "weights" and "biases".
        outputs_collections: a collection for the result, or a list of them.
        trainable: whether optimizers change the variables.
        scope: the name of the variable scope; by default "Conv", made unique.
        conv_dims: the number of dimensions, if `inputs` must have so many.

    Returns:
        A tensor of shape (batch, positions, num_outputs) with the layout and the dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or an argument is not an int.
        ValueError: `inputs` has another rank, its channels are not known, or the variables exist without `reuse`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.contrib.layers.convolution(tf.zeros([4, 8, 8, 3]), 16, 3, stride=2)
    ...     print(y.name, y.shape, [v.name for v in tf.trainable_variables()])
    Conv/Relu:0 (4, 4, 4, 16) ['Conv/weights:0', 'Conv/biases:0']

    Source: TensorFlow 1.x, `tf.contrib.layers.convolution`.
    """
    x = convert_to_tensor(inputs)
    rank = x.shape.ndims
    by_rank: dict[int | None, Any] = {3: Conv1D, 4: Conv2D, 5: Conv3D}
    if rank not in by_rank or (conv_dims is not None and rank != conv_dims + 2):
        wanted = "3, 4 or 5" if conv_dims is None else conv_dims + 2
        raise ValueRuleError(f"Convolution expects input with rank {wanted}, got {rank}")
    layer = by_rank[rank](
        num_outputs, kernel_size, stride, padding, _layout(data_format), rate,
        _finish(activation_fn, normalizer_fn, normalizer_params),
        normalizer_fn is None and biases_initializer is not None, weights_initializer, biases_initializer,
        weights_regularizer, biases_regularizer, trainable=trainable,
    )  # fmt: skip
    return _applied(layer, "Conv", x, scope, reuse, variables_collections, outputs_collections)


@add_arg_scope
@reported_as_call("Conv")
def conv1d(inputs: TensorLike, num_outputs: int, kernel_size: Window, *args: Any, **options: Any) -> Tensor:
    """`convolution` of sequences.

    Args:
        inputs: floats of shape (batch, width, channels).
        num_outputs: the number of filters.
        kernel_size: the size of a filter.
        args, options: further arguments of `convolution`.

    Returns:
        A tensor of shape (batch, positions, num_outputs) with the dtype of `inputs`.

    Raises:
        TypeError, ValueError: as `convolution`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.conv1d(tf.zeros([4, 8, 3]), 16, 3).shape
    TensorShape((4, 8, 16))

    Source: TensorFlow 1.x, `tf.contrib.layers.conv1d`.
    """
    return _of_rank(1, inputs, num_outputs, kernel_size, *args, **options)


@add_arg_scope
@reported_as_call("Conv")
@documented_like(conv1d)
def conv2d(inputs: TensorLike, num_outputs: int, kernel_size: Window, *args: Any, **options: Any) -> Tensor:
    """`convolution` of images.

    Args:
        inputs: floats of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW".
        kernel_size: the sizes of a filter: two ints, or one for both.

    Returns:
        A tensor of shape (batch, positions, num_outputs) with the layout and the dtype of `inputs`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.conv2d(tf.zeros([4, 8, 8, 3]), 16, [3, 3], padding="VALID", activation_fn=None).shape
    TensorShape((4, 6, 6, 16))
    """
    return _of_rank(2, inputs, num_outputs, kernel_size, *args, **options)


@add_arg_scope
@reported_as_call("Conv")
@documented_like(conv1d)
def conv3d(inputs: TensorLike, num_outputs: int, kernel_size: Window, *args: Any, **options: Any) -> Tensor:
    """`convolution` of volumes.

    Args:
        inputs: floats of shape (batch, depth, height, width, channels), or channels first for "NCDHW".
        kernel_size: the sizes of a filter: three ints, or one for all.

    Returns:
        A tensor of shape (batch, positions, num_outputs) with the layout and the dtype of `inputs`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.conv3d(tf.zeros([4, 8, 8, 8, 3]), 16, 3, 2).shape
    TensorShape((4, 4, 4, 4, 16))
    """
    return _of_rank(3, inputs, num_outputs, kernel_size, *args, **options)


@add_arg_scope
@reported_as_call("Conv2d_transpose")
@documented_like(convolution)
def conv2d_transpose(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: Window,
    stride: Window = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    activation_fn: Function = nn.relu,
    normalizer_fn: Function = None,
    normalizer_params: Parameters = None,
    weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """activation_fn(transposed convolution of `inputs` + biases), which enlarges images.

    Args:
        inputs: floats of shape (batch, height, width, channels), or channels first for "NCHW".
        kernel_size, stride: the sizes of a filter and its steps: two ints, or one for both.
        data_format: "NHWC" or "NCHW".
        scope: the name of the variable scope; by default "Conv2d_transpose", made unique.

    Returns:
        A tensor of shape (batch, height * stride, width * stride, num_outputs), with "VALID" somewhat larger.

    Raises:
        TypeError, ValueError: as `convolution`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.conv2d_transpose(tf.zeros([4, 8, 8, 3]), 16, 3, stride=2).shape
    TensorShape((4, 16, 16, 16))
    """
    layer = Conv2DTranspose(
        num_outputs, kernel_size, stride, padding, _layout(data_format),
        _finish(activation_fn, normalizer_fn, normalizer_params),
        normalizer_fn is None and biases_initializer is not None, weights_initializer, biases_initializer,
        weights_regularizer, biases_regularizer, trainable=trainable,
    )  # fmt: skip
    return _applied(layer, "Conv2d_transpose", inputs, scope, reuse, variables_collections, outputs_collections)


@add_arg_scope
@reported_as_call("SeparableConv2d")
@documented_like(convolution)
def separable_conv2d(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: Window,
    depth_multiplier: int = 1,
    stride: Window = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Window = 1,
    activation_fn: Function = nn.relu,
    normalizer_fn: Function = None,
    normalizer_params: Parameters = None,
    weights_initializer: Any = _XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """activation_fn(separable convolution of `inputs` + biases): filters of each channel, then a mixture of channels.

    Args:
        inputs: floats of shape (batch, height, width, channels), or channels first for "NCHW".
        num_outputs: the number of filters that mix channels.
        kernel_size, stride, rate: the sizes of a filter, its steps and those between its taps: two ints, or one.
        depth_multiplier: the filters of each channel.
        data_format: "NHWC" or "NCHW".
        weights_initializer, pointwise_initializer, biases_initializer: how the variables start; the second is the
            first by default, and no biases if the last is None.
        scope: the name of the variable scope; by default "SeparableConv2d", made unique.

    Raises:
        TypeError, ValueError: as `convolution`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.contrib.layers.separable_conv2d(tf.zeros([4, 8, 8, 3]), 16, 3)
    ...     print(y.shape, [v.name for v in tf.trainable_variables()][0])
    (4, 8, 8, 16) SeparableConv2d/depthwise_weights:0
    """
    if num_outputs is None:
        raise ValueRuleError("num_outputs=None: give a number, or use tf.nn.depthwise_conv2d")
    layer = SeparableConv2D(
        num_outputs, kernel_size, stride, padding, _layout(data_format), rate, depth_multiplier,
        _finish(activation_fn, normalizer_fn, normalizer_params),
        normalizer_fn is None and biases_initializer is not None, weights_initializer,
        weights_initializer if pointwise_initializer is None else pointwise_initializer, biases_initializer,
        weights_regularizer, weights_regularizer, biases_regularizer, trainable=trainable,
    )  # fmt: skip
    return _applied(layer, "SeparableConv2d", inputs, scope, reuse, variables_collections, outputs_collections)


@add_arg_scope
@reported_as_call("fully_connected")
@documented_like(convolution)
def fully_connected(
    inputs: TensorLike,
    num_outputs: int,
    activation_fn: Function = nn.relu,
    normalizer_fn: Function = None,
    normalizer_params: Parameters = None,
    weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """activation_fn(inputs @ weights + biases).

    Args:
        inputs: floats of rank 2 or higher, of which the last size is known.
        num_outputs: the size of the result's last dimension.
        scope: the name of the variable scope; by default "fully_connected", made unique.

    Returns:
        A tensor of shape inputs.shape[:-1] + [num_outputs] with the dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or `num_outputs` is not an int.
        ValueError: `inputs` has a lower rank, its last size is not known, or the variables exist without `reuse`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.contrib.layers.fully_connected(tf.zeros([4, 3]), 5)
    ...     print(y.name, y.shape, [v.name for v in tf.trainable_variables()])
    fully_connected/Relu:0 (4, 5) ['fully_connected/weights:0', 'fully_connected/biases:0']
    """
    layer = Dense(
        num_outputs, _finish(activation_fn, normalizer_fn, normalizer_params),
        normalizer_fn is None and biases_initializer is not None, weights_initializer, biases_initializer,
        weights_regularizer, biases_regularizer, trainable=trainable,
    )  # fmt: skip
    return _applied(layer, "fully_connected", inputs, scope, reuse, variables_collections, outputs_collections)


@add_arg_scope
@reported_as_call("Flatten")
def flatten(inputs: TensorLike, outputs_collections: Any = None, scope: Any = None) -> Tensor:
    """A vector of each example: the dimensions behind the first become one.

    Args:
        inputs: a tensor of rank 1 or higher.
        outputs_collections: a collection for the result, or a list of them.
        scope: the name of the scope; by default "Flatten", made unique.

    Returns:
        A tensor of shape [inputs.shape[0], product of the other sizes] with the dtype of `inputs`.

    Raises:
        ValueError: `inputs` is a scalar.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.flatten(tf.zeros([4, 3, 2])).shape
    TensorShape((4, 6))

    Source: TensorFlow 1.x, `tf.contrib.layers.flatten`.
    """
    return _applied(Flatten(), "Flatten", inputs, scope, None, None, outputs_collections)


# ---- what they share ----------------------------------------------------------------------------


def _of_rank(conv_dims: int, *args: Any, **options: Any) -> Tensor:
    options["conv_dims"] = conv_dims
    return convolution(*args, **options)


def _layout(data_format: str | None) -> str:
    return "channels_first" if data_format is not None and data_format.startswith("NC") else "channels_last"


def _finish(activation: Function, normalizer: Function, parameters: Parameters) -> Function:
    """What follows the product: the normalizer, then the activation."""
    if normalizer is None:
        return activation

    def finish(y: Tensor) -> Any:
        y = normalizer(y, **(parameters or {}))
        return y if activation is None else activation(y)

    return finish


def _applied(
    layer: Layer, name: str, inputs: TensorLike, scope: Any, reuse: Any, variables_collections: Any,
    outputs_collections: Any, training: Any = False, names: dict[str, str] | None = None,
) -> Tensor:  # fmt: skip
    """The outputs of a layer in a scope of its own, and what collections hold of it."""
    layer.name, layer.variable_names = name, _NAMES if names is None else names
    outputs = layer._shared_by(scope, reuse)(inputs, training)
    graph = get_default_graph()
    for variable in layer.variables:
        label = variable.op.name.rpartition("/")[2]
        listed = variables_collections
        if isinstance(listed, Mapping):
            listed = listed.get("weights" if label.endswith("weights") else label)
        for key in (GraphKeys.MODEL_VARIABLES, *_keys(listed)):
            if not any(variable is each for each in graph.get_collection(key)):
                graph.add_to_collection(key, variable)
    return collect_named_outputs(outputs_collections, layer.scope_name, outputs)


def _keys(collections: Any) -> Sequence[str]:
    """The names of collections: none, one or several."""
    return () if not collections else (collections,) if isinstance(collections, str) else tuple(collections)
