"""Questions about the order of elements: is_non_decreasing, is_strictly_increasing."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import DTypeError
from ...graph.building.tensor_kinds import is_numeric_tensor
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ..declare.composite import composite
from ..elementwise.comparison import less, less_equal
from ..move.reshaping import reshape
from ..reduce.reductions import reduce_all

PUBLIC_NAMES = {"start debugging math": "is_non_decreasing is_strictly_increasing"}


@composite("is_non_decreasing")
def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether x[0] <= x[1] <= x[2] ..., with the elements in row-major order. Fewer than two elements are.

    Args:
        x: numbers of any shape.

    Returns:
        A bool scalar.

    Raises:
        TypeError: `x` is no tensor of numbers.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run([tf.is_non_decreasing([1, 2, 2]), tf.is_non_decreasing([2, 1])]))
    [np.True_, np.False_]

    Source: TensorFlow 1.x, `tf.is_non_decreasing`.
    """
    return _compared_with_next(less_equal, x)


@composite("is_strictly_increasing")
@documented_like(is_non_decreasing)
def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether x[0] < x[1] < x[2] ..., with the elements in row-major order. Fewer than two elements are.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run([tf.is_strictly_increasing([1, 2, 3]), tf.is_strictly_increasing([1, 2, 2])]))
    [np.True_, np.False_]
    """
    return _compared_with_next(less, x)


def _compared_with_next(function: Callable[..., Tensor], x: TensorLike) -> Tensor:
    row = reshape(x, [-1])
    if not is_numeric_tensor(row):
        raise DTypeError(f"Expected x to be numeric, instead found: {row.op.inputs[0].name} of dtype {row.dtype}")
    return reduce_all(function(row[:-1], row[1:]))
