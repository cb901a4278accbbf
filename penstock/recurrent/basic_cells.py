"""`BasicRNNCell` and `GRUCell`."""

from __future__ import annotations

from typing import Any

from ..control_flow.structures import flat
from ..derivatives import rule_namespace as ops
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import DTypeLike
from ..graph.model.nodes import Tensor
from ..ops.nn.bias import bias_add
from ..variables.constant_initializers import ConstantInitializer, ZerosInitializer
from ..variables.get_variable import get_variable
from ..variables.variable import Variable
from .cell_activations import Activation, activation_of
from .cell_base import CellOfUnits, input_size, step_size, units_of


class BasicRNNCell(CellOfUnits):
    """The simplest cell: output = new state = activation([inputs, state] @ kernel + bias).

    Args:
        num_units: the size of the state and of the output.
        activation: a function of a tensor, or its name in `tf.nn`, such as "relu"; by default `tf.tanh`.
        reuse: whether existing variables are taken.
        name: the name of the variable scope; by default "basic_rnn_cell".
        dtype: the dtype of the variables; by default that of the first inputs.
        kwargs: further arguments of `RNNCell`.

    Raises:
        TypeError: `num_units` is not an int, or there is no such activation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.BasicRNNCell(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, [(v.name, v.shape.as_list()) for v in cell.variables])
    (2, 4) [('basic_rnn_cell/kernel:0', [7, 4]), ('basic_rnn_cell/bias:0', [4])]

    Source: TensorFlow 1.x, `tf.nn.rnn_cell.BasicRNNCell`.
    """

    @hides_frames
    def __init__(
        self,
        num_units: int,
        activation: Activation = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units = units_of(num_units, "BasicRNNCell: num_units")
        self._activation = activation_of(activation, ops.tanh)

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel and the bias."""
        size = step_size(self, inputs_shape)
        self._kernel = self.add_variable("kernel", [size + self._num_units, self._num_units])
        self._bias = self.add_variable("bias", [self._num_units], initializer=ZerosInitializer())

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """The new state, twice."""
        output = self._activation(linear([inputs, state], self._kernel, self._bias))
        return output, output


class GRUCell(CellOfUnits):
    """Gated recurrent units: a gate decides how much of the state is kept, another how much of it is looked at.

        r, u = split(sigmoid([inputs, state] @ gates/kernel + gates/bias))
        c = activation([inputs, r * state] @ candidate/kernel + candidate/bias)
        new state = output = u * state + (1 - u) * c

    Args:
        num_units: the size of the state and of the output.
        activation: a function of a tensor, or its name in `tf.nn`; by default `tf.tanh`.
        reuse: whether existing variables are taken.
        kernel_initializer: how the kernels start; by default the initializer of the variable scope.
        bias_initializer: how the biases start; by default ones for the gates and zeros for the candidate.
        name: the name of the variable scope; by default "gru_cell".
        dtype: the dtype of the variables; by default that of the first inputs.
        kwargs: further arguments of `RNNCell`.

    Raises:
        TypeError: `num_units` is not an int, or there is no such activation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.GRUCell(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, [v.name for v in cell.variables][:2])
    (2, 4) ['gru_cell/gates/kernel:0', 'gru_cell/gates/bias:0']

    Source: TensorFlow 1.x, `tf.nn.rnn_cell.GRUCell`; Cho et al., arXiv:1406.1078.
    """

    @hides_frames
    def __init__(
        self,
        num_units: int,
        activation: Activation = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units = units_of(num_units, "GRUCell: num_units")
        self._activation = activation_of(activation, ops.tanh)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    def build(self, inputs_shape: Any) -> None:
        """Makes kernel and bias of the gates and of the candidate."""
        units = self._num_units
        rows = step_size(self, inputs_shape) + units
        of_gates = self._bias_initializer or ConstantInitializer(1.0)
        of_candidate = self._bias_initializer or ZerosInitializer()
        make = self.add_variable
        self._gate_kernel = make("gates/kernel", [rows, 2 * units], initializer=self._kernel_initializer)
        self._gate_bias = make("gates/bias", [2 * units], initializer=of_gates)
        self._candidate_kernel = make("candidate/kernel", [rows, units], initializer=self._kernel_initializer)
        self._candidate_bias = make("candidate/bias", [units], initializer=of_candidate)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """The new state, twice."""
        gates = ops.sigmoid(linear([inputs, state], self._gate_kernel, self._gate_bias))
        r, u = ops.split(1, 2, gates)
        seen = ops.multiply(r, state)
        c = self._activation(linear([inputs, seen], self._candidate_kernel, self._candidate_bias))
        new = ops.add(ops.multiply(u, state), ops.multiply(1.0 - u, c))
        return new, new


def linear(parts: list[Any], kernel: Variable, bias: Variable | None) -> Tensor:
    """[parts] @ kernel + bias."""
    rows = ops.concat(1, parts) if len(parts) > 1 else parts[0]
    product = ops.matmul(rows, kernel.as_operand())
    return product if bias is None else bias_add(product, bias.as_operand())


def new_linear(parts: Any, size: int, use_bias: bool = True, kernel_initializer: Any = None) -> Tensor:
    """[parts] @ kernel + bias, with the variables "kernel" and "bias" of the current scope."""
    tensors: list[Any] = flat(parts)
    rows = ops.concat(1, tensors) if len(tensors) > 1 else tensors[0]
    kernel = get_variable("kernel", [input_size(rows.shape), size], rows.dtype, kernel_initializer)
    return linear([rows], kernel, get_variable("bias", [size], rows.dtype, ZerosInitializer()) if use_bias else None)
