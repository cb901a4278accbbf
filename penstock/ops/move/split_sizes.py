"""Cutting along one dimension, and the node of `compat.v1.split(value, [2, 3])`: into parts of given sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import Entry, known_int, known_vector
from ...graph.declare.axis_labels import all_but, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr, HostIndex, Operand, T, TensorLike, output_count
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, Dimension, unknown
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import TensorShape, shape_of, unknown_dims, unknown_rank
from ..declare.shape_checks import entries_of, ints_of, least, listed, minus, scalar_of

SplitDim: TypeAlias = Annotated[TensorLike, Operand(None, int32.bit, host=True)]
NumSplit: TypeAlias = Annotated[int, Attr(output_count(1))]


# ---- what `split` and `split_sizes` share ---------------------------------------------------------


def shapes_of_parts(
    value: Tensor, operand: int, split_dim: Tensor, count: int, sizes: Callable[[Dim, int], Sequence[Dim]]
) -> list[TensorShape]:
    """The static shapes of the `count` parts of `value`, which is operand number `operand`, along `split_dim`.

    sizes: from the size of that dimension and its number to the sizes of the parts.
    """
    dims, at = value.shape.raw, known_int(split_dim)
    if dims is None:
        return [unknown_rank("the rank of the operand is not known", value) for _ in range(count)]
    rank = len(dims)
    if at is None:
        return [unknown_dims(rank, "which dimension is split is not known before the run", split_dim)
                for _ in range(count)]  # fmt: skip
    if not -rank <= at < rank:
        raise ShapeError(f"Dimension size, given by scalar input {at} must be in range [{-rank}, {rank})",
                         operand=operand)  # fmt: skip
    at %= rank
    return [shape_of((*dims[:at], size, *dims[at + 1 :])) for size in sizes(dims[at], at)]


def checked_dim(split_dim: Any, rank: int) -> int:
    """The dimension that a run splits, counted from the front."""
    at = scalar_of(split_dim, "split_dim")
    if not -rank <= at < rank:
        raise InvalidArgumentError(message=f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {at}")
    return at % rank


def cut(value: Any, at: int, sizes: Sequence[int]) -> list[Any]:
    """The parts of an array along dimension `at`, as views."""
    before = (slice(None),) * at
    return [value[(*before, slice(start, end))] for start, end in pairwise([0, *accumulate(sizes)])]


# ---- split_sizes --------------------------------------------------------------------------------


@op("SplitV", graphdef="num_split T=value Tlen=size_splits", moves=True, replayable=True, views="value",
    ranks={"size_splits": 1, "split_dim": 0})  # fmt: skip
def split_sizes(
    value: T, size_splits: HostIndex, split_dim: SplitDim, num_split: NumSplit, name: str | None = "split"
) -> list[Tensor]:
    """`value` cut along dimension `split_dim` into parts of the sizes listed; one may be -1, which is what is left.

    Raises:
        ValueError: the sizes are known not to add up, one is below -1 or two are -1; `split_dim` is out of range.
        InvalidArgumentError: the same, found when it runs, whichever of the parts is asked for.
    """


@split_sizes.shape
def split_sizes_shape(value: Tensor, size_splits: Tensor, split_dim: Tensor, num_split: int) -> list[TensorShape]:
    lengths = entries_of(size_splits, num_split)
    _check_lengths([n for n in lengths if isinstance(n, int)])
    return shapes_of_parts(value, 0, split_dim, num_split, lambda size, at: _parts(size, lengths, size_splits))


def _check_lengths(lengths: list[int]) -> None:
    if lengths.count(-1) > 1:
        raise ValueRuleError(f"size_splits can only have one -1, not {lengths}", operand=1)
    if any(length < -1 for length in lengths):
        raise ValueRuleError(f"a size is at least 0, or -1 for what is left; size_splits is {lengths}", operand=1)


def _parts(whole: Dim, lengths: Any, sizes: Tensor) -> list[Dim]:
    known = [n for n in lengths if n != -1]
    taken = sum(known) if all(isinstance(n, int) for n in known) else None
    if taken is not None and isinstance(whole, int) and (taken > whole or (taken < whole and -1 not in lengths)):
        raise ShapeError(f"can't split axis of size {whole} into pieces of size {list(lengths)}", operand=0)
    return [_part(i, n, whole, taken, sizes) for i, n in enumerate(lengths)]


def _part(i: int, length: Entry, whole: Dim, taken: int | None, sizes: Tensor) -> Dim:
    if length is None or (length == -1 and taken is None):
        return unknown(f"size_splits[{i}] is not known before the run", sizes)
    return length if length != -1 or taken is None else minus(whole, taken)


@split_sizes.kernel
def split_sizes_kernel(xp: Any, value: Any, size_splits: Any, split_dim: Any, num_split: int) -> Any:
    at = checked_dim(split_dim, value.ndim)
    if size_splits.shape != (num_split,):
        raise InvalidArgumentError(
            message=f"size_splits must be a vector of {num_split} sizes, but has shape {listed(size_splits.shape)}"
        )
    return cut(value, at, _settled(ints_of(size_splits), value.shape[at]))


def _settled(sizes: list[int], whole: int) -> list[int]:
    """`sizes` with -1 replaced by what is left; InvalidArgumentError if they are not sizes or do not add up."""
    if sizes.count(-1) > 1 or min(sizes) < -1:
        raise InvalidArgumentError(message=f"size_splits holds sizes, one of which may be -1, but is {listed(sizes)}")
    taken = sum(size for size in sizes if size >= 0)
    if taken > whole or (taken < whole and -1 not in sizes):
        raise InvalidArgumentError(
            message="Determined shape must either match input shape along split_dim exactly if fully specified, or be "
            f"less than the size of the input along split_dim if not fully specified.  Got: {taken}; "
            f"size_splits is {listed(sizes)}, the dimension's size {whole}"
        )
    return [whole - taken if size == -1 else size for size in sizes]


split_sizes.distributes(labelled(lambda value, _, at, count: all_but(value, known_int(at), outputs=count)))


@split_sizes.fails
def split_sizes_fails(value: Tensor, size_splits: Tensor, split_dim: Tensor, num_split: int) -> str | None:
    dims, at, lengths = value.shape.raw, known_int(split_dim), known_vector(size_splits)
    if dims is None or at is None or lengths is None or not all(isinstance(n, int) for n in lengths):
        return "along which dimension and into which sizes is not known before the run"
    taken = sum(n for n in lengths if isinstance(n, int) and n >= 0)
    fits = taken <= least(dims[at]) if -1 in lengths else Dimension(dims[at]) == taken
    return None if fits else "whether the sizes add up is not known before the run"


@split_sizes.gradient("concat(split_dim, the gradients of the parts)")
def split_sizes_gradient(ops: Any, op: Operation, *gs: Tensor | None) -> list[Any]:
    return [lambda: ops.concat(op.inputs[2], ops.or_zeros(op, gs)), None, None]


@split_sizes.samples
def split_sizes_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 6)).astype("f4"), [1, 3, 2], 1, 3)
    yield sample(np.array([b"a", b"b"], object), np.array([-1, 2], "i8"), 0, 2)
    yield sample(np.zeros((0, 3), "i4"), [1, 2], -1, 2)
