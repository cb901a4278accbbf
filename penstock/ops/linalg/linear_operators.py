"""`tf.linalg.LinearOperator...`: matrices as objects, which keep the parts that they are made of.

Each class says what its matrix is, and how to multiply and solve where its form makes that cheaper.
"""

from __future__ import annotations

from typing import Any

from ...errors import ShapeError
from ...graph.declare.signature import DTypeLike, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dimension
from ...graph.shapes.dtypes import DType, float32
from ...graph.shapes.shape import TensorShape
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..create.shape_size_rank import shape as shape_of
from ..elementwise.arithmetic import abs as absolute
from ..elementwise.arithmetic import add, divide, multiply
from ..elementwise.transcendental import log
from ..move.reshaping import expand_dims, squeeze
from ..reduce.reductions import reduce_prod, reduce_sum
from .diagonals import eye
from .matmul import matmul
from .matrix_bands import matrix_band_part
from .matrix_functions import adjoint as adjoint_of
from .matrix_parts import matrix_diag, matrix_diag_part, matrix_set_diag
from .solvers import matrix_determinant, matrix_solve, matrix_triangular_solve

PUBLIC_NAMES = {
    "linalg": (
        "LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorIdentity LinearOperatorLowerTriangular "
        "LinearOperatorScaledIdentity"
    ),
}


class LinearOperatorFullMatrix:
    """A matrix, or a batch of matrices, as an operator.

    Args:
        matrix: a tensor of floats or complex numbers, (..., rows, columns).
        is_non_singular: what the program knows of it; kept as an attribute, and not needed here.
        is_self_adjoint: the same.
        is_positive_definite: the same.
        is_square: the same.
        name: the name of the operator.

    Raises:
        ValueError: there are no rows and columns.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [1.0, 1.0]])
    ...     print(session.run(operator.solvevec([2.0, 3.0])), session.run(operator.determinant()))
    [1. 2.] 2.0

    Source: TensorFlow 1.x, `tf.linalg.LinearOperatorFullMatrix`.
    """

    _rank = 2

    def __init__(
        self, matrix: TensorLike, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        self._part = convert_to_tensor(matrix)
        rank = self._part.shape.ndims
        self.name = name or type(self).__name__
        if rank is not None and rank < self._rank:
            raise ShapeError(f"{self.name}: expected at least {self._rank} dimensions, and the tensor has shape "
                             f"{self._part.shape}")  # fmt: skip
        self.is_non_singular, self.is_self_adjoint = is_non_singular, is_self_adjoint
        self.is_positive_definite, self.is_square = is_positive_definite, is_square

    @property
    def dtype(self) -> DType:
        """The dtype of its entries."""
        return self._part.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the matrix, with the sizes of the batch first."""
        return self._part.shape

    @property
    def batch_shape(self) -> TensorShape:
        """The sizes of the batch."""
        return self.shape[:-2]

    @property
    def range_dimension(self) -> Dimension:
        """The number of rows."""
        size: Dimension = self.shape[-2]
        return size

    @property
    def domain_dimension(self) -> Dimension:
        """The number of columns."""
        size: Dimension = self.shape[-1]
        return size

    def shape_tensor(self) -> Tensor:
        """The shape as a tensor."""
        return shape_of(self.to_dense())

    def to_dense(self) -> Tensor:
        """The matrix as a tensor."""
        return self._part

    def matmul(self, x: TensorLike, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        """The product with matrices.

        Args:
            x: (..., columns, n).
            adjoint: whether the operator is transposed and conjugated first.
            adjoint_arg: whether `x` is.
        """
        return matmul(self.to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def matvec(self, x: TensorLike, adjoint: bool = False) -> Tensor:
        """The product with vectors.

        Args:
            x: (..., columns).
            adjoint: whether the operator is transposed and conjugated first.
        """
        return squeeze(self.matmul(expand_dims(x, -1), adjoint), [-1])

    def solve(self, rhs: TensorLike, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        """What multiplied with the operator gives `rhs`.

        Args:
            rhs: (..., rows, n).
            adjoint: whether the operator is transposed and conjugated first.
            adjoint_arg: whether `rhs` is.

        Raises:
            InvalidArgumentError (when run): the matrix is not invertible.
        """
        right = adjoint_of(rhs) if adjoint_arg else convert_to_tensor(rhs)
        if None not in (right.shape.ndims, self.shape.ndims) and right.shape.ndims != self.shape.ndims:
            right = add(right, zeros_like(self.to_dense()[..., :1]))  # one right-hand side for all of the batch
        return self._solved(right, adjoint)

    def _solved(self, rhs: Tensor, adjoint: bool) -> Tensor:
        return matrix_solve(self.to_dense(), rhs, adjoint=adjoint)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False) -> Tensor:
        """`solve` for vectors.

        Args:
            rhs: (..., rows).
            adjoint: whether the operator is transposed and conjugated first.
        """
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint), [-1])

    def diag_part(self) -> Tensor:
        """The diagonal, (..., size)."""
        return matrix_diag_part(self.to_dense())

    def trace(self) -> Tensor:
        """The sum of the diagonal."""
        return reduce_sum(self.diag_part(), -1)

    def determinant(self) -> Tensor:
        """The determinant."""
        return matrix_determinant(self.to_dense())

    def log_abs_determinant(self) -> Tensor:
        """The logarithm of the determinant's absolute value."""
        return log(absolute(self.determinant()))

    def add_to_tensor(self, x: TensorLike) -> Tensor:
        """The sum of the matrix and `x`.

        Args:
            x: (..., rows, columns).
        """
        return add(self.to_dense(), x)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.shape} {self.dtype}>"


