"""Layers of transposed convolutions, which enlarge images: conv2d_transpose, conv3d_transpose.

With strides s and a kernel of k taps, an axis of size n becomes n * s ("same") or n * s + max(k - s, 0) ("valid").
"""

from __future__ import annotations

from typing import Any

from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike
from ..graph.model.nodes import Tensor
from ..ops.convolution.transposed_convolutions import conv2d_transpose as conv2d_transpose_op
from ..ops.convolution.transposed_convolutions import conv3d_transpose as conv3d_transpose_op
from ..ops.create.shape_size_rank import shape as shape_op
from ..ops.move.concat_stack import pack
from .convolution_layer import ConvolutionLayer, with_ones
from .convolving_layers import Conv1D
from .layer import Activation, BuiltWeight, Layer, Window, layer_function


class _Transposed(ConvolutionLayer):
    """A layer that convolves the other way, with a kernel [sizes, filters, channels]."""

    kernel: Any = BuiltWeight()

    def __init__(
        self,
        filters: int,
        kernel_size: Window,
        strides: Window = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
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
            filters, kernel_size, strides, padding, data_format, 1, activation, use_bias,
            (bias_initializer, bias_regularizer, bias_constraint), activity_regularizer, trainable, name, dtype,
        )  # fmt: skip
        self._of_kernel = (kernel_initializer, kernel_regularizer, kernel_constraint)

    def _build(self, x: Tensor) -> None:
        """Makes the kernel and the bias."""
        self.kernel = self._weight("kernel", [*self.kernel_size, self.filters, self._channels(x)], *self._of_kernel)
        self._build_bias()

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        """The transposed convolution, the bias, the activation."""
        return self._finished(self._convolved(x, self._result_sizes(x), self.kernel.as_operand()))

    def _result_sizes(self, x: Tensor) -> Any:
        """The shape of the result: ints where they are known, else computed from the shape of the inputs."""
        dims = x.shape.raw or (None,) * (self.rank + 2)
        known = [size if isinstance(size, int) else None for size in dims]
        sizes: Any = None if None not in known else shape_op(x)
        result: list[Any] = [self.filters] * (self.rank + 2)
        result[0] = known[0] if known[0] is not None else sizes[0]
        for axis, taps, stride in zip(self.spatial_axes, self.kernel_size, self.strides, strict=True):
            size = known[axis]
            more = max(taps - stride, 0) if self.padding == "valid" else 0
            result[axis] = (size if size is not None else sizes[axis]) * stride + more
        return result if sizes is None else pack(result)

    def _convolved(self, x: Tensor, sizes: Any, kernel: Tensor) -> Tensor:
        raise NotImplementedError


@documented_like(Conv1D)
@with_ones
class Conv2DTranspose(_Transposed):
    """A layer activation(conv2d_transpose(inputs, kernel) + bias), whose variables the first call makes.

    Args:
        kernel_size: the sizes of a filter: two ints, or one for all.
        strides: the steps of the filter: two ints, or one for all.
        padding: "valid", or "same": zeros around the inputs.
        name: the name of the variable scope, made unique; by default "conv2d_transpose".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.layers.Conv2DTranspose(5, 3, 2, "same")
    ...     print(layer(tf.zeros([4, 9, 9, 3])).shape, layer.kernel.shape)
    (4, 18, 18, 5) (3, 3, 5, 3)
    """

    rank = 2
    base_name = "conv2d_transpose"

    def _convolved(self, x: Tensor, sizes: Any, kernel: Tensor) -> Tensor:
        return conv2d_transpose_op(x, kernel, sizes, self.strides, self.padding.upper(), self.layout)


@documented_like(Conv2DTranspose)
@with_ones
class Conv3DTranspose(_Transposed):
    """A layer activation(conv3d_transpose(inputs, kernel) + bias), whose variables the first call makes.

    Args:
        kernel_size: the sizes of a filter: three ints, or one for all.
        strides: the steps of the filter: three ints, or one for all.
        name: the name of the variable scope, made unique; by default "conv3d_transpose".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.layers.Conv3DTranspose(5, 3, 2, "same")
    ...     print(layer(tf.zeros([4, 9, 9, 9, 3])).shape, layer.kernel.shape)
    (4, 18, 18, 18, 5) (3, 3, 3, 5, 3)
    """

    rank = 3
    base_name = "conv3d_transpose"

    def _convolved(self, x: Tensor, sizes: Any, kernel: Tensor) -> Tensor:
        return conv3d_transpose_op(x, kernel, sizes, self.strides, self.padding.upper(), self.layout)


@layer_function(Conv2DTranspose)
def conv2d_transpose(layer: Layer, inputs: Any) -> Tensor:
    """activation(transposed convolution of images + bias), with a new kernel and bias or those of `name`.

    Args:
        inputs: floats of shape (batch, height, width, channels), of which the number of channels is known.
        name: the name of the variable scope; by default "conv2d_transpose", made unique.
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
    ...     y = tf.layers.conv2d_transpose(tf.zeros([4, 9, 9, 3]), 5, 3, 2, "same")
    ...     print(y.name, y.shape)
    conv2d_transpose/BiasAdd:0 (4, 18, 18, 5)
    """
    return layer(inputs)


@layer_function(Conv3DTranspose)
def conv3d_transpose(layer: Layer, inputs: Any) -> Tensor:
    """activation(transposed convolution of volumes + bias), with a new kernel and bias or those of `name`.

    Args:
        inputs: floats of shape (batch, depth, height, width, channels), of which the number of channels is
            known.
        kernel_size: the sizes of a filter: three ints, or one for all.
        strides: the steps of the filter: three ints, or one for all.
        name: the name of the variable scope; by default "conv3d_transpose", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape (batch, positions along the three dimensions, filters), with the layout and the dtype
        of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or an argument is not an int.
        ValueError: `inputs` has another rank, its channels are not known, an argument has another length or is none of
            the words, or the variables exist without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.layers.conv3d_transpose(tf.zeros([4, 9, 9, 9, 3]), 5, 3, 2, "same")
    ...     print(y.name, y.shape)
    conv3d_transpose/BiasAdd:0 (4, 18, 18, 18, 5)
    """
    return layer(inputs)
