"""Diagonals of the matrices along the last two axes: matrix_diag, matrix_diag_part, matrix_set_diag.

A diagonal is numbered by its column minus its row: 0 is the main one, 1 the one above it. One argument `k` names one
diagonal, or the lowest and the highest of several next to each other. Several are rows of one tensor, the highest
first; shorter ones are padded where `align` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_value
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import BOOL, NUMBERS, Attr, Int, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.composite import reported_as_call
from ..declare.plain_values import choice, ints
from ..declare.shape_checks import at_run, listed, possible
from ..index.row_indexing import dims_at_least

PUBLIC_NAMES = {
    "tf": (
        "batch_matrix_diag=matrix_diag batch_matrix_diag_part=matrix_diag_part matrix_diag matrix_diag_part "
        "matrix_set_diag"
    ),
    "linalg": "diag=matrix_diag diag_part=matrix_diag_part set_diag=matrix_set_diag",
}

ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _alignment(value: Any) -> str:
    return choice("align", value, ALIGNMENTS)


_Align = Annotated[str, Attr(_alignment)]
_Entries = Annotated[TensorLike, Operand("T", NUMBERS | BOOL)]


def _interval(k: Any) -> tuple[int, int]:
    """The lowest and the highest diagonal that `k` names; a constant tensor counts as its value."""
    if isinstance(k, Tensor):
        value = known_value(k)
        k = k if value is None else value.reshape(-1)
    ends = ints("k", k)
    if len(ends) not in (1, 2):
        raise ValueRuleError(f"diag_index must have one or two elements, received {len(ends)} elements")
    if ends[0] > ends[-1]:
        raise ValueRuleError(f"lower_diag_index must not be larger than upper_diag_index: {ends[0]} > {ends[-1]}")
    return ends[0], ends[-1]


_Ends = Annotated[Sequence[int], Attr(_interval)]


def _filling(padding: Any) -> Any:
    """The value of padding.

    Raises:
        InvalidArgumentError: it is no scalar.
    """
    if padding.ndim:
        raise InvalidArgumentError(message=f"padding_value must be a scalar, got shape {listed(padding.shape)}")
    return padding


def _length(rows: int, columns: int, d: int) -> int:
    return min(rows + min(d, 0), columns - max(d, 0))


def _places(
    xp: Any, shape: Sequence[int], low: int, high: int, align: str, longest: int
) -> Iterator[tuple[int, Any, Any, Any]]:
    """For each diagonal, the highest first: its row in the packed form, its places there, its rows and columns."""
    above, below = align.split("_")
    for row, d in enumerate(range(high, low - 1, -1)):
        size = _length(shape[-2], shape[-1], d)
        side = above if d >= 0 else below
        start = longest - size if side == "RIGHT" else 0
        steps = xp.arange(size)
        yield row, slice(start, start + size), steps - min(d, 0), steps + max(d, 0)


# ---- matrix_diag --------------------------------------------------------------------------------


@reported_as_call("diag", one_op=True)
def matrix_diag(
    diagonal: TensorLike,
    name: str | None = "diag",
    k: int | Sequence[int] = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with the given diagonals: out[..., i, i] = diagonal[..., i], and `padding_value` elsewhere.

    Args:
        diagonal: numbers or bools, rank 1 or higher. With several diagonals its axis before the last one counts
            them, the highest first.
        k: the diagonal, or the lowest and the highest one: 0 is the main diagonal, 1 the one above it.
        num_rows: the number of rows; -1, the default, is the smallest that fits.
        num_cols: the number of columns, likewise.
        padding_value: a scalar of the dtype of `diagonal`, for what lies outside of the diagonals.
        align: where diagonals shorter than the longest are in their rows: one of "RIGHT_LEFT" (those above the main
            one at the right end, those below at the left), "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT".

    Returns:
        A tensor with the dtype of `diagonal` and the shape [..., num_rows, num_cols].

    Raises:
        TypeError: `diagonal` has another dtype, or `k` is not int.
        ValueError: `diagonal` is a scalar, or a size is too small for it.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_diag([1, 2])).tolist(), session.run(tf.matrix_diag([1, 2], k=1)).tolist())
    [[1, 0], [0, 2]] [[0, 1, 0], [0, 0, 2], [0, 0, 0]]

    Source: TensorFlow 1.x, `tf.matrix_diag`.
    """
    return matrix_diag_op(diagonal, padding_value, _interval(k), num_rows, num_cols, align, name=name)


