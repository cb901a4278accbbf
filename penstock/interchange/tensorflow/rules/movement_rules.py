"""Nodes that move, choose or order elements, whose inputs or attributes are other ones in TensorFlow, both ways."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....derivatives import rule_namespace as ops
from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_int, known_value
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes import dtypes
from ....graph.shapes.dtypes import DType, int32, int64
from ..foreign_node import ForeignNode, read_as
from ..import_scope import Made
from ..node_writer import ExportRule, NodeWriter
from ..wire.tensor_proto import Unsupported, shape_of_proto
from .arithmetic_rules import all_axes
from .composite_rules import composite


def gather_along(s: ForeignNode, params: Tensor, indices: Tensor, axis: int | None, batched: int) -> Made:
    """`gather` along another dimension than the first, or in batches: rows of the tensor whose dimensions are moved.

    Raises:
        Unsupported: the dimension, or how many there are, is not known before a run.
    """
    rank, of_indices = params.shape.ndims, indices.shape.ndims
    if axis is None or rank is None or of_indices is None:
        raise Unsupported("it gathers along a dimension that is not known before a run")
    place, common = axis % rank if rank else 0, batched + of_indices if batched < 0 else batched
    if not (-rank <= axis < rank and 0 <= common <= min(place, of_indices)):
        raise GraphFormatError(f"it gathers along dimension {axis} of {rank}, in {batched} dimensions of batches")

    def outputs() -> list[Tensor]:
        if not common:
            first = ops.transpose(params, [place, *[dim for dim in range(rank) if dim != place]])
            rows = ops.gather(first, indices)
            behind = range(of_indices + place, rank + of_indices - 1)
            return [ops.transpose(rows, [*range(of_indices, of_indices + place), *range(of_indices), *behind])]
        # The batches and the dimension behind them become one; its rows are numbered batch by batch.
        between = list(range(common, place))
        ordered = ops.transpose(params, [*range(common), place, *between, *range(place + 1, rank)])
        sizes, wanted = ops.shape(ordered), ops.shape(indices)
        count = ops.reduce_prod(ops.gather(sizes, list(range(common))))
        length, rest = ops.gather(sizes, common), ops.slice(sizes, [common + 1], [-1])
        flat = ops.reshape(ordered, ops.concat(0, [ops.expand_dims(ops.multiply(count, length), 0), rest]))
        numbers = ops.reshape(ops.cast(indices, int32), ops.stack([count, -1]))
        starts = ops.expand_dims(ops.multiply(ops.range(count), length), 1)
        rows = ops.gather(flat, ops.add(numbers, starts))
        found = ops.reshape(rows, ops.concat(0, [wanted, rest]))
        free, skipped = of_indices - common, len(between)
        moved = [*range(common), *range(of_indices, of_indices + skipped), *range(common, of_indices),
                 *range(of_indices + skipped, common + free + rank - common - 1)]
        return [ops.transpose(found, moved)]

    return composite(s, outputs)


# ---- writing ------------------------------------------------------------------------------------


def _write_concat(w: NodeWriter, op: Operation) -> None:
    """TensorFlow's axis comes last."""
    axis, values = op.args
    w.node("ConcatV2", [*map(w.ref, values), w.ref(axis)], N=len(values), T=values[0].dtype, Tidx=axis.dtype)


def _write_decode_csv(w: NodeWriter, op: Operation) -> None:
    """The dtypes of the columns are a list."""
    _, defaults, delimiter, quotes, na, columns = op.args
    types = [default.dtype for default in defaults]
    w.node("DecodeCSV", [w.ref(t) for t in op.inputs], OUT_TYPE=types, field_delim=delimiter, use_quote_delim=quotes,
           na_value=na, select_cols=columns)  # fmt: skip


def _write_transpose(w: NodeWriter, op: Operation) -> bool:
    """Without a permutation, dimensions stand in reverse order."""
    x, perm = op.args
    if perm is not None:
        return False
    axes = all_axes(w, x)
    flip = w.constant("zero", np.zeros(1, np.int32))
    order = w.node("ReverseV2", [axes, flip], "perm", T=int32, Tidx=int32)
    w.node("Transpose", [w.ref(x), order], T=x.dtype, Tperm=int32)
    return True


def _write_one_hot(w: NodeWriter, op: Operation) -> None:
    indices, _, on, _, axis, _ = op.args
    w.node("OneHot", [w.ref(t) for t in op.inputs], axis=axis, T=on.dtype, TI=indices.dtype)


def _write_unpack(w: NodeWriter, op: Operation) -> None:
    w.node("Unpack", [w.ref(op.inputs[0])], num=len(op.outputs), axis=0, T=op.inputs[0].dtype)


def _write_squeeze(w: NodeWriter, op: Operation) -> None:
    w.node("Squeeze", [w.ref(op.inputs[0])], squeeze_dims=op.args[1] or (), T=op.inputs[0].dtype)


