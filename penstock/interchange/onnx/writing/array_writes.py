"""TensorArrays outside of loops, and those that loops only read, as tensors that have the elements as rows.

What loops write at their counter has become a stack before (`runtime.passes.arrays_as_rows`). So an array is made of a
tensor (`unstack`, a stack of a loop), or element by element; reading is taking rows. A row that was never written is 0.
"""

from __future__ import annotations

import numpy as np

from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import int32, int64
from .elementwise_writes import WriteRule
from .onnx_writer import NotWritten, OnnxWriter

_FAR = (1 << 62) - 1
WRITTEN_ELSEWHERE = (
    "the elements of this TensorArray are written by a loop, and not at its counter; write them there, or write the "
    "loop with tf.scan or tf.map_fn: its stacks are those of ONNX's Loop"
)


def _rows(w: OnnxWriter, array: Tensor) -> str:
    """The tensor whose rows are the elements of an array."""
    name = w.ref(array)
    if not name and array.op not in w.top.refused:  # what makes it is told already
        raise NotWritten(WRITTEN_ELSEWHERE)
    return name


def _array(w: OnnxWriter, op: Operation) -> str:
    return ""  # what is written to it says the shape of an element


def _scatter(w: OnnxWriter, op: Operation) -> str:
    array, value, indices = op.args
    if indices is None:
        return _first_rows(w, array, value)
    return _written(w, array, w.node("Unsqueeze", [w.cast(w.ref(indices), int64), w.ints(1)]), w.ref(value), value)


def _first_rows(w: OnnxWriter, array: Tensor, value: Tensor) -> str:
    """An array whose first elements are these rows: a loop may have ended before it wrote all."""
    rows = w.ref(value)
    if array.op.type != "TensorArray":
        count = w.node("Shape", [rows], start=0, end=1)
        rest = w.node("Slice", [_rows(w, array), count, w.ints(_FAR), w.ints(0)])
        return w.node("Concat", [rows, rest], axis=0)
    size, dims = known_value(array.op.inputs[0]), value.shape.raw
    if array.op.args[3] or (size is not None and dims and dims[0] == int(size)):
        return w.node("Identity", [rows])
    count = w.reshape(w.cast(w.ref(array.op.inputs[0]), int64), [1])
    row = w.node("Slice", [w.shape(value), w.ints(1), w.ints(_FAR)])
    return _padded(w, rows, count, row, w.like(value, 0))


def _padded(w: OnnxWriter, rows: str, count: str, row: str, zero: str) -> str:
    """At least so many rows: those that there are, and then zeros of the sizes `row`."""
    missing = w.node("Max", [w.node("Sub", [count, w.node("Shape", [rows], start=0, end=1)]), w.ints(0)])
    zeros = w.node("Expand", [zero, w.node("Concat", [missing, row], axis=0)])
    return w.node("Concat", [rows, zeros], axis=0)


def _write(w: OnnxWriter, op: Operation) -> str:
    array, index, value = op.args
    place = w.reshape(w.cast(w.ref(index), int64), [1, 1])
    return _written(w, array, place, w.node("Unsqueeze", [w.ref(value), w.ints(0)]), value)


def _written(w: OnnxWriter, array: Tensor, places: str, rows: str, value: Tensor) -> str:
    """An array with these rows at these places."""
    if array.op.type != "TensorArray":
        return w.node("ScatterND", [_rows(w, array), places, rows])
    if array.op.args[3]:
        raise NotWritten("a TensorArray that grows has no ONNX form outside of a loop; give it its size")
    size = w.reshape(w.cast(w.ref(array.op.inputs[0]), int64), [1])
    row = w.node("Slice", [w.node("Shape", [rows]), w.ints(1), w.ints(_FAR)])
    zeros = w.node("Expand", [w.like(value, 0), w.node("Concat", [size, row], axis=0)])
    return w.node("ScatterND", [zeros, places, rows])


def _read(w: OnnxWriter, op: Operation) -> str:
    return w.node("Gather", [_rows(w, op.inputs[0]), w.reshape(w.cast(w.ref(op.inputs[1]), int64), [])], axis=0)


def _gather(w: OnnxWriter, op: Operation) -> str:
    rows, indices = _rows(w, op.inputs[0]), op.args[4]
    return w.node("Identity", [rows]) if indices is None else w.node("Gather", [rows, w.ref(indices)], axis=0)


def _concat(w: OnnxWriter, op: Operation) -> list[str]:
    rows = _rows(w, op.inputs[0])
    sizes = w.node("Shape", [rows])
    rest = w.node("Slice", [sizes, w.ints(2), w.ints(_FAR)])
    one = w.node("Slice", [sizes, w.ints(1), w.ints(2)])
    joined = w.node("Reshape", [rows, w.node("Concat", [w.ints(-1), rest], axis=0)], allowzero=0)
    return [joined, w.node("Expand", [one, w.node("Slice", [sizes, w.ints(0), w.ints(1)])])]


def _size(w: OnnxWriter, op: Operation) -> str:
    if op.inputs[0].op.type == "TensorArray" and not op.inputs[0].op.args[3]:
        return w.cast(w.ref(op.inputs[0].op.inputs[0]), int32)
    count = w.node("Shape", [_rows(w, op.inputs[0])], start=0, end=1)
    return w.cast(w.reshape(count, []), int32)


