"""Steps of the fuzz over ops that sort, sum by segment, spread and contract, between views and fused groups."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..random_graphs import FLOATS, REALS
from .eager import EagerWriter, GiveUp
from .steps import picked

LARGEST = 20_000
"""Elements up to which results that are larger than their operand are made."""


def ordered(w: EagerWriter) -> None:
    """A sort, its indices, or the largest elements."""
    x = picked(w, REALS)
    axis = int(w.rng.integers(-1, len(x.shape)))
    direction = w.one_of(["ASCENDING", "DESCENDING"])
    k = int(w.rng.integers(0, x.shape[-1] + 1))
    w.let(w.one_of([
        f"tf.sort({x.name}, axis={axis}, direction={direction!r})",
        f"tf.argsort({x.name}, axis={axis}, direction={direction!r})",
        f"tf.top_k({x.name}, {k})[{int(w.rng.integers(2))}]",
        f"tf.searchsorted(tf.sort(tf.reshape({x.name}, [-1])), tf.reshape({x.name}, [-1]))",
    ]))  # fmt: skip


def segments(w: EagerWriter) -> None:
    """Rows reduced by segment, with sorted ids or with any."""
    x = picked(w, REALS, rows=1)
    rows = x.shape[0]
    how = w.one_of(["sum", "max", "min", "prod"])
    if w.chance(0.5):
        ids = w.fed(np.sort(w.rng.integers(0, 5, rows)).astype(w.one_of(["i4", "i8"])))
        w.let(f"tf.segment_{how}({x.name}, {ids})")
    else:
        ids = w.fed(w.rng.integers(-1, 5, rows).astype(w.one_of(["i4", "i8"])))
        w.let(f"tf.unsorted_segment_{how}({x.name}, {ids}, 5)")


def spread(w: EagerWriter) -> None:
    """A value rolled, broadcast, or on a diagonal."""
    x = picked(w)
    if int(np.prod(x.shape)) > LARGEST or (len(x.shape) == 1 and x.shape[0] > 100):
        raise GiveUp
    forms = [f"tf.roll({x.name}, {int(w.rng.integers(-5, 6))}, 0)", f"tf.broadcast_to({x.name}, {[2, *x.shape]})"]
    if x.dtype in FLOATS and len(x.shape) == 1:
        forms += [f"tf.diag({x.name})", f"tf.diag_part(tf.diag({x.name}))"]
    w.let(w.one_of(forms))


def contracted(w: EagerWriter) -> None:
    """An einsum that only moves, sums, or multiplies; or a variance."""
    x = picked(w, FLOATS, least=2)
    if int(np.prod(x.shape)) > LARGEST or len(x.shape) != 2:
        raise GiveUp
    w.let(w.one_of([f"tf.einsum('ij->ji', {x.name})", f"tf.einsum('ij->j', {x.name})",
                    f"tf.reduce_variance({x.name}, 0)", f"tf.einsum('i...->...i', {x.name})"]))  # fmt: skip


VOCABULARY: tuple[Callable[[EagerWriter], None], ...] = (ordered, segments, spread, contracted)
