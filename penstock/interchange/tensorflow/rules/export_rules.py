"""Export rules: the ops that are not one node of TensorFlow's with the same inputs.

Each function gets the writer and the operation, adds nodes, the last without a label, and returns True; or False where
this use of the op is an ordinary one after all, which `op_table` describes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_int
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import int32, int64, of_numpy
from ..node_writer import NodeWriter
from ..wire.messages import AttrValue, ListValue
from ..wire.tensor_proto import dtype_number

_INT64 = np.iinfo(np.int64)
_INT32 = np.iinfo(np.int32)


def _const(w: NodeWriter, op: Operation) -> bool:
    value = op.args[0]
    w.node("Const", (), value=value, dtype=of_numpy(value.dtype))
    return True


def _add(w: NodeWriter, op: Operation) -> bool:
    """AddV2 takes every number, Add takes strings."""
    dtype = op.inputs[0].dtype
    w.node("Add" if dtype.is_string else "AddV2", [w.ref(t) for t in op.inputs], T=dtype)
    return True


def _abs(w: NodeWriter, op: Operation) -> bool:
    (x,) = op.inputs
    if x.dtype.is_complex:
        w.node("ComplexAbs", [w.ref(x)], T=x.dtype, Tout=x.dtype.real_dtype)
    else:
        w.node("Abs", [w.ref(x)], T=x.dtype)
    return True


def _concat(w: NodeWriter, op: Operation) -> bool:
    """TensorFlow's axis comes last."""
    axis, values = op.args
    w.node("ConcatV2", [*map(w.ref, values), w.ref(axis)], N=len(values), T=values[0].dtype, Tidx=axis.dtype)
    return True


def _decode_csv(w: NodeWriter, op: Operation) -> bool:
    """The dtypes of the columns are a list."""
    _, defaults, delimiter, quotes, na, columns = op.args
    types = AttrValue(list=ListValue(type=[dtype_number(default.dtype) for default in defaults]))
    w.node("DecodeCSV", [w.ref(t) for t in op.inputs], OUT_TYPE=types, field_delim=delimiter, use_quote_delim=quotes,
           na_value=na, select_cols=columns)  # fmt: skip
    return True


def _reduction(w: NodeWriter, op: Operation) -> bool:
    """Without an axis, all of them are listed."""
    x, axis, keepdims = op.args
    if axis is not None:
        return False
    types = {} if op.type in ("All", "Any") else {"T": x.dtype}
    w.node(op.type, [w.ref(x), _all_axes(w, x)], keep_dims=keepdims, Tidx=int32, **types)
    return True


def _all_axes(w: NodeWriter, x: Tensor) -> str:
    rank = x.shape.ndims
    if rank is not None:
        return w.constant("axes", np.arange(rank, dtype=np.int32))
    count = w.node("Rank", [w.ref(x)], "rank", T=x.dtype)
    bounds = [w.constant("first", np.array(0, np.int32)), count, w.constant("step", np.array(1, np.int32))]
    return w.node("Range", bounds, "axes", Tidx=int32)


def _transpose(w: NodeWriter, op: Operation) -> bool:
    """Without a permutation, dimensions stand in reverse order."""
    x, perm = op.args
    if perm is not None:
        return False
    axes = _all_axes(w, x)
    flip = w.constant("zero", np.zeros(1, np.int32))
    order = w.node("ReverseV2", [axes, flip], "perm", T=int32, Tidx=int32)
    w.node("Transpose", [w.ref(x), order], T=x.dtype, Tperm=int32)
    return True


def _like(value: int) -> Callable[[NodeWriter, Operation], bool]:
    def write(w: NodeWriter, op: Operation) -> bool:
        """With a dtype of its own, it is a fill."""
        x, dtype = op.outputs[0], op.inputs[0].dtype
        if x.dtype is dtype:
            return False
        shape = w.node("Shape", [w.ref(op.inputs[0])], "shape", T=dtype, out_type=int32)
        element: Any = np.array(value, x.dtype.np) if not x.dtype.is_string else np.array(b"", object)
        w.node("Fill", [shape, w.constant("value", element)], T=x.dtype, index_type=int32)
        return True

    return write


def _one_hot(w: NodeWriter, op: Operation) -> bool:
    indices, _, on, _, axis, _ = op.args
    w.node("OneHot", [w.ref(t) for t in op.inputs], axis=axis, T=on.dtype, TI=indices.dtype)
    return True


def _unpack(w: NodeWriter, op: Operation) -> bool:
    w.node("Unpack", [w.ref(op.inputs[0])], num=len(op.outputs), axis=0, T=op.inputs[0].dtype)
    return True


def _squeeze(w: NodeWriter, op: Operation) -> bool:
    w.node("Squeeze", [w.ref(op.inputs[0])], squeeze_dims=op.args[1] or (), T=op.inputs[0].dtype)
    return True


def _gather(w: NodeWriter, op: Operation) -> bool:
    """TensorFlow's Gather does not take int16."""
    params, indices = op.args
    if indices.dtype.size > 2:
        return False
    wide = w.node("Cast", [w.ref(indices)], "indices", SrcT=indices.dtype, DstT=int32)
    w.node("Gather", [w.ref(params), wide], Tparams=params.dtype, Tindices=int32)
    return True


