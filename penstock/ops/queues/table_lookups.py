"""The ops of tables that change: their handles, and what is put in, looked up and removed.

    MutableHashTableV2(key_dtype, value_dtype, value_shape)    the handle of a table, a string
    LookupTableInsertV2(handle, keys, values)                  puts keys and values in
    LookupTableFindV2(handle, keys, default_value)             looks values up

What is built later sees what is built earlier has done, as with variables.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.effects import MAKING_OBJECTS, Effects
from ...graph.declare.object_place import ObjectPlace, ObjectTable
from ...graph.declare.op_declaration import op
from ...graph.declare.signature import ANY, Attr, DTypeLike, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, int64, string
from ...graph.shapes.shape import ShapeLike, TensorShape, as_shape, shape_of, unknown_rank
from ..datasets.dataset_decl import Text
from ..datasets.file_sources import text
from ..datasets.iterator_ops import Name, handle_in
from ..declare.shape_checks import require_rank, shape_of_scalar

_TABLES = frozenset({"tables of the session"})
_READING = Effects(reads=_TABLES)
_CHANGING = Effects(reads=_TABLES, writes=_TABLES)
_Keys = Annotated[TensorLike, Operand("Tin", ANY)]
_Values = Annotated[TensorLike, Operand("Tout", ANY)]
_Shape = Annotated[ShapeLike, Attr(as_shape)]


def table_of(place: ObjectPlace, handle: Any) -> TableObject:
    """The table with a handle.

    Raises:
        NotFoundError: there is none.
    """
    return place.objects.get(handle_in(handle), TableObject, "the table")


def _sizes(shape: TensorShape) -> tuple[int, ...]:
    return tuple([int(size) for size in shape.as_list() if size is not None])


# ---- tables -------------------------------------------------------------------------------------


@op("MutableHashTableV2", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS, shape=shape_of_scalar)
def mutable_hash_table(
    key_dtype: DTypeLike, value_dtype: DTypeLike, value_shape: _Shape = (), shared_name: Name = "",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The handle of a table that is empty at first."""


@mutable_hash_table.kernel
def mutable_hash_table_kernel(
    xp: Any, place: ObjectPlace, key_dtype: DType, value_dtype: DType, value_shape: TensorShape, shared_name: str
) -> Any:
    name = shared_name or place.node
    sizes = _sizes(value_shape)
    place.objects.get_or_make(
        name.encode(), lambda: TableObject(place.objects, name, key_dtype, value_dtype, sizes)
    )
    return text(name.encode())


@op("MutableDenseHashTableV2", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS,
    ranks={"empty_key": 0, "deleted_key": 0}, shape=shape_of_scalar)  # fmt: skip
