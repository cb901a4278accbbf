"""Ops that change the order of elements: `transpose`, `reverse`, `reverse_sequence`."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, UnimplementedError
from ...graph.building.constant_evaluation import known_value, known_vector
from ...graph.declare.axis_labels import Axes, all_but, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import BOOL, INT32_64, Int, Operand, T, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import bool_, int32, int64
from ...graph.shapes.literal import literal
from ...graph.shapes.shape import TensorShape, shape_of, unknown_dims, unknown_rank
from ..declare.failure_rules import refusal, why_refused
from ..declare.shape_checks import ints_of, least, length_of, rank_described_by, require_rank, same_size
from ..index.row_indexing import private

PUBLIC_NAMES = {"start_0x": "reverse reverse_sequence transpose"}

# ---- transpose ----------------------------------------------------------------------------------

_Perm = Annotated[TensorLike | None, Operand(None, INT32_64, host=True, prefer=int32, optional=True)]


@op("Transpose", graphdef="T=a Tperm=perm ->y", moves=True, replayable=True, views="a")
def transpose(a: T, perm: _Perm = None, name: str | None = "transpose") -> Tensor:
    """`a` with its dimensions permuted: dimension i of the result is dimension perm[i] of `a`.

    Args:
        a: any dtype and shape.
        perm: an int32 or int64 vector that names each dimension once; a negative entry counts from the end. None (the
            default) reverses the order.

    Returns:
        A tensor with the dtype of `a` and its shape in the order of `perm`.

    Raises:
        TypeError: `perm` is not int.
        ValueError: `perm` is not a vector, its known length is not the rank, or a known entry is out of range.
        InvalidArgumentError (when run): the length does not fit, or an entry is out of range or occurs twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([[1, 2, 3], [4, 5, 6]])
    ...     print(session.run(tf.transpose(x)).tolist(), session.run(tf.transpose(x, perm=[1, 0])).tolist())
    ...     b = tf.constant([[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]])
    ...     print(session.run(tf.transpose(b, perm=[0, 2, 1])).tolist())
    [[1, 4], [2, 5], [3, 6]] [[1, 4], [2, 5], [3, 6]]
    [[[1, 4], [2, 5], [3, 6]], [[7, 10], [8, 11], [9, 12]]]

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@transpose.shape
def transpose_shape(a: Tensor, perm: Tensor | None) -> TensorShape:
    dims = a.shape.raw
    if perm is None:
        return unknown_rank("the rank of the operand is not known", a) if dims is None else shape_of(dims[::-1])
    require_rank(perm, 1, 1)
    length = length_of(perm)
    if dims is None:
        if length is None or length < 2:
            return unknown_rank("the rank of the operand is not known", a)
        return unknown_dims(length, "the operand's sizes are not known", a)
    if length is not None and length != len(dims):
        raise ShapeError(f"Dimension must be {len(dims)} but is {length}", operand=1, dim=0,
                         cure="perm names each dimension of the operand once.")  # fmt: skip
    order = known_value(perm)
    if order is None:
        return unknown_dims(len(dims), "the permutation is not known before the run", perm)
    for dim in order.tolist():
        if not -len(dims) <= dim < len(dims):
            raise ShapeError(f"perm dim {dim} is out of range of input rank {len(dims)}", operand=0)
    return shape_of(dims[d] for d in order.tolist())


@transpose.kernel
def transpose_kernel(xp: Any, a: Any, perm: Any) -> Any:
    return a.transpose(axes_order(a.ndim, perm))


def axes_order(rank: int, perm: Any) -> list[int]:
    """The dimensions in their new order; InvalidArgumentError if `perm` is not a permutation of them."""
    if perm is None:
        return list(range(rank))[::-1]
    if perm.shape != (rank,):
        raise InvalidArgumentError(
            message=f"transpose expects a vector of size {rank}. But input(1) is a vector of size {perm.size}"
        )
    given = ints_of(perm)
    for dim in given:
        if not -rank <= dim < rank:
            raise InvalidArgumentError(message=f"{dim} is out of range [0 .. {rank})")
    order = [d % rank for d in given]
    for dim in range(rank):
        if dim not in order:
            raise InvalidArgumentError(message=f"{dim} is missing from {{{','.join(map(str, order))}}}.")
    return order


