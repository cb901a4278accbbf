"""Layers of convolutions: conv1d, conv2d, conv3d. The result is activation(convolution(inputs, kernel) + bias)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike
from ..graph.model.nodes import Tensor
from ..ops.convolution.convolution_calls import conv1d as conv1d_op
from ..ops.convolution.convolution_calls import conv2d as conv2d_op
from ..ops.convolution.convolution_calls import conv3d as conv3d_op
from ..ops.move.tile_pad import pad
from .convolution_layer import ConvolutionLayer, with_ones
from .layer import Activation, BuiltWeight, Layer, Window, layer_function


class _Convolution(ConvolutionLayer):
    """A layer that convolves its inputs with a kernel [sizes, channels, filters]."""

    kernel: Any = BuiltWeight()

    def __init__(
        self,
        filters: int,
        kernel_size: Window,
        strides: Window = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Window = 1,
        activation: Activation = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            (bias_initializer, bias_regularizer, bias_constraint), activity_regularizer, trainable, name, dtype,
        )  # fmt: skip
        self._of_kernel = (kernel_initializer, kernel_regularizer, kernel_constraint)

    def _build(self, x: Tensor) -> None:
        """Makes the kernel and the bias."""
        self.kernel = self._weight("kernel", [*self.kernel_size, self._channels(x), self.filters], *self._of_kernel)
        self._build_bias()

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        """The convolution, the bias, the activation."""
        word = self.padding.upper()
        if self.padding == "causal":
            before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            x, word = pad(x, [[before if axis in self.spatial_axes else 0, 0] for axis in range(3)]), "VALID"
        return self._finished(self._convolved(x, self.kernel.as_operand(), word))

    def _convolved(self, x: Tensor, kernel: Tensor, word: str) -> Tensor:
        raise NotImplementedError


@with_ones
class Conv1D(_Convolution):
    """A layer activation(conv1d(inputs, kernel) + bias), whose variables the first call makes and all calls share.

    Args:
        filters: the number of filters, which is that of the channels of the result.
        kernel_size: the sizes of a filter: an int, or a list of one.
        strides: the steps of the filter: an int, or a list of one.
        padding: "valid", or "same": zeros around the inputs, or "causal": zeros before the inputs only.
        data_format: "channels_last", or "channels_first": dimension 1 are the channels.
        dilation_rate: the steps between taps of the filter, in the forms of `strides`; larger than 1 only with
            strides of 1.
        activation: a function of the result, such as `tf.nn.relu`; None leaves it.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: how the variables start; by default
            `tf.glorot_uniform_initializer()` (or the initializer of the variable scope) and zeros.
        kernel_regularizer, bias_regularizer: functions of a variable whose results are regularization losses.
        activity_regularizer: a function of the outputs; its result, divided by their first size, is a
            regularization loss.
        kernel_constraint, bias_constraint: functions from a new value to the one that an optimizer keeps.
        trainable: whether optimizers change the variables.
        name: the name of the variable scope, made unique; by default "conv1d".
        dtype: the dtype of the variables; by default that of the first inputs.

    Raises:
        TypeError: an argument is not an int, or not a function.
        ValueError: an argument has another length, or is none of the words.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.layers.Conv1D(5, 3)
    ...     print(layer(tf.zeros([4, 10, 3])).shape, [v.name for v in layer.variables])
    (4, 8, 5) ['conv1d/kernel:0', 'conv1d/bias:0']

    Source: TensorFlow 1.x, `tf.layers.Conv1D`.
    """

    rank = 1
    base_name = "conv1d"
    words = ("valid", "same", "causal")

    def _convolved(self, x: Tensor, kernel: Tensor, word: str) -> Tensor:
        return conv1d_op(x, kernel, self.strides, word, None, self.layout, "Conv1D", dilations=self.dilation_rate)


@documented_like(Conv1D)
@with_ones
class Conv2D(_Convolution):
    """A layer activation(conv2d(inputs, kernel) + bias), whose variables the first call makes and all calls share.

    Args:
        kernel_size: the sizes of a filter: two ints, or one for all.
        strides: the steps of the filter: two ints, or one for all.
        padding: "valid", or "same": zeros around the inputs.
        name: the name of the variable scope, made unique; by default "conv2d".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.layers.Conv2D(5, 3)
    ...     print(layer(tf.zeros([4, 9, 9, 3])).shape, [v.name for v in layer.variables])
    (4, 7, 7, 5) ['conv2d/kernel:0', 'conv2d/bias:0']
    """

    rank = 2
    base_name = "conv2d"

    def _convolved(self, x: Tensor, kernel: Tensor, word: str) -> Tensor:
        return conv2d_op(x, kernel, self.strides, word, data_format=self.layout, dilations=self.dilation_rate)


@documented_like(Conv1D)
@with_ones
class Conv3D(_Convolution):
    """A layer activation(conv3d(inputs, kernel) + bias), whose variables the first call makes and all calls share.

    Args:
        kernel_size: the sizes of a filter: three ints, or one for all.
        strides: the steps of the filter: three ints, or one for all.
        padding: "valid", or "same": zeros around the inputs.
        name: the name of the variable scope, made unique; by default "conv3d".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.layers.Conv3D(5, 3)
    ...     print(layer(tf.zeros([4, 9, 9, 9, 3])).shape, [v.name for v in layer.variables])
    (4, 7, 7, 7, 5) ['conv3d/kernel:0', 'conv3d/bias:0']
    """

    rank = 3
    base_name = "conv3d"

    def _convolved(self, x: Tensor, kernel: Tensor, word: str) -> Tensor:
        return conv3d_op(x, kernel, self.strides, word, self.layout, self.dilation_rate)


# ---- the layers as functions --------------------------------------------------------------------


def _convolving_function(
    layer: type[ConvolutionLayer], inputs: str, dimensions: str, positions: str, example: str
) -> Callable[..., Tensor]:
    """The function that makes a layer and calls it.

    inputs, dimensions: what it convolves. positions: of the result. example: the sizes of its example and what it
    prints.
    """
    sizes, _, printed = example.partition(" -> ")

    @layer_function(layer, inputs=inputs, dimensions=dimensions, positions=positions, sizes=sizes, printed=printed)
    def function(own: Layer, inputs: Any) -> Tensor:
        """activation(convolution of {inputs} + bias), with a new kernel and bias or those of `name`.

        Args:
            inputs: floats of shape (batch, {dimensions}, channels), of which the number of channels is known.
            name: the name of the variable scope; by default "{name}", made unique.
            reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

        Returns:
            A tensor of shape (batch, {positions}, filters),
            with the layout and the dtype of `inputs`.

        Raises:
            TypeError: `inputs` is not float, or an argument is not an int.
            ValueError: `inputs` has another rank, its channels are not known, an argument has another length or is none
                of the words, or the variables exist without `reuse`, or not with it.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     y = tf.layers.{name}(tf.zeros({sizes}), 5, 3, activation=tf.nn.relu)
        ...     print(y.name, y.shape)
        {name}/Relu:0 {printed}
        """
        return own(inputs)

    return function


conv1d = _convolving_function(Conv1D, "sequences", "width", "positions", "[4, 10, 3] -> (4, 8, 5)")
conv2d = _convolving_function(
    Conv2D, "images", "height, width", "positions along the height, along the width",
    "[4, 9, 9, 3] -> (4, 7, 7, 5)",
)  # fmt: skip
conv3d = _convolving_function(
    Conv3D, "volumes", "depth, height, width", "positions along the three dimensions",
    "[4, 9, 9, 9, 3] -> (4, 7, 7, 7, 5)",
)  # fmt: skip
