"""Nodes of `x[...]`, both ways: TensorFlow's have three vectors (begin, end, strides) and five masks.

The index of an operation has items: `...`, `None`, ints, spans and numbers that a run gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_int, known_value
from ....graph.common.hooks import hooks
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import int32, int64
from ..foreign_node import ForeignNode
from ..import_scope import Made
from ..node_writer import ExportRule, NodeWriter
from ..wire.tensor_proto import Unsupported

_INT64 = np.iinfo(np.int64)
_INT32 = np.iinfo(np.int32)


# ---- writing ------------------------------------------------------------------------------------


def _write_strided_slice(w: NodeWriter, op: Operation) -> None:
    tensor, index, bounds = op.args
    vectors, attrs = bounds_and_masks(w, index, bounds)
    w.node("StridedSlice", [w.ref(tensor), *vectors], T=tensor.dtype, **attrs)


def _write_strided_slice_grad(w: NodeWriter, op: Operation) -> None:
    shape, dy, index, bounds = op.args
    vectors, attrs = bounds_and_masks(w, index, bounds)
    if attrs["Index"] is not shape.dtype:
        raise GraphFormatError(f"the node {op.name!r} has a shape of {shape.dtype} and an index of {attrs['Index']}; "
                               "in TensorFlow both are of one dtype")  # fmt: skip
    w.node("StridedSliceGrad", [w.ref(shape), *vectors, w.ref(dy)], T=dy.dtype, **attrs)


def bounds_and_masks(w: NodeWriter, index: Any, bounds: tuple[Tensor, ...]) -> tuple[list[str], dict[str, Any]]:
    """Three vectors, begin, end and strides; their dtype, and five masks with a bit for each item of the index."""
    masks: dict[str, Any] = dict.fromkeys(
        ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0
    )
    rows: list[tuple[Any, Any, Any]] = []
    for place, item in enumerate(index.items):
        bit = 1 << place
        if item is ... or item is None:
            masks["ellipsis_mask" if item is ... else "new_axis_mask"] |= bit
            rows.append((0, 0, 1))
        elif hasattr(item, "start"):
            masks["begin_mask"] |= bit * (item.start is None)
            masks["end_mask"] |= bit * (item.stop is None)
            rows.append((item.start or 0, item.stop or 0, 1 if item.step is None else item.step))
        else:
            masks["shrink_axis_mask"] |= bit
            # Of a single index only `begin` counts; `end` must be there and, for ints, lie behind it.
            rows.append((item, item + 1 if isinstance(item, int) else item, 1))
    numbers = [n for row in rows for n in row if isinstance(n, int)]
    fits = all(_INT32.min <= n <= _INT32.max for n in numbers) and all(t.dtype.size <= 4 for t in bounds)
    dtype = int32 if fits else int64
    vectors = [
        _vector(w, label, [row[i] for row in rows], bounds, dtype)
        for i, label in enumerate(("begin", "end", "strides"))
    ]
    return vectors, {"Index": dtype, **masks}


def _vector(w: NodeWriter, label: str, entries: list[Any], bounds: tuple[Tensor, ...], dtype: Any) -> str:
    """A vector of ints and tensors."""
    if all(isinstance(e, int) for e in entries):
        return w.constant(label, np.array([min(max(e, _INT64.min), _INT64.max) for e in entries], dtype.np))
    parts = []
    for i, entry in enumerate(entries):
        if isinstance(entry, int):
            parts.append(w.constant(f"{label}_{i}", np.array(entry, dtype.np)))
            continue
        bound = bounds[entry.number]
        same = bound.dtype is dtype
        parts.append(
            w.ref(bound) if same else w.node("Cast", [w.ref(bound)], f"{label}_{i}", SrcT=bound.dtype, DstT=dtype)
        )
    return w.node("Pack", parts, label, N=len(parts), T=dtype, axis=0)


# ---- reading ------------------------------------------------------------------------------------


def _read_strided_slice(s: ForeignNode) -> Operation:
    tensor, *vectors = s.take(4)
    return s.add("StridedSlice", tensor, *index_of(s, vectors))


def _read_strided_slice_grad(s: ForeignNode) -> Operation:
    shape, *vectors, dy = s.take(5)
    return s.add("StridedSliceGrad", shape, dy, *index_of(s, vectors))


def index_of(s: ForeignNode, vectors: Sequence[Tensor]) -> tuple[Any, tuple[Tensor, ...]]:
    """The index that three vectors and five masks describe, and the tensors in it."""
    columns = [_entries(s, label, v) for label, v in zip(("begin", "end", "strides"), vectors, strict=True)]
    if len({len(column) for column in columns}) != 1:
        raise GraphFormatError("its begin, end and strides have different lengths")
    masks = {name: s.attr(name + "_mask", "i", 0) for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    bounds: list[Tensor] = []

    def number(entry: Any) -> Any:
        if isinstance(entry, int):
            return entry
        bounds.append(entry)
        return hooks.records["Slot"](len(bounds) - 1)

    items: list[Any] = []
    for place, (begin, end, step) in enumerate(zip(*columns, strict=True)):
        bit = 1 << place
        if masks["ellipsis"] & bit or masks["new_axis"] & bit:
            items.append(... if masks["ellipsis"] & bit else None)
        elif masks["shrink_axis"] & bit:
            items.append(number(begin))
        else:
            start = None if masks["begin"] & bit else number(begin)
            stop = None if masks["end"] & bit else number(end)
            items.append(hooks.records["Span"](start, stop, None if step == 1 else number(step)))
    if items.count(...) > 1:
        raise GraphFormatError("it has more than one ellipsis")
    return hooks.records["Index"](tuple(items)), tuple(bounds)


def _entries(s: ForeignNode, label: str, vector: Tensor) -> list[Any]:
    """The entries of a vector: ints where they are known, else scalar tensors."""
    value = known_value(vector)
    if value is not None:
        if value.ndim != 1 or value.dtype.kind not in "iu" or len(value) > 32:
            raise GraphFormatError(f"its {label} is not a vector of at most 32 ints")
        return list(value.tolist())
    if vector.op.type == "Pack" and vector.shape.ndims == 1 and len(vector.op.inputs) <= 32:
        return [t if (number := known_int(t)) is None else number for t in vector.op.inputs]
    size = vector.shape.as_list() if vector.shape.ndims == 1 else [None]
    if size[0] is None or size[0] > 32:
        raise Unsupported(f"the length of its {label} is not known before a run")
    return list(s.helper(label, "Unpack", vector, size[0]))


# ---- the tables ---------------------------------------------------------------------------------


INDEX_WRITTEN: dict[str, ExportRule] = {
    "StridedSlice": _write_strided_slice,
    "StridedSliceGrad": _write_strided_slice_grad,
}
"""Our type -> the rule that writes it, and says whether it did; else the operation's form is written."""
INDEX_READ: dict[str, Callable[[ForeignNode], Operation | Made]] = {
    "StridedSlice": _read_strided_slice,
    "StridedSliceGrad": _read_strided_slice_grad,
}
"""TensorFlow's node -> the rule that reads it."""
