"""Candidate samplers: functions that draw a few of many classes, for losses that do not compute all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ValueRuleError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import Int, Operand, TensorLike
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import bits_of, float32, int32, int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.composite import all_or_nothing, reported_as_call
from ..declare.shape_checks import listed
from ..random.reused_random_values import draw_several
from . import sampler_ops

PUBLIC_NAMES = {
    "start_nn": (
        "all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler "
        "learned_unigram_candidate_sampler log_uniform_candidate_sampler uniform_candidate_sampler"
    ),
}

_MOST_CLASSES = (1 << 31) - 1
"""Of a learned unigram sampler."""


@reported_as_call("UniformCandidateSampler", one_op=True)
def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Draws classes that are all equally likely.

    Args:
        true_classes: int64 of shape (batch, num_true), the true classes of each example.
        num_true: how many true classes an example has, a Python int.
        num_sampled: how many classes are drawn.
        unique: whether the classes of a batch differ. If so, a class that was drawn before is drawn again.
        range_max: how many classes there are.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A list of three tensors. sampled_candidates, int64 of shape (num_sampled,): the classes. true_expected_count,
        float32 of shape (batch, num_true): how often each true class is expected among them. sampled_expected_count,
        float32 of shape (num_sampled,): how often each of them is.

    Raises:
        TypeError: `true_classes` is not int64, or an argument is no Python int.
        ValueError: `true_classes` is not a matrix, or a number is below 1.
        InvalidArgumentError (when run): a class is out of range, the columns are not `num_true`, or fewer classes than
            `num_sampled` can differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     sampled, true_count, count = tf.nn.uniform_candidate_sampler([[3]], 1, 4, True, 100, seed=1)
    ...     print(session.run(sampled))
    [91  5  1 54]

    Source: TensorFlow 1.x, `tf.nn.uniform_candidate_sampler`.
    """
    return all_or_nothing((true_classes,), lambda: draw_several(
        sampler_ops.uniform_sampler_op, true_classes, num_true, num_sampled, unique, range_max, seed=seed, name=name
    ))  # fmt: skip


@reported_as_call("LogUniformCandidateSampler", one_op=True)
@documented_like(uniform_candidate_sampler)
def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Draws classes by Zipf's distribution, as words have it that are sorted by how frequent they are.

    Class c has the probability (log(c + 2) - log(c + 1)) / log(range_max + 1).

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     sampled, true_count, count = tf.nn.log_uniform_candidate_sampler([[3]], 1, 4, True, 100, seed=1)
    ...     print(session.run(sampled))
    [66  5 22 24]
    """
    return all_or_nothing((true_classes,), lambda: draw_several(
        sampler_ops.log_uniform_sampler_op, true_classes, num_true, num_sampled, unique, range_max, seed=seed, name=name
    ))  # fmt: skip


@reported_as_call("LearnedUnigramCandidateSampler", one_op=True)
@documented_like(uniform_candidate_sampler)
def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Draws classes by how often they were true classes in the runs of the session before.

    Class c has a probability proportional to 1 + its count. `Session.random_state` holds the counts; each session
    begins without any.

    Raises:
        TypeError: `true_classes` is not int64, or an argument is no Python int.
        ValueError: `true_classes` is not a matrix, or a number is below 1, or `range_max` is 2**31 or more.
        InvalidArgumentError (when run): a class is out of range, the columns are not `num_true`, or fewer classes than
            `num_sampled` can differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     sampled, true_count, count = tf.nn.learned_unigram_candidate_sampler([[3]], 1, 4, True, 100, seed=1)
    ...     print(session.run(sampled))
    [27 59 93 22]
    """
    if isinstance(range_max, int) and range_max > _MOST_CLASSES:
        raise ValueRuleError(f"Value of range_max:{range_max} is too large to handle")
    return all_or_nothing((true_classes,), lambda: draw_several(
        sampler_ops.learned_unigram_sampler_op, true_classes, num_true, num_sampled, unique, range_max, seed=seed,
        name=name,
    ))  # fmt: skip


