"""Export rules of lists that grow and shrink (`ops.tensor_array.growing_lists`): TensorFlow's lists, which are values
as ours are.

Attributes that begin with `_penstock_` say which op of ours a node is, and with which arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....graph.model.nodes import Operation
from ....graph.shapes.dtypes import int32
from ..node_writer import ExportRule, NodeWriter


def _node(w: NodeWriter, op: Operation, type: str, inputs: Sequence[str], places: Sequence[int], **attrs: Any) -> None:
    """Add the node of an op of ours; `places`: for each of our operands its place among `inputs`, -1 for None."""
    own = {f"_penstock_{named.name}": op.args[position] for position, named in op.opdef.attrs}
    w.node(type, inputs, _penstock_op=op.type, _penstock_places=tuple(places), **own, **attrs)


def _reserve(w: NodeWriter, op: Operation) -> None:
    sizes, size, dtype = op.args
    _node(w, op, "TensorListReserve", [w.ref(sizes), w.ref(size)], [0, 1], element_dtype=dtype,
          shape_type=int32)  # fmt: skip


def _push(w: NodeWriter, op: Operation) -> None:
    array, value = op.args
    _node(w, op, "TensorListPushBack", [w.ref(array), w.ref(value)], [0, 1], element_dtype=value.dtype)


def _set(w: NodeWriter, op: Operation) -> None:
    array, index, value = op.args
    _node(w, op, "TensorListSetItem", [w.ref(array), w.ref(index), w.ref(value)], [0, 1, 2],
          element_dtype=value.dtype, resize_if_index_out_of_bounds=True)  # fmt: skip


def _resize(w: NodeWriter, op: Operation) -> None:
    _node(w, op, "TensorListResize", [w.ref(t) for t in op.inputs], [0, 1])


def _element(w: NodeWriter, op: Operation) -> None:
    array, index, sizes, dtype, _ = op.args
    _node(w, op, "TensorListGetItem", [w.ref(array), w.ref(index), w.ref(sizes)], [0, 1, 2],
          element_dtype=dtype)  # fmt: skip


def _stack(w: NodeWriter, op: Operation) -> None:
    array, sizes, dtype, _, indices = op.args
    if indices is None:
        _node(w, op, "TensorListStack", [w.ref(array), w.ref(sizes)], [0, 1, -1], element_dtype=dtype,
              num_elements=-1)  # fmt: skip
        return
    _node(w, op, "TensorListGather", [w.ref(array), w.ref(indices), w.ref(sizes)], [0, 2, 1], element_dtype=dtype)


def _zeros(w: NodeWriter, op: Operation) -> None:
    _node(w, op, "ZerosLike", [w.ref(op.inputs[0])], [0], T=op.inputs[0].dtype)


def _element_sizes(w: NodeWriter, op: Operation) -> None:
    _node(w, op, "TensorListElementShape", [w.ref(op.inputs[0])], [0], shape_type=int32)


OF_LISTS: dict[str, ExportRule] = {
    "ElementOrZeros": _element,
    "ListElementSizes": _element_sizes,
    "ListPush": _push,
    "ListReserve": _reserve,
    "ListResize": _resize,
    "ListSet": _set,
    "ListStack": _stack,
    "ListZeros": _zeros,
}
"""Our op -> the rule that writes it."""
