"""Ops that cut a tensor: `slice` (a block), `split` (equal parts along a dimension), `unpack` (its rows)."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import Entry, known_int, known_value, known_vector
from ...graph.declare.axis_labels import Axes, all_but, cut_of_unknown_rank, labelled, needs_all
from ...graph.declare.distribution import SIZES, Along, Distributed, Refused, State
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr, HostIndex, T, optional, output_count
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, Dimension, unknown
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.failure_rules import least_dims, refusal, why_refused
from ..declare.shape_checks import (
    dims_of,
    entries_of,
    ints_of,
    listed,
    minus,
    rank_described_by,
)
from ..sharding.fill_tile_sharding import sized_axis
from .split_sizes import NumSplit, SplitDim, checked_dim, cut, shapes_of_parts

PUBLIC_NAMES = {"start": "slice unpack", "start_0x": "split"}

_UNKNOWN_RANK = "neither the rank of the operand nor the length of the vector beside it is known"


# ---- slice --------------------------------------------------------------------------------------


@op("Slice", graphdef="T=input_ Index=begin", moves=True, replayable=True, views="input_")
def slice(input_: T, begin: HostIndex, size: HostIndex, name: str | None = None) -> Tensor:
    """The block of `input_` that starts at `begin` and has `size` elements along each dimension.

    Args:
        input_: any dtype and shape.
        begin: the first index along each dimension, an int32 or int64 vector; 0 <= begin[i] <= input_.shape[i].
        size: the sizes of the block, a vector of the same dtype; -1 means all that remain after `begin`.

    Returns:
        A tensor of shape `size` with the dtype of `input_`.

    Raises:
        TypeError: `begin` and `size` differ in dtype, or are not int.
        ValueError: the length of a vector is known not to be the rank, or an entry is known to be below -1.
        InvalidArgumentError (when run): the block does not lie inside `input_`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.constant([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]], [[5, 5, 5], [6, 6, 6]]])
    ...     print(session.run(tf.slice(t, [1, 0, 0], [1, 1, 3])).tolist())
    ...     print(session.run(tf.slice(t, [1, 0, 0], [1, 2, 3])).tolist())
    ...     print(session.run(tf.slice(t, [1, 0, 0], [2, 1, 3])).tolist())
    [[[3, 3, 3]]]
    [[[3, 3, 3], [4, 4, 4]]]
    [[[3, 3, 3]], [[5, 5, 5]]]

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@slice.shape
def slice_shape(input_: Tensor, begin: Tensor, size: Tensor) -> TensorShape:
    rank = rank_described_by(input_, begin, size)
    if rank is None:
        return unknown_rank(_UNKNOWN_RANK, input_)
    _check_entries(begin, 1)
    _check_entries(size, 2)
    each = zip(dims_of(input_, rank), entries_of(begin, rank), entries_of(size, rank), strict=True)
    return shape_of(_sliced_dim(i, d, b, s, input_, begin, size) for i, (d, b, s) in enumerate(each))


def _check_entries(vector: Tensor, operand: int) -> None:
    known = known_value(vector)
    if known is not None and known.size and known.min() < -1:
        raise ValueRuleError(f"Invalid value in tensor used for shape: {known.min()}", operand=operand,
                             cure="-1 in size means all elements from begin on.")  # fmt: skip


def _sliced_dim(
    i: int, dim: Dim | None, begin: Entry, size: Entry, input_: Tensor, begins: Tensor, sizes: Tensor
) -> Dim:
    if size is None or (isinstance(size, int) and size < -1):
        return unknown(f"size[{i}] is not known before the run", sizes)
    if size != -1:
        return size
    if dim is None:
        return unknown("the operand's size is not known", input_)
    if begin is None or begin == -1:
        return unknown(f"begin[{i}] is not known before the run", begins)
    rest = minus(dim, begin)
    if isinstance(rest, int) and rest < 0:
        raise ShapeError(f"Negative dimension size caused by subtracting {begin} from {dim}", operand=0, dim=i,
                         cure="A slice must begin inside the tensor, or right at its end.")  # fmt: skip
    return rest


