"""Reductions: sum, mean, product, extremes, all and any along axes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...graph.declare.signature import BOOL, NUMBERS, REALS
from ...graph.shapes.dtypes import DType, int64, of_numpy, uint64
from ..declare.reduction_decl import reduction, row_major, widened
from .reduction_gradients import differentiate

PUBLIC_NAMES = {"start math": "reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum"}

_ARGUMENTS = """
    Args:
        input_tensor: {dtypes}, any shape.
        axis: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end. None (the default) means all axes, [] means none.
        keepdims: True keeps each reduced axis with size 1. The default is False.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor with the dtype of `input_tensor` and its shape without the reduced axes.
        {note}

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range, or both names of one argument are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.
"""

_SOURCE = """
    Source: TensorFlow 1.x, `tf.{name}`.
    """


def _doc(name: str, law: str, dtypes: str, note: str, example: str) -> str:
    arguments = _ARGUMENTS.format(dtypes=dtypes, note=note)
    lines = [
        ">>> import penstock as tf",
        ">>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():",
    ]
    lines += example.strip("\n").splitlines()
    return f"{law}\n{arguments}\n    " + "\n    ".join(lines) + "\n" + _SOURCE.format(name=name)


# ---- sums ---------------------------------------------------------------------------------------


def _sum(xp: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    wide = row_major(x)
    return wide.sum(axis=axes, keepdims=keepdims, dtype=wide.dtype).astype(x.dtype, copy=False)


reduce_sum = reduction("reduce_sum", "Sum", NUMBERS, _doc(
    "reduce_sum", "The sum of the elements along `axis`: out[i] = sum over j of x[i, j].", "a numeric dtype",
    "Ints wrap; 16-bit floats are summed in float32 and rounded once. The sum of no elements is 0.", """
...     x = tf.constant([[1, 1, 1], [1, 1, 1]])
...     print(session.run(tf.reduce_sum(x)), session.run(tf.reduce_sum(x, 0)))
...     print(session.run(tf.reduce_sum(x, 1, keepdims=True)).tolist())
6 [2 2 2]
[[3], [3]]
"""), _sum, how="sum", ufunc=np.add, numpy=np.sum, fold=operator.add)  # fmt: skip


def _mean(xp: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    if of_numpy(x.dtype).is_integer:
        return _int_mean(x, axes, keepdims, count)
    wide = row_major(x)
    total = wide.sum(axis=axes, keepdims=keepdims, dtype=wide.dtype)
    if count == 0 and wide.dtype.kind == "c":
        return total
    return (total / wide.dtype.type(count)).astype(x.dtype, copy=False)


def _int_mean(x: Any, axes: tuple[int, ...], keepdims: bool, count: int) -> Any:
    """The quotient of the sum, towards zero; the sum is 64 bits wide."""
    total = x.sum(axis=axes, keepdims=keepdims, dtype=_mean_in(of_numpy(x.dtype)).np)
    return _int_quotient(total, count, x.dtype)


def _int_quotient(total: Any, count: int, dtype: Any) -> Any:
    divisor = total.dtype.type(max(count, 1))
    quotient = total // divisor
    quotient = quotient + ((total < 0) & (quotient * divisor != total)).astype(total.dtype)
    return quotient.astype(dtype)


def _mean_in(dtype: DType) -> DType:
    return (uint64 if dtype is uint64 else int64) if dtype.is_integer else widened(dtype)


def _mean_of(total: Any, count: int, dtype: DType) -> Any:
    if dtype.is_integer:
        return _int_quotient(total, count, dtype.np)
    return (total / total.dtype.type(count)).astype(dtype.np, copy=False)


reduce_mean = reduction("reduce_mean", "Mean", NUMBERS, _doc(
    "reduce_mean", "The mean of the elements along `axis`: their sum divided by their number.",
    "a numeric dtype", "That of ints is rounded towards zero; of no elements it is NaN, or 0 (ints, complex).", """
