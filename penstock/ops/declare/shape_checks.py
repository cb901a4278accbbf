"""Checks that several shape rules and kernels share.

Static checks raise with the operand at fault; checks of a run raise InvalidArgumentError. The functions of `Dim`
compute with sizes of which only an expression is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import Entry, known_vector
from ...graph.declare.required_ranks import require_rank as require_rank
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dim, Dimension, merge_dims, raw, unknown
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank


def shape_of_first(first: Tensor, *others: Any) -> TensorShape:
    """The shape rule of an op whose result has the shape of its first operand."""
    return first.shape


def shape_of_scalar(*arguments: Any) -> TensorShape:
    """The shape rule of an op that gives a scalar."""
    return shape_of(())


def no_shapes(*arguments: Any) -> list[TensorShape]:
    """The shape rule of an op without results."""
    return []


def listed(sizes: Iterable[object]) -> str:
    """`[2,3]`: sizes or entries as messages write them."""
    return "[" + ",".join(map(str, sizes)) + "]"


def at_run(words: str) -> InvalidArgumentError:
    """The error of a run, for checks that building and running share."""
    return InvalidArgumentError(message=words)


def length_of(vector: Tensor) -> int | None:
    """The number of entries of a vector, where it is known."""
    dims = vector.shape.raw
    return dims[0] if dims is not None and len(dims) == 1 and isinstance(dims[0], int) else None


def entries_of(vector: Tensor, rank: int) -> Sequence[Entry]:
    """The known value, or None, of each of the `rank` entries of a vector."""
    entries = known_vector(vector)
    return entries if entries is not None and len(entries) == rank else (None,) * rank


def same_size(a: Dim, b: Dim, operand: int, dim: int, cure: str) -> Dim:
    """The common size of both; ShapeError about dimension `dim` of that operand if they are known to differ."""
    try:
        return merge_dims(a, b)
    except ShapeError as error:
        raise error.with_operand(operand=operand, dim=dim, cure=cure) from None


def dims_of(tensor: Tensor, rank: int) -> Sequence[Dim | None]:
    """The static dimensions; Nones if the rank is only known to be `rank`."""
    return (None,) * rank if tensor.shape.raw is None else tensor.shape.raw


def shape_given_by(vector: Tensor, label: str, sizes: str = "sizes", cure: str | None = None) -> TensorShape:
    """The shape that operand 0, a vector of sizes, gives to a result.

    Args:
        vector: the operand.
        label: its name.
        sizes: what errors call its entries.
        cure: what an error about its rank proposes.

    Raises:
        ShapeError: it is no vector.
        ValueRuleError: an entry is known to be negative.
    """
    require_rank(vector, 1, 0, cure)
    entries = known_vector(vector)
    if entries is None:
        return unknown_rank(f"the length of {label} is not known", vector)
    return shape_of(_given_size(i, entry, vector, label, sizes) for i, entry in enumerate(entries))


def _given_size(i: int, entry: Entry, vector: Tensor, label: str, sizes: str) -> Dim:
    if isinstance(entry, int) and entry < 0:
        raise ValueRuleError(f"{sizes} must be >= 0, but {label}[{i}] is {entry}", operand=0)
    return unknown(f"{label}[{i}] is not known before the run", vector) if entry is None else entry


def rank_described_by(tensor: Tensor, *vectors: Tensor) -> int | None:
    """The rank of operand 0, which the vectors (operands 1, 2 ...) describe entry by entry; ShapeError if not."""
    for operand, vector in enumerate(vectors, start=1):
        require_rank(vector, 1, operand, "Give a list with one entry per dimension.")
    return merged_rank(tensor, map(length_of, vectors))


def merged_rank(tensor: Tensor, lengths: Iterable[int | None]) -> int | None:
    """The rank of operand 0, where vectors of these lengths have an entry for each dimension; ShapeError if not."""
    rank = tensor.shape.ndims
    for length in lengths:
        if length is None:
            continue
        if rank is None:
            rank = length
        elif rank != length:
            raise ShapeError(
                f"Shape must be rank {length} but is rank {rank}", operand=0, cure="Give one entry per dimension."
            )
    return rank


def least(dim: Dim) -> int:
    """The smallest size that `dim` can have: symbols stand for sizes of 0 or more."""
    if isinstance(dim, int):
        return dim
    return max(dim.const, 0) if all(count > 0 for _, count in dim.terms) else 0


def total(dims: Iterable[Dim]) -> Dim | None:
    """The product of `dims`; None if it is not linear in one symbol."""
    count: Dim = 1
    for dim in sorted(dims, key=lambda d: d != 0):  # a 0 makes the product 0
        if dim == 0:
            return 0
        if isinstance(count, Dimension) and isinstance(dim, Dimension):
            return None
        count = dim * count if isinstance(dim, Dimension) else count * dim
    return count


def plus(a: Dim, b: Dim) -> Dim:
    """a + b, in the form that shapes keep."""
    return a + b if isinstance(a, int) and isinstance(b, int) else raw(Dimension(a) + b)


def minus(a: Dim, b: Dim) -> Dim:
    """a - b, in the form that shapes keep. The result may be a negative int."""
    return a - b if isinstance(a, int) and isinstance(b, int) else raw(Dimension(a) - b)


def times(a: Dim | None, b: Dim | None, reason: str, operand: Any) -> Dim:
    """a * b, where None is an unknown factor; unknown for `reason` where the product is not linear."""
    if a == 0 or b == 0:
        return 0
    if a is None or b is None:
        return unknown(reason, operand)
    product = total((a, b))
    return unknown(reason, operand) if product is None else product


def product(sizes: Iterable[int]) -> int:
    """The product of plain sizes, as a Python int that cannot overflow."""
    return math.prod(sizes)


def ints_of(array: Any) -> list[int]:
    """A host vector as Python ints; a scalar counts as a vector of one."""
    values: list[int] = np.asarray(array).reshape(-1).tolist()
    return values


def sizes_of(array: Any) -> tuple[int, ...]:
    """The sizes in a host array, none of them negative."""
    sizes = tuple(ints_of(array))
    for size in sizes:
        if size < 0:
            raise InvalidArgumentError(message=f"Dimension {size} must be >= 0")
    return sizes


def scalar_of(array: Any, label: str = "value", vector: bool = False) -> int:
    """A host array that holds one int; InvalidArgumentError if it has a rank. vector: a vector of one will do too."""
    require_one(array, label, vector)
    return int(array.item())


def require_one(array: Any, label: str, vector: bool = False) -> None:
    """InvalidArgumentError unless `array` is a scalar, or, where TensorFlow takes one, a vector of one element."""
    if array.ndim and not (vector and array.shape == (1,)):
        raise InvalidArgumentError(message=f"{label} must be a scalar, but has shape {listed(array.shape)}")


def require_vector(array: Any, label: str) -> None:
    """InvalidArgumentError unless `array` is a vector."""
    if array.ndim != 1:
        raise InvalidArgumentError(message=f"{label} must be a vector, but has shape {listed(array.shape)}")


def require_shapes(**arrays: tuple[Any, str]) -> None:
    """InvalidArgumentError unless arrays of a run have the shapes that are said, as "n4" for n rows of 4.

    A letter is a size, the same wherever it stands; a digit is that size; "" is a scalar.
    """
    sizes: dict[str, int] = {}
    for label, (array, letters) in arrays.items():
        shape = array.shape
        fits = len(shape) == len(letters) and all(
            size == (int(letter) if letter.isdigit() else sizes.setdefault(letter, size))
            for size, letter in zip(shape, letters, strict=True)
        )
        if not fits:
            known = [f"{letter} is {sizes[letter]}" for letter in letters if letter in sizes]
            words = f"; {', '.join(known)}" if len(shape) == len(letters) and known else ""
            wanted = f"[{', '.join(letters)}]" if letters else "that of a scalar"
            raise InvalidArgumentError(
                message=f"the shape of {label} must be {wanted}, but is {listed(shape)}{words}"
            )


def one_axis(axis: Any, rank: int, words: str, label: str) -> int:
    """The axis of a run, counted from the front."""
    if axis.ndim != 0:
        raise InvalidArgumentError(message=f"{label} must be a scalar, not {list(axis.shape)}")
    given = int(axis)
    if not -rank <= given < rank:
        raise InvalidArgumentError(message=f"{words} in the range [{-rank}, {rank}), but got {given}")
    return given % rank


def possible(sizes: Sequence[int], itemsize: int = 1) -> Sequence[int]:
    """`sizes`; InvalidArgumentError if no array can have them: more bytes than 63 bits count, zeros left out."""
    if math.prod([size or 1 for size in sizes]) * max(itemsize, 1) > _MOST_BYTES:
        raise InvalidArgumentError(
            message=f"a result of shape {listed(sizes)} would have more than 2**63 - 1 bytes; no array is so large"
        )
    return sizes


_MOST_BYTES = (1 << 63) - 1


def merge_all(shapes: Sequence[TensorShape], first_operand: int = 0, cure: str | None = None) -> TensorShape:
    """The one shape of tensors that must have the same.

    Args:
        shapes: at least one TensorShape.
        first_operand: the position of the first one among the operands, which an error names.
        cure: what the error proposes, if not what it says by itself.

    Returns:
        A TensorShape: what is known of all of them together.

    Raises:
        ShapeError (a ValueError): two of them contradict each other.

    >>> from penstock.extend import TensorShape, merge_all
    >>> print(merge_all([TensorShape([None, 3]), TensorShape([2, None])]))
    (2, 3)
    """
    merged = shapes[0]
    for i, shape in enumerate(shapes[1:], start=1):
        try:
            merged = merged.merge_with(shape)
        except ShapeError as error:
            raise error.with_operand(operand=first_operand + i, cure=cure) from None
    return merged