def _write_gather(w: NodeWriter, op: Operation) -> bool:
    """TensorFlow's Gather does not take int16."""
    params, indices = op.args
    if indices.dtype.size > 2:
        return False
    wide = w.node("Cast", [w.ref(indices)], "indices", SrcT=indices.dtype, DstT=int32)
    w.node("Gather", [w.ref(params), wide], Tparams=params.dtype, Tindices=int32)
    return True


def _write_multiplex(w: NodeWriter, op: Operation) -> None:
    """out[i] = inputs[index[i]][i]: the pairs (index[i], i) choose among the stacked inputs."""
    inputs, index = op.args
    dtype = index.dtype
    stacked = w.node("Pack", [w.ref(t) for t in inputs], "stacked", N=len(inputs), T=inputs[0].dtype, axis=0)
    ones = w.node("OnesLike", [w.ref(index)], "ones", T=dtype)
    down = w.constant("down", np.array(0, np.int32))
    rows = w.node("Cumsum", [ones, down], "rows", T=dtype, Tidx=int32, exclusive=True, reverse=False)
    across = w.constant("across", np.array(1, np.int32))
    pairs = w.node("ConcatV2", [w.ref(index), rows, across], "pairs", N=2, T=dtype, Tidx=int32)
    w.node("GatherNd", [stacked, pairs], Tparams=inputs[0].dtype, Tindices=dtype)


def _write_boolean_mask(w: NodeWriter, op: Operation) -> None:
    x, mask, axis = op.args
    if axis is not None and known_int(axis) != 0:
        raise GraphFormatError(
            f"the node {op.name!r} masks along an axis other than 0; TensorFlow has no node for that"
        )
    places = w.node("Where", [w.ref(mask)], "where", T=mask.dtype)
    w.node("GatherNd", [w.ref(x), places], Tparams=x.dtype, Tindices=int64)


def _write_identity_after(w: NodeWriter, op: Operation) -> None:
    """The order of a recomputation becomes control dependencies."""
    input, after = op.args
    first = dict.fromkeys("^" + w.ref(each).partition(":")[0] for each in after)
    w.node("Identity", [w.ref(input), *first], T=input.dtype)


def _write_sort(w: NodeWriter, op: Operation) -> None:
    """TopKV2 sorts the last axis in descending order: another axis is moved there, another order turned round."""
    x, axis, direction, *_ = op.args
    rank, dtype, wants_indices = x.shape.ndims, x.dtype, op.type == "ArgSort"
    if rank is None:
        raise GraphFormatError(f"the node {op.name!r} is a {op.type} of an unknown rank; TensorFlow has no node for it")
    turn = ("Neg" if dtype.is_floating else "Invert") if direction == "ASCENDING" else None
    order = np.arange(rank, dtype=np.int32)
    order[[axis, -1]] = order[[-1, axis]]
    perm = w.constant("perm", order) if axis % rank != rank - 1 else None
    keys = w.ref(x)
    if turn:
        keys = w.node(turn, [keys], "turned", T=dtype)
    if perm:
        keys = w.node("Transpose", [keys, perm], "last", T=dtype, Tperm=int32)
    sizes = w.node("Shape", [keys], "sizes", T=dtype, out_type=int32)
    at = w.constant("at", np.array(rank - 1, np.int32))
    k = w.node("Gather", [sizes, at], "k", Tparams=int32, Tindices=int32)
    found = w.node("TopKV2", [keys, k], "top", sorted=True, T=dtype, Tk=int32) + (":1" if wants_indices else "")
    result = int32 if wants_indices else dtype
    last = "Identity" if wants_indices or not turn else turn
    if perm:
        found = w.node("Transpose", [found, perm], "moved", T=result, Tperm=int32)
    w.node(last, [found], T=result)


def _write_searchsorted(w: NodeWriter, op: Operation) -> None:
    """TensorFlow's nodes take matrices: rows of more dimensions are laid out as one, and the result back."""
    rows, values, side, out_type = op.args
    type, attrs = "LowerBound" if side == "left" else "UpperBound", {"T": rows.dtype, "out_type": out_type}
    if values.shape.ndims == 2:
        w.node(type, [w.ref(rows), w.ref(values)], **attrs)
        return
    tables = []
    for label, tensor in (("rows", rows), ("values", values)):
        last = tensor.shape.raw[-1] if tensor.shape.raw else None
        if tensor.shape.ndims != 1 and not isinstance(last, int):
            raise GraphFormatError(f"the node {op.name!r} is a SearchSorted of rows of unknown number and length; "
                                   "TensorFlow's takes matrices")  # fmt: skip
        sizes = np.array([1, -1] if tensor.shape.ndims == 1 else [-1, last], np.int32)
        attrs_of = {"T": tensor.dtype, "Tshape": int32}
        tables.append(w.node("Reshape", [w.ref(tensor), w.constant(f"{label}_sizes", sizes)], label, **attrs_of))
    found = w.node(type, tables, "found", **attrs)
    shape = w.node("Shape", [w.ref(values)], "shape", T=values.dtype, out_type=int32)
    w.node("Reshape", [found, shape], T=out_type, Tshape=int32)


