"""Ops that join tensors: concat, pack, stack."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_int
from ...graph.building.convert import first_tensor
from ...graph.common.hooks import hooks
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.boxes import ResultBox, in_rows, side_by_side
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, Int, Operand, TensorLike, Tensors
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import TensorShape, shape_of, unknown_dims, unknown_rank
from ..declare.failure_rules import why_shapes_may_differ
from ..declare.shape_checks import listed, merge_all, plus, scalar_of

PUBLIC_NAMES = {"start": "pack", "start_0x": "concat stack"}

# ---- concat -------------------------------------------------------------------------------------

_Axis = Annotated[TensorLike, Operand(None, INT32_64, host=True, prefer=int32)]


@op("Concat", moves=True, replayable=True,
    hint="penstock.compat.v1.concat(values, axis) has TensorFlow 1.x's arguments")
def concat(concat_dim: _Axis, values: Tensors, name: str | None = "concat") -> Tensor:
    """The tensors of `values`, one after the other along dimension `concat_dim`. A single tensor is returned as it is.

    Args:
        concat_dim: an int32 or int64 scalar in [-rank, rank).
        values: a list of tensors of one dtype and of rank 1 or higher, which agree in all sizes but that of
            `concat_dim`.

    Returns:
        A tensor with the dtype of the values and their shape, with their sizes along `concat_dim` added up.

    Raises:
        TypeError: dtypes differ, or the arguments stand in the order of TensorFlow 1.x.
        ValueError: known shapes do not fit, `concat_dim` is out of range, or the list is empty.
        InvalidArgumentError (when run): shapes do not fit, or `concat_dim` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t1 = tf.constant([[1, 2, 3], [4, 5, 6]])
    ...     t2 = tf.constant([[7, 8, 9], [10, 11, 12]])
    ...     print(session.run(tf.concat(0, [t1, t2])).tolist())
    ...     print(session.run(tf.concat(1, [t1, t2])).tolist())
    ...     print(session.run([tf.shape(tf.concat(0, [t1, t2])), tf.shape(tf.concat(1, [t1, t2]))]))
    [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]
    [[1, 2, 3, 7, 8, 9], [4, 5, 6, 10, 11, 12]]
    [array([4, 3], dtype=int32), array([2, 6], dtype=int32)]

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@concat.prepare
def concat_prepare(concat_dim: Any, values: Any, name: str | None) -> Tensor | tuple[Any, Any]:
    if isinstance(concat_dim, (list, tuple)) and not isinstance(values, (list, tuple)) and _is_scalar(values):
        raise DTypeError(
            "the order of the arguments is concat(concat_dim, values): first the dimension, then the list of tensors",
            cure="penstock.compat.v1.concat has TensorFlow 1.x's order: concat(values, axis).",
        )
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    if not values:
        raise ValueRuleError("List argument 'values' with length 0 shorter than minimum length 1: "
                             "there is nothing to concatenate")  # fmt: skip
    return (concat_dim, values) if len(values) > 1 else _only(concat_dim, values[0], name)


def _only(concat_dim: Any, value: Any, name: str | None) -> Tensor:
    """The single tensor `value`, unchanged; the dimension must be valid although it is not needed."""
    axis: Tensor = hooks.operators["convert"](concat_dim, name=f"{name or 'concat'}/concat_dim")
    if not axis.dtype.bit & INT32_64:
        raise DTypeError(f"concat_dim is {axis.dtype.name}, which is not in list of allowed values: int32, int64")
    _require_scalar(axis)
    only: Tensor = hooks.operators["convert"](value)
    return only


def _is_scalar(value: Any) -> bool:
    return value.shape.ndims == 0 if isinstance(value, Tensor) else np.ndim(value) == 0


def _require_scalar(axis: Tensor) -> None:
    if axis.shape.ndims not in (0, None):
        raise ShapeError(f"Shape must be rank 0 but is rank {axis.shape.ndims}", operand=0,
                         cure="concat_dim is one number.")  # fmt: skip


