"""Functions of TensorFlow 1 that few programs call: a counter with an end, conversions that keep rows, a product."""

from __future__ import annotations

from typing import Any

from .. import IndexedSlices, SparseTensor, Tensor, convert_to_tensor, matmul
from ..errors import DTypeError, ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.shapes.dtypes import as_dtype
from ..ops.declare.composite import reported_as_call
from ..variables.variable import Variable


@hides_frames
def count_up_to(ref: Variable, limit: int, name: str | None = None) -> Tensor:
    """The value of a counter, to which 1 is added; at `limit` a run fails instead.

    Args:
        ref: a variable of one int32 or int64.
        limit: the number at which the run fails.

    Returns:
        A scalar of the variable's dtype, its value before.

    Raises:
        TypeError: `ref` is no variable, or one of another dtype.
        OutOfRangeError (when run): the counter is at `limit`.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     count = tf.Variable(0)
    ...     step = tf.count_up_to(count, 2)
    ...     session.run(count.initializer)
    ...     print(session.run(step), session.run(step))
    0 1

    Source: TensorFlow 1.x, `tf.count_up_to`.
    """
    if not isinstance(ref, Variable):
        raise DTypeError(f"count_up_to: ref is {ref!r:.80}; it must be a variable: tf.Variable(0)")
    step = ref.count_up_to(limit)
    return step


@reported_as_call("Const")
def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor | IndexedSlices:
    """`value` as a tensor, or itself if it is some rows of one.

    Args:
        value: an `IndexedSlices`, or what `tf.convert_to_tensor` takes.
        dtype: the dtype that it must have.

    Returns:
        A tensor of the shape of `value` and dtype `dtype`, or `value`.

    Raises:
        TypeError: a Python value cannot be of `dtype`.
        ValueError: a tensor, or rows, have another dtype.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     rows = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([2]))
    ...     tf.convert_to_tensor_or_indexed_slices(rows) is rows
    True

    Source: TensorFlow 1.x, `tf.convert_to_tensor_or_indexed_slices`.
    """
    return _kept(value, IndexedSlices, dtype, name)  # type: ignore[no-any-return]  # one of the two


@reported_as_call("Const")
@documented_like(convert_to_tensor_or_indexed_slices)
def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor | SparseTensor:
    """`value` as a tensor, or itself if it is a sparse one.

    Args:
        value: a `SparseTensor`, or what `tf.convert_to_tensor` takes.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     sparse = tf.SparseTensor([[0]], [1.0], [2])
    ...     tf.convert_to_tensor_or_sparse_tensor(sparse) is sparse
    True
    """
    return _kept(value, SparseTensor, dtype, name)  # type: ignore[no-any-return]  # one of the two


def _kept(value: Any, kind: type, dtype: DTypeLike | None, name: str | None) -> Any:
    if not isinstance(value, kind):
        return convert_to_tensor(value, dtype, name)
    if dtype is not None and value.dtype is not as_dtype(dtype):  # type: ignore[attr-defined]  # both kinds have it
        raise ValueRuleError(f"Tensor conversion requested dtype {as_dtype(dtype)} for {kind.__name__} with dtype "
                             f"{value.dtype}; write tf.cast")  # type: ignore[attr-defined]  # fmt: skip
    return value


@reported_as_call("SparseMatMul", one_op=True)
def sparse_matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of two matrices, of which one may have many zeros: that of `tf.matmul`.

    Args:
        a: a matrix of floats.
        b: another, with as many rows as `a` has columns.
        transpose_a, transpose_b: whether the matrix is transposed first.
        a_is_sparse, b_is_sparse: accepted for TensorFlow's sake.

    Returns:
        A tensor of shape [rows of a, columns of b] and their dtype.

    Raises:
        TypeError: the dtypes differ.
        ValueError: the shapes do not fit.
        InvalidArgumentError (when run): they do not fit.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.sparse_matmul([[1.0, 0.0]], [[2.0], [3.0]])))
    [[2.]]

    Source: TensorFlow 1.x, `tf.sparse_matmul`.
    """
    return matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=name)
