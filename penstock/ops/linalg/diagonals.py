"""Diagonals: `diag` puts a tensor on one, `diag_part` takes it out, `eye` is the identity matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_int
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import COMPLEX, FLOATS, INT32_64, DTypeLike, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import as_dtype, float32, int32
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.one_hot import one_hot
from ..create.range_linspace import range as range_op
from ..declare.composite import composite
from ..declare.shape_checks import listed, possible, product, same_size
from ..elementwise.casting import cast
from ..move.broadcasting import broadcast_to
from ..move.concat_stack import concat, pack

PUBLIC_NAMES = {
    "start": "diag diag_part",
    "start linalg": "eye",
    "linalg": "tensor_diag=diag tensor_diag_part=diag_part",
}

_Entries: TypeAlias = Annotated[TensorLike, Operand("T", FLOATS | COMPLEX | INT32_64)]


@op("Diag", graphdef="T=diagonal", replayable=True)
def diag(diagonal: _Entries, name: str | None = None) -> Tensor:
    """`diagonal` on the diagonal of a tensor of zeros: out[i, ..., j, i, ..., j] = diagonal[i, ..., j].

    Args:
        diagonal: floats, complex numbers, int32 or int64, of rank 1 or higher.

    Returns:
        A tensor with the dtype of `diagonal` and its shape twice over: a matrix for a vector.

    Raises:
        TypeError: `diagonal` has another dtype.
        ValueError: `diagonal` is a scalar.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.diag([1, 2])))
    [[1 0]
     [0 2]]

    Source: TensorFlow 1.x, `tf.diag`.
    """


@diag.shape
def diag_shape(diagonal: Tensor) -> TensorShape:
    dims = diagonal.shape.raw
    if dims is None:
        return unknown_rank("the rank of diagonal is not known", diagonal)
    if not dims:
        raise ShapeError("Shape must be at least rank 1 but is rank 0", operand=0, cure="Use tf.reshape(x, [1, 1]).")
    return shape_of((*dims, *dims))


@diag.kernel
def diag_kernel(xp: Any, diagonal: Any) -> Any:
    if diagonal.ndim == 0:
        raise InvalidArgumentError(message="Input must be at least rank 1, got 0")
    count = diagonal.size
    matrix = xp.zeros(product(possible((count, count), diagonal.dtype.itemsize)), diagonal.dtype)
    matrix[:: count + 1] = diagonal.reshape(-1)
    return matrix.reshape(diagonal.shape * 2)


diag.fails(lambda diagonal: None if diagonal.shape.ndims is not None else "whether it is a scalar is not known")


@diag.gradient("diag_part(g)")
def diag_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: ops.diag_part(g)]


@diag.samples
def diag_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random(3).astype("f4"))
    yield sample(np.array([[1, 2, 3], [4, 5, 6]], "i4"))
    yield sample(np.array([1j, -0.0], "c8"))
    yield sample(np.zeros((0, 2), "f8"))


@op("DiagPart", graphdef="T=input ->diagonal", moves=True, replayable=True)
def diag_part(input: _Entries, name: str | None = None) -> Tensor:
    """The diagonal of a tensor: out[i, ..., j] = input[i, ..., j, i, ..., j].

    Args:
        input: floats, complex numbers, int32 or int64, of an even rank above 0. The first half of the sizes equals the
            second.

    Returns:
        A tensor with the dtype of `input` and the first half of its shape: a vector for a square matrix.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: the rank is odd or 0, or known sizes differ.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.diag_part([[1, 2], [3, 4]])))
    [1 4]

    Source: TensorFlow 1.x, `tf.diag_part`.
    """


@diag_part.shape
def diag_part_shape(input: Tensor) -> TensorShape:
    dims = input.shape.raw
    if dims is None:
        return unknown_rank("the rank of input is not known", input)
    half, odd = divmod(len(dims), 2)
    if odd or not half:
        raise ShapeError(f"Input must have even and non-zero rank, input rank is {len(dims)}", operand=0)
    cure = "A diagonal needs each size of the first half again in the second."
    return shape_of(same_size(dims[i], dims[i + half], 0, i + half, cure) for i in range(half))


@diag_part.kernel
def diag_part_kernel(xp: Any, input: Any) -> Any:
    half = _checked_half(input.shape)
    open_grid = [[-1 if d == i else 1 for d in range(len(half))] for i in range(len(half))]
    places = [xp.arange(n).reshape(shape) for n, shape in zip(half, open_grid, strict=True)]
    return input[(*places, *places)]


def _checked_half(shape: Sequence[int]) -> Sequence[int]:
    """The first half of the sizes; InvalidArgumentError where the second half is not the same."""
    half, odd = divmod(len(shape), 2)
    if odd or not half:
        raise InvalidArgumentError(
            message=f"The rank of the tensor should be even and positive, got shape {listed(shape)}"
        )
    for i in range(half):
        if shape[i] != shape[i + half]:
            raise InvalidArgumentError(
                message=f"Invalid shape {listed(shape)}: dimensions {i} and {i + half} do not match."
            )
    return shape[:half]


def _why_sizes_may_differ(input: Tensor) -> str | None:
    dims = input.shape.raw or (None,)
    half = len(dims) // 2
    return None if half and dims[:half] == dims[half:] else "whether the sizes are equal is not known before the run"


diag_part.fails(_why_sizes_may_differ)


@diag_part.gradient("diag(g)")
def diag_part_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: ops.diag(g)]


@diag_part.samples
def diag_part_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((3, 3)).astype("f4"))
    yield sample(np.arange(36).reshape(2, 3, 2, 3))
    yield sample(np.zeros((0, 0), "c16"))


@composite("eye")
def eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    batch_shape: TensorLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """The identity matrix, or one for each place of a batch: 1 where row and column are equal, 0 elsewhere.

    Args:
        num_rows: an int scalar.
        num_columns: an int scalar; `num_rows` where it is left out.
        batch_shape: sizes in front of those of the matrix, a list or vector of ints. None (the default) means none.
        dtype: any dtype but string.

    Returns:
        A tensor of shape batch_shape + [num_rows, num_columns] and dtype `dtype`.

    Raises:
        TypeError: a number is not an int scalar, or `dtype` is string.
        ValueError: a known size is negative.
        InvalidArgumentError (when run): a size is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.eye(2, 3)))
    [[1. 0. 0.]
     [0. 1. 0.]]

    Source: TensorFlow 1.x, `tf.eye`.
    """
    rows = _size("num_rows", num_rows)
    columns = rows if num_columns is None else _size("num_columns", num_columns)
    wanted = as_dtype(dtype)
    if wanted.is_string:
        raise DTypeError("Expected string, but got 1 for the diagonal; no string is one")
    matrix = one_hot(range_op(rows), columns, np.ones((), wanted.np), np.zeros((), wanted.np))
    if batch_shape is None or (isinstance(batch_shape, Sequence) and not batch_shape):
        return matrix
    batch = convert_to_tensor(batch_shape)
    return broadcast_to(matrix, concat(0, [batch, cast(pack([rows, columns]), batch.dtype)]))


def _size(label: str, value: TensorLike) -> Tensor:
    """A number of rows or columns, as an int32 scalar."""
    number = convert_to_tensor(value)
    if not number.dtype.is_integer or number.shape.ndims not in (0, None):
        raise DTypeError(
            f"Arguments `num_rows` and `num_columns` must be positive integer values. Received: {label}={value!r}"
        )
    known = known_int(number)
    if known is not None and known < 0:
        raise ValueRuleError(f"Fill dimensions must be >= 0, but {label} is {known}")
    return cast(number, int32)