class LinearOperatorLowerTriangular(LinearOperatorFullMatrix):
    """A lower triangle; entries above the diagonal count as 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.linalg.LinearOperatorLowerTriangular(tf.ones([2, 2])).to_dense()))
    [[1. 0.]
     [1. 1.]]

    Source: TensorFlow 1.x, `tf.linalg.LinearOperatorLowerTriangular`.
    """

    def to_dense(self) -> Tensor:
        """The matrix as a tensor."""
        return matrix_band_part(self._part, -1, 0)

    def _solved(self, rhs: Tensor, adjoint: bool) -> Tensor:
        return matrix_triangular_solve(self._part, rhs, lower=True, adjoint=adjoint)

    def determinant(self) -> Tensor:
        """The determinant."""
        return reduce_prod(matrix_diag_part(self._part), -1)

    def log_abs_determinant(self) -> Tensor:
        """The logarithm of the determinant's absolute value."""
        return reduce_sum(log(absolute(matrix_diag_part(self._part))), -1)


class LinearOperatorDiag(LinearOperatorLowerTriangular):
    """A matrix with a diagonal, and zeros beside it.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.linalg.LinearOperatorDiag([2.0, 4.0]).matvec([1.0, 1.0])))
    [2. 4.]

    Source: TensorFlow 1.x, `tf.linalg.LinearOperatorDiag`.
    """

    _rank = 1

    @property
    def shape(self) -> TensorShape:
        """The shape of the matrix, with the sizes of the batch first."""
        return self._part.shape.concatenate(self._part.shape[-1:])

    @property
    def diag(self) -> Tensor:
        """The diagonal, as it was given."""
        return self._part

    def to_dense(self) -> Tensor:
        """The matrix as a tensor."""
        return matrix_diag(self._part)

    def diag_part(self) -> Tensor:
        """The diagonal, (..., size)."""
        return self._part

    def matmul(self, x: TensorLike, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        """The product with matrices, row by row.

        Args:
            x: (..., size, n).
            adjoint: whether the operator is conjugated first.
            adjoint_arg: whether `x` is transposed and conjugated first.
        """
        return multiply(self._column(adjoint), adjoint_of(x) if adjoint_arg else x)

    def _solved(self, rhs: Tensor, adjoint: bool) -> Tensor:
        return divide(rhs, self._column(adjoint))

    def _column(self, adjoint: bool) -> Tensor:
        column = expand_dims(self._part, -1)
        return adjoint_of(expand_dims(self._part, -2)) if adjoint and self.dtype.is_complex else column

    def determinant(self) -> Tensor:
        """The determinant."""
        return reduce_prod(self._part, -1)

    def log_abs_determinant(self) -> Tensor:
        """The logarithm of the determinant's absolute value."""
        return reduce_sum(log(absolute(self._part)), -1)

    def add_to_tensor(self, x: TensorLike) -> Tensor:
        """The sum of the matrix and `x`.

        Args:
            x: (..., size, size).
        """
        whole = convert_to_tensor(x)
        return matrix_set_diag(whole, add(matrix_diag_part(whole), self._part))


class LinearOperatorIdentity(LinearOperatorDiag):
    """The identity.

    Args:
        num_rows: its size, an int.
        batch_shape: the sizes of the batch.
        dtype: of its entries.
        name: the name of the operator.

    Source: TensorFlow 1.x, `tf.linalg.LinearOperatorIdentity`.
    """

    def __init__(
        self, num_rows: Any, batch_shape: Any = None, dtype: DTypeLike = float32, name: str | None = None, **hints: Any
    ) -> None:
        super().__init__(matrix_diag_part(eye(num_rows, batch_shape=batch_shape, dtype=dtype)), name=name, **hints)


class LinearOperatorScaledIdentity(LinearOperatorDiag):
    """The identity times a number, or times one for each matrix of a batch.

    Args:
        num_rows: its size, an int.
        multiplier: a tensor of the batch's shape.
        name: the name of the operator.

    Source: TensorFlow 1.x, `tf.linalg.LinearOperatorScaledIdentity`.
    """

    def __init__(self, num_rows: Any, multiplier: TensorLike, name: str | None = None, **hints: Any) -> None:
        self.multiplier = convert_to_tensor(multiplier)
        ones = matrix_diag_part(eye(num_rows, dtype=self.multiplier.dtype))
        super().__init__(multiply(expand_dims(self.multiplier, -1), ones), name=name, **hints)
