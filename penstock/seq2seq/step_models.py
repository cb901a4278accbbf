"""Models from lists of steps to lists of steps, as in TensorFlow 0.x: an encoder, a decoder, buckets of lengths."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from ..control_flow.cond import cond
from ..control_flow.structures import flat, packed
from ..errors import ValueRuleError
from ..graph.building.context_functions import name_scope
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.shapes.dtypes import as_dtype, float32
from ..ops.move.concat_stack import concat
from ..ops.move.reshaping import expand_dims
from ..ops.nn.embedding import embedding_lookup
from ..recurrent.projection_wrappers import EmbeddingWrapper, OutputProjectionWrapper
from ..recurrent.static_rnn import static_rnn
from ..variables.get_variable import get_variable
from ..variables.variable_lists import get_variable_scope
from ..variables.variable_scope_block import variable_scope
from .step_decoders import (
    LoopFunction,
    embedding_attention_decoder,
    embedding_rnn_decoder,
    rnn_decoder,
    vectors_of_largest,
)
from .step_losses import sequence_loss, sequence_loss_by_example

Decoded = tuple[list[Any], Any]


@hides_frames
def basic_rnn_seq2seq(
    encoder_inputs: Sequence[Any], decoder_inputs: Sequence[Any], cell: Any, dtype: Any = float32, scope: Any = None
) -> Decoded:
    """A cell reads a list of inputs, and another one like it decodes from its last state.

    Args:
        encoder_inputs, decoder_inputs: lists of tensors of shape [batch, depth].
        cell: a cell; the encoder's is a copy.
        dtype: the dtype of the initial state.
        scope: the name of the variable scope, or the scope; by default "basic_rnn_seq2seq".

    Returns:
        A list of outputs, and the last state.

    Raises:
        TypeError, ValueError: as in `tf.nn.static_rnn`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     steps = [tf.zeros([2, 4])] * 5
    ...     outputs, _ = tf.nn.seq2seq.basic_rnn_seq2seq(steps, steps[:3], tf.nn.rnn_cell.GRUCell(3))
    ...     print(len(outputs), tf.trainable_variables()[4].name)
    3 basic_rnn_seq2seq/rnn_decoder/gru_cell/gates/kernel:0

    Source: TensorFlow 1.15, `tf.contrib.legacy_seq2seq.basic_rnn_seq2seq`.
    """
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


@hides_frames
@documented_like(basic_rnn_seq2seq)
def tied_rnn_seq2seq(
    encoder_inputs: Sequence[Any], decoder_inputs: Sequence[Any], cell: Any, loop_function: LoopFunction | None = None,
    dtype: Any = float32, scope: Any = None
) -> Decoded:  # fmt: skip
    """`basic_rnn_seq2seq` with one cell that encodes and decodes.

    Args:
        cell: a cell.
        loop_function: as in `rnn_decoder`.
        scope: the name of the inner variable scope; by default "tied_rnn_seq2seq".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     steps = [tf.zeros([2, 3])] * 5
    ...     outputs, state = tf.nn.seq2seq.tied_rnn_seq2seq(steps, steps[:3], tf.nn.rnn_cell.GRUCell(4))
    ...     print(len(outputs), state.shape)
    3 (2, 4)
    """
    with variable_scope("combined_tied_rnn_seq2seq"):
        inner = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=inner)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function, scope=inner)


@hides_frames
@documented_like(basic_rnn_seq2seq)
def embedding_rnn_seq2seq(
    encoder_inputs: Sequence[Any], decoder_inputs: Sequence[Any], cell: Any, num_encoder_symbols: int,
    num_decoder_symbols: int, embedding_size: int, output_projection: Any = None, feed_previous: Any = False,
    dtype: Any = None, scope: Any = None
) -> Decoded:  # fmt: skip
    """`basic_rnn_seq2seq` of ids, with vectors for those of the encoder and of the decoder.

    Args:
        encoder_inputs, decoder_inputs: lists of int32 of shape [batch].
        num_encoder_symbols, num_decoder_symbols: the numbers of ids.
        embedding_size: the size of the vectors.
        output_projection: None, which makes outputs that are scores of ids; or (W, b) from outputs to scores.
        feed_previous: whether the decoder's inputs behind the first are the ids with the largest scores: a bool, or a
            bool scalar.
        dtype: the dtype of the initial state; by default that of the scope.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     ids = [tf.zeros([2], tf.int32)] * 5
    ...     model = tf.nn.seq2seq.embedding_rnn_seq2seq
    ...     outputs, _ = model(ids, ids[:3], tf.nn.rnn_cell.GRUCell(3), 10, 12, embedding_size=4)
    ...     print(len(outputs), outputs[0].shape)
    3 (2, 12)
    """
    with variable_scope(scope or "embedding_rnn_seq2seq") as opened:
        dtype = _settled(opened, dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
        return _either(feed_previous, lambda flag: embedding_rnn_decoder(
            decoder_inputs, state, cell, num_decoder_symbols, embedding_size, output_projection, flag))  # fmt: skip


@hides_frames
@documented_like(basic_rnn_seq2seq)
def embedding_tied_rnn_seq2seq(
    encoder_inputs: Sequence[Any], decoder_inputs: Sequence[Any], cell: Any, num_symbols: int, embedding_size: int,
    num_decoder_symbols: int | None = None, output_projection: Any = None, feed_previous: Any = False,
    dtype: Any = None, scope: Any = None
) -> Decoded:  # fmt: skip
    """`tied_rnn_seq2seq` of ids, with the same vectors for encoder and decoder.

    Args:
        encoder_inputs, decoder_inputs: lists of int32 of shape [batch].
        cell: a cell.
        num_symbols: the number of ids.
        embedding_size: the size of the vectors.
        num_decoder_symbols: the number of ids that the decoder may give; by default `num_symbols`.
        output_projection, feed_previous, dtype: as in `embedding_rnn_seq2seq`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     ids = [tf.zeros([2], tf.int32)] * 5
    ...     model = tf.nn.seq2seq.embedding_tied_rnn_seq2seq
    ...     outputs, _ = model(ids, ids[:3], tf.nn.rnn_cell.GRUCell(3), 10, embedding_size=4)
    ...     print(len(outputs), outputs[0].shape)
    3 (2, 10)
    """
    with variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as opened:
        dtype = opened.dtype
        embedding = get_variable("embedding", [num_symbols, embedding_size], dtype).as_operand()
        encoded, decoded = [[embedding_lookup(embedding, ids) for ids in steps]
                            for steps in (encoder_inputs, decoder_inputs)]  # fmt: skip
        symbols = num_symbols if num_decoder_symbols is None else num_decoder_symbols
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, symbols)
        again = vectors_of_largest(embedding, output_projection, update=True)
        return _either(feed_previous, lambda flag: tied_rnn_seq2seq(
            encoded, decoded, cell, again if flag else None, dtype))  # fmt: skip


@hides_frames
def embedding_attention_seq2seq(
    encoder_inputs: Sequence[Any], decoder_inputs: Sequence[Any], cell: Any, num_encoder_symbols: int,
    num_decoder_symbols: int, embedding_size: int, num_heads: int = 1, output_projection: Any = None,
    feed_previous: Any = False, dtype: Any = None, scope: Any = None, initial_state_attention: bool = False
) -> Decoded:  # fmt: skip
    """`embedding_rnn_seq2seq` whose decoder has attention to the outputs of the encoder.

    Args:
        encoder_inputs, decoder_inputs: lists of int32 of shape [batch].
        cell: a cell; the encoder's is a copy.
        num_encoder_symbols, num_decoder_symbols: the numbers of ids.
        embedding_size: the size of the vectors.
        num_heads, initial_state_attention: as in `attention_decoder`.
        output_projection, feed_previous, dtype: as in `embedding_rnn_seq2seq`.
        scope: the name of the variable scope, or the scope; by default "embedding_attention_seq2seq".

    Returns:
        A list of outputs, and the last state.

    Raises:
        TypeError, ValueError: as in `attention_decoder`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     ids = [tf.zeros([2], tf.int32)] * 5
    ...     model = tf.nn.seq2seq.embedding_attention_seq2seq
    ...     outputs, _ = model(ids, ids[:3], tf.nn.rnn_cell.GRUCell(3), 10, 12, embedding_size=4)
    ...     print(len(outputs), outputs[0].shape)
    3 (2, 12)

    Source: TensorFlow 1.15, `tf.contrib.legacy_seq2seq.embedding_attention_seq2seq`.
    """
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as opened:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        outputs, state = static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        memory = concat(1, [expand_dims(each, 1) for each in outputs])
        size = None
        if output_projection is None:
            cell, size = OutputProjectionWrapper(cell, num_decoder_symbols), num_decoder_symbols
        return _either(feed_previous, lambda flag: embedding_attention_decoder(
            decoder_inputs, state, memory, cell, num_decoder_symbols, embedding_size, num_heads, size,
            output_projection, flag, initial_state_attention=initial_state_attention))  # fmt: skip


def _settled(scope: Any, dtype: Any) -> Any:
    """The dtype of a model, which its scope has from here on."""
    if dtype is None:
        return scope.dtype
    scope.set_dtype(dtype)
    return as_dtype(dtype)


def _either(feed_previous: Any, decoded: Callable[[bool], Decoded]) -> Decoded:
    """What a decoder gives; of a tensor both ways, of which the run takes one."""
    if isinstance(feed_previous, bool):
        return decoded(feed_previous)
    kept: list[Decoded] = []

    def branch(flag: bool) -> list[Any]:
        with variable_scope(get_variable_scope(), reuse=None if flag else True):
            outputs, state = decoded(flag)
        kept.append((outputs, state))
        return [*outputs, *flat(state)]

    chosen = cond(feed_previous, lambda: branch(True), lambda: branch(False))
    outputs, state = kept[0]
    return list(chosen[: len(outputs)]), packed(state, list(chosen[len(outputs) :]))


@hides_frames
def model_with_buckets(
    encoder_inputs: Sequence[Any], decoder_inputs: Sequence[Any], targets: Sequence[Any], weights: Sequence[Any],
    buckets: Sequence[tuple[int, int]], seq2seq: Callable[[Any, Any], Decoded],
    softmax_loss_function: Callable[..., Any] | None = None, per_example_loss: bool = False, name: str | None = None
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """Outputs and losses of a model for several lengths of sequences, with shared variables.

    Args:
        encoder_inputs, decoder_inputs: lists of tensors, as long as the largest bucket.
        targets, weights: lists of tensors of shape [batch], for the losses.
        buckets: pairs of lengths: of the encoder's inputs and of the decoder's.
        seq2seq: a function of (encoder inputs, decoder inputs) that gives (outputs, state).
        softmax_loss_function: as in `sequence_loss`.
        per_example_loss: whether each loss is a vector with one for each sequence.
        name: the name of the scope; by default "model_with_buckets".

    Returns:
        A list of lists of outputs, one for each bucket, and a list of losses.

    Raises:
        ValueError: a list is shorter than the last bucket.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     ids, ones = [tf.zeros([2], tf.int32)] * 5, [tf.ones([2])] * 5
    ...     def model(inputs, targets):
    ...         return tf.nn.seq2seq.embedding_rnn_seq2seq(inputs, targets, tf.nn.rnn_cell.GRUCell(3), 10, 12, 4)
    ...     outputs, losses = tf.nn.seq2seq.model_with_buckets(ids, ids, ids, ones, [(2, 3), (4, 5)], model)
    ...     print([len(each) for each in outputs], losses[0].shape)
    [3, 5] ()

    Source: TensorFlow 1.15, `tf.contrib.legacy_seq2seq.model_with_buckets`.
    """
    read, written = buckets[-1]
    for label, steps, length in (("encoder_inputs", encoder_inputs, read), ("targets", targets, written),
                                 ("weights", weights, written)):  # fmt: skip
        if len(steps) < length:
            raise ValueRuleError(f"Length of {label} ({len(steps)}) must be at least that of last bucket ({length}).")
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with name_scope(name or "model_with_buckets"):
        for i, (read, written) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if i else None):
                steps, _ = seq2seq(encoder_inputs[:read], decoder_inputs[:written])
                outputs.append(steps)
                losses.append(loss(steps, targets[:written], weights[:written],
                                   softmax_loss_function=softmax_loss_function))  # fmt: skip
    return outputs, losses
