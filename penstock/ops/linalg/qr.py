"""qr: the QR decomposition of matrices."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ...errors import InvalidArgumentError, ValueRuleError
from ...graph.common.hooks import hooks
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Flag, Operand, TensorLike, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import complex64, complex128, float32, float64
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.composite import reported_as_call
from ..declare.shape_checks import listed
from ..index.row_indexing import dims_at_least
from .matrix_adjoint import adjoint, smaller

PUBLIC_NAMES = {"start linalg": "qr"}

_Matrices = Annotated[TensorLike, Operand("T", bits_of(float32, float64, complex64, complex128))]


class Qr(NamedTuple):
    """The results of `qr`."""

    q: Tensor
    r: Tensor


@reported_as_call("Qr", one_op=True)
def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """The QR decomposition of each matrix along the last two axes: input = q @ r.

    The columns of q are orthonormal, and r is zero below its diagonal. Its diagonal may have either sign.

    Args:
        input: float32, float64 or complex matrices, of rank 2 or higher; [..., m, n] below.
        full_matrices: True gives all m columns of q; False, the default, only min(m, n).

    Returns:
        Two tensors (q, r) with the dtype of `input`: [..., m, min(m, n)] and [..., min(m, n), n], or [..., m, m] and
        [..., m, n] with `full_matrices`.

    Raises:
        TypeError: `input` has another dtype, or `full_matrices` is not a bool.
        ValueError: `input` has a rank below 2.
        InvalidArgumentError (when run): the same of what only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     q, r = tf.qr([[3.0, 1.0], [4.0, 2.0]])
    ...     print(session.run(tf.matmul(q, r)).round(4).tolist(), abs(session.run(r)).round(4)[1])
    [[3.0, 1.0], [4.0, 2.0]] [0.  0.4]

    Source: TensorFlow 1.x, `tf.qr`.
    """
    return Qr(*qr_op(input, full_matrices, name))


@op("Qr", graphdef="T=input full_matrices ->q,r", out=("T", "T"), host_only=True)
def qr_op(input: _Matrices, full_matrices: Flag = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The op behind `qr`."""


@qr_op.shape
def qr_op_shape(input: Tensor, full_matrices: bool) -> list[TensorShape]:
    dims = dims_at_least(input, 2, 0)
    if dims is None:
        return [unknown_rank("the rank of the operand is not known", input)] * 2
    *batch, rows, columns = dims
    inner = rows if full_matrices else smaller(rows, columns, input)
    return [shape_of((*batch, rows, inner)), shape_of((*batch, inner, columns))]


@qr_op.kernel
def qr_op_kernel(xp: Any, input: Any, full_matrices: bool) -> Any:
    if input.ndim < 2:
        raise InvalidArgumentError(message=f"Input must have rank >= 2, got shape {listed(input.shape)}")
    mode = "complete" if full_matrices else "reduced"
    q, r = hooks.with_one_thread(xp.linalg.qr, input, mode) if xp is np else xp.linalg.qr(input, mode)
    return q, r


@qr_op.fails
def qr_op_fails(input: Tensor, full_matrices: bool) -> str | None:
    return None if input.shape.ndims is not None else "whether it has two axes is not known before the run"


@qr_op.samples
def qr_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 4, 3)))
    yield sample(rng.random((3, 4)).astype("f4"), True)
    yield sample((rng.random((2, 2)) + 1j * rng.random((2, 2))).astype("c8"))
    yield sample(np.zeros((0, 2), "f4"))


@qr_op.gradient("as of a triangular factor: q @ (g_r + solved tril(...)) + solved (g_q - q @ q^H @ g_q)")
def qr_op_gradient(ops: Any, op: Operation, g_q: Tensor | None, g_r: Tensor | None) -> list[Any]:
    return [lambda: _gradient(ops, op, g_q, g_r)]


def _gradient(ops: Any, op: Operation, g_q: Tensor | None, g_r: Tensor | None) -> Tensor:
    (q, r), (input, full_matrices) = op.outputs, (op.inputs[0], op.args[1])
    rows, columns = (input.shape.raw or (None, None))[-2:]
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise ValueRuleError("qr has a gradient only of matrices whose sizes are known while building")
    if full_matrices and rows > columns:
        raise ValueRuleError("qr has no gradient of more rows than columns with full_matrices")
    g_q = ops.zeros_like(q) if g_q is None else g_q
    g_r = ops.zeros_like(r) if g_r is None else g_r
    if rows >= columns:
        return _gradient_of_tall(ops, q, r, g_q, g_r)
    # The factors of [x, y], x square, are q and [u, v] with x = q @ u and v = q^H @ y.
    first, second = ops.split_sizes(g_r, [rows, columns - rows], -1, 2)
    square, _ = ops.split_sizes(r, [rows, columns - rows], -1, 2)
    _, y = ops.split_sizes(input, [rows, columns - rows], -1, 2)
    of_x = _gradient_of_tall(ops, q, square, g_q + ops.matmul(y, second, adjoint_b=True), first)
    axis = (input.shape.ndims or 2) - 1
    whole: Tensor = ops.concat(axis, [of_x, ops.matmul(q, second)])
    return whole


def _gradient_of_tall(ops: Any, q: Tensor, r: Tensor, g_q: Tensor, g_r: Tensor) -> Tensor:
    def solved(x: Tensor) -> Tensor:
        return adjoint(ops, ops.matrix_triangular_solve(r, adjoint(ops, x), False, False))

    turn_q = ops.matmul(q, g_q, adjoint_a=True)
    turn_r = ops.matmul(r, g_r, adjoint_b=True)
    lower = ops.matrix_band_part(turn_q - adjoint(ops, turn_q) + turn_r - adjoint(ops, turn_r), -1, 0)
    whole: Tensor = ops.matmul(q, g_r + solved(lower)) + solved(g_q - ops.matmul(q, turn_q))
    if q.dtype.is_complex:
        m = turn_r - adjoint(ops, turn_q)
        diagonal = ops.imag(ops.matrix_diag_part(m))
        correction = ops.matrix_diag(ops.complex(ops.zeros_like(diagonal), diagonal))
        whole = whole + solved(ops.matmul(q, adjoint(ops, correction)))
    return whole
