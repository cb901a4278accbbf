"""`sparse_tensor_dense_matmul`: a sparse matrix times a dense one. Products are added in the order of the values."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.building.constant_evaluation import known_shape
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, Flag, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.composite import reported_as_call
from ..declare.shape_checks import listed, require_rank, same_size
from ..elementwise.complex_parts import conj
from ..index.gathering import gather
from ..move.transpose_reverse import transpose
from ..reduce.reductions import reduce_sum
from ..reduce.segment_rows import combined
from .sparse_parts import Numbers, Sizes, SparseLike, as_sparse, check_parts, rank_of_parts

PUBLIC_NAMES = {
    "tf": "sparse_tensor_dense_matmul",
    "sparse": "matmul=sparse_tensor_dense_matmul sparse_dense_matmul=sparse_tensor_dense_matmul",
}

_Rows = Annotated[TensorLike, Operand("Tindices", INT32_64, prefer=int64)]
_BLOCK = 1 << 18
"""Elements of products that are held at once."""


@op(
    "SparseTensorDenseMatMul", called="sparse_tensor_dense_matmul",
    graphdef="T=a_values Tindices=a_indices adjoint_a adjoint_b ->product", host_only=True,
)  # fmt: skip
def sparse_dense_product(
    a_indices: _Rows, a_values: Numbers, a_shape: Sizes, b: Numbers, adjoint_a: Flag = False, adjoint_b: Flag = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The op behind `sparse_tensor_dense_matmul`."""


sparse_dense_product.result_names = ("SparseTensorDenseMatMul",)


@sparse_dense_product.shape
def sparse_dense_product_shape(
    a_indices: Tensor, a_values: Tensor, a_shape: Tensor, b: Tensor, adjoint_a: bool, adjoint_b: bool
) -> TensorShape:
    rank = rank_of_parts(a_indices, a_values, a_shape)
    if isinstance(rank, int) and rank != 2:
        raise ShapeError(f"sp_a must be a matrix, but its rank is {rank}", operand=2)
    require_rank(b, 2, 3)
    a = known_shape(a_shape).raw or [unknown("the shape of sp_a is not known", a_shape) for _ in range(2)]
    other = b.shape.raw or [unknown("the shape of b is not known", b) for _ in range(2)]
    rows, inner = (a[1], a[0]) if adjoint_a else (a[0], a[1])
    place = 1 if adjoint_b else 0
    same_size(inner, other[place], 3, place, "The inner sizes of a product are equal.")
    return shape_of((rows, other[1 - place]))


@sparse_dense_product.kernel
def sparse_dense_product_kernel(
    xp: Any, a_indices: Any, a_values: Any, a_shape: Any, b: Any, adjoint_a: bool, adjoint_b: bool
) -> Any:
    count, inner, _ = sparse_dense_sizes(a_indices, a_values, a_shape, b, adjoint_a, adjoint_b)
    left, right = (1, 0) if adjoint_a else (0, 1)
    rows, columns = a_indices[:, left].astype(np.int64, copy=False), a_indices[:, right].astype(np.int64, copy=False)
    _check(rows, count, left)
    _check(columns, inner, right)
    values = a_values.conj() if adjoint_a else a_values
    return _sums_of_products(rows, columns, values, b.T.conj() if adjoint_b else b, count)


def sparse_dense_sizes(
    a_indices: Any, a_values: Any, a_shape: Any, b: Any, adjoint_a: bool, adjoint_b: bool
) -> tuple[int, int, int]:
    """The rows, the inner size and the columns of a product. Raises InvalidArgumentError where arrays do not fit."""
    check_parts(a_indices, a_values, a_shape)
    if len(a_shape) != 2 or b.ndim != 2:
        raise InvalidArgumentError(message=f"Tensor 'a_shape' must have 2 elements and 'b' must be a matrix, not "
                                           f"{len(a_shape)} elements and shape {listed(b.shape)}")  # fmt: skip
    rows, inner = (int(size) for size in (a_shape[::-1] if adjoint_a else a_shape))
    sizes = b.shape[::-1] if adjoint_b else b.shape
    if inner != sizes[0]:
        raise InvalidArgumentError(message="Cannot multiply A and B because inner dimension does not match: "
                                           f"{inner} vs. {sizes[0]}.  Did you forget a transpose?  "
                                           f"Dimensions of A: [{rows}, {inner}).  Dimensions of B: "
                                           f"{listed(sizes)}")  # fmt: skip
    return rows, inner, sizes[1]


