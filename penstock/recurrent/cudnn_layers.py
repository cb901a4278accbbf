"""`tf.contrib.cudnn_rnn.CudnnLSTM` and its neighbours: layers of recurrent cells over all times.

TensorFlow kept all weights in one vector whose order cuDNN decides. Here each cell has its weights, under the names
that such a layer has in checkpoints: "rnn/multi_rnn_cell/cell_0/cudnn_compatible_lstm_cell/kernel".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, UseError, ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import as_dtype
from ..graph.shapes.shape import TensorShape, as_shape
from ..layers.layer import Layer, known_flag
from ..ops.declare.composite import all_or_nothing
from ..ops.nn.dropout import dropout as dropped
from ..variables.constant_initializers import ZerosInitializer
from ..variables.random_initializers import GlorotUniformInitializer
from ..variables.variable_scope_block import variable_scope
from .basic_cells import BasicRNNCell
from .cell_base import units_of
from .cell_states import LSTMStateTuple
from .coupled_cells import CudnnCompatibleGRUCell, CudnnCompatibleLSTMCell, time_reversed
from .dynamic_rnn import dynamic_rnn

ONE_WAY: Final = "unidirectional"
BOTH_WAYS: Final = "bidirectional"


class _CudnnRNN(Layer):
    """Layers of recurrent cells over all times.

    Args:
        num_layers: how many layers lie on top of each other.
        num_units: the size of each layer, in each direction.
        input_mode: "linear_input"; "auto_select" means the same.
        direction: "unidirectional" or "bidirectional".
        dropout: the share of the values between two layers that is dropped in training.
        seed: the seed of initial weights and of dropout.
        dtype: the dtype of the variables.
        kernel_initializer: how the weights of a gate start; by default Glorot's uniform one.
        bias_initializer: how biases start; by default zeros.
        name: a name for the layer's operations.

    Raises:
        TypeError: a number is not an int.
        ValueError: there is no such direction or mode.
    """

    rnn_mode = ""
    _states = 1

    @hides_frames
    def __init__(
        self, num_layers: int, num_units: int, input_mode: str = "linear_input",
        direction: Literal["unidirectional", "bidirectional"] = ONE_WAY, dropout: float = 0.0, seed: int | None = None,
        dtype: DTypeLike = "float32", kernel_initializer: Any = None, bias_initializer: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(True, name, dtype)
        kind = type(self).__name__
        self.num_layers = units_of(num_layers, f"{kind}: num_layers")
        self.num_units = units_of(num_units, f"{kind}: num_units")
        if direction not in (ONE_WAY, BOTH_WAYS):
            raise ValueRuleError(f"{kind}: Invalid direction: {direction!r}, expected {ONE_WAY!r} or {BOTH_WAYS!r}")
        if input_mode not in ("linear_input", "auto_select"):
            raise ValueRuleError(f"{kind}: input_mode is {input_mode!r}; it is 'linear_input', or 'auto_select', which "
                                 "means the same here: the first layer always has weights for its inputs")  # fmt: skip
        self.direction, self.input_mode = direction, input_mode
        self._dropout, self._seed = dropout, seed
        self._kernel_start = kernel_initializer or GlorotUniformInitializer(seed)
        self._bias_start = bias_initializer or ZerosInitializer()
        self._kind = as_dtype(dtype)
        self._cells: list[Any] = []
        self._input_size: int | None = None

    def _cell(self) -> Any:
        """A new cell of this kind."""
        raise NotImplementedError

    @property
    def num_dirs(self) -> int:
        """1, or 2 for both directions."""
        return 1 if self.direction == ONE_WAY else 2

    @property
    def input_size(self) -> int:
        """The size of the inputs of a step.

        Raises:
            ValueError: the layer has no variables yet.
        """
        if self._input_size is None:
            raise ValueRuleError(f"{self.name}: 'input_size' is unknown since layer has not been built; call it, or "
                                 "call its build(shape)")  # fmt: skip
        return self._input_size

    def state_shape(self, batch_size: int) -> tuple[list[int], ...]:
        """The shapes of the states.

        Args:
            batch_size: the number of sequences.

        Returns:
            A tuple of lists of three ints, one for each state.
        """
        return ([self.num_layers * self.num_dirs, batch_size, self.num_units],) * self._states

    @hides_frames
    def build(self, input_shape: Any) -> None:
        """Makes the variables, which otherwise the first call does.

        Args:
            input_shape: the shape of the inputs, whose last size has to be known.

        Raises:
            ValueError: it has not three sizes, or the last is not known.
        """
        if self.built:
            return
        shape = as_shape(input_shape)
        self._take_size(shape)
        self._run(ops.zeros([1, 1, self.input_size], self._kind), None, None, False)
        self.built = True

    def _take_size(self, shape: TensorShape) -> None:
        if shape.ndims not in (None, 3):
            raise ShapeError(f"{self.name}: Expecting input_shape with 3 dims, [time, batch, size], got {shape}")
        size = shape.raw[-1] if shape.raw else None
        if not isinstance(size, int):
            raise ShapeError(f"{self.name}: The last dimension of the inputs should be defined, and it is not: {shape}")
        self._input_size = size

    @hides_frames
    def __call__(  # type: ignore[override]
        self, inputs: Any, initial_state: Any = None, sequence_lengths: Any = None, time_major: bool = True,
        training: Any = True,
    ) -> tuple[Tensor, tuple[Tensor, ...]]:  # fmt: skip
        """The outputs of all times, and the last states.

        Args:
            inputs: a tensor of shape [time, batch, size]; [batch, time, size] unless `time_major`.
            initial_state: a tuple of tensors of shape [layers * directions, batch, units], h and c of an LSTM; their
                first two sizes are swapped unless `time_major`. Zeros by default.
            sequence_lengths: an int vector with the length of each sequence.
            time_major: whether the first dimension is time.
            training: whether values between the layers are dropped.

        Returns:
            The outputs, [time, batch, directions * units], and a tuple of states like `initial_state`.

        Raises:
            ValueError: a shape does not fit, or there are not as many initial states as an element has.
        """
        def call() -> tuple[Tensor, tuple[Tensor, ...]]:
            x = ops.convert_to_tensor(inputs, self.dtype)
            self._take_size(x.shape)
            states = None
            if initial_state is not None:
                states = [ops.convert_to_tensor(each, self.dtype) for each in self._tuple(initial_state)]
                if any(each.shape.ndims not in (None, 3) for each in states):
                    raise ShapeError(f"{self.name}: the parts of initial_state have shape [layers * directions, batch, "
                                     f"units], and these are {', '.join(str(s.shape) for s in states)}")  # fmt: skip
            if not time_major:
                x = ops.transpose(x, [1, 0, 2])
                states = None if states is None else [ops.transpose(each, [1, 0, 2]) for each in states]
            outputs, last = self._run(x, states, sequence_lengths, training)
            self.built = True
            if not time_major:
                return ops.transpose(outputs, [1, 0, 2]), tuple([ops.transpose(each, [1, 0, 2]) for each in last])
            return outputs, last

        return all_or_nothing([inputs], call)

    def _tuple(self, initial_state: Any) -> Any:
        if not isinstance(initial_state, (tuple, list)) or len(initial_state) != self._states:
            what = "(h, c), two tensors" if self._states == 2 else "(h,), a tuple of one tensor"
            raise UseError(f"{self.name}: initial_state is {what} of shape [layers * directions, batch, units], not "
                           f"{initial_state!r:.80}")  # fmt: skip
        return initial_state

    def _run(
        self, x: Tensor, states: list[Tensor] | None, lengths: Any, training: Any
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        if not self._cells:
            self._cells = [self._cell() for _ in range(self.num_layers * self.num_dirs)]
        last = []
        with variable_scope(self._scope, self._default_scope(), reuse=True if self.built else None) as scope:
            self._scope = scope
            for layer in range(self.num_layers):
                if layer and self._dropout and known_flag(training):
                    x = dropped(x, 1.0 - self._dropout, seed=self._seed)
                outputs = []
                for way in range(self.num_dirs):
                    place = layer * self.num_dirs + way
                    start = None if states is None else self._joined([each[place] for each in states])
                    output, state = self._one(place, layer, way, x, start, lengths)
                    outputs.append(output)
                    last.append(self._parts(state))
                x = outputs[0] if len(outputs) == 1 else ops.concat(2, outputs)
        self._variables = [(v, True) for cell in self._cells for v in cell.variables]
        return x, tuple([ops.pack(list(each)) for each in zip(*last, strict=True)])

    def _default_scope(self) -> str:
        return "rnn" if self.num_dirs == 1 else "stack_bidirectional_rnn"

    def _one(self, place: int, layer: int, way: int, x: Tensor, start: Any, lengths: Any) -> tuple[Tensor, Any]:
        """One direction of one layer."""
        inner = f"multi_rnn_cell/cell_{layer}" if self.num_dirs == 1 else (
            f"cell_{layer}/bidirectional_rnn/{'bw' if way else 'fw'}")  # fmt: skip
        if way:
            x = time_reversed(x, lengths)
        with variable_scope(inner, custom_getter=self._starting) as scope:
            output, state = dynamic_rnn(self._cells[place], x, lengths, start, self.dtype, time_major=True, scope=scope)
        return (time_reversed(output, lengths) if way else output), state

    def _starting(self, getter: Callable[..., Any], name: str, shape: Any, *args: Any, **kwargs: Any) -> Any:
        """`tf.get_variable` for a cell's weights, which start as those of cuDNN: each gate by itself."""
        kwargs["initializer"] = self._bias_start if name.endswith("bias") else self._by_gates
        args = args[:1]
        return getter(name, shape, *args, **kwargs)

    def _by_gates(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        rows, columns = (int(each or 0) for each in as_shape(shape).as_list())
        units, dtype = self.num_units, as_dtype(dtype or "float32")
        heights = [rows - units, units] if rows > units and columns % units == 0 else [rows]
        blocks = [[ops.transpose(self._kernel_start([units, height], dtype=dtype)) for _ in range(columns // units)]
                  for height in heights]  # fmt: skip
        return ops.concat(0, [ops.concat(1, row) for row in blocks])

    def _joined(self, parts: list[Tensor]) -> Any:
        return parts[0]

    def _parts(self, state: Any) -> tuple[Tensor, ...]:
        return (state,)


class CudnnLSTM(_CudnnRNN):
    """Layers of LSTMs over all times, as cuDNN has them: `CudnnCompatibleLSTMCell` in loops that are compiled.

    Args:
        num_layers: how many layers lie on top of each other.
        num_units: the size of each layer, in each direction.
        input_mode: "linear_input"; "auto_select" means the same.
        direction: "unidirectional" or "bidirectional".
        dropout: the share of the values between two layers that is dropped in training.
        seed: the seed of initial weights and of dropout.
        dtype: the dtype of the variables.
        kernel_initializer: how the weights of a gate start; by default Glorot's uniform one.
        bias_initializer: how biases start; by default zeros.
        name: a name for the layer.

    Raises:
        TypeError: a number is not an int.
        ValueError: there is no such direction or mode.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.contrib.cudnn_rnn.CudnnLSTM(2, 4, direction="bidirectional")
    ...     outputs, (h, c) = layer(tf.zeros([5, 3, 2]))  # five times, three sequences
    ...     print(outputs.shape, h.shape)
    (5, 3, 8) (4, 3, 4)

    Source: TensorFlow 1.x, `tf.contrib.cudnn_rnn.CudnnLSTM`.
    """

    rnn_mode = "lstm"
    _states = 2

    def _cell(self) -> Any:
        return CudnnCompatibleLSTMCell(self.num_units)

    def _joined(self, parts: list[Tensor]) -> Any:
        h, c = parts
        return LSTMStateTuple(c, h)

    def _parts(self, state: Any) -> tuple[Tensor, ...]:
        return state.h, state.c


@documented_like(CudnnLSTM)
class CudnnGRU(_CudnnRNN):
    """Layers of GRUs over all times, as cuDNN has them: `CudnnCompatibleGRUCell` in loops that are compiled.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.contrib.cudnn_rnn.CudnnGRU(2, 4)
    ...     outputs, (h,) = layer(tf.zeros([5, 3, 2]))  # five times, three sequences
    ...     print(outputs.shape, h.shape)
    (5, 3, 4) (2, 3, 4)
    """

    rnn_mode = "gru"

    def _cell(self) -> Any:
        return CudnnCompatibleGRUCell(self.num_units)


@documented_like(CudnnLSTM)
class CudnnRNNTanh(_CudnnRNN):
    """Layers of `BasicRNNCell` with tanh over all times.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.contrib.cudnn_rnn.CudnnRNNTanh(1, 4)
    ...     outputs, (h,) = layer(tf.zeros([5, 3, 2]))  # five times, three sequences
    ...     print(outputs.shape, h.shape)
    (5, 3, 4) (1, 3, 4)
    """

    rnn_mode = "rnn_tanh"

    def _cell(self) -> Any:
        return BasicRNNCell(self.num_units, "tanh")


@documented_like(CudnnLSTM)
class CudnnRNNRelu(_CudnnRNN):
    """Layers of `BasicRNNCell` with relu over all times.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.contrib.cudnn_rnn.CudnnRNNRelu(1, 4)
    ...     outputs, (h,) = layer(tf.zeros([5, 3, 2]))  # five times, three sequences
    ...     print(outputs.shape, h.shape)
    (5, 3, 4) (1, 3, 4)
    """

    rnn_mode = "rnn_relu"

    def _cell(self) -> Any:
        return BasicRNNCell(self.num_units, "relu")
