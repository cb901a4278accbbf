"""AttentionWrapper: a cell that sees, besides its inputs, what an attention mechanism reads from a memory."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..control_flow.structures import flat, packed
from ..control_flow.tensor_array import TensorArray
from ..derivatives import rule_namespace as ops
from ..errors import UseError, ValueRuleError
from ..graph.building.context_functions import name_scope
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import as_dtype, int32
from ..graph.shapes.shape import TensorShape
from ..layers.dense_layer import Dense
from ..recurrent.cell_base import RNNCell, check_cell
from ..recurrent.cell_states import sizes_of, zeros_of
from .attention import AttentionMechanism


class _Parts(NamedTuple):
    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any


class AttentionWrapperState(_Parts):
    """The state of an `AttentionWrapper`: that of the cell, the attention, the step, and the alignments.

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.AttentionWrapperState`.
    """

    __slots__ = ()

    def clone(self, **parts: Any) -> AttentionWrapperState:
        """The state with other parts.

        Args:
            parts: the new parts, by their names.

        Returns:
            An AttentionWrapperState.

        Raises:
            ValueError: a part has another static shape than before.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     attention = tf.contrib.seq2seq.LuongAttention(4, tf.zeros([2, 5, 3]))
        ...     cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), attention)
        ...     cell.zero_state(2, tf.float32).clone(cell_state=tf.ones([2, 4])).cell_state.shape
        TensorShape((2, 4))
        """
        for label, part in parts.items():
            for new, old in zip(flat(part), flat(getattr(self, label)), strict=False):
                if isinstance(new, Tensor) and isinstance(old, Tensor) and not new.shape.is_compatible_with(old.shape):
                    raise ValueRuleError(f"clone: {label} has shape {new.shape}, and the state has {old.shape}")
        return self._replace(**parts)


class AttentionWrapper(RNNCell):
    """A cell with attention: its inputs and the last attention, side by side, go to the cell inside, and its outputs
    ask the mechanism for the next attention.

    Args:
        cell: a cell.
        attention_mechanism: a `LuongAttention`, `BahdanauAttention` or another `AttentionMechanism`; or a list of them.
        attention_layer_size: the size of the attention, which a layer makes of the cell's output and what was read;
            None takes what was read. A list for a list of mechanisms.
        alignment_history: whether the last state has the alignments of all steps, as a `tf.TensorArray`.
        cell_input_fn: a function of inputs and attention that gives the inputs of the cell; side by side by default.
        output_attention: whether the output is the attention, else the cell's.
        initial_cell_state: the state of the cell inside that `zero_state` gives.
        name: the name of the variable scope; by default "attention_wrapper".
        attention_layer: a layer, or a list of layers, in the place of `attention_layer_size`.
        attention_fn: a function of (mechanism, cell output, attention state, layer) that gives (attention, alignments,
            next attention state).

    Raises:
        TypeError: `cell` is no cell, a mechanism none, or a function no function.
        ValueError: the numbers of layers and mechanisms differ, or both size and layer are given.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     memory = tf.zeros([2, 7, 3])
    ...     attention = tf.contrib.seq2seq.BahdanauAttention(5, memory)
    ...     cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), attention, attention_layer_size=6)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, state.alignments.shape, [v.name for v in tf.trainable_variables()][-1])
    (2, 6) (2, 7) attention_wrapper/attention_layer/kernel:0

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.AttentionWrapper`.
    """

    def __init__(
        self, cell: Any, attention_mechanism: Any, attention_layer_size: Any = None, alignment_history: bool = False,
        cell_input_fn: Any = None, output_attention: bool = True, initial_cell_state: Any = None,
        name: str | None = None, attention_layer: Any = None, attention_fn: Any = None
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        check_cell("cell", cell)
        self._has_one = not isinstance(attention_mechanism, (list, tuple))
        self._mechanisms = [attention_mechanism] if self._has_one else list(attention_mechanism)
        for each in self._mechanisms:
            if not isinstance(each, AttentionMechanism):
                raise UseError("attention_mechanism must be an AttentionMechanism or list of multiple "
                               f"AttentionMechanism instances, saw type: {type(each).__name__}")  # fmt: skip
        for label, function in (("cell_input_fn", cell_input_fn), ("attention_fn", attention_fn)):
            if function is not None and not callable(function):
                raise UseError(f"{label} must be callable, saw type: {type(function).__name__}")
        if attention_layer is not None and attention_layer_size is not None:
            raise ValueRuleError("Only one of attention_layer_size and attention_layer should be set")
        self._cell, self._history, self._output_attention = cell, alignment_history, output_attention
        self._input_fn = cell_input_fn or _side_by_side
        self._attention_fn = attention_fn or read_memory
        self._layers = self._layers_of(attention_layer_size, attention_layer)
        self._initial = None
        if initial_cell_state is not None:
            with name_scope("AttentionWrapperInit"):
                tensors = [ops.identity(ops.convert_to_tensor(each)) for each in flat(initial_cell_state)]
                self._initial = packed(initial_cell_state, tensors)

    def _layers_of(self, sizes: Any, layers: Any) -> list[Any]:
        count = len(self._mechanisms)
        for label, value in (("attention_layer_size", sizes), ("attention_layer", layers)):
            if value is None:
                continue
            listed = list(value) if isinstance(value, (list, tuple)) else [value]
            if len(listed) != count:
                raise ValueRuleError(f"If provided, {label} must contain exactly one entry per attention_mechanism, "
                                     f"saw: {len(listed)} vs {count}")  # fmt: skip
            if label == "attention_layer":
                return listed
            return [Dense(size, use_bias=False, name="attention_layer", dtype=each.keys.dtype)
                    for size, each in zip(listed, self._mechanisms, strict=True)]  # fmt: skip
        return [None] * count

    def _attention_size(self) -> int:
        total = 0
        for layer, mechanism in zip(self._layers, self._mechanisms, strict=True):
            size = mechanism.values.shape.raw[-1] if layer is None else getattr(layer, "units", None)
            if size is None:
                depth = mechanism.values.shape.raw[-1] + sizes_of(self._cell.output_size)[-1]
                size = TensorShape(layer.compute_output_shape(TensorShape([None, depth]))).as_list()[-1]
            total += int(size or 0)
        return total

    @property
    def output_size(self) -> Any:
        """The size of the attention, or of the output of the cell inside."""
        return self._attention_size() if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        """The sizes of the parts of the state."""
        sizes = [each.alignments_size for each in self._mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size, attention=self._attention_size(), time=TensorShape([]),
            alignments=self._one_or_tuple(sizes),
            alignment_history=self._one_or_tuple([TensorShape([]) if self._history else () for _ in sizes]),
            attention_state=self._one_or_tuple([each.state_size for each in self._mechanisms]),
        )  # fmt: skip

    def _one_or_tuple(self, parts: list[Any]) -> Any:
        return parts[0] if self._has_one else tuple(parts)

    def _as_list(self, part: Any) -> list[Any]:
        return [part] if self._has_one else list(part)

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """The state before the first step: zeros, or the `initial_cell_state`.

        Args:
            batch_size: the number of rows, an int or an int scalar.
            dtype: the dtype of all tensors.

        Returns:
            An AttentionWrapperState.

        Raises:
            TypeError: there is no such dtype, or `batch_size` is not int.
        """
        with name_scope("AttentionWrapperZeroState"):
            dtype = as_dtype(dtype)
            inside = self._cell.zero_state(batch_size, dtype) if self._initial is None else self._initial
            alignments = [each.initial_alignments(batch_size, dtype) for each in self._mechanisms]
            return AttentionWrapperState(
                cell_state=inside,
                attention=zeros_of(self._attention_size(), batch_size, dtype),
                time=ops.constant(0, int32),
                alignments=self._one_or_tuple(alignments),
                alignment_history=self._one_or_tuple([
                    TensorArray(dtype, 0, dynamic_size=True, element_shape=each.shape) if self._history else ()
                    for each in alignments
                ]),
                attention_state=self._one_or_tuple([
                    each.initial_state(batch_size, dtype) for each in self._mechanisms
                ]),
            )

    def call(self, inputs: Any, state: Any) -> tuple[Any, AttentionWrapperState]:
        """The output and the next state."""
        if not isinstance(state, AttentionWrapperState):
            raise UseError(f"Expected state to be instance of AttentionWrapperState. Received type "
                           f"{type(state).__name__} instead: take cell.zero_state(batch_size, dtype)")  # fmt: skip
        output, cell_state = self._cell(self._input_fn(inputs, state.attention), state.cell_state)
        attentions: list[Any] = []
        alignments: list[Any] = []
        histories: list[Any] = []
        states: list[Any] = []
        parts = zip(self._mechanisms, self._layers, self._as_list(state.attention_state),
                    self._as_list(state.alignment_history), strict=True)  # fmt: skip
        for mechanism, layer, before, history in parts:
            attention, weights, after = self._attention_fn(mechanism, output, before, layer)
            attentions.append(attention)
            alignments.append(weights)
            states.append(after)
            histories.append(history.write(state.time, weights) if self._history else ())
        attention = attentions[0] if len(attentions) == 1 else ops.concat(1, attentions)
        following = AttentionWrapperState(
            cell_state=cell_state, attention=attention, time=state.time + 1, alignments=self._one_or_tuple(alignments),
            alignment_history=self._one_or_tuple(histories), attention_state=self._one_or_tuple(states),
        )  # fmt: skip
        return (attention if self._output_attention else output), following


def _side_by_side(inputs: Tensor, attention: Tensor) -> Tensor:
    return ops.concat((inputs.shape.ndims or 2) - 1, [inputs, attention])


def read_memory(mechanism: AttentionMechanism, output: Tensor, state: Any, layer: Any) -> tuple[Any, Any, Any]:
    """What a mechanism reads for the output of a cell: (attention, alignments, next attention state)."""
    alignments, after = mechanism(output, state=state)
    context = ops.squeeze(ops.matmul(ops.expand_dims(alignments, 1), mechanism.values), [1])
    attention = context if layer is None else layer(ops.concat(1, [output, context]))
    return attention, alignments, after
