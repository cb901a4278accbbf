"""Nodes of constants, arithmetic and reductions whose inputs or attributes are other ones in TensorFlow, both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import int32, of_numpy
from ..foreign_node import ForeignNode, read_as
from ..import_scope import Made
from ..node_writer import ExportRule, NodeWriter
from ..wire.tensor_proto import Unsupported

# ---- writing ------------------------------------------------------------------------------------


def _write_const(w: NodeWriter, op: Operation) -> None:
    value = op.args[0]
    w.node("Const", (), value=value, dtype=of_numpy(value.dtype))


def _write_add(w: NodeWriter, op: Operation) -> None:
    """AddV2 takes every number, Add takes strings."""
    dtype = op.inputs[0].dtype
    w.node("Add" if dtype.is_string else "AddV2", [w.ref(t) for t in op.inputs], T=dtype)


def _write_abs(w: NodeWriter, op: Operation) -> None:
    (x,) = op.inputs
    if x.dtype.is_complex:
        w.node("ComplexAbs", [w.ref(x)], T=x.dtype, Tout=x.dtype.real_dtype)
    else:
        w.node("Abs", [w.ref(x)], T=x.dtype)


def _write_reduction(w: NodeWriter, op: Operation) -> bool:
    """Without an axis, all of them are listed."""
    x, axis, keepdims = op.args
    if axis is not None:
        return False
    types = {} if op.type in ("All", "Any") else {"T": x.dtype}
    w.node(op.type, [w.ref(x), all_axes(w, x)], keep_dims=keepdims, Tidx=int32, **types)
    return True


def all_axes(w: NodeWriter, x: Tensor) -> str:
    rank = x.shape.ndims
    if rank is not None:
        return w.constant("axes", np.arange(rank, dtype=np.int32))
    count = w.node("Rank", [w.ref(x)], "rank", T=x.dtype)
    bounds = [w.constant("first", np.array(0, np.int32)), count, w.constant("step", np.array(1, np.int32))]
    return w.node("Range", bounds, "axes", Tidx=int32)


def _write_softmax(w: NodeWriter, op: Operation) -> None:
    """TensorFlow's node knows the last axis only: another one is moved there and back."""
    x, axis = op.args
    rank = x.shape.ndims
    if axis == -1 or axis + 1 == rank:
        w.node(op.type, [w.ref(x)], T=x.dtype)
        return
    if rank is None:
        raise GraphFormatError(f"the node {op.name!r} is a {op.type} along axis {axis} of an unknown rank; "
                               "TensorFlow's works along the last axis")  # fmt: skip
    order = np.arange(rank, dtype=np.int32)
    order[[axis, rank - 1]] = order[[rank - 1, axis]]
    perm = w.constant("perm", order)
    last = w.node("Transpose", [w.ref(x), perm], "last", T=x.dtype, Tperm=int32)
    soft = w.node(op.type, [last], "soft", T=x.dtype)
    w.node("Transpose", [soft, perm], T=x.dtype, Tperm=int32)


def _write_linspace(w: NodeWriter, op: Operation) -> bool:
    """TensorFlow's node takes scalars only."""
    rank = op.inputs[0].shape.ndims
    if rank not in (0, None):
        raise GraphFormatError(
            f"the node {op.name!r} is a LinSpace between tensors of rank {rank}; TensorFlow's takes scalars"
        )
    return False


def _write_matmul(w: NodeWriter, op: Operation) -> None:
    a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, *_ = op.args
    real = not a.dtype.is_complex
    if a.shape.ndims == b.shape.ndims == 2 and (real or not (adjoint_a or adjoint_b)):
        w.node("MatMul", [w.ref(a), w.ref(b)], transpose_a=transpose_a or adjoint_a,
               transpose_b=transpose_b or adjoint_b, T=a.dtype)  # fmt: skip
        return
    if not real and (transpose_a or transpose_b):
        raise GraphFormatError(
            f"the node {op.name!r} transposes batches of complex matrices; TensorFlow's node conjugates too"
        )
    w.node(
        "BatchMatMulV2", [w.ref(a), w.ref(b)], adj_x=transpose_a or adjoint_a, adj_y=transpose_b or adjoint_b, T=a.dtype
    )