@concat.shape
def concat_shape(concat_dim: Tensor, values: tuple[Tensor, ...]) -> TensorShape:
    _require_scalar(concat_dim)
    ranked = [(i, v) for i, v in enumerate(values, start=1) if v.shape.raw is not None]
    if not ranked:
        return unknown_rank("no operand's rank is known", values[0])
    rank = len(ranked[0][1].shape.raw or ())
    for i, value in ranked:
        if value.shape.ndims == 0:
            raise ShapeError("Can't concatenate scalars (use tf.stack instead)", operand=i)
        if value.shape.ndims != rank:
            raise ShapeError(f"Shape must be rank {rank} but is rank {value.shape.ndims}", operand=i)
    at = known_int(concat_dim)
    if at is None:
        return unknown_dims(rank, "which dimension is joined is not known before the run", concat_dim)
    if not -rank <= at < rank:
        raise ShapeError(f"Shape must be at least rank {at + 1 if at >= 0 else -at} but is rank {rank}", operand=1,
                         cure=f"concat_dim counts dimensions from 0 and must be in [{-rank}, {rank}).")  # fmt: skip
    return _joined(at % rank, rank, values)


def _joined(at: int, rank: int, values: tuple[Tensor, ...]) -> TensorShape:
    """The sum along dimension `at`; the other dimensions are those of all values at once."""
    size: Dim = 0
    shapes = []
    for value in values:
        dims = value.shape.raw
        if dims is None:
            dims = tuple(unknown("an operand's rank is not known", value) for _ in range(rank))
        size = plus(size, dims[at])
        shapes.append(shape_of((*dims[:at], 0, *dims[at + 1 :])))
    try:
        others = merge_all(shapes, first_operand=1).raw or ()
    except ShapeError as error:
        # The merged shapes have 0 along `at`; the lines below the message show the real shapes.
        error.detail = ""
        error.cure = "Every other dimension of the values must agree."
        raise
    return shape_of((*others[:at], size, *others[at + 1 :]))


@concat.kernel
def concat_kernel(xp: Any, concat_dim: Any, values: Sequence[Any]) -> Any:
    return xp.concatenate(values, joined_axis(concat_dim, values))


