"""Decoders: what a step of decoding is, and `dynamic_decode`, which repeats it until all sequences have ended."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from ..control_flow.structures import flat, packed
from ..control_flow.tensor_array import TensorArray
from ..control_flow.while_loop import while_loop
from ..derivatives import rule_namespace as ops
from ..errors import UseError, ValueRuleError
from ..graph.building.context_functions import name_scope
from ..graph.common.tracebacks import hides_frames
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import int32
from ..graph.shapes.shape import TensorShape
from ..ops.declare.composite import all_or_nothing
from ..recurrent.cell_base import check_cell
from ..recurrent.cell_states import map_leaves, sizes_of, zeros_of
from ..recurrent.masked_steps import exchanged, rows_where
from ..variables.variable_scope_block import variable_scope
from .helpers import Helper


class Decoder:
    """The base of decoders, for `dynamic_decode`.

    A class of decoders has `batch_size`, `output_size`, `output_dtype`, `initialize()`, which gives (finished, inputs,
    state), and `step(time, inputs, state)`, which gives (outputs, state, inputs, finished).

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.Decoder`.
    """

    tracks_own_finished = False

    @property
    def batch_size(self) -> Any:
        """The number of sequences: an int32 scalar."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """The sizes of the outputs of a step, without the batch."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """The dtypes of the outputs of a step."""
        raise NotImplementedError

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """What holds before the first step: (finished, inputs, state).

        Args:
            name: the name of the scope.

        Returns:
            Bools of shape [batch], a structure of inputs and one of states.
        """
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> tuple[Any, Any, Any, Any]:
        """One step.

        Args:
            time: the number of the step, an int32 scalar.
            inputs: the inputs of the step.
            state: the state before.
            name: the name of the scope.

        Returns:
            (outputs, next state, next inputs, finished).
        """
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """What `dynamic_decode` returns in the place of outputs and state. A class of decoders may have it.

        Args:
            outputs: the stacked outputs, time first.
            final_state: the last state.
            sequence_lengths: int32 of shape [batch].

        Returns:
            (outputs, state).
        """
        raise NotImplementedError


class BasicDecoderOutput(NamedTuple):
    """The outputs of a `BasicDecoder`: those of the cell, and the ids that the helper chose.

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.BasicDecoderOutput`.
    """

    rnn_output: Any
    sample_id: Any


class BasicDecoder(Decoder):
    """A cell whose inputs a helper chooses: the targets in training, the sampled ids afterwards.

    Args:
        cell: a cell.
        helper: a `tf.contrib.seq2seq.Helper`.
        initial_state: the state before the first step.
        output_layer: a layer such as `tf.layers.Dense`, through which the outputs of the cell go.

    Raises:
        TypeError: `cell` is no cell, `helper` no helper, or `output_layer` no function.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.GRUCell(3)
    ...     helper = tf.contrib.seq2seq.TrainingHelper(tf.zeros([2, 5, 4]), [5, 2])
    ...     decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    ...     outputs, state, lengths = tf.contrib.seq2seq.dynamic_decode(decoder)
    ...     print(outputs.rnn_output.shape[2], outputs.sample_id.dtype.name, state.shape)
    3 int32 (2, 3)

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.BasicDecoder`.
    """

    @hides_frames
    def __init__(self, cell: Any, helper: Helper, initial_state: Any, output_layer: Any = None) -> None:
        check_cell("cell", cell)
        if not isinstance(helper, Helper):
            raise UseError(f"helper must be a Helper, received: {type(helper).__name__}")
        if output_layer is not None and not callable(output_layer):
            raise UseError(f"output_layer must be a Layer, received: {output_layer!r}")
        self._cell, self._helper = cell, helper
        self._initial_state, self._output_layer = initial_state, output_layer

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:
        """The sizes of cell outputs and ids."""
        return BasicDecoderOutput(output_size_of(self._cell.output_size, self._output_layer),
                                  self._helper.sample_ids_shape)  # fmt: skip

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """The dtypes of cell outputs and ids."""
        dtype = ops.convert_to_tensor(flat(self._initial_state)[0]).dtype
        return BasicDecoderOutput(packed(self.output_size.rnn_output, [dtype] * len(flat(self.output_size.rnn_output))),
                                  self._helper.sample_ids_dtype)  # fmt: skip

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """What holds before the first step."""
        finished, inputs = self._helper.initialize()
        return finished, inputs, self._initial_state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> tuple[Any, Any, Any, Any]:
        """One step of the cell, and the helper's choice."""
        with name_scope(name or "BasicDecoderStep"):
            outputs, after = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=after)
            finished, following, after = self._helper.next_inputs(time=time, outputs=outputs, state=after,
                                                                  sample_ids=ids)  # fmt: skip
        return BasicDecoderOutput(outputs, ids), after, following, finished


def output_size_of(size: Any, layer: Any) -> Any:
    """The size of what a layer gives for outputs of a cell."""
    if layer is None:
        return size
    if hasattr(layer, "compute_output_shape"):
        shape = layer.compute_output_shape(TensorShape([None, *sizes_of(size)]))
        return TensorShape(TensorShape(shape).as_list()[1:])
    units = getattr(layer, "units", None)
    if units is None:
        raise UseError(f"output_layer {layer!r} tells no size of its outputs; give a tf.layers.Dense")
    return TensorShape([*sizes_of(size)[:-1], units])


@hides_frames
def dynamic_decode(
    decoder: Decoder, output_time_major: bool = False, impute_finished: bool = False, maximum_iterations: Any = None,
    parallel_iterations: int = 32, swap_memory: bool = False, scope: Any = None
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The outputs of a decoder for each step until all sequences have ended, its last state, and the lengths.

    Args:
        decoder: a `tf.contrib.seq2seq.Decoder`.
        output_time_major: whether time is the first dimension of the outputs.
        impute_finished: whether sequences that have ended emit zeros and keep their state. It costs a little, and makes
            the last state and the gradients those of each sequence's end.
        maximum_iterations: an int or int32 scalar: decoding ends after so many steps at the latest.
        parallel_iterations, swap_memory: accepted for TensorFlow's sake.
        scope: the name of the variable scope; by default "decoder", made unique.

    Returns:
        (outputs, last state, lengths): the outputs of shape [batch, time] + size, and int32 of shape [batch].

    Raises:
        TypeError: `decoder` is no decoder.
        ValueError: `maximum_iterations` is no scalar, or a state changes its structure or shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     cell = tf.nn.rnn_cell.BasicRNNCell(4, activation=tf.nn.softmax)
    ...     helper = tf.contrib.seq2seq.GreedyEmbeddingHelper(tf.eye(4), start_tokens=[1, 2], end_token=0)
    ...     decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    ...     outputs, _, lengths = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=3)
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(tf.shape(outputs.rnn_output))[[0, 2]])
    [2 4]

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.dynamic_decode`.
    """
    if not isinstance(decoder, Decoder):
        raise UseError(f"Expected decoder to be type Decoder, but saw: {type(decoder).__name__}")

    def build() -> tuple[Any, Any, Any]:
        with variable_scope(scope, "decoder"):
            return _decoded(decoder, output_time_major, impute_finished, maximum_iterations)

    return all_or_nothing([], build)


def _decoded(decoder: Decoder, time_major: bool, impute: bool, most: Any) -> tuple[Any, Any, Any]:
    if most is not None:
        most = ops.convert_to_tensor(most, int32)
        if most.shape.ndims not in (None, 0):
            raise ValueRuleError("maximum_iterations must be a scalar")
    finished, inputs, state = decoder.initialize()
    finished = ops.convert_to_tensor(finished)
    state = map_leaves(lambda each: each if isinstance(each, TensorArray) else ops.convert_to_tensor(each), state)
    if most is not None:
        finished = ops.logical_or(finished, most <= 0)
    sizes, dtypes = decoder.output_size, flat(decoder.output_dtype)
    batch = decoder.batch_size
    zero = packed(sizes, [zeros_of(size, batch, dtype) for size, dtype in zip(flat(sizes), dtypes, strict=True)])
    static = batch if isinstance(batch, int) else None
    known = [TensorShape([static, *sizes_of(size)]) for size in flat(sizes)]
    arrays = [TensorArray(dtype, 0, dynamic_size=True, element_shape=shape, clear_after_read=False)
              for shape, dtype in zip(known, dtypes, strict=True)]  # fmt: skip
    lengths = ops.cast(ops.zeros_like(ops.cast(finished, int32)), int32)

    def body(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> list[Any]:
        outputs, after, following, ended = decoder.step(time, inputs, state)
        ended = ended if decoder.tracks_own_finished else ops.logical_or(ended, finished)
        lengths = ops.select(ops.logical_not(finished), ops.fill(ops.shape(lengths), time + 1), lengths)
        if impute:
            outputs = map_leaves(lambda new, none: rows_where(finished, none, new), outputs, zero)
            after = packed(after, [_kept(finished, old, new) for new, old in
                                   zip(flat(after), flat(state), strict=True)])  # fmt: skip
        arrays = [array.write(time, each) for array, each in zip(arrays, flat(outputs), strict=True)]
        return [time + 1, arrays, after, following, ended, lengths]

    _, arrays, state, _, _, lengths = while_loop(
        lambda time, arrays, state, inputs, finished, lengths: ops.logical_not(ops.reduce_all(finished)), body,
        [0, arrays, state, inputs, finished, lengths], maximum_iterations=most,
    )  # fmt: skip
    outputs = packed(sizes, [array.stack() for array in arrays])
    with suppress(NotImplementedError):
        outputs, state = decoder.finalize(outputs, state, lengths)
    return outputs if time_major else map_leaves(exchanged, outputs), state, lengths


def _kept(finished: Tensor, old: Any, new: Any) -> Any:
    """The old state where a sequence has ended; scalars and arrays of tensors go on."""
    if isinstance(new, Tensor) and isinstance(old, Tensor) and new.shape.ndims is None and old.shape.ndims is not None:
        new = ops.identity(new)
        new.set_shape(old.shape)
    return rows_where(finished, old, new)
