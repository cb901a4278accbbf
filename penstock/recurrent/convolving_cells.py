"""`ConvLSTMCell`: an LSTM whose products are convolutions, so that its memory is an image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, ValueRuleError
from ..graph.model.nodes import Tensor
from ..graph.shapes.shape import TensorShape
from ..ops.convolution.atrous_convolutions import convolution
from ..variables.constant_initializers import ZerosInitializer
from .cell_base import RNNCell
from .cell_states import LSTMStateTuple


class ConvLSTMCell(RNNCell):
    """An LSTM of images: its gates are a convolution of [inputs, output before] with `kernel`.

    Args:
        conv_ndims: the number of dimensions of an image: 1, 2 or 3.
        input_shape: the shape of one input, with the channels last and without the batch.
        output_channels: the number of channels of the memory and of the output.
        kernel_shape: the sizes of a window.
        use_bias: whether there are biases.
        skip_connection: whether the inputs are joined to the output.
        forget_bias: added to the gate that keeps the memory.
        initializers: how the kernel starts: an initializer, or a dictionary with "kernel".
        name: the name of the variable scope.

    Raises:
        ValueError: `input_shape` has another number of dimensions.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.ConvLSTMCell(2, [8, 8, 3], 4, [3, 3])
    ...     outputs, state = tf.nn.dynamic_rnn(cell, tf.zeros([2, 5, 8, 8, 3]), dtype=tf.float32)
    ...     print(outputs.shape, state.c.shape, [v.shape.as_list() for v in cell.variables])
    (2, 5, 8, 8, 4) (2, 8, 8, 4) [[3, 3, 7, 16], [16]]

    Source: TensorFlow 1.x, `tf.contrib.rnn.ConvLSTMCell`; Shi et al., arXiv:1506.04214.
    """

    def __init__(
        self, conv_ndims: int, input_shape: Sequence[int], output_channels: int, kernel_shape: Sequence[int],
        use_bias: bool = True, skip_connection: bool = False, forget_bias: float = 1.0, initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueRuleError(f"Invalid input_shape {list(input_shape)} for conv_ndims={conv_ndims}: it has the "
                                 "sizes of an image, then the number of its channels")  # fmt: skip
        if len(kernel_shape) != conv_ndims:
            raise ValueRuleError(f"kernel_shape {list(kernel_shape)} must have {conv_ndims} sizes, as conv_ndims says")
        self._conv_ndims, self._input_shape = conv_ndims, [int(size) for size in input_shape]
        self._output_channels, self._kernel_shape = output_channels, [int(size) for size in kernel_shape]
        self._use_bias, self._skip_connection, self._forget_bias = use_bias, skip_connection, forget_bias
        self._initializer = initializers.get("kernel") if isinstance(initializers, Mapping) else initializers

    @property
    def state_size(self) -> LSTMStateTuple:
        """The shape of the memory and of the output, without the batch."""
        shape = TensorShape([*self._input_shape[:-1], self._output_channels])
        return LSTMStateTuple(shape, shape)

    @property
    def output_size(self) -> TensorShape:
        """The shape of the output, without the batch."""
        channels = self._output_channels + (self._input_shape[-1] if self._skip_connection else 0)
        return TensorShape([*self._input_shape[:-1], channels])

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel and the biases."""
        shape = inputs_shape if isinstance(inputs_shape, TensorShape) else TensorShape(inputs_shape)
        if shape.ndims is not None and shape.ndims != self._conv_ndims + 2:
            raise ShapeError(f"{self.name}: inputs of a step have shape {shape}; they must be (batch, sizes, channels) "
                             f"with {self._input_shape} behind the batch")  # fmt: skip
        channels = self._input_shape[-1] + self._output_channels
        columns = 4 * self._output_channels
        self._kernel = self.add_variable(
            "kernel", [*self._kernel_shape, channels, columns], initializer=self._initializer
        )
        zeros = ZerosInitializer()
        self._biases = self.add_variable("biases", [columns], initializer=zeros) if self._use_bias else None

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, LSTMStateTuple]:
        """The output, and the new memory beside it."""
        memory, before = state
        last = self._conv_ndims + 1
        gates = convolution(ops.concat(last, [inputs, before]), self._kernel.as_operand(), "SAME")
        if self._biases is not None:
            gates = ops.add(gates, self._biases.as_operand())
        enter, candidate, keep, leave = ops.split(last, 4, gates)
        kept = ops.multiply(ops.sigmoid(keep + self._forget_bias), memory)
        new_memory = ops.add(kept, ops.multiply(ops.sigmoid(enter), ops.tanh(candidate)))
        output = ops.multiply(ops.tanh(new_memory), ops.sigmoid(leave))
        shown = ops.concat(last, [output, inputs]) if self._skip_connection else output
        return shown, LSTMStateTuple(new_memory, output)


class Conv1DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` of sequences.

    Source: TensorFlow 1.x, `tf.contrib.rnn.Conv1DLSTMCell`.
    """

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` of images.

    Source: TensorFlow 1.x, `tf.contrib.rnn.Conv2DLSTMCell`.
    """

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` of volumes.

    Source: TensorFlow 1.x, `tf.contrib.rnn.Conv3DLSTMCell`.
    """

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(3, name=name, **kwargs)