@slice.kernel
def slice_kernel(xp: Any, input_: Any, begin: Any, size: Any) -> Any:
    return input_[(*_block(input_.shape, begin, size), ...)]


def _block(shape: Sequence[int], begin: Any, size: Any) -> list[builtins.slice]:
    """The slice of each dimension; InvalidArgumentError if it is out of range."""
    rank = len(shape)
    if begin.shape != (rank,) or size.shape != (rank,):
        raise InvalidArgumentError(
            message=f"Expected begin and size arguments to be 1-D tensors of size {rank}, "
            f"but got shapes {listed(begin.shape)} and {listed(size.shape)} instead."
        )
    block = []
    for i, (whole, start, count) in enumerate(zip(shape, ints_of(begin), ints_of(size), strict=True)):
        if not 0 <= start <= whole:
            raise InvalidArgumentError(message=f"Expected begin[{i}] in [0, {whole}], but got {start}")
        if count != -1 and not 0 <= count <= whole - start:
            raise InvalidArgumentError(message=f"Expected size[{i}] in [0, {whole - start}], but got {count}")
        block.append(builtins.slice(start, whole if count == -1 else start + count))
    return block


# What fits the smallest size that a dimension can have fits every size.
slice.fails(lambda input_, begin, size: why_refused(_block, least_dims(input_), begin, size))


def _block_where_known(dims: Sequence[Dim], begin: Any, size: Any) -> None:
    """Refuses what does not fit the sizes that are known."""
    known = np.array([isinstance(d, int) for d in dims], bool)
    if begin.shape == size.shape == known.shape:
        whole = [d if isinstance(d, int) else 0 for d in dims]
        _block(whole, np.where(known, begin, 0), np.where(known, size, -1))


@slice.distributes
def slice_distributes(operation: Operation, states: tuple[State, ...], name: str) -> Distributed | Refused:
    state, dims = states[0], operation.inputs[0].shape.raw
    if not isinstance(state, Along) or dims is None:
        return cut_of_unknown_rank(operation, states, name)
    begins, sizes = (entries_of(vector, len(dims)) for vector in operation.inputs[1:])
    axis = state.axis
    own = states[2] is SIZES and sized_axis(operation, 2, name) == axis and sizes[axis] == dims[axis]
    if begins[axis] != 0 or not (own or sizes[axis] == -1):
        return needs_all(operation, 0, axis)
    return Distributed((state,), frozenset({2}) if own else frozenset())


@slice.mistake
def slice_mistake(input_: Tensor, begin: Tensor, size: Tensor) -> str | None:
    return refusal(_block_where_known, input_.shape.raw, begin, size)


def _margins(whole: Tensor, begin: Tensor, part: Tensor) -> Any:
    """How much of each dimension is left out before and after the part, as a constant; None if it is not known."""
    starts, dims, sizes = known_vector(begin), whole.shape.raw, part.shape.raw
    if starts is None or dims is None or sizes is None:
        return None
    rows = []
    for start, dim, size in zip(starts, dims, sizes, strict=True):
        if start == 0 and dim == size:
            rows.append((0, 0))
        elif isinstance(start, int) and isinstance(dim, int) and isinstance(size, int):
            rows.append((start, dim - start - size))
        else:
            return None
    return np.array(rows, np.int32).reshape(-1, 2)


@slice.gradient("pad(g, the rows and columns left out)")
def slice_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    whole, begin, _ = op.inputs

    def padded() -> Tensor:
        known = _margins(whole, begin, op.outputs[0])
        if known is not None:
            return ops.pad(g, known)
        start = ops.cast(begin, "int32")
        after = ops.shape(whole) - start - ops.shape(op.outputs[0])
        return ops.pad(g, ops.stack([start, after], 1))

    return [padded, None, None]


@slice.samples
def slice_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((3, 4)).astype("f4"), [1, 0], [2, -1])
    yield sample(np.arange(5), np.array([5], "i8"), np.array([0], "i8"))
    yield sample(np.array(b"a", object), np.zeros(0, "i4"), np.zeros(0, "i4"))
    yield sample(np.zeros((0, 2), bool), [0, 1], [0, 1])