...     x = tf.constant([[1.0, 1.0], [2.0, 2.0]])
...     print(*session.run([tf.reduce_mean(x), tf.reduce_mean(x, 0), tf.reduce_mean(x, 1)]))
1.5 [1.5 1.5] [1. 2.]
"""), _mean, how="mean", ufunc=np.add, wide=_mean_in, finish=_mean_of)  # fmt: skip


def _prod(xp: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    wide = row_major(x)
    return wide.prod(axis=axes, keepdims=keepdims, dtype=wide.dtype).astype(x.dtype, copy=False)


reduce_prod = reduction("reduce_prod", "Prod", NUMBERS, _doc(
    "reduce_prod", "The product of the elements along `axis`.", "a numeric dtype",
    "Ints wrap; 16-bit floats are multiplied in float32 and rounded once. Of no elements it is 1.", """
...     print(session.run(tf.reduce_prod([[1, 2, 3], [4, 5, 6]], axis=1)))
[  6 120]
"""), _prod, how="prod", ufunc=np.multiply, numpy=np.prod, fold=operator.mul)  # fmt: skip


# ---- extremes -----------------------------------------------------------------------------------


def _extreme(which: str, xp: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if any(x.shape[axis] == 0 for axis in axes):
        return _extreme_of_nothing(which, xp, x, axes, keepdims)
    # The order decides which of 0 and -0 it is. The 16-bit loops of array modules are slow; widening is exact.
    wide = row_major(x)
    return getattr(wide, which)(axis=axes, keepdims=keepdims).astype(x.dtype, copy=False)


def _extreme_of_nothing(which: str, xp: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    dtype = of_numpy(x.dtype)
    neutral = float("-inf" if which == "max" else "inf") if dtype.is_floating else getattr(
        dtype, "min" if which == "max" else "max")  # fmt: skip
    if keepdims:
        shape = tuple(1 if i in axes else d for i, d in enumerate(x.shape))
    else:
        shape = tuple(d for i, d in enumerate(x.shape) if i not in axes)
    return xp.full(shape, neutral, x.dtype)


def _max(xp: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return _extreme("max", xp, x, axes, keepdims)


def _min(xp: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return _extreme("min", xp, x, axes, keepdims)


reduce_max = reduction("reduce_max", "Max", REALS, _doc(
    "reduce_max", "The largest of the elements along `axis`.", "an int or float dtype",
    "NaN where one element is NaN. The maximum of no elements is -inf, of ints the smallest int.", """
...     print(session.run(tf.reduce_max([[1, 5], [3, 2]], axis=0)))
[3 5]
"""), _max, how="max", ufunc=np.maximum, numpy=(np.max, np.amax))  # fmt: skip

reduce_min = reduction("reduce_min", "Min", REALS, _doc(
    "reduce_min", "The smallest of the elements along `axis`.", "an int or float dtype",
    "NaN where one element is NaN. The minimum of no elements is inf, of ints the largest int.", """
...     print(session.run(tf.reduce_min([[1, 5], [3, 2]], axis=0)))
[1 2]
"""), _min, how="min", ufunc=np.minimum, numpy=(np.min, np.amin))  # fmt: skip


# ---- logic --------------------------------------------------------------------------------------


def _any(xp: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return x.any(axis=axes, keepdims=keepdims)


def _all(xp: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return x.all(axis=axes, keepdims=keepdims)


reduce_any = reduction("reduce_any", "Any", BOOL, _doc(
    "reduce_any", "True where at least one element along `axis` is True.", "bool", "Of no elements it is False.", """
...     print(session.run(tf.reduce_any([[True, False], [False, False]], axis=1)))
[ True False]
"""), _any, how="any", ufunc=np.logical_or, numpy=np.any)  # fmt: skip

reduce_all = reduction("reduce_all", "All", BOOL, _doc(
    "reduce_all", "True where all elements along `axis` are True.", "bool", "Of no elements it is True.", """
...     print(session.run(tf.reduce_all([[True, False], [True, True]], axis=1)))
[False  True]
"""), _all, how="all", ufunc=np.logical_and, numpy=np.all)  # fmt: skip


differentiate(reduce_sum, reduce_mean, reduce_prod, reduce_max, reduce_min)
