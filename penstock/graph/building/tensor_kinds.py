"""Questions about the kind of a value: is_numeric_tensor, assert_proper_iterable, assert_same_float_dtype."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import UseError, ValueRuleError
from ..common.tracebacks import hides_frames
from ..declare.signature import DTypeLike
from ..model.indexed_slices import IndexedSlices
from ..model.nodes import Tensor
from ..model.sparse_tensor import SparseTensor
from ..shapes.dtypes import DType, as_dtype, float32


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether a value is a tensor of numbers.

    Args:
        tensor: anything.

    Returns:
        A bool: True for a tensor of ints, floats or complex numbers; False for others, and for what is no tensor.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.is_numeric_tensor(tf.constant(1)), tf.is_numeric_tensor(tf.constant("a")), tf.is_numeric_tensor(1)
    (True, False, False)

    Source: TensorFlow 1.x, `tf.is_numeric_tensor`.
    """
    if not isinstance(tensor, Tensor):
        return False
    dtype = tensor.dtype
    return dtype.is_integer or dtype.is_floating or dtype.is_complex


@hides_frames
def assert_proper_iterable(values: Any) -> None:
    """Raises a TypeError unless `values` is a list, tuple or other collection: no tensor, array or text.

    Args:
        values: anything.

    Raises:
        TypeError: it is a tensor, an array or a text, or nothing can be iterated over in it.

    >>> import penstock as tf
    >>> tf.assert_proper_iterable([1, 2])
    >>> try:
    ...     tf.assert_proper_iterable("text")
    ... except TypeError as error:
    ...     print(error)
    assert_proper_iterable: Expected argument "values" to be a "proper" iterable.  Found: <class 'str'>. Write [values]

    Source: TensorFlow 1.x, `tf.assert_proper_iterable`.
    """
    if isinstance(values, (Tensor, SparseTensor, IndexedSlices, np.ndarray, str, bytes)):
        raise UseError(f'assert_proper_iterable: Expected argument "values" to be a "proper" iterable.  Found: '
                       f"{type(values)}. Write [values]")  # fmt: skip
    if not hasattr(values, "__iter__"):
        raise UseError(f'assert_proper_iterable: Expected argument "values" to be iterable.  Found: {type(values)}. '
                       "Write [values]")  # fmt: skip


@hides_frames
def assert_same_float_dtype(tensors: Iterable[Any] | None = None, dtype: DTypeLike | None = None) -> DType:
    """The float dtype that tensors have in common.

    Args:
        tensors: a list of tensors; None among them is skipped.
        dtype: the dtype that they must have; None for that of the first.

    Returns:
        The dtype; float32 if neither a tensor nor a dtype is given.

    Raises:
        ValueError: the dtypes differ, or are no floats.
        TypeError: `tensors` is no list.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.assert_same_float_dtype([tf.constant(1.0), None, tf.zeros([3])])
    tf.float32

    Source: TensorFlow 1.x, `tf.assert_same_float_dtype`.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    first = ""
    for each in _tensors(tensors):
        if wanted is None:
            wanted, first = each.dtype, f" as {each.name}"
        if each.dtype.base_dtype is not wanted.base_dtype:
            raise ValueRuleError(
                f"assert_same_float_dtype: {each.name}, type={each.dtype!r}, must be of the same type ({wanted!r})"
                f"{first}. Write tf.cast(x, {wanted!r})"
            )
    wanted = float32 if wanted is None else wanted
    if not wanted.is_floating:
        raise ValueRuleError(f"assert_same_float_dtype: Expected floating point type, got {wanted!r}. Write "
                             "tf.cast(x, tf.float32)")  # fmt: skip
    return wanted


def _tensors(values: Any) -> Sequence[Tensor]:
    if values is None:
        return []
    if not isinstance(values, (list, tuple)):
        raise UseError(f"assert_same_float_dtype: tensors is {values!r:.80}; it must be a list of tensors; write [...]")
    for each in values:
        if each is not None and not isinstance(each, (Tensor, SparseTensor, IndexedSlices)):
            raise UseError(f"assert_same_float_dtype: tensors has {each!r:.80} among its elements; each must be a "
                           "tensor or None; write tf.constant(value)")  # fmt: skip
    return [each for each in values if each is not None]