@op("MatrixDiagV3")
def matrix_diag_op(
    diagonal: _Entries,
    padding_value: _Entries,
    k: _Ends,
    num_rows: Int,
    num_cols: Int,
    align: _Align,
    name: str | None = None,
) -> Tensor:
    """The op behind `matrix_diag`; `k` is the lowest and the highest diagonal."""


@matrix_diag_op.shape
def matrix_diag_op_shape(
    diagonal: Tensor, padding: Tensor, k: Sequence[int], rows: int, columns: int, align: str
) -> TensorShape:
    several = k[0] != k[1]
    if padding.shape.ndims not in (None, 0):
        raise ShapeError(f"Shape must be rank 0 but is rank {padding.shape.ndims}", operand=1)
    dims = dims_at_least(diagonal, 1 + several, 0)
    if dims is None:
        return unknown_rank("the rank of diagonal is not known", diagonal)
    if several and isinstance(dims[-2], int) and dims[-2] != k[1] - k[0] + 1:
        count = k[1] - k[0] + 1
        raise ShapeError(f"The number of diagonals from {k[0]} to {k[1]} is {count}, but there are {dims[-2]}",
                         operand=0, dim=len(dims) - 2)  # fmt: skip
    batch = dims[: -2 if several else -1]
    if isinstance(dims[-1], int):
        return shape_of((*batch, *_matrix_sizes(dims[-1], k, rows, columns, ShapeError)))
    if not several and k[0] == 0 and rows == columns == -1:
        return shape_of((*batch, dims[-1], dims[-1]))
    return shape_of((*batch, *(each if each != -1 else unknown("the length of diagonal is not known", diagonal)
                               for each in (rows, columns))))  # fmt: skip


