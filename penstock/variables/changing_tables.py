"""Tables that runs change: `tf.contrib.lookup.MutableHashTable` and `MutableDenseHashTable`.

A session has such a table from its first use on; it is empty then, and needs no initialiser. A `tf.train.Saver` saves
the tables of a graph with its variables.
"""

from __future__ import annotations

from typing import Any

from ..errors import DTypeError, ShapeError
from ..graph.common.not_copyable import NotCopyable
from ..graph.common.tracebacks import hides_frames, hides_frames_of_methods
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.model.nodes import Operation, Tensor
from ..graph.model.sparse_tensor import SparseTensor
from ..graph.shapes.dtypes import DType, as_dtype
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.declare.composite import all_or_nothing, reported_as_call
from ..ops.queues import table_lookups
from .graph_keys import GraphKeys


@hides_frames_of_methods
class _ChangingTable(NotCopyable):
    """What both tables have."""

    _uncopied = ("it is part of a graph", "Use the table itself.")

    def __init__(self, key_dtype: DType, value_dtype: DType, default_value: Tensor, handle: Tensor) -> None:
        self.key_dtype, self.value_dtype = key_dtype, value_dtype
        self.default_value = default_value
        self.resource_handle = handle
        """The handle of the table, a string."""
        self.name = handle.op.name

    def _keys(self, keys: Any) -> Tensor:
        wanted = convert_to_tensor(keys, None if isinstance(keys, Tensor) else self.key_dtype, name="keys")
        if wanted.dtype is not self.key_dtype:
            raise DTypeError(f"Signature mismatch. Keys must be dtype {self.key_dtype}, got {wanted.dtype}")
        return wanted

    def _scoped(self, keys: Any, name: str | None, usual: str, build: Any) -> Any:
        """What `build` makes, in a scope of TensorFlow's name."""
        return all_or_nothing([self.resource_handle, keys], build, name or f"{self.name}_{usual}")

    @reported_as_call("lookup_table_insert", one_op=True)
    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Operation:
        """An operation that puts keys with values in. Keys that the table has get new values.

        Args:
            keys: a tensor of the dtype of the keys, any shape.
            values: the value of each key: a tensor of the shape of `keys`, and that of a value.
            name: the name of the scope.

        Returns:
            An `Operation`.

        Raises:
            TypeError: `keys` or `values` has another dtype.
            ValueError: the shapes are known not to fit.
            InvalidArgumentError (when run): the shapes do not fit.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
        ...     session.run(table.insert(["a", "b"], [1, 2]))
        ...     session.run(table.insert(["b"], [3]))
        ...     print(session.run(table.lookup(["a", "b", "c"])))
        [ 1  3 -1]
        """

        def build() -> Operation:
            wanted = self._keys(keys)
            given = convert_to_tensor(values, None if isinstance(values, Tensor) else self.value_dtype, name="values")
            if given.dtype is not self.value_dtype:
                raise DTypeError(f"Signature mismatch. Values must be dtype {self.value_dtype}, got {given.dtype}")
            fits = wanted.shape.concatenate(self.default_value.shape)
            if not given.shape.is_compatible_with(fits):
                raise ShapeError(f"Expected shape {fits} for value, got {given.shape}")
            return table_lookups.lookup_table_insert(self.resource_handle, wanted, given, name="LookupTableInsertV2")

        made: Operation = self._scoped(keys, name, "lookup_table_insert", build)
        return made

    @reported_as_call("lookup_table_find", one_op=True)
    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys; the default value for keys that the table does not have.

        Args:
            keys: a tensor of the dtype of the keys, any shape; or a `SparseTensor`, whose values are looked up.
            name: the name of the scope.

        Returns:
            A tensor of the shape of `keys`, and that of a value; or a `SparseTensor`.

        Raises:
            TypeError: `keys` has another dtype.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     table = tf.contrib.lookup.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
        ...     session.run(table.insert([7], [[1.5, 2.5]]))
        ...     print(session.run(table.lookup([7, 8])).tolist())
        [[1.5, 2.5], [0.0, 0.0]]
        """
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, self.lookup(keys.values, name), keys.dense_shape)
        return self._scoped(keys, name, "lookup_table_find", lambda: table_lookups.lookup_table_find(
            self.resource_handle, self._keys(keys), self.default_value, name="LookupTableFindV2"
        ))  # fmt: skip

    @reported_as_call("lookup_table_remove", one_op=True)
    def remove(self, keys: TensorLike, name: str | None = None) -> Operation:
        """An operation that removes keys; those that the table does not have are ignored.

        Args:
            keys: a tensor of the dtype of the keys, any shape.
            name: the name of the scope.

        Returns:
            An `Operation`.

        Raises:
            TypeError: `keys` has another dtype.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
        ...     session.run(table.insert(["a", "b"], [1, 2]))
        ...     session.run(table.remove(["a", "?"]))
        ...     print(session.run(table.size()))
        1
        """
        made: Operation = self._scoped(keys, name, "lookup_table_remove", lambda: table_lookups.lookup_table_remove(
            self.resource_handle, self._keys(keys), name="LookupTableRemoveV2"
        ))  # fmt: skip
        return made

    def size(self, name: str | None = None) -> Tensor:
        """The number of keys, an int64 scalar."""
        made: Tensor = self._scoped((), name, "Size", lambda: table_lookups.lookup_table_size(
            self.resource_handle, name="LookupTableSizeV2"
        ))  # fmt: skip
        return made

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and their values.

        Args:
            name: the name of the scope.

        Returns:
            (keys, values): a vector, and a tensor with a row for each of them. Keys stand in the order in which they
            came in; in TensorFlow they stand in any order.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     table = tf.contrib.lookup.MutableHashTable(tf.int64, tf.int64, -1)
        ...     session.run(table.insert([5, 3], [50, 30]))
        ...     keys, values = session.run(table.export())
        ...     print(keys, values)
        [5 3] [50 30]
        """
        export = table_lookups.lookup_table_export
        made: tuple[Tensor, Tensor] = self._scoped((), name, "lookup_table_export_values", lambda: export(
            self.resource_handle, self.key_dtype, self.value_dtype, self.default_value.shape, name="LookupTableExportV2"
        ))  # fmt: skip
        return made

    def _collect(self, name: str, checkpoint: bool) -> None:
        if checkpoint:
            graph = self.resource_handle.graph
            graph.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, TableSaveable(self, name))


