"""Sparse tensors joined and cut along a dimension: `sparse_concat`, `sparse_split`, `sparse_slice`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ValueRuleError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, Attr, Int, Operand, TensorLike, as_int, output_count
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dtypes import int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.composite import reported_as_call
from ..declare.shape_checks import listed, require_rank
from ..elementwise.casting import cast
from ..move.concat_stack import concat, pack
from ..reduce.reductions import reduce_max
from .sparse_parts import (
    Numbers,
    Places,
    Sizes,
    SparseLike,
    Values,
    as_flag,
    as_sparse,
    check_parts,
    check_ranks,
    count_of,
    is_known,
    rank_of_parts,
    ranks,
    shapes_of_parts,
    stable_order,
    undone_if_refused,
)  # fmt: skip
from .sparse_sums import check_gradient_parts, sparse_sum_gradient, sparse_sum_gradient_kernel

PUBLIC_NAMES = {
    "tf": "sparse_concat sparse_slice sparse_split",
    "sparse": "concat=sparse_concat slice=sparse_slice split=sparse_split",
}

_Indices = Annotated[Sequence[TensorLike], Operand("Ti", int64.bit, many=True, prefer=int64)]
_Values = Annotated[Sequence[TensorLike], Operand("T", ANY, many=True)]
_Shapes = Annotated[Sequence[TensorLike], Operand("Ts", int64.bit, many=True, host=True, prefer=int64)]
_Parts = Annotated[int, Attr(output_count(1))]

# ---- sparse_concat ------------------------------------------------------------------------------


@op(
    "SparseConcat", graphdef="N=#indices T=values concat_dim ->output_indices,output_values,output_shape",
    out=(int64, "T", int64), host_only=True,
)  # fmt: skip
def sparse_concat_op(
    indices: _Indices, values: _Values, shapes: _Shapes, concat_dim: Int, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The op behind `sparse_concat`: (indices, values, dense shape)."""


@sparse_concat_op.shape
def sparse_concat_shape(
    indices: Sequence[Tensor], values: Sequence[Tensor], shapes: Sequence[Tensor], concat_dim: int
) -> list[TensorShape]:
    rank = None
    for i, parts in enumerate(zip(indices, values, shapes, strict=True)):
        own = rank_of_parts(*parts)
        if is_known(own) and is_known(rank) and own != rank:
            raise ValueRuleError(f"Ranks of all inputs must match: expected {rank} but got {own} at position {i}")
        rank = own if rank is None else rank
    if isinstance(rank, int) and not -rank <= concat_dim < rank:
        raise ValueRuleError(f"Concat dimension must be in range [{-rank}, {rank}), got {concat_dim}")
    counts = [count_of(each) for each in values]
    total = sum(n for n in counts if isinstance(n, int)) if all(isinstance(n, int) for n in counts) else None
    return shapes_of_parts(rank, "the numbers of values are not known", values[0], total)


@sparse_concat_op.kernel
def sparse_concat_kernel(xp: Any, indices: Any, values: Any, shapes: Any, concat_dim: int) -> Any:
    for parts in zip(indices, values, shapes, strict=True):
        check_parts(*parts)
    rank = len(shapes[0])
    if not -rank <= concat_dim < rank:
        raise InvalidArgumentError(message=f"Concat dimension must be in range [{-rank}, {rank}), got {concat_dim}")
    axis = concat_dim % rank
    for i, shape in enumerate(shapes):
        if len(shape) != rank:
            raise InvalidArgumentError(message="Ranks of all input tensors must match: expected "
                                               f"{rank} but got {len(shape)} at position {i}")  # fmt: skip
        for j in range(rank):
            if j != axis and shape[j] != shapes[0][j]:
                raise InvalidArgumentError(message="Input shapes must match: expected "
                                                   f"{int(shapes[0][j])} for dimension {j} but got {int(shape[j])} at "
                                                   f"position {i}")  # fmt: skip
    moved, offset = [], 0
    for rows, shape in zip(indices, shapes, strict=True):
        rows = rows.copy()
        rows[:, axis] += offset
        offset += int(shape[axis])
        moved.append(rows)
    total = np.array(shapes[0])
    total[axis] = offset
    rows, all_values = np.concatenate(moved), np.concatenate(values)
    if axis and len(moved) > 1:
        order = stable_order(ranks(rows))
        if order is not None:
            rows, all_values = rows[order], all_values[order]
    return rows, all_values, total


sparse_concat_op.no_gradient("as in TensorFlow, it has none")


