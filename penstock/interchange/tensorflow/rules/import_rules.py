"""Import rules: TensorFlow's nodes that are not one of ours with the same inputs.

A function gets the node as a `ForeignNode` and returns the operation that it adds. It raises `Unsupported` for a use of
the node that no op here has; everything else that is wrong is an error of the file.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_int, known_value
from ....graph.common.hooks import hooks
from ....graph.declare.graphdef_form import MISSING, FormAttribute, GraphDefForm
from ....graph.model.nodes import Operation, Tensor
from ....graph.serial.rebuild import find_opdef
from ....graph.shapes import dtypes
from ....graph.shapes.dtypes import DType
from ..foreign_node import ForeignNode
from ..import_scope import Made
from ..wire.tensor_proto import Unsupported, dtype_of, shape_of_proto
from .gather_rules import gather_along
from .op_table import form_of

# ---- as the declaration says ----------------------------------------------------------------------


def read_direct(source: ForeignNode, types: list[str]) -> Operation:
    """The node as the first of our ops whose form it has."""
    forms = [(type, form) for type in types if (form := form_of(type))]
    fitting = [(type, form) for type, form in forms if all(is_value for *_, is_value in _fixed(source, form))]
    if not fitting:
        values = ", ".join(f"{name}={value}" for name, value, _ in _fixed(source, forms[-1][1]))
        raise Unsupported(f"no op here has {values}")
    type, form = fitting[0]
    opdef = find_opdef(type)
    args: list[Any] = [None] * len(opdef.parameters)
    lists = sum(operand.many for _, _, operand in opdef.operands)
    single = len(opdef.operands) - lists
    count = (len(source.inputs) - single) // lists if lists else 0
    rest = list(source.take(single + lists * count))
    for position, _, operand in opdef.operands:
        taken = count if operand.many else 1
        args[position] = tuple(rest[:taken]) if operand.many else rest[0]
        del rest[:taken]
    spelled = {each.parameter: each for each in form.attributes if each.source == "parameter"}
    for position, named in opdef.attrs:
        default = opdef.signature.parameters[named.name].default
        args[position] = _attribute(source, spelled.get(named.name), default)
    return source.add(type, *args)


def _fixed(source: ForeignNode, form: GraphDefForm) -> Iterator[tuple[str, Any, bool]]:
    """The attributes whose value the form says: their name, their value in the file, whether it is the one said."""
    for each in form.attributes:
        if each.source == "constant":
            value = source.attr(each.name, "type" if isinstance(each.value, DType) else "i", each.value)
            yield each.name, value, value == each.value


def _attribute(source: ForeignNode, attribute: FormAttribute | None, default: Any) -> Any:
    """The value of the attribute, whatever kind it has; where it is left out TensorFlow's default, or our own."""
    found = None if attribute is None else source.node.attr(attribute.name)
    if found is None:
        if attribute is not None and attribute.default is not MISSING:
            return attribute.default
        if default is _EMPTY:
            raise GraphFormatError(f"its attribute {None if attribute is None else attribute.name} is missing")
        return default
    if found.type is not None:
        return dtype_of(found.type)
    if found.shape is not None:
        return shape_of_proto(found.shape)
    if found.list is not None:  # of numbers: lists of other kinds have rules of their own
        return tuple(found.list.f or found.list.i)
    if found.s is not None:
        return found.s
    if found.f is not None:
        return found.f
    return found.b if found.b is not None else found.i


_EMPTY: Any = inspect.Parameter.empty


# ---- one by one ---------------------------------------------------------------------------------


def _as(type: str, count: int) -> Callable[[ForeignNode], Operation]:
    """The node under another name of ours, without attributes."""
    return lambda s: s.add(type, *s.take(count))


def _concat_v2(s: ForeignNode) -> Operation:
    *values, axis = s.inputs
    return s.add("Concat", axis, tuple(values))


def _one_hot(s: ForeignNode) -> Operation:
    indices, depth, on, off = s.take(4)
    return s.add("OneHot", indices, depth, on, off, s.attr("axis", "i", -1), on.dtype)


def _unpack(s: ForeignNode) -> Operation:
    if s.attr("axis", "i", 0) != 0:
        raise Unsupported("it unpacks along an axis other than 0")
    return s.add("Unpack", *s.take(1), s.attr("num", "i"))


def _squeeze(s: ForeignNode) -> Operation:
    found = s.node.attr("squeeze_dims")
    dims = tuple(found.list.i) if found is not None and found.list is not None else ()
    return s.add("Squeeze", *s.take(1), dims or None)


def _decode_csv(s: ForeignNode) -> Operation:
    if not s.inputs:
        raise GraphFormatError("it has no inputs")
    found = s.node.attr("select_cols")
    columns = tuple(found.list.i) if found is not None and found.list is not None else ()
    return s.add("DecodeCSV", s.inputs[0], s.inputs[1:], s.attr("field_delim", "s", b","),
                 s.attr("use_quote_delim", "b", True), s.attr("na_value", "s", b""), columns)  # fmt: skip


def _matmul(s: ForeignNode) -> Operation:
    flips = [s.attr("transpose_a", "b", False), s.attr("transpose_b", "b", False)]
    return s.add("MatMul", *s.take(2), *flips, False, False, False, False)


def _batch_matmul(s: ForeignNode) -> Operation:
    return s.add(
        "MatMul", *s.take(2), False, False, s.attr("adj_x", "b", False), s.attr("adj_y", "b", False), False, False
    )


