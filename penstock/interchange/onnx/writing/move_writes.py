"""Operations that move elements, reduce them and speak of shapes, as nodes of ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import float32, int64
from .elementwise_writes import WriteRule
from .onnx_writer import NotWritten, OnnxWriter, known_sizes, number_of, rank_of

_FAR = (1 << 62) - 1


def as_int64(w: OnnxWriter, tensor: Tensor) -> str:
    """A tensor of ints as int64: a constant where it is known."""
    value = known_value(tensor)
    if value is not None:
        return w.constant(value.astype(np.int64))
    return w.ref(tensor) if tensor.dtype is int64 else w.cast(w.ref(tensor), int64)


def as_vector(w: OnnxWriter, tensor: Tensor) -> str:
    """Ints as a vector of int64."""
    value = known_value(tensor)
    if value is not None:
        return w.constant(value.astype(np.int64).reshape(-1))
    return w.reshape(as_int64(w, tensor), [-1])


def known_axis(tensor: Any) -> int:
    """An axis that is given as a tensor.

    Raises:
        NotWritten: it is not known before a run.
    """
    value = known_value(tensor) if isinstance(tensor, Tensor) else np.asarray(tensor)
    if value is None or value.size != 1:
        raise NotWritten("its axis is not known before a run; write it as a number")
    return int(value.reshape(()))


# ---- shapes ------------------------------------------------------------------------------------


def _identity(w: OnnxWriter, op: Operation) -> str:
    return w.node("Identity", [w.ref(op.inputs[0])])  # what else there is is waited for


def _count_of(name: str) -> WriteRule:
    return lambda w, op: w.cast(w.node(name, [w.ref(op.inputs[0])]), op.outputs[0].dtype)


def _with_sizes(name: str) -> WriteRule:
    """A node of a tensor and sizes, which ONNX has as int64."""
    return lambda w, op: w.node(name, [w.ref(op.inputs[0]), as_int64(w, op.inputs[1])])


def _rank(w: OnnxWriter, op: Operation) -> str:
    shape = w.node("Shape", [w.ref(op.inputs[0])])
    return w.cast(w.node("Size", [shape]), op.outputs[0].dtype)


def _reshape(w: OnnxWriter, op: Operation) -> str:
    return w.reshape(w.ref(op.inputs[0]), as_int64(w, op.inputs[1]))


def _expand_dims(w: OnnxWriter, op: Operation) -> str:
    return w.node("Unsqueeze", [w.ref(op.inputs[0]), as_vector(w, op.inputs[1])])


def _squeeze(w: OnnxWriter, op: Operation) -> str:
    axes = op.args[1]
    return w.node("Squeeze", [w.ref(op.inputs[0]), *([w.ints(*axes)] if axes else [])])


def _transpose(w: OnnxWriter, op: Operation) -> str:
    x, perm = op.args
    if perm is None:
        return w.node("Transpose", [w.ref(x)])
    value = known_value(perm)
    if value is None:
        raise NotWritten("its permutation is not known before a run; write it as numbers")
    return w.node("Transpose", [w.ref(x)], perm=[int(axis) % value.size for axis in value])


def _pad(w: OnnxWriter, op: Operation) -> str:
    x, pairs = op.inputs
    if x.shape.ndims == 0:
        return w.node("Identity", [w.ref(x)])
    flat = w.reshape(w.node("Transpose", [as_int64(w, pairs)], perm=[1, 0]), [-1])
    return w.node("Pad", [w.ref(x), flat, *([w.like(x, 0)] if x.dtype.is_string else [])])


def _identity_n(w: OnnxWriter, op: Operation) -> list[str]:
    return [w.node("Identity", [w.ref(t)]) for t in op.inputs]


# ---- joining and cutting -----------------------------------------------------------------------


def _concat(w: OnnxWriter, op: Operation) -> str:
    axis, values = op.args
    return w.node("Concat", [w.ref(t) for t in values], axis=known_axis(axis))


def _stack(w: OnnxWriter, op: Operation) -> str:
    axis = op.args[1] if op.type == "Stack" else 0
    where = w.ints(axis)
    rows = [w.node("Unsqueeze", [w.ref(t), where]) for t in op.inputs]
    return w.node("Concat", rows, axis=axis)


def _unpack(w: OnnxWriter, op: Operation) -> list[str]:
    if not op.outputs:
        return []
    parts = w.several("Split", [w.ref(op.inputs[0])], len(op.outputs), axis=0, num_outputs=_count(w, op))
    return [w.node("Squeeze", [part, w.ints(0)]) for part in parts]


def _count(w: OnnxWriter, op: Operation) -> int | None:
    return len(op.outputs) if w.opset >= 18 else None


def _split(w: OnnxWriter, op: Operation) -> list[str]:
    dim, _, value = op.args
    return w.several("Split", [w.ref(value)], len(op.outputs), axis=known_axis(dim), num_outputs=_count(w, op))


def _split_sizes(w: OnnxWriter, op: Operation) -> list[str]:
    """A size of -1 is what is left."""
    value, lengths, dim = op.inputs
    axis, known, sizes = known_axis(dim), known_value(lengths), as_int64(w, lengths)
    if known is None or (known < 0).any():
        whole = w.node("Gather", [w.shape(value), w.ints(axis % rank_of(value))], axis=0)
        zero = w.constant(np.array(0))
        given = w.node("ReduceSum", [w.node("Max", [sizes, zero])], keepdims=0)
        sizes = w.node("Where", [w.node("Less", [sizes, zero]), w.node("Sub", [whole, given]), sizes])
    return w.several("Split", [w.ref(value), sizes], len(op.outputs), axis=axis)


def _slice(w: OnnxWriter, op: Operation) -> str:
    """A size of -1 takes the rest."""
    x, begin, size = op.inputs
    if x.shape.ndims == 0:
        return w.node("Identity", [w.ref(x)])
    start, length = as_int64(w, begin), as_int64(w, size)
    end = w.node("Add", [start, length])
    rest = w.node("Less", [length, w.constant(np.array(0))])
    return w.node("Slice", [w.ref(x), start, w.node("Where", [rest, w.constant(np.array(_FAR)), end])])


def _strided_slice(w: OnnxWriter, op: Operation) -> str:
    x, index, bounds = op.args
    name = w.ref(x)
    made = _cut(w, name, rank_of(x), index, bounds)
    return w.node("Identity", [name]) if made == name else made


def _cut(w: OnnxWriter, name: str, rank: int, index: Any, bounds: Any) -> str:
    """Spans are cut with one Slice, numbers taken with their axes dropped, new axes put in at the end."""
    axes = _axes_of(index, rank)

    def number(bound: Any) -> int | str:
        return bound if isinstance(bound, int) else w.reshape(as_int64(w, bounds[bound.number]), [1])

    def column(entries: Sequence[int | str]) -> str:
        """A vector: an array if no run is needed to know it."""
        known = [each for each in entries if isinstance(each, int)]
        if len(known) == len(entries):
            return w.ints(*known)
        parts = [w.ints(each) if isinstance(each, int) else each for each in entries]
        return parts[0] if len(parts) == 1 else w.node("Concat", parts, axis=0)

    starts: list[int | str] = []
    ends: list[int | str] = []
    steps, cut, drop = [], [], []
    for item, axis in axes:
        if not hasattr(item, "start"):
            start = number(item)
            starts.append(start)
            ends.append(_after(w, start) if isinstance(start, str) else start + 1 if start != -1 else _FAR)
            steps.append(1)
            drop.append(axis)
        elif item.start is None and item.stop is None and item.step is None:
            continue
        else:
            step = 1 if item.step is None else item.step
            if not isinstance(step, int):
                raise NotWritten("the step of its slice is not known before a run")
            starts.append(number(item.start) if item.start is not None else 0 if step > 0 else _FAR)
            ends.append(number(item.stop) if item.stop is not None else _FAR if step > 0 else -_FAR)
            steps.append(step)
        cut.append(axis)
    if cut:
        name = w.node("Slice", [name, column(starts), column(ends), w.ints(*cut), column(steps)])
    if drop:
        name = w.node("Squeeze", [name, w.ints(*drop)])
    new = _new_axes(index, rank)
    if new:
        name = w.node("Unsqueeze", [name, w.ints(*new)])
    return name


def _after(w: OnnxWriter, start: str) -> str:
    """The end of a slice of one element: after -1 there is none."""
    return w.node("Where", [w.node("Equal", [start, w.ints(-1)]), w.ints(_FAR), w.node("Add", [start, w.ints(1)])])


def _axes_of(index: Any, rank: int) -> list[tuple[Any, int]]:
    """The items of an index that speak of axes, with these."""
    used = sum(1 for item in index.items if item is not ... and item is not None)
    found, axis = [], 0
    for item in index.items:
        if item is ...:
            axis += rank - used
        elif item is not None:
            found.append((item, axis))
            axis += 1
    return found


def _new_axes(index: Any, rank: int) -> list[int]:
    """Where new axes stand in the result."""
    used = sum(1 for item in index.items if item is not ... and item is not None)
    found, place = [], 0
    for item in index.items:
        if item is None:
            found.append(place)
            place += 1
        elif item is ...:
            place += rank - used
        elif hasattr(item, "start"):
            place += 1
    return found


def _strided_slice_grad(w: OnnxWriter, op: Operation) -> str:
    """Zeros with the gradient at the slice: the places that the slice of their numbers has."""
    shape, dy, index, bounds = op.args
    rank = shape.shape.raw[0] if shape.shape.raw else None
    if not isinstance(rank, int):
        raise NotWritten("the rank of its result is not known before a run")
    sizes = as_int64(w, shape)
    count = w.node("ReduceProd", [sizes], keepdims=0) if rank else w.constant(np.array(1))
    numbers = w.node("Range", [w.constant(np.array(0)), count, w.constant(np.array(1))])
    places = w.reshape(_cut(w, w.reshape(numbers, sizes), rank, index, bounds), [-1])
    zeros = w.node("Expand", [w.like(dy, 0), w.reshape(count, [1])])
    return w.reshape(w.node("ScatterElements", [zeros, places, w.reshape(w.ref(dy), [-1])], axis=0), sizes)


def _broadcast_axes(w: OnnxWriter, op: Operation) -> list[str]:
    """The axes of the common shape where an operand has size 1, or none."""
    lengths = [t.shape.raw[0] if t.shape.raw else None for t in op.inputs]
    known = [length for length in lengths if isinstance(length, int)]
    if len(known) < 2:
        raise NotWritten("the ranks of the operands are not known before a run; give them with set_shape")
    found = []
    for tensor, length in zip(op.inputs, known, strict=True):
        parts = [w.ints(*[1] * (max(known) - length))] if length < max(known) else []
        sizes = w.node("Concat", [*parts, as_int64(w, tensor)], axis=0) if parts else as_int64(w, tensor)
        ones = w.node("NonZero", [w.node("Equal", [sizes, w.ints(1)])])
        found.append(w.cast(w.reshape(ones, [-1]), op.outputs[0].dtype))
    return found


def _reverse(w: OnnxWriter, op: Operation) -> str:
    x, dims = op.inputs
    flips = known_value(dims)
    if flips is None:
        raise NotWritten("the dimensions that it reverses are not known before a run")
    axes = np.flatnonzero(flips).tolist()
    if not axes:
        return w.node("Identity", [w.ref(x)])
    count = len(axes)
    return w.node("Slice", [w.ref(x), w.ints(*[-1] * count), w.ints(*[-_FAR] * count), w.ints(*axes),
                            w.ints(*[-1] * count)])  # fmt: skip


def _roll(w: OnnxWriter, op: Operation) -> str:
    x, shift, axis = op.inputs
    name = w.ref(x)
    shifts, axes = known_value(shift), known_value(axis)
    if shifts is None or axes is None:
        raise NotWritten("its shifts or axes are not known before a run")
    sizes = known_sizes(x)
    for by, at in zip(np.broadcast_to(shifts.reshape(-1), axes.size).tolist(), axes.reshape(-1).tolist(), strict=True):
        size = sizes[at]
        if size and by % size:
            places = (np.arange(size) - by) % size
            name = w.node("Gather", [name, w.constant(places)], axis=at % len(sizes))
    return w.node("Identity", [name]) if name == w.ref(x) else name


# ---- filled with values ------------------------------------------------------------------------


def _like(value: int) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        x, dtype = op.inputs[0], op.outputs[0].dtype
        if dtype.is_string:
            raise NotWritten("ONNX has no tensor of empty strings of a shape of the run")
        shape = w.node("Shape", [w.ref(x)])
        return w.node("Expand", [w.constant(np.array(value).astype(dtype.np)), shape])

    return write


def _fill(w: OnnxWriter, op: Operation) -> str:
    return w.node("Expand", [w.ref(op.inputs[1]), as_int64(w, op.inputs[0])])


def _range(w: OnnxWriter, op: Operation) -> str:
    dtype = op.outputs[0].dtype
    kind = float32 if dtype.is_floating and dtype.size == 2 else dtype
    if dtype.is_integer and (dtype.is_unsigned or dtype.size == 1):
        kind = int64
    made = w.node("Range", [w.ref(t) if t.dtype is kind else w.cast(w.ref(t), kind) for t in op.inputs])
    return made if kind is dtype else w.cast(made, dtype)


def _const(w: OnnxWriter, op: Operation) -> str:
    number_of(op.outputs[0].dtype)
    return w.constant(op.args[0], op.outputs[0].dtype)


MOVE_WRITES: dict[str, WriteRule] = {
    "BroadcastGradientArgs": _broadcast_axes, "BroadcastTo": _with_sizes("Expand"), "Concat": _concat, "Const": _const,
    "EnsureShape": _identity, "ExpandDims": _expand_dims, "Fill": _fill, "Identity": _identity,
    "IdentityAfter": _identity, "IdentityN": _identity_n, "OnesLike": _like(1), "Pack": _stack, "Pad": _pad,
    "PlaceholderWithDefault": _identity, "Range": _range, "Rank": _rank, "Reshape": _reshape, "Reverse": _reverse,
    "Roll": _roll, "Shape": _count_of("Shape"), "Size": _count_of("Size"), "Slice": _slice, "Split": _split,
    "SplitV": _split_sizes, "Squeeze": _squeeze, "Stack": _stack, "StopGradient": _identity,
    "StridedSlice": _strided_slice, "StridedSliceGrad": _strided_slice_grad, "Tile": _with_sizes("Tile"),
    "Transpose": _transpose, "Unpack": _unpack, "ZerosLike": _like(0),
}  # fmt: skip