@sparse_concat_op.samples
def sparse_concat_samples(rng: np.random.Generator) -> Samples:
    a, b = np.array([[0, 2], [1, 0]], "i8"), np.array([[0, 1], [1, 0]], "i8")
    for axis in (0, 1, -1):
        yield sample([a, b], [np.array([1, 2], "f4"), np.array([3, 4], "f4")],
                     [np.array([2, 3], "i8"), np.array([2, 3], "i8")], axis)  # fmt: skip
    none = np.zeros((0, 2), "i8")
    yield sample([none, b], [np.zeros(0, "f4"), np.array([3, 4], "f4")], [np.array([2, 3], "i8")] * 2, 0)


@reported_as_call(one_op=True)
@undone_if_refused
def sparse_concat(
    axis: int | None = None,
    sp_inputs: Sequence[SparseLike] = (),
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: int | None = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Sparse tensors joined along a dimension.

    Args:
        axis: the dimension, an int; `concat_dim` is its older name.
        sp_inputs: a list of `SparseTensor`s of one rank and dtype.
        expand_nonconcat_dim: whether the other sizes may differ; the result then has the largest ones.
        concat_dim: see `axis`.
        expand_nonconcat_dims: see `expand_nonconcat_dim`.

    Returns:
        A `SparseTensor` with the dtype of `sp_inputs`, whose dense shape along `axis` is the sum of theirs.

    Raises:
        TypeError: an input is no sparse tensor, or another argument is of the wrong type.
        ValueError: there is no axis, or ranks do not fit.
        InvalidArgumentError (when run): sizes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a = tf.SparseTensor([[0, 1]], [5], [1, 2])
    ...     b = tf.SparseTensor([[0, 0]], [6], [1, 2])
    ...     print(session.run(tf.sparse_concat(1, [a, b])).indices.tolist())
    [[0, 1], [0, 2]]

    Source: TensorFlow 1.15, `tf.sparse_concat`.
    """
    place = axis if concat_dim is None else concat_dim
    if place is None or (axis is not None and concat_dim is not None):
        raise ValueRuleError("give the dimension once, as axis (concat_dim is its older name)")
    if not isinstance(sp_inputs, (list, tuple)) or hasattr(sp_inputs, "dense_shape"):
        raise DTypeError(f"sp_inputs must be a list of SparseTensors, not {type(sp_inputs).__name__}")
    inputs = [as_sparse(each, f"sp_inputs[{i}]") for i, each in enumerate(sp_inputs)]
    if not inputs:
        raise ValueRuleError("sp_inputs is empty; give a list of at least one SparseTensor")
    if len(inputs) == 1:
        return inputs[0]
    shapes: list[Any] = [each.dense_shape for each in inputs]
    expands = as_flag(expand_nonconcat_dim, "expand_nonconcat_dim")
    if expand_nonconcat_dims is not None:
        expands |= as_flag(expand_nonconcat_dims, "expand_nonconcat_dims")
    if expands:
        rank = inputs[0].shape.ndims
        if rank is None:
            raise ValueRuleError("expand_nonconcat_dim asks for sparse tensors of known rank")
        most = reduce_max(pack(shapes), 0)
        at = as_int(place) % rank
        shapes = [concat(0, [most[:at], each[at : at + 1], most[at + 1 :]]) for each in shapes]
    parts = sparse_concat_op([s.indices for s in inputs], [s.values for s in inputs], shapes, place, name=name)
    return SparseTensor(*parts)


# ---- sparse_split -------------------------------------------------------------------------------


def _split_dtypes(split_dim: Any, indices: Any, values: Tensor, shape: Any, num_split: int) -> Any:
    return (*(int64,) * num_split, *(values.dtype,) * num_split, *(int64,) * num_split)


@op("SparseSplit", graphdef="T=values num_split", out=_split_dtypes, host_only=True)
def sparse_split_op(
    split_dim: Sizes, indices: Places, values: Values, shape: Sizes, num_split: _Parts, name: str | None = None
) -> list[Tensor]:
    """The op behind `sparse_split`: the indices of all parts, then their values, then their dense shapes."""


@sparse_split_op.shape
def sparse_split_shape(
    split_dim: Tensor, indices: Tensor, values: Tensor, shape: Tensor, num_split: int
) -> list[TensorShape]:
    rank = rank_of_parts(indices, values, shape, 1)
    parts = [shapes_of_parts(rank, "only the run knows which part a value is in", values) for _ in range(num_split)]
    return [each[kind] for kind in range(3) for each in parts]


@sparse_split_op.kernel
def sparse_split_kernel(xp: Any, split_dim: Any, indices: Any, values: Any, shape: Any, num_split: int) -> Any:
    check_parts(indices, values, shape)
    rank = len(shape)
    axis = int(np.asarray(split_dim).reshape(-1)[0])
    if not -rank <= axis < rank:
        raise InvalidArgumentError(message=f"Input split_dim should be between [{-rank}, {rank}), got {axis}")
    axis %= rank
    size = int(shape[axis])
    if not 1 <= num_split <= size:
        raise InvalidArgumentError(message=f"Input num_split should be between 1 and the splitting dimension size "
                                           f"({size}), got {num_split}")  # fmt: skip
    least, larger = divmod(size, num_split)
    counts = [least + (part < larger) for part in range(num_split)]
    starts = np.concatenate([[0], np.cumsum(counts)])
    of_part = np.searchsorted(starts, indices[:, axis], "right") - 1
    all_indices, all_values, shapes = [], [], []
    for part, count in enumerate(counts):
        own = of_part == part
        rows = indices[own]
        rows[:, axis] -= starts[part]
        sizes = np.array(shape)
        sizes[axis] = count
        all_indices.append(rows)
        all_values.append(values[own])
        shapes.append(sizes)
    return [*all_indices, *all_values, *shapes]


sparse_split_op.no_gradient("as in TensorFlow, it has none")


@sparse_split_op.samples
def sparse_split_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(1, "i8"), np.array([[0, 2], [1, 0]], "i8"), np.array([1, 2], "f4"), np.array([2, 3], "i8"), 2)
    yield sample(np.array(0, "i8"), np.zeros((0, 2), "i8"), np.zeros(0, "f4"), np.array([2, 3], "i8"), 2)


@reported_as_call(one_op=True)
def sparse_split(
    split_dim: TensorLike | None = None,
    num_split: int | None = None,
    sp_input: SparseLike | None = None,
    name: str | None = None,
    axis: TensorLike | None = None,
) -> list[SparseTensor]:
    """A sparse tensor cut along a dimension into parts of one size, the first ones larger where it does not divide.

    Args:
        split_dim: the dimension.
        num_split: the number of parts, a Python int.
        sp_input: a `SparseTensor`.
        axis: `split_dim` under the name of TensorFlow 1.15.

    Returns:
        A list of `num_split` `SparseTensor`s of the same dtype, with nearly equal shapes.

    Raises:
        TypeError: `sp_input` is no sparse tensor.
        ValueError: an argument is missing, or `num_split` is less than 1.
        InvalidArgumentError (when run): there are more parts than the dimension is long.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0, 0], [0, 2]], [5, 6], [1, 3])
    ...     print([part.values for part in session.run(tf.sparse_split(sp_input=s, num_split=2, axis=1))])
    [array([5], dtype=int32), array([6], dtype=int32)]

    Source: TensorFlow 1.15, `tf.sparse_split`.
    """
    place = split_dim if axis is None else axis
    for label, value in (("sp_input", sp_input), ("num_split", num_split), ("axis (or split_dim)", place)):
        if value is None:
            raise ValueRuleError(f"{label} is missing; write sparse_split(sp_input=s, num_split=n, axis=i)")
    s = as_sparse(sp_input)
    assert num_split is not None and place is not None
    at = cast(place, int64) if isinstance(place, Tensor) else place
    parts = sparse_split_op(at, s.indices, s.values, s.dense_shape, num_split, name=name)
    count = len(parts) // 3
    return [SparseTensor(*parts[i::count]) for i in range(count)]


# ---- sparse_slice -------------------------------------------------------------------------------


@op(
    "SparseSlice", graphdef="T=values ->output_indices,output_values,output_shape", out=(int64, "T", int64),
    host_only=True,
)  # fmt: skip
def sparse_slice_op(
    indices: Places, values: Values, shape: Sizes, start: Sizes, size: Sizes, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The op behind `sparse_slice`: (indices, values, dense shape)."""