def _gather_v2(s: ForeignNode) -> Operation | Made:
    params, indices, axis = s.take(3)
    place, batched = known_int(axis), s.attr("batch_dims", "i", 0)
    if place == 0 and not batched:
        return s.add("Gather", params, indices)
    return gather_along(s, params, indices, place, batched)


def _reverse_v2(s: ForeignNode) -> Operation:
    """Axes as numbers become one bool for each dimension."""
    x, axes = s.take(2)
    rank, numbers = x.shape.ndims, known_value(axes)
    if rank is None or numbers is None or rank > 8:
        raise Unsupported("it reverses dimensions that are not known before a run")
    flips = np.zeros(rank, bool)
    for axis in numbers.reshape(-1).tolist():
        if not -rank <= axis < rank:
            raise GraphFormatError(f"it reverses dimension {axis} of {rank}")
        flips[axis] = True
    return s.add("Reverse", x, s.constant("dims", flips))


def _sizes(s: ForeignNode) -> Operation:
    """Shape and Size of int64 are ours, cast."""
    wanted: DType = s.attr("out_type", "type", dtypes.int32)
    if wanted is dtypes.int32:
        return s.add(s.node.op, *s.take(1))
    return s.add("Cast", *s.helper("int32", s.node.op, *s.take(1)), wanted)


def _bias_add(s: ForeignNode) -> Operation:
    x, bias = s.take(2)
    dims, sizes = x.shape.raw, bias.shape.raw
    if s.attr("data_format", "s", b"NHWC") == b"NHWC" or x.shape.ndims == 2:
        fits = dims and sizes and dims[-1] == sizes[0]
        return s.add("Add" if fits else "BiasAdd", x, bias)
    if dims is None or not isinstance(dims[1], int):
        raise Unsupported("its channels are dimension 1, which is not known")
    shape = s.constant("shape", np.array([dims[1], *[1] * (len(dims) - 2)], np.int32))
    return s.add("Add", x, *s.helper("channels", "Reshape", bias, shape))


def _l2_loss(s: ForeignNode) -> Operation:
    (x,) = s.take(1)
    total = s.helper("sum", "Sum", *s.helper("square", "Square", x), None, False)
    return s.add("Mul", *total, s.constant("half", np.array(0.5, x.dtype.np)))


def _in_top_k(s: ForeignNode) -> Operation:
    predictions, targets = s.take(2)
    return s.add("InTopKV2", predictions, targets, s.constant("k", np.array(s.attr("k", "i"), targets.dtype.np)))


def _argument(s: ForeignNode) -> Operation:
    """An argument of a graph that is a function: what a run feeds."""
    shapes = s.node.attr("_output_shapes")
    listed = shapes.list.shape if shapes is not None and shapes.list is not None else []
    return s.add("Placeholder", s.attr("T", "type"), shape_of_proto(listed[0] if listed else None))


def _identity_n(s: ForeignNode) -> Operation:
    return s.add("IdentityN", s.inputs)


# ---- indexing -----------------------------------------------------------------------------------


def _strided_slice(s: ForeignNode) -> Operation:
    tensor, *vectors = s.take(4)
    return s.add("StridedSlice", tensor, *index_of(s, vectors))


def _strided_slice_grad(s: ForeignNode) -> Operation:
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


def _bound(side: str) -> Callable[[ForeignNode], Operation]:
    return lambda s: s.add("SearchSorted", *s.take(2), side, s.attr("out_type", "type", dtypes.int32))


FOREIGN: dict[str, Callable[[ForeignNode], Operation | Made]] = {
    "_Arg": _argument,
    "_DeviceArg": _argument,
    "_DeviceRetval": _as("Identity", 1),
    "_Retval": _as("Identity", 1),
    "Abs": _as("Abs", 1),
    "Add": _as("Add", 2),
    "AddV2": _as("Add", 2),
    "BatchMatMul": _batch_matmul,
    "BatchMatMulV2": _batch_matmul,
    "BatchMatMulV3": _batch_matmul,
    "BiasAdd": _bias_add,
    "ComplexAbs": _as("Abs", 1),
    "Concat": lambda s: s.add("Concat", s.inputs[0], s.inputs[1:]),
    "ConcatV2": _concat_v2,
    "Const": lambda s: s.add("Const", s.array()),
    "DecodeCSV": _decode_csv,
    "GatherV2": _gather_v2,
    "InTopK": _in_top_k,
    "Inv": _as("Reciprocal", 1),
    "L2Loss": _l2_loss,
    "LowerBound": _bound("left"),
    "LogSoftmax": lambda s: s.add(s.node.op, *s.take(1), -1),
    "MatMul": _matmul,
    "OneHot": _one_hot,
    "OnesLike": lambda s: s.add(s.node.op, *s.take(1), None),
    "ReverseV2": _reverse_v2,
    "Shape": _sizes,
    "Size": _sizes,
    "Softmax": lambda s: s.add(s.node.op, *s.take(1), -1),
    "Squeeze": _squeeze,
    "IdentityN": _identity_n,
    "StridedSlice": _strided_slice,
    "StridedSliceGrad": _strided_slice_grad,
    "Unpack": _unpack,
    "UpperBound": _bound("right"),
    "ZerosLike": lambda s: s.add(s.node.op, *s.take(1), None),
}