def _write_like(value: int) -> ExportRule:
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


# ---- reading ------------------------------------------------------------------------------------


def _read_matmul(s: ForeignNode) -> Operation:
    flips = [s.attr("transpose_a", "b", False), s.attr("transpose_b", "b", False)]
    return s.add("MatMul", *s.take(2), *flips, False, False, False, False)


def _read_batch_matmul(s: ForeignNode) -> Operation:
    return s.add(
        "MatMul", *s.take(2), False, False, s.attr("adj_x", "b", False), s.attr("adj_y", "b", False), False, False
    )


def _read_bias_add(s: ForeignNode) -> Operation:
    x, bias = s.take(2)
    dims, sizes = x.shape.raw, bias.shape.raw
    if s.attr("data_format", "s", b"NHWC") == b"NHWC" or x.shape.ndims == 2:
        fits = dims and sizes and dims[-1] == sizes[0]
        return s.add("Add" if fits else "BiasAdd", x, bias)
    if dims is None or not isinstance(dims[1], int):
        raise Unsupported("its channels are dimension 1, which is not known")
    shape = s.constant("shape", np.array([dims[1], *[1] * (len(dims) - 2)], np.int32))
    return s.add("Add", x, *s.helper("channels", "Reshape", bias, shape))


def _read_l2_loss(s: ForeignNode) -> Operation:
    (x,) = s.take(1)
    total = s.helper("sum", "Sum", *s.helper("square", "Square", x), None, False)
    return s.add("Mul", *total, s.constant("half", np.array(0.5, x.dtype.np)))


def _read_in_top_k(s: ForeignNode) -> Operation:
    predictions, targets = s.take(2)
    return s.add("InTopKV2", predictions, targets, s.constant("k", np.array(s.attr("k", "i"), targets.dtype.np)))


# ---- the tables ---------------------------------------------------------------------------------


ARITHMETIC_WRITTEN: dict[str, ExportRule] = {
    "Abs": _write_abs,
    "Add": _write_add,
    "All": _write_reduction,
    "Any": _write_reduction,
    "Const": _write_const,
    "LinSpace": _write_linspace,
    "LogSoftmax": _write_softmax,
    "MatMul": _write_matmul,
    "Max": _write_reduction,
    "Mean": _write_reduction,
    "Min": _write_reduction,
    "OnesLike": _write_like(1),
    "Prod": _write_reduction,
    "Softmax": _write_softmax,
    "Sum": _write_reduction,
    "ZerosLike": _write_like(0),
}
"""Our type -> the rule that writes it, and says whether it did; else the operation's form is written."""
ARITHMETIC_READ: dict[str, Callable[[ForeignNode], Operation | Made]] = {
    "Abs": read_as("Abs", 1),
    "Add": read_as("Add", 2),
    "AddV2": read_as("Add", 2),
    "BatchMatMul": _read_batch_matmul,
    "BatchMatMulV2": _read_batch_matmul,
    "BatchMatMulV3": _read_batch_matmul,
    "BiasAdd": _read_bias_add,
    "ComplexAbs": read_as("Abs", 1),
    "Const": lambda s: s.add("Const", s.array()),
    "InTopK": _read_in_top_k,
    "Inv": read_as("Reciprocal", 1),
    "L2Loss": _read_l2_loss,
    "LogSoftmax": lambda s: s.add(s.node.op, *s.take(1), -1),
    "MatMul": _read_matmul,
    "OnesLike": lambda s: s.add(s.node.op, *s.take(1), None),
    "Softmax": lambda s: s.add(s.node.op, *s.take(1), -1),
    "ZerosLike": lambda s: s.add(s.node.op, *s.take(1), None),
}
"""TensorFlow's node -> the rule that reads it."""
