"""Operators that move elements or speak of shapes: Reshape, Transpose, Concat, Slice, Pad ..."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_entries, known_value
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import int64
from ..onnx_errors import UnsupportedOnnx, known_size
from ..onnx_node import OnnxNode, Value
from ..wire.onnx_types import NarrowTensor
from .elementwise_reads import tensors_to
from .onnx_row import OnnxOp
from .values import (
    Size,
    as_dtype,
    axes_of,
    axis_of,
    constant,
    gather_elements,
    one_axis_indices,
    product,
    rank_of,
    reshaped,
    scalar,
    shape64,
    sizes,
    vector,
    where,
)


def of_codes(rule: Callable[[OnnxNode], Any]) -> Callable[[OnnxNode], Any]:
    """A rule that only moves elements: it does to codes of a narrow type what it does to a tensor."""

    def read(n: OnnxNode) -> Any:
        found = [v.type for v in n.inputs if isinstance(v, NarrowTensor)]
        if not found:
            return rule(n)
        n.inputs = [v.codes if isinstance(v, NarrowTensor) else v for v in n.inputs]
        made = rule(n)
        if isinstance(made, list):
            return [NarrowTensor(each, found[0]) for each in made]
        return NarrowTensor(made, found[0])

    return read


# ---- shapes ------------------------------------------------------------------------------------


def _shape(n: OnnxNode) -> Tensor:
    value = n.value(0)
    x: Any = value.codes if isinstance(value, NarrowTensor) else n.tensor(0)
    start, end = n.int("start", 0), n.int("end", None)
    found = shape64(x)
    if not start and end is None:
        return found
    if x.shape.ndims is None:
        return found[start:end]
    rank = rank_of(x)
    places = range(rank)[slice(start, end)]
    return found[places.start : max(places.stop, places.start)]


def _size(n: OnnxNode) -> Tensor:
    value = n.value(0)
    x: Any = value.codes if isinstance(value, NarrowTensor) else n.tensor(0)
    return ops.cast(ops.size(x), int64)


def _reshape(n: OnnxNode) -> Tensor:
    """0 keeps a size, -1 is what is left."""
    x = n.tensor(0)
    if n.opset < 5:
        return _reshaped_to(x, constant(n.ints("shape")), False)
    return _reshaped_to(x, n.tensor(1), bool(n.int("allowzero", 0)))


def _reshaped_to(x: Tensor, shape: Tensor, zero_is_zero: bool) -> Tensor:
    if zero_is_zero:
        return ops.reshape(x, shape)
    value = known_value(shape)
    if value is not None:
        if not (value == 0).any():
            return ops.reshape(x, shape)
        every = sizes(x)
        return reshaped(x, [every[i] if size == 0 else int(size) for i, size in enumerate(value.tolist())])
    entries = known_entries(shape)
    if isinstance(entries, tuple) and all(isinstance(e, int) and e != 0 for e in entries):
        return ops.reshape(x, shape)
    if shape.shape.raw is None or not isinstance(shape.shape.raw[0], int):
        raise UnsupportedOnnx("the length of its shape is not known before a run")
    length, own = shape.shape.raw[0], shape64(x)
    if isinstance(entries, tuple) and x.shape.ndims is not None:
        every = sizes(x)
        parts: list[Size] = []
        for i, entry in enumerate(entries):
            if isinstance(entry, int):
                parts.append(every[i] if entry == 0 else entry)
            else:
                parts.append(shape[i])
        if not any(isinstance(e, int) and e == 0 for e in entries) and all(e is not None for e in entries):
            return ops.reshape(x, shape)
    padded = ops.concat(0, [own, constant(np.ones(length))])[:length]
    return ops.reshape(x, where(ops.equal(shape, scalar(shape, 0)), as_dtype(padded, shape.dtype), shape))


def _flatten(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    rank = rank_of(x)
    axis = n.int("axis", 1)
    axis = axis + rank if axis < 0 else axis
    every = sizes(x)
    before, after = product(every[:axis]), product(every[axis:])
    if not isinstance(before, int):
        return reshaped(x, [-1, after]) if isinstance(after, int) and after else reshaped(x, [before, after])
    return reshaped(x, [before, -1] if before and not isinstance(after, int) else [before, after])


def _axes_of_node(n: OnnxNode, since_input: int) -> list[int] | None:
    if n.opset >= since_input:
        return n.known_ints(1) if n.has(1) else None
    found: list[int] | None = n.ints("axes", None)
    return found


def _squeeze(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    axes = _axes_of_node(n, 13)
    if axes is None:
        return ops.squeeze(x)
    wanted = axes_of(axes, rank_of(x))
    return ops.squeeze(x, wanted) if wanted else ops.identity(x)


def _unsqueeze(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    axes = _axes_of_node(n, 13)
    if axes is None:
        raise GraphFormatError("its axes are missing")
    rank = rank_of(x) + len(axes)
    found = sorted(axes_of(axes, rank))
    if len(set(found)) != len(found):
        raise GraphFormatError(f"its axes {axes} name one twice")
    rest = iter(sizes(x))
    return reshaped(x, [1 if i in found else next(rest) for i in range(rank)])


def _transpose(n: OnnxNode) -> Tensor:
    return ops.transpose(n.tensor(0), n.ints("perm", None))


def _expand(n: OnnxNode) -> Tensor:
    """Both shapes broadcast: the input's size stays where the other one is 1."""
    x, shape = n.tensor(0), n.tensor(1)
    rank = rank_of(x)
    if shape.shape.raw is None or not isinstance(shape.shape.raw[0], int):
        return ops.broadcast_to(x, shape)
    length = max(rank, shape.shape.raw[0])
    own = vector([*[1] * (length - rank), *sizes(x)])
    given = ops.concat(0, [constant([1] * (length - shape.shape.raw[0])), as_dtype(shape, int64)])
    return ops.broadcast_to(x, where(ops.equal(given, constant([1])), own, given))