def joined_axis(concat_dim: Any, values: Sequence[Any]) -> int:
    """The dimension to join, counted from the front; InvalidArgumentError where the values do not fit."""
    first = values[0]
    axis: int = scalar_of(concat_dim, "concat_dim", vector=True)
    if first.ndim == 0:
        raise InvalidArgumentError(message="ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    if not -first.ndim <= axis < first.ndim:
        raise InvalidArgumentError(
            message="ConcatOp : Expected concatenating dimensions in the range "
            f"[{-first.ndim}, {first.ndim}), but got {axis}"
        )
    axis %= first.ndim
    for i, value in enumerate(values):
        if value.ndim != first.ndim:
            raise InvalidArgumentError(
                message="ConcatOp : Ranks of all input tensors should match: "
                f"shape[0] = {listed(first.shape)} vs. shape[{i}] = {listed(value.shape)}"
            )
        for d, (a, b) in enumerate(zip(first.shape, value.shape, strict=True)):
            if a != b and d != axis:
                raise InvalidArgumentError(
                    message=f"ConcatOp : Dimension {d} in both shapes must be equal: "
                    f"shape[0] = {listed(first.shape)} vs. shape[{i}] = {listed(value.shape)}"
                )
    return axis


def _axes_joined(concat_dim: Tensor, values: tuple[Tensor, ...]) -> Axes | None:
    rank, at = next((v.shape.ndims for v in values if v.shape.ndims is not None), None), known_int(concat_dim)
    if rank is None or at is None:
        return None
    labels = [None if axis == at % rank else axis for axis in range(rank)]
    return [None, *[labels] * len(values)], [labels]


concat.distributes(labelled(_axes_joined))


@concat.boxes
def concat_boxes(concat_dim: Any, values: Sequence[Sequence[int]]) -> list[ResultBox]:
    rank = len(values[0])
    axis = int(concat_dim.item()) % rank
    return side_by_side([sizes[axis] for sizes in values], axis, rank, first=1)


@concat.fails
def concat_fails(concat_dim: Tensor, values: tuple[Tensor, ...]) -> str | None:
    dims = values[0].shape.raw
    at = known_int(concat_dim)
    if dims is None or at is None or concat_dim.shape.ndims != 0:
        return "along which dimension is not known before the run"
    return why_shapes_may_differ(values, along=at % len(dims))


@concat.gradient("for each value its part of g")
def concat_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    axis, *values = op.inputs
    if len(values) == 1:
        return [None, g]
    parts: list[Tensor] = []

    def part(place: int) -> Tensor:
        if not parts:
            along = ops.mod(ops.cast(axis, "int32"), ops.rank(values[0]))
            sizes = ops.pack([ops.gather(ops.shape(value), along) for value in values])
            parts.extend(ops.split_sizes(g, sizes, axis, len(values)))
        return parts[place]

    return [None, *[partial(part, place) for place in range(len(values))]]


@concat.samples
def concat_samples(rng: np.random.Generator) -> Samples:
    yield sample(0, [rng.random((1, 3)).astype("f4"), rng.random((2, 3)).astype("f4")])
    yield sample(-1, [np.zeros((2, 0), "i4"), np.ones((2, 1), "i4"), np.ones((2, 1), "i4")])
    yield sample(np.array(0, "i8"), [np.array([b"a"], object), np.array([b"b"], object)])


# ---- pack and stack -----------------------------------------------------------------------------


@op(
    "Pack",
    graphdef="N=#values T=values axis:0",
    moves=True,
    replayable=True,
    operator="pack",
    hint="tf.stack(x, axis) stacks along another dimension", fails=why_shapes_may_differ,
)
def pack(values: Tensors, name: str | None = "pack") -> Tensor:
    """The tensors of `values` as the rows of one tensor: out[i] = values[i].

    Args:
        values: a list of tensors of one dtype and one shape. A list without tensors becomes a constant; a single tensor
            is returned as it is.

    Returns:
        A tensor of shape [len(values)] + values[0].shape with the dtype of the values.

    Raises:
        TypeError: dtypes differ.
        ValueError: known shapes differ.
        InvalidArgumentError (when run): shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x, y, z = tf.constant([1, 4]), tf.constant([2, 5]), tf.constant([3, 6])
    ...     print(session.run(tf.pack([x, y, z])).tolist())
    [[1, 4], [2, 5], [3, 6]]

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@pack.prepare
def pack_prepare(values: Any, name: str | None) -> Tensor | tuple[Any]:
    if isinstance(values, Tensor):
        return values
    holds_arrays = isinstance(values, (list, tuple)) and any(isinstance(v, np.ndarray) for v in values)
    if first_tensor(values) is None and not holds_arrays:
        constant: Tensor = hooks.operators["convert"](values, name="pack" if name is None else name)
        return constant
    return (values,)


@pack.shape
def pack_shape(values: tuple[Tensor, ...]) -> TensorShape:
    return _stacked(values, 0)


def _stacked(values: tuple[Tensor, ...], axis: int) -> TensorShape:
    """The shape that all values have, with their number inserted at `axis`."""
    merged = merge_all([v.shape for v in values]).raw
    if merged is None:
        return unknown_rank("no operand's rank is known", values[0])
    rank = len(merged)
    if not -rank - 1 <= axis <= rank:
        raise ShapeError(f"{_axis_rule(rank)}, but received axis is:{axis}", operand=0)
    at = axis % (rank + 1)
    return shape_of((*merged[:at], len(values), *merged[at:]))


@pack.kernel
def pack_kernel(xp: Any, values: Sequence[Any]) -> Any:
    check_equal(values)
    return xp.stack(values)


def check_equal(values: Sequence[Any]) -> None:
    """InvalidArgumentError where shapes differ."""
    first = values[0]
    for i, value in enumerate(values):
        if value.shape != first.shape:
            raise InvalidArgumentError(
                message="Shapes of all inputs must match: "
                f"values[0].shape = {listed(first.shape)} != values[{i}].shape = {listed(value.shape)}"
            )


def _axes_stacked(x: tuple[Tensor, ...], axis: int = 0) -> Axes | None:
    rank = next((each.shape.ndims for each in x if each.shape.ndims is not None), None)
    if rank is None:
        return None
    at, labels = axis % (rank + 1), range(rank)
    return [labels] * len(x), [[*labels[:at], None, *labels[at:]]]


pack.distributes(labelled(_axes_stacked))


@pack.boxes
def pack_boxes(values: Sequence[Sequence[int]]) -> list[ResultBox]:
    return in_rows(len(values), 0, len(values[0]) + 1)


@pack.gradient("for each value its row of g")
def pack_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    rows: list[Tensor] = []

    def row(place: int) -> Tensor:
        if not rows:
            rows.extend(ops.unpack(g, len(op.inputs)))
        return rows[place]

    return [partial(row, place) for place in range(len(op.inputs))]


@pack.samples
def pack_samples(rng: np.random.Generator) -> Samples:
    yield sample([rng.random((2, 3)).astype("f4"), rng.random((2, 3)).astype("f4")])
    yield sample([np.array(b"a", object), np.array(b"b", object)])
    yield sample([np.zeros((0, 2), bool)])


@op("Stack", graphdef="Pack: N=#x T=x axis", moves=True, replayable=True)
def stack(x: Tensors, axis: Int = 0, name: str | None = None) -> Tensor:
    """The tensors of `x`, joined along a new dimension `axis`.

    Args:
        x: a list or tuple of at least one tensor, all of one dtype and one shape.
        axis: the place of the new dimension, a Python int in [-(rank + 1), rank + 1).

    Returns:
        A tensor with the dtype of the values and their shape with len(x) inserted at `axis`.

    Raises:
        TypeError: `x` is a single tensor, dtypes differ, or `axis` is not an int.
        ValueError: the list is empty, `axis` is out of range, or known shapes differ.
        InvalidArgumentError (when run): shapes differ, or `axis` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x1, x2, x3 = tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]]), tf.constant([[5.0, 6.0]])
    ...     print(session.run(tf.stack([x1, x2, x3], axis=0)).tolist())
    ...     print(session.run(tf.stack([x1, x2, x3], axis=-2)).tolist())
    [[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]
    [[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]

    Source: Paddle, `paddle.stack`.
    """


@stack.shape
def stack_shape(x: tuple[Tensor, ...], axis: int) -> TensorShape:
    if not x:
        raise ValueRuleError("list index out of range: x is an empty list, and must hold at least one tensor")
    try:
        return _stacked(x, axis)
    except ShapeError as error:
        if error.operand == 0:
            raise
        raise ShapeError(f"{error.message} Every dimension of the inputs is expected to be equal.",
                         operand=error.operand, dim=error.dim) from None  # fmt: skip


def _axis_rule(rank: int) -> str:
    return f"Attr(axis) must be inside [-(rank+1), rank+1), where rank = {rank}"


@stack.kernel
def stack_kernel(xp: Any, x: Sequence[Any], axis: int) -> Any:
    check_stack(x, axis)
    return xp.stack(x, axis)


def check_stack(x: Sequence[Any], axis: int) -> None:
    """InvalidArgumentError where shapes differ or `axis` is out of range."""
    first = x[0]
    if not -first.ndim - 1 <= axis <= first.ndim:
        raise InvalidArgumentError(message=f"{_axis_rule(first.ndim)}, but received axis is:{axis}")
    for i, value in enumerate(x):
        if value.shape != first.shape:
            raise InvalidArgumentError(
                message=f"Every dimension of input[0] and input[{i}] is expected to be equal, "
                f"but their shapes are {listed(first.shape)} and {listed(value.shape)}"
            )


stack.distributes(labelled(_axes_stacked))


@stack.boxes
def stack_boxes(x: Sequence[Sequence[int]], axis: int) -> list[ResultBox]:
    rank = len(x[0]) + 1
    return in_rows(len(x), axis % rank, rank)


@stack.fails
def stack_fails(x: tuple[Tensor, ...], axis: int) -> str | None:
    return f"the rank of {x[0].name} is not known" if x[0].shape.raw is None else why_shapes_may_differ(x)


@stack.gradient("for each value its part of g along axis")
def stack_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    axis, rank = op.args[1], g.shape.ndims
    rows: list[Tensor] = []

    def part(place: int) -> Tensor:
        if rank is None:
            key = (*[slice(None)] * axis, place) if axis >= 0 else (..., place, *[slice(None)] * (-axis - 1))
            return g[key]
        if not rows:
            at = axis % rank
            order = [at, *(each for each in range(rank) if each != at)]
            rows.extend(ops.unpack(ops.transpose(g, order) if at else g, len(op.inputs)))
        return rows[place]

    return [partial(part, place) for place in range(len(op.inputs))]


@stack.samples
def stack_samples(rng: np.random.Generator) -> Samples:
    yield sample([rng.random((2, 3)).astype("f4"), rng.random((2, 3)).astype("f4")], 1)
    yield sample([np.array(b"a", object), np.array(b"b", object)], -1)
    yield sample([np.zeros((0, 2), bool)], -3)
