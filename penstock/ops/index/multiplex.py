"""multiplex: a tensor made of rows, each from one of several candidates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import bits_of, complex64, complex128, dtypes_in, float32, float64, int32, int64
from ...graph.shapes.shape import TensorShape, merge_shapes, shape_of, unknown_rank
from ..declare.shape_checks import listed
from .row_indexing import all_in_range, assign_rows, entry_text, private

PUBLIC_NAMES = {"start": "multiplex"}

_DTYPES = bits_of(float32, float64, int32, int64, complex64, complex128)
_Candidates = Annotated[Sequence[TensorLike], Operand("T", _DTYPES, many=True)]
_Choice = Annotated[TensorLike, Operand(None, INT32_64, prefer=int32)]
_TOO_MANY = "The 2nd-dim of input cannot be smaller than batchSize of the index tensor: "


@op("Multiplex", picks=True)
def multiplex(inputs: _Candidates, index: _Choice, name: str | None = None) -> Tensor:
    """Rows chosen among several tensors: out[i] = inputs[index[i]][i].

    Args:
        inputs: a list or tuple of at least two tensors of one shape, rank 2 or higher, and one dtype: float32, float64,
            int32, int64, complex64 or complex128.
        index: int32 or int64 of shape [M, 1], entries in [0, len(inputs)). M is at most the number of rows of an input.

    Returns:
        A tensor of shape [M] + inputs[0].shape[1:] with the dtype of the inputs.

    Raises:
        TypeError: a dtype is not allowed, or the inputs differ in dtype.
        ValueError: fewer than two inputs, or known shapes that differ or do not fit.
        InvalidArgumentError (when run): an entry of `index` is out of range, or shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     inputs = [[[0, 0, 3, 4], [0, 1, 3, 4], [0, 2, 4, 4], [0, 3, 3, 4]],
    ...               [[1, 0, 3, 4], [1, 1, 7, 8], [1, 2, 4, 2], [1, 3, 3, 4]],
    ...               [[2, 0, 3, 4], [2, 1, 7, 8], [2, 2, 4, 2], [2, 3, 3, 4]],
    ...               [[3, 0, 3, 4], [3, 1, 7, 8], [3, 2, 4, 2], [3, 3, 3, 4]]]
    ...     print(session.run(tf.multiplex(inputs, [[3], [0], [1], [2]])))
    ...     img1 = tf.constant([[1, 2], [3, 4]], tf.float32)
    ...     img2 = tf.constant([[5, 6], [7, 8]], tf.float32)
    ...     print(session.run(tf.multiplex([img1, img2], tf.constant([[1], [0]], tf.int32))))
    [[3 0 3 4]
     [0 1 3 4]
     [1 2 4 2]
     [2 3 3 4]]
    [[5. 6.]
     [3. 4.]]

    Source: Paddle 3.x, `paddle.multiplex`.
    """


@multiplex.prepare
def multiplex_prepare(inputs: Any, index: Any, name: str | None) -> tuple[Any, Any]:
    """Complaints about dtypes in Paddle's words."""
    dtypes = {t.dtype for t in inputs if isinstance(t, Tensor)} if isinstance(inputs, (list, tuple)) else set()
    if len(dtypes) > 1:
        found = ", ".join(sorted(d.name for d in dtypes))
        raise DTypeError(f"All the Values in the input must have the same data type, but there are {found}")
    for dtype in dtypes:
        if not dtype.bit & _DTYPES:
            rule = "the dtypes are " + ", ".join(d.name for d in dtypes_in(_DTYPES))
            raise DTypeError(f"Check data type error for op: multiplex, inputs is {dtype.name}; {rule}")
    if isinstance(index, Tensor) and not index.dtype.bit & INT32_64:
        raise DTypeError("The data type of 'index' in multiplex must be int32 or int64, but received "
                         f"{index.dtype.name}")  # fmt: skip
    return inputs, index


@multiplex.shape
def multiplex_shape(inputs: tuple[Tensor, ...], index: Tensor) -> TensorShape:
    if not inputs:
        raise ValueRuleError("inputs must be list of Value, but got empty list")
    if len(inputs) < 2:
        raise ValueRuleError("multiplex operator should have more than one candidate input tensors, but got one")
    candidates = _common_shape(inputs)
    count = _rows_of_index(index, len(inputs))
    if candidates.raw is None:
        return unknown_rank("the rank of no candidate is known", inputs[0])
    rows = candidates.raw[0]
    if isinstance(count, int) and isinstance(rows, int) and count > rows:
        raise ShapeError(f"{_TOO_MANY}index has {count} rows, the candidates have {rows}", operand=len(inputs), dim=0)
    return shape_of((count, *candidates.raw[1:]))


