"""Helpers for scheduled sampling: in training some inputs are the decoder's own outputs, chosen at random."""

from __future__ import annotations

from typing import Any

from ..control_flow.structures import flat
from ..derivatives import rule_namespace as ops
from ..errors import ShapeError
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import int32
from ..recurrent.cell_states import map_leaves
from .helpers import TrainingHelper, lookup_of, sampled


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """A training helper that at random takes the vectors of sampled ids in the place of the inputs.

    Args:
        inputs, sequence_length, time_major: as in `tf.contrib.seq2seq.TrainingHelper`.
        embedding: a matrix with a row for each id, or a function from ids to vectors.
        sampling_probability: a float scalar, or of shape [batch]: the probability to take sampled ids.
        seed: an op seed for the ids.
        scheduling_seed: an op seed for the choice.
        name: accepted for TensorFlow's sake.

    Raises:
        ValueError: `sequence_length` is no vector, or `sampling_probability` neither scalar nor vector.

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.ScheduledEmbeddingTrainingHelper`.
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, embedding: Any, sampling_probability: Any, time_major: bool = False,
        seed: int | None = None, scheduling_seed: int | None = None, name: str | None = None
    ) -> None:  # fmt: skip
        super().__init__(inputs, sequence_length, time_major, name)
        self._vectors = lookup_of(embedding)
        self._probability = _probability(sampling_probability)
        self._seed, self._scheduling_seed = seed, scheduling_seed

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """Ids drawn at random where they are taken, else -1."""
        is_chosen = chosen_rows(self._probability, self.batch_size, self._scheduling_seed)
        ids = sampled(outputs, self._seed)
        return ops.select(is_chosen, ids, ops.zeros_like(ids) - 1)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The inputs, or the vectors of the ids."""
        finished, inputs, after = super().next_inputs(time, outputs, state)
        vectors = self._vectors(ops.maximum(sample_ids, 0))
        return finished, ops.select(ops.less(-1, sample_ids), vectors, inputs), after


class ScheduledOutputTrainingHelper(TrainingHelper):
    """A training helper that at random takes the decoder's own outputs in the place of the inputs.

    Args:
        inputs, sequence_length, time_major: as in `tf.contrib.seq2seq.TrainingHelper`.
        sampling_probability: a float scalar: the probability to take the outputs.
        seed: an op seed for the choice.
        next_inputs_fn: a function of outputs that gives inputs; by default they are the outputs.
        auxiliary_inputs: a tensor like `inputs`, of which each step follows that of the inputs in the last dimension.
        name: accepted for TensorFlow's sake.

    Raises:
        ValueError: `sequence_length` is no vector, or `sampling_probability` neither scalar nor vector.

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.ScheduledOutputTrainingHelper`.
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, sampling_probability: Any, time_major: bool = False,
        seed: int | None = None, next_inputs_fn: Any = None, auxiliary_inputs: Any = None, name: str | None = None
    ) -> None:  # fmt: skip
        self._probability = _probability(sampling_probability)
        self._seed, self._next = seed, next_inputs_fn
        self._auxiliary: TrainingHelper | None = None
        if auxiliary_inputs is not None:
            self._auxiliary = TrainingHelper(auxiliary_inputs, sequence_length, time_major)
            inputs = map_leaves(_beside, inputs, auxiliary_inputs)
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """1 where the outputs are taken, else 0."""
        return ops.cast(chosen_rows(self._probability, self.batch_size, self._seed), int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The inputs, or the outputs."""
        finished, inputs, after = super().next_inputs(time, outputs, state)
        own = outputs if self._next is None else self._next(outputs)
        if self._auxiliary is not None:
            _, beside, _ = self._auxiliary.next_inputs(time, outputs, state)
            own = map_leaves(_beside, own, beside)
        is_chosen = ops.cast(sample_ids, "bool")
        return finished, map_leaves(lambda new, old: ops.select(is_chosen, new, old), own, inputs), after


def _beside(one: Any, other: Any) -> Tensor:
    tensors = [ops.convert_to_tensor(each) for each in flat([one, other])]
    return ops.concat((tensors[0].shape.ndims or 1) - 1, tensors)


def _probability(value: Any) -> Tensor:
    tensor = ops.convert_to_tensor(value)
    if tensor.shape.ndims not in (0, 1):
        raise ShapeError(f"sampling_probability must be either a scalar or a vector. saw shape: {tensor.shape}")
    return tensor


def chosen_rows(probability: Tensor, batch: Any, seed: int | None) -> Tensor:
    """Bools of shape [batch], each True with a probability."""
    return ops.less(ops.random_uniform(ops.pack([batch]), seed=seed, dtype=probability.dtype), probability)
