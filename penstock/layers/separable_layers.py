"""Layers of separable convolutions, which filter each channel and then mix channels: separable_conv1d and 2d."""

from __future__ import annotations

from typing import Any

from ..errors import ValueRuleError
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike, as_int
from ..graph.model.nodes import Tensor
from ..ops.convolution.convolution_arguments import FORMATS
from ..ops.convolution.depthwise_calls import separable_conv2d as separable_conv2d_op
from ..ops.move.reshaping import expand_dims, squeeze
from .convolution_layer import ConvolutionLayer, with_ones
from .convolving_layers import Conv1D
from .layer import Activation, BuiltWeight, Layer, Window, layer_function


class _Separable(ConvolutionLayer):
    """A layer with a depthwise kernel [sizes, channels, multiplier] and a pointwise one of 1x1 taps."""

    depthwise_kernel: Any = BuiltWeight()
    pointwise_kernel: Any = BuiltWeight()

    def __init__(
        self,
        filters: int,
        kernel_size: Window,
        strides: Window = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Window = 1,
        depth_multiplier: int = 1,
        activation: Activation = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = None,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            (bias_initializer, bias_regularizer, bias_constraint), activity_regularizer, trainable, name, dtype,
        )  # fmt: skip
        self.depth_multiplier = as_int(depth_multiplier, "depth_multiplier")
        if self.depth_multiplier < 1:
            raise ValueRuleError(f"depth_multiplier must be at least 1, but is {depth_multiplier}")
        self._of_depthwise = (depthwise_initializer, depthwise_regularizer, depthwise_constraint)
        self._of_pointwise = (pointwise_initializer, pointwise_regularizer, pointwise_constraint)

    def _build(self, x: Tensor) -> None:
        """Makes the two kernels and the bias."""
        channels, each = self._channels(x), self.depth_multiplier
        self.depthwise_kernel = self._weight(
            "depthwise_kernel", [*self.kernel_size, channels, each], *self._of_depthwise
        )
        self.pointwise_kernel = self._weight(
            "pointwise_kernel", [*[1] * self.rank, channels * each, self.filters], *self._of_pointwise
        )
        self._build_bias()

    def _kernels(self) -> tuple[Tensor, Tensor]:
        return self.depthwise_kernel.as_operand(), self.pointwise_kernel.as_operand()


@documented_like(Conv1D)
@with_ones
class SeparableConv1D(_Separable):
    """A layer that filters each channel, mixes channels, and adds a bias; the first call makes its variables.

    Args:
        padding: "valid", or "same": zeros around the inputs.
        depth_multiplier: the filters of the depthwise convolution for each channel.
        depthwise_initializer, pointwise_initializer, bias_initializer: how the variables start; by default
            `tf.glorot_uniform_initializer()` (or the initializer of the variable scope) and zeros.
        depthwise_regularizer, pointwise_regularizer, bias_regularizer: functions of a variable whose results
            are regularization losses.
        depthwise_constraint, pointwise_constraint, bias_constraint: functions from a new value to the one that
            an optimizer keeps.
        name: the name of the variable scope, made unique; by default "separable_conv1d".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.layers.SeparableConv1D(5, 3, depth_multiplier=2)
    ...     print(layer(tf.zeros([4, 10, 3])).shape, *[v.shape for v in layer.variables])
    (4, 8, 5) (3, 3, 2) (1, 6, 5) (5,)
    """

    rank = 1
    base_name = "separable_conv1d"

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        """The convolution of images with a height of 1, the bias, the activation."""
        axis = self.spatial_axes[0]
        layout = FORMATS[2][self.is_channels_first]
        images = expand_dims(x, axis)
        depthwise, pointwise = (expand_dims(kernel, 0) for kernel in self._kernels())
        steps, rates = (1, *self.strides), (1, *self.dilation_rate)
        y = separable_conv2d_op(images, depthwise, pointwise, steps, self.padding.upper(), rates, None, layout)
        return self._activated(squeeze(self._with_bias(y, layout), [axis]))


@documented_like(SeparableConv1D)
@with_ones
class SeparableConv2D(_Separable):
    """A layer that filters each channel, mixes channels, and adds a bias; the first call makes its variables.

    Args:
        kernel_size: the sizes of a filter: two ints, or one for all.
        strides: the steps of the filter: two ints, or one for all.
        name: the name of the variable scope, made unique; by default "separable_conv2d".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.layers.SeparableConv2D(5, 3, depth_multiplier=2)
    ...     print(layer(tf.zeros([4, 9, 9, 3])).shape, *[v.shape for v in layer.variables])
    (4, 7, 7, 5) (3, 3, 3, 2) (1, 1, 6, 5) (5,)
    """

    rank = 2
    base_name = "separable_conv2d"

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        """The convolutions, the bias, the activation."""
        return self._finished(separable_conv2d_op(
            x, *self._kernels(), self.strides, self.padding.upper(), self.dilation_rate, None, self.layout
        ))  # fmt: skip


@layer_function(SeparableConv1D)
def separable_conv1d(layer: Layer, inputs: Any) -> Tensor:
    """activation(separable convolution of sequences + bias), with new variables or those of `name`.

    Args:
        inputs: floats of shape (batch, width, channels), of which the number of channels is known.
        name: the name of the variable scope; by default "separable_conv1d", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape (batch, positions, filters), with the layout and the dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or an argument is not an int.
        ValueError: `inputs` has another rank, its channels are not known, an argument has another length or is none of
            the words, or the variables exist without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.separable_conv1d(tf.zeros([4, 10, 3]), 5, 3).shape
    TensorShape((4, 8, 5))
    """
    return layer(inputs)


@layer_function(SeparableConv2D)
def separable_conv2d(layer: Layer, inputs: Any) -> Tensor:
    """activation(separable convolution of images + bias), with new variables or those of `name`.

    Args:
        inputs: floats of shape (batch, height, width, channels), of which the number of channels is known.
        kernel_size: the sizes of a filter: two ints, or one for all.
        strides: the steps of the filter: two ints, or one for all.
        name: the name of the variable scope; by default "separable_conv2d", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, filters), with the layout and the
        dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or an argument is not an int.
        ValueError: `inputs` has another rank, its channels are not known, an argument has another length or is none of
            the words, or the variables exist without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.separable_conv2d(tf.zeros([4, 9, 9, 3]), 5, 3).shape
    TensorShape((4, 7, 7, 5))
    """
    return layer(inputs)
