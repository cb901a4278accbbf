"""Operations that take and place elements by index, sort, and reduce by segments, as nodes of ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import bool_, int32, int64
from .elementwise_writes import WriteRule, of_real_numbers
from .move_writes import as_int64
from .onnx_writer import NotWritten, OnnxWriter, rank_of

_FAR = (1 << 62) - 1


def gather(w: OnnxWriter, op: Operation) -> str:
    """Rows by their numbers."""
    x, indices = op.inputs
    return w.node("Gather", [w.ref(x), w.ref(indices) if indices.dtype is int32 else as_int64(w, indices)], axis=0)


def _gather_nd(w: OnnxWriter, op: Operation) -> str:
    return w.node("GatherND", [w.ref(op.inputs[0]), as_int64(w, op.inputs[1])])


def _scatter_nd(w: OnnxWriter, op: Operation) -> str:
    """Values of equal places are added."""
    indices, updates, shape = op.inputs
    if updates.dtype.is_string or updates.dtype is bool_:
        raise NotWritten("ONNX adds numbers only where several values have one place")
    zeros = w.node("Expand", [w.like(updates, 0), as_int64(w, shape)])
    return w.node("ScatterND", [zeros, as_int64(w, indices), w.ref(updates)], reduction="add")


def _scatter_update(w: OnnxWriter, op: Operation) -> str:
    x, indices, updates = op.inputs
    return w.node("ScatterND", [w.ref(x), as_int64(w, indices), w.ref(updates)])


def joined_axes(w: OnnxWriter, x: Tensor, axis: int, count: int) -> str:
    """A tensor in which `count` axes from `axis` on are one."""
    if count == 1:
        return w.ref(x)
    if count == 0:
        return w.node("Unsqueeze", [w.ref(x), w.ints(axis)])
    raw = x.shape.raw
    if raw is not None and all(isinstance(size, int) for size in raw):
        sizes = [size for size in raw if isinstance(size, int)]
        return w.reshape(w.ref(x), [*sizes[:axis], int(np.prod(sizes[axis : axis + count])), *sizes[axis + count :]])
    shape = w.node("Shape", [w.ref(x)])
    middle = w.node("ReduceProd", [w.node("Slice", [shape, w.ints(axis), w.ints(axis + count)])], keepdims=1)
    parts = [middle]
    if axis:
        parts.insert(0, w.node("Slice", [shape, w.ints(0), w.ints(axis)]))
    parts.append(w.node("Slice", [shape, w.ints(axis + count), w.ints(_FAR)]))
    return w.reshape(w.ref(x), w.node("Concat", parts, axis=0))


def _boolean_mask(w: OnnxWriter, op: Operation) -> str:
    x, mask, axis = op.args
    place = known_value(axis) if isinstance(axis, Tensor) else np.asarray(0 if axis is None else axis)
    if place is None:
        raise NotWritten("its axis is not known before a run; write it as a number")
    at = int(place) % rank_of(x) if rank_of(x) else 0
    flat = joined_axes(w, x, at, rank_of(mask))
    chosen = w.ref(mask) if mask.dtype is bool_ else w.cast(w.ref(mask), bool_)
    return w.node("Compress", [flat, w.reshape(chosen, [-1])], axis=at)


def _where(w: OnnxWriter, op: Operation) -> str:
    (x,) = op.inputs
    return w.node("Transpose", [w.node("NonZero", [w.ref(x)])], perm=[1, 0])


def _one_hot(w: OnnxWriter, op: Operation) -> str:
    indices, depth, on, off, axis = op.args[:5]
    size = as_int64(w, depth) if isinstance(depth, Tensor) else w.constant(np.array(int(depth)))
    return one_hot(w, indices, size, (w.ref(on), w.ref(off)), -1 if axis is None else int(axis))


def one_hot(w: OnnxWriter, indices: Tensor, depth: str, ends: tuple[str, str], axis: int) -> str:
    """`ends[0]` where an index is, else `ends[1]`. ONNX's OneHot counts negative indices from the end."""
    rank = rank_of(indices)
    at = axis % (rank + 1)
    numbers = w.node("Range", [w.constant(np.array(0)), depth, w.constant(np.array(1))])
    places = w.node("Unsqueeze", [as_int64(w, indices), w.ints(at)])
    if at < rank:
        numbers = w.reshape(numbers, [-1, *[1] * (rank - at)])
    return w.node("Where", [w.node("Equal", [places, numbers]), *ends])


