"""Sparse tensors: three tensors that describe one which is mostly zeros.

They say where the values are (`indices`), what they are (`values`) and how large the whole is (`dense_shape`). A
`SparseTensor` only holds the three and checks that they fit; it is no node of the graph. `SparseTensorValue` is the
same with arrays: a session returns it for a `SparseTensor`, and takes it as a feed for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from ...errors import BuildError, DTypeError, GraphError, ShapeError
from ..building.constant_evaluation import known_shape
from ..building.convert import first_tensor
from ..common.hooks import hooks
from ..common.not_copyable import NotCopyable
from ..common.tracebacks import hides_frames, hides_frames_of_methods
from ..declare.signature import TensorLike
from ..shapes.dtypes import DType, int64
from ..shapes.shape import TensorShape
from .default_graph import target_graph
from .nodes import Graph, Operation, Tensor


class SparseTensorValue(NamedTuple):
    """The arrays of a sparse tensor.

    Args:
        indices: int64 of shape (n, r), one row for each value.
        values: the n values.
        dense_shape: the r sizes of the whole, int64.

    >>> import penstock as tf
    >>> tf.SparseTensorValue([[0, 1]], [5.0], [2, 3]).dense_shape
    [2, 3]
    """

    indices: Any
    values: Any
    dense_shape: Any


@hides_frames_of_methods
class SparseTensor(NotCopyable):
    """A tensor of shape `dense_shape` that holds `values[i]` at `indices[i]` and zero elsewhere.

    Args:
        indices: int64 of shape (n, r), one row for each value.
        values: a vector of n values, any dtype.
        dense_shape: the r sizes of the whole, int64.

    Raises:
        TypeError: an argument cannot become a tensor.
        ValueError: ranks or sizes do not fit, `indices` or `dense_shape` is a tensor of another dtype than int64, or
            the tensors belong to two graphs.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     s = tf.SparseTensor(indices=[[0, 1], [1, 2]], values=[5.0, 6.0], dense_shape=[2, 3])
    ...     print(s.dtype, s.shape, tf.cast(s, tf.int32).values.dtype)
    <dtype: 'float32'> (2, 3) <dtype: 'int32'>

    Source: TensorFlow 1.x, `tf.SparseTensor`.
    """

    __slots__ = ("_stated", "dense_shape", "indices", "values")

    _uncopied = (
        "its parts are places in their graph, and copies would be in none",
        "Keep the names of indices, values and dense_shape, and save the graph with tf.save_graph.",
    )

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: TensorLike) -> None:
        inner = first_tensor([indices, values, dense_shape])
        self._stated: TensorShape | None = None
        graph = target_graph(inner)
        graph.journal.all_or_nothing(self._fill, graph, indices, values, dense_shape)

    def _fill(self, graph: Graph, indices: TensorLike, values: TensorLike, dense_shape: TensorLike) -> None:
        with graph.as_default(), graph.name_scope("SparseTensor"):
            self.indices = _convert("indices", indices, int64)
            self.values = _convert("values", values)
            self.dense_shape = _convert("dense_shape", dense_shape, int64)
            self._check(graph)

    def _check(self, graph: Graph) -> None:
        """Raise unless the three are of one graph and their ranks and sizes can fit each other."""
        for label, tensor, rank in (("indices", self.indices, 2), ("values", self.values, 1),
                                    ("dense_shape", self.dense_shape, 1)):  # fmt: skip
            if not graph.admits(tensor):
                raise GraphError(f"SparseTensor: {label} {tensor.name!r} belongs to {tensor.graph}, "
                                 f"other parts to {graph}; all parts must be from the same graph")  # fmt: skip
            if tensor.shape.ndims not in (None, rank):
                raise ShapeError(f"SparseTensor: {label} {tensor.name!r} is {tensor.dtype} {tensor.shape}: "
                                 f"Shape must be rank {rank} but is rank {tensor.shape.ndims}")  # fmt: skip
        count, rank_of_whole = self.indices.shape[0], self.indices.shape[1]
        if not count.is_compatible_with(self.values.shape[0]):
            raise ShapeError(f"SparseTensor: indices has {count} rows but values has {self.values.shape[0]} entries; "
                             "Dimensions must be equal: there is one row of indices for each value")  # fmt: skip
        if not rank_of_whole.is_compatible_with(self.dense_shape.shape[0]):
            raise ShapeError(f"SparseTensor: indices has {rank_of_whole} columns but dense_shape has "
                             f"{self.dense_shape.shape[0]} entries; Dimensions must be equal: there is one column "
                             "of indices for each dimension")  # fmt: skip

    @classmethod
    @hides_frames
    def from_value(cls, sparse_tensor_value: SparseTensor | SparseTensorValue) -> SparseTensor:
        """A sparse tensor of constant arrays.

        Args:
            sparse_tensor_value: a `SparseTensorValue`; a `SparseTensor` is returned as it is.

        Returns:
            A `SparseTensor`.

        Raises:
            TypeError: it is neither.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.SparseTensor.from_value(tf.SparseTensorValue([[0, 1]], [5.0], [2, 3])).shape)
        (2, 3)
        """
        if isinstance(sparse_tensor_value, SparseTensor):
            return sparse_tensor_value
        if not isinstance(sparse_tensor_value, SparseTensorValue):
            raise DTypeError("SparseTensor.from_value: the value is neither a SparseTensor nor a SparseTensorValue but "
                             f"{type(sparse_tensor_value).__name__}. Write tf.SparseTensorValue(indices, values, "
                             "dense_shape)")  # fmt: skip
        return cls(*sparse_tensor_value)

    def __mul__(self, other: TensorLike) -> SparseTensor:
        """The values times those of a dense tensor, which broadcasts, at their places."""
        return cast(SparseTensor, hooks.sparse_product(self, other))

    def __truediv__(self, other: TensorLike) -> SparseTensor:
        """The values divided by those of a dense tensor, which broadcasts, at their places."""
        return cast(SparseTensor, hooks.sparse_quotient(self, other))

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole tensor."""
        return known_shape(self.dense_shape) if self._stated is None else self._stated

    def with_stated_shape(self, shape: TensorShape) -> SparseTensor:
        """This tensor; `shape` is what its maker said of its shape, which no tensor tells.

        Args:
            shape: the dense shape.

        Returns:
            This `SparseTensor`.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     tf.sparse_placeholder(tf.float32, [None, 3]).shape
        TensorShape((?, 3))
        """
        self._stated = shape
        return self

    def get_shape(self) -> TensorShape:
        """What is known of the shape of the whole: `shape` under TensorFlow's older name.

        Returns:
            A TensorShape.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.SparseTensor([[0, 1]], [5.0], [2, 3]).get_shape())
        (2, 3)
        """
        return self.shape

    @property
    def graph(self) -> Graph:
        """The graph that holds the three tensors."""
        return self.values.graph

    @property
    def op(self) -> Operation:
        """The operation that makes the values."""
        return self.values.op

    @property
    def name(self) -> str:
        """The name of the tensor of values."""
        return self.values.name

    def eval(self, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> SparseTensorValue:
        """The value: `session.run(self, feed_dict)`.

        Args:
            feed_dict: the values of fed tensors, as in `Session.run`.
            session: the session; without it, the default session.

        Returns:
            A `SparseTensorValue`.

        Raises:
            ValueError: no session is given and there is no default session; or as in `Session.run`.
            OpError: an operation failed.

        >>> import penstock as tf
        >>> with tf.Graph().as_default(), tf.Session():
        ...     print(tf.SparseTensor([[0, 1]], [5.0], [2, 3]).eval().values)
        [5.]
        """
        return cast(SparseTensorValue, hooks.evaluate(self, feed_dict, session))

    def __repr__(self) -> str:
        return f"<SparseTensor {self.name!r} {self.dtype.name} {self.shape}>"


def _convert(label: str, value: Any, dtype: DType | None = None) -> Tensor:
    try:
        return cast(Tensor, hooks.operators["convert"](value, dtype, label))
    except BuildError as error:
        if not getattr(error, "is_reported", False):
            error.replace_text(f"SparseTensor: {label}: {error.message}")
        raise
