"""`PhasedLSTMCell`: an LSTM whose units open at times of their own."""

from __future__ import annotations

from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import UseError
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import DType
from ..variables.constant_initializers import ConstantInitializer, ZerosInitializer
from .basic_cells import linear
from .cell_base import CellOfUnits, input_size, units_of
from .cell_states import LSTMStateTuple


class PhasedLSTMCell(CellOfUnits):
    """An LSTM for inputs that come at irregular times. Each unit is open during a part of a period of its own.

        i, f, j, o = the gates of an LSTM without a bias of the forget gate
        r = (time - phase) % period / period
        k = 2 r / ratio_on while it opens, 2 - 2 r / ratio_on while it closes, leak * r while it is closed
        c = k * new c + (1 - k) * c, and h likewise

    Args:
        num_units: the number of units.
        use_peepholes: whether gates see the memory.
        leak: how far closed units are open.
        ratio_on: the share of its period in which a unit is open.
        trainable_ratio_on: whether optimizers change that share.
        period_init_min, period_init_max: between which numbers periods start; their logarithms are uniform.
        reuse: whether existing variables are taken.

    Raises:
        TypeError: `num_units` is not an int, or the inputs are no pair.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.PhasedLSTMCell(4)
    ...     inputs = tf.placeholder(tf.float32, [2, 5, 1]), tf.placeholder(tf.float32, [2, 5, 3])
    ...     outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
    ...     print(outputs.shape, [v.name for v in cell.variables][-3:])
    (2, 5, 4) ['rnn/phased_lstm_cell/period:0', 'rnn/phased_lstm_cell/phase:0', 'rnn/phased_lstm_cell/ratio_on:0']

    Source: TensorFlow 1.x, `tf.contrib.rnn.PhasedLSTMCell`; Neil et al., arXiv:1610.09513.
    """

    def __init__(
        self, num_units: int, use_peepholes: bool = False, leak: Any = 0.001, ratio_on: Any = 0.1,
        trainable_ratio_on: bool = True, period_init_min: Any = 1.0, period_init_max: Any = 1000.0, reuse: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(_reuse=reuse, name="phased_lstm_cell")
        self._num_units = units_of(num_units, "PhasedLSTMCell: num_units")
        self._use_peepholes, self._leak = use_peepholes, leak
        self._ratio, self._learns_ratio = ratio_on, trainable_ratio_on
        self._range = period_init_min, period_init_max

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and of h."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: Any) -> None:
        """Makes kernels and biases of the gates, periods, phases and shares."""
        if not isinstance(inputs_shape, tuple) or len(inputs_shape) != 2:
            raise UseError("PhasedLSTMCell: inputs are a pair (time, x): times of shape [batch, 1], and features of "
                           "shape [batch, size]; tf.nn.dynamic_rnn(cell, (times, x)) gives it both")  # fmt: skip
        units = self._num_units
        rows = input_size(inputs_shape[1]) + units
        seen = units if self._use_peepholes else 0
        self._mask = self._pair("mask_gates", rows + seen, 2 * units)
        self._new = self._pair("new_input", rows, units)
        self._out = self._pair("output_gate", rows + seen, units)
        self._period = self.add_variable("period", [units], "float32", initializer=self._periods)
        self._phase = self.add_variable("phase", [units], "float32", initializer=self._phases)
        self._open = self.add_variable("ratio_on", [units], "float32", initializer=ConstantInitializer(self._ratio),
                                       trainable=self._learns_ratio)  # fmt: skip

    def _pair(self, name: str, rows: int, columns: int) -> tuple[Any, Any]:
        kernel = self.add_variable(f"{name}/kernel", [rows, columns], "float32")
        return kernel, self.add_variable(f"{name}/bias", [columns], "float32", initializer=ZerosInitializer())

    def _periods(self, shape: Any, dtype: DType, partition_info: Any = None) -> Tensor:
        least, most = (ops.log(ops.convert_to_tensor(each, dtype)) for each in self._range)
        return ops.exp(ops.random_uniform(shape, least, most, dtype))

    def _phases(self, shape: Any, dtype: DType, partition_info: Any = None) -> Tensor:
        return ops.multiply(ops.random_uniform(shape, dtype=dtype), self._period.initial_value)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, LSTMStateTuple]:
        """h, and the state (c, h), for a pair of times and features."""
        (time, x), (c, h) = inputs, state
        seen = self._use_peepholes
        i, f = ops.split(1, 2, ops.sigmoid(linear([x, h, c] if seen else [x, h], *self._mask)))
        new_c = ops.add(ops.multiply(c, f), ops.multiply(i, ops.tanh(linear([x, h], *self._new))))
        out = ops.sigmoid(linear([x, h, new_c] if seen else [x, h], *self._out))
        new_h = ops.multiply(ops.tanh(new_c), out)
        k = self._openness(time)
        rest = 1.0 - k
        c, h = ops.add(ops.multiply(k, new_c), rest * c), ops.add(ops.multiply(k, new_h), rest * h)
        return h, LSTMStateTuple(c, h)

    def _openness(self, time: Tensor) -> Tensor:
        phase, period = (ops.cast(each.as_operand(), time.dtype) for each in (self._phase, self._period))
        shifted = ops.subtract(time, phase)
        turned = ops.add(ops.stop_gradient(ops.subtract(ops.floormod(shifted, period), shifted)), shifted)
        cycle = ops.cast(ops.divide(turned, period), "float32")
        share = self._open.as_operand()
        up = ops.divide(2.0 * cycle, share)
        closed = ops.multiply(ops.convert_to_tensor(self._leak, "float32"), cycle)
        k = ops.select(ops.less(cycle, share), 2.0 - up, closed)
        return ops.select(ops.less(cycle, 0.5 * share), up, k)