def _top_k(w: OnnxWriter, op: Operation) -> list[str]:
    x, k, is_sorted = op.args
    count = w.reshape(as_int64(w, k), [1])
    values, places = w.several("TopK", [w.ref(x), count], 2, axis=-1, largest=1, sorted=int(bool(is_sorted)))
    return [values, w.cast(places, int32)]


def _sorted(wanted: int) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        x, axis, direction = op.args[:3]
        rank = rank_of(x)
        size = w.node("Gather", [w.shape(x), w.ints(axis % rank)], axis=0)
        word = direction.decode() if isinstance(direction, bytes) else str(direction)
        found = w.several("TopK", [w.ref(x), size], 2, axis=axis, largest=int(word.upper() == "DESCENDING"), sorted=1)
        return found[0] if wanted == 0 else w.cast(found[1], int32)

    return write


def _unique(w: OnnxWriter, op: Operation) -> list[str]:
    x, dtype = op.inputs[0], op.outputs[1].dtype
    found = w.several("Unique", [w.ref(x)], 3, sorted=0)
    return [found[0], found[2] if dtype is int64 else w.cast(found[2], dtype)]


def _search_sorted(w: OnnxWriter, op: Operation) -> str:
    """How many of the sorted values are smaller (left), or not larger (right)."""
    row, values, side = op.args[:3]
    a = w.node("Unsqueeze", [w.ref(row), w.ints(-2)])
    b = w.node("Unsqueeze", [w.ref(values), w.ints(-1)])
    word = side.decode() if isinstance(side, bytes) else str(side)
    smaller = w.node("Less" if word == "left" else "LessOrEqual", [a, b])
    if row.dtype.is_floating:  # nan stands after all numbers
        last = w.node("IsNaN", [b])
        if word == "left":
            last = w.node("And", [last, w.node("Not", [w.node("IsNaN", [a])])])
        smaller = w.node("Or", [smaller, last])
    return w.node("ReduceSum", [w.cast(smaller, op.outputs[0].dtype), w.ints(-1)], keepdims=0)


# ---- partitions --------------------------------------------------------------------------------


def _partition(w: OnnxWriter, op: Operation) -> list[str]:
    data, partitions, count = op.args[:3]
    flat = joined_axes(w, data, 0, rank_of(partitions))
    labels = w.reshape(w.ref(partitions), [-1])
    return [w.node("Compress", [flat, w.node("Equal", [labels, w.constant(np.array(part, partitions.dtype.np),
            partitions.dtype)])], axis=0) for part in range(int(count))]  # fmt: skip


def _stitch(w: OnnxWriter, op: Operation) -> str:
    """Rows by their numbers; a number must occur once, for ONNX does not say which of several rows stays."""
    indices, data = op.args
    _refuse_repeated(indices)
    places = [w.reshape(as_int64(w, each), [-1, 1]) for each in indices]
    rows = [joined_axes(w, each, 0, rank_of(own)) for each, own in zip(data, indices, strict=True)]
    where = places[0] if len(places) == 1 else w.node("Concat", places, axis=0)
    values = rows[0] if len(rows) == 1 else w.node("Concat", rows, axis=0)
    most = w.node("Concat", [where, w.reshape(w.ints(-1), [1, 1])], axis=0)
    count = w.reshape(w.node("Add", [w.node("ReduceMax", [most], keepdims=0), w.constant(np.array(1))]), [1])
    rank = rank_of(data[0]) - rank_of(indices[0])
    sizes = [count]
    if rank:
        sizes.append(w.node("Slice", [w.node("Shape", [values]), w.ints(1), w.ints(_FAR)]))
    shape = count if len(sizes) == 1 else w.node("Concat", sizes, axis=0)
    return w.node("ScatterND", [w.node("Expand", [w.like(data[0], 0), shape]), where, values])