def _same(w: OnnxWriter, op: Operation) -> str:
    return w.ref(op.inputs[0])


# ---- gradients: arrays whose elements may be missing, which are zeros -----------------------------


def _placed_rows(w: OnnxWriter, op: Operation) -> str:
    value, indices = op.args
    if indices is None:
        return w.node("Identity", [w.ref(value)])
    places = w.cast(w.ref(indices), int64)
    row = w.node("Slice", [w.shape(value), w.ints(1), w.ints(_FAR)])
    zeros = w.node("Expand", [w.like(value, 0), w.node("Concat", [_after_last(w, places), row], axis=0)])
    places = w.node("Unsqueeze", [places, w.ints(1)])
    return w.node("ScatterND", [zeros, places, w.ref(value)], reduction="add")


def _after_last(w: OnnxWriter, places: str) -> str:
    """One more than the largest of some indices, a vector of one number."""
    return w.node("Add", [w.node("ReduceMax", [places], keepdims=1), w.ints(1)])


def _placed_element(w: OnnxWriter, op: Operation) -> str:
    index, value = op.inputs
    return _element_at(w, index, value)


def _element_at(w: OnnxWriter, index: Tensor, value: Tensor) -> str:
    """An array with one element, and zeros before it."""
    before = w.reshape(w.cast(w.ref(index), int64), [1])
    zeros = w.node("Expand", [w.like(value, 0), w.node("Concat", [before, w.shape(value)], axis=0)])
    return w.node("Concat", [zeros, w.node("Unsqueeze", [w.ref(value), w.ints(0)])], axis=0)


def _added_element(w: OnnxWriter, op: Operation) -> str:
    array, index, value = op.inputs
    return _sum(w, _rows(w, array), _element_at(w, index, value))


def _sum_of_arrays(w: OnnxWriter, op: Operation) -> str:
    return _sum(w, *[_rows(w, array) for array in op.inputs])


def _sum(w: OnnxWriter, *arrays: str) -> str:
    """Two arrays added up; what the shorter one lacks is zeros."""
    counts = [w.node("Shape", [array], start=0, end=1) for array in arrays]
    most = w.node("Max", counts)
    longer = []
    for array, count in zip(arrays, counts, strict=True):
        row = w.node("Slice", [w.node("Shape", [array]), w.ints(1), w.ints(_FAR)])
        zero = w.node("CastLike", [w.constant(np.array(0.0, np.float32)), array])
        zeros = w.node("Expand", [zero, w.node("Concat", [w.node("Sub", [most, count]), row], axis=0)])
        longer.append(w.node("Concat", [array, zeros], axis=0))
    return w.node("Add", longer)


def _placed_parts(w: OnnxWriter, op: Operation) -> str:
    """The rows that `concat` has joined: all elements of such an array have equally many."""
    value, lengths = w.ref(op.inputs[0]), w.ref(op.inputs[1])
    rest = w.node("Slice", [w.node("Shape", [value]), w.ints(1), w.ints(_FAR)])
    count = w.node("Shape", [lengths], start=0, end=1)
    return w.node("Reshape", [value, w.node("Concat", [count, w.ints(-1), rest], axis=0)], allowzero=0)


def _rows_or_zeros(w: OnnxWriter, op: Operation) -> str:
    """As many rows as the sizes say: those of an array of gradients, and zeros."""
    sizes = w.cast(w.ref(op.inputs[1]), int64)
    count = w.node("Slice", [sizes, w.ints(0), w.ints(1)])
    row = w.node("Slice", [sizes, w.ints(1), w.ints(_FAR)])
    if op.args[4] is not None:
        places = w.cast(w.ref(op.args[4]), int64)
        return w.node("Gather", [_with_zeros(w, op, _after_last(w, places), row), places], axis=0)
    return w.node("Slice", [_with_zeros(w, op, count, row), w.ints(0), count])


def _element_or_zeros(w: OnnxWriter, op: Operation) -> str:
    index = w.reshape(w.cast(w.ref(op.inputs[1]), int64), [1])
    count, row = w.node("Add", [index, w.ints(1)]), w.cast(w.ref(op.inputs[2]), int64)
    return w.node("Gather", [_with_zeros(w, op, count, row), w.reshape(index, [])], axis=0)


def _with_zeros(w: OnnxWriter, op: Operation, count: str, row: str) -> str:
    """At least so many rows of an array of gradients."""
    return _padded(w, _rows(w, op.inputs[0]), count, row, w.like(op.outputs[0], 0))


def _stacked_rows(w: OnnxWriter, op: Operation) -> str:
    return w.node("Identity", [w.ref(op.inputs[0])])


ARRAY_WRITES: dict[str, WriteRule] = {
    "AddElement": _added_element, "AddVariants": _sum_of_arrays, "ElementOrZeros": _element_or_zeros,
    "PlaceElement": _placed_element, "PlaceParts": _placed_parts, "PlaceRows": _placed_rows,
    "RowsOrZeros": _rows_or_zeros, "StackedRows": _stacked_rows, "TensorArray": _array, "TensorArrayClear": _same,
    "TensorArrayConcat": _concat, "TensorArrayGather": _gather, "TensorArrayRead": _read,
    "TensorArrayScatter": _scatter, "TensorArraySize": _size, "TensorArrayWrite": _write,
}  # fmt: skip
