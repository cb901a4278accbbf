"""The ops behind look-up tables: the entries of a table that keys name, and numbers of buckets for strings."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import FailedPreconditionError, InvalidArgumentError
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, Attr, Operand, TensorLike, at_least
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.shape_checks import listed, shape_of_first
from ..declare.string_arguments import Strings
from .fingerprints import fingerprint64
from .sparse_parts import check_ranks, count_of

PUBLIC_NAMES = {"tf": "string_to_hash_bucket_fast", "strings": "to_hash_bucket_fast=string_to_hash_bucket_fast"}

_Keys = Annotated[TensorLike, Operand("Tin", ANY)]
_Values = Annotated[TensorLike, Operand("Tout", ANY)]
_Buckets = Annotated[int, Attr(at_least(1))]


@op("StringToHashBucketFast", graphdef="num_buckets", out=int64, host_only=True, shape=shape_of_first,
    no_gradient="it gives ints", distributes=same_axes)  # fmt: skip
def string_to_hash_bucket_fast(input: Strings, num_buckets: _Buckets, name: str | None = None) -> Tensor:
    """The number of a bucket for each string: its FarmHash fingerprint modulo the number of buckets.

    Args:
        input: strings of any shape.
        num_buckets: the number of buckets, a Python int of at least 1.

    Returns:
        A tensor of shape input.shape and dtype int64. The numbers are in [0, num_buckets).

    Raises:
        TypeError: `input` holds no strings.
        ValueError: `num_buckets` is less than 1.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.string_to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3)))
    [0 2 2]

    Source: TensorFlow 1.15, `tf.string_to_hash_bucket_fast`.
    """




@string_to_hash_bucket_fast.kernel
def string_to_hash_bucket_fast_kernel(xp: Any, input: Any, num_buckets: int) -> Any:
    numbers = [fingerprint64(text) % num_buckets for text in input.reshape(-1)]
    return np.array(numbers, np.int64).reshape(input.shape)


string_to_hash_bucket_fast.fails(lambda input, num_buckets: None)


@string_to_hash_bucket_fast.samples
def string_to_hash_bucket_fast_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([[b"a", b"word"], [b"", b"x" * 70]], object), 10)
    yield sample(np.zeros(0, object), 3)


@op("TableEntries", out="Tout", host_only=True, ranks={"table_keys": 1, "table_values": 1, "default_value": 0})
def table_entries(
    table_keys: _Keys, table_values: _Values, keys: _Keys, default_value: _Values, name: str | None = None
) -> Tensor:
    """The value of each of `keys` in a table of two vectors, `default_value` where it is none of them."""


@table_entries.shape
def table_entries_shape(table_keys: Tensor, table_values: Tensor, keys: Tensor, default_value: Tensor) -> TensorShape:
    return keys.shape


@table_entries.kernel
def table_entries_kernel(xp: Any, table_keys: Any, table_values: Any, keys: Any, default_value: Any) -> Any:
    default = np.asarray(default_value)
    check_ranks(table_keys=(table_keys, 1), table_values=(table_values, 1), default_value=(default, 0))
    if len(table_keys) != len(table_values):
        raise InvalidArgumentError(message=f"a table has {len(table_keys)} keys and {len(table_values)} values")
    if table_keys.dtype.kind == "O":
        places = {key: place for place, key in enumerate(table_keys)}
        at = np.array([places.get(key, -1) for key in keys.reshape(-1)], np.int64)
    else:
        order = np.argsort(table_keys, kind="stable")
        ordered, wanted = table_keys[order], keys.reshape(-1)
        near = np.minimum(np.searchsorted(ordered, wanted), max(len(ordered) - 1, 0))
        at = np.full(len(wanted), -1, np.int64)
        if len(ordered):
            is_there = ordered[near] == wanted
            at[is_there] = order[near[is_there]]
    out = np.empty(len(at), table_values.dtype)
    out[...] = default_value
    out[at >= 0] = table_values[at[at >= 0]]
    return out.reshape(keys.shape)


table_entries.no_gradient("as in TensorFlow, a look-up has none")


@table_entries.samples
def table_entries_samples(rng: np.random.Generator) -> Samples:
    words = np.array([b"a", b"b", b"c"], object)
    yield sample(words, np.array([0, 1, 2], "i8"), np.array([[b"c", b"?"]], object), np.array(-1, "i8"))
    yield sample(np.array([3, 1], "i8"), words[:2], np.array([1, 2, 3], "i8"), np.array(b"?", object))
    yield sample(np.zeros(0, "i8"), np.zeros(0, "f4"), np.array([1], "i8"), np.array(2, "f4"))


@op("CheckedTableKeys", out="Tin", host_only=True, ranks={"keys": 1, "values": 1})
def checked_table_keys(keys: _Keys, values: _Values, name: str | None = None) -> Tensor:
    """`keys`, once it is known that each has one value."""


@checked_table_keys.shape
def checked_table_keys_shape(keys: Tensor, values: Tensor) -> TensorShape:
    return shape_of((count_of(keys),))


@checked_table_keys.kernel
def checked_table_keys_kernel(xp: Any, keys: Any, values: Any) -> Any:
    if keys.shape != values.shape:
        raise InvalidArgumentError(message="Number of elements in keys and values must match: they have shapes "
                                           f"{listed(keys.shape)} and {listed(values.shape)}")  # fmt: skip
    values_by_key: dict[Any, Any] = {}
    for key, value in zip(keys.tolist(), values.tolist(), strict=True):
        if values_by_key.setdefault(key, value) != value:
            raise FailedPreconditionError(message=f"HashTable has different value for same key. Key {key} has "
                                                  f"{values_by_key[key]} and trying to add value {value}")  # fmt: skip
    return keys.copy()


checked_table_keys.no_gradient("it is part of the initialiser of a table")


@checked_table_keys.samples
def checked_table_keys_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([b"a", b"b"], object), np.array([0, 1], "i8"))
    yield sample(np.zeros(0, "i8"), np.zeros(0, "f4"))