def _check(places: Any, size: int, column: int) -> None:
    wrong = (places < 0) | (places >= size)
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidArgumentError(message=f"{'k' if column else 'm'} ({int(places[row])}) from index[{row},{column}] "
                                           f"out of bounds (>={size})")  # fmt: skip


def _sums_of_products(rows: Any, columns: Any, values: Any, matrix: Any, count: int) -> Any:
    """out[rows[i]] += values[i] * matrix[columns[i]]; a block of columns of the matrix at a time."""
    width = matrix.shape[1]
    is_short = values.dtype.itemsize == 2 and values.dtype.kind not in "iu"
    out = np.zeros((count, width), values.dtype)
    factors = (values.astype(np.float32) if is_short else values)[:, None]
    step = max(1, _BLOCK // max(1, len(rows)))
    for first in range(0, width, step):
        part = matrix[columns, first : first + step]
        products = factors * (part.astype(np.float32) if is_short else part)
        sums = combined("add", products, rows, (count, products.shape[1]), in_order=False)
        out[:, first : first + step] = sums
    return out


@sparse_dense_product.gradient("a_values: sum(g[rows] * b[columns]); b: adjoint(a) g")
def sparse_dense_product_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    indices, values, shape, b = op.inputs
    adjoint_a, adjoint_b = op.args[4], op.args[5]
    is_complex = g.dtype.is_complex

    def of_values() -> Tensor:
        rows, columns = indices[:, 0], indices[:, 1]
        matrix = transpose(b) if adjoint_b else conj(b) if is_complex else b
        left, right = (columns, rows) if adjoint_a else (rows, columns)
        products = gather(g, left) * gather(matrix, right)
        total = reduce_sum(products, 1)
        return conj(total) if is_complex and adjoint_a else total

    def of_b() -> Tensor:
        product = sparse_dense_product(indices, values, shape, g, adjoint_a=not adjoint_a)
        if not adjoint_b:
            return product
        turned = transpose(product)
        return conj(turned) if is_complex else turned

    return [None, of_values, None, of_b]


@sparse_dense_product.samples
def sparse_dense_product_samples(rng: np.random.Generator) -> Samples:
    places, shape = np.array([[0, 1], [0, 2], [1, 0]], "i8"), np.array([2, 3], "i8")
    for dtype in ("f4", "f8"):
        values = rng.standard_normal(3).astype(dtype)
        yield sample(places, values, shape, rng.standard_normal((3, 4)).astype(dtype), fixed=("a_shape",))
        yield sample(places, values, shape, rng.standard_normal((2, 4)).astype(dtype), adjoint_a=True)
        yield sample(places, values, shape, rng.standard_normal((4, 3)).astype(dtype), adjoint_b=True)
    yield sample(np.zeros((0, 2), "i8"), np.zeros(0, "f4"), shape, np.ones((3, 2), "f4"))


@reported_as_call(one_op=True)
def sparse_tensor_dense_matmul(
    sp_a: SparseLike, b: TensorLike, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of a sparse matrix and a dense one.

    Args:
        sp_a: a `SparseTensor` of rank 2.
        b: a matrix of the dtype of `sp_a`.
        adjoint_a: use the conjugate transpose of `sp_a`.
        adjoint_b: use the conjugate transpose of `b`.

    Returns:
        A matrix of the dtype of the values and of shape [rows of a, columns of b]: a b.

    Raises:
        TypeError: `sp_a` is no sparse tensor, or the dtypes differ.
        ValueError: ranks or known sizes do not fit.
        InvalidArgumentError (when run): sizes do not fit, or an index is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a = tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
    ...     print(session.run(tf.sparse_tensor_dense_matmul(a, [[1.0, 2.0], [10.0, 20.0]])).tolist())
    [[20.0, 40.0], [3.0, 6.0]]

    Source: TensorFlow 1.15, `tf.sparse_tensor_dense_matmul`.
    """
    s = as_sparse(sp_a, "sp_a")
    return sparse_dense_product(s.indices, s.values, s.dense_shape, b, adjoint_a, adjoint_b, name=name)
