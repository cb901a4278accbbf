"""`BasicLSTMCell` and `LSTMCell`: cells with a memory beside their output."""

from __future__ import annotations

import numbers
from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import UseError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import DTypeLike
from ..graph.model.nodes import Tensor
from ..variables.constant_initializers import ZerosInitializer
from ..variables.variable import Variable
from .basic_cells import linear
from .cell_activations import Activation, activation_of
from .cell_base import CellOfUnits, RNNCell, step_size, units_of
from .cell_states import LSTMStateTuple
from .weights_of_scopes import JoinedStates


class BasicLSTMCell(CellOfUnits):
    """A cell with a memory c, and gates that decide what enters it, stays in it and leaves it.

        i, j, f, o = split([inputs, h] @ kernel + bias)
        c = c * sigmoid(f + forget_bias) + sigmoid(i) * activation(j)
        h = activation(c) * sigmoid(o)

    Args:
        num_units: the size of c and of h.
        forget_bias: added to f, so that much of the memory is kept at first.
        state_is_tuple: whether the state is an `LSTMStateTuple`; else c and h lie side by side in one tensor.
        activation: a function of a tensor, or its name in `tf.nn`; by default `tf.tanh`.
        reuse: whether existing variables are taken.
        name: the name of the variable scope; by default "basic_lstm_cell".
        dtype: the dtype of the variables; by default that of the first inputs.
        kwargs: further arguments of `RNNCell`.

    Raises:
        TypeError: `num_units` is not an int, or there is no such activation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.BasicLSTMCell(4)
    ...     output, (c, h) = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, c.shape, [(v.name, v.shape.as_list()) for v in cell.variables])
    (2, 4) (2, 4) [('basic_lstm_cell/kernel:0', [7, 16]), ('basic_lstm_cell/bias:0', [16])]

    Source: TensorFlow 1.x, `tf.nn.rnn_cell.BasicLSTMCell`; Zaremba et al., arXiv:1409.2329.
    """

    @hides_frames
    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Activation = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units = units_of(num_units, "BasicLSTMCell: num_units")
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple and not JoinedStates.are_on
        self._activation = activation_of(activation, ops.tanh)

    @property
    def state_size(self) -> Any:
        """The sizes of c and h, or their sum."""
        units = self._num_units
        return LSTMStateTuple(units, units) if self._state_is_tuple else 2 * units

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel and the bias."""
        units = self._num_units
        self._kernel = self.add_variable("kernel", [step_size(self, inputs_shape) + units, 4 * units])
        self._bias = self.add_variable("bias", [4 * units], initializer=ZerosInitializer())

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        """h, and the state (c, h)."""
        c, h = _parts(self, state) if self._state_is_tuple else ops.split(1, 2, state)
        i, j, f, o = ops.split(1, 4, linear([inputs, h], self._kernel, self._bias))
        kept = ops.multiply(c, ops.sigmoid(ops.add(f, self._forget_bias)))
        new_c = ops.add(kept, ops.multiply(ops.sigmoid(i), self._activation(j)))
        new_h = ops.multiply(self._activation(new_c), ops.sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else ops.concat(1, [new_c, new_h])


class LSTMCell(RNNCell):
    """An LSTM with all its options: peepholes, clipping, a projection of its output.

        i, j, f, o = split([inputs, m] @ kernel + bias)
        c = sigmoid(f + forget_bias + w_f_diag * c) * c + sigmoid(i + w_i_diag * c) * activation(j)
        m = sigmoid(o + w_o_diag * c) * activation(c) @ projection/kernel

    Args:
        num_units: the size of c.
        use_peepholes: whether the gates look at c, through the diagonal weights w_f_diag, w_i_diag and w_o_diag.
        cell_clip: c is clipped to [-cell_clip, cell_clip]; None leaves it.
        initializer: how the weights start; by default the initializer of the variable scope.
        num_proj: the size of the output, a projection of what comes out of c; None for no projection.
        proj_clip: the projection is clipped to [-proj_clip, proj_clip]; None leaves it.
        num_unit_shards, num_proj_shards: accepted for TensorFlow's sake, without effect.
        forget_bias: added to f, so that much of the memory is kept at first.
        state_is_tuple: whether the state is an `LSTMStateTuple`; else c and m lie side by side in one tensor.
        activation: a function of a tensor, or its name in `tf.nn`; by default `tf.tanh`.
        reuse: whether existing variables are taken.
        name: the name of the variable scope; by default "lstm_cell".
        dtype: the dtype of the variables; by default that of the first inputs.
        kwargs: further arguments of `RNNCell`.

    Raises:
        TypeError: a number of units is not an int, or there is no such activation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.LSTMCell(4, use_peepholes=True, num_proj=2)
    ...     output, (c, m) = cell(tf.zeros([5, 3]), cell.zero_state(5, tf.float32))
    ...     print(output.shape, c.shape, [v.name.partition("/")[2] for v in cell.variables])
    (5, 2) (5, 4) ['kernel:0', 'bias:0', 'w_f_diag:0', 'w_i_diag:0', 'w_o_diag:0', 'projection/kernel:0']

    Source: TensorFlow 1.x, `tf.nn.rnn_cell.LSTMCell`; Sak et al., Interspeech 2014.
    """

    @hides_frames
    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Activation = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units = units_of(num_units, "LSTMCell: num_units")
        self._num_proj = None if num_proj is None else units_of(num_proj, "LSTMCell: num_proj")
        self._use_peepholes = use_peepholes
        self._cell_clip, self._proj_clip = cell_clip, proj_clip
        for label, clip in (("cell_clip", cell_clip), ("proj_clip", proj_clip)):
            if clip is not None and not isinstance(clip, (numbers.Real, Tensor)):
                raise UseError(f"LSTMCell: {label} is a number or a scalar, not {clip!r}")
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple and not JoinedStates.are_on
        self._activation = activation_of(activation, ops.tanh)
        self._peepholes: list[Variable] = []
        self._projection: Variable | None = None

    @property
    def state_size(self) -> Any:
        """The sizes of c and m, or their sum."""
        units, out = self._num_units, self.output_size
        return LSTMStateTuple(units, out) if self._state_is_tuple else units + out

    @property
    def output_size(self) -> int:
        """The size of the projection, or the number of units."""
        return self._num_units if self._num_proj is None else self._num_proj

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, the bias, the weights of peepholes and the projection."""
        units, make = self._num_units, self.add_variable
        rows = step_size(self, inputs_shape) + self.output_size
        self._kernel = make("kernel", [rows, 4 * units], initializer=self._initializer)
        self._bias = make("bias", [4 * units], initializer=ZerosInitializer())
        names = [f"w_{gate}_diag" for gate in "fio"] if self._use_peepholes else []
        self._peepholes = [make(name, [units], initializer=self._initializer) for name in names]
        if self._num_proj is not None:
            shape = [units, self._num_proj]
            self._projection = make("projection/kernel", shape, initializer=self._initializer)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        """m, and the state (c, m)."""
        c, m = _parts(self, state) if self._state_is_tuple else self._cut(state)
        i, j, f, o = ops.split(1, 4, linear([inputs, m], self._kernel, self._bias))
        f = ops.add(f, self._forget_bias)
        if self._peepholes:
            f, i = ops.add(f, self._seen(0, c)), ops.add(i, self._seen(1, c))
        c = ops.add(ops.multiply(ops.sigmoid(f), c), ops.multiply(ops.sigmoid(i), self._activation(j)))
        c = _clipped(c, self._cell_clip)
        if self._peepholes:
            o = ops.add(o, self._seen(2, c))
        m = ops.multiply(ops.sigmoid(o), self._activation(c))
        if self._projection is not None:
            m = _clipped(ops.matmul(m, self._projection.as_operand()), self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else ops.concat(1, [c, m])

    def _seen(self, gate: int, c: Tensor) -> Tensor:
        return ops.multiply(self._peepholes[gate].as_operand(), c)

    def _cut(self, state: Tensor) -> tuple[Tensor, Tensor]:
        units, out = self._num_units, self.output_size
        return ops.slice(state, [0, 0], [-1, units]), ops.slice(state, [0, units], [-1, out])


def _parts(cell: RNNCell, state: Any) -> Any:
    """c and h of a state that is a tuple.

    Raises:
        UseError: it is not.
    """
    if not isinstance(state, (tuple, list)) or len(state) != 2:
        raise UseError(f"the state of {cell.name!r} is a pair (c, h), an LSTMStateTuple, not {state!r}; a single "
                       "tensor is one for state_is_tuple=False")  # fmt: skip
    return state


def _clipped(tensor: Tensor, limit: Any) -> Tensor:
    if limit is None:
        return tensor
    return ops.clip_by_value(tensor, ops.negative(limit) if isinstance(limit, Tensor) else -limit, limit)
