"""BeamSearchDecoder: decoding that keeps the several most probable sequences of each row of a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..control_flow.cond import cond
from ..control_flow.structures import flat
from ..control_flow.tensor_array import TensorArray
from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, UseError, ValueRuleError
from ..graph.building.context_functions import name_scope
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import int32, int64
from ..graph.shapes.shape import TensorShape
from ..ops.index.batched_gather import gather_along
from ..ops.index.gather_tree import gather_tree
from ..recurrent.cell_base import check_cell
from ..recurrent.cell_states import batch_size_of, map_leaves
from .beam_search_step import (
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    Penalties,
    attention_of,
    beam_search_step,
)
from .decoder import Decoder
from .helpers import lookup_of


class FinalBeamSearchDecoderOutput(NamedTuple):
    """What `dynamic_decode` gives for a beam search: the sequences, the best beam first, and what each step chose.

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.FinalBeamSearchDecoderOutput`.
    """

    predicted_ids: Any
    beam_search_decoder_output: BeamSearchDecoderOutput


class BeamSearchDecoder(Decoder):
    """A cell whose most probable continuations are followed: `beam_width` sequences for each row of the batch.

    The states, and the memories of attention, have `beam_width` rows for each sequence: `tile_batch` makes them.

    Args:
        cell: a cell.
        embedding: a matrix with a row for each id, or a function from ids of shape [batch, beams] to vectors.
        start_tokens: int32 of shape [batch]: the ids of the first inputs.
        end_token: an int32 scalar: the id that ends a sequence.
        initial_state: the state before the first step, with batch * beam_width rows.
        beam_width: an int: how many sequences are kept.
        output_layer: a layer such as `tf.layers.Dense`, through which the outputs of the cell go.
        length_penalty_weight: sequences are ranked by log(probability) / ((5 + length) / 6) ** weight.
        coverage_penalty_weight: how much attention that misses parts of the memory counts against a sequence.
        reorder_tensor_arrays: whether the alignment histories of the last state are those of the sequences. They are
            then tensors of shape [time, ...]; otherwise they are the `TensorArray`s of the steps.

    Raises:
        TypeError: `cell` is no cell, or `output_layer` no function.
        ValueError: `start_tokens` is no vector or `end_token` no scalar; the states have another number of rows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     cell = tf.nn.rnn_cell.GRUCell(4)
    ...     state = tf.contrib.seq2seq.tile_batch(tf.ones([2, 4]), 3)
    ...     decoder = tf.contrib.seq2seq.BeamSearchDecoder(cell, tf.eye(5), [1, 1], 0, state, 3, tf.layers.Dense(5))
    ...     outputs, _, lengths = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=6)
    ...     session.run(tf.global_variables_initializer())
    ...     print(outputs.predicted_ids.shape, session.run(lengths).shape)
    (2, ?, 3) (2, 3)

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.BeamSearchDecoder`.
    """

    tracks_own_finished = True
    """Beams change places, and so does which of them have ended."""

    def __init__(
        self, cell: Any, embedding: Any, start_tokens: Any, end_token: Any, initial_state: Any, beam_width: int,
        output_layer: Any = None, length_penalty_weight: Any = 0.0, coverage_penalty_weight: Any = 0.0,
        reorder_tensor_arrays: bool = True
    ) -> None:  # fmt: skip
        check_cell("cell", cell)
        if output_layer is not None and not callable(output_layer):
            raise UseError(f"output_layer must be a Layer, received: {output_layer!r}")
        if not isinstance(beam_width, (int, np.integer)) or beam_width < 1:
            raise ValueRuleError(f"beam_width must be an int of at least 1, not {beam_width!r}")
        self._cell, self._output_layer, self._beams = cell, output_layer, int(beam_width)
        self._penalties = Penalties(length_penalty_weight, coverage_penalty_weight)
        self._reorders = reorder_tensor_arrays
        self._vectors = lookup_of(embedding)
        start = ops.convert_to_tensor(start_tokens, int32, name="start_tokens")
        self._end = ops.convert_to_tensor(end_token, int32, name="end_token")
        if start.shape.ndims != 1:
            raise ShapeError(f"start_tokens must be a vector, and has shape {start.shape}")
        if self._end.shape.ndims != 0:
            raise ShapeError(f"end_token must be a scalar, and has shape {self._end.shape}")
        self._batch = batch_size_of([start], 0)
        self._initial = map_leaves(self._split, initial_state)
        self._first = self._vectors(ops.tile(ops.expand_dims(start, 1), [1, self._beams]))

    @property
    def batch_size(self) -> Any:
        """The number of sequences, beams not counted."""
        return self._batch

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        """The sizes of scores, ids and parents."""
        return BeamSearchDecoderOutput(*[TensorShape([self._beams])] * 3)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        """The dtypes of scores, ids and parents."""
        return BeamSearchDecoderOutput(flat(self._initial)[0].dtype, int32, int32)

    def initialize(self, name: str | None = None) -> tuple[Any, Any, BeamSearchDecoderState]:
        """What holds before the first step: only the first beam of each sequence counts."""
        dtype = flat(self._initial)[0].dtype
        rows = ops.fill(ops.pack([self._batch]), ops.constant(0, int32))
        finished = ops.one_hot(rows, self._beams, ops.constant(False), ops.constant(True))
        logs = ops.one_hot(rows, self._beams, ops.constant(0.0, dtype), ops.constant(-np.inf, dtype))
        seen = attention_of(self._initial, self._penalties.coverage)
        lengths = ops.zeros(ops.pack([self._batch, self._beams]), int64)
        state = BeamSearchDecoderState(self._initial, logs, finished, lengths, () if seen is None else seen)
        return finished, self._first, state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> tuple[Any, Any, Any, Any]:
        """One step of the cell, and the choice among the continuations of all beams."""
        with name_scope(name or "BeamSearchDecoderStep"):
            outputs, after = self._cell(map_leaves(self._joined, inputs), map_leaves(self._joined, state.cell_state))
            logits, after = map_leaves(self._split, outputs), map_leaves(self._split, after)
            if self._output_layer is not None:
                logits = self._output_layer(logits)
            chosen, following = beam_search_step(logits, state, after, self._beams, self._end, self._penalties)
            inputs = cond(ops.reduce_all(following.finished), lambda: self._first,
                          lambda: self._vectors(chosen.predicted_ids))  # fmt: skip
        return chosen, following, inputs, following.finished

    def finalize(
        self, outputs: Any, final_state: Any, sequence_lengths: Any
    ) -> tuple[FinalBeamSearchDecoderOutput, Any]:
        """The sequences of all beams, and the last state."""
        ids = _paths(outputs.predicted_ids, outputs.parent_ids, self._end)
        if self._reorders:
            sort = _ArraySort(self._batch, self._beams, outputs.parent_ids, final_state.lengths)
            final_state = final_state._replace(cell_state=sort.within(final_state.cell_state))
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    # ---- [batch * beams, ...] <-> [batch, beams, ...] -------------------------------------------

    def _split(self, part: Any) -> Any:
        """A tensor with the beams as a dimension of their own; what has no rows stays as it is."""
        if isinstance(part, Tensor) and part.dtype.is_variant:
            return part
        part = ops.convert_to_tensor(part)
        dims = part.shape.raw
        if dims is None:
            raise ShapeError(f"the rank of {part.name!r} must be known; give it with set_shape")
        if not dims:
            return part
        rows, batch = dims[0], self._batch
        if isinstance(rows, int) and isinstance(batch, int) and rows != batch * self._beams:
            rule = f"it must have batch * beam_width = {batch} * {self._beams} = {batch * self._beams} rows"
            cure = "Give the decoder tf.contrib.seq2seq.tile_batch(state, beam_width), or a zero_state of that size."
            raise ShapeError(f"BeamSearchDecoder: {part.name!r} has shape {part.shape}; {rule}. {cure}")
        split = ops.reshape(part, ops.concat(0, [ops.pack([batch, self._beams]), ops.shape(part)[1:]]))
        split.set_shape([batch if isinstance(batch, int) else None, self._beams, *_known(dims[1:])])
        return split

    def _joined(self, part: Tensor) -> Tensor:
        """The other way."""
        dims = part.shape.raw
        if part.dtype.is_variant or dims is None or len(dims) < 2:
            return part
        batch = self._batch
        joined = ops.reshape(part, ops.concat(0, [ops.pack([batch * self._beams]), ops.shape(part)[2:]]))
        joined.set_shape([batch * self._beams if isinstance(batch, int) else None, *_known(dims[2:])])
        return joined


class _ArraySort(NamedTuple):
    """Arrays of the steps, whose beams are put into the places of the sequences at the end."""

    batch: Any
    beams: int
    parents: Tensor
    lengths: Tensor

    def within(self, structure: Any) -> Any:
        """A structure in which sorted tensors stand for arrays with a row for each beam."""
        if isinstance(structure, TensorArray):
            return self._sorted(structure)
        if isinstance(structure, (list, tuple)):
            parts = [self.within(part) for part in structure]
            return type(structure)(*parts) if hasattr(structure, "_fields") else type(structure)(parts)
        return structure

    def _sorted(self, array: TensorArray) -> Any:
        if not array.element_shape.raw:
            return array
        stacked = array.stack()
        time, shape = ops.shape(self.parents)[0], ops.shape(stacked)
        own = ops.tile(ops.reshape(ops.range(self.beams), [1, 1, self.beams]), ops.pack([time, self.batch, 1]))
        # The cell wrote before the step chose: a beam's row is that of the beam which it continues. TensorFlow 1.15
        # takes the row of the beam after the choice, which belongs to another sequence where beams change places.
        places = _paths(self.parents, self.parents, self.beams + 1)
        is_inside = ops.transpose(ops.sequence_mask(self.lengths, time), [2, 0, 1])
        beams = ops.reshape(stacked, ops.pack([time, self.batch, self.beams, -1]))
        return ops.reshape(gather_along(beams, ops.select(is_inside, places, own), 2, 2), shape)


def _paths(ids: Tensor, parents: Tensor, end_token: Any) -> Tensor:
    """The path to each beam of the last step.

    TensorFlow 1.15 reads from the last step in which a sequence of the row grew. With a coverage penalty, sequences
    that have ended change places after it, and its paths are not in the order of the last scores.
    """
    sizes = ops.shape(ids)
    return gather_tree(ids, parents, ops.fill(sizes[1:2], sizes[0]), end_token)


def _known(dims: Any) -> list[int | None]:
    return [size if isinstance(size, int) else None for size in dims]
