"""Tables that change, in files: the rules that read and write their nodes.

A handle is a resource in TensorFlow (`MutableHashTableV2`), or a reference to two strings in older files; here it is
one string, the name of the table in the session. Nodes that look up serve static tables too, and those are two
variables: `table_rules.py` asks the rules here for tables that change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.shape import TensorShape, shape_of
from ..foreign_node import ForeignNode, outputs_of, read_as
from ..import_scope import Made
from ..node_writer import ExportRule, NodeWriter

_SCALAR = shape_of(())
_TABLES = ("MutableHashTableV2", "MutableDenseHashTableV2")
_EMPTY_BUCKETS = 1 << 17
"""TensorFlow's defaults: the buckets that a dense table begins with, and how full they may be."""
_MOST_FULL = 0.8

# ---- reading ------------------------------------------------------------------------------------


def _dtypes(s: ForeignNode) -> tuple[Any, Any]:
    return s.attr("key_dtype", "type"), s.attr("value_dtype", "type")


def _table(has_shape: bool) -> Callable[[ForeignNode], Operation]:
    def read(s: ForeignNode) -> Operation:
        shape = s.attr("value_shape", "shape", _SCALAR) if has_shape else _SCALAR
        return s.add("MutableHashTableV2", *_dtypes(s), shape, s.text("shared_name"))

    return read


def _dense_table(s: ForeignNode) -> Operation:
    empty, deleted = s.take(2)
    shape = s.attr("value_shape", "shape", _SCALAR)
    return s.add("MutableDenseHashTableV2", empty, deleted, *_dtypes(s), shape, s.text("shared_name"))


def export(s: ForeignNode) -> Made:
    """The rule for the keys and values of a table that changes."""
    (handle,) = s.take(1)
    shape = TensorShape(None)
    made = _maker(handle)
    if made is not None:
        shape = dict(zip(made.opdef.parameters, made.args, strict=False))["value_shape"]
    return outputs_of(s.add("LookupTableExportV2", handle, s.attr("Tkeys", "type"), s.attr("Tvalues", "type"), shape))


def _maker(handle: Tensor) -> Operation | None:
    """The operation of the table, if it is the one that gives the handle."""
    op = handle.op
    while op.type == "Identity":
        op = op.inputs[0].op
    return op if op.type in _TABLES else None


_READ: dict[str, Callable[[ForeignNode], Operation | Made]] = {
    "MutableDenseHashTableV2": _dense_table,
    "MutableHashTableOfTensorsV2": _table(has_shape=True),
    "MutableHashTableV2": _table(has_shape=False),
    "LookupTableInsertV2": read_as("LookupTableInsertV2", 3),
    "LookupTableRemoveV2": read_as("LookupTableRemoveV2", 2),
}
CHANGING_TABLE_NODES = {**_READ, **{type.removesuffix("V2"): rule for type, rule in _READ.items()}}
"""TensorFlow's node -> the rule that reads it; the names without V2 are those of older files."""

# ---- writing ------------------------------------------------------------------------------------


def _write_table(w: NodeWriter, op: Operation) -> None:
    keys, values, shape, shared_name = op.args[:4]
    attrs: dict[str, Any] = {} if shape.raw == () else {"value_shape": shape}
    type = "MutableHashTableOfTensorsV2" if attrs else "MutableHashTableV2"
    w.node(type, (), key_dtype=keys, value_dtype=values, container="", shared_name=shared_name,
           use_node_name_sharing=not shared_name, **attrs)  # fmt: skip


def _write_dense_table(w: NodeWriter, op: Operation) -> None:
    keys, values, shape, shared_name = op.args[2:6]
    w.node("MutableDenseHashTableV2", [w.ref(t) for t in op.inputs], key_dtype=keys, value_dtype=values,
           value_shape=shape, container="", shared_name=shared_name, use_node_name_sharing=not shared_name,
           initial_num_buckets=_EMPTY_BUCKETS, max_load_factor=_MOST_FULL)  # fmt: skip


def _write_with_keys(w: NodeWriter, op: Operation) -> None:
    """What takes keys, and values beside them."""
    _, keys, *values = op.inputs
    attrs: dict[str, Any] = {"Tout": values[0].dtype} if values else {}
    w.node(op.type, [w.ref(t) for t in op.inputs], Tin=keys.dtype, **attrs)


def _write_size(w: NodeWriter, op: Operation) -> None:
    w.node(op.type, [w.ref(op.inputs[0])])


def _write_export(w: NodeWriter, op: Operation) -> None:
    keys, values = op.outputs
    w.node(op.type, [w.ref(op.inputs[0])], Tkeys=keys.dtype, Tvalues=values.dtype)


OF_CHANGING_TABLES: dict[str, ExportRule] = {
    "LookupTableExportV2": _write_export,
    "LookupTableFindV2": _write_with_keys,
    "LookupTableImportV2": _write_with_keys,
    "LookupTableInsertV2": _write_with_keys,
    "LookupTableRemoveV2": _write_with_keys,
    "LookupTableSizeV2": _write_size,
    "MutableDenseHashTableV2": _write_dense_table,
    "MutableHashTableV2": _write_table,
}
"""Our op -> the rule that writes it."""
