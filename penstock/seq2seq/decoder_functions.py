"""Decoders of TensorFlow 1.0: a loop over a cell in which a function gives each input, and the two plain functions.

A *decoder function* takes (time, cell_state, cell_input, cell_output, context_state) and gives (done, cell_state,
cell_input, emitted output, context_state). Before the first step `cell_state` and `cell_output` are None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..control_flow.call_errors import all_or_told
from ..control_flow.cond import cond
from ..control_flow.structures import flat
from ..control_flow.tensor_array import TensorArray
from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, UseError, ValueRuleError
from ..graph.building.context_functions import name_scope
from ..graph.common.tracebacks import hides_frames
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import as_dtype, bool_, float32, int32
from ..recurrent.raw_rnn import raw_rnn

DecoderFunction = Callable[..., tuple[Any, Any, Any, Any, Any]]


@hides_frames
def dynamic_rnn_decoder(
    cell: Any,
    decoder_fn: DecoderFunction,
    inputs: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any, Any]:
    """The outputs of a cell whose inputs a decoder function gives: from the targets in training, else from its outputs.

    Args:
        cell: an `RNNCell`.
        decoder_fn: a function such as `simple_decoder_fn_train` gives.
        inputs: [batch, time, depth], the inputs in training; None if the function gives all of them.
        sequence_length: [batch], the lengths in training.
        parallel_iterations, swap_memory: accepted for TensorFlow's sake.
        time_major: whether inputs and outputs are [time, batch, depth].
        scope: the variable scope, or its name; by default "rnn".
        name: the name of the scope of the operations.

    Returns:
        (the outputs [batch, time, size], the last state of the cell, the last context state). Outputs of sequences that
        have ended are zeros.

    Raises:
        UseError: `decoder_fn` is not callable.
        ValueError: `inputs` has fewer than two dimensions, or comes without `sequence_length`.

    >>> import penstock as tf
    >>> seq2seq = tf.contrib.seq2seq
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     fn = seq2seq.simple_decoder_fn_train(tf.zeros([2, 4]))
    ...     cell = tf.nn.rnn_cell.GRUCell(4)
    ...     outputs, state, _ = seq2seq.dynamic_rnn_decoder(cell, fn, tf.ones([2, 3, 5]), [3, 1])
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(outputs).any(2))
    [[ True  True  True]
     [ True False False]]

    Source: TensorFlow 1.0, `tf.contrib.seq2seq.dynamic_rnn_decoder`.
    """
    if not callable(decoder_fn):
        raise UseError(f"dynamic_rnn_decoder: decoder_fn must be callable, not {decoder_fn!r}")

    def build() -> tuple[Tensor, Any, Any]:
        with name_scope(name or "dynamic_rnn_decoder"):
            fed = None if inputs is None else _Fed(inputs, sequence_length, time_major)
            loop_fn = _loop_function(decoder_fn, fed)
            emitted, state, loop_state = raw_rnn(cell, loop_fn, parallel_iterations, swap_memory, scope)
            outputs = emitted.stack()
            if not time_major:
                outputs = ops.transpose(outputs, [1, 0, *range(2, outputs.shape.ndims or 3)])
            return outputs, state, loop_state[1] if isinstance(loop_state, tuple) else None

    made: tuple[Tensor, Any, Any] = all_or_told("dynamic_rnn_decoder", [], build)
    return made


class _Fed:
    """The inputs of training: those of each time, and zeros behind the last one."""

    def __init__(self, inputs: Any, lengths: Any, time_major: bool) -> None:
        rows = ops.convert_to_tensor(inputs)
        if rows.shape.ndims is not None and rows.shape.ndims < 2:
            raise ShapeError(f"inputs must have at least two dimensions, but has shape {rows.shape}")
        if lengths is None:
            raise ValueRuleError("sequence_length says where the inputs end; give it with inputs")
        if not time_major:
            rows = ops.transpose(rows, [1, 0, *range(2, rows.shape.ndims or 3)])
        self.lengths = ops.convert_to_tensor(lengths)
        self._steps = ops.shape(rows)[0]
        self._first = ops.zeros_like(rows[0])
        self._rows = TensorArray(rows.dtype, self._steps, clear_after_read=False).unstack(rows)

    def at(self, time: Any) -> Tensor:
        """The inputs of a time."""
        made: Tensor = cond(ops.less(time, self._steps), lambda: self._rows.read(time), lambda: self._first)
        return made


def _loop_function(decoder_fn: DecoderFunction, fed: _Fed | None) -> Callable[..., Any]:
    """The function that `raw_rnn` asks. Its loop state is what is done, with the context state if there is one."""

    def loop_fn(time: Any, output: Any, state: Any, loop_state: Any) -> Any:
        context = loop_state[1] if isinstance(loop_state, tuple) else None
        given = None if fed is None else fed.at(time)
        done, state, following, emitted, context = decoder_fn(time, state, given, output, context)
        if done is None:
            if fed is None:
                raise ValueRuleError("decoder_fn gives None for what is done; without inputs it has to say which "
                                     "sequences have ended")  # fmt: skip
            done = ops.greater_equal(time, fed.lengths)
        return done, following, state, emitted, done if context is None else (done, context)

    return loop_fn


def simple_decoder_fn_train(encoder_state: Any, name: str | None = None) -> DecoderFunction:
    """The decoder function of training: each input is that of the targets, and the first state is the encoder's.

    Args:
        encoder_state: the state of the encoder, with the structure of the states of the decoder's cell.
        name: the name of the scope of the operations.

    Returns:
        A function for `dynamic_rnn_decoder`.

    Raises:
        ValueError (in the decoder): the state has another structure than those of the cell.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     fn = tf.contrib.seq2seq.simple_decoder_fn_train(tf.zeros([2, 4]))
    ...     done, state, _, _, context = fn(0, None, tf.ones([2, 3]), None, None)
    >>> done, state.shape, context
    (None, TensorShape((2, 4)), None)

    Source: TensorFlow 1.0, `tf.contrib.seq2seq.simple_decoder_fn_train`.
    """

    def decoder_fn(time: Any, cell_state: Any, cell_input: Any, cell_output: Any, context_state: Any) -> Any:
        return None, encoder_state if cell_state is None else cell_state, cell_input, cell_output, context_state

    return decoder_fn


def simple_decoder_fn_inference(
    output_fn: Callable[[Any], Any] | None,
    encoder_state: Any,
    embeddings: Any,
    start_of_sequence_id: Any,
    end_of_sequence_id: Any,
    maximum_length: Any,
    num_decoder_symbols: Any,
    dtype: Any = int32,
    name: str | None = None,
) -> DecoderFunction:
    """The decoder function that goes on with its own words: each input is the embedding of the likeliest one.

    Args:
        output_fn: gives logits of an output of the cell; None if that is what the cell gives.
        encoder_state: the state of the encoder.
        embeddings: [words, depth], the row of each word.
        start_of_sequence_id, end_of_sequence_id: the words at which sequences begin and end.
        maximum_length: the time after which all sequences have ended.
        num_decoder_symbols: the number of words.
        dtype: of the ids.
        name: the name of the scope of the operations.

    Returns:
        A function for `dynamic_rnn_decoder`, which then gets no inputs. Its outputs are logits.

    Raises:
        ValueError (in the decoder): `dynamic_rnn_decoder` gives it inputs.

    >>> import penstock as tf
    >>> seq2seq = tf.contrib.seq2seq
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     fn = seq2seq.simple_decoder_fn_inference(None, tf.zeros([2, 4]), tf.eye(4), 0, 3, 5, 4)
    ...     logits, _, _ = seq2seq.dynamic_rnn_decoder(tf.nn.rnn_cell.GRUCell(4), fn)
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(tf.shape(logits)[2]))
    4

    Source: TensorFlow 1.0, `tf.contrib.seq2seq.simple_decoder_fn_inference`.
    """
    words = DecodedWords(encoder_state, embeddings, start_of_sequence_id, end_of_sequence_id, maximum_length, dtype)

    def decoder_fn(time: Any, cell_state: Any, cell_input: Any, cell_output: Any, context_state: Any) -> Any:
        require_none("simple_decoder_fn_inference", cell_input)
        with name_scope(name or "simple_decoder_fn_inference"):
            if cell_output is None:
                return (*words.first(), ops.zeros([num_decoder_symbols], float32), context_state)
            logits = cell_output if output_fn is None else output_fn(cell_output)
            done, following = words.next(time, logits)
            return done, cell_state, following, logits, context_state

    return decoder_fn


def require_none(call: str, cell_input: Any) -> None:
    """ValueError if a decoder function that makes its own inputs is given one."""
    if cell_input is not None:
        raise ValueRuleError(f"{call}: Expected cell_input to be None, but saw: {cell_input}. Leave out the inputs of "
                             "dynamic_rnn_decoder")  # fmt: skip


class DecodedWords:
    """What decoder functions of inference do with words: the first ones, the likeliest next ones, the end."""

    def __init__(
        self, encoder_state: Any, embeddings: Any, start: Any, end: Any, maximum_length: Any, dtype: Any
    ) -> None:  # fmt: skip
        self._dtype = as_dtype(dtype)
        self._state = encoder_state
        self._embeddings = embeddings
        self._start, self._end = (ops.cast(ops.convert_to_tensor(each), self._dtype) for each in (start, end))
        self._most = ops.cast(ops.convert_to_tensor(maximum_length), int32)
        leaf = ops.convert_to_tensor(flat(encoder_state)[0])
        dims = leaf.shape.raw
        self._batch = dims[0] if dims and isinstance(dims[0], int) else ops.shape(leaf)[0]

    def first(self) -> tuple[Tensor, Any, Tensor]:
        """What is done before the first step, which is nothing; the first state; the embedding of the first word."""
        words = ops.fill([self._batch], self._start)
        return ops.fill([self._batch], ops.constant(False, bool_)), self._state, self._row(words)

    def next(self, time: Any, logits: Any) -> tuple[Tensor, Tensor]:
        """Which sequences have ended, and the embeddings of the likeliest words."""
        words = ops.cast(ops.argmax(logits, 1), self._dtype)
        return ops.logical_or(ops.equal(words, self._end), ops.greater(time, self._most)), self._row(words)

    def _row(self, words: Tensor) -> Tensor:
        made: Tensor = ops.gather(ops.convert_to_tensor(self._embeddings), words)
        return made