@reported_as_call("FixedUnigramCandidateSampler", one_op=True)
@documented_like(uniform_candidate_sampler)
def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Draws classes by weights that are given, such as how often each word is in a text.

    Class c has a probability proportional to weight(c) ** distortion.

    Args:
        vocab_file: the path of a text file; the last comma-separated value of each line is the weight of a class.
        distortion: the exponent of the weights: 1 leaves them, 0 makes them equal.
        num_reserved_ids: how many classes come before those with weights; they are not drawn.
        num_shards: how many samplers share the classes. Of these one draws only from its own classes, with class c
            in shard c % num_shards.
        shard: the number of this one.
        unigrams: the weights, a list of Python numbers.

    Raises:
        TypeError: `true_classes` is not int64, or an argument is no Python int.
        ValueError: `true_classes` is not a matrix, or a number is below 1; or there are both of `vocab_file` and
            `unigrams`, or none.
        InvalidArgumentError (when run): a class is out of range, the columns are not `num_true`, or fewer classes than
            `num_sampled` can differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     sampled, true_count, count = tf.nn.fixed_unigram_candidate_sampler(
    ...         [[3]], 1, 4, False, 5, unigrams=[1.0, 1.0, 0.0, 20.0, 1.0], seed=1)
    ...     print(session.run(sampled))
    [3 3 3 3]
    """
    sampler_ops.check_unigrams(vocab_file, unigrams)
    return all_or_nothing((true_classes,), lambda: draw_several(
        sampler_ops.fixed_unigram_sampler_op, true_classes, num_true, num_sampled, unique, range_max,
        vocab_file, distortion, num_reserved_ids, num_shards, shard, unigrams, seed=seed, name=name
    ))  # fmt: skip


@reported_as_call("AllCandidateSampler", one_op=True)
@documented_like(uniform_candidate_sampler)
def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Gives every class once, to compare a loss of sampled classes with that of all.

    Args:
        num_sampled: how many classes there are; all are given.
        unique: accepted for TensorFlow's sake.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     sampled, true_count, count = tf.nn.all_candidate_sampler([[3]], 1, 5, True)
    ...     print(session.run(sampled))
    [0 1 2 3 4]
    """
    return all_or_nothing((true_classes,), lambda: draw_several(
        sampler_ops.all_sampler_op, true_classes, num_true, num_sampled, unique, seed=seed, name=name
    ))  # fmt: skip


@reported_as_call("ComputeAccidentalHits", one_op=True)
def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Finds the sampled classes that are true classes of an example.

    Args:
        true_classes: int64 of shape (batch, num_true).
        sampled_candidates: an int64 vector, as a candidate sampler gives it.
        num_true: how many true classes an example has, a Python int.
        seed: accepted for TensorFlow's sake: nothing is drawn.

    Returns:
        A list of three vectors with an entry for each hit. indices, int32: the example. ids, int64: the place in
        `sampled_candidates`. weights, float32: the lowest number, to be added to the logit of that class.

    Raises:
        TypeError: an operand is not int64.
        ValueError: `true_classes` is not a matrix or `sampled_candidates` not a vector.
        InvalidArgumentError (when run): the same, or the columns are not `num_true`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     rows, places, _ = tf.nn.compute_accidental_hits([[7], [1]], [4, 1, 3], 1)
    ...     print(session.run([rows, places]))
    [array([1], dtype=int32), array([1])]

    Source: TensorFlow 1.x, `tf.nn.compute_accidental_hits`.
    """
    return all_or_nothing((true_classes, sampled_candidates), lambda: accidental_hits_op(
        true_classes, sampled_candidates, num_true, *get_default_graph().seeds_of_op(seed), name=name
    ))  # fmt: skip


# ---- accidental hits -----------------------------------------------------------------------------


_Classes: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int64), prefer=int64)]


@op("ComputeAccidentalHits", graphdef="seed seed2 num_true ->indices,ids,weights", out=(int32, int64, float32),
    host_only=True,
    ranks={"true_classes": 2, "sampled_candidates": 1})  # fmt: skip
def accidental_hits_op(
    true_classes: _Classes,
    sampled_candidates: _Classes,
    num_true: Int,
    seed: Int = 0,
    seed2: Int = 0,
    name: str | None = None,
) -> list[Tensor]:
    """The op behind `compute_accidental_hits`."""


@accidental_hits_op.shape
def accidental_hits_shape(
    true_classes: Tensor, sampled_candidates: Tensor, num_true: int, seed: int, seed2: int
) -> list[TensorShape]:
    """Three vectors of one length that the run knows."""
    hits = unknown("the number of hits depends on the classes", true_classes)
    return [shape_of([hits])] * 3


@accidental_hits_op.kernel
def accidental_hits_kernel(xp: Any, true: Any, sampled: Any, num_true: int, seed: int, seed2: int) -> list[Any]:
    """Row by row; of equal candidates the last one counts, as in TensorFlow."""
    if true.ndim != 2 or true.shape[1] != num_true:
        raise InvalidArgumentError(message=f"true_classes must be a matrix with num_true = {num_true} columns, got "
                                           f"shape {listed(true.shape)}")  # fmt: skip
    if sampled.ndim != 1:
        raise InvalidArgumentError(message="sampled_candidates must be a vector, which is typically an output from "
                                           f"CandidateSampler, got shape {listed(sampled.shape)}")  # fmt: skip
    order = np.argsort(sampled, kind="stable")
    ordered = sampled[order]
    last = np.searchsorted(ordered, true, side="right") - 1
    is_hit = last >= 0
    if len(ordered):
        is_hit &= ordered[last] == true
    rows, columns = np.nonzero(is_hit)
    lowest = np.finfo(np.float32).min
    return [rows.astype(np.int32), order[last[rows, columns]].astype(np.int64), np.full(len(rows), lowest, np.float32)]


accidental_hits_op.no_gradient("it gives places, and weights that do not depend on floats")


@accidental_hits_op.samples
def accidental_hits_samples(rng: np.random.Generator) -> Samples:
    """Many hits, and none."""
    yield sample(rng.integers(0, 5, (4, 2)), rng.integers(0, 5, 6), 2, 0, 0)
    yield sample(np.zeros((0, 1), np.int64), np.array([1, 2]), 1, 0, 0)
    yield sample(np.array([[3]]), np.zeros(0, np.int64), 1, 0, 0)