def _matrix_sizes(
    length: int, k: Sequence[int], rows: int, columns: int, error: Callable[[str], Exception]
) -> tuple[int, int]:
    """The sizes of the smallest matrix with diagonals of at most `length` entries, or those given if they fit."""
    least_rows = length - min(k[1], 0)
    least_columns = length + max(k[0], 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    if rows < least_rows or columns < least_columns:
        raise error(f"the matrix of {rows} rows and {columns} columns is too small for diagonals {list(k)} of {length}")
    if rows != least_rows and columns != least_columns:
        raise error(f"the number of rows or columns is not consistent with the specified d_lower, d_upper, and "
                    f"diagonal: {rows} rows and {columns} columns for a longest diagonal of {length}")  # fmt: skip
    return rows, columns


@matrix_diag_op.kernel
def matrix_diag_op_kernel(
    xp: Any, diagonal: Any, padding: Any, k: Sequence[int], rows: int, columns: int, align: str
) -> Any:
    several = k[0] != k[1]
    if diagonal.ndim < 1 + several or (several and diagonal.shape[-2] != k[1] - k[0] + 1):
        raise InvalidArgumentError(message=f"diagonals {list(k)} do not fit the shape {listed(diagonal.shape)}")
    packed = diagonal if several else diagonal[..., None, :]
    sizes = _matrix_sizes(packed.shape[-1], k, rows, columns, at_run)
    matrix = xp.empty(possible((*packed.shape[:-2], *sizes), diagonal.dtype.itemsize), diagonal.dtype)
    matrix[...] = _filling(padding)
    for row, places, i, j in _places(xp, matrix.shape, k[0], k[1], align, packed.shape[-1]):
        matrix[..., i, j] = packed[..., row, places]
    return matrix


@matrix_diag_op.fails
def matrix_diag_op_fails(
    diagonal: Tensor, padding: Tensor, k: Sequence[int], rows: int, columns: int, align: str
) -> str | None:
    known = diagonal.shape.is_fully_defined() and padding.shape.ndims == 0
    return None if known else "whether the diagonals fit is not known before the run"


@matrix_diag_op.gradient("diagonal: matrix_diag_part(g, k); padding_value: sum(g) - sum(matrix_diag_part(g, k))")
def matrix_diag_op_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    def part() -> Tensor:
        return matrix_diag_part(g, None, op.args[2], 0, op.args[5])

    return [part, lambda: ops.reduce_sum(g) - ops.reduce_sum(part())]


@matrix_diag_op.samples
def matrix_diag_op_samples(rng: np.random.Generator) -> Samples:
    zero = np.zeros((), "f4")
    yield sample(rng.random((2, 3)).astype("f4"), zero, (0, 0), -1, -1, "RIGHT_LEFT")
    yield sample(rng.random(3).astype("f4"), zero, (1, 1), 3, 4, "RIGHT_LEFT")
    yield sample(np.arange(9).reshape(3, 3), np.array(7), (-1, 1), -1, -1, "LEFT_RIGHT")
    yield sample(np.zeros((0, 2), "i4"), np.array(0, "i4"), (0, 0), -1, -1, "RIGHT_LEFT")


# ---- matrix_diag_part ---------------------------------------------------------------------------


@reported_as_call("diag_part", one_op=True)
def matrix_diag_part(
    input: TensorLike,
    name: str | None = "diag_part",
    k: int | Sequence[int] = 0,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The diagonals of matrices: out[..., i] = input[..., i, i].

    Args:
        input: numbers or bools, rank 2 or higher.
        k: the diagonal, or the lowest and the highest one: 0 is the main diagonal, 1 the one above it.
        padding_value: a scalar of the dtype of `input`, that fills up shorter ones of several diagonals.
        align: which end of their rows the shorter ones of several diagonals are at; see `tf.matrix_diag`.

    Returns:
        A tensor with the dtype of `input`. Its shape is input.shape[:-2] + [length] for one diagonal, and
        input.shape[:-2] + [number, length of the longest] for several, the highest first.

    Raises:
        TypeError: `k` is not int.
        ValueError: `input` has a rank below 2, or the matrices have no such diagonal.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([[1, 2, 3], [4, 5, 6]])
    ...     print(session.run(tf.matrix_diag_part(x)), session.run(tf.matrix_diag_part(x, k=1)))
    [1 5] [2 6]

    Source: TensorFlow 1.x, `tf.matrix_diag_part`.
    """
    return matrix_diag_part_op(input, padding_value, _interval(k), align, name=name)


@op("MatrixDiagPartV3")
def matrix_diag_part_op(
    input: _Entries, padding_value: _Entries, k: _Ends, align: _Align, name: str | None = None
) -> Tensor:
    """The op behind `matrix_diag_part`; `k` is the lowest and the highest diagonal."""


@matrix_diag_part_op.shape
def matrix_diag_part_op_shape(input: Tensor, padding: Tensor, k: Sequence[int], align: str) -> TensorShape:
    if padding.shape.ndims not in (None, 0):
        raise ShapeError(f"Shape must be rank 0 but is rank {padding.shape.ndims}", operand=1)
    dims = dims_at_least(input, 2, 0)
    if dims is None:
        return unknown_rank("the rank of input is not known", input)
    several = (k[1] - k[0] + 1,) if k[0] != k[1] else ()
    rows, columns = dims[-2:]
    if isinstance(rows, int) and isinstance(columns, int):
        _check_diagonals(rows, columns, k, ShapeError)
        length: Dim = _longest(rows, columns, k)
    elif rows == columns and k[0] <= 0 <= k[1]:
        length = rows
    else:
        length = unknown("the sizes of the matrices are not known", input)
    return shape_of((*dims[:-2], *several, length))


def _longest(rows: int, columns: int, k: Sequence[int]) -> int:
    return min(rows + min(k[1], 0), columns - max(k[0], 0))


def _check_diagonals(rows: int, columns: int, k: Sequence[int], error: Callable[[str], Exception]) -> None:
    for label, d in (("lower", k[0]), ("upper", k[1])):
        if d != 0 and not -rows < d < columns:
            raise error(f"{label}_diag_index is out of bound: {d}. It must be between {-rows} and {columns}")


@matrix_diag_part_op.kernel
def matrix_diag_part_op_kernel(xp: Any, input: Any, padding: Any, k: Sequence[int], align: str) -> Any:
    if input.ndim < 2:
        raise InvalidArgumentError(message=f"input must be at least 2-dim, received shape: {listed(input.shape)}")
    rows, columns = input.shape[-2:]
    _check_diagonals(rows, columns, k, at_run)
    longest = _longest(rows, columns, k)
    packed = xp.empty((*input.shape[:-2], k[1] - k[0] + 1, longest), input.dtype)
    packed[...] = _filling(padding)
    for row, places, i, j in _places(xp, input.shape, k[0], k[1], align, longest):
        packed[..., row, places] = input[..., i, j]
    return packed if k[0] != k[1] else packed[..., 0, :]


@matrix_diag_part_op.fails
def matrix_diag_part_op_fails(input: Tensor, padding: Tensor, k: Sequence[int], align: str) -> str | None:
    known = (input.shape.ndims or 0) > 1 if k[0] == k[1] == 0 else input.shape.is_fully_defined()
    return None if padding.shape.ndims == 0 and known else "whether the diagonal exists is not known before the run"


@matrix_diag_part_op.gradient("input: zeros with g on the diagonals; padding_value: the sum of g beside them")
def matrix_diag_part_op_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    def of_padding() -> Tensor:
        inside = matrix_diag_part(ops.ones_like(op.inputs[0]), None, op.args[2], 0, op.args[3])
        total: Tensor = ops.reduce_sum(g) - ops.reduce_sum(g * inside)
        return total

    return [lambda: matrix_set_diag(ops.zeros_like(op.inputs[0]), g, None, op.args[2], op.args[3]), of_padding]


@matrix_diag_part_op.samples
def matrix_diag_part_op_samples(rng: np.random.Generator) -> Samples:
    zero = np.zeros((), "f4")
    yield sample(rng.random((2, 3, 4)).astype("f4"), zero, (0, 0), "RIGHT_LEFT")
    yield sample(rng.random((3, 4)).astype("f4"), zero, (-1, 2), "RIGHT_LEFT")
    yield sample(np.arange(6).reshape(3, 2), np.array(7), (-1, -1), "LEFT_RIGHT")
    yield sample(np.zeros((0, 2, 2), "i4"), np.array(0, "i4"), (0, 0), "RIGHT_LEFT")


# ---- matrix_set_diag ----------------------------------------------------------------------------


@reported_as_call("set_diag", one_op=True)
def matrix_set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str | None = "set_diag",
    k: int | Sequence[int] = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """`input` with other diagonals: out[..., i, i] = diagonal[..., i], and `input` elsewhere.

    Args:
        input: numbers or bools, rank 2 or higher.
        diagonal: the dtype of `input`, and the shape that `tf.matrix_diag_part` gives of it.
        k: the diagonal, or the lowest and the highest one: 0 is the main diagonal, 1 the one above it.
        align: which end of their rows the shorter ones of several diagonals are at; see `tf.matrix_diag`.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: the dtypes differ, or `k` is not int.
        ValueError: `input` has a rank below 2, or `diagonal` does not fit.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_set_diag([[1, 2], [3, 4]], [8, 9])).tolist())
    [[8, 2], [3, 9]]

    Source: TensorFlow 1.x, `tf.matrix_set_diag`.
    """
    return matrix_set_diag_op(input, diagonal, _interval(k), align, name=name)


@op("MatrixSetDiagV3")
def matrix_set_diag_op(input: _Entries, diagonal: _Entries, k: _Ends, align: _Align, name: str | None = None) -> Tensor:
    """The op behind `matrix_set_diag`; `k` is the lowest and the highest diagonal."""


@matrix_set_diag_op.shape
def matrix_set_diag_op_shape(input: Tensor, diagonal: Tensor, k: Sequence[int], align: str) -> TensorShape:
    dims = dims_at_least(input, 2, 0)
    several = k[0] != k[1]
    diagonal_dims = dims_at_least(diagonal, 1 + several, 1)
    if dims is None and diagonal_dims is not None:
        sizes = [unknown("the rank of the operand is not known", input) for _ in range(2)]
        return shape_of((*diagonal_dims[: len(diagonal_dims) - 1 - several], *sizes))
    if dims is None or diagonal_dims is None:
        return input.shape
    if len(diagonal_dims) != len(dims) - 1 + several:
        raise ShapeError(f"Shape must be rank {len(dims) - 1 + several} but is rank {len(diagonal_dims)}", operand=1)
    rows, columns = dims[-2:]
    if isinstance(rows, int) and isinstance(columns, int):
        _check_diagonals(rows, columns, k, ShapeError)
        if isinstance(diagonal_dims[-1], int) and diagonal_dims[-1] != _longest(rows, columns, k):
            raise ShapeError(f"Dimension must be {_longest(rows, columns, k)} but is {diagonal_dims[-1]}", operand=1,
                             dim=len(diagonal_dims) - 1)  # fmt: skip
    return input.shape


@matrix_set_diag_op.kernel
def matrix_set_diag_op_kernel(xp: Any, input: Any, diagonal: Any, k: Sequence[int], align: str) -> Any:
    if input.ndim < 2:
        raise InvalidArgumentError(message=f"input must be at least 2-dim, received shape: {listed(input.shape)}")
    rows, columns = input.shape[-2:]
    _check_diagonals(rows, columns, k, at_run)
    several = (k[1] - k[0] + 1,) if k[0] != k[1] else ()
    expected = (*input.shape[:-2], *several, _longest(rows, columns, k))
    if diagonal.shape != expected:
        raise InvalidArgumentError(message="Expected diagonal to have shape "
                                           f"{listed(expected)}, but it has {listed(diagonal.shape)}")  # fmt: skip
    packed = diagonal if several else diagonal[..., None, :]
    matrix = input.copy()
    for row, places, i, j in _places(xp, input.shape, k[0], k[1], align, expected[-1]):
        matrix[..., i, j] = packed[..., row, places]
    return matrix


@matrix_set_diag_op.fails
def matrix_set_diag_op_fails(input: Tensor, diagonal: Tensor, k: Sequence[int], align: str) -> str | None:
    whole, given = input.shape.raw, diagonal.shape.raw
    sizes = (None,) if whole is None or given is None else (*whole, *given)
    fits = whole is not None and given is not None and whole[:-2] == given[: len(whole) - 2]
    fits = fits and all(isinstance(each, int) for each in sizes)
    return None if fits else "whether the diagonals fit is not known before the run"


@matrix_set_diag_op.gradient("input: g with zeros on the diagonals; diagonal: matrix_diag_part(g)")
def matrix_set_diag_op_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: matrix_set_diag(g, ops.zeros_like(op.inputs[1]), None, op.args[2], op.args[3]),
            lambda: matrix_diag_part(g, None, op.args[2], 0, op.args[3])]  # fmt: skip


@matrix_set_diag_op.samples
def matrix_set_diag_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3, 4)).astype("f4"), rng.random((2, 3)).astype("f4"), (0, 0), "RIGHT_LEFT")
    yield sample(np.arange(12).reshape(3, 4), np.arange(9).reshape(3, 3), (-1, 1), "RIGHT_LEFT")
    yield sample(np.zeros((0, 2, 2), "i4"), np.zeros((0, 2), "i4"), (0, 0), "RIGHT_LEFT")
