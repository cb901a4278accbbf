"""Import rules of TensorArrays, lists and optional values: TensorFlow's nodes for many tensors in one.

TensorFlow's TensorArray is a handle and a flow, a float that only says what comes after what. Here the flow is the
array itself, a variant, and the handle carries nothing but what was said when it was made. An array of gradients is the
sum of what reads send back: an element for each read. `TensorListReserve` and its like work on values, as here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_value
from ....graph.common.hooks import hooks
from ....graph.common.quick_dataclass import dataclass
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import DType, int32, int64, variant
from ....graph.shapes.shape import TensorShape
from ....ops.tensor_array import growing_lists as growing_lists  # declares ops
from ..foreign_node import ForeignNode, outputs_of
from ..import_scope import Handle, Made
from ..wire.tensor_proto import Unsupported, dtype_of, shape_of_proto

_UNKNOWN = TensorShape(None)


@dataclass(frozen=True, slots=True, eq=False)
class ArrayHandle(Handle):
    """The handle of a TensorArray.

    Attributes:
        dtype: of its elements.
        shape: of each element, as far as it is known.
        clear: whether an element that is read is used up.
        is_gradient: whether it is an array of gradients.
    """

    dtype: DType
    shape: TensorShape
    clear: bool
    is_gradient: bool = False


# ---- TensorArray --------------------------------------------------------------------------------


def _new_array(s: ForeignNode) -> Made:
    (size,) = s.take(1)
    dtype, shape = s.attr("dtype", "type"), s.attr("element_shape", "shape", _UNKNOWN)
    flags = s.attr("dynamic_size", "b", False), s.attr("identical_element_shapes", "b", False)
    op = s.add("TensorArray", size, dtype, shape, *flags, s.node.name)
    handle = ArrayHandle("the handle of the TensorArray", s.node.name, dtype, shape,
                         s.attr("clear_after_read", "b", True))  # fmt: skip
    return Made(op, (handle, op.outputs[0]))


def _handle(s: ForeignNode) -> ArrayHandle:
    found = s.values[0] if s.values else None
    if not isinstance(found, ArrayHandle):
        raise Unsupported("its first input is not the handle of a TensorArray that is made in the same graph")
    return found


def _flow(s: ForeignNode) -> Tensor:
    """The array: the last input. A flow that no array has reached is an array of gradients without elements."""
    flow = s.scope.tensor(s.uses[-1])
    return flow if flow.dtype is variant else s.helper("empty", "NoVariant", TensorShape(()))[0]


def _others(s: ForeignNode, count: int) -> list[Tensor]:
    """The inputs between the handle and the flow."""
    if len(s.uses) != count + 2:
        raise GraphFormatError(f"it has {len(s.uses)} inputs, not {count + 2}")
    return [s.scope.tensor(use) for use in s.uses[1:-1]]


def _write(s: ForeignNode) -> Operation:
    index, value = _others(s, 2)
    if _handle(s).is_gradient:
        return s.add("PlaceElement", index, value)
    return s.add("TensorArrayWrite", _flow(s), index, value)


def _scatter(s: ForeignNode) -> Operation:
    indices, value = _others(s, 2)
    if _handle(s).is_gradient:
        return s.add("PlaceRows", value, indices)
    return s.add("TensorArrayScatter", _flow(s), value, indices)


def _split(s: ForeignNode) -> Operation:
    value, lengths = _others(s, 2)
    if _handle(s).is_gradient:
        return s.add("PlaceParts", value, lengths)
    return s.add("TensorArraySplit", _flow(s), value, lengths)


def _read(s: ForeignNode) -> Operation:
    handle = _handle(s)
    (index,) = _others(s, 1)
    dtype, shape = s.attr("dtype", "type"), handle.shape
    if handle.is_gradient and shape.is_fully_defined():
        sizes = s.constant("sizes", np.array(shape.as_list(), np.int32))
        return s.add("ElementOrZeros", _flow(s), index, sizes, dtype, shape)
    return s.add("TensorArrayRead", _flow(s), index, dtype, shape, handle.clear and not handle.is_gradient)


def _gather(s: ForeignNode) -> Operation:
    handle = _handle(s)
    (indices,) = _others(s, 1)
    element = s.attr("element_shape", "shape", _UNKNOWN)
    element = handle.shape if element.raw is None else element
    shape = _UNKNOWN if element.raw is None else TensorShape((None, *element.raw))
    if handle.is_gradient:  # rows that no read sent back are zeros
        known = element.as_list() if element.is_fully_defined() else -1
        sizes = s.constant("sizes", np.array(known, np.int32))
        return s.add("ListStack", _flow(s), sizes, s.attr("dtype", "type"), shape, indices)
    return s.add("TensorArrayGather", _flow(s), s.attr("dtype", "type"), shape, handle.clear, indices)


def _concat(s: ForeignNode) -> Operation:
    handle = _handle(s)
    _others(s, 0)
    rest = s.attr("element_shape_except0", "shape", _UNKNOWN)
    shape = _UNKNOWN if rest.raw is None else TensorShape((None, *rest.raw))
    return s.add("TensorArrayConcat", _flow(s), s.attr("dtype", "type"), shape, handle.clear and not handle.is_gradient)


def _size(s: ForeignNode) -> Operation:
    _handle(s)
    return s.add("TensorArraySize", _flow(s))


def _gradient_array(s: ForeignNode) -> Made:
    handle = _handle(s)
    what = "the handle of the TensorArray of gradients"
    made = ArrayHandle(what, s.node.name, handle.dtype, handle.shape, False, True)
    return Made(None, (made, s.values[-1]))


def _nothing(s: ForeignNode) -> Made:
    return Made(None, ())


# ---- lists --------------------------------------------------------------------------------------


def _sizes(s: ForeignNode, place: int) -> tuple[Tensor, TensorShape]:
    """The shape of an element: as an int32 tensor, and as far as it is known."""
    given = s.inputs[place]
    sizes = given if given.dtype is int32 else s.helper("sizes", "Cast", given, int32)[0]
    known = known_value(given)
    if known is None or known.ndim != 1:
        return sizes, _UNKNOWN
    return sizes, TensorShape([None if each < 0 else int(each) for each in known.tolist()])


def _reserve(s: ForeignNode) -> Operation:
    _, count = s.take(2)
    return s.add("ListReserve", _sizes(s, 0)[0], count, s.attr("element_dtype", "type"))


def _empty_list(s: ForeignNode) -> Operation:
    s.take(2)
    none = s.constant("none", np.array(0, np.int32))
    return s.add("ListReserve", _sizes(s, 0)[0], none, s.attr("element_dtype", "type"))


def _from_tensor(s: ForeignNode) -> Operation:
    tensor, _ = s.take(2)
    count = s.helper("rows", "StridedSlice", *_first_size(s, tensor))[0]
    new = s.helper("list", "ListReserve", _sizes(s, 1)[0], count, tensor.dtype)[0]
    return s.add("TensorArrayScatter", new, tensor, None)


def _first_size(s: ForeignNode, tensor: Tensor) -> tuple[Any, ...]:
    (shape,) = s.helper("shape", "Shape", tensor)
    return shape, hooks.records["Index"]((0,)), ()


def _get_item(s: ForeignNode) -> Operation:
    array, index, _ = s.take(3)
    _, shape = _sizes(s, 2)
    dtype = s.attr("element_dtype", "type")
    if dtype is not variant and shape.is_fully_defined():
        sizes = s.constant("sizes", np.array(shape.as_list(), np.int32))
        return s.add("ElementOrZeros", array, index, sizes, dtype, shape)
    return s.add("TensorArrayRead", array, index, dtype, shape, False)


def _set_item(s: ForeignNode) -> Operation:
    array, index, value = s.take(3)
    return s.add("ListSet", array, index, value)


def _stack(s: ForeignNode) -> Operation:
    array, _ = s.take(2)
    sizes, shape = _sizes(s, 1)
    count = s.attr("num_elements", "i", -1)
    whole = _UNKNOWN if shape.raw is None else TensorShape((None if count < 0 else count, *shape.raw))
    return s.add("ListStack", array, sizes, s.attr("element_dtype", "type"), whole, None)


def _list_gather(s: ForeignNode) -> Operation:
    array, indices, _ = s.take(3)
    _, shape = _sizes(s, 2)
    whole = _UNKNOWN if shape.raw is None else TensorShape((None, *shape.raw))
    return s.add("TensorArrayGather", array, s.attr("element_dtype", "type"), whole, False, indices)


def _scatter_into(s: ForeignNode) -> Operation:
    array, tensor, indices = s.take(3)
    return s.add("TensorArrayScatter", array, tensor, indices)


def _list_scatter(s: ForeignNode) -> Operation:
    tensor, indices, _, *rest = s.inputs
    none = rest[0] if rest else s.constant("none", np.array(0, np.int32))
    new = s.helper("list", "ListReserve", _sizes(s, 2)[0], none, tensor.dtype)[0]
    return s.add("TensorArrayScatter", new, tensor, indices)


def _list_split(s: ForeignNode) -> Operation:
    tensor, _, lengths = s.take(3)
    none = s.constant("none", np.array(0, np.int32))
    new = s.helper("list", "ListReserve", s.constant("any", np.array(-1, np.int32)), none, tensor.dtype)[0]
    return s.add("TensorArraySplit", new, tensor, lengths)


def _list_concat(s: ForeignNode) -> Operation:
    array = s.inputs[0]
    shape = _sizes(s, 1)[1] if s.node.op == "TensorListConcatV2" else s.attr("element_shape", "shape", _UNKNOWN)
    whole = _UNKNOWN if shape.raw is None else TensorShape((None, *shape.raw[1:]))
    return s.add("TensorArrayConcat", array, s.attr("element_dtype", "type"), whole, False)


def _push_back(s: ForeignNode) -> Operation:
    return s.add("ListPush", *s.take(2))


def _pop_back(s: ForeignNode) -> Made:
    array, _ = s.take(2)
    _, shape = _sizes(s, 1)
    (last,) = s.helper("tensor", "ListLast", array, s.attr("element_dtype", "type"), shape)
    op = s.add("ListDropLast", array)
    return Made(op, (op.outputs[0], last))


def _element_shape(s: ForeignNode) -> Operation:
    (array,) = s.take(1)
    if s.attr("shape_type", "type") is int64:
        return s.add("Cast", *s.helper("int32", "ListElementSizes", array), int64)
    return s.add("ListElementSizes", array)


# ---- optional values ----------------------------------------------------------------------------


def _some(s: ForeignNode) -> Operation | Made:
    """An optional value has one component here, as those of TensorFlow's gradients of branches; a variant is itself."""
    (value,) = s.take(1)
    return Made(value.op, (value,)) if value.dtype is variant else s.add("WrapVariant", value)


