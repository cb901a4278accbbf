"""Look-up tables in files. TensorFlow hands a table around as a resource; here it is two variables: keys and values.

    HashTableV2                      two variables of no collection
    InitializeTableV2                writes both
    InitializeTableFromTextFileV2    writes both, from the lines of a file, such as an asset of a SavedModel
    LookupTableFindV2                TableEntries(keys, values, ...)

Tables that change (`MutableHashTableV2`) are objects of the session: `changing_table_rules.py`.

Our look-ups are written as comparisons with all keys: the same values, without a table.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....errors import GraphFormatError
from ....graph.common.quick_dataclass import dataclass
from ....graph.model.nodes import Operation, Tensor
from ....graph.serial.loaded_origins import LoadedOrigin
from ....graph.shapes.dtypes import DType, int32, int64, string
from ....graph.shapes.shape import TensorShape
from ..foreign_node import ForeignNode, add_operation, read_as
from ..import_scope import Handle, Made
from ..node_writer import ExportRule, NodeWriter
from ..wire.tensor_proto import Unsupported
from .changing_table_rules import CHANGING_TABLE_NODES, OF_CHANGING_TABLES, export

Rule = Callable[[ForeignNode], Operation | Made]

_WHOLE_LINE, _LINE_NUMBER = -2, -1
_VECTOR = TensorShape([None])


@dataclass(frozen=True, slots=True, eq=False)
class LookupTable(Handle):
    """A table: the variables with its keys and its values."""

    keys: Operation
    values: Operation


# ---- reading ------------------------------------------------------------------------------------


def _table(s: ForeignNode) -> Made:
    if s.scope.is_inside:
        raise Unsupported("it is a table inside a branch, a loop or a function")
    parts = [_variable(s, f"{s.true_name}/table_{part}", s.attr(f"{part[:-1]}_dtype", "type"))
             for part in ("keys", "values")]  # fmt: skip
    return Made(s.add("NoOp"), (LookupTable("the table", s.node.name, *parts),))


def _variable(s: ForeignNode, wanted: str, dtype: DType) -> Operation:
    name = s.scope.free_name(wanted)
    origin = LoadedOrigin(s.scope.state.file, s.number + 1, s.node.op)
    op = add_operation(s.scope, name, "VariableV2", (name, dtype, _VECTOR), (), s.node.device, origin)
    s.scope.state.variables[name] = op
    return op


def _given(s: ForeignNode, count: int) -> tuple[LookupTable, tuple[Tensor, ...]]:
    """The table that is the first input, and the other inputs."""
    if len(s.uses) != count:
        raise GraphFormatError(f"it has {len(s.uses)} inputs, not {count}")
    table = s.values[0]
    if not isinstance(table, LookupTable):
        raise Unsupported("its first input is no table whose values are known by its initialiser")
    return table, tuple([s.scope.tensor(use) for use in s.uses[1:]])


def _read(s: ForeignNode, part: Operation) -> Tensor:
    """The keys or values of a table, after what the node waits for."""
    (value,) = part.outputs
    if s.controls or s.scope.is_inside:
        (value,) = s.helper("read", "ReadVariableOp", part.args[0], value.dtype, value.shape, after=s.controls)
    return value


def _initialize(s: ForeignNode) -> Operation:
    table, (keys, values) = _given(s, 3)
    return _fill(s, table, keys, values)


def _fill(s: ForeignNode, table: LookupTable, keys: Tensor, values: Tensor) -> Operation:
    for part, tensor in ((table.keys, keys), (table.values, values)):
        if part.args[1] is not tensor.dtype:
            raise GraphFormatError(f"it fills a table of {part.args[1]} with {tensor.dtype}")
    (checked,) = s.helper("checked", "CheckedTableKeys", keys, values)
    made = [s.helper("assign", "Assign", value, part.args[0], _VECTOR, after=s.controls)[0].op
            for part, value in ((table.keys, checked), (table.values, values))]  # fmt: skip
    s.controls = tuple(dict.fromkeys([*s.controls, *made]))
    return s.add("NoOp")


def _initialize_from_file(s: ForeignNode) -> Operation:
    table, (path,) = _given(s, 2)
    lines = _lines(s, path)
    columns = [s.attr(f"{part}_index", "i") for part in ("key", "value")]
    keys, values = [_column(s, lines, column, part.args[1], columns)
                    for column, part in zip(columns, (table.keys, table.values), strict=True)]  # fmt: skip
    return _fill(s, table, keys, values)


def _lines(s: ForeignNode, path: Tensor) -> Tensor:
    """The lines of a file, as the one batch of a dataset of them."""

    def number(value: int) -> Tensor:
        return s.constant("number", np.array(value, np.int64))

    if path.shape.ndims == 0:
        (path,) = s.helper("paths", "Pack", (path,))
    empty = s.constant("packing", np.array(b"", object))
    skipped = s.attr("offset", "i", 0)
    (dataset,) = s.helper("lines", "TextLineDataset", path, empty, number(skipped), after=s.controls)
    most = s.attr("vocab_size", "i", -1)
    if most >= 0:
        (dataset,) = s.helper("first", "TakeDataset", dataset, number(most))
    (batch,) = s.helper("all", "BatchDatasetV2", dataset, number(1 << 40), s.constant("drop", np.array(False)))
    return s.helper("words", "DatasetToSingleElement", batch, (string,), (_VECTOR,))[0]


def _column(s: ForeignNode, lines: Tensor, column: int, dtype: DType, columns: list[int]) -> Tensor:
    if column == _LINE_NUMBER:
        if dtype is not int64:
            raise GraphFormatError(f"the numbers of lines are int64, not {dtype}")
        (size,) = s.helper("size", "Size", lines)
        bounds = [s.constant("bound", np.array(value, np.int64)) for value in (0, 1)]
        (count,) = s.helper("count", "Cast", size, int64)
        return s.helper("range", "Range", bounds[0], count, bounds[1], int64)[0]
    if column == _WHOLE_LINE:
        return lines if dtype is string else s.helper("numbers", "StringToNumber", lines, dtype)[0]
    if column < 0:
        raise GraphFormatError(f"{column} is no column of a table's file")
    empty = np.array(b"", object) if dtype is string else np.zeros((), dtype.np)
    default = s.constant("default", empty.reshape(1)[:0])
    delimiter = s.attr("delimiter", "s", b"\t")
    return s.helper("column", "DecodeCSV", lines, (default,), delimiter, False, b"", (column,))[0]


def _find(s: ForeignNode) -> Operation:
    table, (keys, default) = _given(s, 3)
    return s.add("TableEntries", _read(s, table.keys), _read(s, table.values), keys, default)


def _size(s: ForeignNode) -> Operation:
    table, _ = _given(s, 1)
    (size,) = s.helper("size", "Size", _read(s, table.keys))
    return s.add("Cast", size, int64)


def _export(s: ForeignNode) -> Made:
    table, _ = _given(s, 1)
    keys, values = _read(s, table.keys), _read(s, table.values)
    op = s.add("IdentityN", (keys, values))
    return Made(op, tuple(op.outputs))


def _of_either(static: Rule, changing: Rule) -> Rule:
    """The rule for a node whose first input is a table of two variables, or one that changes."""
    return lambda s: (changing if s.uses and isinstance(s.values[0], Tensor) else static)(s)


_OF_TABLES: dict[str, Rule] = {
    "HashTableV2": _table,
    "InitializeTableFromTextFileV2": _initialize_from_file,
    "InitializeTableV2": _initialize,
    "LookupTableExportV2": _of_either(_export, export),
    "LookupTableFindV2": _of_either(_find, read_as("LookupTableFindV2", 3)),
    "LookupTableImportV2": _of_either(_initialize, read_as("LookupTableImportV2", 3)),
    "LookupTableSizeV2": _of_either(_size, read_as("LookupTableSizeV2", 1)),
}

TABLE_NODES: dict[str, Rule] = {
    **_OF_TABLES,
    **{type.removesuffix("V2"): rule for type, rule in _OF_TABLES.items()},
    **CHANGING_TABLE_NODES,
}
"""TensorFlow's node -> the rule that reads it."""

