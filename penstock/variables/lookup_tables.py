"""Look-up tables: `tf.lookup`, and the table functions of `tf.contrib.lookup`.

The keys and the values of a table are two variables of no collection. Its initialiser writes both; a session has the
table from then on. Where it has not run, a look-up ends as the read of a variable without a value does.
"""

from __future__ import annotations

import os
from typing import Any

from ..errors import DTypeError, UseError, ValueRuleError
from ..graph.common.file_errors import file_errors
from ..graph.common.tracebacks import hides_frames, hides_frames_of_methods
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.model.default_graph import get_default_graph, outermost
from ..graph.model.nodes import Operation, Tensor
from ..graph.model.sparse_tensor import SparseTensor
from ..graph.shapes.dtypes import as_dtype, int32, int64, string
from ..ops.control.control import group
from ..ops.create.constant_and_placeholder import constant, convert_to_tensor
from ..ops.create.range_linspace import range as range_op
from ..ops.create.shape_size_rank import size as size_op
from ..ops.elementwise.arithmetic import add
from ..ops.elementwise.casting import cast
from ..ops.elementwise.comparison import equal
from ..ops.elementwise.select_where import where
from ..ops.sparse.table_ops import checked_table_keys, string_to_hash_bucket_fast, table_entries
from ..ops.state.variable_ops import latest_value
from ..ops.text.as_string import as_string
from .graph_keys import GraphKeys
from .variable import Variable
from .variable_node import name_below


class KeyValueTensorInitializer:
    """The keys and values of a table, as tensors.

    Args:
        keys: a vector of strings or ints.
        values: a vector of as many values.
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]).value_dtype
    tf.int32
    """

    @hides_frames
    def __init__(
        self, keys: TensorLike, values: TensorLike, key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        graph = get_default_graph()
        with graph.name_scope(name or "key_value_init"):
            self.keys = convert_to_tensor(keys, key_dtype, name="keys")
            self.values = convert_to_tensor(values, value_dtype, name="values")
        for label, tensor in (("keys", self.keys), ("values", self.values)):
            if tensor.shape.ndims not in (None, 1):
                raise ValueRuleError(f"KeyValueTensorInitializer: {label} has shape {tensor.shape}; it is a vector")
        self.key_dtype, self.value_dtype = self.keys.dtype, self.values.dtype


@hides_frames_of_methods
class StaticHashTable:
    """A table of keys and values that its initialiser fills once.

    Args:
        initializer: a `KeyValueTensorInitializer`.
        default_value: the value of keys that the table does not have.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    ...     session.run(tf.tables_initializer())
    ...     print(session.run(table.lookup(tf.constant(["b", "?"]))))
    [ 2 -1]

    Source: TensorFlow 1.15, `tf.lookup.StaticHashTable`.
    """

    def __init__(
        self, initializer: KeyValueTensorInitializer, default_value: TensorLike, name: str | None = None
    ) -> None:
        self.key_dtype, self.value_dtype = initializer.key_dtype, initializer.value_dtype
        graph = get_default_graph()
        with graph.name_scope(name or "hash_table"):
            self.default_value = convert_to_tensor(default_value, self.value_dtype, name="default_value")
            checked = checked_table_keys(initializer.keys, initializer.values)
            self._latest: dict[str, Tensor] = {}
            self._keys = _state(checked, "table_keys")
            self._values = _state(initializer.values, "table_values")
            self.initializer: Operation = group(self._keys.initializer, self._values.initializer, name="table_init")
        graph.add_to_collection(GraphKeys.TABLE_INITIALIZERS, self.initializer)

    @property
    def init(self) -> Operation:
        """The initialiser, under its older name."""
        return self.initializer

    def size(self, name: str | None = None) -> Tensor:
        """The number of keys, an int64 scalar."""
        return cast(size_op(self._keys.value()), int64, name=name)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys.

        Args:
            keys: a tensor of the dtype of the keys, any shape; or a `SparseTensor`, whose values are looked up.

        Returns:
            A tensor of the shape of `keys`, or a `SparseTensor`.

        Raises:
            TypeError: `keys` has another dtype.
            FailedPreconditionError (when run): the table is not initialised.
        """
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, self.lookup(keys.values, name), keys.dense_shape)
        wanted = convert_to_tensor(keys, None if isinstance(keys, Tensor) else self.key_dtype)
        if wanted.dtype is not self.key_dtype:
            raise DTypeError(f"Signature mismatch. Keys must be dtype {self.key_dtype}, got {wanted.dtype}")
        entries = self._read(self._keys), self._read(self._values)
        return table_entries(*entries, wanted, self.default_value, name=name)

    def _read(self, part: Variable) -> Tensor:
        """The keys or the values. A function of a dataset reads them after the initializer, if that is in the run."""
        if get_default_graph().outer is None:
            return part.value()
        if part.resource not in self._latest:
            graph = outermost(get_default_graph())
            with graph.as_default(), graph.control_dependencies(None), graph.colocate_with(part.element):
                self._latest[part.resource] = latest_value(
                    part.resource, part.dtype, part.shape, name=name_below(part, "latest")
                )
        return self._latest[part.resource]


class HashTable(StaticHashTable):
    """`StaticHashTable` under its older name.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer([1], [2]), -1).value_dtype
    tf.int32
    """


def _state(value: Tensor, name: str) -> Variable:
    return Variable(value, trainable=False, collections=[], validate_shape=False, name=name)


@hides_frames_of_methods
class IdTableWithHashBuckets:
    """A table of ids, with further ids, the numbers of hash buckets, for keys that it does not have.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     table = tf.contrib.lookup.index_table_from_tensor(["a", "b"], num_oov_buckets=2)
    ...     session.run(tf.tables_initializer())
    ...     print(session.run(table.lookup(tf.constant(["b", "other"]))))
    [1 2]
    """

    def __init__(self, table: StaticHashTable, num_oov_buckets: int, key_dtype: DTypeLike) -> None:
        self._table, self._buckets, self.key_dtype = table, num_oov_buckets, as_dtype(key_dtype)
        self.value_dtype = int64
        self.initializer = self.init = table.initializer

    def size(self, name: str | None = None) -> Tensor:
        """The number of ids, those of the buckets among them."""
        return add(self._table.size(), self._buckets, name=name)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The ids of keys: see `StaticHashTable.lookup`."""
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, self.lookup(keys.values, name), keys.dense_shape)
        wanted = convert_to_tensor(keys, None if isinstance(keys, Tensor) else self.key_dtype)
        if wanted.dtype is not self.key_dtype:
            raise DTypeError(f"Signature mismatch. Keys must be dtype {self.key_dtype}, got {wanted.dtype}")
        ids = self._table.lookup(wanted if wanted.dtype is self._table.key_dtype else cast(wanted, int64))
        texts = wanted if wanted.dtype is string else as_string(wanted)
        buckets = add(string_to_hash_bucket_fast(texts, self._buckets), self._table.size())
        return where(equal(ids, self._table.default_value), buckets, ids, name=name)