def _axes_transposed(a: Tensor, perm: Tensor | None) -> Axes | None:
    rank, order = a.shape.ndims, None if perm is None else known_value(perm)
    if rank is None or (perm is not None and order is None):
        return None
    return [range(rank)], [axes_order(rank, order)]


transpose.distributes(labelled(_axes_transposed))
transpose.fails(lambda a, perm: None if perm is None else why_refused(axes_order, a.shape.ndims, perm))
transpose.mistake(lambda a, perm: refusal(axes_order, a.shape.ndims, perm))


@transpose.gradient("transpose(g, the inverse of perm)")
def transpose_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    if op.args[1] is None:
        return [lambda: ops.transpose(g)]
    perm = op.inputs[1]

    def back() -> Tensor:
        known = known_vector(perm) or ()
        places = [each % len(known) for each in known if isinstance(each, int)]
        if places and len(places) == len(known):
            return ops.transpose(g, np.argsort(places).astype(np.int32))
        rank = ops.size(perm)
        return ops.transpose(g, ops.argsort(ops.mod(ops.cast(perm, "int32") + rank, rank)))

    return [back, None]


@transpose.samples
def transpose_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(rng.random((2, 3, 4)).astype("f4"), [2, 0, 1])
    yield sample(np.array([[b"a"], [b"b"]], object), np.array([-1, 0], "i8"))
    yield sample(np.array(7), np.zeros(0, "i4"))


# ---- reverse ------------------------------------------------------------------------------------

_Dims = Annotated[TensorLike, Operand(None, BOOL, host=True, prefer=bool_)]
_MOST = 8


@op("Reverse", graphdef="T=tensor", moves=True, replayable=True, views="tensor",
    hint="penstock.compat.v1.reverse(tensor, axis) takes the numbers of the dimensions")
