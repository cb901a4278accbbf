"""Functions of matrices that are made of other ops: matrix_transpose, trace, norm, tensordot, batch_matmul ..."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...errors import ShapeError, ValueRuleError
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.range_linspace import range as range_op
from ..create.shape_size_rank import rank as rank_op
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite, name_of_scope
from ..declare.plain_values import flag, ints, number
from ..declare.reduction_decl import either
from ..elementwise.arithmetic import abs as abs_op
from ..elementwise.arithmetic import maximum, multiply, pow, sqrt
from ..elementwise.casting import cast
from ..elementwise.complex_parts import conj, real
from ..elementwise.no_nan import div_no_nan
from ..elementwise.transcendental import log
from ..index.gathering import gather
from ..index.row_indexing import dims_at_least
from ..index.vector_sets import setdiff1d
from ..move.concat_stack import concat
from ..move.reshaping import expand_dims, reshape, squeeze
from ..move.transpose_reverse import transpose
from ..reduce.reductions import reduce_max, reduce_prod, reduce_sum
from .diagonals import eye
from .factorizations import cholesky, svd
from .matmul import matmul
from .matrix_parts import matrix_diag_part
from .solvers import matrix_triangular_solve

PUBLIC_NAMES = {
    "tf": "batch_matmul matrix_solve_ls",
    "tf linalg": "cholesky_solve matrix_transpose norm tensordot trace",
    "linalg": "adjoint logdet lstsq=matrix_solve_ls matvec transpose=matrix_transpose",
}


@composite("matrix_transpose")
def matrix_transpose(a: TensorLike, name: str | None = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """`a` with its last two dimensions exchanged: out[..., i, j] = a[..., j, i].

    Args:
        a: any dtype, rank 2 or higher.
        conjugate: True conjugates complex numbers too.

    Returns:
        A tensor with the dtype of `a` and its shape, the last two sizes exchanged.

    Raises:
        TypeError: `conjugate` is not a bool.
        ValueError: `a` has a rank below 2.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_transpose([[[1, 2], [3, 4]]])).tolist())
    [[[1, 3], [2, 4]]]

    Source: TensorFlow 1.x, `tf.matrix_transpose`.
    """
    given = convert_to_tensor(a)
    dims = given.shape.ndims
    if dims is not None and dims < 2:
        raise ShapeError(f"Argument 'a' should be a (batch) matrix, with rank >= 2, but has rank {dims}")
    if flag("conjugate", conjugate) and given.dtype.is_complex:
        given = conj(given)
    if dims is not None:
        return transpose(given, [*range(dims - 2), dims - 1, dims - 2], name_of_scope())
    count = rank_op(given)
    return transpose(given, concat(0, [range_op(count - 2), [count - 1], [count - 2]]), name_of_scope())


@composite("adjoint")
def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """`matrix` with its last two dimensions exchanged, and conjugated.

    Args:
        matrix: any dtype, rank 2 or higher.

    Returns:
        A tensor with the dtype of `matrix` and its shape, the last two sizes exchanged.

    Raises:
        ValueError: `matrix` has a rank below 2.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.linalg.adjoint([[1.0, 2.0]])).tolist())
    [[1.0], [2.0]]

    Source: TensorFlow 1.x, `tf.linalg.adjoint`.
    """
    return matrix_transpose(matrix, name_of_scope(), conjugate=True)


@composite("Trace")
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sums of the main diagonals of matrices.

    Args:
        x: numbers, rank 2 or higher.

    Returns:
        A tensor of shape x.shape[:-2] with the dtype of `x`.

    Raises:
        TypeError: `x` has another dtype.
        ValueError: `x` has a rank below 2.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.trace([[1, 2], [3, 4]])))
    5

    Source: TensorFlow 1.x, `tf.trace`.
    """
    return reduce_sum(matrix_diag_part(x), [-1], name=name_of_scope())


_ORDERS = "'euclidean', 'fro', 1, 2, inf, or another positive number"


