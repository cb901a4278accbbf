"""Attention mechanisms: LuongAttention and BahdanauAttention, which say how well a query fits each step of a memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..control_flow.structures import flat, packed
from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, UseError
from ..graph.declare.shared_docs import documented_like
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import DType, as_dtype
from ..layers.dense_layer import Dense
from ..recurrent.cell_states import batch_size_of, map_leaves
from ..variables.constant_initializers import ConstantInitializer, OnesInitializer, ZerosInitializer
from ..variables.get_variable import get_variable
from ..variables.variable_scope_block import variable_scope


class AttentionMechanism:
    """The base of attention mechanisms: keys and values of a memory.

    A class of mechanisms has `__call__(query, state)`, which gives alignments of shape [batch, memory time] and the
    next attention state.

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.AttentionMechanism`.
    """

    def __init__(
        self, query_layer: Any, memory: Any, probability_fn: Callable[[Any], Any] | None, memory_sequence_length: Any,
        memory_layer: Any, score_mask_value: float | None, custom_key_value_fn: Any = None
    ) -> None:  # fmt: skip
        if probability_fn is not None and not callable(probability_fn):
            raise UseError(f"probability_fn must be callable, saw type: {type(probability_fn).__name__}")
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self._probability_fn = probability_fn or ops.softmax
        self._lengths = None
        if memory_sequence_length is not None:
            self._lengths = ops.convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
            if self._lengths.shape.ndims not in (None, 1):
                raise ShapeError(f"memory_sequence_length must be a vector, not of shape {self._lengths.shape}")
        tensors = [ops.convert_to_tensor(each, name="memory") for each in flat(memory)]
        values = packed(memory, [masked(each, self._lengths) for each in tensors])
        self._values = values
        self._keys = values if memory_layer is None else memory_layer(values)
        if custom_key_value_fn is not None:
            self._keys, self._values = custom_key_value_fn(self._keys, self._values)
        self._mask_value = -math.inf if score_mask_value is None else score_mask_value
        self._batch = batch_size_of([self._keys], 0)
        self._size = batch_size_of([self._keys], 1)

    @property
    def memory_layer(self) -> Any:
        """The layer that makes keys of the memory."""
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        """The layer that queries go through, or None."""
        return self._query_layer

    @property
    def values(self) -> Any:
        """What the alignments weigh: [batch, memory time, depth]."""
        return self._values

    @property
    def keys(self) -> Any:
        """What queries are compared with: [batch, memory time, units]."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        return self._batch

    @property
    def alignments_size(self) -> Any:
        """The number of steps of the memory."""
        return self._size

    @property
    def state_size(self) -> Any:
        """The size of the attention state: that of the alignments."""
        return self._size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Tensor:
        """Zeros.

        Args:
            batch_size: the number of sequences.
            dtype: the dtype.

        Returns:
            A tensor of shape [batch_size, alignments_size].
        """
        return ops.zeros(ops.pack([batch_size, self._size]), as_dtype(dtype))

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """The attention state before the first step: zeros.

        Args:
            batch_size: the number of sequences.
            dtype: the dtype.

        Returns:
            A tensor of shape [batch_size, alignments_size].
        """
        return self.initial_alignments(batch_size, dtype)

    def __call__(self, query: Tensor, state: Any) -> tuple[Any, Any]:
        raise NotImplementedError

    def _alignments(self, score: Tensor) -> Tensor:
        """The probabilities of scores; steps behind the end of the memory count for nothing."""
        if self._lengths is not None:
            mask = ops.sequence_mask(self._lengths, ops.shape(score)[1])
            mask.set_shape(score.shape)
            score = ops.select(mask, score, ops.fill(ops.shape(score), ops.constant(self._mask_value, score.dtype)))
        alignments: Tensor = self._probability_fn(score)
        return alignments


def masked(memory: Tensor, lengths: Tensor | None) -> Tensor:
    """A memory with zeros behind the lengths."""
    if memory.shape.ndims is None or memory.shape.ndims < 2:
        raise ShapeError(f"the memory {memory.name!r} has shape {memory.shape}; it must have rank 3 or more: [batch, "
                         "time, depth]")  # fmt: skip
    if lengths is None:
        return memory
    mask = ops.cast(ops.sequence_mask(lengths, ops.shape(memory)[1]), memory.dtype)
    ones = [1] * (memory.shape.ndims - 2)
    product = memory * ops.reshape(mask, ops.pack([*_first_sizes(mask), *ones]))
    product.set_shape(memory.shape)
    return product


def _first_sizes(mask: Tensor) -> list[Tensor]:
    sizes = ops.shape(mask)
    return [sizes[0], sizes[1]]


class LuongAttention(AttentionMechanism):
    """Multiplicative attention (Luong et al., 2015): the score of a step is the product of query and key.

    Args:
        num_units: the depth of the keys, and of the queries.
        memory: floats of shape [batch, time, depth]: the outputs of an encoder.
        memory_sequence_length: int32 of shape [batch]: steps of the memory behind it count for nothing.
        scale: whether the scores are multiplied by a variable.
        probability_fn: a function of scores; `tf.nn.softmax` by default.
        score_mask_value: the score of steps behind the end; -inf by default.
        dtype: the dtype of the variables; by default that of the memory.
        custom_key_value_fn: a function of (keys, values) that gives those to use.
        name: accepted for TensorFlow's sake.

    Raises:
        TypeError: `probability_fn` is no function.
        ValueError: a shape does not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     attention = tf.contrib.seq2seq.LuongAttention(4, tf.zeros([2, 7, 3]))
    ...     alignments, _ = attention(tf.zeros([2, 4]), None)
    ...     print(alignments.shape, attention.keys.shape)
    (2, 7) (2, 7, 4)

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.LuongAttention`.
    """

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None, scale: bool = False,
        probability_fn: Any = None, score_mask_value: float | None = None, dtype: Any = None,
        custom_key_value_fn: Any = None, name: str = "LuongAttention"
    ) -> None:  # fmt: skip
        layer = Dense(num_units, use_bias=False, name="memory_layer", dtype=_dtype_of(dtype, memory))
        super().__init__(None, memory, probability_fn, memory_sequence_length, layer, score_mask_value,
                         custom_key_value_fn)  # fmt: skip
        self._num_units, self._scale = num_units, scale

    def __call__(self, query: Tensor, state: Any) -> tuple[Tensor, Tensor]:
        with variable_scope(None, "luong_attention", [query]):
            depth, units = query.shape.raw and query.shape.raw[-1], self._keys.shape.raw[-1]
            if depth != units:
                raise ShapeError(f"Incompatible or unknown inner dimensions between query and keys. Query "
                                 f"({query.name}) has units: {depth}. Keys ({self._keys.name}) have units: {units}. "
                                 "Perhaps you need to set num_units to the keys' dimension")  # fmt: skip
            score = ops.squeeze(ops.matmul(ops.expand_dims(query, 1), self._keys, transpose_b=True), [1])
            if self._scale:
                score = get_variable("attention_g", [], query.dtype, OnesInitializer()).as_operand() * score
            alignments = self._alignments(score)
        return alignments, alignments


@documented_like(LuongAttention)
class BahdanauAttention(AttentionMechanism):
    """Additive attention (Bahdanau et al., 2014): the score of a step is v . tanh(key + query), of learned layers.

    Args:
        num_units: the depth of keys and queries behind their layers.
        normalize: whether v has a learned length, and a bias is added (Salimans and Kingma, 2016).

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     attention = tf.contrib.seq2seq.BahdanauAttention(4, tf.zeros([2, 7, 3]), normalize=True)
    ...     alignments, _ = attention(tf.zeros([2, 5]), None)
    ...     print(alignments.shape, [v.name for v in tf.trainable_variables()][1:3])
    (2, 7) ['bahdanau_attention/query_layer/kernel:0', 'bahdanau_attention/attention_v:0']
    """

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None, normalize: bool = False,
        probability_fn: Any = None, score_mask_value: float | None = None, dtype: Any = None,
        custom_key_value_fn: Any = None, name: str = "BahdanauAttention"
    ) -> None:  # fmt: skip
        layers = [Dense(num_units, use_bias=False, name=label, dtype=_dtype_of(dtype, memory))
                  for label in ("query_layer", "memory_layer")]  # fmt: skip
        super().__init__(layers[0], memory, probability_fn, memory_sequence_length, layers[1], score_mask_value,
                         custom_key_value_fn)  # fmt: skip
        self._num_units, self._normalize = num_units, normalize

    def __call__(self, query: Tensor, state: Any) -> tuple[Tensor, Tensor]:
        with variable_scope(None, "bahdanau_attention", [query]):
            processed = ops.expand_dims(self._query_layer(query), 1)
            dtype = processed.dtype
            v = get_variable("attention_v", [self._num_units], dtype).as_operand()
            total = self._keys + processed
            if self._normalize:
                length = ConstantInitializer(math.sqrt(1.0 / self._num_units))
                g = get_variable("attention_g", [], dtype, length).as_operand()
                total = total + get_variable("attention_b", [self._num_units], dtype, ZerosInitializer()).as_operand()
                v = g * v * ops.rsqrt(ops.reduce_sum(v * v))
            alignments = self._alignments(ops.reduce_sum(v * ops.tanh(total), [2]))
        return alignments, alignments


def _dtype_of(dtype: Any, memory: Any) -> DType:
    if dtype is not None:
        return as_dtype(dtype)
    first: DType = ops.convert_to_tensor(flat(memory)[0]).dtype
    return first


def hardmax(logits: Any, name: str | None = None) -> Tensor:
    """1 at the largest element of each row, else 0: a `probability_fn` that attends to one step.

    Args:
        logits: floats of shape [..., classes].
        name: accepted for TensorFlow's sake.

    Returns:
        A tensor with the shape and dtype of `logits`.

    Raises:
        TypeError: `logits` is not made of numbers.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.seq2seq.hardmax([[1.0, 3.0, 2.0]])))
    [[0. 1. 0.]]

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.hardmax`.
    """
    x = ops.convert_to_tensor(logits)
    sizes = ops.shape(x)
    rank = x.shape.ndims or 1
    one, zero = ops.constant(1, x.dtype), ops.constant(0, x.dtype)
    ones_at_largest = ops.one_hot(ops.argmax(x, rank - 1), sizes[rank - 1], one, zero)
    ones_at_largest.set_shape(x.shape)
    return ones_at_largest


def tile_batch(t: Any, multiplier: Any, name: str | None = None) -> Any:
    """Each row of tensors `multiplier` times, one after the other: what a beam search needs of states and memories.

    Args:
        t: a tensor of shape [batch, ...], or a structure of tensors.
        multiplier: an int.
        name: accepted for TensorFlow's sake.

    Returns:
        A structure like `t`, of tensors of shape [batch * multiplier, ...].

    Raises:
        ValueError: a tensor is a scalar, or its rank is not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.seq2seq.tile_batch(tf.constant([[1], [2]]), 2)).tolist())
    [[1], [1], [2], [2]]

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.tile_batch`.
    """
    return map_leaves(lambda each: _tiled(ops.convert_to_tensor(each), multiplier), t)


def _tiled(t: Tensor, count: Any) -> Tensor:
    rank = t.shape.ndims
    if not rank:
        raise ShapeError(f"tile_batch: {t.name!r} has shape {t.shape}; it must have a known rank and a batch")
    sizes = ops.shape(t)
    repeated = ops.tile(ops.expand_dims(t, 1), ops.pack([1, count, *[1] * (rank - 1)]))
    joined = ops.reshape(repeated, ops.concat(0, [ops.reshape(sizes[0] * count, [1]), sizes[1:]]))
    dims = t.shape.raw or ()
    first = dims[0] * count if isinstance(dims[0], int) and isinstance(count, int) else None
    joined.set_shape([first, *[size if isinstance(size, int) else None for size in dims[1:]]])
    return joined

