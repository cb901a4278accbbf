"""compute_accidental_hits: sampled classes that are true ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Sample, op, sample
from ...graph.declare.signature import Int, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import bits_of, float32, int32, int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.shape_checks import listed, require_rank

_Classes: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int64), prefer=int64)]


@op("ComputeAccidentalHits", graphdef="seed seed2 num_true", out=(int32, int64, float32), host_only=True)
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
    require_rank(true_classes, 2, 0)
    require_rank(sampled_candidates, 1, 1)
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
def accidental_hits_samples(rng: np.random.Generator) -> Iterator[Sample]:
    """Many hits, and none."""
    yield sample(rng.integers(0, 5, (4, 2)), rng.integers(0, 5, 6), 2, 0, 0)
    yield sample(np.zeros((0, 1), np.int64), np.array([1, 2]), 1, 0, 0)
    yield sample(np.array([[3]]), np.zeros(0, np.int64), 1, 0, 0)
