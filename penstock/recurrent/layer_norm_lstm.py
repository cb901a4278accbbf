"""`LayerNormBasicLSTMCell`: an LSTM whose gates and memory are normalized, with dropout of what enters the memory."""

from __future__ import annotations

from typing import Any

from ..derivatives import rule_namespace as ops
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import DTypeLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import float16
from ..ops.nn.bias import bias_add
from ..ops.nn.dropout import dropout
from ..ops.nn.normalization import batch_normalization
from ..variables.constant_initializers import ConstantInitializer
from ..variables.get_variable import get_variable
from ..variables.variable_scope_block import variable_scope
from .cell_activations import Activation, activation_of
from .cell_base import CellOfUnits, input_size, units_of
from .cell_states import LSTMStateTuple


class LayerNormBasicLSTMCell(CellOfUnits):
    """An LSTM in which each gate, and the memory, is normalized over its units.

    Args:
        num_units: the size of the memory and of the output.
        forget_bias: added to the gate that keeps the memory.
        input_size: accepted for TensorFlow's sake, without effect.
        activation: a function of a tensor, or its name in `tf.nn`; by default `tf.tanh`.
        layer_norm: whether there is a normalization; else there is a bias.
        norm_gain: how the factors of the normalization start.
        norm_shift: how its summands start.
        dropout_keep_prob: the probability with which an element that enters the memory stays: a float or a scalar.
        dropout_prob_seed: the seed of dropout.
        reuse: whether existing variables are taken.
        name: the name of the variable scope; by default "layer_norm_basic_lstm_cell".
        dtype: the dtype of the variables; by default that of the first inputs.

    Raises:
        TypeError: `num_units` is not an int, or there is no such activation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.LayerNormBasicLSTMCell(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, [v.name.partition("/")[2] for v in cell.variables][:3])
    (2, 4) ['kernel:0', 'input/gamma:0', 'input/beta:0']

    Source: TensorFlow 1.x, `tf.contrib.rnn.LayerNormBasicLSTMCell`; Ba et al., arXiv:1607.06450.
    """

    @hides_frames
    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: int | None = None,
        activation: Activation = None,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = units_of(num_units, "LayerNormBasicLSTMCell: num_units")
        self._forget_bias = forget_bias
        self._activation = activation_of(activation, ops.tanh)
        self._layer_norm = layer_norm
        self._initial = (norm_gain, norm_shift)
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, LSTMStateTuple]:
        """h, and the state (c, h)."""
        c, h = state
        gates = ops.split(1, 4, self._product(ops.concat(1, [inputs, h])))
        if self._layer_norm:
            labels = ("input", "transform", "forget", "output")
            gates = [self._normalized(gate, label) for gate, label in zip(gates, labels, strict=True)]
        i, j, f, o = gates
        g = self._activation(j)
        if not isinstance(self._keep_prob, (int, float)) or self._keep_prob < 1:
            g = dropout(g, self._keep_prob, seed=self._seed)
        new_c = ops.add(ops.multiply(c, ops.sigmoid(ops.add(f, self._forget_bias))), ops.multiply(ops.sigmoid(i), g))
        if self._layer_norm:
            new_c = self._normalized(new_c, "state")
        new_h = ops.multiply(self._activation(new_c), ops.sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h)

    def _product(self, rows: Tensor) -> Tensor:
        size = 4 * self._num_units
        product = ops.matmul(rows, get_variable("kernel", [input_size(rows.shape), size], rows.dtype).as_operand())
        return product if self._layer_norm else bias_add(product, get_variable("bias", [size], rows.dtype).as_operand())

    def _normalized(self, x: Tensor, scope: str) -> Tensor:
        with variable_scope(scope):
            gamma, beta = (
                get_variable(label, [x.shape.raw[-1]] if x.shape.raw else None, x.dtype, ConstantInitializer(start))
                for label, start in zip(("gamma", "beta"), self._initial, strict=True)
            )
            mean, variance = ops.moments(x, [1], keep_dims=True)
            epsilon = 1e-3 if x.dtype is float16 else 1e-12
            return batch_normalization(x, mean, variance, beta.as_operand(), gamma.as_operand(), epsilon)