def _refuse_repeated(indices: Sequence[Tensor]) -> None:
    known = [known_value(each) for each in indices]
    if any(each is None for each in known):
        return
    flat = np.concatenate([each.reshape(-1) for each in known if each is not None])
    if len(set(flat.tolist())) != flat.size:
        raise NotWritten("a number occurs twice among its indices; ONNX does not say which of the rows stays")


def _multiplex(w: OnnxWriter, op: Operation) -> str:
    """Row i of the input that index i names; the index is a column."""
    inputs, index = op.args
    stacked = w.node("Concat", [w.node("Unsqueeze", [w.ref(t), w.ints(0)]) for t in inputs], axis=0)
    chosen = w.reshape(as_int64(w, index), [-1, 1])
    count = w.node("Squeeze", [w.node("Shape", [chosen], start=0, end=1), w.ints(0)])
    rows = w.node("Range", [w.constant(np.array(0)), count, w.constant(np.array(1))])
    pair = w.node("Concat", [chosen, w.node("Unsqueeze", [rows, w.ints(1)])], axis=1)
    return w.node("GatherND", [stacked, pair])


def _reverse_sequence(w: OnnxWriter, op: Operation) -> str:
    x, lengths = op.inputs
    rank = rank_of(x)
    time = int(op.args[2]) % rank
    if time == 0:
        raise NotWritten("it reverses along the batch, for which ONNX has no form")
    name, perm = w.ref(x), list(range(rank))
    if time != 1:
        perm[1], perm[time] = perm[time], perm[1]
        name = w.node("Transpose", [name], perm=perm)
    made = w.node("ReverseSequence", [name, as_int64(w, lengths)], batch_axis=0, time_axis=1)
    return w.node("Transpose", [made], perm=perm) if time != 1 else made


# ---- segments ----------------------------------------------------------------------------------


def lowest(tensor: Tensor) -> Any:
    """The lowest value of a dtype."""
    return tensor.dtype.min


def _segments(how: str) -> WriteRule:
    """Rows with the same number are combined; there are as many results as the largest number says."""

    def write(w: OnnxWriter, op: Operation) -> str:
        data, ids = op.inputs[:2]
        places = as_int64(w, ids)
        last = w.node("ReduceMax", [w.node("Concat", [places, w.ints(-1)], axis=0)], keepdims=1)
        count = w.node("Add", [last, w.ints(1)])
        result = combined(w, data, w.ref(data), places, count, how if how != "mean" else "add")
        if how == "add":
            return result
        numbers = combined(w, data, w.node("Expand", [w.like(data, 1), w.node("Shape", [w.ref(data)])]), places, count,
                           "add")  # fmt: skip
        if how == "mean":
            return w.node("Div", [result, w.node("Max", [numbers, w.like(data, 1)])])
        if how == "mul":
            return result
        empty = w.node("Equal", [numbers, w.like(data, 0)])
        return w.node("Where", [empty, w.like(data, 0), result])

    return write


def combined(w: OnnxWriter, data: Tensor, rows: str, places: str, count: str, how: str) -> str:
    """Rows of the kind of `data` combined by their places in a vector; `count` is a vector of one size."""
    starts = {"add": 0, "mul": 1, "max": data.dtype.min, "min": data.dtype.max}
    if data.dtype.is_floating:
        starts |= {"max": -np.inf, "min": np.inf}
    return _scattered(w, data, rows, rank_of(data) - 1, places, count, how, starts[how])


def _scattered(
    w: OnnxWriter, data: Tensor, rows: str, rank: int, places: str, count: str, how: str, start: Any
) -> str:
    """Rows, each of that rank, combined with the number that says nothing."""
    if how in ("max", "min") and w.opset < 18:
        raise NotWritten("ONNX combines by max and min since opset 18; write a newer one with opset=")
    shape = count
    if rank:
        shape = w.node("Concat", [count, w.node("Slice", [w.node("Shape", [rows]), w.ints(1), w.ints(_FAR)])], axis=0)
    first = w.node("Expand", [w.like(data, start), shape])
    return w.node("ScatterND", [first, w.node("Unsqueeze", [places, w.ints(1)]), rows], reduction=how)


