"""Ops that enlarge a tensor: `tile` repeats it, `pad` puts zeros around it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import Entry, known_value
from ...graph.declare.axis_labels import Axes, all_but, cut_of_unknown_rank, labelled, needs_all, without_cut
from ...graph.declare.boxes import MOST_BOXES, ResultBox
from ...graph.declare.distribution import SIZES, Along, Distributed, Refused, State
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import HostIndex, T
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.failure_rules import refusal
from ..declare.shape_checks import (
    dims_of,
    entries_of,
    ints_of,
    length_of,
    listed,
    merged_rank,
    plus,
    possible,
    rank_described_by,
    require_rank,
    times,
)
from ..sharding.fill_tile_sharding import sized_axis

PUBLIC_NAMES = {"start manip": "tile", "start_0x": "pad"}

_UNKNOWN_RANK = "neither the rank of the operand nor the length of the vector beside it is known"


@op("Tile", graphdef="T=input Tmultiples=multiples", replayable=True)
def tile(input: T, multiples: HostIndex, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[i]` times along each dimension i: out[j] = input[j mod input.shape].

    Args:
        input: any dtype and shape.
        multiples: an int32 or int64 vector with one entry >= 0 for each dimension.

    Returns:
        A tensor of shape input.shape * multiples with the dtype of `input`.

    Raises:
        TypeError: `multiples` is not int.
        ValueError: the length of `multiples` is known not to be the rank, or it is not a vector.
        InvalidArgumentError (when run): the length does not fit, or an entry is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tile(["a", "b", "c", "d"], [2])))
    [b'a' b'b' b'c' b'd' b'a' b'b' b'c' b'd']

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@tile.shape
def tile_shape(input: Tensor, multiples: Tensor) -> TensorShape:
    rank = rank_described_by(input, multiples)
    if rank is None:
        return unknown_rank(_UNKNOWN_RANK, input)
    factors = (None if isinstance(m, int) and m < 0 else m for m in entries_of(multiples, rank))
    return shape_of(
        times(d, m, f"how often dimension {i} is repeated, or its size, is not known", multiples)
        for i, (d, m) in enumerate(zip(dims_of(input, rank), factors, strict=True))
    )


@tile.kernel
def tile_kernel(xp: Any, input: Any, multiples: Any) -> Any:
    return xp.tile(input, checked_factors(input.shape, multiples, input.itemsize))


def checked_factors(shape: Sequence[int], multiples: Any, itemsize: int) -> list[int]:
    """The repetitions of each dimension; InvalidArgumentError if they do not fit."""
    rank = len(shape)
    if multiples.shape != (rank,):
        raise InvalidArgumentError(
            message=f"Expected multiples argument to be a vector of length {rank} but got length {multiples.size}"
        )
    factors = ints_of(multiples)
    for i, factor in enumerate(factors):
        if factor < 0:
            raise InvalidArgumentError(message=f"Expected multiples[{i}] >= 0, but got {factor}")
    possible([f * size for f, size in zip(factors, shape, strict=True)], itemsize)
    return factors


tile.mistake(lambda input, multiples: refusal(checked_factors, [0] * (length_of(multiples) or 0), multiples, 1))


@tile.distributes
def tile_distributes(operation: Operation, states: tuple[State, ...], name: str) -> Distributed | Refused:
    state, multiples = states
    dims = operation.inputs[0].shape.raw
    if dims is None or isinstance(multiples, Along):
        return cut_of_unknown_rank(operation, states, name)
    if isinstance(state, Along):
        is_once = entries_of(operation.inputs[1], len(dims))[state.axis] == 1
        return Distributed((state,)) if is_once else needs_all(operation, 0, state.axis)
    axis = sized_axis(operation, 1, name) if multiples is SIZES else None
    if axis is None:
        return without_cut(operation, states, name)
    return axis if isinstance(axis, Refused) else Distributed((Along(axis),), frozenset({1}))


@tile.boxes
def tile_boxes(input: Sequence[int], multiples: Any) -> list[ResultBox]:
    factors = multiples.tolist()
    if len(factors) != len(input) or min(factors, default=0) < 0 or prod(factors) > MOST_BOXES:
        return []
    along = [[slice(k * size, (k + 1) * size) for k in range(n)] for n, size in zip(factors, input, strict=True)]
    return [ResultBox(place, 0) for place in product(*along)]


@tile.gradient("the sum of the copies of g")
def tile_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    x, multiples = op.inputs

    def summed() -> Tensor:
        sizes = ops.shape(x)
        interleaved = ops.reshape(ops.stack([ops.cast(multiples, "int32"), sizes], 1), [-1])
        rank = x.shape.ndims
        copies = ops.range(0, ops.size(interleaved), 2) if rank is None else [*range(0, 2 * rank, 2)]
        return ops.reduce_sum(ops.reshape(g, interleaved), copies)

    return [summed, None]


@tile.samples
def tile_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), [2, 1])
    yield sample(np.array([b"a"], object), np.array([0], "i8"))
    yield sample(np.array(7), np.zeros(0, "i4"))


@op(
    "Pad",
    graphdef="T=input Tpaddings=paddings",
    replayable=True,
    hint="it pads with zeros; for another value write tf.pad(t - value, paddings) + value",
)
def pad(input: T, paddings: HostIndex, name: str | None = None) -> Tensor:
    """`input` with zeros added before and after its elements along each dimension.

    Args:
        input: any dtype and shape. The zero of bool is False, that of string is the empty string.
        paddings: int32 or int64 of shape (rank of input, 2). Along dimension i, paddings[i, 0] zeros are added before
            the elements and paddings[i, 1] after them.

    Returns:
        A tensor with the dtype of `input` and its shape, each size plus its two paddings.

    Raises:
        TypeError: `paddings` is not int.
        ValueError: the shape of `paddings` does not fit, or a known entry is negative.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.pad([[1, 1], [2, 2]], [[1, 1], [2, 2]])))
    ...     print(session.run(tf.pad([[1, 1], [2, 2]], [[2, 1], [1, 2]])))
    [[0 0 0 0 0 0]
     [0 0 1 1 0 0]
     [0 0 2 2 0 0]
     [0 0 0 0 0 0]]
    [[0 0 0 0 0]
     [0 0 0 0 0]
     [0 1 1 0 0]
     [0 2 2 0 0]
     [0 0 0 0 0]]

    Source: TensorFlow 0.x, Tensor Transformations, whose example shows the result of the second call.
    """


@pad.prepare
def pad_prepare(input: Any, paddings: Any, name: str | None) -> tuple[Any, ...]:
    if name is not None and name.upper() in ("REFLECT", "SYMMETRIC"):  # TensorFlow's third parameter is the mode
        raise ValueRuleError(f"name={name!r}: pad has no mode; it pads with zeros",
                             cure="tf.concat of t and of tf.reverse(part of t, ...) mirrors a border.")  # fmt: skip
    return input, paddings


@pad.shape
def pad_shape(input: Tensor, paddings: Tensor) -> TensorShape:
    require_rank(paddings, 2, 1, "paddings has one row [before, after] per dimension.")
    rows, columns = paddings.shape.raw or (None, None)
    if isinstance(columns, int) and columns != 2:
        raise ShapeError(f"Dimension must be 2 but is {columns}", operand=1, dim=1)
    rank = merged_rank(input, (rows if isinstance(rows, int) else None,))
    if rank is None:
        return unknown_rank(_UNKNOWN_RANK, input)
    each = zip(dims_of(input, rank), _rows_of(paddings, rank), strict=True)
    return shape_of(_padded_dim(i, dim, row, input, paddings) for i, (dim, row) in enumerate(each))


def _rows_of(paddings: Tensor, rank: int) -> Sequence[Sequence[Entry]]:
    """Each row as far as it is known: of a known value, or of a list of packed rows."""
    value = known_value(paddings)
    if value is not None:
        known: list[list[int]] = value.tolist()
        return known
    if paddings.op.type == "Pack" and len(paddings.op.inputs) == rank:
        return [entries_of(row, 2) for row in paddings.op.inputs]
    return [(None, None)] * rank


def _padded_dim(i: int, dim: Dim | None, row: Sequence[Entry], input: Tensor, paddings: Tensor) -> Dim:
    before, after = row
    if any(isinstance(e, int) and e < 0 for e in row):
        raise ValueRuleError(f"Paddings must be non-negative, but row {i} is {listed(row)}", operand=1)
    if dim is None or before is None or after is None:
        return unknown(f"how much dimension {i} is padded, or its size, is not known", paddings)
    return plus(plus(dim, before), after)


@pad.kernel
def pad_kernel(xp: Any, input: Any, paddings: Any) -> Any:
    return _padded(xp, input, checked_paddings(input, paddings))


def checked_paddings(input: Any, paddings: Any) -> list[list[int]]:
    """[before, after] for each dimension; InvalidArgumentError if they do not fit."""
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        raise InvalidArgumentError(message=f"paddings must be a matrix with 2 columns: {listed(paddings.shape)}")
    if len(paddings) != input.ndim:
        raise InvalidArgumentError(
            message="The first dimension of paddings must be the rank of inputs"
            f"{listed(paddings.shape)} {listed(input.shape)}"
        )
    rows: list[list[int]] = paddings.tolist()
    for before, after in rows:
        if before < 0 or after < 0:
            raise InvalidArgumentError(message=f"Paddings must be non-negative: {before} {after}")
    possible([before + n + after for (before, after), n in zip(rows, input.shape, strict=True)], input.dtype.itemsize)
    return rows


def _padded(xp: Any, input: Any, rows: list[list[int]]) -> Any:
    shape = tuple(before + size + after for size, (before, after) in zip(input.shape, rows, strict=True))
    # An object array of zeros would hold the number 0 where a string belongs.
    padded = xp.full(shape, b"", object) if input.dtype == object else xp.zeros(shape, input.dtype)
    inside = (slice(before, before + size) for size, (before, _) in zip(input.shape, rows, strict=True))
    padded[(*inside, ...)] = input
    return padded


@pad.fails
def pad_fails(input: Tensor, paddings: Tensor) -> str | None:
    rows, rank = known_value(paddings), input.shape.ndims
    fits = rows is not None and rank is not None and rows.shape == (rank, 2) and not (rows < 0).any()
    return None if fits else "how much is padded is not known before the run"


@pad.distributes
@labelled
def pad_distributes(input: Tensor, paddings: Tensor) -> Axes | None:
    rows = known_value(paddings)
    return None if rows is None else all_but(input, *np.flatnonzero(rows.any(1)).tolist())


@pad.boxes
def pad_boxes(input: Sequence[int], paddings: Any) -> list[ResultBox]:
    rows = paddings.tolist()
    inside = [slice(before, before + size) for (before, _), size in zip(rows, input, strict=True)]
    boxes = [ResultBox(tuple(inside), 0)]
    for axis, (before, after) in enumerate(rows):
        own = inside[axis]
        for part in (slice(0, before), slice(own.stop, own.stop + after)):
            if part.stop > part.start:
                boxes.append(ResultBox((*inside[:axis], part, *[slice(None)] * (len(rows) - axis - 1)), None))
    return boxes


@pad.gradient("slice(g, paddings[:, 0], shape(input))")
def pad_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    x, paddings = op.inputs
    return [lambda: ops.slice(g, ops.cast(paddings[:, 0], "int32"), ops.shape(x)), None]


@pad.samples
def pad_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), [[1, 0], [0, 2]])
    yield sample(np.array([b"a"], object), np.array([[1, 1]], "i8"))
    yield sample(np.array(True), np.zeros((0, 2), "i4"))
    yield sample(np.zeros((0, 1), "i4"), [[0, 1], [0, 0]])
