"""Helpers: what the inputs of the next step of decoding are, and when a sequence has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..control_flow.cond import cond
from ..control_flow.structures import flat, packed
from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, UseError
from ..graph.declare.shared_docs import documented_like
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import DType, as_dtype, int32
from ..graph.shapes.shape import TensorShape
from ..ops.nn.embedding import embedding_lookup
from ..recurrent.cell_states import batch_size_of, map_leaves
from ..recurrent.masked_steps import exchanged


class Helper:
    """The base of helpers, for `tf.contrib.seq2seq.BasicDecoder`.

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.Helper`.
    """

    @property
    def batch_size(self) -> Any:
        """The number of sequences: an int, or an int32 scalar."""
        raise NotImplementedError

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The shape of the ids of one sequence."""
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> DType:
        """The dtype of the ids."""
        return int32

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """What holds before the first step: (finished, inputs).

        Args:
            name: the name of the scope.

        Returns:
            Bools of shape [batch], and the inputs of the first step.
        """
        raise NotImplementedError

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The ids that the outputs of a step choose.

        Args:
            time: the number of the step, an int32 scalar.
            outputs: the outputs.
            state: the state after the step.
            name: the name of the scope.

        Returns:
            A tensor of `sample_ids_dtype`.
        """
        raise NotImplementedError

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """What follows a step: (finished, inputs, state).

        Args:
            time: the number of the step, an int32 scalar.
            outputs: the outputs.
            state: the state after the step.
            sample_ids: the ids that the step chose.
            name: the name of the scope.

        Returns:
            Bools of shape [batch], the inputs of the next step, and the state before it.
        """
        raise NotImplementedError


class TrainingHelper(Helper):
    """A helper that reads the inputs of each step from a tensor.

    Args:
        inputs: a tensor of shape [batch, time, depth], [time, batch, depth] if `time_major`; or a structure of such.
        sequence_length: int32 of shape [batch]: how many steps each sequence has.
        time_major: whether the first dimension is time.
        name: accepted for TensorFlow's sake.

    Raises:
        ValueError: `sequence_length` is no vector.

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.TrainingHelper`.
    """

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None) -> None:
        tensors = [ops.convert_to_tensor(each) for each in flat(inputs)]
        self._rows = packed(inputs, tensors if time_major else [exchanged(each) for each in tensors])
        self._lengths = ops.convert_to_tensor(sequence_length, name="sequence_length")
        if self._lengths.shape.ndims != 1:
            raise ShapeError(f"Expected sequence_length to be a vector, but received shape: {self._lengths.shape}")
        self._lengths = ops.cast(self._lengths, int32)
        self._zeros = map_leaves(lambda x: ops.zeros_like(x[0]), self._rows)
        self._batch = batch_size_of([self._lengths], 0)

    @property
    def inputs(self) -> Any:
        """The inputs, time first."""
        return self._rows

    @property
    def sequence_length(self) -> Tensor:
        """How many steps each sequence has."""
        return self._lengths

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        return self._batch

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The first inputs."""
        finished = ops.equal(self._lengths, 0)
        is_over = ops.reduce_all(finished)

        def first(x: Tensor, none: Tensor) -> Tensor:
            return _shaped(cond(is_over, lambda: none, lambda: ops.gather(x, 0)), none)

        return finished, map_leaves(first, self._rows, self._zeros)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """The ids with the largest outputs."""
        return largest(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The inputs of the next step; zeros once all sequences have ended."""
        finished = ops.greater_equal(time + 1, self._lengths)
        is_over = ops.reduce_all(finished)
        place = ops.select(is_over, ops.zeros_like(time), time + 1)  # no `cond`: its gradient is as large as all inputs

        def following(x: Tensor, none: Tensor) -> Tensor:
            return _shaped(ops.select(is_over, none, ops.gather(x, place)), none)

        return finished, map_leaves(following, self._rows, self._zeros), state



def _shaped(x: Tensor, like: Tensor) -> Tensor:
    x.set_shape(like.shape)
    return x


def largest(outputs: Tensor) -> Tensor:
    """The index of the largest element along the last dimension, int32."""
    rank = outputs.shape.ndims
    if rank is None:
        raise ShapeError(f"the outputs {outputs.name!r} have an unknown rank")
    return ops.cast(ops.argmax(outputs, rank - 1), int32)


def sampled(logits: Tensor, seed: int | None) -> Tensor:
    """An index drawn with the probabilities softmax(logits) for each row, int32."""
    return ops.cast(ops.reshape(ops.multinomial(logits, 1, seed), [-1]), int32)


def lookup_of(embedding: Any) -> Callable[[Any], Any]:
    """A function from ids to vectors: the argument `embedding`, or its look-up."""
    return embedding if callable(embedding) else lambda ids: embedding_lookup(embedding, ids)


class GreedyEmbeddingHelper(Helper):
    """A helper whose next inputs are the vectors of the ids with the largest outputs.

    Args:
        embedding: a matrix with a row for each id, or a function from ids to vectors.
        start_tokens: int32 of shape [batch]: the ids of the first inputs.
        end_token: an int32 scalar: the id that ends a sequence.

    Raises:
        ValueError: `start_tokens` is no vector, or `end_token` no scalar.

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.GreedyEmbeddingHelper`.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._vectors = lookup_of(embedding)
        self._start = ops.convert_to_tensor(start_tokens, int32, name="start_tokens")
        self._end = ops.convert_to_tensor(end_token, int32, name="end_token")
        if self._start.shape.ndims != 1:
            raise ShapeError("start_tokens must be a vector")
        if self._end.shape.ndims != 0:
            raise ShapeError("end_token must be a scalar")
        self._batch = batch_size_of([self._start], 0)
        self._first = self._vectors(self._start)

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        return self._batch

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The vectors of the start tokens."""
        return ops.fill(ops.pack([ops.size(self._start)]), False), self._first

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """The ids with the largest outputs."""
        if not isinstance(outputs, Tensor):
            raise UseError(f"Expected outputs to be a single Tensor, got: {type(outputs).__name__}")
        return largest(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The vectors of the ids."""
        finished = ops.equal(sample_ids, self._end)
        following = cond(ops.reduce_all(finished), lambda: self._first, lambda: self._vectors(sample_ids))
        return finished, _shaped(following, self._first), state


@documented_like(GreedyEmbeddingHelper)
class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """A helper whose next inputs are the vectors of ids drawn with the probabilities softmax(outputs).

    Args:
        softmax_temperature: a float scalar that the outputs are divided by; None means 1.
        seed: an op seed for the draws.
    """

    def __init__(
        self, embedding: Any, start_tokens: Any, end_token: Any, softmax_temperature: Any = None,
        seed: int | None = None
    ) -> None:  # fmt: skip
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """Ids drawn at random."""
        if not isinstance(outputs, Tensor):
            raise UseError(f"Expected outputs to be a single Tensor, got: {type(outputs).__name__}")
        return sampled(outputs if self._temperature is None else outputs / self._temperature, self._seed)


class CustomHelper(Helper):
    """A helper of three functions.

    Args:
        initialize_fn: gives (finished, inputs) before the first step.
        sample_fn: a function of the keywords time, outputs and state that gives ids.
        next_inputs_fn: a function of the keywords time, outputs, state and sample_ids that gives (finished, inputs,
            state).
        sample_ids_shape: the shape of the ids of one sequence; a scalar by default.
        sample_ids_dtype: the dtype of the ids; int32 by default.

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.CustomHelper`.
    """

    def __init__(
        self, initialize_fn: Any, sample_fn: Any, next_inputs_fn: Any, sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None
    ) -> None:  # fmt: skip
        self._initialize, self._sample, self._next = initialize_fn, sample_fn, next_inputs_fn
        self._shape = TensorShape([] if sample_ids_shape is None else sample_ids_shape)
        self._dtype = int32 if sample_ids_dtype is None else as_dtype(sample_ids_dtype)
        self._batch: Any = None

    @property
    def batch_size(self) -> Any:
        """The number of sequences, known once `initialize` was called."""
        if self._batch is None:
            raise UseError("batch_size accessed before initialize was called")
        return self._batch

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The shape of the ids of one sequence."""
        return self._shape

    @property
    def sample_ids_dtype(self) -> DType:
        """The dtype of the ids."""
        return self._dtype

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """What the first function gives."""
        finished, inputs = self._initialize()
        if self._batch is None:
            self._batch = batch_size_of([ops.convert_to_tensor(finished)], 0)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """What the second function gives."""
        return self._sample(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """What the third function gives."""
        finished, following, after = self._next(time=time, outputs=outputs, state=state, sample_ids=sample_ids)
        return finished, following, after


class InferenceHelper(Helper):
    """A helper for decoding with functions of ids of any shape.

    Args:
        sample_fn: a function of outputs that gives ids.
        sample_shape: the shape of the ids of one sequence.
        sample_dtype: the dtype of the ids.
        start_inputs: the inputs of the first step, of shape [batch] + ....
        end_fn: a function of ids that says which sequences have ended, bools of shape [batch].
        next_inputs_fn: a function of ids that gives the next inputs; by default these are the ids.

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.InferenceHelper`.
    """

    def __init__(
        self, sample_fn: Any, sample_shape: Any, sample_dtype: Any, start_inputs: Any, end_fn: Any,
        next_inputs_fn: Any = None
    ) -> None:  # fmt: skip
        self._sample, self._end, self._next = sample_fn, end_fn, next_inputs_fn
        self._shape, self._dtype = TensorShape(sample_shape), as_dtype(sample_dtype)
        self._first = ops.convert_to_tensor(start_inputs, name="start_inputs")
        self._batch = batch_size_of([self._first], 0)

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        return self._batch

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The shape of the ids of one sequence."""
        return self._shape

    @property
    def sample_ids_dtype(self) -> DType:
        """The dtype of the ids."""
        return self._dtype

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The first inputs."""
        return ops.fill(ops.pack([ops.shape(self._first)[0]]), False), self._first

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """What `sample_fn` gives."""
        return self._sample(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """What the functions give for the ids."""
        following = sample_ids if self._next is None else self._next(sample_ids)
        return self._end(sample_ids), following, state