# ---- joining and cutting -----------------------------------------------------------------------


def _concat(n: OnnxNode) -> Tensor:
    tensors = n.tensors()
    axis = n.int("axis", 1 if n.opset < 4 else None)
    return ops.concat(axis, tensors) if len(tensors) > 1 else ops.identity(tensors[0])


def _split(n: OnnxNode) -> list[Tensor]:
    x = n.tensor(0)
    axis = axis_of(n.int("axis", 0), rank_of(x))
    lengths = n.ints("split", None) if n.opset < 13 else n.known_ints(1) if n.has(1) else None
    if lengths is None:
        count = n.int("num_outputs", len(n.proto.outputs)) if n.opset >= 18 else len(n.proto.outputs)
        if count != len(n.proto.outputs):
            raise GraphFormatError(f"num_outputs is {count}; it has {len(n.proto.outputs)} outputs")
        whole = sizes(x)[axis]
        if not isinstance(whole, int) or whole % count == 0:
            return list(ops.split(axis, count, x))
        part = -(-whole // count)
        lengths = [part] * (count - 1) + [whole - part * (count - 1)]
    return cut(x, axis, lengths)


def cut(x: Tensor, axis: int, lengths: Sequence[int]) -> list[Tensor]:
    """Parts of given lengths along an axis."""
    parts, start = [], 0
    for length in lengths:
        index = (*[slice(None)] * axis, slice(start, start + length))
        parts.append(x[index])
        start += length
    return parts


_FAR = (1 << 31) - 1


def _slice(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    if n.opset < 10:
        starts, ends = n.ints("starts"), n.ints("ends")
        axes = n.ints("axes", list(range(len(starts))))
        return _sliced(x, starts, ends, axes, [1] * len(starts))
    starts, ends = n.tensor(1), n.tensor(2)
    count = known_size(starts.shape.raw[0] if starts.shape.raw else None, "how many axes it slices is")
    axes = n.known_ints(3) if n.has(3) else list(range(count))
    steps = n.known_ints(4) if n.has(4) else [1] * count
    return _sliced(x, _entries(starts, count), _entries(ends, count), axes, steps)


def _entries(bounds: Tensor, count: int) -> list[Any]:
    value = known_value(bounds)
    if value is not None:
        return [int(v) for v in value]
    known = known_entries(bounds)
    if isinstance(known, tuple):
        return [k if isinstance(k, int) else bounds[i] for i, k in enumerate(known)]
    return [bounds[i] for i in range(count)]


def _sliced(x: Tensor, starts: Sequence[Any], ends: Sequence[Any], axes: Sequence[int], steps: Sequence[int]) -> Tensor:
    index: list[Any] = [slice(None)] * rank_of(x)
    for start, end, axis, step in zip(starts, ends, axes_of(axes, rank_of(x)), steps, strict=True):
        if step < 0:
            index[axis] = _backwards(x, axis, start, end, step)
        else:
            index[axis] = slice(_bound(start), _bound(end), step if step != 1 else None)
    return x[tuple(index)]


def _bound(bound: Any) -> Any:
    if isinstance(bound, int):
        return max(min(bound, _FAR), -_FAR)
    far = constant(_FAR, bound.dtype)
    return ops.minimum(ops.maximum(bound, -far), far)


def _backwards(x: Tensor, axis: int, start: Any, end: Any, step: int) -> Any:
    """Of a slice that runs backwards: a start before the first element is that, an end before it is no end."""
    size = sizes(x)[axis]
    if isinstance(size, int) and isinstance(start, int):
        start = min(max(start + size if start < 0 else start, 0), max(size - 1, 0))
    elif isinstance(start, int) and start >= 0:
        start = _bound(start)
    else:
        first = constant(start) if isinstance(start, int) else as_dtype(start, int64)
        start = ops.maximum(first, -(constant(size) if isinstance(size, int) else size))
    if isinstance(end, int):
        if isinstance(size, int):
            last = end + size if end < 0 else end
            return slice(start, None if last < 0 else last, step)
        if end < -1_000_000:
            return slice(start, None, step)
    # ends of the run: counted from the end, where -size - 1 lies before the first element
    whole = constant(size) if isinstance(size, int) else size
    low = constant(end) if isinstance(end, int) else as_dtype(end, int64)
    low = ops.select(low < constant(0), ops.maximum(low, -whole - constant(1)), low - whole)
    return slice(start, ops.minimum(low, constant(-1)), step)


def _reverse_sequence(n: OnnxNode) -> Tensor:
    """The first elements along one axis in reverse order, for each entry of the other axis as many as it says."""
    x = n.tensor(0)
    batch, time = n.int("batch_axis", 1), n.int("time_axis", 0)
    rank = rank_of(x)
    every = sizes(x)
    lengths = ops.reshape(as_dtype(n.tensor(1), int64), [-1 if i == batch else 1 for i in range(rank)])
    places = one_axis_indices(every[time], rank, time)
    source = where(places < lengths, lengths - constant(1) - places, places)
    return gather_elements(x, ops.broadcast_to(source, ops.shape(x)), time)


def _identity(n: OnnxNode) -> Value:
    value = n.value(0)
    return ops.identity(value) if isinstance(value, Tensor) else value


SHAPES = (
    OnnxOp("Concat", of_codes(_concat)),
    OnnxOp("Expand", of_codes(_expand), 8),
    OnnxOp("Flatten", of_codes(_flatten)),
    OnnxOp("Identity", _identity),
    OnnxOp("Reshape", of_codes(_reshape)),
    OnnxOp("ReverseSequence", of_codes(_reverse_sequence), 10),
    OnnxOp("Shape", _shape),
    OnnxOp("Size", _size),
    OnnxOp("Slice", of_codes(_slice)),
    OnnxOp("Split", of_codes(_split), 2),
    OnnxOp("Squeeze", of_codes(_squeeze)),
    OnnxOp("Tile", of_codes(tensors_to(ops.tile)), 6),
    OnnxOp("Transpose", of_codes(_transpose)),
    OnnxOp("Unsqueeze", of_codes(_unsqueeze)),
)
