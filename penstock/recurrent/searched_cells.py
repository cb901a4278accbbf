"""`UGRNNCell`, with one gate, and `NASCell`, whose formula a search found."""

from __future__ import annotations

from typing import Any

from ..derivatives import rule_namespace as ops
from ..graph.declare.signature import as_int
from ..graph.model.nodes import Tensor
from ..ops.nn.bias import bias_add
from ..variables.constant_initializers import ZerosInitializer
from .basic_cells import linear
from .cell_activations import Activation, activation_of
from .cell_base import CellOfUnits, RNNCell, step_size
from .cell_states import LSTMStateTuple


class UGRNNCell(CellOfUnits):
    """The update gate cell: a gate decides how much of the state stays.

        g, c = split([inputs, state] @ kernel + bias)
        new state = output = g * state + (1 - g) * activation(c), with g = sigmoid(g + forget_bias)

    Args:
        num_units: the size of the state and of the output.
        initializer: how the kernel starts; by default the initializer of the variable scope.
        forget_bias: added to the gate.
        activation: a function of a tensor, or its name in `tf.nn`; by default `tf.tanh`.
        reuse: whether existing variables are taken.

    Raises:
        TypeError: `num_units` is not an int, or there is no such activation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.UGRNNCell(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, [v.name for v in cell.variables])
    (2, 4) ['ugrnn_cell/kernel:0', 'ugrnn_cell/bias:0']

    Source: TensorFlow 1.x, `tf.contrib.rnn.UGRNNCell`; Collins et al., arXiv:1611.09913.
    """

    def __init__(
        self, num_units: int, initializer: Any = None, forget_bias: float = 1.0, activation: Activation = None,
        reuse: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(_reuse=reuse, name="ugrnn_cell")
        self._num_units, self._forget_bias = as_int(num_units), forget_bias
        self._initializer, self._activation = initializer, activation_of(activation, ops.tanh)

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel and the bias."""
        rows = step_size(self, inputs_shape) + self._num_units
        self._kernel = self.add_variable("kernel", [rows, 2 * self._num_units], initializer=self._initializer)
        self._bias = self.add_variable("bias", [2 * self._num_units], initializer=ZerosInitializer())

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """The new state, twice."""
        gate, candidate = ops.split(1, 2, linear([inputs, state], self._kernel, self._bias))
        keep = ops.sigmoid(gate + self._forget_bias)
        new = ops.add(ops.multiply(keep, state), ops.multiply(1.0 - keep, self._activation(candidate)))
        return new, new


class NASCell(RNNCell):
    """The cell that an architecture search found: eight products of inputs and state, combined in a tree.

    Args:
        num_units: the size of the memory.
        num_proj: the size of the output, which is a product of the cell's; None leaves it.
        use_biases: whether there is a bias.
        reuse: whether existing variables are taken.
        kwargs: further arguments of `RNNCell`.

    Raises:
        TypeError: `num_units` is not an int.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.NASCell(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, [(v.name, v.shape.as_list()) for v in cell.variables])
    (2, 4) [('nas_cell/kernel:0', [3, 32]), ('nas_cell/recurrent_kernel:0', [4, 32])]

    Source: TensorFlow 1.x, `tf.contrib.rnn.NASCell`; Zoph and Le, arXiv:1611.01578.
    """

    def __init__(
        self, num_units: int, num_proj: int | None = None, use_biases: bool = False, reuse: Any = None, **kwargs: Any
    ) -> None:
        kwargs.setdefault("name", "nas_cell")
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_biases = as_int(num_units), num_proj, use_biases

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of the memory and of the output."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> int:
        """The number of units, or of projections."""
        return self._num_units if self._num_proj is None else self._num_proj

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels, the bias and the projection."""
        columns, make = 8 * self._num_units, self.add_variable
        self._kernel = make("kernel", [step_size(self, inputs_shape), columns])
        self._recurrent_kernel = make("recurrent_kernel", [self.output_size, columns])
        self._bias = make("bias", [columns], initializer=ZerosInitializer()) if self._use_biases else None
        shape = [self._num_units, self.output_size]
        self._projection = None if self._num_proj is None else make("projection_weights", shape)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, LSTMStateTuple]:
        """The output, and the new memory beside it."""
        memory, before = state
        of_state = ops.matmul(before, self._recurrent_kernel.as_operand())
        if self._bias is not None:
            of_state = bias_add(of_state, self._bias.as_operand())
        m = ops.split(1, 8, of_state)
        i = ops.split(1, 8, ops.matmul(inputs, self._kernel.as_operand()))
        first = ops.tanh(ops.sigmoid(i[0] + m[0]) * ops.relu(i[1] + m[1]))
        second = ops.tanh(ops.sigmoid(i[2] + m[2]) + ops.relu(i[3] * m[3]))
        third = ops.tanh(ops.tanh(i[4] + m[4]) * ops.sigmoid(i[5] + m[5]))
        fourth = ops.sigmoid(ops.tanh(i[6] + m[6]) + ops.sigmoid(i[7] + m[7]))
        new_memory = ops.multiply(ops.tanh(first + memory), second)
        output = ops.tanh(new_memory * ops.tanh(third + fourth))
        if self._projection is not None:
            output = ops.matmul(output, self._projection.as_operand())
        return output, LSTMStateTuple(new_memory, output)