def reverse(tensor: T, dims: _Dims, name: str | None = None) -> Tensor:
    """`tensor` with each dimension i reversed for which dims[i] is True.

    Args:
        tensor: any dtype, rank 8 or less.
        dims: a bool vector with one entry for each dimension.

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `dims` is not bool.
        ValueError: `dims` is not a vector, its known length is not the rank, or the rank is above 8.
        InvalidArgumentError (when run): the length of `dims` is not the rank.
        UnimplementedError (when run): the rank is above 8.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.reshape(tf.range(24), [1, 2, 3, 4])
    ...     print(session.run(tf.reverse(t, [False, False, False, True]))[0, 0])
    ...     print(session.run(tf.reverse(t, [False, True, False, False]))[0, 0])
    ...     print(session.run(tf.reverse(t, [False, False, True, False]))[0, 0])
    [[ 3  2  1  0]
     [ 7  6  5  4]
     [11 10  9  8]]
    [[12 13 14 15]
     [16 17 18 19]
     [20 21 22 23]]
    [[ 8  9 10 11]
     [ 4  5  6  7]
     [ 0  1  2  3]]

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@reverse.prepare
def reverse_prepare(tensor: Any, dims: Any, name: str | None) -> tuple[Any, Any]:
    dtype = dims.dtype.np if isinstance(dims, Tensor) else _literal_dims(dims).dtype
    if dtype.kind in "iu":
        raise DTypeError(
            f"Expected bool passed to parameter 'dims', got {dtype.name}: reverse takes one bool per dimension",
            cure="penstock.compat.v1.reverse takes the numbers of the dimensions.",
        )
    return tensor, dims


def _literal_dims(dims: Any) -> Any:
    """The flags as bools; an empty list would become float32 otherwise."""
    empty = (isinstance(dims, (list, tuple)) and not dims) or (isinstance(dims, np.ndarray) and not dims.size)
    return literal(dims, bool_ if empty else None)


@reverse.shape
def reverse_shape(tensor: Tensor, dims: Tensor) -> TensorShape:
    rank = rank_described_by(tensor, dims)
    if rank is not None and rank > _MOST:
        raise ShapeError("reverse does not work on tensors with more than 8 dimensions", operand=0)
    if tensor.shape.raw is None and rank is not None:
        return unknown_dims(rank, "the operand's sizes are not known", tensor)
    return tensor.shape


@reverse.kernel
def reverse_kernel(xp: Any, tensor: Any, dims: Any) -> Any:
    check_flags(tensor, dims)
    steps = (slice(None, None, -1 if turned else None) for turned in dims.tolist())
    return tensor[(*steps, ...)]


def check_flags(tensor: Any, dims: Any) -> None:
    """Raise if `dims` does not have exactly one entry for each dimension."""
    if tensor.ndim > _MOST:
        raise UnimplementedError(message="reverse is not implemented for tensors of rank > 8.")
    if dims.shape != (tensor.ndim,):
        raise InvalidArgumentError(
            message="'dims' must have the same number of values as 'input' has dimensions. "
            f"'input' has {tensor.ndim}, 'dims' has {dims.size} values"
        )


def _axes_reversed(tensor: Tensor, dims: Tensor) -> Axes | None:
    flags = known_value(dims)
    return None if flags is None else all_but(tensor, *np.flatnonzero(flags).tolist())


reverse.distributes(labelled(_axes_reversed))


@reverse.fails
def reverse_fails(tensor: Tensor, dims: Tensor) -> str | None:
    rank = tensor.shape.ndims
    fits = rank is not None and rank <= _MOST and dims.shape.raw == (rank,)
    return None if fits else "whether there is a flag for each dimension is not known before the run"


@reverse.gradient("reverse(g, dims)")
def reverse_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: ops.reverse(g, op.inputs[1]), None]


@reverse.samples
def reverse_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), [True, False])
    yield sample(np.array([b"a", b"b"], object), [True])
    yield sample(np.zeros((0, 2), "i4"), [True, True])
    yield sample(np.array(7), np.zeros(0, bool))


# ---- reverse_sequence ---------------------------------------------------------------------------

_Lengths = Annotated[TensorLike, Operand(None, INT32_64, host=True, prefer=int64)]


@op("ReverseSequence", graphdef="seq_dim batch_dim:0 T=input Tlen=seq_lengths", ranks={"seq_lengths": 1})
def reverse_sequence(input: T, seq_lengths: _Lengths, seq_dim: Int, name: str | None = None) -> Tensor:
    """`input` with the first seq_lengths[i] elements of slice i reversed along dimension `seq_dim`.

    With n = seq_lengths[i], out[i, ..., t, ...] is input[i, ..., n - 1 - t, ...] for t < n, else input[i, ..., t, ...].

    Args:
        input: any dtype, rank 2 or higher.
        seq_lengths: an int32 or int64 vector of input.shape[0] entries in [0, input.shape[seq_dim]].
        seq_dim: the dimension to reverse, a Python int other than 0.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `seq_lengths` or `seq_dim` is not int.
        ValueError: known ranks or lengths do not fit.
        InvalidArgumentError (when run): ranks or lengths do not fit, or `seq_dim` is 0 or negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     input = tf.reshape(tf.range(32), [4, 8])
    ...     print(session.run(tf.reverse_sequence(input, [7, 2, 3, 5], 1)))
    [[ 6  5  4  3  2  1  0  7]
     [ 9  8 10 11 12 13 14 15]
     [18 17 16 19 20 21 22 23]
     [28 27 26 25 24 29 30 31]]

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@reverse_sequence.shape
def reverse_sequence_shape(input: Tensor, seq_lengths: Tensor, seq_dim: int) -> TensorShape:
    dims = input.shape.raw
    if dims is None:
        return unknown_rank("the rank of the operand is not known", input)
    _check_seq_dim(seq_dim, len(dims))
    count = dims[0] if seq_lengths.shape.raw is None else seq_lengths.shape.raw[0]
    batch = same_size(dims[0], count, 1, 0, "seq_lengths has one entry per slice along dimension 0.")
    return shape_of((batch, *dims[1:]))


def _check_seq_dim(seq_dim: int, rank: int) -> None:
    if not rank:
        raise ShapeError("batch_dim must be < input rank: 0 vs. 0: a scalar has no sequences", operand=0)
    if seq_dim >= rank:
        raise ShapeError(f"seq_dim must be < input rank: {seq_dim} vs. {rank}", operand=0)