def _write_ensure_shape(w: NodeWriter, op: Operation) -> bool:
    """TensorFlow's node refuses a shape of unknown rank, which every tensor has."""
    x, shape = op.args
    if shape.raw is not None:
        return False
    w.node("Identity", [w.ref(x)], T=x.dtype)
    return True


# ---- reading ------------------------------------------------------------------------------------


def _read_concat_v2(s: ForeignNode) -> Operation:
    *values, axis = s.inputs
    return s.add("Concat", axis, tuple(values))


def _read_one_hot(s: ForeignNode) -> Operation:
    indices, depth, on, off = s.take(4)
    return s.add("OneHot", indices, depth, on, off, s.attr("axis", "i", -1), on.dtype)


def _read_unpack(s: ForeignNode) -> Operation:
    if s.attr("axis", "i", 0) != 0:
        raise Unsupported("it unpacks along an axis other than 0")
    return s.add("Unpack", *s.take(1), s.attr("num", "i"))


def _read_squeeze(s: ForeignNode) -> Operation:
    return s.add("Squeeze", *s.take(1), tuple(s.listed("squeeze_dims").i) or None)


def _read_decode_csv(s: ForeignNode) -> Operation:
    if not s.inputs:
        raise GraphFormatError("it has no inputs")
    columns = tuple(s.listed("select_cols").i)
    return s.add("DecodeCSV", s.inputs[0], s.inputs[1:], s.attr("field_delim", "s", b","),
                 s.attr("use_quote_delim", "b", True), s.attr("na_value", "s", b""), columns)  # fmt: skip


def _read_gather_v2(s: ForeignNode) -> Operation | Made:
    params, indices, axis = s.take(3)
    place, batched = known_int(axis), s.attr("batch_dims", "i", 0)
    if place == 0 and not batched:
        return s.add("Gather", params, indices)
    return gather_along(s, params, indices, place, batched)


def _read_reverse_v2(s: ForeignNode) -> Operation:
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


def _read_sizes(s: ForeignNode) -> Operation:
    """Shape and Size of int64 are ours, cast."""
    wanted: DType = s.attr("out_type", "type", dtypes.int32)
    if wanted is dtypes.int32:
        return s.add(s.node.op, *s.take(1))
    return s.add("Cast", *s.helper("int32", s.node.op, *s.take(1)), wanted)


def _read_argument(s: ForeignNode) -> Operation:
    """An argument of a graph that is a function: what a run feeds."""
    shapes = s.listed("_output_shapes").shape
    return s.add("Placeholder", s.attr("T", "type"), shape_of_proto(shapes[0] if shapes else None))


def _read_identity_n(s: ForeignNode) -> Operation:
    return s.add("IdentityN", s.inputs)


def _read_bound(side: str) -> Callable[[ForeignNode], Operation]:
    return lambda s: s.add("SearchSorted", *s.take(2), side, s.attr("out_type", "type", dtypes.int32))


# ---- the tables ---------------------------------------------------------------------------------


MOVEMENT_WRITTEN: dict[str, ExportRule] = {
    "ArgSort": _write_sort,
    "BooleanMask": _write_boolean_mask,
    "Concat": _write_concat,
    "DecodeCSV": _write_decode_csv,
    "EnsureShape": _write_ensure_shape,
    "Gather": _write_gather,
    "IdentityAfter": _write_identity_after,
    "Multiplex": _write_multiplex,
    "OneHot": _write_one_hot,
    "SearchSorted": _write_searchsorted,
    "Sort": _write_sort,
    "Squeeze": _write_squeeze,
    "Transpose": _write_transpose,
    "Unpack": _write_unpack,
}
"""Our type -> the rule that writes it, and says whether it did; else the operation's form is written."""
MOVEMENT_READ: dict[str, Callable[[ForeignNode], Operation | Made]] = {
    "_Arg": _read_argument,
    "_DeviceArg": _read_argument,
    "_DeviceRetval": read_as("Identity", 1),
    "_Retval": read_as("Identity", 1),
    "Concat": lambda s: s.add("Concat", s.inputs[0], s.inputs[1:]),
    "ConcatV2": _read_concat_v2,
    "DecodeCSV": _read_decode_csv,
    "GatherV2": _read_gather_v2,
    "IdentityN": _read_identity_n,
    "LowerBound": _read_bound("left"),
    "OneHot": _read_one_hot,
    "ReverseV2": _read_reverse_v2,
    "Shape": _read_sizes,
    "Size": _read_sizes,
    "Squeeze": _read_squeeze,
    "Unpack": _read_unpack,
    "UpperBound": _read_bound("right"),
}
"""TensorFlow's node -> the rule that reads it."""