def _none(s: ForeignNode) -> Operation:
    return s.add("NoVariant", TensorShape(()))


def _held(s: ForeignNode) -> Operation | Made:
    types, shapes = s.attr("output_types", "list").type, s.attr("output_shapes", "list").shape
    if len(types) != 1:
        raise Unsupported(f"it has {len(types)} components")
    (value,) = s.take(1)
    dtype = dtype_of(types[0])
    if dtype is variant:
        return Made(value.op, (value,))
    return s.add("UnwrapVariant", value, dtype, shape_of_proto(shapes[0]) if shapes else _UNKNOWN)


# ---- ops that others share ----------------------------------------------------------------------


def variant_sum(s: ForeignNode) -> Made:
    """A sum of flows or lists: what is no variant among them is a zero that stands for nothing."""
    arrays = [each for each in s.inputs if each.dtype is variant]
    total = arrays[0]
    for number, each in enumerate(arrays[1:], 2):
        if number == len(arrays):
            total = s.add("AddVariants", total, each).outputs[0]
        else:
            (total,) = s.helper("sum", "AddVariants", total, each)
    return Made(total.op, (total,))


def has_variant(s: ForeignNode) -> bool:
    """Whether one of the inputs is an array, a list or the like."""
    return any(isinstance(value, Tensor) and value.dtype is variant for value in s.values)


