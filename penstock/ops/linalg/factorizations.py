"""Factors of the matrices along the last two axes, by LAPACK: cholesky, self_adjoint_eig, svd; their gradients.

The gradients treat the operand as TensorFlow does: cholesky and self_adjoint_eig read the lower triangle only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...errors import InvalidArgumentError, ValueRuleError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import Flag, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import complex64, complex128, float32, float64
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.composite import reported_as_call
from ..declare.shape_checks import listed
from ..index.row_indexing import dims_at_least
from .lapack import Matrices, by_lapack, check_square, square_dims
from .matrix_adjoint import adjoint, smaller
from .matrix_bands import matrix_band_part
from .matrix_parts import matrix_diag, matrix_diag_part, matrix_set_diag
from .solvers import matrix_triangular_solve

PUBLIC_NAMES = {
    "tf linalg": "cholesky svd",
    "tf": "batch_cholesky=cholesky self_adjoint_eig self_adjoint_eigvals",
    "linalg": "eigh=self_adjoint_eig eigvalsh=self_adjoint_eigvals",
}

# ---- cholesky -----------------------------------------------------------------------------------


@op("Cholesky", graphdef="T=input", host_only=True,
    fails="whether the matrices are positive definite is not known before the run",
    gradient_note="TensorFlow's gradient is that of symmetric operands, both triangles in equal parts")  # fmt: skip
def cholesky(input: Matrices, name: str | None = None) -> Tensor:
    """The lower triangular L with input = L @ adjoint(L), of each positive definite matrix.

    Only the lower triangle of a matrix is read.

    Args:
        input: float32, float64 or complex square matrices, of rank 2 or higher.

    Returns:
        A tensor with the shape and dtype of `input`. It is zero above the diagonal.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same, or a matrix is not positive definite.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.cholesky([[4.0, 2.0], [2.0, 5.0]])).tolist())
    [[2.0, 0.0], [1.0, 2.0]]

    Source: TensorFlow 1.x, `tf.cholesky`.
    """


@cholesky.shape
def cholesky_shape(input: Tensor) -> TensorShape:
    dims = square_dims(input, 0)
    return input.shape if dims is None else shape_of(dims)


@cholesky.kernel
def cholesky_kernel(xp: Any, input: Any) -> Any:
    check_square(input)
    lower = xp.tril(input)
    words = "Cholesky decomposition was not successful. The input might not be valid."
    found = by_lapack(xp, "cholesky", words, lower)
    if not xp.isfinite(found).all():
        raise InvalidArgumentError(message=words)
    return found




@cholesky.gradient("the symmetric part of inverse(out)^H @ lower(out^H @ g, half its diagonal) @ inverse(out)")
def cholesky_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    factor = op.outputs[0]

    def back() -> Tensor:
        middle = ops.matmul(factor, g, adjoint_a=True)
        middle = matrix_set_diag(middle, 0.5 * matrix_diag_part(middle))
        middle = matrix_band_part(middle, -1, 0)
        right = matrix_triangular_solve(factor, adjoint(ops, middle), adjoint=True)
        whole = matrix_triangular_solve(factor, adjoint(ops, right), adjoint=True)
        return 0.5 * (whole + adjoint(ops, whole))

    return [back]


@cholesky.samples
def cholesky_samples(rng: np.random.Generator) -> Samples:
    root = rng.random((2, 3, 3))
    matrices = root @ root.transpose(0, 2, 1) + np.eye(3)
    yield sample(matrices)
    yield sample(matrices[0].astype("f4"))
    yield sample((matrices[0] + 1j * (np.tri(3) - np.tri(3).T)).astype("c8"))
    yield sample(np.zeros((0, 2, 2)))


# ---- self_adjoint_eig ---------------------------------------------------------------------------


class Eigen(NamedTuple):
    """The results of `self_adjoint_eig`."""

    e: Tensor
    v: Tensor


@reported_as_call("self_adjoint_eig", one_op=True)
def self_adjoint_eig(tensor: TensorLike, name: str | None = None) -> Eigen:
    """The eigenvalues and eigenvectors of self-adjoint matrices: tensor @ v[..., :, i] = e[..., i] * v[..., :, i].

    Only the lower triangle of a matrix is read. The sign of an eigenvector may be either.

    Args:
        tensor: float32, float64 or complex square matrices, of rank 2 or higher; [..., n, n] below.

    Returns:
        Two tensors (e, v) with the dtype of `tensor`: the eigenvalues in ascending order [..., n], and the vectors as
        columns [..., n, n].

    Raises:
        TypeError: `tensor` has another dtype.
        ValueError: `tensor` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same, or the computation does not converge.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.self_adjoint_eig([[2.0, 1.0], [1.0, 2.0]])[0]).round(4))
    [1. 3.]

    Source: TensorFlow 1.x, `tf.self_adjoint_eig`.
    """
    return Eigen(*self_adjoint_eig_op(tensor, True, name))


@reported_as_call("self_adjoint_eigvals", one_op=True)
@documented_like(self_adjoint_eig)
def self_adjoint_eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of self-adjoint matrices, in ascending order.

    Returns:
        A tensor of shape [..., n] with the dtype of `tensor`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.self_adjoint_eigvals([[2.0, 1.0], [1.0, 2.0]])).round(4))
    [1. 3.]
    """
    return self_adjoint_eig_op(tensor, False, name)[0]


