"""`edit_distance`: the Levenshtein distances of the sequences of two sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.building.constant_evaluation import known_vector
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Flag
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import float32
from ...graph.shapes.shape import TensorShape, merge_shapes
from ..declare.composite import reported_as_call
from ..declare.shape_checks import listed
from .sparse_parts import (
    Places,
    Sizes,
    SparseLike,
    Values,
    as_sparse,
    check_order,
    check_parts,
    flat_places,
    rank_of_parts,
    unknown_sizes,
)  # fmt: skip

PUBLIC_NAMES = {"tf": "edit_distance"}


@op("EditDistance", graphdef="T=hypothesis_values normalize", out=float32, host_only=True)
def edit_distance_op(
    hypothesis_indices: Places, hypothesis_values: Values, hypothesis_shape: Sizes, truth_indices: Places,
    truth_values: Values, truth_shape: Sizes, normalize: Flag = True, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The op behind `edit_distance`."""


@edit_distance_op.shape
def edit_distance_shape(
    hypothesis_indices: Tensor, hypothesis_values: Tensor, hypothesis_shape: Tensor, truth_indices: Tensor,
    truth_values: Tensor, truth_shape: Tensor, normalize: bool,
) -> TensorShape:  # fmt: skip
    rank = rank_of_parts(hypothesis_indices, hypothesis_values, hypothesis_shape)
    other = rank_of_parts(truth_indices, truth_values, truth_shape, 3)
    if isinstance(rank, int) and isinstance(other, int) and rank != other:
        raise ShapeError(f"hypothesis has rank {rank} but truth has rank {other}; both have the same", operand=5)
    known = other if rank is None else rank
    left = known - 1 if isinstance(known, int) and known > 0 else None
    sizes = unknown_sizes(left, "the dense shapes are not known before the run", hypothesis_shape)
    ours, theirs = known_vector(hypothesis_shape), known_vector(truth_shape)
    if left is None or ours is None or theirs is None:
        return sizes
    pairs = zip(ours[:left], theirs[:left], strict=True)
    larger = [max(a, b) if isinstance(a, int) and isinstance(b, int) else None for a, b in pairs]
    return merge_shapes(sizes, TensorShape([size if size is not None and size >= 0 else None for size in larger]))


@edit_distance_op.kernel
def edit_distance_kernel(
    xp: Any, h_indices: Any, h_values: Any, h_shape: Any, t_indices: Any, t_values: Any, t_shape: Any, normalize: bool
) -> Any:
    check_parts(h_indices, h_values, h_shape, "hypothesis_")
    check_parts(t_indices, t_values, t_shape, "truth_")
    if len(h_shape) != len(t_shape):
        raise InvalidArgumentError(message="Expected hypothesis_shape.NumElements() == truth_shape.NumElements(), got "
                                           f"{len(h_shape)} and {len(t_shape)}")  # fmt: skip
    if not len(h_shape):
        raise InvalidArgumentError(message=f"the tensors must have rank 1 or higher, not shape {listed(h_shape)}")
    check_order(h_indices, h_shape)
    check_order(t_indices, t_shape)
    sizes = np.maximum(h_shape, t_shape)[:-1].tolist()
    out = np.zeros(sizes, np.float32)
    count = out.size
    groups = np.arange(count + 1)
    bounds = [np.searchsorted(flat_places(each[:, :-1], sizes), groups) for each in (h_indices, t_indices)]
    codes = np.unique(np.concatenate([h_values, t_values]), return_inverse=True)[1].reshape(-1)
    flat = out.reshape(-1)
    for group in range(count):
        ours, theirs = (
            codes[offset + part[group] : offset + part[group + 1]]
            for part, offset in zip(bounds, (0, len(h_values)), strict=True)
        )
        distance: float = _levenshtein(theirs, ours)
        if normalize:
            distance = distance / len(theirs) if len(theirs) else (np.inf if len(ours) else 0.0)
        flat[group] = distance
    return out


def _levenshtein(one: Any, other: Any) -> int:
    """A row of the table at a time: the running minimum of what insertions add follows from one of `row - place`."""
    places = np.arange(len(other) + 1)
    row = places.copy()
    for number, symbol in enumerate(one, start=1):
        best = np.empty_like(row)
        best[0] = number
        best[1:] = np.minimum(row[1:] + 1, row[:-1] + (other != symbol))
        row = np.minimum.accumulate(best - places) + places
    return int(row[-1])


edit_distance_op.no_gradient("as in TensorFlow, it has none")


@edit_distance_op.samples
def edit_distance_samples(rng: np.random.Generator) -> Samples:
    h, t = np.array([[0, 0], [1, 0], [1, 1]], "i8"), np.array([[0, 0], [0, 1], [1, 0]], "i8")
    for normalize in (True, False):
        yield sample(h, np.array([1, 2, 3], "i4"), np.array([2, 2], "i8"), t, np.array([1, 3, 3], "i4"),
                     np.array([2, 2], "i8"), normalize)  # fmt: skip
    none = np.zeros((0, 2), "i8")
    yield sample(none, np.zeros(0, "i4"), np.array([2, 2], "i8"), none, np.zeros(0, "i4"), np.array([2, 2], "i8"))


@reported_as_call(one_op=True)
def edit_distance(
    hypothesis: SparseLike, truth: SparseLike, normalize: bool = True, name: str | None = "edit_distance"
) -> Tensor:
    """The fewest insertions, deletions and replacements that make a sequence of `hypothesis` one of `truth`.

    Args:
        hypothesis: a `SparseTensor` of sequences along its last dimension.
        truth: a `SparseTensor` of the same rank and dtype.
        normalize: whether distances are divided by the length of the true sequence.

    Returns:
        A float32 tensor of rank r - 1, whose shape is the dense shape without its last size. A normalized distance from
        an empty sequence is inf, or 0 if both are empty.

    Raises:
        TypeError: an argument is no sparse tensor, or the dtypes differ.
        ValueError: the ranks differ.
        InvalidArgumentError (when run): an index is out of range, out of order or repeated.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    ...     b = tf.SparseTensor([[0, 0], [0, 1]], ["a", "c"], [1, 2])
    ...     print(session.run(tf.edit_distance(a, b)))
    [0.5]

    Source: TensorFlow 1.15, `tf.edit_distance`.
    """
    s, t = as_sparse(hypothesis, "hypothesis"), as_sparse(truth, "truth")
    return edit_distance_op(
        s.indices, s.values, s.dense_shape, t.indices, t.values, t.dense_shape, normalize, name=name
    )