@hides_frames
def index_table_from_tensor(
    vocabulary_list: TensorLike | None = None, num_oov_buckets: int = 0, default_value: int = -1,
    hasher_spec: Any = None, dtype: DTypeLike = string, name: str | None = None, mapping: TensorLike | None = None,
) -> Any:  # fmt: skip
    """A table that gives each key its place in a list.

    Args:
        vocabulary_list: a vector of strings or ints. `mapping` is its name in `tf.contrib.lookup`.
        num_oov_buckets: the number of further ids for keys that are not in the list, which their hash spreads over
            these.
        default_value: the id of keys that are not in the list, where there are no buckets.
        hasher_spec: None: FarmHash.
        dtype: the dtype of the keys: string, int32 or int64.
        mapping: see `vocabulary_list`.

    Returns:
        A table with `lookup`, `size` and `initializer`, which `tf.tables_initializer` runs.

    Raises:
        ValueError: there is no list, or `num_oov_buckets` is negative.
        TypeError: `dtype` is another one.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     table = tf.contrib.lookup.index_table_from_tensor(["emerson", "lake", "palmer"])
    ...     session.run(tf.tables_initializer())
    ...     print(session.run(table.lookup(tf.constant(["palmer", "?"]))))
    [ 2 -1]

    Source: TensorFlow 1.15, `tf.contrib.lookup.index_table_from_tensor`.
    """
    words = vocabulary_list if mapping is None else mapping
    if words is None:
        raise ValueRuleError("index_table_from_tensor: vocabulary_list must be specified")
    if num_oov_buckets < 0:
        raise ValueRuleError(f"index_table_from_tensor: num_oov_buckets must be greater or equal than 0, got "
                             f"{num_oov_buckets}")  # fmt: skip
    kind = as_dtype(dtype)
    if kind not in (string, int32, int64):
        raise DTypeError(f"index_table_from_tensor: dtype is {kind}; it must be string, int32 or int64")
    if hasher_spec is not None:
        raise UseError("index_table_from_tensor: Penstock has FarmHash only; leave hasher_spec out")
    with get_default_graph().name_scope(name or "string_to_index"):
        keys = convert_to_tensor(words, None if isinstance(words, Tensor) else kind)
        if kind is not string:
            keys = cast(keys, int64)
        ids = range_op(cast(size_op(keys), int64))
        table = StaticHashTable(KeyValueTensorInitializer(keys, ids), constant(default_value, int64))
        return IdTableWithHashBuckets(table, num_oov_buckets, kind) if num_oov_buckets else table