def _rows_of_index(index: Tensor, operand: int) -> Dim:
    """The number of rows; ShapeError if the index is not a column."""
    dims = index.shape.raw
    if dims is None:
        return unknown("the number of rows of index is not known", index)
    if len(dims) != 2:
        raise ShapeError(f"The index tensor must be a vector with 2 dimensions, but it has {len(dims)}",
                         operand=operand, cure="Write tf.expand_dims(index, 1).")  # fmt: skip
    if isinstance(dims[1], int) and dims[1] != 1:
        raise ShapeError(f"The index tensor must be a vector with batchSize x 1, but its second dimension is {dims[1]}",
                         operand=operand, dim=1)  # fmt: skip
    return dims[0]


def _common_shape(inputs: tuple[Tensor, ...]) -> TensorShape:
    shape = inputs[0].shape
    for i, tensor in enumerate(inputs):
        if tensor.shape.ndims is not None and tensor.shape.ndims < 2:
            raise ShapeError(
                f"The rank of candidate tensors must be not less than 2, but inputs[{i}] has rank {tensor.shape.ndims}",
                operand=i,
            )
        try:
            shape = merge_shapes(shape, tensor.shape)
        except ShapeError as error:
            raise ShapeError(
                f"All the candidate tensors must have the same size: inputs[{i}] is {tensor.shape}, "
                f"those before it {shape}",
                operand=i,
                dim=error.dim,
            ) from None
    return shape


@multiplex.distributes
@labelled
def multiplex_distributes(inputs: tuple[Tensor, ...], index: Tensor) -> Axes | None:
    rank = _common_shape(inputs).ndims
    return None if rank is None else ([*[range(rank)] * len(inputs), [0, None]], [range(rank)])


def check_candidates(inputs: list[Any], index: Any) -> None:
    """InvalidArgumentError where shapes do not fit or an entry of `index` is out of range."""
    check_shapes(inputs, index)
    _check_entries(inputs, index)


def check_shapes(inputs: Sequence[Any], index: Any) -> None:
    """InvalidArgumentError where the shapes of candidates and index do not fit."""
    shape = inputs[0].shape
    for i, each in enumerate(inputs):
        if each.shape != shape:
            raise InvalidArgumentError(
                message="All the candidate tensors must have the same size: "
                f"inputs[0] is {listed(shape)}, inputs[{i}] is {listed(each.shape)}"
            )
    if len(shape) < 2:
        raise InvalidArgumentError(
            message=f"The rank of candidate tensors must be not less than 2, but is {len(shape)}"
        )
    if index.ndim != 2 or index.shape[1] != 1:
        raise InvalidArgumentError(
            message=f"The index tensor must be a vector with batchSize x 1, but its shape is {listed(index.shape)}"
        )
    if len(index) > shape[0]:
        raise InvalidArgumentError(
            message=f"{_TOO_MANY}index has {len(index)} rows, the candidates have {shape[0]}"
        )


def _check_entries(inputs: list[Any], index: Any) -> None:
    if all_in_range(index, len(inputs)):
        return
    flat = int(((index < 0) | (index >= len(inputs))).reshape(-1).argmax())
    value = int(index.reshape(-1)[flat])
    rule = "index must be nonnegative" if value < 0 else "index exceeds the number of candidate tensors"
    raise InvalidArgumentError(
        message=f"{rule}: {entry_text('index', index.shape, flat)} = {value}, and there are {len(inputs)} candidates"
    )


@multiplex.kernel
def multiplex_kernel(xp: Any, inputs: list[Any], index: Any) -> Any:
    index = private(index)
    check_candidates(inputs, index)
    out = xp.empty((len(index), *inputs[0].shape[1:]), inputs[0].dtype)
    for k, candidate in enumerate(inputs):
        rows = xp.flatnonzero(index == k)
        assign_rows(xp, out, rows, candidate.take(rows, axis=0))
    return out


@multiplex.gradient("inputs[k]: the rows of g for which index is k, else 0")
def multiplex_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    candidates, index = op.args

    def of(place: int) -> Tensor:
        chosen = ops.equal(ops.cast(ops.reshape(index, [-1]), "int32"), place)
        rows = ops.where(chosen)
        return ops.scattered(rows, ops.gather(g, ops.reshape(rows, [-1])), candidates[place])

    return [*[partial(of, place) for place in range(len(candidates))], None]


@multiplex.samples
def multiplex_samples(rng: np.random.Generator) -> Samples:
    yield sample([rng.random((3, 2)).astype("f4") for _ in range(3)], np.array([[2], [0], [1]], "i4"))
    yield sample([rng.random((3, 2, 2)) for _ in range(2)], np.array([[1], [0]], "i8"))
    yield sample([np.zeros((2, 0), "i4"), np.ones((2, 0), "i4")], np.array([[1], [1]], "i4"))
    yield sample([np.ones((2, 1), "c8"), np.zeros((2, 1), "c8")], np.zeros((0, 1), "i4"))