# ---- writing ------------------------------------------------------------------------------------


def _write_entries(w: NodeWriter, op: Operation) -> None:
    """The first place of a key that is equal, or the place behind the last one, where the default value is."""
    table_keys, table_values, keys, default = op.inputs
    last = w.constant("last", np.array(-1, np.int32))
    zero, one = (w.constant(label, np.array(value, np.int64)) for label, value in (("zero", 0), ("one", 1)))
    count = w.node("Size", [w.ref(table_keys)], "count", T=table_keys.dtype, out_type=int64)
    places = w.node("Range", [zero, count, one], "places", Tidx=int64)
    column = w.node("ExpandDims", [w.ref(keys), last], "column", T=keys.dtype, Tdim=int32)
    same = w.node("Equal", [column, w.ref(table_keys)], "same", T=keys.dtype, incompatible_shape_error=True)
    place = w.node("SelectV2", [same, places, count], "place", T=int64)
    first = w.node("Min", [place, last], "first", T=int64, Tidx=int32, keep_dims=False)
    bounded = w.node("Minimum", [first, count], "bounded", T=int64)
    front = w.constant("front", np.array(0, np.int32))
    vector = w.node("ExpandDims", [w.ref(default), front], "default", T=default.dtype, Tdim=int32)
    every = w.node("ConcatV2", [w.ref(table_values), vector, front], "every", N=2, T=default.dtype, Tidx=int32)
    w.node("GatherV2", [every, bounded, front], Tparams=default.dtype, Tindices=int64, Taxis=int32, batch_dims=0)


def _write_checked(w: NodeWriter, op: Operation) -> None:
    """The keys; that no two are equal is not checked there."""
    keys = op.inputs[0]
    w.node("Identity", [w.ref(keys)], T=keys.dtype)


OF_TABLES: dict[str, ExportRule] = {
    "CheckedTableKeys": _write_checked,
    "TableEntries": _write_entries,
    **OF_CHANGING_TABLES,
}
"""Our op -> the rule that writes it."""