@composite("norm")
def norm(
    tensor: TensorLike,
    ord: str | float = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The norm of vectors, of matrices, or of all elements.

    Args:
        tensor: floats or complex numbers.
        ord: 'euclidean' (the default), 1, 2, infinity or another positive number p for (sum |x|**p)**(1/p); of
            matrices 'fro' or 'euclidean', 1, 2 or infinity.
        axis: None takes all elements as one vector; an int the vectors along it; a pair of ints the matrices along
            both.
        keepdims: whether the axes stay, with size 1.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor with the real dtype of `tensor` and its shape without the axes.

    Raises:
        TypeError: `tensor` or `axis` has another dtype.
        ValueError: `ord` is not one of those above, or an axis is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([[3.0, 4.0], [0.0, -12.0]])
    ...     print(session.run(tf.norm(x)), session.run(tf.norm(x, axis=1)), session.run(tf.norm(x, 1, axis=[0, 1])))
    13.0 [ 5. 12.] 16.0

    Source: TensorFlow 1.x, `tf.norm`.
    """
    keep = either("keepdims", keepdims, "keep_dims", keep_dims)
    keep = False if keep is None else flag("keepdims", keep)
    axes = None if axis is None else ints("axis", axis)
    if not isinstance(ord, str):
        ord = number("ord", ord)
    if axes is not None and len(axes) not in (1, 2):
        raise ValueRuleError("'axis' must be None, an integer, or a tuple of 2 unique integers")
    of_matrices = axes is not None and len(axes) == 2
    if isinstance(ord, str) and ord not in ("euclidean", "fro"):
        raise ValueRuleError(f"'ord' must be {_ORDERS}, not {ord!r}")
    if ord == "fro" and not of_matrices:
        raise ValueRuleError("'ord' must be a supported vector norm, got 'fro', a norm of matrices; give two axes")
    if not isinstance(ord, str) and (ord <= 0 or (of_matrices and ord not in (1, 2, float("inf")))):
        raise ValueRuleError(f"'ord' must be a supported {'matrix' if of_matrices else 'vector'} norm, got {ord}")
    given = convert_to_tensor(tensor)
    if ord in ("euclidean", "fro") or (ord == 2 and not of_matrices):
        return sqrt(reduce_sum(real(given * conj(given)) if given.dtype.is_complex else given * given, axes, keep),
                    name_of_scope())  # fmt: skip
    if of_matrices and axes is not None:
        return _norm_of_matrices(given, ord, axes, keep)
    size = abs_op(given)
    if ord == float("inf"):
        return reduce_max(size, axes, keep, name_of_scope())
    if ord == 1:
        return reduce_sum(size, axes, keep, name_of_scope())
    return pow(reduce_sum(pow(size, float(ord)), axes, keep), 1.0 / float(ord), name_of_scope())


def _norm_of_matrices(matrices: Tensor, ord: Any, axes: Sequence[int], keep: bool) -> Tensor:
    if ord == 2:
        dims = matrices.shape.ndims
        if dims is None:
            raise ShapeError("the rank of the tensor must be known for the norm of order 2 of matrices")
        rows, columns = (a % dims for a in axes)
        order = [*(d for d in range(dims) if d not in (rows, columns)), rows, columns]
        values = svd(transpose(matrices, order), compute_uv=False)
        assert isinstance(values, Tensor)
        largest = reduce_max(values, [-1], True)
        if not keep:
            return squeeze(largest, [-1], name_of_scope())
        whole = expand_dims(largest, -1)
        back = sorted(range(dims), key=order.__getitem__)
        return transpose(whole, back, name_of_scope())
    summed, highest = (axes[0], axes[1]) if ord == 1 else (axes[1], axes[0])
    sums = reduce_sum(abs_op(matrices), [summed], True)
    largest = reduce_max(sums, [highest], True)
    return largest if keep else squeeze(largest, list(axes), name_of_scope())


@composite("Tensordot")
def tensordot(a: TensorLike, b: TensorLike, axes: Any, name: str | None = None) -> Tensor:
    """The sums of products of `a` and `b` along several axes: a product of matrices whose rows are parts of tensors.

    Args:
        a: numbers, rank 1 or higher.
        b: the dtype of `a`.
        axes: a number n, for the last n axes of `a` and the first n of `b`; or two lists of as many axes each, those
            of `a` and those of `b`, in order.

    Returns:
        A tensor with the dtype of `a`; its shape are the sizes of `a` and then of `b` that are not summed.

    Raises:
        TypeError: the dtypes differ, or an axis is not int.
        ValueError: the axes are not as above, or are out of range.
        InvalidArgumentError (when run): sizes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a, b = tf.reshape(tf.range(6), [2, 3]), tf.reshape(tf.range(6), [3, 2])
    ...     print(session.run(tf.tensordot(a, b, 1)).tolist(), session.run(tf.tensordot(a, b, [[0, 1], [1, 0]])))
    [[10, 13], [28, 40]] 50

    Source: TensorFlow 1.x, `tf.tensordot`.
    """
    left, right = convert_to_tensor(a), convert_to_tensor(b)
    if not isinstance(axes, (list, tuple, np.ndarray)) or (isinstance(axes, np.ndarray) and axes.ndim == 0):
        (axes,) = ints("axes", axes)
        if axes < 0 or (left.shape.ndims is not None and axes > left.shape.ndims):
            raise ValueRuleError(f"`axes` must be an integer >= 0 and at most the rank of `a`, not {axes}")
        of_a, of_b = [*range(-axes, 0)], [*range(axes)]
    else:
        if len(axes) != 2:
            raise ValueRuleError("`axes` must be an integer or have length 2: the axes of `a` and those of `b`")
        of_a, of_b = ([*ints("axes", each)] for each in axes)
        if len(of_a) != len(of_b):
            raise ValueRuleError(f"Different number of contraction axes `a` and `b`, {len(of_a)} != {len(of_b)}")
    first, kept_a = _flattened(left, of_a, "a", last=True)
    second, kept_b = _flattened(right, of_b, "b", last=False)
    product, sizes = matmul(first, second), [*kept_a, *kept_b]
    if all(isinstance(each, int) for each in sizes):
        return reshape(product, sizes, name_of_scope())
    return reshape(product, concat(0, [reshape(convert_to_tensor(each, "int32"), [-1]) for each in sizes]),
                   name_of_scope())  # fmt: skip


def _flattened(tensor: Tensor, axes: list[int], label: str, last: bool) -> tuple[Tensor, list[int | Tensor]]:
    """A matrix with the `axes` as one dimension, the last or the first one, and the sizes of the others.

    Where the rank is not known these sizes are one vector.
    """
    rank = tensor.shape.ndims
    if rank is None:
        return _flattened_in_run(tensor, axes, last)
    for axis in axes:
        if not -rank <= axis < rank:
            raise ShapeError(f"axis {axis} of {label} is out of range [{-rank}, {rank})")
    places = [axis % rank for axis in axes]
    free = [d for d in range(rank) if d not in places]
    order = free + places if last else places + free
    dims = tensor.shape.raw or ()
    known = [dims[d] for d in order]
    turned = tensor if order == [*range(rank)] else transpose(tensor, order)
    if all(isinstance(each, int) for each in known):
        outer, inner = (prod(int(dims[d]) for d in each) for each in (free, places))
        return reshape(turned, [outer, inner] if last else [inner, outer]), [int(dims[d]) for d in free]
    sizes = shape_op(tensor)
    kept: list[int | Tensor] = []
    for each in free:
        size = dims[each]
        kept.append(size if isinstance(size, int) else sizes[each])
    of_free, of_places = (gather(sizes, convert_to_tensor(each, "int32")) for each in (free, places))
    return _as_matrix(turned, of_free, of_places, last), kept


def _flattened_in_run(tensor: Tensor, axes: list[int], last: bool) -> tuple[Tensor, list[int | Tensor]]:
    rank, sizes = rank_op(tensor), shape_op(tensor)
    below = convert_to_tensor([int(axis < 0) for axis in axes], "int32")
    places = convert_to_tensor(axes, "int32") + below * rank
    free = setdiff1d(range_op(rank), places).out
    turned = transpose(tensor, concat(0, [free, places] if last else [places, free]))
    kept = gather(sizes, free)
    return _as_matrix(turned, kept, gather(sizes, places), last), [kept]


def _as_matrix(turned: Tensor, outer: Tensor, inner: Tensor, last: bool) -> Tensor:
    """A matrix of a tensor whose sizes are those of `outer` and `inner`, in this order if the inner ones are last."""
    pair = [outer, inner] if last else [inner, outer]
    return reshape(turned, concat(0, [reshape(reduce_prod(each), [1]) for each in pair]))


@composite("BatchMatMul")
def batch_matmul(
    x: TensorLike, y: TensorLike, adj_x: bool = False, adj_y: bool = False, name: str | None = None
) -> Tensor:
    """The products of matrices along the last two axes, as `tf.matmul`, under TensorFlow 0.x's name.

    Args:
        x, y: numbers of one dtype, rank 2 or higher, with equal or broadcasting first sizes.
        adj_x, adj_y: True takes the adjoint matrices instead.

    Returns:
        A tensor with the dtype of `x` and the shape of the products.

    Raises:
        TypeError: the dtypes differ.
        ValueError: a rank is below 2, or known sizes do not fit.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.batch_matmul([[[1, 2]], [[3, 4]]], [[[1], [1]], [[2], [2]]])).tolist())
    [[[3]], [[14]]]

    Source: TensorFlow 0.x, `tf.batch_matmul`.
    """
    return matmul(x, y, adjoint_a=adj_x, adjoint_b=adj_y, name=name_of_scope())


@composite("MatVec")
def matvec(
    a: TensorLike, b: TensorLike, transpose_a: bool = False, adjoint_a: bool = False, name: str | None = None
) -> Tensor:
    """The products of matrices and vectors: out[..., i] = sum over k of a[..., i, k] * b[..., k].

    Args:
        a: numbers, rank 2 or higher.
        b: the dtype of `a`, rank 1 or higher.
        transpose_a: True takes the transposed matrices.
        adjoint_a: True takes the adjoint matrices.

    Returns:
        A tensor with the dtype of `a` and the shape [..., number of rows].

    Raises:
        TypeError: the dtypes differ.
        ValueError: known sizes do not fit.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.linalg.matvec([[1, 2], [3, 4]], [1, 1])))
    [3 7]

    Source: TensorFlow 1.x, `tf.linalg.matvec`.
    """
    columns = expand_dims(convert_to_tensor(b), -1)
    product = matmul(a, columns, transpose_a=transpose_a, adjoint_a=adjoint_a)
    return squeeze(product, [-1], name_of_scope())


@composite("cholesky_solve")
def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """The solutions of linear equations by a factor: (chol @ adjoint(chol)) @ out = rhs.

    Args:
        chol: what `tf.cholesky` gives, [..., n, n].
        rhs: the right-hand sides as columns, [..., n, k], with the dtype of `chol`.

    Returns:
        A tensor with the shape and dtype of `rhs`.

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: a rank is below 2, or known sizes do not fit.
        InvalidArgumentError (when run): the same, or a diagonal has a zero.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     chol = tf.cholesky([[4.0, 0.0], [0.0, 16.0]])
    ...     print(session.run(tf.cholesky_solve(chol, [[4.0], [8.0]])).tolist())
    [[1.0], [0.5]]

    Source: TensorFlow 1.x, `tf.cholesky_solve`.
    """
    factor = convert_to_tensor(chol)
    return matrix_triangular_solve(factor, matrix_triangular_solve(factor, rhs), adjoint=True, name=name_of_scope())


@composite("matrix_solve_ls")
def matrix_solve_ls(
    matrix: TensorLike, rhs: TensorLike, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The least squares solutions of linear equations: out makes |matrix @ out - rhs|**2 + l2 |out|**2 least.

    Args:
        matrix: float32, float64 or complex matrices, [..., m, n].
        rhs: the right-hand sides as columns, [..., m, k], with the dtype of `matrix`.
        l2_regularizer: the weight of |out|**2.
        fast: True, the default, solves the normal equations, for which the matrices need full rank unless
            `l2_regularizer` is above 0; False goes by the singular values.

    Returns:
        A tensor with the dtype of `matrix` and the shape [..., n, k].

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: a rank is below 2, or sizes that must be known are not.
        InvalidArgumentError (when run): sizes do not fit, or the normal equations are singular.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]
    ...     print(session.run(tf.matrix_solve_ls(a, [[1.0], [3.0], [5.0]])).round(3).tolist())
    [[1.0], [2.0]]

    Source: TensorFlow 1.x, `tf.matrix_solve_ls`.
    """
    a, b = convert_to_tensor(matrix), convert_to_tensor(rhs)
    dims = dims_at_least(a, 2, 0)
    l2_regularizer = number("l2_regularizer", l2_regularizer)
    if not flag("fast", fast):
        return _by_singular_values(a, b, l2_regularizer)
    rows, columns = (None, None) if dims is None else dims[-2:]
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise ShapeError("the sizes of the matrices must be known while building; give them with set_shape, or "
                         "write fast=False")  # fmt: skip
    from_left = rows >= columns
    square = matmul(a, a, adjoint_a=from_left, adjoint_b=not from_left)
    if l2_regularizer:
        square = square + cast(eye(min(rows, columns)), a.dtype) * l2_regularizer
    factor = cholesky(square)
    if from_left:
        return cholesky_solve(factor, matmul(a, b, adjoint_a=True), name_of_scope())
    return matmul(a, cholesky_solve(factor, b), adjoint_a=True, name=name_of_scope())