def zeros_like_list(s: ForeignNode) -> Made:
    """Zeros like an array: none of its elements is there."""
    return outputs_of(s.add("ListZeros", *s.take(1)))


OF_ARRAYS: dict[str, Callable[[ForeignNode], Any]] = {
    "EmptyTensorList": _empty_list,
    "OptionalFromValue": _some,
    "OptionalGetValue": _held,
    "OptionalNone": _none,
    "TensorArrayCloseV3": _nothing,
    "TensorArrayConcatV3": _concat,
    "TensorArrayGatherV3": _gather,
    "TensorArrayGradV3": _gradient_array,
    "TensorArrayReadV3": _read,
    "TensorArrayScatterV3": _scatter,
    "TensorArraySizeV3": _size,
    "TensorArraySplitV3": _split,
    "TensorArrayV3": _new_array,
    "TensorArrayWriteV3": _write,
    "TensorListConcat": _list_concat,
    "TensorListConcatV2": _list_concat,
    "TensorListElementShape": _element_shape,
    "TensorListFromTensor": _from_tensor,
    "TensorListGather": _list_gather,
    "TensorListGetItem": _get_item,
    "TensorListLength": lambda s: s.add("TensorArraySize", *s.take(1)),
    "TensorListPopBack": _pop_back,
    "TensorListPushBack": _push_back,
    "TensorListReserve": _reserve,
    "TensorListResize": lambda s: s.add("ListResize", *s.take(2)),
    "TensorListScatter": _list_scatter,
    "TensorListScatterIntoExistingList": _scatter_into,
    "TensorListScatterV2": _list_scatter,
    "TensorListSetItem": _set_item,
    "TensorListSplit": _list_split,
    "TensorListStack": _stack,
}
"""TensorFlow's node -> the rule that reads it."""

SUMS = ("Add", "AddN", "AddV2")
ZEROS = ("ZerosLike",)
