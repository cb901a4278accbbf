"""Decoder functions of TensorFlow 1.0 with attention, and what they attend to: `prepare_attention`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.building.context_functions import name_scope
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import float32, int32
from ..variables.get_variable import get_variable
from ..variables.random_initializers import GlorotUniformInitializer
from ..variables.variable_scope_block import variable_scope
from .decoder_functions import DecodedWords, DecoderFunction, require_none, simple_decoder_fn_inference

_OPTIONS = ("bahdanau", "luong")


@hides_frames
def prepare_attention(
    attention_states: Any, attention_option: str, num_units: int, reuse: bool | None = False
) -> tuple[Tensor, Tensor, Callable[..., Tensor], Callable[..., Tensor]]:
    """The keys, the values and the functions of an attention to the states of an encoder.

    Args:
        attention_states: [batch, time, depth], the outputs of the encoder.
        attention_option: "bahdanau" adds query and key, "luong" multiplies them.
        num_units: the size of keys, of queries and of the attention.
        reuse: whether variables that are there are taken.

    Returns:
        (keys [batch, time, num_units], the values, which are the states, a function of query, keys and values that
        gives their context, and one that gives the attention: a layer on query and context).

    Raises:
        ValueError: the option is another one, or the variables are there and are not to be taken.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     keys, values, _, construct = tf.contrib.seq2seq.prepare_attention(tf.ones([2, 7, 3]), "luong", 3)
    ...     keys.shape, construct(tf.ones([2, 3]), keys, values).shape
    (TensorShape((2, 7, 3)), TensorShape((2, 3)))

    Source: TensorFlow 1.0, `tf.contrib.seq2seq.prepare_attention`.
    """
    if attention_option not in _OPTIONS:
        raise ValueRuleError(f"Unknown attention option {attention_option!r}: write one of {', '.join(_OPTIONS)}")
    values = ops.convert_to_tensor(attention_states)
    keys = _linear(values, num_units, "attention_keys", reuse)
    with variable_scope("attention_score", reuse=reuse):
        weights = v = None
        if attention_option == _OPTIONS[0]:
            weights = get_variable("attnW", [num_units, num_units], float32).as_operand()
            v = get_variable("attnV", [num_units], float32).as_operand()

    def score(query: Any, keys: Any, values: Any) -> Tensor:
        scores = _scores(query, keys, num_units, weights, v)
        alignments = ops.expand_dims(ops.softmax(scores), 2)
        context: Tensor = ops.reduce_sum(alignments * values, 1)
        context.set_shape([None, num_units])
        return context

    with variable_scope("attention_construct", reuse=reuse) as scope:
        pass

    def construct(query: Any, keys: Any, values: Any) -> Tensor:
        made: Tensor = _linear(ops.concat(1, [query, score(query, keys, values)]), num_units, scope, None)
        return made

    return keys, values, score, construct


def _scores(query: Any, keys: Any, num_units: int, weights: Any, v: Any) -> Any:
    """[batch, time], how well the query fits each key."""
    if weights is None:
        return ops.reduce_sum(keys * ops.reshape(query, [-1, 1, num_units]), 2)
    query = ops.reshape(ops.matmul(query, weights), [-1, 1, num_units])
    return ops.reduce_sum(v * ops.tanh(keys + query), 2)


def _linear(x: Any, num_units: int, scope: Any, reuse: bool | None) -> Any:
    """The product of the last dimension with a variable `weights`, as `tf.contrib.layers.linear` without a bias."""
    with variable_scope(scope, reuse=reuse):
        depth = x.shape.as_list()[-1]
        weights = get_variable("weights", [depth, num_units], x.dtype, GlorotUniformInitializer()).as_operand()
        if x.shape.ndims == 2:
            return ops.matmul(x, weights)
        product = ops.matmul(ops.reshape(x, [-1, depth]), weights)
        return ops.reshape(product, [*(ops.shape(x)[axis] for axis in range(x.shape.ndims - 1)), num_units])


def _no_attention(encoder_state: Any) -> Any:
    """Zeros like the output of the last layer: of an LSTM its h."""
    is_stack = isinstance(encoder_state, tuple) and not hasattr(encoder_state, "h")
    top: Any = encoder_state[-1] if is_stack else encoder_state
    h: Any = getattr(top, "h", top)
    return ops.zeros_like(h)


def attention_decoder_fn_train(
    encoder_state: Any,
    attention_keys: Any,
    attention_values: Any,
    attention_score_fn: Callable[..., Any],
    attention_construct_fn: Callable[..., Any],
    name: str | None = None,
) -> DecoderFunction:
    """The decoder function of training with attention: each input is followed by the attention of the last output.

    Args:
        encoder_state: the state of the encoder.
        attention_keys, attention_values, attention_score_fn, attention_construct_fn: what `prepare_attention` gives.
        name: the name of the scope of the operations.

    Returns:
        A function for `dynamic_rnn_decoder`. Its outputs are attentions.

    Raises:
        ValueError (in the decoder): the inputs do not have the batch of the state.

    >>> import penstock as tf
    >>> seq2seq = tf.contrib.seq2seq
    >>> with tf.Graph().as_default():
    ...     attended = seq2seq.prepare_attention(tf.ones([2, 7, 4]), "luong", 4)
    ...     fn = seq2seq.attention_decoder_fn_train(tf.zeros([2, 4]), *attended)
    ...     seq2seq.dynamic_rnn_decoder(tf.nn.rnn_cell.GRUCell(4), fn, tf.ones([2, 3, 5]), [3, 1])[0].dtype
    tf.float32

    Source: TensorFlow 1.0, `tf.contrib.seq2seq.attention_decoder_fn_train`.
    """

    def decoder_fn(time: Any, cell_state: Any, cell_input: Any, cell_output: Any, context_state: Any) -> Any:
        with name_scope(name or "attention_decoder_fn_train"):
            if cell_state is None:
                cell_state, attention = encoder_state, _no_attention(encoder_state)
            else:
                cell_output = attention = attention_construct_fn(cell_output, attention_keys, attention_values)
            return None, cell_state, ops.concat(1, [cell_input, attention]), cell_output, context_state

    return decoder_fn


@documented_like(simple_decoder_fn_inference)
def attention_decoder_fn_inference(
    output_fn: Callable[[Any], Any] | None,
    encoder_state: Any,
    attention_keys: Any,
    attention_values: Any,
    attention_score_fn: Callable[..., Any],
    attention_construct_fn: Callable[..., Any],
    embeddings: Any,
    start_of_sequence_id: Any,
    end_of_sequence_id: Any,
    maximum_length: Any,
    num_decoder_symbols: Any,
    dtype: Any = int32,
    name: str | None = None,
) -> DecoderFunction:
    """The decoder function that goes on with its own words, with attention.

    Args:
        output_fn: gives logits of an attention; None if the attention is what they are.
        attention_keys, attention_values, attention_score_fn, attention_construct_fn: what `prepare_attention` gives.

    >>> import penstock as tf
    >>> seq2seq = tf.contrib.seq2seq
    >>> with tf.Graph().as_default():
    ...     attended = seq2seq.prepare_attention(tf.ones([2, 7, 4]), "bahdanau", 4)
    ...     fn = seq2seq.attention_decoder_fn_inference(None, tf.zeros([2, 4]), *attended, tf.eye(4), 0, 3, 5, 4)
    ...     seq2seq.dynamic_rnn_decoder(tf.nn.rnn_cell.GRUCell(4), fn)[0].dtype
    tf.float32
    """
    words = DecodedWords(encoder_state, embeddings, start_of_sequence_id, end_of_sequence_id, maximum_length, dtype)

    def decoder_fn(time: Any, cell_state: Any, cell_input: Any, cell_output: Any, context_state: Any) -> Any:
        require_none("attention_decoder_fn_inference", cell_input)
        with name_scope(name or "attention_decoder_fn_inference"):
            if cell_output is None:
                done, cell_state, following = words.first()
                attention, logits = _no_attention(encoder_state), ops.zeros([num_decoder_symbols], float32)
            else:
                attention = attention_construct_fn(cell_output, attention_keys, attention_values)
                logits = attention if output_fn is None else output_fn(attention)
                done, following = words.next(time, logits)
            return done, cell_state, ops.concat(1, [following, attention]), logits, context_state

    return decoder_fn