def _softmax(w: NodeWriter, op: Operation) -> bool:
    """TensorFlow's node knows the last axis only: another one is moved there and back."""
    x, axis = op.args
    rank = x.shape.ndims
    if axis == -1 or axis + 1 == rank:
        w.node(op.type, [w.ref(x)], T=x.dtype)
        return True
    if rank is None:
        raise GraphFormatError(f"the node {op.name!r} is a {op.type} along axis {axis} of an unknown rank; "
                               "TensorFlow's works along the last axis")  # fmt: skip
    order = np.arange(rank, dtype=np.int32)
    order[[axis, rank - 1]] = order[[rank - 1, axis]]
    perm = w.constant("perm", order)
    last = w.node("Transpose", [w.ref(x), perm], "last", T=x.dtype, Tperm=int32)
    soft = w.node(op.type, [last], "soft", T=x.dtype)
    w.node("Transpose", [soft, perm], T=x.dtype, Tperm=int32)
    return True


def _linspace(w: NodeWriter, op: Operation) -> bool:
    """TensorFlow's node takes scalars only."""
    rank = op.inputs[0].shape.ndims
    if rank not in (0, None):
        raise GraphFormatError(
            f"the node {op.name!r} is a LinSpace between tensors of rank {rank}; TensorFlow's takes scalars"
        )
    return False


def _matmul(w: NodeWriter, op: Operation) -> bool:
    a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, *_ = op.args
    real = not a.dtype.is_complex
    if a.shape.ndims == b.shape.ndims == 2 and (real or not (adjoint_a or adjoint_b)):
        w.node("MatMul", [w.ref(a), w.ref(b)], transpose_a=transpose_a or adjoint_a,
               transpose_b=transpose_b or adjoint_b, T=a.dtype)  # fmt: skip
        return True
    if not real and (transpose_a or transpose_b):
        raise GraphFormatError(
            f"the node {op.name!r} transposes batches of complex matrices; TensorFlow's node conjugates too"
        )
    w.node(
        "BatchMatMulV2", [w.ref(a), w.ref(b)], adj_x=transpose_a or adjoint_a, adj_y=transpose_b or adjoint_b, T=a.dtype
    )
    return True


def _multiplex(w: NodeWriter, op: Operation) -> bool:
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
    return True


def _boolean_mask(w: NodeWriter, op: Operation) -> bool:
    x, mask, axis = op.args
    if axis is not None and known_int(axis) != 0:
        raise GraphFormatError(
            f"the node {op.name!r} masks along an axis other than 0; TensorFlow has no node for that"
        )
    places = w.node("Where", [w.ref(mask)], "where", T=mask.dtype)
    w.node("GatherNd", [w.ref(x), places], Tparams=x.dtype, Tindices=int64)
    return True


def _identity_after(w: NodeWriter, op: Operation) -> bool:
    """The order of a recomputation becomes control dependencies."""
    input, after = op.args
    first = dict.fromkeys("^" + w.ref(each).partition(":")[0] for each in after)
    w.node("Identity", [w.ref(input), *first], T=input.dtype)
    return True


# ---- indexing -----------------------------------------------------------------------------------


def _strided_slice(w: NodeWriter, op: Operation) -> bool:
    tensor, index, bounds = op.args
    vectors, attrs = bounds_and_masks(w, index, bounds)
    w.node("StridedSlice", [w.ref(tensor), *vectors], T=tensor.dtype, **attrs)
    return True


def _strided_slice_grad(w: NodeWriter, op: Operation) -> bool:
    shape, dy, index, bounds = op.args
    vectors, attrs = bounds_and_masks(w, index, bounds)
    if attrs["Index"] is not shape.dtype:
        raise GraphFormatError(f"the node {op.name!r} has a shape of {shape.dtype} and an index of {attrs['Index']}; "
                               "in TensorFlow both are of one dtype")  # fmt: skip
    w.node("StridedSliceGrad", [w.ref(shape), *vectors, w.ref(dy)], T=dy.dtype, **attrs)
    return True


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


def _sort(w: NodeWriter, op: Operation) -> bool:
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
    return True


def _searchsorted(w: NodeWriter, op: Operation) -> bool:
    """TensorFlow's nodes take matrices: rows of more dimensions are laid out as one, and the result back."""
    rows, values, side, out_type = op.args
    type, attrs = "LowerBound" if side == "left" else "UpperBound", {"T": rows.dtype, "out_type": out_type}
    if values.shape.ndims == 2:
        w.node(type, [w.ref(rows), w.ref(values)], **attrs)
        return True
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
    return True


def _ensure_shape(w: NodeWriter, op: Operation) -> bool:
    """TensorFlow's node refuses a shape of unknown rank, which every tensor has."""
    x, shape = op.args
    if shape.raw is not None:
        return False
    w.node("Identity", [w.ref(x)], T=x.dtype)
    return True


SPECIAL: dict[str, Callable[[Any, Operation], bool]] = {
    "Abs": _abs,
    "Add": _add,
    "ArgSort": _sort,
    "BooleanMask": _boolean_mask,
    "Concat": _concat,
    "Const": _const,
    "DecodeCSV": _decode_csv,
    "EnsureShape": _ensure_shape,
    "Gather": _gather,
    "LinSpace": _linspace,
    "LogSoftmax": _softmax,
    "MatMul": _matmul,
    "Multiplex": _multiplex,
    "OneHot": _one_hot,
    "OnesLike": _like(1),
    "SearchSorted": _searchsorted,
    "Softmax": _softmax,
    "Sort": _sort,
    "Squeeze": _squeeze,
    "IdentityAfter": _identity_after,
    "StridedSlice": _strided_slice,
    "StridedSliceGrad": _strided_slice_grad,
    "Transpose": _transpose,
    "Unpack": _unpack,
    "ZerosLike": _like(0),
} | dict.fromkeys(("All", "Any", "Max", "Mean", "Min", "Prod", "Sum"), _reduction)