@reverse_sequence.kernel
def reverse_sequence_kernel(xp: Any, input: Any, seq_lengths: Any, seq_dim: int) -> Any:
    seq_lengths = private(seq_lengths)
    check_sequences(input, seq_lengths, seq_dim)
    return _with_starts_reversed(xp, input, seq_lengths, seq_dim)


def check_sequences(input: Any, seq_lengths: Any, seq_dim: int) -> None:
    """InvalidArgumentError where ranks or lengths do not fit."""
    check_ranks(input, seq_lengths, seq_dim)
    check_lengths(input, seq_lengths, seq_dim)


def check_ranks(input: Any, seq_lengths: Any, seq_dim: int) -> None:
    """InvalidArgumentError where the ranks, or the number of lengths, do not fit."""
    if seq_lengths.ndim != 1:
        raise InvalidArgumentError(message=f"seq_lengths must be 1-dim, not {seq_lengths.ndim}")
    if seq_dim == 0:
        raise InvalidArgumentError(message="batch_dim == seq_dim == 0")
    if seq_dim < 0:
        raise InvalidArgumentError(message=f"Invalid seq_dim {seq_dim}")
    if seq_dim >= input.ndim:
        raise InvalidArgumentError(message=f"seq_dim must be < input rank ( {seq_dim} vs. {input.ndim})")
    batch = input.shape[0]
    if len(seq_lengths) != batch:
        raise InvalidArgumentError(message=f"Length of seq_lengths != input.dims(0), ({len(seq_lengths)} vs. {batch})")


def check_lengths(input: Any, seq_lengths: Any, seq_dim: int) -> None:
    """InvalidArgumentError that names the first length out of range."""
    most = input.shape[seq_dim]
    for bad, rule in ((seq_lengths < 0, "< 0"), (seq_lengths > most, f"> input.dims({seq_dim})")):
        if bad.any():
            at = int(bad.argmax())
            raise InvalidArgumentError(
                message=f"seq_lens({at}) {rule}: it is {seq_lengths[at]} and must be in [0, {most}]"
            )


def _with_starts_reversed(xp: Any, input: Any, seq_lengths: Any, seq_dim: int) -> Any:
    rows = xp.moveaxis(input, seq_dim, 1)
    count, width = rows.shape[:2]
    steps, lengths = np.arange(width), seq_lengths[:, None]
    source = np.where(steps < lengths, lengths - 1 - steps, steps)
    source += np.arange(count)[:, None] * width
    turned = rows.reshape((count * width, *rows.shape[2:])).take(xp.asarray(source), axis=0)
    return xp.moveaxis(turned, 1, seq_dim)


def _axes_of_sequences(input: Tensor, seq_lengths: Tensor, seq_dim: int) -> Axes | None:
    axes = all_but(input, seq_dim)
    return None if axes is None else ([*axes[0], [0]], axes[1])


reverse_sequence.distributes(labelled(_axes_of_sequences))


@reverse_sequence.fails
def reverse_sequence_fails(input: Tensor, seq_lengths: Tensor, seq_dim: int) -> str | None:
    dims, lengths = input.shape.raw, known_value(seq_lengths)
    if dims is None or lengths is None or lengths.ndim != 1 or not 0 < seq_dim < len(dims):
        return "the lengths or the shape are not known before the run"
    fits = len(lengths) == dims[0] and ((lengths >= 0) & (lengths <= least(dims[seq_dim]))).all()
    return None if fits else "whether the lengths fit is not known before the run"


@reverse_sequence.gradient("reverse_sequence(g, seq_lengths, seq_dim)")
def reverse_sequence_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: ops.reverse_sequence(g, op.inputs[1], *op.args[2:]), None]


@reverse_sequence.samples
def reverse_sequence_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((3, 4)).astype("f4"), np.array([0, 4, 2]), 1)
    yield sample(np.arange(12).reshape(2, 3, 2), np.array([1, 2], "i4"), 2)
    yield sample(np.array([[b"a", b"b"]], object), np.array([2]), 1)
    yield sample(np.zeros((0, 2), "i4"), np.zeros(0, "i8"), 1)