@sparse_slice_op.shape
def sparse_slice_shape(
    indices: Tensor, values: Tensor, shape: Tensor, start: Tensor, size: Tensor
) -> list[TensorShape]:
    rank = rank_of_parts(indices, values, shape)
    require_rank(start, 1, 3)
    require_rank(size, 1, 4)
    return shapes_of_parts(rank, "only the run knows which values are in the slice", values)


@sparse_slice_op.kernel
def sparse_slice_kernel(xp: Any, indices: Any, values: Any, shape: Any, start: Any, size: Any) -> Any:
    check_parts(indices, values, shape)
    rank = len(shape)
    for label, vector in (("start", start), ("size", size)):
        if vector.shape != (rank,):
            raise InvalidArgumentError(message=f"Expected {label} to be a vector of length {rank} but got shape "
                                               f"{listed(vector.shape)}")  # fmt: skip
    if (size < 0).any():
        raise InvalidArgumentError(message=f"Dimension {int(size.min())} must be >= 0")
    if (start < 0).any():
        raise InvalidArgumentError(message=f"Input start must be >= 0, got {listed(start.tolist())}")
    inside = np.ones(len(indices), bool)
    for i in range(rank):
        column = indices[:, i]
        inside &= (column >= start[i]) & (column < start[i] + size[i])
    sizes = np.maximum(np.minimum(size, shape - start), 0)
    return indices[inside] - start, values[inside], sizes


