"""TensorFlow 1.x's pad, transpose, gather_nd and strided_slice, with the arguments that the reference pages lack."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from .. import Tensor
from ..derivatives import rule_namespace as ops
from ..errors import DTypeError, ShapeError, ValueRuleError
from ..graph.building.constant_evaluation import known_value
from ..graph.declare.signature import TensorLike
from ..graph.shapes.literal import literal
from ..ops.declare.composite import composite, name_of_scope, reported_as_call
from ..ops.declare.plain_values import flag
from ..ops.index.batched_gather import gather_nd_in_batches
from ..ops.move.mirrored_borders import mirrored
from .checks import one_int

_MODES = ("CONSTANT", "REFLECT", "SYMMETRIC")


@reported_as_call("Pad", input="tensor")
def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: TensorLike = 0,
) -> Tensor:
    """`tensor` with elements added before and after its own along each dimension.

    Args:
        tensor: any dtype and shape.
        paddings: int32 or int64 of shape (rank, 2): how many elements are added before and after.
        mode: what is added: "CONSTANT" a value; "REFLECT" the border mirrored, without the outermost elements;
            "SYMMETRIC" the border mirrored, with them.
        constant_values: the value of "CONSTANT", a scalar of the dtype of `tensor`.

    Returns:
        A tensor with the dtype of `tensor` and its shape, each size plus its two paddings.

    Raises:
        TypeError: `paddings` is not int, or `constant_values` has another dtype.
        ValueError: `mode` is another one, the shape of `paddings` does not fit, a known padding is negative, or larger
            than the border that is mirrored.
        InvalidArgumentError (when run): the same.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.pad([1, 2, 3], [[2, 1]], "REFLECT")), session.run(tf.pad([1, 2, 3], [[2, 1]],
    ...           "SYMMETRIC")), session.run(tf.pad([1, 2], [[1, 0]], constant_values=9)))
    [3 2 1 2 3 2] [2 1 1 2 3 3] [9 1 2]

    Source: TensorFlow 1.x, `tf.pad`.
    """
    if not isinstance(mode, str) or mode.upper() not in _MODES:
        raise ValueRuleError(f"Unknown padding mode: {mode!r}; it is one of {', '.join(_MODES)}")
    if mode.upper() != "CONSTANT":
        return mirrored(tensor, paddings, mode.upper() == "REFLECT", name=name)
    if isinstance(constant_values, (int, float)) and not constant_values:
        return ops.pad(tensor, paddings, name=name)
    return _padded_with(tensor, paddings, constant_values, name=name)


@composite("PadV2")
def _padded_with(tensor: TensorLike, paddings: TensorLike, value: TensorLike, name: str | None = None) -> Tensor:
    given = ops.convert_to_tensor(tensor)
    filler = ops.convert_to_tensor(value, given.dtype)
    if filler.shape.ndims not in (None, 0):
        raise ShapeError(f"constant_values must be a scalar, but has the shape {filler.shape}")
    padded = ops.pad(given, paddings)
    inside = ops.pad(ops.ones_like(given, "bool"), paddings)
    return ops.select(inside, padded, ops.fill(ops.shape(padded), filler), name_of_scope())


@reported_as_call("transpose")
def transpose(
    a: TensorLike, perm: TensorLike | None = None, name: str = "transpose", conjugate: bool = False
) -> Tensor:
    """`a` with its dimensions permuted: dimension i of the result is dimension perm[i] of `a`.

    Args:
        a: any dtype and shape.
        perm: an int32 or int64 vector that names each dimension once. None (the default) reverses the order.
        conjugate: True conjugates complex numbers too.

    Returns:
        A tensor with the dtype of `a` and its shape in the order of `perm`.

    Raises:
        TypeError: `perm` is not int, or `conjugate` is not a bool.
        ValueError: `perm` is not a vector, its known length is not the rank, or a known entry is out of range.
        InvalidArgumentError (when run): the length does not fit, or an entry is out of range or occurs twice.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.transpose([[1, 2], [3, 4]])).tolist())
    [[1, 3], [2, 4]]

    Source: TensorFlow 1.x, `tf.transpose`.
    """
    if flag("conjugate", conjugate):
        return _conjugate_transposed(a, perm, name=name)
    return ops.transpose(a, perm, name=name)


@composite("transpose")
def _conjugate_transposed(a: TensorLike, perm: TensorLike | None, name: str | None = None) -> Tensor:
    turned = ops.transpose(a, perm)
    return ops.conj(turned, name_of_scope()) if turned.dtype.is_complex else turned


@reported_as_call("GatherNd")
def gather_nd(params: TensorLike, indices: TensorLike, name: str | None = None, batch_dims: int = 0) -> Tensor:
    """Slices of `params` at index vectors, in each part of a batch.

    Args:
        params: any dtype, rank 1 or higher.
        indices: int16, int32 or int64, index vectors along the last axis.
        batch_dims: how many first dimensions of both are one batch, a Python int.

    Returns:
        A tensor of shape indices.shape[:-1] + params.shape[batch_dims + length of the vectors:] with the dtype of
        `params`.

    Raises:
        TypeError: `indices` or `batch_dims` is not int.
        ValueError: known shapes do not fit, or `batch_dims` is out of range.
        InvalidArgumentError (when run): an index vector is out of range.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.gather_nd([[1, 2], [3, 4]], [[1], [0]], batch_dims=1)))
    [2 3]

    Source: TensorFlow 1.x, `tf.gather_nd`.
    """
    batch = one_int("batch_dims", batch_dims)
    if batch == 0:
        return ops.gather_nd(params, indices, name=name)
    return gather_nd_in_batches(params, indices, batch, name=name)


@composite("StridedSlice")
def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """The part of `input_` that `input_[begin:end:strides]` names, with a bound of each entry and masks of bits.

    Args:
        input_: any dtype.
        begin, end, strides: int vectors of one length that is known; strides are 1 where left out.
        begin_mask, end_mask: bit i says that begin[i] or end[i] is left out.
        ellipsis_mask: bit i says that entry i stands for `...`; at most one bit.
        new_axis_mask: bit i says that entry i adds an axis of size 1.
        shrink_axis_mask: bit i says that entry i is the index begin[i], and its axis goes.
        var: None; slices of variables are assigned with `variable[...].assign`.

    Returns:
        A tensor with the dtype of `input_` and the shape of the part.

    Raises:
        TypeError: a bound or a mask is not int.
        ValueError: the lengths differ or are not known, a stride is 0, an index is out of range, or `var` is given.
        InvalidArgumentError (when run): an index is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([[1, 2, 3], [4, 5, 6]])
    ...     print(session.run(tf.strided_slice(x, [0, 2], [2, 0], [1, -1], end_mask=2)).tolist())
    ...     print(session.run(tf.strided_slice(x, [1, 0], [2, 3], shrink_axis_mask=1)))
    [[3, 2, 1], [6, 5, 4]]
    [4 5 6]

    Source: TensorFlow 1.x, `tf.strided_slice`.
    """
    if var is not None:
        raise ValueRuleError("var is given; a slice of a variable is assigned with variable[...].assign(value)")
    starts = _entries("begin", begin)
    stops = _entries("end", end)
    steps = [1] * len(starts) if strides is None else _entries("strides", strides)
    if not len(starts) == len(stops) == len(steps):
        raise ValueRuleError(f"begin, end and strides have {len(starts)}, {len(stops)} and {len(steps)} entries; they "
                             "must be as many")  # fmt: skip
    masks = {"begin_mask": begin_mask, "end_mask": end_mask, "ellipsis_mask": ellipsis_mask,
             "new_axis_mask": new_axis_mask, "shrink_axis_mask": shrink_axis_mask}  # fmt: skip
    bits = {label: one_int(label, mask) for label, mask in masks.items()}
    if bits["ellipsis_mask"] & (bits["ellipsis_mask"] - 1):
        raise ValueRuleError("Multiple ellipses in slice spec not allowed")
    index: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        has = {label: bool(mask >> i & 1) for label, mask in bits.items()}
        if has["ellipsis_mask"]:
            index.append(...)
        elif has["new_axis_mask"]:
            index.append(None)
        elif has["shrink_axis_mask"]:
            index.append(start)
        else:
            index.append(slice(None if has["begin_mask"] else start, None if has["end_mask"] else stop, step))
    return ops.convert_to_tensor(input_)[tuple(index)]


def _entries(label: str, value: Any) -> Sequence[Any]:
    """The entries of a vector: ints where they are known, else scalars."""
    tensor = value if isinstance(value, Tensor) else None
    if tensor is None and isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
        return list(value)
    if tensor is None:
        array = literal(value)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise DTypeError(f"{label} must be a vector of ints, not {value!r}")
        return [int(each) for each in array]
    known = known_value(tensor)
    if known is not None:
        return [int(each) for each in known.reshape(-1)]
    count = tensor.shape[0].value if tensor.shape.ndims == 1 else None
    if count is None:
        raise ValueRuleError(f"the length of {label} must be known when the graph is built")
    return [tensor[i] for i in builtins.range(count)]
