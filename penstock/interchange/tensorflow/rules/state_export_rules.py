"""Export rules of variables: each is TensorFlow's `VariableV2`, whose writes take a reference to it.

    w        VariableV2             w/read   Identity, which stands for its value where others use it

A write's output is a reference too, so it can be used as the value that was written.
"""

from __future__ import annotations

from ....errors import GraphFormatError
from ....graph.model.nodes import Operation
from ....graph.shapes.dtypes import bool_
from ..node_writer import ExportRule, NodeWriter
from .index_rules import bounds_and_masks


def _variable(w: NodeWriter, op: Operation) -> None:
    _, dtype, shape = op.args
    name = w.node("VariableV2", (), dtype=dtype, shape=shape, container="", shared_name="")
    w.stand_for(op.outputs[0], w.node("Identity", [name], "read", T=dtype, _penstock_read=True))


def _read(w: NodeWriter, op: Operation) -> None:
    """Control inputs say after which writes it reads."""
    resource, dtype, _ = op.args
    w.node("Identity", [w.variable(resource)], T=dtype)


def _latest(w: NodeWriter, op: Operation) -> None:
    """A read with a mark, as no control input says after which writes it comes."""
    resource, dtype, _ = op.args
    w.node("Identity", [w.variable(resource)], T=dtype, _penstock_latest=True)


def _is_initialized(w: NodeWriter, op: Operation) -> None:
    (resource,) = op.args
    dtype = op.graph.get_operation_by_name(resource).outputs[0].dtype
    w.node("IsVariableInitialized", [w.variable(resource)], dtype=dtype)


def _initialized_value(w: NodeWriter, op: Operation) -> None:
    """A branch: the variable is read only if it has a value."""
    initial, resource = op.args
    variable, dtype = w.variable(resource), initial.dtype
    part = {"_penstock_part": True}
    there = w.node("IsVariableInitialized", [variable], "is_initialized", dtype=dtype, **part)
    pivot = w.node("Switch", [there, there], "switch", T=bool_, **part)
    yes = w.node("Identity", [f"{pivot}:1"], "yes", T=bool_, **part)
    read = w.node("Identity", [variable, f"^{yes}"], "read", T=dtype, **part)
    otherwise = w.node("Switch", [w.ref(initial), there], "otherwise", T=dtype, **part)
    merge = w.node("Merge", [otherwise, read], "merge", N=2, T=dtype, **part)
    w.node("Identity", [merge], T=dtype, _penstock_initial=w.ref(initial), _penstock_variable=resource)


def _assign(w: NodeWriter, op: Operation) -> None:
    value, resource, shape = op.args
    w.node("Assign", [w.variable(resource), w.ref(value)], T=value.dtype, validate_shape=shape.is_fully_defined(),
           use_locking=True)  # fmt: skip


def _update(w: NodeWriter, op: Operation) -> None:
    value, resource, _ = op.args
    w.node(op.type, [w.variable(resource), w.ref(value)], T=value.dtype, use_locking=True)


def _scatter(w: NodeWriter, op: Operation) -> None:
    indices, updates, resource, _ = op.args
    if indices.dtype.size < 4:
        raise GraphFormatError(f"the node {op.name!r} has indices of {indices.dtype}; TensorFlow's are int32 or int64")
    w.node(op.type, [w.variable(resource), w.ref(indices), w.ref(updates)], T=updates.dtype, Tindices=indices.dtype,
           use_locking=True)  # fmt: skip


def _write_slice(w: NodeWriter, op: Operation) -> None:
    value, index, resource, _, bounds = op.args
    vectors, attrs = bounds_and_masks(w, index, bounds)
    w.node("StridedSliceAssign", [w.variable(resource), *vectors, w.ref(value)], T=value.dtype, **attrs)


def _count_up(w: NodeWriter, op: Operation) -> None:
    limit, resource, dtype, _ = op.args
    w.node("CountUpTo", [w.variable(resource)], limit=limit, T=dtype)


_ROWS = ("ScatterAdd", "ScatterDiv", "ScatterMax", "ScatterMin", "ScatterMul", "ScatterNdAdd", "ScatterNdSub",
         "ScatterNdUpdate", "ScatterSub", "ScatterUpdate")  # fmt: skip

OF_STATE: dict[str, ExportRule] = {
    "Assign": _assign,
    "AssignAdd": _update,
    "AssignSub": _update,
    "CountUpTo": _count_up,
    "InitializedValue": _initialized_value,
    "IsVariableInitialized": _is_initialized,
    "LatestValue": _latest,
    "ReadVariableOp": _read,
    "StridedSliceAssign": _write_slice,
    "VariableV2": _variable,
    **dict.fromkeys(_ROWS, _scatter),
}
"""Our op -> the rule that writes it."""