@op("SelfAdjointEigV2", graphdef="T=input compute_v ->e,v", out=("T", "T"), host_only=True,
    fails="whether it converges is not known before the run",
    gradient_note="of complex operands eigenvectors have any phase, and TensorFlow's gradient fixes none")  # fmt: skip
def self_adjoint_eig_op(input: Matrices, compute_v: Flag = True, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The op behind `self_adjoint_eig`; without `compute_v` the vectors are empty."""


@self_adjoint_eig_op.shape
def self_adjoint_eig_op_shape(input: Tensor, compute_v: bool) -> list[TensorShape]:
    dims = square_dims(input, 0)
    vectors = input.shape if compute_v else shape_of((0,))
    if dims is None:
        return [unknown_rank("the rank of the operand is not known", input), vectors]
    return [shape_of(dims[:-1]), vectors]


@self_adjoint_eig_op.kernel
def self_adjoint_eig_op_kernel(xp: Any, input: Any, compute_v: bool) -> Any:
    check_square(input)
    words = "Self-adjoint eigen decomposition was not successful. The input might not be valid."
    if not compute_v:
        values = by_lapack(xp, "eigvalsh", words, input)
        return values.astype(input.dtype), xp.zeros((0,), input.dtype)
    values, vectors = by_lapack(xp, "eigh", words, input)
    return values.astype(input.dtype), vectors




@self_adjoint_eig_op.gradient("v @ (diag(g_e) + f * (v^H @ g_v)) @ v^H, folded to the lower triangle")
def self_adjoint_eig_op_gradient(ops: Any, op: Operation, g_e: Tensor | None, g_v: Tensor | None) -> list[Any]:
    def back() -> Tensor:
        values, vectors = op.outputs if op.args[1] else self_adjoint_eig_op(op.inputs[0], True)
        inner = 0.0 if g_e is None else matrix_diag(g_e)
        if g_v is not None and op.args[1]:
            gaps = ops.expand_dims(values, -2) - ops.expand_dims(values, -1)
            f = ops.div_no_nan(ops.ones_like(gaps), gaps)
            inner = inner + f * ops.matmul(vectors, g_v, adjoint_a=True)
        whole = ops.matmul(vectors, ops.matmul(inner, vectors, adjoint_b=True))
        folded = matrix_band_part(whole + adjoint(ops, whole), -1, 0)
        return matrix_set_diag(folded, 0.5 * matrix_diag_part(folded))

    return [back]


@self_adjoint_eig_op.samples
def self_adjoint_eig_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3, 3)))
    yield sample(rng.random((3, 3)).astype("f4"), False)
    yield sample(np.array([[2, 1], [1, 3]], "c8"))
    yield sample(np.zeros((0, 2, 2)))


# ---- svd ----------------------------------------------------------------------------------------


class Svd(NamedTuple):
    """The results of `svd`."""

    s: Tensor
    u: Tensor
    v: Tensor


@reported_as_call("svd", one_op=True)
def svd(
    tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Svd | Tensor:
    """The singular values and vectors of matrices: tensor = u @ diag(s) @ adjoint(v).

    Unlike in NumPy, `s` comes first and `v` is not transposed. The signs of a pair of vectors may be either.

    Args:
        tensor: float32, float64 or complex matrices, of rank 2 or higher; [..., m, n] below.
        full_matrices: True gives all columns of u and v; False, the default, only min(m, n).
        compute_uv: False leaves out u and v.

    Returns:
        Three tensors (s, u, v): the singular values in descending order, real, of shape [..., min(m, n)], and with the
        dtype of `tensor` the vectors as columns, [..., m, min(m, n)] and [..., n, min(m, n)], or [..., m, m] and
        [..., n, n] with `full_matrices`. Only s without `compute_uv`.

    Raises:
        TypeError: `tensor` has another dtype, or an option is not a bool.
        ValueError: `tensor` has a rank below 2.
        InvalidArgumentError (when run): the same, or the computation does not converge.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s, u, v = tf.svd([[3.0, 0.0], [0.0, -4.0]])
    ...     print(session.run(s), session.run(tf.matmul(u * s, v, transpose_b=True)).round(4).tolist())
    [4. 3.] [[3.0, 0.0], [0.0, -4.0]]

    Source: TensorFlow 1.x, `tf.svd`.
    """
    s, u, v = svd_op(tensor, compute_uv, full_matrices, name)
    return Svd(s, u, v) if compute_uv else s


def _real_too(input: Tensor, *flags: bool) -> tuple[Any, ...]:
    return {complex64: float32, complex128: float64}.get(input.dtype, input.dtype), input.dtype, input.dtype


@op("Svd", graphdef="T=input compute_uv full_matrices ->s,u,v", out=_real_too, host_only=True,
    fails="whether it converges is not known before the run")  # fmt: skip
def svd_op(
    input: Matrices, compute_uv: Flag = True, full_matrices: Flag = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The op behind `svd`; without `compute_uv` the vectors are empty."""


@svd_op.shape
def svd_op_shape(input: Tensor, compute_uv: bool, full_matrices: bool) -> list[TensorShape]:
    dims = dims_at_least(input, 2, 0)
    if dims is None:
        none = unknown_rank("the rank of the operand is not known", input)
        return [none, *([none] * 2 if compute_uv else [shape_of((0,))] * 2)]
    *batch, rows, columns = dims
    least = smaller(rows, columns, input)
    if not compute_uv:
        return [shape_of((*batch, least)), shape_of((0,)), shape_of((0,))]
    left, right = (rows, columns) if full_matrices else (least, least)
    return [shape_of((*batch, least)), shape_of((*batch, rows, left)), shape_of((*batch, columns, right))]


@svd_op.kernel
def svd_op_kernel(xp: Any, input: Any, compute_uv: bool, full_matrices: bool) -> Any:
    if input.ndim < 2:
        raise InvalidArgumentError(message=f"Input must have rank >= 2, got shape {listed(input.shape)}")
    words = "SVD was not successful. The input might not be valid."
    empty = xp.zeros((0,), input.dtype)
    if not compute_uv:
        return by_lapack(xp, "svd", words, input, False, compute_uv=False), empty, empty
    u, s, v = by_lapack(xp, "svd", words, input, full_matrices)
    return s, u, xp.conj(xp.swapaxes(v, -1, -2))




@svd_op.gradient("of s: u @ diag(g_s) @ v^H; with those of u and v, the formula for distinct singular values")
def svd_op_gradient(ops: Any, op: Operation, g_s: Tensor | None, g_u: Tensor | None, g_v: Tensor | None) -> list[Any]:
    input, (_, compute_uv, full_matrices) = op.inputs[0], op.args

    def back() -> Tensor:
        s, u, v = op.outputs if compute_uv and not full_matrices else svd_op(input, True, False)
        vectors = compute_uv and (g_u is not None or g_v is not None)
        if vectors and (full_matrices or input.dtype.is_complex):
            raise ValueRuleError("svd has a gradient for its vectors only of real matrices and without full_matrices")
        inner = 0.0 if g_s is None else matrix_diag(ops.cast(g_s, input.dtype))
        if not vectors:
            return ops.matmul(u, ops.matmul(inner, v, adjoint_b=True))
        return _gradient_by_vectors(ops, (s, u, v), inner, g_u, g_v)

    return [back]


def _gradient_by_vectors(ops: Any, parts: Any, inner: Any, g_u: Tensor | None, g_v: Tensor | None) -> Tensor:
    """The gradient where the vectors have one: those of a pair of singular values turn by 1 / (s[j]**2 - s[i]**2)."""
    s, u, v = parts
    squares = ops.square(s)
    gaps = ops.expand_dims(squares, -2) - ops.expand_dims(squares, -1)
    f = ops.div_no_nan(ops.ones_like(gaps), gaps)
    row, column = ops.expand_dims(s, -2), ops.expand_dims(s, -1)
    beside: list[Tensor] = []
    if g_u is not None:
        turn = ops.matmul(u, g_u, transpose_a=True)
        inner = inner + f * (turn - adjoint(ops, turn)) * row
        outside = ops.div_no_nan(g_u - ops.matmul(u, turn), row)
        beside.append(ops.matmul(outside, v, transpose_b=True))
    if g_v is not None:
        turn = ops.matmul(v, g_v, transpose_a=True)
        inner = inner + column * f * (turn - adjoint(ops, turn))
        outside = ops.div_no_nan(g_v - ops.matmul(v, turn), row)
        beside.append(ops.matmul(u, outside, transpose_b=True))
    whole: Tensor = ops.matmul(u, ops.matmul(inner, v, transpose_b=True))
    for each in beside:
        whole = whole + each
    return whole


@svd_op.samples
def svd_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 4, 3)))
    yield sample(rng.random((3, 4)).astype("f4"), True, False)
    yield sample((rng.random((2, 2)) + 1j * rng.random((2, 2))).astype("c8"), False)
    yield sample(np.zeros((0, 2, 2), "f4"))