@sparse_slice_op.gradient("values: g at the places of the slice, else 0")
def sparse_slice_gradient(ops: Any, op: Operation, _: Any, g: Tensor | None, __: Any) -> list[Any]:
    if g is None:
        return [None] * 5
    indices, start = op.inputs[0], op.inputs[3]
    return [None, lambda: sparse_sliced_gradient(g, indices, start, op.outputs[0]), None, None, None]


@sparse_slice_op.samples
def sparse_slice_samples(rng: np.random.Generator) -> Samples:
    for dtype in ("f4", "f8"):
        yield sample(np.array([[0, 1], [1, 0], [1, 2]], "i8"), np.array([1, 2, 3], dtype), np.array([2, 3], "i8"),
                     np.array([0, 1], "i8"), np.array([2, 9], "i8"))  # fmt: skip
    yield sample(np.zeros((0, 2), "i8"), np.zeros(0, "f4"), np.array([2, 3], "i8"), np.array([0, 1], "i8"),
                 np.array([2, 9], "i8"))  # fmt: skip


@op("SparseSliceGrad", graphdef="T=backprop_val_grad ->val_grad", host_only=True,
    ranks={"backprop_val_grad": 1, "input_indices": 2, "input_start": 1, "output_indices": 2})  # fmt: skip
def sparse_sliced_gradient(
    backprop_val_grad: Numbers, input_indices: Places, input_start: Sizes, output_indices: Places,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of `sparse_slice` by the values of its operand."""


@sparse_sliced_gradient.shape
def sparse_sliced_gradient_shape(
    backprop_val_grad: Tensor, input_indices: Tensor, input_start: Tensor, output_indices: Tensor
) -> TensorShape:
    return shape_of((count_of(input_indices),))


@sparse_sliced_gradient.kernel
def sparse_sliced_gradient_kernel(
    xp: Any, backprop_val_grad: Any, input_indices: Any, input_start: Any, output_indices: Any
) -> Any:
    starts = np.asarray(input_start)
    check_gradient_parts(backprop_val_grad, input_indices, output_indices)
    check_ranks(input_start=(starts, 1))
    if len(starts) != output_indices.shape[1]:
        raise InvalidArgumentError(message=f"input_start has {len(starts)} entries, and the indices have "
                                           f"{output_indices.shape[1]} columns")  # fmt: skip
    moved = output_indices + starts
    return sparse_sum_gradient_kernel(xp, backprop_val_grad, input_indices, moved, moved)[0]


@sparse_sliced_gradient.gradient("g at the places of the slice")
def sparse_sliced_second_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, input_indices, start, output_indices = op.inputs
    moved = output_indices + start
    return [lambda: sparse_sum_gradient(g, moved, moved, input_indices)[0], None, None, None]


@sparse_sliced_gradient.samples
def sparse_sliced_gradient_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([1, 3], "f4"), np.array([[0, 1], [1, 0], [1, 2]], "i8"), np.array([0, 1], "i8"),
                 np.array([[0, 0], [1, 1]], "i8"))  # fmt: skip
    none = np.zeros((0, 2), "i8")
    yield sample(np.zeros(0, "f4"), none, np.array([0, 1], "i8"), none)


@reported_as_call()
@undone_if_refused
def sparse_slice(sp_input: SparseLike, start: TensorLike, size: TensorLike, name: str | None = None) -> SparseTensor:
    """The part of a sparse tensor that begins at `start` and has at most the sizes `size`.

    Args:
        sp_input: a `SparseTensor` of rank r.
        start: r int64 indices.
        size: r int64 sizes; what reaches over the end is cut off.

    Returns:
        A `SparseTensor` of the dtype of the values, with the dense shape of the part.

    Raises:
        TypeError: `sp_input` is no sparse tensor, or `start` or `size` is not int.
        ValueError: `start` or `size` is no vector.
        InvalidArgumentError (when run): `start` or `size` does not have r entries, or one is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0, 1], [1, 2]], [5, 6], [2, 3])
    ...     print(session.run(tf.sparse_slice(s, [1, 1], [1, 2])).indices.tolist())
    [[0, 1]]

    Source: TensorFlow 1.15, `tf.sparse_slice`.
    """
    s = as_sparse(sp_input)
    first, sizes = (
        cast(each, int64) if isinstance(each, Tensor) and each.dtype is not int64 else each for each in (start, size)
    )
    return SparseTensor(*sparse_slice_op(s.indices, s.values, s.dense_shape, first, sizes, name=name))
