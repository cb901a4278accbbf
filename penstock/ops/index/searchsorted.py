"""searchsorted: where values would be inserted into sorted rows."""

from __future__ import annotations

from typing import Annotated, Any, Final

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr, Real
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, bfloat16, int32
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.reduction_decl import is_short
from ..declare.shape_checks import listed, same_size
from .row_indexing import dims_at_least
from .unique import IndexDType

PUBLIC_NAMES = {"start": "searchsorted"}

_LONG: Final = 64
"""Values in a row from which on each row is searched by itself."""


def _side(value: Any) -> str:
    if not isinstance(value, str) or value not in ("left", "right"):
        raise ValueRuleError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = {value!r}")
    return value


_Side = Annotated[str, Attr(_side, "side")]


@op("SearchSorted", out="out_type", no_gradient="it gives ints")
def searchsorted(
    sorted_sequence: Real,
    values: Real,
    side: _Side = "left",
    out_type: IndexDType = int32,
    name: str | None = None,
) -> Tensor:
    """The places at which values would be inserted into sorted rows, so that these stay sorted.

    Args:
        sorted_sequence: ints or floats, of rank 1 or higher; each row along the last axis is in ascending order, NaNs
            last.
        values: the dtype of `sorted_sequence`, and its shape but for the last size.
        side: "left" gives the place before equal elements, "right" the one after them.
        out_type: the dtype of the result: int32 or int64.

    Returns:
        A tensor with the shape of `values` and dtype `out_type`, of numbers from 0 to the length of the sorted rows.

    Raises:
        TypeError: an operand has another dtype, or `out_type` is another.
        ValueError: an operand is a scalar, `side` is another word, or known sizes before the last differ.
        InvalidArgumentError (when run): an operand is a scalar, or sizes before the last differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.searchsorted([1, 3, 3, 7], [0, 3, 8])))
    ...     print(session.run(tf.searchsorted([1, 3, 3, 7], [0, 3, 8], side="right")))
    [0 1 4]
    [0 3 4]

    Source: TensorFlow 1.x, `tf.searchsorted`.
    """


@searchsorted.shape
def searchsorted_shape(sorted_sequence: Tensor, values: Tensor, side: str, out_type: DType) -> TensorShape:
    rows, wanted = dims_at_least(sorted_sequence, 1, 0), dims_at_least(values, 1, 1)
    if rows is None or wanted is None:
        return values.shape
    if len(rows) != len(wanted):
        raise ShapeError(f"Shapes must be equal rank, but are {len(rows)} and {len(wanted)}", operand=1)
    cure = "All sizes but the last must be the same. Leading dim_size of both tensors must match."
    leading = [same_size(a, b, 1, i, cure) for i, (a, b) in enumerate(zip(rows[:-1], wanted[:-1], strict=True))]
    return shape_of((*leading, wanted[-1]))


@searchsorted.kernel
def searchsorted_kernel(xp: Any, sorted_sequence: Any, values: Any, side: str, out_type: DType) -> Any:
    if not sorted_sequence.ndim or sorted_sequence.shape[:-1] != values.shape[:-1] or not values.ndim:
        raise InvalidArgumentError(message="Leading dim_size of both tensors must match. The shapes are "
                                           f"{listed(sorted_sequence.shape)} and {listed(values.shape)}")  # fmt: skip
    rows, wanted = (x.astype(np.float32) if is_short(x.dtype) else x for x in (sorted_sequence, values))
    if values.ndim == 1:
        return xp.searchsorted(rows, wanted, side).astype(out_type.np)
    out = xp.zeros(values.shape, out_type.np)
    if not out.size:
        return out
    count = out.size // out.shape[-1]
    table, flat, found = (x.reshape(count, x.shape[-1]) for x in (rows, wanted, out))
    if flat.shape[1] >= _LONG:
        for row, each, places in zip(table, flat, found, strict=True):
            places[...] = xp.searchsorted(row, each, side)
    else:
        found[...] = _bisected(xp, table, flat, side)
    return out


@searchsorted.distributes
@labelled
def searchsorted_distributes(sorted_sequence: Tensor, values: Tensor, *_: Any) -> Axes | None:
    rank = values.shape.ndims
    if rank is None:
        return None
    rows = range(rank - 1)
    return [[*rows, None], [*rows, "values"]], [[*rows, "values"]]


def _bisected(xp: Any, rows: Any, wanted: Any, side: str) -> Any:
    """All rows at once: as many steps as halve the longest row."""
    low, high = xp.zeros(wanted.shape, np.int64), xp.full(wanted.shape, rows.shape[1], np.int64)
    for _ in range(rows.shape[1].bit_length()):
        middle = (low + high) // 2
        element = xp.take_along_axis(rows, xp.minimum(middle, rows.shape[1] - 1), axis=1)
        # NaN is greater than every number and equal to itself, as in a sorted row.
        before = (element < wanted) | ((wanted != wanted) & (element == element))
        if side == "right":
            before |= (element == wanted) | ((element != element) & (wanted != wanted))
        before &= low < high
        low, high = xp.where(before, middle + 1, low), xp.where(before, high, middle)
    return low


@searchsorted.fails
def searchsorted_fails(sorted_sequence: Tensor, values: Tensor, side: str, out_type: DType) -> str | None:
    rows, wanted = sorted_sequence.shape.raw, values.shape.raw
    known = rows is not None and wanted is not None and rows[:-1] == wanted[:-1]
    return None if known else "whether the sizes before the last are the same is not known before the run"


@searchsorted.samples
def searchsorted_samples(rng: np.random.Generator) -> Samples:
    for dtype in (np.dtype("f4"), np.dtype("i4"), np.dtype("u1"), bfloat16.np):
        yield sample(np.sort(rng.integers(0, 9, (2, 5))).astype(dtype), rng.integers(0, 9, (2, 3)).astype(dtype))
    yield sample(np.array([1.0, 2.0, 2.0, np.nan]), np.array([2.0, np.nan, -1.0]), "right", "int64")
    yield sample(np.zeros((2, 0)), np.zeros((2, 3)))
