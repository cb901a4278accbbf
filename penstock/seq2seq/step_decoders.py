"""Decoders over lists with one tensor for each step, as in TensorFlow 0.x: of a cell, with attention, of ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..control_flow.structures import flat
from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.model.nodes import Tensor
from ..ops.create.creation import zeros
from ..ops.nn.bias import xw_plus_b
from ..ops.nn.embedding import embedding_lookup
from ..recurrent.basic_cells import new_linear
from ..recurrent.cell_base import check_cell, input_size
from ..recurrent.cell_states import batch_size_of
from ..variables.get_variable import get_variable
from ..variables.variable_lists import get_variable_scope
from ..variables.variable_scope_block import variable_scope

LoopFunction = Callable[[Any, int], Any]


@hides_frames
def rnn_decoder(
    decoder_inputs: Iterable[Any], initial_state: Any, cell: Any, loop_function: LoopFunction | None = None,
    scope: Any = None
) -> tuple[list[Any], Any]:  # fmt: skip
    """The outputs of a cell for each of a list of inputs, or for inputs made of its own outputs, and its last state.

    Args:
        decoder_inputs: a list of tensors of shape [batch, depth], one for each step.
        initial_state: the state before the first step.
        cell: a cell.
        loop_function: a function of the last output and the number of the step that gives the inputs of all steps but
            the first; None takes those of the list.
        scope: the name of the variable scope, or the scope; by default "rnn_decoder".

    Returns:
        A list of outputs, and the last state.

    Raises:
        TypeError: `cell` is no cell.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.GRUCell(3)
    ...     outputs, state = tf.nn.seq2seq.rnn_decoder([tf.zeros([2, 4])] * 5, tf.zeros([2, 3]), cell)
    ...     print(len(outputs), outputs[0].shape)
    5 (2, 3)

    Source: TensorFlow 1.15, `tf.contrib.legacy_seq2seq.rnn_decoder`.
    """
    check_cell("cell", cell)
    with variable_scope(scope or "rnn_decoder"):
        state = initial_state
        outputs: list[Any] = []
        for i, each in enumerate(decoder_inputs):
            inputs = _inputs_of(loop_function, each, outputs, i)
            if i:
                get_variable_scope().reuse_variables()
            output, state = cell(inputs, state)
            outputs.append(output)
    return outputs, state


def _inputs_of(loop_function: LoopFunction | None, inputs: Any, outputs: list[Any], step: int) -> Any:
    if loop_function is None or not outputs:
        return inputs
    with variable_scope("loop_function", reuse=True):
        return loop_function(outputs[-1], step)


def vectors_of_largest(embedding: Tensor, projection: Any, update: bool) -> LoopFunction:
    """A loop function: the vector of the id with the largest output."""

    def loop_function(previous: Any, step: int) -> Any:
        if projection is not None:
            previous = xw_plus_b(previous, projection[0], projection[1])
        vectors = embedding_lookup(embedding, ops.argmax(previous, 1))
        return vectors if update else ops.stop_gradient(vectors)

    return loop_function


@hides_frames
@documented_like(rnn_decoder)
def embedding_rnn_decoder(
    decoder_inputs: Sequence[Any], initial_state: Any, cell: Any, num_symbols: int, embedding_size: int,
    output_projection: Any = None, feed_previous: bool = False, update_embedding_for_previous: bool = True,
    scope: Any = None
) -> tuple[list[Any], Any]:  # fmt: skip
    """`rnn_decoder` of ids, with a vector for each.

    Args:
        decoder_inputs: a list of int32 of shape [batch], one for each step.
        num_symbols: the number of ids.
        embedding_size: the size of the vectors.
        output_projection: None, or (W, b) from outputs to scores of ids.
        feed_previous: whether the inputs of all steps but the first are the ids with the largest outputs.
        update_embedding_for_previous: whether the gradient goes through those.

    Raises:
        TypeError: `cell` is no cell.
        ValueError: a shape of `output_projection` does not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     ids, cell = [tf.zeros([2], tf.int32)] * 3, tf.nn.rnn_cell.GRUCell(4)
    ...     decoder = tf.nn.seq2seq.embedding_rnn_decoder
    ...     outputs, _ = decoder(ids, cell.zero_state(2, tf.float32), cell, 10, embedding_size=6)
    ...     print(len(outputs), outputs[0].shape)
    3 (2, 4)
    """
    with variable_scope(scope or "embedding_rnn_decoder"):
        _check_projection(output_projection, num_symbols)
        embedding = get_variable("embedding", [num_symbols, embedding_size]).as_operand()
        again = vectors_of_largest(embedding, output_projection, update_embedding_for_previous)
        vectors = [embedding_lookup(embedding, ids) for ids in decoder_inputs]
        return rnn_decoder(vectors, initial_state, cell, again if feed_previous else None)


def _check_projection(projection: Any, symbols: int) -> None:
    if projection is None:
        return
    biases = ops.convert_to_tensor(projection[1])
    if not biases.shape.is_compatible_with([symbols]):
        raise ShapeError(f"output_projection: the biases have shape {biases.shape}, and there are {symbols} symbols")


@hides_frames
@documented_like(rnn_decoder)
def attention_decoder(
    decoder_inputs: Iterable[Any], initial_state: Any, attention_states: Any, cell: Any, output_size: int | None = None,
    num_heads: int = 1, loop_function: LoopFunction | None = None, dtype: Any = None, scope: Any = None,
    initial_state_attention: bool = False
) -> tuple[list[Any], Any]:  # fmt: skip
    """`rnn_decoder` with attention to the steps of a memory (Vinyals et al., 2014).

    Args:
        attention_states: floats of shape [batch, memory time, size].
        output_size: the size of the outputs; by default that of the cell's.
        num_heads: how many times the memory is read in each step.
        loop_function: as in `rnn_decoder`.
        dtype: the dtype of the variables; by default that of the scope.
        initial_state_attention: whether the memory is read before the first step too; otherwise that gets zeros.

    Raises:
        TypeError: `cell` is no cell.
        ValueError: there is no input, fewer than 1 head, or the size of the memory is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.GRUCell(3)
    ...     decode = tf.nn.seq2seq.attention_decoder
    ...     outputs, _ = decode([tf.zeros([2, 4])] * 5, tf.zeros([2, 3]), tf.zeros([2, 7, 6]), cell, output_size=9)
    ...     print(outputs[0].shape, tf.trainable_variables()[0].name)
    (2, 9) attention_decoder/AttnW_0:0
    """
    check_cell("cell", cell)
    steps = list(decoder_inputs)
    if not steps:
        raise ValueRuleError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueRuleError("With less than 1 heads, use a non-attention decoder.")
    memory = ops.convert_to_tensor(attention_states)
    size = cell.output_size if output_size is None else output_size
    with variable_scope(scope or "attention_decoder", dtype=dtype) as opened:
        heads = _Heads(memory, num_heads, opened.dtype)
        state = initial_state
        outputs: list[Any] = []
        reads = heads.read(state) if initial_state_attention else heads.zeros(ops.convert_to_tensor(steps[0]))
        for i, each in enumerate(steps):
            if i:
                get_variable_scope().reuse_variables()
            inputs = ops.convert_to_tensor(_inputs_of(loop_function, each, outputs, i))
            joined = [ops.cast(t, opened.dtype) for t in (inputs, *reads)]
            output, state = cell(new_linear(joined, input_size(inputs.shape)), state)
            if not i and initial_state_attention:
                with variable_scope(get_variable_scope(), reuse=True):
                    reads = heads.read(state)
            else:
                reads = heads.read(state)
            with variable_scope("AttnOutputProjection"):
                outputs.append(new_linear([ops.cast(output, opened.dtype), *reads], size))
    return outputs, state


class _Heads:
    """What reads a memory."""

    def __init__(self, memory: Tensor, count: int, dtype: Any) -> None:
        self._memory, self._dtype = memory, dtype
        self._size = size = input_size(memory.shape)
        self._length = batch_size_of([memory], 1)
        rows = ops.reshape(memory, [-1, size])
        self._keys, self._vectors = [], []
        for i in range(count):
            kernel = get_variable(f"AttnW_{i}", [1, 1, size, size], dtype).as_operand()
            keys = ops.matmul(rows, ops.reshape(kernel, [size, size]))
            self._keys.append(ops.reshape(keys, ops.pack([-1, self._length, size])))
            self._vectors.append(get_variable(f"AttnV_{i}", [size], dtype).as_operand())

    def read(self, state: Any) -> list[Tensor]:
        """What each head reads for a state."""
        contexts = []
        for i, (keys, vector) in enumerate(zip(self._keys, self._vectors, strict=True)):
            with variable_scope(f"Attention_{i}"):
                query = ops.cast(ops.expand_dims(new_linear(flat(state), self._size), 1), self._dtype)
                scores = ops.cast(ops.reduce_sum(vector * ops.tanh(keys + query), [2]), "float32")
                weights = ops.cast(ops.softmax(scores), self._dtype)
                contexts.append(ops.reduce_sum(ops.expand_dims(weights, 2) * self._memory, [1]))
        return contexts

    def zeros(self, inputs: Tensor) -> list[Tensor]:
        """What is read before the first step."""
        zero_contexts = [zeros(ops.pack([ops.shape(inputs)[0], self._size]), self._dtype) for _ in self._keys]
        for each in zero_contexts:
            each.set_shape([None, self._size])
        return zero_contexts


@hides_frames
def embedding_attention_decoder(
    decoder_inputs: Sequence[Any], initial_state: Any, attention_states: Any, cell: Any, num_symbols: int,
    embedding_size: int, num_heads: int = 1, output_size: int | None = None, output_projection: Any = None,
    feed_previous: bool = False, update_embedding_for_previous: bool = True, dtype: Any = None, scope: Any = None,
    initial_state_attention: bool = False
) -> tuple[list[Any], Any]:  # fmt: skip
    """`attention_decoder` of ids, with a vector for each.

    Args:
        decoder_inputs: a list of int32 of shape [batch], one for each step.
        initial_state, attention_states, cell: as in `attention_decoder`.
        num_symbols: the number of ids.
        embedding_size: the size of the vectors.
        num_heads, output_size: as in `attention_decoder`.
        output_projection, feed_previous, update_embedding_for_previous: as in `embedding_rnn_decoder`.
        dtype, initial_state_attention: as in `attention_decoder`.
        scope: the name of the variable scope, or the scope; by default "embedding_attention_decoder".

    Returns:
        A list of outputs, and the last state.

    Raises:
        TypeError, ValueError: as in `attention_decoder`; or a shape of `output_projection` does not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     ids, cell, memory = [tf.zeros([2], tf.int32)] * 3, tf.nn.rnn_cell.GRUCell(4), tf.zeros([2, 5, 4])
    ...     decoder = tf.nn.seq2seq.embedding_attention_decoder
    ...     outputs, _ = decoder(ids, cell.zero_state(2, tf.float32), memory, cell, 10, embedding_size=6)
    ...     print(len(outputs), outputs[0].shape)
    3 (2, 4)

    Source: TensorFlow 1.15, `tf.contrib.legacy_seq2seq.embedding_attention_decoder`.
    """
    size = cell.output_size if output_size is None else output_size
    _check_projection(output_projection, num_symbols)
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = get_variable("embedding", [num_symbols, embedding_size]).as_operand()
        again = vectors_of_largest(embedding, output_projection, update_embedding_for_previous)
        vectors = [embedding_lookup(embedding, ids) for ids in decoder_inputs]
        return attention_decoder(vectors, initial_state, attention_states, cell, size, num_heads,
                                 again if feed_previous else None,
                                 initial_state_attention=initial_state_attention)  # fmt: skip
