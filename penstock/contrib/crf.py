"""`tf.contrib.crf`: the score of a sequence of tags, its log likelihood, and the best sequence.

A linear chain: the score of tags t_0 ... t_n is the sum of inputs[i, t_i] and of transitions[t_(i-1), t_i]. The sum
over all sequences, and the best one, are found step by step with one number for each tag (the forward algorithm,
Viterbi's).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import (
    argmax,
    cast,
    concat,
    expand_dims,
    foldl,
    gather,
    get_variable,
    greater,
    int32,
    logical_and,
    reduce_logsumexp,
    reduce_max,
    reduce_sum,
    reshape,
    scan,
    select,
    sequence_mask,
    transpose,
    zeros_like,
)  # fmt: skip
from .. import range as range_op
from .. import shape as shape_op
from .. import size as size_op
from ..errors import ValueRuleError
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.declare.composite import reported_as_call

__all__ = [
    "crf_binary_score", "crf_decode", "crf_log_likelihood", "crf_log_norm", "crf_sequence_score", "crf_unary_score",
    "viterbi_decode",
]  # fmt: skip


@reported_as_call("crf_sequence_score")
def crf_sequence_score(
    inputs: TensorLike, tag_indices: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike
) -> Tensor:
    """The score of each sequence of tags: the sum of the inputs of its tags and of the transitions between them.

    Args:
        inputs: floats (batch, steps, tags), a score for each tag at each step.
        tag_indices: int32 or int64 (batch, steps).
        sequence_lengths: ints (batch,); later steps do not count.
        transition_params: floats (tags, tags); [i, j] is the score of j behind i.

    Returns:
        A tensor (batch,) of the dtype of `inputs`.

    Raises:
        ValueError: `inputs` has not rank 3.

    >>> import penstock as tf
    >>> x, transitions = [[[1.0, 2.0], [3.0, 5.0]]], [[10.0, 20.0], [30.0, 40.0]]
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.crf.crf_sequence_score(x, [[1, 0]], [2], transitions)))
    [35.]

    Source: TensorFlow 1.x, `tf.contrib.crf.crf_sequence_score`.
    """
    unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
    return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)


@reported_as_call("crf_unary_score")
def crf_unary_score(tag_indices: TensorLike, sequence_lengths: TensorLike, inputs: TensorLike) -> Tensor:
    """The sum of the inputs of the tags of each sequence.

    Args:
        tag_indices: int32 or int64 (batch, steps).
        sequence_lengths: ints (batch,); later steps do not count.
        inputs: floats (batch, steps, tags).

    Returns:
        A tensor (batch,) of the dtype of `inputs`.

    Raises:
        ValueError: `inputs` has not rank 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.crf.crf_unary_score([[1, 0]], [1], [[[1.0, 2.0], [3.0, 5.0]]])))
    [2.]

    Source: TensorFlow 1.x, `tf.contrib.crf.crf_unary_score`.
    """
    scores = _scores(inputs)
    tags = convert_to_tensor(tag_indices)
    chosen = _chosen(scores, tags)
    return reduce_sum(chosen * _mask(sequence_lengths, shape_op(tags)[1], scores), 1)


@reported_as_call("crf_binary_score")
def crf_binary_score(tag_indices: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike) -> Tensor:
    """The sum of the transitions between the tags of each sequence.

    Args:
        tag_indices: int32 or int64 (batch, steps).
        sequence_lengths: ints (batch,); later steps do not count.
        transition_params: floats (tags, tags); [i, j] is the score of j behind i.

    Returns:
        A tensor (batch,) of the dtype of `transition_params`.

    Raises:
        ValueError: operands do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.crf.crf_binary_score([[1, 0, 0]], [3], [[10.0, 20.0], [30.0, 40.0]])))
    [40.]

    Source: TensorFlow 1.x, `tf.contrib.crf.crf_binary_score`.
    """
    transitions = convert_to_tensor(transition_params)
    tags = convert_to_tensor(tag_indices)
    behind = gather(transitions, tags[:, :-1])
    between = _chosen(behind, tags[:, 1:])
    steps = _lengths(sequence_lengths) - 1
    return reduce_sum(between * _mask(steps, shape_op(tags)[1] - 1, transitions), 1)


@reported_as_call("crf_log_norm")
def crf_log_norm(inputs: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike) -> Tensor:
    """The logarithm of the sum of exp(score) over all sequences of tags.

    Args:
        inputs: floats (batch, steps, tags).
        sequence_lengths: ints (batch,); later steps do not count.
        transition_params: floats (tags, tags); [i, j] is the score of j behind i.

    Returns:
        A tensor (batch,) of the dtype of `inputs`; 0 for a sequence without steps.

    Raises:
        ValueError: `inputs` has not rank 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     norm = tf.contrib.crf.crf_log_norm(tf.zeros([1, 3, 2]), [3], tf.zeros([2, 2]))
    ...     print(session.run(tf.exp(norm)).round(3))
    [8.]

    Source: TensorFlow 1.x, `tf.contrib.crf.crf_log_norm`.
    """
    scores, transitions, lengths = _scores(inputs), convert_to_tensor(transition_params), _lengths(sequence_lengths)

    def step(before: Tensor, here: Any) -> Tensor:
        score, is_active = here
        after = reduce_logsumexp(expand_dims(before, 2) + transitions, 1) + score
        return select(is_active, after, before)

    last = foldl(step, _steps(scores, lengths), scores[:, 0])
    total = reduce_logsumexp(last, 1)
    return select(greater(lengths, 0), total, zeros_like(total))


@reported_as_call("crf_log_likelihood")
def crf_log_likelihood(
    inputs: TensorLike, tag_indices: TensorLike, sequence_lengths: TensorLike,
    transition_params: TensorLike | None = None,
) -> tuple[Tensor, Any]:  # fmt: skip
    """The logarithm of the probability of each sequence of tags, and the transitions.

    Args:
        inputs: floats (batch, steps, tags), a score for each tag at each step.
        tag_indices: int32 or int64 (batch, steps).
        sequence_lengths: ints (batch,); later steps do not count.
        transition_params: floats (tags, tags); by default a new variable `transitions`.

    Returns:
        A pair of the log likelihoods (batch,) and `transition_params`.

    Raises:
        ValueError: `inputs` has not rank 3, or the number of tags is not known where the variable is made.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     found, _ = tf.contrib.crf.crf_log_likelihood(tf.zeros([1, 3, 2]), [[0, 1, 1]], [3], tf.zeros([2, 2]))
    ...     print(session.run(tf.exp(found)).round(3))
    [0.125]

    Source: TensorFlow 1.x, `tf.contrib.crf.crf_log_likelihood`.
    """
    scores = _scores(inputs)
    if transition_params is None:
        tags = scores.shape[2].value
        if tags is None:
            raise ValueRuleError("crf_log_likelihood: the last size of inputs is the number of tags, and must be known "
                                 f"for the variable of transitions; inputs have shape {scores.shape}")  # fmt: skip
        transition_params = get_variable("transitions", [tags, tags])
    score = crf_sequence_score(scores, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(scores, sequence_lengths, transition_params), transition_params


@reported_as_call("crf_decode")
def crf_decode(
    potentials: TensorLike, transition_params: TensorLike, sequence_length: TensorLike
) -> tuple[Tensor, Tensor]:
    """The sequence of tags with the highest score, and that score.

    Args:
        potentials: floats (batch, steps, tags).
        transition_params: floats (tags, tags); [i, j] is the score of j behind i.
        sequence_length: ints (batch,); tags of later steps are 0.

    Returns:
        A pair of the tags, int32 (batch, steps), and the scores (batch,).

    Raises:
        ValueError: `potentials` has not rank 3.

    >>> import penstock as tf
    >>> x, transitions = [[[1.0, 2.0], [3.0, 5.0]]], [[10.0, 20.0], [30.0, 20.0]]
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(*session.run(tf.contrib.crf.crf_decode(x, transitions, [2])))
    [[1 0]] [35.]

    Source: TensorFlow 1.x, `tf.contrib.crf.crf_decode`.
    """
    scores, transitions, lengths = _scores(potentials), convert_to_tensor(transition_params), _lengths(sequence_length)
    # A step that is not active leads from each tag back to itself, so that the way back needs no other rule.
    itself = zeros_like(cast(scores[:, 0], int32)) + range_op(shape_op(scores)[2])

    def forward(before: Any, here: Any) -> Any:
        best, _ = before
        score, is_active = here
        through = expand_dims(best, 2) + transitions
        came_from = cast(argmax(through, 1), int32)
        return select(is_active, reduce_max(through, 1) + score, best), select(is_active, came_from, itself)

    best, came_from = scan(forward, _steps(scores, lengths), (scores[:, 0], itself))
    last = cast(argmax(best[-1], 1), int32)
    # came_from[i] leads from step i to step i - 1; its first row leads nowhere, so the first tag comes twice.
    earlier = scan(lambda tag, back: _chosen(back, tag), _backwards(came_from), last)
    tags = transpose(_backwards(concat(0, [expand_dims(last, 0), earlier[:-1]])))
    inside = sequence_mask(lengths, shape_op(scores)[1], int32)
    return tags * inside, reduce_max(best[-1], 1)


def viterbi_decode(score: npt.ArrayLike, transition_params: npt.ArrayLike) -> tuple[list[int], Any]:
    """The sequence of tags with the highest score, and that score, of NumPy arrays.

    Args:
        score: floats (steps, tags).
        transition_params: floats (tags, tags); [i, j] is the score of j behind i.

    Returns:
        A pair of a list of ints and a float.

    Raises:
        ValueError: the arrays are not matrices, or do not fit.

    >>> import penstock as tf
    >>> tf.contrib.crf.viterbi_decode([[1.0, 2.0], [3.0, 5.0]], [[10.0, 20.0], [30.0, 20.0]])[0]
    [1, 0]

    Source: TensorFlow 1.x, `tf.contrib.crf.viterbi_decode`.
    """
    values, transitions = np.asarray(score), np.asarray(transition_params)
    if values.ndim != 2 or transitions.shape != (values.shape[1],) * 2 or not len(values):
        raise ValueRuleError(f"viterbi_decode: score {values.shape} must be (steps, tags), with at least one step, and "
                             f"transition_params {transitions.shape} (tags, tags); run the tensors first")  # fmt: skip
    best, back = values[0], []
    for row in values[1:]:
        through = best[:, None] + transitions
        back.append(through.argmax(0))
        best = row + through.max(0)
    tags = [int(best.argmax())]
    for each in reversed(back):
        tags.append(int(each[tags[-1]]))
    return tags[::-1], best.max()


# ---- what they share ----------------------------------------------------------------------------


def _scores(inputs: TensorLike) -> Tensor:
    scores = convert_to_tensor(inputs)
    if scores.shape.ndims not in (None, 3):
        raise ValueRuleError(f"inputs have shape {scores.shape}; they must be (batch, steps, tags)")
    return scores


def _lengths(sequence_lengths: TensorLike) -> Tensor:
    return cast(sequence_lengths, int32)


def _mask(lengths: TensorLike, steps: Tensor, scores: Tensor) -> Tensor:
    """1 for each step that counts, 0 for the others."""
    return sequence_mask(_lengths(lengths), steps, scores.dtype)


def _steps(scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """The scores of each step, and whether the step is behind the first and inside a sequence."""
    steps = range_op(shape_op(scores)[1])
    is_inside = logical_and(greater(steps, 0)[:, None], greater(lengths[None, :], steps[:, None]))
    return transpose(scores, [1, 0, 2]), is_inside


def _chosen(values: Tensor, indices: Tensor) -> Tensor:
    """The number of each row (the last dimension) at the index of the row."""
    places = cast(indices, int32)
    starts = reshape(range_op(size_op(places)), shape_op(places)) * shape_op(values)[-1]
    return gather(reshape(values, [-1]), starts + places)


def _backwards(rows: Tensor) -> Tensor:
    return rows[::-1]
