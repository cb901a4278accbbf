"""Cells of `tf.contrib.rnn` and `tf.contrib.cudnn_rnn` that differ from LSTM and GRU in a gate, and fused loops."""

from __future__ import annotations

from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import UseError
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.model.nodes import Tensor
from ..variables.constant_initializers import ConstantInitializer, ZerosInitializer
from ..variables.get_variable import get_variable
from .basic_cells import GRUCell, linear
from .block_cells import LSTMBlockCell
from .cell_activations import Activation
from .cell_base import input_size, step_size
from .cell_states import LSTMStateTuple
from .cell_wrappers import CellWrapper
from .dynamic_rnn import dynamic_rnn
from .lstm_cells import LSTMCell, _clipped, _parts
from .static_rnn import static_rnn


class CoupledInputForgetGateLSTMCell(LSTMCell):
    """An LSTM in which as much enters the memory as is forgotten: the input gate is 1 - the forget gate.

    Args:
        num_units, use_peepholes, initializer, num_proj: as of `LSTMCell`.
        proj_clip, num_unit_shards, num_proj_shards, forget_bias: as there.
        state_is_tuple, activation, reuse, name: as there.

    Raises:
        TypeError: a number of units is not an int, or there is no such activation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.CoupledInputForgetGateLSTMCell(4, use_peepholes=True)
    ...     output, (c, m) = cell(tf.zeros([5, 3]), cell.zero_state(5, tf.float32))
    ...     print([(v.name.partition("/")[2], v.shape.as_list()) for v in cell.variables])
    [('kernel:0', [7, 12]), ('bias:0', [12]), ('w_f_diag:0', [4]), ('w_o_diag:0', [4])]

    Source: TensorFlow 1.x, `tf.contrib.rnn.CoupledInputForgetGateLSTMCell`; Greff et al., arXiv:1503.04069.
    """

    def __init__(
        self, num_units: int, use_peepholes: bool = False, initializer: Any = None, num_proj: int | None = None,
        proj_clip: float | None = None, num_unit_shards: int = 1, num_proj_shards: int = 1, forget_bias: float = 1.0,
        state_is_tuple: bool = True, activation: Activation = None, reuse: Any = None,
        name: str | None = "coupled_input_forget_gate_lstm_cell",
    ) -> None:  # fmt: skip
        super().__init__(num_units, use_peepholes, None, initializer, num_proj, proj_clip, forget_bias=forget_bias,
                         state_is_tuple=state_is_tuple, activation=activation, reuse=reuse, name=name)  # fmt: skip

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, the bias, the weights of peepholes and the projection."""
        units, make, start = self._num_units, self.add_variable, self._initializer
        self._kernel = make("kernel", [step_size(self, inputs_shape) + self.output_size, 3 * units], initializer=start)
        self._bias = make("bias", [3 * units], initializer=ZerosInitializer())
        gates = "fo" if self._use_peepholes else ""
        self._peepholes = [make(f"w_{gate}_diag", [units], initializer=start) for gate in gates]
        if self._num_proj is not None:
            self._projection = make("projection/kernel", [units, self._num_proj], initializer=start)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        """m, and the state (c, m)."""
        c, m = _parts(self, state) if self._state_is_tuple else self._cut(state)
        j, f, o = ops.split(1, 3, linear([inputs, m], self._kernel, self._bias))
        f = ops.add(f, self._forget_bias)
        keep = ops.sigmoid(ops.add(f, self._seen(0, c)) if self._peepholes else f)
        c = ops.add(ops.multiply(keep, c), ops.multiply(1.0 - keep, self._activation(j)))
        m = ops.multiply(ops.sigmoid(ops.add(o, self._seen(1, c)) if self._peepholes else o), self._activation(c))
        if self._projection is not None:
            m = _clipped(ops.matmul(m, self._projection.as_operand()), self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else ops.concat(1, [c, m])


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """The LSTM of cuDNN: no bias of the forget gate, no clipping.

    Args:
        num_units: the size of the memory and of the output.
        reuse: whether existing variables are taken.

    Raises:
        TypeError: `num_units` is not an int.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(cell.variables[0].name)
    cudnn_compatible_lstm_cell/kernel:0

    Source: TensorFlow 1.x, `tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell`.
    """

    def __init__(self, num_units: int, reuse: Any = None) -> None:
        super().__init__(num_units, 0.0, reuse=reuse, name="cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(GRUCell):
    """The GRU of cuDNN: the reset gate is applied to the product of the state, not to the state.

        h = (1 - u) * activation(inputs @ W + a + r * (state @ R + b)) + u * state

    Args:
        num_units: the size of the state and of the output.
        reuse: whether existing variables are taken.
        kernel_initializer: how the kernels start.

    Raises:
        TypeError: `num_units` is not an int.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(cell.variables[2].name)
    cudnn_compatible_gru_cell/candidate/input_projection/kernel:0

    Source: TensorFlow 1.x, `tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell`.
    """

    def __init__(self, num_units: int, reuse: Any = None, kernel_initializer: Any = None) -> None:
        super().__init__(num_units, None, reuse, kernel_initializer, name="cudnn_compatible_gru_cell")

    def build(self, inputs_shape: Any) -> None:
        """Makes kernels and biases of the gates and of both projections."""
        units, rows, start = self._num_units, step_size(self, inputs_shape), self._kernel_initializer

        def pair(name: str, size: int, columns: int, bias: float) -> tuple[Any, Any]:
            kernel = self.add_variable(f"{name}/kernel", [size, columns], initializer=start)
            return kernel, self.add_variable(f"{name}/bias", [columns], initializer=ConstantInitializer(bias))

        self._gates = pair("gates", rows + units, 2 * units, 1.0)
        self._of_inputs = pair("candidate/input_projection", rows, units, 0.0)
        self._of_state = pair("candidate/hidden_projection", units, units, 0.0)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """The new state, twice."""
        r, u = ops.split(1, 2, ops.sigmoid(linear([inputs, state], *self._gates)))
        hidden = ops.multiply(r, linear([state], *self._of_state))
        new = ops.add(ops.multiply(1.0 - u, self._activation(ops.add(linear([inputs], *self._of_inputs), hidden))),
                      ops.multiply(u, state))  # fmt: skip
        return new, new


class HighwayWrapper(CellWrapper):
    """A part of the inputs goes by a cell: inputs * carry + outputs * transform.

    Args:
        cell: the cell, whose outputs have the shape of its inputs.
        couple_carry_transform_gates: whether transform is 1 - carry; otherwise it has weights of its own.
        carry_bias_init: how the bias of carry starts.

    Raises:
        TypeError: `cell` is no cell.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     cell = tf.contrib.rnn.HighwayWrapper(tf.nn.rnn_cell.GRUCell(2), carry_bias_init=50.0)
    ...     output, _ = cell(tf.ones([1, 2]), cell.zero_state(1, tf.float32))
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(output))
    [[1. 1.]]

    Source: TensorFlow 1.x, `tf.contrib.rnn.HighwayWrapper`; Srivastava et al., arXiv:1505.00387.
    """

    def __init__(
        self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0
    ) -> None:
        super().__init__(cell)
        self._is_coupled, self._start = couple_carry_transform_gates, carry_bias_init

    def _around(self, inputs: Any, state: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        outputs, new = super()._around(inputs, state, kwargs)
        if not isinstance(inputs, Tensor):
            raise UseError("HighwayWrapper: inputs must be one tensor")
        carry = _gate(inputs, "carry", self._start)
        through = 1.0 - carry if self._is_coupled else _gate(inputs, "transform", -self._start)
        return ops.add(ops.multiply(inputs, carry), ops.multiply(outputs, through)), new


def _gate(inputs: Tensor, name: str, start: float) -> Tensor:
    size = input_size(inputs.shape)
    weights = get_variable(f"{name}_w", [size, size], inputs.dtype)
    bias = get_variable(f"{name}_b", [size], inputs.dtype, ConstantInitializer(start))
    return ops.sigmoid(linear([inputs], weights, bias))


class FusedRNNCellAdaptor:
    """A cell that is called once for all times, as `LSTMBlockFusedCell` is.

    Args:
        cell: the cell.
        use_dynamic_rnn: whether times are a loop of the graph; otherwise each has nodes of its own.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.FusedRNNCellAdaptor(tf.nn.rnn_cell.GRUCell(4), use_dynamic_rnn=True)
    ...     outputs, state = cell(tf.zeros([5, 2, 3]), dtype=tf.float32)
    ...     print(outputs.shape, state.shape)
    (5, 2, 4) (2, 4)

    Source: TensorFlow 1.x, `tf.contrib.rnn.FusedRNNCellAdaptor`.
    """

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell, self._is_loop = cell, use_dynamic_rnn

    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None, scope: Any = None,
    ) -> tuple[Any, Any]:  # fmt: skip
        """The outputs of all times and the last state; arguments as of `LSTMBlockFusedCell`."""
        is_list = isinstance(inputs, (list, tuple))
        if self._is_loop:
            rows = ops.pack(list(inputs)) if is_list else inputs
            outputs, state = dynamic_rnn(self._cell, rows, sequence_length, initial_state, dtype, time_major=True,
                                         scope=scope)  # fmt: skip
            return (ops.unpack(outputs, len(inputs)) if is_list else outputs), state
        steps = list(inputs) if is_list else ops.unpack(inputs)
        stepped, state = static_rnn(self._cell, steps, initial_state, dtype, sequence_length, scope)
        return (stepped if is_list else ops.pack(stepped)), state


class TimeReversedFusedRNN:
    """A fused cell that reads the times backwards; its outputs are in their order again.

    Args:
        cell: a `LSTMBlockFusedCell`, or a `FusedRNNCellAdaptor`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     backwards = tf.contrib.rnn.TimeReversedFusedRNN(tf.contrib.rnn.LSTMBlockFusedCell(4))
    ...     outputs, state = backwards(tf.zeros([5, 2, 3]), dtype=tf.float32, sequence_length=[5, 3])
    ...     print(outputs.shape)
    (5, 2, 4)

    Source: TensorFlow 1.x, `tf.contrib.rnn.TimeReversedFusedRNN`.
    """

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None, scope: Any = None,
    ) -> tuple[Any, Any]:  # fmt: skip
        """The outputs of all times and the state after the first; arguments as of `LSTMBlockFusedCell`."""
        backwards = time_reversed(inputs, sequence_length)
        outputs, state = self._cell(backwards, initial_state, dtype, sequence_length, scope)
        return time_reversed(outputs, sequence_length), state


def time_reversed(rows: Any, lengths: Any) -> Any:
    """Time-major rows in the order of their times backwards, each sequence within its length."""
    if isinstance(rows, (list, tuple)):
        return ops.unpack(time_reversed(ops.pack(list(rows)), lengths), len(rows))
    if lengths is None:
        return rows[::-1]
    return ops.transpose(ops.reverse_sequence(ops.transpose(rows, [1, 0, 2]), lengths, 1), [1, 0, 2])
