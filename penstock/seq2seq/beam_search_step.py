"""One step of a beam search: from the scores of all continuations of all beams to the best ones.

The beams of a sequence are rows of one tensor, [batch, beams, ...]. A step ranks beams * vocabulary continuations,
keeps as many as there are beams, and takes the states of the beams that these continue.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..control_flow.structures import flat
from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, ValueRuleError
from ..graph.building.constant_evaluation import known_value
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import float32, int32, int64
from ..ops.elementwise.select_broadcast import select_v2
from ..ops.index.batched_gather import gather_in_batches
from ..recurrent.cell_states import map_leaves
from .attention_wrapper import AttentionWrapperState


class BeamSearchDecoderState(NamedTuple):
    """The state of a `BeamSearchDecoder`; all parts have shape [batch, beams, ...].

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.BeamSearchDecoderState`.
    """

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any


class BeamSearchDecoderOutput(NamedTuple):
    """What a step of a beam search chose: scores, ids, and which beams they continue; each of shape [batch, beams].

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.BeamSearchDecoderOutput`.
    """

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class Penalties(NamedTuple):
    """How lengths and attention change scores: numbers or scalar tensors; 0 for not at all."""

    length: Any
    coverage: Any


def beam_search_step(
    logits: Tensor, state: BeamSearchDecoderState, next_cell_state: Any, beams: int, end_token: Tensor,
    penalties: Penalties,
) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:  # fmt: skip
    """What the step chooses, and the state after it.

    Args:
        logits: of shape [batch, beams, vocabulary].
        state: that before the step.
        next_cell_state: the state of the cell after the step, of shape [batch, beams, ...] before beams are chosen.
        beams: how many are kept.
        end_token: the id that ends a sequence.
        penalties: how lengths and attention change the scores.
    """
    size = (logits.shape.raw or [None])[-1]
    vocabulary: Any = size if isinstance(size, int) else ops.shape(logits)[2]
    steps = _ended_rows(ops.log_softmax(logits), vocabulary, end_token, state.finished)
    totals = ops.expand_dims(state.log_probs, 2) + steps
    grows = ops.cast(ops.one_hot(end_token, vocabulary, ops.constant(0, int64), ops.constant(1, int64)), int64)
    counts = ops.expand_dims(ops.cast(ops.logical_not(state.finished), int64), 2)
    scores = _length_penalized(totals, ops.expand_dims(state.lengths, 2) + counts * grows, penalties.length)
    seen = _attention_so_far(state, next_cell_state, penalties.coverage)
    if seen is not None:
        scores = scores + ops.expand_dims(_coverage_penalty(seen, state.finished, penalties.coverage), 2)
    rows = ops.pack([ops.shape(logits)[0], -1])
    best, places = ops.top_k(ops.reshape(scores, rows), beams)
    ids, parents = places % vocabulary, places // vocabulary
    was_finished = picked(state.finished, parents)
    following = BeamSearchDecoderState(
        cell_state=map_leaves(lambda each: picked(each, parents), next_cell_state),
        log_probs=_shaped(gather_in_batches(ops.reshape(totals, rows), places, 1), places),
        finished=ops.logical_or(was_finished, ops.equal(ids, end_token)),
        lengths=picked(state.lengths, parents) + ops.cast(ops.logical_not(was_finished), int64),
        accumulated_attention_probs=() if seen is None else picked(seen, parents),
    )  # fmt: skip
    return BeamSearchDecoderOutput(best, ops.cast(ids, int32), ops.cast(parents, int32)), following


def picked(part: Tensor, parents: Tensor) -> Tensor:
    """The beams of a part of the state that go on; what has no beams stays as it is."""
    if part.dtype.is_variant or (part.shape.ndims or 0) < 2:
        return part
    chosen = gather_in_batches(part, parents, 1)
    chosen.set_shape(part.shape)
    return chosen


def _shaped(t: Tensor, like: Tensor) -> Tensor:
    t.set_shape(like.shape)
    return t


def _ended_rows(logs: Tensor, vocabulary: Any, end_token: Tensor, finished: Tensor) -> Tensor:
    """The logarithms of probabilities, where a beam that has ended goes on with `end_token` alone."""
    least = ops.constant(logs.dtype.min, logs.dtype)
    row = ops.one_hot(end_token, vocabulary, ops.zeros_like(least), least)
    masked = select_v2(ops.expand_dims(finished, 2), row, logs)
    masked.set_shape(logs.shape)
    return masked


def _is_zero(weight: Any) -> bool:
    value = known_value(ops.convert_to_tensor(weight))
    return value is not None and not value.any()


def _length_penalized(totals: Tensor, lengths: Tensor, weight: Any) -> Tensor:
    """totals / ((5 + lengths) / 6) ** weight."""
    factor = ops.convert_to_tensor(weight)
    if factor.shape.ndims not in (None, 0):
        raise ShapeError(f"length_penalty_weight must be a scalar, and has shape {factor.shape}")
    if _is_zero(factor):
        return totals
    factor = ops.cast(factor, float32)
    penalties = (5.0 + ops.cast(lengths, float32)) ** factor / ops.constant(6.0, float32) ** factor
    return totals / ops.cast(penalties, totals.dtype)


def _attention_so_far(state: BeamSearchDecoderState, next_cell_state: Any, weight: Any) -> Tensor | None:
    now = attention_of(next_cell_state, weight)
    if now is None:
        return None
    taken: Tensor = state.accumulated_attention_probs
    return taken + now * ops.expand_dims(ops.cast(ops.logical_not(state.finished), now.dtype), 2)


def _coverage_penalty(seen: Tensor, finished: Tensor, weight: Any) -> Tensor:
    """weight * sum over the memory of log(min(attention, 1)), for beams that have ended; 0 attention is padding."""
    seen = select_v2(ops.equal(seen, ops.zeros_like(seen)), ops.ones_like(seen), seen)
    penalty = ops.reduce_sum(ops.log(select_v2(seen > 1.0, ops.ones_like(seen), seen)), 2)
    return penalty * ops.cast(finished, seen.dtype) * ops.cast(ops.convert_to_tensor(weight), seen.dtype)


def attention_of(cell_state: Any, weight: Any) -> Tensor | None:
    """The mean alignments of the attention in a state, of shape [batch, beams, memory]; None if the weight is 0."""
    factor = ops.convert_to_tensor(weight)
    if factor.shape.ndims not in (None, 0):
        raise ShapeError(f"coverage_penalty_weight must be a scalar, and has shape {factor.shape}")
    if _is_zero(factor):
        return None
    is_one = isinstance(cell_state, AttentionWrapperState) or not isinstance(cell_state, tuple)
    parts = [cell_state] if is_one else cell_state
    means = [_mean(flat(part.alignments)) for part in parts if isinstance(part, AttentionWrapperState)]
    if not means:
        raise ValueRuleError("coverage_penalty_weight must be 0.0 if no cell is attentional: "
                             "wrap the cell in a tf.contrib.seq2seq.AttentionWrapper")  # fmt: skip
    return _mean(means)


def _mean(tensors: list[Tensor]) -> Tensor:
    return tensors[0] if len(tensors) == 1 else ops.reduce_mean(ops.pack(tensors), 0)
