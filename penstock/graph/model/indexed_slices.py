"""Indexed slices: some rows of a tensor that is zero elsewhere, as the gradient of `gather` is.

An `IndexedSlices` only holds three tensors; it is no node of the graph. Where an op takes a tensor it is made dense:
rows with one index are added up. `IndexedSlicesValue` is the same with arrays: a session returns it for an
`IndexedSlices`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from ...errors import DTypeError, GraphError
from ..building.constant_evaluation import known_shape
from ..common.hooks import hooks
from ..common.not_copyable import NotCopyable
from ..common.tracebacks import hides_frames_of_methods
from ..shapes.dtypes import DType
from ..shapes.shape import TensorShape, unknown_rank
from .nodes import Graph, Operation, Tensor


class IndexedSlicesValue(NamedTuple):
    """The arrays of indexed slices.

    Args:
        values: the rows.
        indices: an int for each row.
        dense_shape: the sizes of the whole, or None where it is not known.

    >>> import penstock as tf
    >>> tf.IndexedSlicesValue([[1.0, 2.0]], [3], [5, 2]).indices
    [3]
    """

    values: Any
    indices: Any
    dense_shape: Any


@hides_frames_of_methods
class IndexedSlices(NotCopyable):
    """A tensor that is `values[i]` in row `indices[i]`, added up where indices repeat, and zero in other rows.

    Args:
        values: a tensor of shape (n, ...): the rows.
        indices: n ints, a tensor of dtype int32 or int64.
        dense_shape: the sizes of the whole, a vector of ints; None if it is not known.

    Raises:
        TypeError: an argument is no tensor, or `indices` or `dense_shape` is not int.
        ValueError: the tensors belong to two graphs.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     rows = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([2, 2]), tf.constant([3, 2]))
    ...     print(session.run(tf.convert_to_tensor(rows)))
    [[0. 0.]
     [0. 0.]
     [4. 6.]]

    Source: TensorFlow 1.x, `tf.IndexedSlices`.
    """

    __slots__ = ("dense_shape", "indices", "values")

    _uncopied = (
        "its parts are places in their graph, and copies would be in none",
        "Keep the names of values, indices and dense_shape, and save the graph with tf.save_graph.",
    )

    def __init__(self, values: Tensor, indices: Tensor, dense_shape: Tensor | None = None) -> None:
        parts = {"values": values, "indices": indices, "dense_shape": dense_shape}
        for label, part in parts.items():
            if part is None and label == "dense_shape":
                continue
            if not isinstance(part, Tensor):
                raise DTypeError(f"IndexedSlices: {label} must be a tensor, not {part!r}. Write tf.constant(...)")
            if label != "values" and not part.dtype.is_integer:
                raise DTypeError(f"IndexedSlices: {label} {part.name!r} is {part.dtype}; rows are counted with int32 "
                                 "or int64")  # fmt: skip
            if part.graph is not values.graph:
                raise GraphError(f"IndexedSlices: {label} {part.name!r} belongs to {part.graph}, values to "
                                 f"{values.graph}; all parts must be from the same graph")  # fmt: skip
        self.values = values
        self.indices = indices
        self.dense_shape = dense_shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole tensor."""
        if self.dense_shape is not None:
            return known_shape(self.dense_shape)
        rows = self.values.shape.raw
        if rows is None:
            return unknown_rank("the IndexedSlices has no dense_shape", self.values)
        return TensorShape([None, *rows[1:]])

    def get_shape(self) -> TensorShape:
        """What is known of the shape of the whole: `shape` under TensorFlow's older name.

        Returns:
            A TensorShape.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([2]), tf.constant([3, 2]))
        ...     print(rows.get_shape())
        (3, 2)
        """
        return self.shape

    @property
    def graph(self) -> Graph:
        """The graph that holds the tensors."""
        return self.values.graph

    @property
    def op(self) -> Operation:
        """The operation that makes the values."""
        return self.values.op

    @property
    def device(self) -> str:
        """The device that the operation of the values asks for; "" if it asks for none."""
        return self.values.device

    @property
    def name(self) -> str:
        """The name of the tensor of values."""
        return self.values.name

    def eval(self, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> IndexedSlicesValue:
        """The value: `session.run(self, feed_dict)`.

        Args:
            feed_dict: the values of fed tensors, as in `Session.run`.
            session: the session; without it, the default session.

        Returns:
            An `IndexedSlicesValue`.

        Raises:
            ValueError: no session is given and there is no default session; or as in `Session.run`.
            OpError: an operation failed.

        >>> import penstock as tf
        >>> with tf.Graph().as_default(), tf.Session():
        ...     print(tf.IndexedSlices(tf.constant([1.0]), tf.constant([2])).eval().values)
        [1.]
        """
        return cast(IndexedSlicesValue, hooks.evaluate(self, feed_dict, session))

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __repr__(self) -> str:
        return f"<IndexedSlices {self.name!r} {self.dtype.name} {self.shape}>"
