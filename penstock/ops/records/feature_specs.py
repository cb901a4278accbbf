"""What a program states of a feature that it wants from examples: FixedLenFeature, VarLenFeature and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import DTypeError, ValueRuleError
from ...graph.shapes.dtypes import DType, as_dtype, float32, int64, string
from ...graph.shapes.shape import TensorShape, as_shape

PUBLIC_NAMES = {"tf io": "FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature"}


class FixedLenFeature(NamedTuple):
    """A feature of as many values as `shape` says, which becomes a dense tensor.

    Attributes:
        shape: the shape of the feature in one example.
        dtype: float32, int64 or string.
        default_value: the value of examples that do not have it, of that shape; None: all have it.

    >>> import penstock as tf
    >>> tf.FixedLenFeature([2], tf.float32).default_value is None
    True

    Source: TensorFlow 1.x, `tf.FixedLenFeature`.
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any number of values, which becomes a `SparseTensor`.

    Attributes:
        dtype: float32, int64 or string.

    >>> import penstock as tf
    >>> tf.VarLenFeature(tf.string).dtype
    tf.string

    Source: TensorFlow 1.x, `tf.VarLenFeature`.
    """

    dtype: Any


class SparseFeature(NamedTuple):
    """Two features or more that are the indices and the values of a sparse tensor.

    Attributes:
        index_key: the name of the feature that holds the indices, or a list of names, one for each dimension.
        value_key: the name of the feature that holds the values.
        dtype: float32, int64 or string: that of the values.
        size: the size of the dimension, or a list of sizes.
        already_sorted: whether the indices are in order in each example.

    >>> import penstock as tf
    >>> tf.SparseFeature("at", "value", tf.float32, 10).already_sorted
    False

    Source: TensorFlow 1.x, `tf.SparseFeature`.
    """

    index_key: Any
    value_key: Any
    dtype: Any
    size: Any
    already_sorted: bool = False


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of rows of `shape`, which becomes a dense tensor; shorter ones are padded.

    Attributes:
        shape: the shape of one row.
        dtype: float32, int64 or string.
        allow_missing: whether an example may be without it; `parse_example` wants True.
        default_value: what shorter ones are padded with; None: 0 or "".

    >>> import penstock as tf
    >>> tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True).allow_missing
    True

    Source: TensorFlow 1.x, `tf.FixedLenSequenceFeature`.
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


def value_dtype(spec: Any, key: str) -> DType:
    """The dtype of a feature.

    Raises:
        ValueRuleError (a ValueError): none is given.
        DTypeError (a TypeError): examples hold no such values.
    """
    if spec.dtype is None:
        raise ValueRuleError(f"Missing type for feature {key}. Received feature={spec!r}")
    dtype = as_dtype(spec.dtype)
    if dtype not in (float32, int64, string):
        raise DTypeError(f"feature {key!r} has dtype {dtype.name}; examples hold float32, int64 and string. Read one "
                         "of these, and cast it")  # fmt: skip
    return dtype


def dense_shape(spec: FixedLenFeature, key: str) -> TensorShape:
    """The shape of a feature of fixed length.

    Raises:
        ValueRuleError (a ValueError): a size is not known.
    """
    if spec.shape is None:
        raise ValueRuleError(f"Missing shape for feature {key}. Received feature={spec!r}")
    shape = as_shape(spec.shape)
    dims = shape.as_list() if shape.ndims is not None else [None]
    if dims and dims[0] is None:
        raise ValueRuleError(f"First dimension of shape for feature {key} unknown. Consider using "
                             f"FixedLenSequenceFeature. Received feature={spec!r}")  # fmt: skip
    if None in dims:
        raise ValueRuleError(f"All dimensions of shape for feature {key} need to be known but received {shape!s}")
    return shape


def row_shape(spec: FixedLenSequenceFeature, key: str) -> TensorShape:
    """The shape of one row of a feature that is a sequence.

    Raises:
        ValueRuleError (a ValueError): a size is not known.
    """
    if spec.shape is None:
        raise ValueRuleError(f"Missing shape for feature {key}. Received feature={spec!r}")
    shape = as_shape(spec.shape)
    if shape.ndims is None or None in shape.as_list():
        raise ValueRuleError(f"All dimensions of shape for feature {key} need to be known but received {shape!s}")
    return shape


def index_keys(spec: SparseFeature, key: str) -> tuple[list[str], list[Any]]:
    """The names of the features that hold indices, and the sizes of their dimensions.

    Raises:
        ValueRuleError (a ValueError): a part is missing, or their numbers differ.
    """
    for part in ("index_key", "value_key", "dtype", "size"):
        value = getattr(spec, part)
        if value is None or (isinstance(value, (str, list, tuple)) and not value):
            raise ValueRuleError(f"Missing {part} for SparseFeature {key}: {spec!r}")
    keys = [spec.index_key] if isinstance(spec.index_key, (str, bytes)) else list(spec.index_key)
    sizes = list(spec.size) if isinstance(spec.size, Sequence) else [spec.size]
    if len(keys) != len(sizes):
        raise ValueRuleError(f"SparseFeature {key}: index_key has {len(keys)} names but size {len(sizes)} sizes; there "
                             f"is one size for each: {spec!r}")  # fmt: skip
    return [str(each) for each in keys], sizes