# ---- split --------------------------------------------------------------------------------------


@op("Split", graphdef="num_split T=value", moves=True, replayable=True, views="value",
    hint="penstock.compat.v1.split(value, num_or_size_splits, axis) has TensorFlow 1.x's arguments")
def split(split_dim: SplitDim, num_split: NumSplit, value: T, name: str | None = "split") -> list[Tensor]:
    """`value` cut into `num_split` tensors of equal size along dimension `split_dim`.

    Args:
        split_dim: an int32 scalar in [-rank, rank).
        num_split: a Python int that divides the size of that dimension.
        value: any dtype, rank 1 or higher.

    Returns:
        A list of `num_split` tensors with the dtype of `value` and its shape with the size of `split_dim` divided by
        `num_split`.

    Raises:
        TypeError: `num_split` is a tensor, `split_dim` is not int32, or the arguments stand in the order of TensorFlow
            1.x.
        ValueError: `split_dim` is out of range, the known size is not divisible, or `num_split` is below 1.
        InvalidArgumentError (when run): `split_dim` is out of range, or the size is not divisible.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     value = tf.zeros([5, 30])
    ...     split0, split1, split2 = tf.split(1, 3, value)
    ...     print(session.run(tf.shape(split0)))
    [ 5 10]

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@split.prepare
def split_prepare(split_dim: Any, num_split: Any, value: Any, name: str | None) -> tuple[Any, Any, Any]:
    if isinstance(num_split, (list, tuple, np.ndarray)) or (_is_number(value) and not _is_number(split_dim)):
        raise DTypeError(
            "the order of the arguments is split(split_dim, num_split, value), all parts being equally large",
            cure="penstock.compat.v1.split has TensorFlow 1.x's order: split(value, num_or_size_splits, axis).",
        )
    return split_dim, num_split, value


def _is_number(value: Any) -> bool:
    """True for a scalar: a Python or NumPy number, or a tensor that is known to be one."""
    if isinstance(value, Tensor):
        return value.shape.ndims in (0, None)
    return not isinstance(value, (list, tuple, str, bytes)) and np.ndim(value) == 0


@split.shape
def split_shape(split_dim: Tensor, num_split: int, value: Tensor) -> list[TensorShape]:
    if split_dim.shape.ndims not in (0, None):
        raise ShapeError(f"Input must be scalar but has rank {split_dim.shape.ndims}", operand=0)
    return shapes_of_parts(value, 1, split_dim, num_split, partial(_equal_parts, value, num_split))


def _equal_parts(value: Tensor, parts: int, size: Dim, at: int) -> list[Dim]:
    if isinstance(size, int):
        if size % parts:
            raise ShapeError(f"Dimension size must be evenly divisible by {parts} but is {size}", operand=1, dim=at,
                             cure="penstock.compat.v1.split takes a list of sizes for unequal parts.")  # fmt: skip
        return [size // parts] * parts
    exact = size.divided(Dimension(parts))
    return [unknown(f"dimension {at} is split into {parts} parts", value) if exact is None else exact] * parts


@split.kernel
def split_kernel(xp: Any, split_dim: Any, num_split: int, value: Any) -> Any:
    at = checked_dim(split_dim, value.ndim)
    if value.shape[at] % num_split:
        raise InvalidArgumentError(
            message="Number of ways to split should evenly divide the split dimension, "
            f"but got split_dim {at} (size = {value.shape[at]}) and num_split {num_split}"
        )
    return cut(value, at, [value.shape[at] // num_split] * num_split)


@split.distributes
@labelled
def split_distributes(split_dim: Tensor, num_split: int, value: Tensor) -> Axes | None:
    axes = all_but(value, known_int(split_dim), outputs=num_split)
    return None if axes is None else ([None, *axes[0]], axes[1])


@split.fails
def split_fails(split_dim: Tensor, num_split: int, value: Tensor) -> str | None:
    dims, at = value.shape.raw, known_int(split_dim)
    if dims is None or at is None or split_dim.shape.ndims != 0:
        return "along which dimension is not known before the run"
    whole = dims[at]
    even = num_split == 1 or Dimension(whole).divided(Dimension(num_split)) is not None
    return None if even else "whether the size can be divided evenly is not known before the run"


@split.gradient("concat(split_dim, the gradients of the parts)")
def split_gradient(ops: Any, op: Operation, *gs: Tensor | None) -> list[Any]:
    return [None, lambda: ops.concat(op.inputs[0], ops.or_zeros(op, gs))]


@split.samples
def split_samples(rng: np.random.Generator) -> Samples:
    yield sample(1, 3, rng.random((2, 6)).astype("f4"))
    yield sample(-1, 1, np.array([b"a", b"b"], object))
    yield sample(0, 2, np.zeros((0, 3), "i4"))


# ---- unpack -------------------------------------------------------------------------------------

_Num = Annotated[int | None, Attr(optional(output_count(0)))]


@op("Unpack", moves=True, replayable=True, views="value", hint="penstock.compat.v1.unstack has TensorFlow 1.x's axis")
def unpack(value: T, num: _Num = None, name: str | None = "unpack") -> list[Tensor]:
    """The rows of `value`: a list whose i-th tensor is value[i].

    Args:
        value: any dtype, rank 1 or higher.
        num: the size of dimension 0, a Python int; None (the default) where it is known.

    Returns:
        A list of `num` tensors of shape value.shape[1:] with the dtype of `value`.

    Raises:
        TypeError: `num` is not an int.
        ValueError: `value` is a scalar, `num` is not the known size, or it is None and the size is not known.
        InvalidArgumentError (when run): the size of dimension 0 is not `num`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.unpack([[1, 2], [3, 4], [5, 6]])))
    [array([1, 2], dtype=int32), array([3, 4], dtype=int32), array([5, 6], dtype=int32)]

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@unpack.shape
def unpack_shape(value: Tensor, num: int | None) -> list[TensorShape]:
    dims = value.shape.raw
    if dims == ():
        raise ShapeError("Argument `axis` = 0 not in range [0, 0): a scalar has no rows to unpack", operand=0)
    first = dims[0] if dims else None
    if num is None:
        if not isinstance(first, int):
            raise ShapeError(f"Cannot infer argument `num` from shape {value.shape}", operand=0, dim=0,
                             cure="Give num, the number of tensors to make.")  # fmt: skip
        num = first
    if isinstance(first, int) and first != num:
        raise ShapeError(f"Dimension must be {num} but is {first}", operand=0, dim=0)
    if dims is None:
        return [unknown_rank("the rank of the operand is not known", value) for _ in range(num)]
    return [shape_of(dims[1:]) for _ in range(num)]