def _by_singular_values(a: Tensor, b: Tensor, l2: float) -> Tensor:
    parts = svd(a)
    assert not isinstance(parts, Tensor)
    s, u, v = parts
    if l2:
        factors = s / (s * s + l2)
    else:
        least = reduce_max(s, [-1], True) * (1e-6 if s.dtype.size == 4 else 1e-13)
        kept = maximum(s - least, 0.0)
        factors = div_no_nan(kept, kept * s)
    projected = matmul(u, b, adjoint_a=True)
    return matmul(v, multiply(expand_dims(cast(factors, a.dtype), -1), projected), name=name_of_scope())


@composite("logdet")
def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of positive definite matrices, by their Cholesky factors.

    Args:
        matrix: float32, float64 or complex square matrices, of rank 2 or higher.

    Returns:
        A tensor of shape matrix.shape[:-2] with the real dtype of `matrix`.

    Raises:
        TypeError: `matrix` has another dtype.
        ValueError: `matrix` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same, or a matrix is not positive definite.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.linalg.logdet([[1.0, 0.0], [0.0, 1.0]])))
    0.0

    Source: TensorFlow 1.x, `tf.linalg.logdet`.
    """
    return multiply(reduce_sum(log(real(matrix_diag_part(cholesky(matrix)))), [-1]), 2.0, name_of_scope())
