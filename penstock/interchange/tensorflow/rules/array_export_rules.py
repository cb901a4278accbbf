"""Export rules of TensorArrays, which become TensorFlow's lists, and of wrapped tensors, which become its optionals.

TensorFlow's TensorArray changes in place; its lists (`TensorListReserve`, `TensorListSetItem` ...) are values of dtype
variant as TensorArrays are here. What a list does not have is in attributes that TensorFlow ignores and Penstock reads:
that an element is written once, that a read uses it up, the names of sizes.

Gradients of TensorArrays have no size, which a list needs: they are not written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import int32, int64
from ....graph.shapes.shape import TensorShape
from ..node_writer import ExportRule, NodeWriter
from ..wire.messages import AttrValue
from ..wire.tensor_proto import dtype_number


def _element_shape(w: NodeWriter, shape: TensorShape) -> str:
    """A shape as the operand of a list's op: -1 for a size that is not known, or for all of them."""
    dims = shape.raw
    if dims is None:
        return w.constant("element_shape", np.array(-1, np.int32))
    sizes = [dim if isinstance(dim, int) else -1 for dim in dims]
    return w.constant("element_shape", np.array(sizes, np.int32))


def _of_rows(shape: TensorShape) -> TensorShape:
    """The shape of a row of a tensor."""
    return shape if shape.raw is None else TensorShape(shape.raw[1:])


def _new(w: NodeWriter, op: Operation) -> None:
    size, dtype, shape, dynamic, identical, label = op.args
    w.node("TensorListReserve", [_element_shape(w, shape), w.ref(size)], element_dtype=dtype, shape_type=int32,
           _penstock_type=op.type, _penstock_label=label, _penstock_dynamic=dynamic,
           _penstock_identical=identical, _penstock_shape=shape)  # fmt: skip


def _may_grow(array: Tensor) -> bool:
    """Whether a write may lie behind the last element: not where it is known that the array keeps its size."""
    while array.op.inputs and array.op.type in _KEEPING_THE_SIZE:
        array = array.op.inputs[0]
    return array.op.type != "TensorArray" or bool(array.op.get_attr("dynamic"))


_KEEPING_THE_SIZE = ("TensorArrayWrite", "TensorArrayScatter", "TensorArraySplit", "Identity")


def _write(w: NodeWriter, op: Operation) -> None:
    array, _, value = op.inputs
    w.node("TensorListSetItem", [w.ref(t) for t in op.inputs], element_dtype=value.dtype,
           resize_if_index_out_of_bounds=_may_grow(array), _penstock_type=op.type)  # fmt: skip


def _scatter(w: NodeWriter, op: Operation) -> None:
    array, value, indices = op.args
    places = _all_rows(w, value) if indices is None else w.ref(indices)
    w.node("TensorListScatterIntoExistingList", [w.ref(array), w.ref(value), places], element_dtype=value.dtype,
           _penstock_type=op.type, _penstock_rows=indices is None)  # fmt: skip


def _all_rows(w: NodeWriter, value: Tensor) -> str:
    """The numbers of the rows of a tensor."""
    shape = w.node("Shape", [w.ref(value)], "shape", T=value.dtype, out_type=AttrValue(type=dtype_number(int32)))
    first = w.constant("first", np.array(0, np.int32))
    count = w.node("GatherV2", [shape, first, first], "rows", Tparams=int32, Tindices=int32, Taxis=int32, batch_dims=0)
    step = w.constant("step", np.array(1, np.int32))
    return w.node("Range", [first, count, step], "indices", Tidx=int32)


def _split(w: NodeWriter, op: Operation) -> None:
    _, value, lengths = op.args
    known = w.ref(lengths)
    if lengths.dtype is int32:
        known = w.node("Cast", [known], "lengths", SrcT=int32, DstT=int64)
    parts = value.shape if value.shape.raw is None else TensorShape([None, *value.shape.raw[1:]])
    w.node("TensorListSplit", [w.ref(value), _element_shape(w, parts), known], element_dtype=value.dtype,
           shape_type=int32)  # fmt: skip


def _read(w: NodeWriter, op: Operation) -> None:
    array, index, dtype, shape, clear = op.args
    w.node("TensorListGetItem", [w.ref(array), w.ref(index), _element_shape(w, shape)], element_dtype=dtype,
           _penstock_type=op.type, _penstock_clear=clear, _penstock_shape=shape)  # fmt: skip


def _gather(w: NodeWriter, op: Operation) -> None:
    array, dtype, shape, clear, indices = op.args
    own: dict[str, Any] = {"_penstock_type": op.type, "_penstock_clear": clear, "_penstock_shape": shape}
    element = _element_shape(w, _of_rows(shape))
    if indices is not None:
        w.node("TensorListGather", [w.ref(array), w.ref(indices), element], element_dtype=dtype, **own)
        return
    count = shape.raw[0] if shape.raw else None
    w.node("TensorListStack", [w.ref(array), element], element_dtype=dtype,
           num_elements=count if isinstance(count, int) else -1, **own)  # fmt: skip


def _concat(w: NodeWriter, op: Operation) -> None:
    array, dtype, shape, clear = op.args
    parts = shape if shape.raw is None else TensorShape([None, *shape.raw[1:]])
    dims = w.constant("leading_dims", np.zeros(0, np.int64))
    w.node("TensorListConcatV2", [w.ref(array), _element_shape(w, parts), dims], element_dtype=dtype, shape_type=int32,
           _penstock_type=op.type, _penstock_clear=clear, _penstock_shape=shape)  # fmt: skip


def _size(w: NodeWriter, op: Operation) -> None:
    w.node("TensorListLength", [w.ref(op.inputs[0])], _penstock_type=op.type)


# ---- wrapped tensors ----------------------------------------------------------------------------


def _wrap(w: NodeWriter, op: Operation) -> None:
    (value,) = op.inputs
    w.node("OptionalFromValue", [w.ref(value)], Toutput_types=[value.dtype])


def _unwrap(w: NodeWriter, op: Operation) -> None:
    value, dtype, shape = op.args
    w.node("OptionalGetValue", [w.ref(value)], output_types=[dtype], output_shapes=(shape,))


def _none(w: NodeWriter, op: Operation) -> bool:
    if op.outputs[0].shape.ndims != 0:
        return False
    w.node("OptionalNone", [])
    return True


ARRAYS: dict[str, ExportRule] = {
    "NoVariant": _none,
    "TensorArray": _new,
    "TensorArrayConcat": _concat,
    "TensorArrayGather": _gather,
    "TensorArrayRead": _read,
    "TensorArrayScatter": _scatter,
    "TensorArraySize": _size,
    "TensorArraySplit": _split,
    "TensorArrayWrite": _write,
    "UnwrapVariant": _unwrap,
    "WrapVariant": _wrap,
}
"""Our type -> the rule that writes it."""