class TableSaveable:
    """A table as a part of checkpoints, where its keys and values have TensorFlow's names: "name-keys", "name-values".

    Attributes:
        name: the name that the table was given.
        op: its handle.
    """

    def __init__(self, table: _ChangingTable, name: str) -> None:
        self.name, self.op, self._table = name, table.resource_handle, table

    def parts(self) -> list[tuple[str, Tensor]]:
        """What is saved, by its names in a checkpoint."""
        keys, values = self._table.export()
        return [(f"{self.name}-keys", keys), (f"{self.name}-values", values)]

    def restore_from(self, keys: Tensor, values: Tensor) -> Operation:
        """An operation that gives the table the keys and values that were saved, and no others."""
        return table_lookups.lookup_table_import(self.op, keys, values, name=f"{self.name}_table_restore")


class MutableHashTable(_ChangingTable):
    """A table of keys and values, into which runs put keys and from which they remove them.

    What is built later sees what is built earlier has done: a look-up after an `insert` finds its keys in the same run.

    Args:
        key_dtype: the dtype of the keys, such as `tf.string` or `tf.int64`.
        value_dtype: the dtype of the values.
        default_value: the value of keys that the table does not have, a scalar or a tensor of known shape: all values
            have that shape.
        shared_name: a name by which the tables of several graphs are one in a session.
        name: the name of the table.
        checkpoint: whether a `tf.train.Saver` of all variables saves it.

    Raises:
        TypeError: `default_value` has another dtype.
        ValueError: the shape of `default_value` is not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    ...     session.run(table.insert(["a", "b"], [1, 2]))
    ...     print(session.run([table.lookup(["b", "?"]), table.size()]))
    [array([ 2, -1]), np.int64(2)]

    Source: TensorFlow 1.15, `tf.contrib.lookup.MutableHashTable`.
    """

    @hides_frames
    @reported_as_call("MutableHashTable", one_op=True)
    def __init__(
        self, key_dtype: DTypeLike, value_dtype: DTypeLike, default_value: TensorLike, shared_name: str | None = None,
        name: str = "MutableHashTable", checkpoint: bool = True
    ) -> None:  # fmt: skip
        keys, values = as_dtype(key_dtype), as_dtype(value_dtype)

        def build() -> tuple[Tensor, Tensor]:
            default = _default(default_value, values)
            return default, table_lookups.mutable_hash_table(keys, values, default.shape, shared_name or "", name=name)

        super().__init__(keys, values, *all_or_nothing([default_value], build))
        self._collect(name, checkpoint)


class MutableDenseHashTable(_ChangingTable):
    """`MutableHashTable` under the interface of TensorFlow's denser one, which reserves two keys.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        default_value: the value of keys that the table does not have: all values have its shape.
        empty_key: a key that the table never has; a scalar.
        deleted_key: another one.
        initial_num_buckets: accepted for TensorFlow's sake.
        shared_name: a name by which the tables of several graphs are one in a session.
        name: the name of the table.
        checkpoint: whether a `tf.train.Saver` of all variables saves it.

    Raises:
        TypeError: a value has another dtype.
        ValueError: the shape of `default_value` is not known, or a key is no scalar.
        InvalidArgumentError (when run): the two keys are equal, or one of them is used.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     table = tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-2)
    ...     session.run(table.insert([1, 2], [10, 20]))
    ...     print(session.run(table.lookup([2, 3])))
    [20 -1]

    Source: TensorFlow 1.15, `tf.contrib.lookup.MutableDenseHashTable`.
    """

    @hides_frames
    @reported_as_call("MutableDenseHashTable", one_op=True)
    def __init__(
        self, key_dtype: DTypeLike, value_dtype: DTypeLike, default_value: TensorLike, empty_key: TensorLike,
        deleted_key: TensorLike, initial_num_buckets: int | None = None, shared_name: str | None = None,
        name: str = "MutableDenseHashTable", checkpoint: bool = True
    ) -> None:  # fmt: skip
        keys, values = as_dtype(key_dtype), as_dtype(value_dtype)

        def build() -> tuple[Tensor, Tensor]:
            default = _default(default_value, values)
            empty = convert_to_tensor(empty_key, keys, name="empty_key")
            deleted = convert_to_tensor(deleted_key, keys, name="deleted_key")
            return default, table_lookups.mutable_dense_hash_table(
                empty, deleted, keys, values, default.shape, shared_name or "", name=name
            )

        super().__init__(keys, values, *all_or_nothing([default_value, empty_key, deleted_key], build))
        self._collect(name, checkpoint)


def _default(value: Any, dtype: DType) -> Tensor:
    default = convert_to_tensor(value, dtype, name="default_value")
    if not default.shape.is_fully_defined():
        raise ShapeError(f"default_value has shape {default.shape}; it must be known, because all values have it")
    return default