@hides_frames
def index_to_string_table_from_tensor(
    vocabulary_list: TensorLike, default_value: str | bytes = "UNK", name: str | None = None,
    mapping: TensorLike | None = None,
) -> StaticHashTable:  # fmt: skip
    """A table that gives int64 ids the strings at their places of a list.

    Args:
        vocabulary_list: a vector of strings.
        default_value: the string of other ids.
        mapping: `vocabulary_list` under its name in `tf.contrib.lookup`.

    Returns:
        A `StaticHashTable`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     table = tf.contrib.lookup.index_to_string_table_from_tensor(["a", "b"])
    ...     session.run(tf.tables_initializer())
    ...     print(session.run(table.lookup(tf.constant([1, 7], tf.int64))))
    [b'b' b'UNK']

    Source: TensorFlow 1.15, `tf.contrib.lookup.index_to_string_table_from_tensor`.
    """
    words = vocabulary_list if mapping is None else mapping
    with get_default_graph().name_scope(name or "index_to_string"):
        values = convert_to_tensor(words, None if isinstance(words, Tensor) else string)
        ids = range_op(cast(size_op(values), int64))
        return StaticHashTable(KeyValueTensorInitializer(ids, values), default_value)


def _lines(path: str | bytes, count: int | None) -> list[bytes]:
    """The lines of a file of words, read while building."""
    with file_errors(f"the file of words {os.fsdecode(path)!r} cannot be read"), open(path, "rb") as file:
        lines = file.read().splitlines()
    if count is not None and count > len(lines):
        raise ValueRuleError(f"Invalid vocab_size: the file has {len(lines)} lines, not {count}")
    return lines[:count]


@hides_frames
def index_table_from_file(
    vocabulary_file: str, num_oov_buckets: int = 0, vocab_size: int | None = None, default_value: int = -1,
    hasher_spec: Any = None, key_dtype: DTypeLike = string, name: str | None = None,
) -> Any:  # fmt: skip
    """A table that gives each line of a file, which is read at once, its number: see `index_table_from_tensor`.

    Args:
        vocabulary_file: the path of a file with a word in each line.
        num_oov_buckets: see `index_table_from_tensor`.
        vocab_size: how many lines count; by default all.
        default_value: see `index_table_from_tensor`.
        hasher_spec: None: FarmHash.
        key_dtype: string, int32 or int64.

    Returns:
        A table with `lookup`, `size` and `initializer`.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file has fewer lines than `vocab_size`.

    >>> import penstock as tf, tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default(), folder:
    ...     path = pathlib.Path(folder.name, "words.txt")
    ...     _ = path.write_text("a\\nb\\n")
    ...     table = tf.contrib.lookup.index_table_from_file(str(path))
    ...     session.run(tf.tables_initializer())
    ...     print(session.run(table.lookup(tf.constant(["b"]))))
    [1]

    Source: TensorFlow 1.15, `tf.contrib.lookup.index_table_from_file`.
    """
    words: list[Any] = _lines(vocabulary_file, vocab_size)
    kind = as_dtype(key_dtype)
    if kind is not string:
        words = [int(word) for word in words]
    return index_table_from_tensor(words, num_oov_buckets, default_value, hasher_spec, kind, name)


@hides_frames
@documented_like(index_table_from_file)
def index_to_string_table_from_file(
    vocabulary_file: str, vocab_size: int | None = None, default_value: str | bytes = "UNK", name: str | None = None
) -> StaticHashTable:
    """A table that gives int64 numbers the lines of a file, which is read at once.

    Args:
        default_value: the string of other numbers.

    Returns:
        A `StaticHashTable`.

    >>> import penstock as tf
    >>> tf.contrib.lookup.index_to_string_table_from_file.__name__
    'index_to_string_table_from_file'
    """
    return index_to_string_table_from_tensor(_lines(vocabulary_file, vocab_size), default_value, name)