def _unsorted(how: str) -> WriteRule:
    """As segments; rows with a negative number are left out: they go to a last result, which is cut off."""

    def write(w: OnnxWriter, op: Operation) -> str:
        data, ids, number = op.inputs[:3]
        rank = rank_of(ids)
        places, count = as_int64(w, ids), w.reshape(as_int64(w, number), [1])
        if rank != 1:
            places = w.reshape(places, [-1])
        rows = joined_axes(w, data, 0, rank)
        places = w.node("Where", [w.node("Less", [places, w.constant(np.array(0))]), count, places])
        more = w.node("Add", [count, w.ints(1)])
        starts = {"add": 0, "mul": 1, "max": data.dtype.min, "min": data.dtype.max}
        made = _scattered(w, data, rows, rank_of(data) - rank, places, more, how, starts[how])
        return w.node("Slice", [made, w.ints(0), count, w.ints(0)])

    return write


def _sparse_segments(how: str) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        data, indices, ids = op.inputs[:3]
        rows, places = w.node("Gather", [w.ref(data), w.ref(indices)], axis=0), as_int64(w, ids)
        last = w.node("ReduceMax", [w.node("Concat", [places, w.ints(-1)], axis=0)], keepdims=1)
        count = w.node("Add", [last, w.ints(1)])
        made = combined(w, data, rows, places, count, "add")
        if how == "add":
            return made
        ones = w.node("Expand", [w.like(data, 1), w.node("Shape", [rows])])
        numbers = w.node("Max", [combined(w, data, ones, places, count, "add"), w.like(data, 1)])
        return w.node("Div", [made, numbers if how == "mean" else w.node("Sqrt", [numbers])])

    return write


# ---- sparse tensors ----------------------------------------------------------------------------


def _sparse_to_dense(w: OnnxWriter, op: Operation) -> str:
    indices, shape, values, default = op.args[:4]
    if rank_of(indices) != 2:
        raise NotWritten("its indices are no matrix, for which ONNX has no form")
    background = w.node("Expand", [w.ref(default), as_int64(w, shape)])
    rows = w.ref(values)
    if rank_of(values) == 0:
        rows = w.node("Expand", [rows, w.node("Shape", [w.ref(indices)], start=0, end=1)])
    return w.node("ScatterND", [background, as_int64(w, indices), rows])


def _sparse_product(w: OnnxWriter, op: Operation) -> str:
    indices, values, shape, b, adjoint_a, adjoint_b = op.args
    zeros = w.node("Expand", [w.like(values, 0), as_int64(w, shape)])
    a = w.node("ScatterND", [zeros, as_int64(w, indices), w.ref(values)], reduction="add")
    names = [w.node("Transpose", [each], perm=[1, 0]) if turns else each
             for each, turns in ((a, adjoint_a), (w.ref(b), adjoint_b))]  # fmt: skip
    return w.node("MatMul", names)


INDEX_WRITES: dict[str, WriteRule] = {
    "BooleanMask": _boolean_mask, "DynamicPartition": _partition, "DynamicStitch": _stitch, "Gather": gather,
    "GatherNd": _gather_nd, "Multiplex": _multiplex, "OneHot": _one_hot, "ParallelDynamicStitch": _stitch,
    "ReverseSequence": _reverse_sequence, "ScatterNd": _scatter_nd, "SearchSorted": _search_sorted,
    "SparseSegmentMean": _sparse_segments("mean"), "SparseSegmentSqrtN": _sparse_segments("sqrt"),
    "SparseSegmentSum": _sparse_segments("add"), "SparseToDense": _sparse_to_dense,
    "TensorScatterUpdate": _scatter_update, "TopKV2": _top_k,
} | of_real_numbers({
    "ArgSort": _sorted(1), "SegmentMax": _segments("max"), "SegmentMean": _segments("mean"),
    "SegmentMin": _segments("min"), "SegmentProd": _segments("mul"), "SegmentSum": _segments("add"),
    "Sort": _sorted(0), "SparseTensorDenseMatMul": _sparse_product, "Unique": _unique,
    "UnsortedSegmentMax": _unsorted("max"), "UnsortedSegmentMin": _unsorted("min"),
    "UnsortedSegmentProd": _unsorted("mul"), "UnsortedSegmentSum": _unsorted("add"), "Where": _where,
})  # fmt: skip