@unpack.kernel
def unpack_kernel(xp: Any, value: Any, num: int | None) -> Any:
    if value.ndim == 0:
        raise InvalidArgumentError(message="axis = 0 not in [0, 0): a scalar has no rows to unpack")
    if num is not None and value.shape[0] != num:
        raise InvalidArgumentError(message=f"Input shape axis 0 must equal {num}, got shape {listed(value.shape)}")
    return [value[i, ...] for i in range(value.shape[0])]


@unpack.distributes
@labelled
def unpack_distributes(value: Tensor, num: int | None) -> Axes | None:
    rank = value.shape.ndims
    if rank is None:
        return None
    rows = num if num is not None else (value.shape.raw or (None,))[0]
    return [[None, *range(1, rank)]], [range(1, rank)] * (rows if isinstance(rows, int) else 0)


@unpack.fails
def unpack_fails(value: Tensor, num: int | None) -> str | None:
    known = value.shape.raw is not None and isinstance(value.shape.raw[0], int)
    return None if known else "how many rows there are is not known before the run"


@unpack.gradient("pack(the gradients of the rows)")
def unpack_gradient(ops: Any, op: Operation, *gs: Tensor | None) -> list[Any]:
    return [lambda: ops.pack(ops.or_zeros(op, gs))]


@unpack.samples
def unpack_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(np.array([b"a", b"b"], object), 2)
    yield sample(np.zeros((1, 0), "i4"))
