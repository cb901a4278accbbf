"""Operations that move elements, reduce them and speak of shapes, as nodes of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import bool_, int32, int64
from .elementwise_writes import WriteRule, refuse_complex
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


def _shape(w: OnnxWriter, op: Operation) -> str:
    return w.cast(w.node("Shape", [w.ref(op.inputs[0])]), op.outputs[0].dtype)


def _size(w: OnnxWriter, op: Operation) -> str:
    return w.cast(w.node("Size", [w.ref(op.inputs[0])]), op.outputs[0].dtype)


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
    return w.node("Transpose", [w.ref(x)], perm=value.tolist())


def _broadcast(w: OnnxWriter, op: Operation) -> str:
    return w.node("Expand", [w.ref(op.inputs[0]), as_int64(w, op.inputs[1])])


def _tile(w: OnnxWriter, op: Operation) -> str:
    return w.node("Tile", [w.ref(op.inputs[0]), as_int64(w, op.inputs[1])])


def _pad(w: OnnxWriter, op: Operation) -> str:
    x, pairs = op.inputs
    if x.shape.ndims == 0:
        return w.node("Identity", [w.ref(x)])
    flat = w.reshape(w.node("Transpose", [as_int64(w, pairs)], perm=[1, 0]), [-1])
    return w.node("Pad", [w.ref(x), flat, *([w.like(x, 0)] if x.dtype.is_string else [])])


def _identity(w: OnnxWriter, op: Operation) -> str:
    return w.node("Identity", [w.ref(op.inputs[0])])


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
    value, lengths, dim = op.inputs
    known = known_value(lengths)
    if known is None or (known < 0).any():
        raise NotWritten("its sizes are not known before a run, or one is -1; write them as numbers")
    return w.several("Split", [w.ref(value), as_int64(w, lengths)], len(op.outputs), axis=known_axis(dim))


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
    """Spans are cut with one Slice, numbers taken with their axes dropped, new axes put in at the end."""
    x, index, bounds = op.args
    name, rank = w.ref(x), rank_of(x)
    axes = _axes_of(index, rank)

    def number(bound: Any) -> str:
        if isinstance(bound, int):
            return w.ints(bound)
        return w.reshape(as_int64(w, bounds[bound.number]), [1])

    starts, ends, steps, cut, drop = [], [], [], [], []
    for item, axis in axes:
        if not hasattr(item, "start"):
            start = number(item)
            starts.append(start)
            ends.append(w.ints(item + 1 if item != -1 else _FAR) if isinstance(item, int) else _after(w, start))
            steps.append(w.ints(1))
            drop.append(axis)
        elif item.start is None and item.stop is None and item.step is None:
            continue
        else:
            step = 1 if item.step is None else item.step
            if not isinstance(step, int):
                raise NotWritten("the step of its slice is not known before a run")
            starts.append(number(item.start) if item.start is not None else w.ints(0 if step > 0 else _FAR))
            ends.append(number(item.stop) if item.stop is not None else w.ints(_FAR if step > 0 else -_FAR))
            steps.append(w.ints(step))
        cut.append(axis)
    if cut:
        parts = [starts[0] if len(starts) == 1 else w.node("Concat", column, axis=0) if len(column) > 1 else column[0]
                 for column in (starts, ends, steps)]  # fmt: skip
        if len(starts) == 1:
            parts = [starts[0], ends[0], steps[0]]
        name = w.node("Slice", [name, parts[0], parts[1], w.ints(*cut), parts[2]])
    if drop:
        name = w.node("Squeeze", [name, w.ints(*drop)])
    new = _new_axes(index, rank)
    if new:
        name = w.node("Unsqueeze", [name, w.ints(*new)])
    return w.node("Identity", [name]) if name == w.ref(x) else name


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
    _, dy, _, bounds = op.args
    if bounds:
        raise NotWritten("the bounds of its slice are not known before a run")
    target = known_value(op.args[0])
    if target is None:
        raise NotWritten("the shape of its result is not known before a run")
    index = op.args[2]
    sizes = [int(v) for v in target]
    items = tuple([slice(i.start, i.stop, i.step) if hasattr(i, "start") else i for i in index.items])
    places = np.arange(int(np.prod(sizes))).reshape(sizes)[items].reshape(-1)
    zeros = w.constant(np.full(int(np.prod(sizes)), b"" if dy.dtype.is_string else 0, dy.dtype.np), dy.dtype)
    flat = w.reshape(w.ref(dy), [-1])
    return w.reshape(w.node("ScatterElements", [zeros, w.constant(places), flat], axis=0), sizes)


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


# ---- reductions --------------------------------------------------------------------------------


def _reduce(name: str, as_ints: bool = False) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        refuse_complex(op)
        x, axis, keep = op.args[:3]
        inputs, value = [w.cast(w.ref(x), int32) if as_ints else w.ref(x)], None
        if axis is not None:
            value = known_value(axis)
            if (value is not None and value.size == 0) or axis.shape.raw == (0,):
                return w.node("Identity", inputs)
            inputs.append(as_vector(w, axis))
        keepdims, none = int(bool(keep)), 1 if axis is not None and value is None else None
        if w.opset >= 18 or name == "ReduceSum":
            return w.node(name, inputs, keepdims=keepdims, noop_with_empty_axes=none)
        if axis is not None and value is None:
            raise NotWritten("its axes are not known before a run")
        return w.node(name, inputs[:1], keepdims=keepdims, axes=None if value is None else value.reshape(-1).tolist())

    return write


def _mean(w: OnnxWriter, op: Operation) -> str:
    """The mean of nothing is nan, which onnxruntime's ReduceMean does not know."""
    x = op.args[0]
    if x.shape.raw is not None and 0 in x.shape.raw and x.dtype.is_floating:
        return w.node("Div", [str(_reduce("ReduceSum")(w, op)), w.like(x, 0)])
    return str(_reduce("ReduceMean")(w, op))


