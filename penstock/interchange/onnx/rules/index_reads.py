"""Operators that take and put elements by indices, and that make tensors from sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import bool_, float32, int32, int64, string
from ..onnx_errors import UnsupportedOnnx, known_size
from ..onnx_node import OnnxNode
from ..wire.onnx_types import NarrowTensor, dtype_of
from .onnx_row import OnnxOp
from .shape_reads import of_codes
from .values import (
    Size,
    as_dtype,
    axis_of,
    common_shape,
    constant,
    full_index,
    gather_elements,
    one_axis_indices,
    permuted,
    product,
    rank_of,
    reshaped,
    scalar,
    shape64,
    sizes,
    take,
    to_front,
    vector,
    where,
    wrapped,
)


def _gather(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    if x.shape.ndims is None and not n.int("axis", 0):
        return ops.gather(x, wrapped(n.tensor(1), ops.shape(x)[0]))
    axis = axis_of(n.int("axis", 0), rank_of(x))
    return take(x, wrapped(n.tensor(1), sizes(x)[axis]), axis)


def _gather_elements(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    return gather_elements(x, n.tensor(1), axis_of(n.int("axis", 0), rank_of(x)))


def _wrapped_rows(indices: Tensor, x: Tensor, skipped: int) -> Tensor:
    """Rows of indices, counted from the start."""
    value = known_value(indices)
    if value is not None and not (value < 0).any():
        return indices
    depth = known_size(indices.shape.raw[-1] if indices.shape.raw else None, "the length of its index tuples is")
    bounds = as_dtype(vector(sizes(x)[skipped : skipped + depth]), indices.dtype)
    return where(indices < scalar(indices, 0), indices + bounds, indices)


def _gather_nd(n: OnnxNode) -> Tensor:
    x, indices = n.tensor(0), n.tensor(1)
    batch = n.int("batch_dims", 0)
    depth = indices.shape.raw[-1] if indices.shape.raw else None
    rest = x.shape.raw[batch + depth :] if x.shape.raw is not None and isinstance(depth, int) else ()
    whole = [*(indices.shape.raw or ())[:-1], *rest]
    if 0 in rest and all(isinstance(size, int) for size in whole):  # TensorFlow's GatherNd refuses that
        return ops.zeros(whole, x.dtype)
    rows = _wrapped_rows(indices, x, batch)
    if not batch:
        return ops.gather_nd(x, rows)
    own = rank_of(indices)
    every = sizes(indices)
    shape = vector([*every[:-1], 1])
    parts = [ops.broadcast_to(one_axis_indices(every[i], own, i, rows.dtype), shape) for i in range(batch)]
    return ops.gather_nd(x, ops.concat(own - 1, [*parts, rows]))


def scattered(x: Tensor, rows: Tensor, updates: Tensor, reduction: str) -> Tensor:
    """`x` with updates at rows of indices, joined with what stands there; rows: [count, rank]."""
    if reduction == "none":
        return ops.tensor_scatter_nd_update(x, rows, updates)
    if reduction == "add":
        return x + ops.scatter_nd(rows, updates, shape64(x)) if rows.dtype is int64 else scattered(
            x, ops.cast(rows, int64), updates, reduction
        )
    # The place of each update in the flat tensor is a segment; x itself is one more update of each place.
    depth = known_size(rows.shape.raw[-1] if rows.shape.raw else None, "the length of its index tuples is")
    every = sizes(x)
    strides: list[Size] = []
    stride: Size = 1
    for size in reversed(every[:depth]):
        strides.append(stride)
        stride = product([stride, size])
    places = ops.reduce_sum(ops.cast(rows, int64) * vector(strides[::-1]), -1)
    count = stride
    flat_x = reshaped(x, [count, product(every[depth:])])
    flat_updates = reshaped(updates, [-1, product(every[depth:])])
    whole = constant(count) if isinstance(count, int) else count
    segments = ops.concat(0, [ops.range(constant(0), whole), ops.reshape(places, [-1])])
    joined = ops.concat(0, [flat_x, flat_updates])
    function = {"mul": ops.unsorted_segment_prod, "max": ops.unsorted_segment_max, "min": ops.unsorted_segment_min}.get(
        reduction
    )
    if function is None:
        raise UnsupportedOnnx(f"its reduction is {reduction!r}")
    return ops.reshape(function(joined, segments, whole), ops.shape(x))


def _scatter_nd(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    return scattered(x, _wrapped_rows(n.tensor(1), x, 0), n.tensor(2), n.text("reduction", "none"))


def _scatter_elements(n: OnnxNode) -> Tensor:
    x, indices, updates = n.tensor(0), n.tensor(1), n.tensor(2)
    axis = axis_of(n.int("axis", 0), rank_of(x))
    rows = full_index(wrapped(indices, sizes(x)[axis]), axis)
    flat = ops.reshape(rows, [-1, rank_of(x)])
    return scattered(x, flat, ops.reshape(updates, [-1]), n.text("reduction", "none"))


def _one_hot(n: OnnxNode) -> Tensor:
    """Indices may count from the end; others give a row of the off value."""
    indices, depth, values = n.tensor(0), ops.reshape(n.tensor(1), []), n.tensor(2)
    depth64 = ops.cast(depth, int64)
    index = ops.cast(indices, int64)
    index = where(index < constant(0), index + depth64, index)
    axis = n.int("axis", -1)
    rank = rank_of(indices)
    axis = axis + rank + 1 if axis < 0 else axis
    line = ops.range(constant(0), depth64)
    shape = [-1 if i == axis else 1 for i in range(rank + 1)]
    found = ops.equal(ops.expand_dims(index, axis), ops.reshape(line, shape))
    return where(found, values[1], values[0])


def _nonzero(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    if rank_of(x) == 0:
        x = ops.reshape(x, [1])
        return ops.transpose(ops.where(x if x.dtype is bool_ else ops.not_equal(x, scalar(x, 0))))[:0]
    return ops.transpose(ops.where(x if x.dtype is bool_ else ops.not_equal(x, scalar(x, 0))))


def _compress(n: OnnxNode) -> Tensor:
    x, condition = n.tensor(0), n.tensor(1)
    axis = n.int("axis", None)
    if axis is None:
        x, axis = ops.reshape(x, [-1]), 0
    places = ops.reshape(ops.where(condition), [-1])
    return take(x, places, axis_of(axis, rank_of(x)))


def _trilu(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    k = ops.cast(ops.reshape(n.tensor(1), []), int64) if n.has(1) else constant(0)
    rows, columns = sizes(x)[-2:]
    distance = one_axis_indices(columns, 2, 1) - one_axis_indices(rows, 2, 0)
    keeps = distance >= k if n.int("upper", 1) else distance <= k
    return where(keeps, x, ops.zeros_like(x))


def _eye_like(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    dtype = dtype_of(n.int("dtype")) if "dtype" in n.attributes else x.dtype
    rows, columns = sizes(x)
    distance = one_axis_indices(columns, 2, 1) - one_axis_indices(rows, 2, 0)
    return ops.cast(ops.equal(distance, constant(n.int("k", 0))), dtype)


def _range(n: OnnxNode) -> Tensor:
    start, limit, delta = [ops.reshape(t, []) for t in n.tensors()]
    if start.dtype in (int32, int64) or (start.dtype.is_floating and start.dtype.size > 2):
        return ops.range(start, limit, delta)
    first, last, step = [ops.cast(t, float32 if t.dtype.is_floating else int64) for t in (start, limit, delta)]
    return ops.cast(ops.range(first, last, step), start.dtype)


def _constant(n: OnnxNode) -> Any:
    if "value" in n.attributes:
        proto = n.attributes["value"].t
        if proto is None:
            raise GraphFormatError("its value is missing")
        array, type = n.scope.state.arrays.read(proto)
        return n.scope.constant(array, "value", type)
    if "sparse_value" in n.attributes and (sparse := n.attributes["sparse_value"].sparse_tensor) is not None:
        array, type = n.scope.state.arrays.sparse(sparse)
        return n.scope.constant(array, "value", type)
    for name, read, dtype in (
        ("value_float", n.float, np.float32), ("value_floats", n.floats, np.float32),
        ("value_int", n.int, np.int64), ("value_ints", n.ints, np.int64),
    ):  # fmt: skip
        if name in n.attributes:
            return n.scope.constant(np.array(read(name), dtype), "value")
    strings = n.strings("value_strings", None)
    if strings is None:
        return n.scope.constant(np.array(n.attributes["value_string"].s, object), "value")
    found = np.empty(len(strings), object)
    found[:] = strings
    return n.scope.constant(found, "value")


def _constant_of_shape(n: OnnxNode) -> Any:
    shape = n.tensor(0)
    proto = n.attributes["value"].t if "value" in n.attributes else None
    if proto is None:
        return ops.fill(shape, constant(0, float32))
    array, type = n.scope.state.arrays.read(proto)
    element = n.scope.constant(array.reshape(()), "value", type)
    if isinstance(element, NarrowTensor):
        return NarrowTensor(ops.fill(shape, element.codes), element.type)
    return ops.fill(shape, element)


def _unique(n: OnnxNode) -> list[Tensor]:
    """Values in order, where each is first, which one each element is, and how often each occurs."""
    x = n.tensor(0)
    axis = n.int("axis", None)
    is_sorted = n.int("sorted", 1)
    if axis is None:
        flat = ops.reshape(x, [-1])
        keys = flat
    else:
        axis = axis_of(axis, rank_of(x))
        flat, _ = to_front(x, axis)
        keys = _row_numbers(ops.reshape(flat, vector([sizes(flat)[0], product(sizes(flat)[1:])])))
    if keys.dtype is string and is_sorted:
        raise UnsupportedOnnx("it puts strings in order")
    if not is_sorted and axis is None:
        values, inverse = ops.unique(keys, int64)
        places, count = ops.range(constant(0), shape64(inverse)[0]), shape64(values)[0]
        first = ops.unsorted_segment_min(places, inverse, count)
        return [values, first, inverse, ops.unsorted_segment_sum(ops.ones_like(places), inverse, count)]
    if not is_sorted:
        _, inverse = ops.unique(keys)
    elif axis is None:
        values, by_order = ops.unique(keys)
        inverse = ops.gather(ops.argsort(ops.argsort(values)), by_order)
    else:
        inverse = keys
    inverse = ops.cast(inverse, int64)
    count = ops.reduce_max(inverse) + constant(1)
    length = shape64(inverse)[0]
    places = ops.range(constant(0), length)
    first = ops.unsorted_segment_min(places, inverse, count)
    counts = ops.unsorted_segment_sum(ops.ones_like(places), inverse, count)
    values = ops.gather(flat, first)
    if axis is not None:
        rank = rank_of(x)
        values = permuted(values, [*range(1, axis + 1), 0, *range(axis + 1, rank)])
    return [values, first, inverse, counts]


def _row_numbers(rows: Tensor) -> Tensor:
    """For each row how many different rows come before it in lexicographic order."""
    size = known_size(sizes(rows)[1], "the length of the slices that it compares is")
    numbers = ops.zeros_like(rows[:, 0], dtype=int64) if size == 0 else _ranks(rows[:, 0])
    for i in range(1, size):
        own = _ranks(rows[:, i])
        numbers = _ranks(numbers * (ops.reduce_max(own) + constant(1)) + own)
    return numbers


def _ranks(column: Tensor) -> Tensor:
    """For each element how many different smaller ones there are."""
    values, inverse = ops.unique(column)
    return ops.cast(ops.gather(ops.argsort(ops.argsort(values)), inverse), int64)


def _tensor_scatter(n: OnnxNode) -> Tensor:
    """Writes a piece into a cache along an axis, from an index for each batch."""
    past, update = n.tensor(0), n.tensor(1)
    rank = rank_of(past)
    axis = axis_of(n.int("axis", -2), rank)
    every = sizes(update)
    length = sizes(past)[axis]
    rows = [one_axis_indices(every[i], rank, i) for i in range(rank)]
    if n.has(2):
        start = ops.reshape(as_dtype(n.tensor(2), int64), [-1] + [1] * (rank - 1))
        rows[axis] = rows[axis] + start
    if n.text("mode", "linear") == "circular":
        rows[axis] = ops.floormod(rows[axis], constant(length) if isinstance(length, int) else length)
    shape = common_shape(update)
    full = [ops.broadcast_to(row, vector(list(shape)) if isinstance(shape, tuple) else shape) for row in rows]
    return ops.tensor_scatter_nd_update(past, ops.stack(full, axis=rank), update)


INDEXING = (
    OnnxOp("Compress", _compress, 9),
    OnnxOp("Constant", _constant),
    OnnxOp("ConstantOfShape", _constant_of_shape, 9),
    OnnxOp("EyeLike", _eye_like, 9),
    OnnxOp("Gather", of_codes(_gather)),
    OnnxOp("GatherElements", of_codes(_gather_elements), 11),
    OnnxOp("GatherND", of_codes(_gather_nd), 11),
    OnnxOp("NonZero", _nonzero, 9),
    OnnxOp("OneHot", _one_hot, 9),
    OnnxOp("Range", _range, 11),
    OnnxOp("Scatter", _scatter_elements, 9),
    OnnxOp("ScatterElements", _scatter_elements, 11),
    OnnxOp("ScatterND", _scatter_nd, 11),
    OnnxOp("TensorScatter", _tensor_scatter, 24),
    OnnxOp("Trilu", _trilu, 14),
    OnnxOp("Unique", _unique, 11),
)
