"""Inverses, determinants and systems of equations of the matrices along the last two axes, by LAPACK."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import Flag, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim
from ...graph.shapes.shape import TensorShape, broadcast, shape_of, unknown_rank
from ..declare.composite import reported_as_call
from ..declare.elementwise_gradient import repeated_axes
from ..declare.shape_checks import listed, same_size
from ..index.row_indexing import dims_at_least
from .lapack import Matrices, by_lapack, check_square, square_dims, why_not_square
from .matrix_bands import matrix_band_part

PUBLIC_NAMES = {
    "tf": (
        "batch_matrix_determinant=matrix_determinant batch_matrix_inverse=matrix_inverse "
        "batch_matrix_solve=matrix_solve batch_matrix_triangular_solve=matrix_triangular_solve matrix_determinant "
        "matrix_inverse matrix_solve matrix_triangular_solve"
    ),
    "linalg": (
        "det=matrix_determinant inv=matrix_inverse slogdet=log_matrix_determinant solve=matrix_solve "
        "triangular_solve=matrix_triangular_solve"
    ),
}

_SINGULAR = "Input matrix is not invertible."


# ---- inverse ------------------------------------------------------------------------------------


@op("MatrixInverse", graphdef="T=input adjoint", host_only=True,
    fails="whether the matrices are invertible is not known before the run")  # fmt: skip
def matrix_inverse(input: Matrices, adjoint: Flag = False, name: str | None = None) -> Tensor:
    """The inverse of each square matrix: input @ out is the identity.

    Args:
        input: float32, float64 or complex square matrices, of rank 2 or higher.
        adjoint: True inverts the adjoints instead.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` has another dtype, or `adjoint` is not a bool.
        ValueError: `input` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same, or a matrix is singular.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_inverse([[2.0, 0.0], [0.0, 4.0]])).tolist())
    [[0.5, 0.0], [0.0, 0.25]]

    Source: TensorFlow 1.x, `tf.matrix_inverse`.
    """


@matrix_inverse.shape
def matrix_inverse_shape(input: Tensor, adjoint: bool) -> TensorShape:
    dims = square_dims(input, 0)
    return input.shape if dims is None else shape_of(dims)


def _turned(xp: Any, matrices: Any, adjoint: bool) -> Any:
    return xp.conj(xp.swapaxes(matrices, -1, -2)) if adjoint else matrices


@matrix_inverse.kernel
def matrix_inverse_kernel(xp: Any, input: Any, adjoint: bool) -> Any:
    check_square(input)
    return by_lapack(xp, "inv", "Input is not invertible.", _turned(xp, input, adjoint))




@matrix_inverse.gradient("-out^H @ g @ out^H; of the adjoint its adjoint")
def matrix_inverse_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    out, adjoint = op.outputs[0], op.args[1]
    return [lambda: -ops.matmul(out, ops.matmul(g, out, adjoint_a=adjoint, adjoint_b=not adjoint),
                                adjoint_a=not adjoint)]  # fmt: skip


@matrix_inverse.samples
def matrix_inverse_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3, 3)) + np.eye(3))
    yield sample(np.array([[2, 1], [1, 3]], "f4"), True)
    yield sample(np.array([[2, 1j], [1, 3]], "c8"), True)
    yield sample(np.zeros((0, 2, 2), "f4"))


# ---- determinant --------------------------------------------------------------------------------


@op("MatrixDeterminant", graphdef="T=input", host_only=True, fails=why_not_square)
def matrix_determinant(input: Matrices, name: str | None = None) -> Tensor:
    """The determinant of each square matrix.

    Args:
        input: float32, float64 or complex square matrices, of rank 2 or higher.

    Returns:
        A tensor of shape input.shape[:-2] with the dtype of `input`.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_determinant([[2.0, 1.0], [1.0, 4.0]])).round(4))
    7.0

    Source: TensorFlow 1.x, `tf.matrix_determinant`.
    """


def _batch_shape(input: Tensor) -> TensorShape:
    dims = square_dims(input, 0)
    return unknown_rank("the rank of the operand is not known", input) if dims is None else shape_of(dims[:-2])


matrix_determinant.shape(_batch_shape)


@matrix_determinant.kernel
def matrix_determinant_kernel(xp: Any, input: Any) -> Any:
    check_square(input)
    return xp.asarray(by_lapack(xp, "det", _SINGULAR, input), input.dtype)


@matrix_determinant.gradient("g * out * inverse(input)^H")
def matrix_determinant_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    def back() -> Tensor:
        factor = ops.expand_dims(ops.expand_dims(g * ops.conj(op.outputs[0]), -1), -1)
        product: Tensor = factor * matrix_inverse(op.inputs[0], True)
        return product

    return [back]


@matrix_determinant.samples
def matrix_determinant_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3, 3)))
    yield sample(np.array([[2, 1], [1, 3]], "f4"))
    yield sample(np.array([[2, 1j], [1, 3]], "c8"))
    yield sample(np.zeros((0, 2, 2), "f4"))


class LogDeterminant(NamedTuple):
    """The results of `log_matrix_determinant`."""

    sign: Tensor
    log_abs_determinant: Tensor


@reported_as_call("LogMatrixDeterminant", one_op=True)
@documented_like(matrix_determinant)
def log_matrix_determinant(input: TensorLike, name: str | None = None) -> LogDeterminant:
    """The determinant of each square matrix as its sign and the logarithm of its size, which does not overflow.

    Returns:
        Two tensors (sign, log_abs_determinant) of shape input.shape[:-2] with the dtype of `input`: the determinant is
        sign * exp(log_abs_determinant). Of a singular matrix they are 0 and -inf.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     sign, log_of_size = tf.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    ...     print(session.run(sign), session.run(log_of_size))
    -1.0 0.0

    Source: TensorFlow 1.x, `tf.linalg.slogdet`.
    """
    return LogDeterminant(*log_matrix_determinant_op(input, name))


@op(
    "LogMatrixDeterminant", graphdef="T=input ->sign,log_abs_determinant", out=("T", "T"), host_only=True,
    fails=why_not_square,
)  # fmt: skip
def log_matrix_determinant_op(input: Matrices, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The op behind `log_matrix_determinant`."""


@log_matrix_determinant_op.shape
def log_matrix_determinant_op_shape(input: Tensor) -> list[TensorShape]:
    return [_batch_shape(input)] * 2


@log_matrix_determinant_op.kernel
def log_matrix_determinant_op_kernel(xp: Any, input: Any) -> Any:
    check_square(input)
    sign, size = by_lapack(xp, "slogdet", _SINGULAR, input)
    return xp.asarray(sign, input.dtype), xp.asarray(size, input.dtype)


@log_matrix_determinant_op.gradient("g_log * inverse(input)^H; the sign is constant")
def log_matrix_determinant_op_gradient(
    ops: Any, op: Operation, g_sign: Tensor | None, g_log: Tensor | None
) -> list[Any]:
    if g_log is None:
        return [None]
    return [lambda: ops.expand_dims(ops.expand_dims(g_log, -1), -1) * matrix_inverse(op.inputs[0], True)]


@log_matrix_determinant_op.samples
def log_matrix_determinant_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3, 3)))
    yield sample(np.array([[2, 1], [1, 3]], "f4"))
    yield sample(np.zeros((0, 2, 2), "f4"))


# ---- matrix_solve -------------------------------------------------------------------------------


@op("MatrixSolve", graphdef="T=matrix adjoint", host_only=True,
    fails="whether the matrices are invertible is not known before the run")  # fmt: skip
def matrix_solve(matrix: Matrices, rhs: Matrices, adjoint: Flag = False, name: str | None = None) -> Tensor:
    """The solutions of linear equations: matrix @ out = rhs.

    Args:
        matrix: float32, float64 or complex square matrices, of rank 2 or higher; [..., n, n].
        rhs: the right-hand sides as columns, [..., n, k], with the dtype and the first sizes of `matrix`.
        adjoint: True solves adjoint(matrix) @ out = rhs.

    Returns:
        A tensor with the shape and dtype of `rhs`.

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: a rank is below 2, or known sizes do not fit.
        InvalidArgumentError (when run): the same, or a matrix is singular.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]])).tolist())
    [[1.0], [0.5]]

    Source: TensorFlow 1.x, `tf.matrix_solve`.
    """


@matrix_solve.shape
def matrix_solve_shape(matrix: Tensor, rhs: Tensor, adjoint: bool) -> TensorShape:
    dims, columns = square_dims(matrix, 0), dims_at_least(rhs, 2, 1)
    if dims is None or columns is None:
        return rhs.shape
    if len(dims) != len(columns):
        raise ShapeError(f"Shapes must be equal rank, but are {len(dims)} and {len(columns)}", operand=1)
    cure = "Each matrix needs right-hand sides with one row for each of its rows."
    merged = [same_size(a, b, 1, i, cure) for i, (a, b) in enumerate(zip(dims[:-1], columns[:-1], strict=True))]
    return shape_of((*merged, columns[-1]))


@matrix_solve.kernel
def matrix_solve_kernel(xp: Any, matrix: Any, rhs: Any, adjoint: bool) -> Any:
    check_square(matrix)
    if matrix.shape[:-1] != rhs.shape[:-1]:
        raise InvalidArgumentError(message="Input matrix and rhs are incompatible: "
                                           f"{listed(matrix.shape)} and {listed(rhs.shape)}")  # fmt: skip
    return by_lapack(xp, "solve", _SINGULAR, _turned(xp, matrix, adjoint), rhs)




@matrix_solve.gradient("rhs: matrix_solve(matrix, g, not adjoint); matrix: -(that) @ out^H, of the adjoint its adjoint")
def matrix_solve_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    (matrix, _), out, adjoint = op.inputs, op.outputs[0], op.args[2]

    def of_rhs() -> Tensor:
        return matrix_solve(matrix, g, not adjoint)

    def of_matrix() -> Tensor:
        return -(ops.matmul(out, of_rhs(), adjoint_b=True) if adjoint else ops.matmul(of_rhs(), out, adjoint_b=True))

    return [of_matrix, of_rhs]


@matrix_solve.samples
def matrix_solve_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3, 3)) + np.eye(3), rng.random((2, 3, 2)))
    yield sample(np.array([[2, 1], [0, 3]], "f4"), np.array([[1], [2]], "f4"), True)
    yield sample(np.zeros((0, 2, 2), "f4"), np.zeros((0, 2, 3), "f4"))


# ---- matrix_triangular_solve --------------------------------------------------------------------


@op("MatrixTriangularSolve", graphdef="T=matrix lower adjoint", host_only=True)
def matrix_triangular_solve(
    matrix: Matrices, rhs: Matrices, lower: Flag = True, adjoint: Flag = False, name: str | None = "triangular_solve"
) -> Tensor:
    """The solutions of linear equations with triangular matrices: matrix @ out = rhs.

    Only one triangle of `matrix` is read.

    Args:
        matrix: float32, float64 or complex square matrices, of rank 2 or higher; [..., n, n].
        rhs: the right-hand sides as columns, [..., n, k], with the dtype of `matrix`; the first sizes broadcast.
        lower: True reads the lower triangle, False the upper one.
        adjoint: True solves adjoint(matrix) @ out = rhs.

    Returns:
        A tensor with the dtype of `rhs` and the shape [..., n, k].

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: a rank is below 2, or known sizes do not fit.
        InvalidArgumentError (when run): the same. A zero in a diagonal is no error: it gives infinities and NaNs.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_triangular_solve([[2.0, 9.0], [2.0, 1.0]], [[2.0], [3.0]])).tolist())
    [[1.0], [1.0]]

    Source: TensorFlow 1.x, `tf.matrix_triangular_solve`.
    """


matrix_triangular_solve.result_names = ("MatrixTriangularSolve",)


@matrix_triangular_solve.shape
def matrix_triangular_solve_shape(matrix: Tensor, rhs: Tensor, lower: bool, adjoint: bool) -> TensorShape:
    dims, columns = square_dims(matrix, 0), dims_at_least(rhs, 2, 1)
    if dims is None or columns is None:
        return unknown_rank("the rank of an operand is not known", matrix)
    cure = "Each matrix needs right-hand sides with one row for each of its rows."
    size = same_size(dims[-1], columns[-2], 1, len(columns) - 2, cure)
    batch: Sequence[Dim] | None = broadcast(shape_of(dims[:-2]), shape_of(columns[:-2]), rhs).raw
    assert batch is not None
    return shape_of((*batch, size, columns[-1]))


@matrix_triangular_solve.kernel
def matrix_triangular_solve_kernel(xp: Any, matrix: Any, rhs: Any, lower: bool, adjoint: bool) -> Any:
    check_square(matrix)
    if rhs.ndim < 2 or rhs.shape[-2] != matrix.shape[-1]:
        raise InvalidArgumentError(message="Input matrix and rhs are incompatible: "
                                           f"{listed(matrix.shape)} and {listed(rhs.shape)}")  # fmt: skip
    try:
        batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    except ValueError:
        raise InvalidArgumentError(message="Input matrix and rhs are incompatible: "
                                           f"{listed(matrix.shape)} and {listed(rhs.shape)}") from None  # fmt: skip
    triangle = xp.tril(matrix) if lower else xp.triu(matrix)
    size = matrix.shape[-1]
    left = xp.broadcast_to(_turned(xp, triangle, adjoint), (*batch, size, size))
    right = xp.broadcast_to(rhs, (*batch, *rhs.shape[-2:]))
    singular = ~xp.all(xp.diagonal(left, 0, -2, -1) != 0, axis=-1)
    solvable = xp.where(singular[..., None, None], xp.eye(size, dtype=left.dtype), left) if singular.any() else left
    try:
        solution = by_lapack(xp, "solve", _SINGULAR, solvable, right)
    except InvalidArgumentError:  # LAPACK exchanges rows: a pivot became 0 by underflow
        return _substituted(left, right, lower != adjoint)
    if singular.any():
        solution[singular] = _substituted(left[singular], right[singular], lower != adjoint)
    return solution


def _substituted(left: Any, right: Any, from_first: bool) -> Any:
    """The solutions by substitution, row after row: a zero in a diagonal gives infinities and NaNs."""
    solution = right.copy()
    size = left.shape[-1]
    with np.errstate(all="ignore"):
        for row in range(size) if from_first else reversed(range(size)):
            solution[..., row, :] /= left[..., row, row, None]
            rest = slice(row + 1, size) if from_first else slice(0, row)
            solution[..., rest, :] -= left[..., rest, row, None] * solution[..., None, row, :]
    return solution


@matrix_triangular_solve.fails
def why_not_fitting(matrix: Tensor, rhs: Tensor, *flags: bool) -> str | None:
    """The reason why a run may find shapes that do not fit, or None: the shape rule has compared known ones."""
    are_known = matrix.shape.is_fully_defined() and rhs.shape.is_fully_defined()
    return None if are_known else "whether the shapes fit is not known before the run"


@matrix_triangular_solve.gradient("rhs: solved for g with the other adjoint; matrix: -(that) @ out^H, one triangle")
def matrix_triangular_solve_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    (matrix, rhs), out, (lower, adjoint) = op.inputs, op.outputs[0], op.args[2:4]

    def solved() -> Tensor:
        return matrix_triangular_solve(matrix, g, lower, not adjoint)

    def of_matrix() -> Tensor:
        whole = -(ops.matmul(out, solved(), adjoint_b=True) if adjoint else ops.matmul(solved(), out, adjoint_b=True))
        part = matrix_band_part(whole, -1, 0) if lower else matrix_band_part(whole, 0, -1)
        return _summed(ops, part, matrix)

    return [of_matrix, lambda: _summed(ops, solved(), rhs)]


def _summed(ops: Any, g: Tensor, operand: Tensor) -> Tensor:
    """`g` summed over the axes along which the operand was repeated."""
    given, whole = operand.shape.raw, g.shape.raw
    axes = None if given is None or whole is None else repeated_axes(given[:-2], whole[:-2])
    if axes == []:
        return g
    shape = ops.shape(operand)
    found = ops.broadcast_gradient_args(shape[:-2], ops.shape(g)[:-2])[0]
    total: Tensor = ops.reshape(ops.reduce_sum(g, found), shape)
    return total


@matrix_triangular_solve.samples
def matrix_triangular_solve_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3, 3)) + np.eye(3), rng.random((2, 3, 2)))
    yield sample(np.array([[2, 1], [0, 3]], "f4"), np.array([[[1], [2]], [[3], [4]]], "f4"), False, True)
    yield sample(np.zeros((0, 2, 2), "f4"), np.zeros((0, 2, 3), "f4"))