def mutable_dense_hash_table(
    empty_key: _Keys, deleted_key: _Keys, key_dtype: DTypeLike, value_dtype: DTypeLike, value_shape: _Shape = (),
    shared_name: Name = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """The handle of a table that is empty at first, and that does not take two keys."""


@mutable_dense_hash_table.kernel
def mutable_dense_hash_table_kernel(
    xp: Any, place: ObjectPlace, empty_key: Any, deleted_key: Any, key_dtype: DType, value_dtype: DType,
    value_shape: TensorShape, shared_name: str,
) -> Any:  # fmt: skip
    name = shared_name or place.node
    refused = {np.asarray(empty_key).item(): "empty_key", np.asarray(deleted_key).item(): "deleted_key"}
    if len(refused) < 2:
        raise InvalidArgumentError(message="Empty and deleted keys cannot be equal")
    sizes = _sizes(value_shape)
    place.objects.get_or_make(
        name.encode(), lambda: TableObject(place.objects, name, key_dtype, value_dtype, sizes, refused)
    )
    return text(name.encode())


for _table in (mutable_hash_table, mutable_dense_hash_table):
    _table.no_gradient("a handle is a name")


# ---- what changes a table -----------------------------------------------------------------------


@op("LookupTableInsertV2", out=(), host_only=True, of_session=True, effects=_CHANGING)
def lookup_table_insert(table_handle: Text, keys: _Keys, values: _Values, name: str | None = None) -> Operation:
    """Puts keys with values into a table."""


@lookup_table_insert.kernel
def lookup_table_insert_kernel(xp: Any, place: ObjectPlace, handle: Any, keys: Any, values: Any) -> list[Any]:
    table_of(place, handle).insert(keys, values)
    return []


@op("LookupTableImportV2", out=(), host_only=True, of_session=True, effects=_CHANGING)
def lookup_table_import(table_handle: Text, keys: _Keys, values: _Values, name: str | None = None) -> Operation:
    """Empties a table, and puts keys with values in."""


@lookup_table_import.kernel
def lookup_table_import_kernel(xp: Any, place: ObjectPlace, handle: Any, keys: Any, values: Any) -> list[Any]:
    table_of(place, handle).replace(keys, values)
    return []


@op("LookupTableRemoveV2", out=(), host_only=True, of_session=True, effects=_CHANGING)
def lookup_table_remove(table_handle: Text, keys: _Keys, name: str | None = None) -> Operation:
    """Removes keys from a table."""


@lookup_table_remove.kernel
def lookup_table_remove_kernel(xp: Any, place: ObjectPlace, handle: Any, keys: Any) -> list[Any]:
    table_of(place, handle).remove(keys)
    return []


for _change in (lookup_table_insert, lookup_table_import, lookup_table_remove):

    @_change.shape
    def table_change_shape(table_handle: Tensor, *rest: Any) -> list[TensorShape]:
        require_rank(table_handle, 0, 0)
        return []

    _change.no_gradient("it has no result")


# ---- what reads a table -------------------------------------------------------------------------


@op("LookupTableFindV2", out="Tout", host_only=True, of_session=True, effects=_READING, ranks={"table_handle": 0})
def lookup_table_find(table_handle: Text, keys: _Keys, default_value: _Values, name: str | None = None) -> Tensor:
    """The values of keys in a table; `default_value` for keys that it does not have."""


@lookup_table_find.shape
def lookup_table_find_shape(table_handle: Tensor, keys: Tensor, default_value: Tensor) -> TensorShape:
    if keys.shape.raw is None or default_value.shape.raw is None:
        return unknown_rank("the shape of the keys, or that of a value, is not known", keys)
    return shape_of((*keys.shape.raw, *default_value.shape.raw))


@lookup_table_find.kernel
def lookup_table_find_kernel(xp: Any, place: ObjectPlace, handle: Any, keys: Any, default_value: Any) -> Any:
    return table_of(place, handle).find(keys, np.asarray(default_value))


@op("LookupTableSizeV2", out=int64, host_only=True, of_session=True, effects=_READING, ranks={"table_handle": 0},
    shape=shape_of_scalar)  # fmt: skip
def lookup_table_size(table_handle: Text, name: str | None = None) -> Tensor:
    """How many keys a table has."""


@lookup_table_size.kernel
def lookup_table_size_kernel(xp: Any, place: ObjectPlace, handle: Any) -> Any:
    return np.array(table_of(place, handle).size(), np.int64)


@op("LookupTableExportV2", out=lambda table_handle, Tkeys, Tvalues, value_shape: (Tkeys, Tvalues), host_only=True,
    of_session=True, effects=_READING, ranks={"table_handle": 0})  # fmt: skip
def lookup_table_export(
    table_handle: Text, Tkeys: DTypeLike, Tvalues: DTypeLike, value_shape: _Shape = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The keys of a table, and their values."""


@lookup_table_export.shape
def lookup_table_export_shape(
    table_handle: Tensor, Tkeys: DType, Tvalues: DType, value_shape: TensorShape
) -> list[TensorShape]:
    count = unknown("only the run knows how many keys the table has", table_handle)
    if value_shape.raw is None:
        return [shape_of((count,)), unknown_rank("the shape of a value is not known", table_handle)]
    return [shape_of((count,)), shape_of((count, *value_shape.raw))]


@lookup_table_export.kernel
def lookup_table_export_kernel(xp: Any, place: ObjectPlace, handle: Any, *rest: Any) -> Any:
    return list(table_of(place, handle).export())


for _read in (lookup_table_find, lookup_table_size, lookup_table_export):
    _read.no_gradient("as in TensorFlow, a look-up has none")


# ---- tables of a session whose keys and values runs change: dictionaries from keys to values, or to rows of them


class TableObject:
    """A table. Keys come out in the order in which they came in.

    Attributes:
        name: its name in the session.
        key_dtype, value_dtype: the dtypes.
        value_shape: the shape of a value.
        refused: keys that it may not have, by what they are called.
    """

    def __init__(
        self, objects: ObjectTable, name: str, key_dtype: DType, value_dtype: DType, value_shape: tuple[int, ...],
        refused: dict[Any, str] | None = None,
    ) -> None:  # fmt: skip
        self.name, self.key_dtype, self.value_dtype, self.value_shape = name, key_dtype, value_dtype, value_shape
        self.refused = refused or {}
        self._monitor = objects.monitor()
        self._values: dict[Any, Any] = {}

    def find(self, keys: Any, default: Any) -> Any:
        """The values of keys, `default` for keys that it does not have."""
        if default.shape != self.value_shape:
            raise InvalidArgumentError(message=f"Expected shape {list(self.value_shape)} for default value, got "
                                               f"{list(default.shape)}")  # fmt: skip
        wanted = self._allowed(keys)
        missing = default if self.value_shape else default.item()

        def found() -> list[Any]:
            get = self._values.get
            return [get(key, missing) for key in wanted]

        return self._array(self._monitor.change(found), keys.shape)

    def insert(self, keys: Any, values: Any) -> None:
        """Give keys values; those that it has get new ones, and of equal keys the last one counts."""
        self._check(keys, values)
        self._put(self._allowed(keys), values, clears=False)

    def replace(self, keys: Any, values: Any) -> None:
        """Have these keys and values and no others."""
        self._check(keys, values)
        self._put(self._allowed(keys), values, clears=True)

    def _put(self, keys: list[Any], values: Any, clears: bool) -> None:
        rows = values.copy().reshape(len(keys), *self.value_shape) if self.value_shape else values.reshape(-1).tolist()
        pairs = list(zip(keys, rows, strict=True))

        def put() -> None:
            if clears:
                self._values.clear()
            self._values.update(pairs)

        self._monitor.change(put)

    def remove(self, keys: Any) -> None:
        """Remove keys; those that it does not have are ignored."""
        wanted = self._allowed(keys)

        def drop() -> None:
            for key in wanted:
                self._values.pop(key, None)

        self._monitor.change(drop)

    def size(self) -> int:
        """How many keys it has."""
        return len(self._values)

    def export(self) -> tuple[Any, Any]:
        """(its keys, their values)."""
        pairs = self._monitor.change(lambda: list(self._values.items()))
        keys = np.empty(len(pairs), self.key_dtype.np)
        keys[:] = [key for key, _ in pairs]
        return keys, self._array([value for _, value in pairs], keys.shape)

    def _array(self, values: list[Any], shape: tuple[int, ...]) -> Any:
        out = np.empty((len(values), *self.value_shape), self.value_dtype.np)
        if values:
            out[:] = values
        return out.reshape(*shape, *self.value_shape)

    def _check(self, keys: Any, values: Any) -> None:
        if values.shape != keys.shape + self.value_shape:
            raise InvalidArgumentError(message=f"Expected shape {list(keys.shape + self.value_shape)} for value, got "
                                               f"{list(values.shape)}")  # fmt: skip

    def _allowed(self, keys: Any) -> list[Any]:
        """The keys as Python values."""
        wanted: list[Any] = keys.reshape(-1).tolist()
        for key, words in self.refused.items():
            if key in wanted:
                raise InvalidArgumentError(message=f"Using the {words} as a table key is not allowed: {key!r}")
        return wanted
