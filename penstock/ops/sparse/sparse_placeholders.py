"""`sparse_placeholder`: a sparse tensor whose three parts are fed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import DTypeError
from ...graph.building.constant_evaluation import known_value
from ...graph.declare.signature import DTypeLike
from ...graph.model.nodes import Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dtypes import as_dtype, int64
from ...graph.shapes.shape import as_shape
from ..create.constant_and_placeholder import constant, placeholder, placeholder_with_default
from ..declare.composite import composite

PUBLIC_NAMES = {"tf": "sparse_placeholder", "sparse": "placeholder=sparse_placeholder"}


@composite("SparsePlaceholder")
def sparse_placeholder(dtype: DTypeLike, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor whose value is fed in each run: a `SparseTensorValue`, or a tuple (indices, values, shape).

    Args:
        dtype: the dtype of the values.
        shape: the dense shape, where it is known: a list of sizes, which may be None, or a constant.

    Returns:
        A `SparseTensor` of that dtype and dense shape. It can be fed only where all its parts are.

    Raises:
        TypeError: there is no such dtype, or `shape` is no list of sizes.
        ValueError: a size is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.sparse_placeholder(tf.float32, [2, 3])
    ...     dense = tf.sparse_tensor_to_dense(s)
    ...     print(s.shape, session.run(dense, {s: ([[0, 1]], [5.0], [2, 3])}).tolist())
    (2, 3) [[0.0, 5.0, 0.0], [0.0, 0.0, 0.0]]

    Source: TensorFlow 1.15, `tf.sparse_placeholder`.
    """
    kind = as_dtype(dtype)
    if isinstance(shape, Tensor):
        shape = known_value(shape)  # programs give a constant
        if shape is None:
            raise DTypeError("shape must be a list of sizes, a constant or None, not a tensor that only a run knows")
    if isinstance(shape, np.ndarray) and shape.ndim != 1:
        raise DTypeError(f"shape must be a list of sizes or None, not an array of rank {shape.ndim}")
    sizes = None if shape is None else as_shape(shape)
    rank = None if sizes is None else sizes.ndims
    values = placeholder(kind, [None], name="values")
    indices = placeholder(int64, [None, rank], name="indices")
    if sizes is None:
        return SparseTensor(indices, values, placeholder(int64, [None], name="shape"))
    # What is fed counts; -1 stands for a size that only a feed can give.
    default = [-1 if size is None else size for size in sizes.as_list()] if sizes.ndims is not None else []
    dense_shape = placeholder_with_default(constant(default, int64, [len(default)]), [rank], name="shape")
    return SparseTensor(indices, values, dense_shape).with_stated_shape(sizes)