def _reduce_bool(name: str) -> WriteRule:
    """All is the least, Any the largest; of nothing these are the ends of int32."""
    inner = _reduce(name, as_ints=True)

    def write(w: OnnxWriter, op: Operation) -> str:
        return w.node("Greater", [str(inner(w, op)), w.constant(np.array(0), int32)])

    return write


def _arg(name: str) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        x, axis = op.args[:2]
        refuse_complex(op)
        values = w.cast(w.ref(x), int32) if x.dtype is bool_ else w.ref(x)
        found = w.node(name, [values], axis=0 if axis is None else known_axis(axis), keepdims=0)
        return w.cast(found, op.outputs[0].dtype) if op.outputs[0].dtype is not int64 else found

    return write


def _cumulative(name: str) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        refuse_complex(op)
        x, axis, exclusive, reverse = op.args
        if name == "CumProd" and w.opset < 26:
            raise NotWritten("ONNX has CumProd since opset 26, which is newer than the one that is written")
        return w.node(name, [w.ref(x), as_int64(w, axis)], exclusive=int(exclusive), reverse=int(reverse))

    return write


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
    bounds = [w.ref(t) if t.dtype is dtype else w.cast(w.ref(t), dtype) for t in op.inputs]
    return w.node("Range", bounds)


def _const(w: OnnxWriter, op: Operation) -> str:
    number_of(op.outputs[0].dtype)
    return w.constant(op.args[0], op.outputs[0].dtype)


def _with_default(w: OnnxWriter, op: Operation) -> str:
    return w.node("Identity", [w.ref(op.inputs[0])])


MOVE_WRITES: dict[str, WriteRule] = {
    "All": _reduce_bool("ReduceMin"), "Any": _reduce_bool("ReduceMax"), "ArgMax": _arg("ArgMax"),
    "ArgMin": _arg("ArgMin"), "BroadcastTo": _broadcast, "Concat": _concat, "Const": _const,
    "Cumprod": _cumulative("CumProd"), "Cumsum": _cumulative("CumSum"), "EnsureShape": _identity,
    "ExpandDims": _expand_dims, "Fill": _fill, "Identity": _identity, "IdentityAfter": _identity,
    "IdentityN": _identity_n, "Max": _reduce("ReduceMax"), "Mean": _mean, "Min": _reduce("ReduceMin"),
    "OnesLike": _like(1), "Pack": _stack, "Pad": _pad, "PlaceholderWithDefault": _with_default,
    "Prod": _reduce("ReduceProd"), "Range": _range, "Rank": _rank, "Reshape": _reshape, "Reverse": _reverse,
    "Roll": _roll, "Shape": _shape, "Size": _size, "Slice": _slice, "Split": _split, "SplitV": _split_sizes,
    "Squeeze": _squeeze, "Stack": _stack, "StopGradient": _identity, "StridedSlice": _strided_slice,
    "StridedSliceGrad": _strided_slice_grad, "Sum": _reduce("ReduceSum"), "Tile": _tile, "Transpose": _transpose,
    "Unpack": _unpack, "ZerosLike": _like(0),
}  # fmt: skip
