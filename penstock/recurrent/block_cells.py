"""The cells that TensorFlow computes in one kernel: `LSTMBlockCell`, `GRUBlockCell`, `LSTMBlockFusedCell`.

Here every cell is compiled as a whole, so they differ from the others in their variables and defaults only.
"""

from __future__ import annotations

from typing import Any

from ..control_flow.call_errors import all_or_told
from ..control_flow.structures import flat
from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.model.nodes import Tensor
from ..variables.constant_initializers import ConstantInitializer
from .basic_cells import GRUCell
from .cell_base import step_size
from .cell_states import LSTMStateTuple
from .dynamic_rnn import unrolled_in_graph
from .lstm_cells import LSTMCell


class LSTMBlockCell(LSTMCell):
    """An LSTM with TensorFlow's variables of its one-kernel form: peepholes are rows of shape [units].

    Args:
        num_units: the size of the memory and of the output.
        forget_bias: added to the gate that keeps the memory.
        cell_clip: the memory is clipped to [-cell_clip, cell_clip]; None leaves it.
        use_peephole: whether the gates look at the memory.
        dtype: the dtype of the variables; by default that of the first inputs.
        reuse: whether existing variables are taken.
        name: the name of the variable scope; by default "lstm_cell".

    Raises:
        TypeError: `num_units` is not an int.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.LSTMBlockCell(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, [v.name for v in cell.variables])
    (2, 4) ['lstm_cell/kernel:0', 'lstm_cell/bias:0']

    Source: TensorFlow 1.x, `tf.contrib.rnn.LSTMBlockCell`.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: DTypeLike | None = None,
        reuse: Any = None,
        name: str | None = "lstm_cell",
    ) -> None:
        super().__init__(
            num_units, use_peephole, cell_clip, forget_bias=forget_bias, reuse=reuse, name=name, dtype=dtype
        )

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, the bias and the weights of peepholes."""
        units, make = self._num_units, self.add_variable
        self._kernel = make("kernel", [step_size(self, inputs_shape) + units, 4 * units])
        self._bias = make("bias", [4 * units], initializer=ConstantInitializer(0.0))
        order = {gate: make(f"w_{gate}_diag", [units]) for gate in "ifo"} if self._use_peepholes else {}
        self._peepholes = [order[gate] for gate in "fio"] if order else []


class GRUBlockCell(GRUCell):
    """A GRU with TensorFlow's variables of its one-kernel form: gates/w_ru, gates/b_ru, candidate/w_c, candidate/b_c.

    Args:
        num_units: the size of the state and of the output.
        cell_size: an older name of `num_units`.
        reuse: whether existing variables are taken.
        name: the name of the variable scope; by default "gru_cell".
        dtype: the dtype of the variables; by default that of the first inputs.

    Raises:
        TypeError: the number of units is not an int.
        ValueError: it is given twice, or not at all.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.GRUBlockCell(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print([v.name for v in cell.variables])
    ['gru_cell/w_ru:0', 'gru_cell/b_ru:0', 'gru_cell/w_c:0', 'gru_cell/b_c:0']

    Source: TensorFlow 1.x, `tf.contrib.rnn.GRUBlockCell`.
    """

    _prefixes = ("", "")

    def __init__(
        self,
        num_units: int | None = None,
        cell_size: int | None = None,
        reuse: Any = None,
        name: str | None = "gru_cell",
        dtype: DTypeLike | None = None,
    ) -> None:
        if (num_units is None) == (cell_size is None):
            raise ValueRuleError(f"{type(self).__name__}: exactly one of num_units and cell_size must be given")
        units: Any = cell_size if num_units is None else num_units
        super().__init__(units, reuse=reuse, name=name, dtype=dtype)

    def build(self, inputs_shape: Any) -> None:
        """Makes weights and biases of the gates and of the candidate."""
        units, make = self._num_units, self.add_variable
        rows = step_size(self, inputs_shape) + units
        gates, candidate = self._prefixes
        self._gate_kernel = make(f"{gates}w_ru", [rows, 2 * units])
        self._gate_bias = make(f"{gates}b_ru", [2 * units], initializer=ConstantInitializer(1.0))
        self._candidate_kernel = make(f"{candidate}w_c", [rows, units])
        self._candidate_bias = make(f"{candidate}b_c", [units], initializer=ConstantInitializer(0.0))


class GRUBlockCellV2(GRUBlockCell):
    """A `GRUBlockCell` whose variables have the names of a `GRUCell`'s.

    Args:
        num_units: the size of the state and of the output.
        cell_size: an older name of `num_units`.
        reuse: whether existing variables are taken.
        name: the name of the variable scope; by default "gru_cell".
        dtype: the dtype of the variables; by default that of the first inputs.

    Raises:
        TypeError: the number of units is not an int.
        ValueError: it is given twice, or not at all.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.GRUBlockCellV2(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(cell.variables[0].name)
    gru_cell/gates/kernel:0

    Source: TensorFlow 1.x, `tf.contrib.rnn.GRUBlockCellV2`.
    """

    def build(self, inputs_shape: Any) -> None:
        """Makes kernel and bias of the gates and of the candidate."""
        GRUCell.build(self, inputs_shape)


@documented_like(LSTMBlockCell)
class LSTMBlockFusedCell(LSTMBlockCell):
    """An LSTM that is called once for all times: `outputs, state = cell(inputs)`.

    Args:
        name: the name of the variable scope; by default "lstm_fused_cell".
        dtype: the dtype of the variables; by default that of the inputs.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.LSTMBlockFusedCell(4)
    ...     outputs, (c, h) = cell(tf.zeros([5, 2, 3]), dtype=tf.float32)
    ...     print(outputs.shape, h.shape, cell.variables[0].name)
    (5, 2, 4) (2, 4) lstm_fused_cell/kernel:0
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: Any = None,
        name: str | None = "lstm_fused_cell",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_units, forget_bias, cell_clip, use_peephole, dtype, reuse, name)

    @property
    def num_units(self) -> int:
        """The number of units."""
        return self._num_units

    @hides_frames
    def __call__(  # type: ignore[override]
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: Any = None,
    ) -> tuple[Any, LSTMStateTuple]:
        """The outputs of all times and the last state.

        Args:
            inputs: a tensor of shape [time, batch, size], or a list with a tensor [batch, size] for each time.
            initial_state: the state before the first step; zeros by default.
            dtype: the dtype of the state, where there is none before.
            sequence_length: an int vector with the length of each sequence.
            scope: the variable scope, at the first call.
        """
        is_list = not isinstance(inputs, Tensor)
        kind = ops.convert_to_tensor(inputs[0] if is_list else inputs).dtype

        def build() -> tuple[Any, LSTMStateTuple]:
            rows = ops.pack(list(inputs)) if is_list else inputs
            cell = _Inner(self, scope)
            outputs, last = unrolled_in_graph(cell, rows, sequence_length, initial_state, dtype or kind, True)
            return (ops.unpack(outputs, len(inputs)) if is_list else outputs), last

        return all_or_told("LSTMBlockFusedCell", [*flat(inputs), sequence_length], build)


class _Inner:
    """The cell of a `LSTMBlockFusedCell`, for one time."""

    def __init__(self, cell: LSTMBlockFusedCell, scope: Any) -> None:
        self._cell, self._scope = cell, scope
        self.state_size, self.output_size = cell.state_size, cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        return super(LSTMBlockCell, self._cell).__call__(inputs, state, self._scope)
