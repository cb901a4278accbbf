"""Arrays as data: constants in the JSON document and in the .npz file beside it.

Small arrays stand in the document: as plain numbers and texts where these say exactly the same, else as base64 of the
little-endian bytes. Arrays above 1 KiB go into an npz file beside it, strings there as one run of bytes and the ends of
the strings in it. Nothing is ever pickled, and a size is checked before memory is asked for.
"""

from __future__ import annotations

import base64
import binascii
import io
import math
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import GraphFormatError
from ..common.float_errors import unwarned
from ..shapes.dtypes import ALL, DType, of_numpy, variant
from ..shapes.literal import Array
from .error_text import brief, short
from .limits import Limits

INSIDE = 1024
"""Arrays of at most so many bytes stand in the document itself."""


class ArrayWriter:
    """Turns arrays into data; `outside` collects those for the npz file by key."""

    def __init__(self) -> None:
        self.outside: dict[str, Array] = {}
        self._keys: dict[int, str] = {}

    def write(self, array: Array) -> dict[str, Any]:
        """An array as data."""
        dtype = of_numpy(array.dtype)
        if dtype.is_variant:
            raise GraphFormatError("a constant of dtype variant has no written form; its elements are objects of a run")
        head: dict[str, Any] = {"dtype": dtype.name, "shape": list(array.shape)}
        if dtype.is_string:
            return head | self._strings(array)
        plain = np.ascontiguousarray(array, dtype.np.newbyteorder("=") if dtype.np.kind != "V" else dtype.np)
        if plain.nbytes > INSIDE:
            return head | {"npz": self._key(array, lambda key: {key: _storable(plain.reshape(array.shape))})}
        values = _plain_values(plain, dtype)
        return head | ({"base64": to_base64(_little(plain))} if values is None else {"values": values})

    def _strings(self, array: Array) -> dict[str, Any]:
        flat: list[bytes] = array.reshape(-1).tolist()
        if sum(map(len, flat)) + len(flat) <= INSIDE:
            return {"values": [text_or_base64(each) for each in flat]}

        def parts(key: str) -> dict[str, Array]:
            ends = np.cumsum([len(each) for each in flat], dtype=np.int64)
            return {key: np.frombuffer(b"".join(flat), np.uint8), key + ".ends": ends}

        return {"npz": self._key(array, parts)}

    def _key(self, array: Array, parts: Any) -> str:
        key = self._keys.get(id(array))
        if key is None:
            key = self._keys[id(array)] = f"c{len(self._keys)}"
            self.outside |= parts(key)
        return key


class ArrayReader:
    """Makes arrays of data; `archive` is the content of the npz file, or None where there is none.

    `beside` has arrays by key that came another way than in an npz file.
    """

    def __init__(
        self, limits: Limits, archive: bytes | None = None, beside: Mapping[str, Array] | None = None
    ) -> None:
        self._left = limits.constant_bytes
        self._beside = beside or {}
        self._zip: zipfile.ZipFile | None = None
        if archive is not None:
            try:
                self._zip = zipfile.ZipFile(io.BytesIO(archive))
            except Exception as error:  # see `_member`
                raise GraphFormatError(f"the npz file beside it is damaged ({brief(error)})") from None

    def read(self, data: Any) -> Array:
        """An array of data, read-only.

        Raises:
            GraphFormatError: the data is no array, its size does not fit what it says, or constants get too large.
        """
        if not isinstance(data, dict):
            raise GraphFormatError("a constant is not an object with dtype, shape and values")
        dtype, shape = dtype_called(data.get("dtype")), _shape(data.get("shape"))
        if dtype.is_variant:
            raise GraphFormatError("a constant cannot be of dtype variant")
        count = math.prod(shape)
        self._take(count * dtype.size)
        kinds = [kind for kind in ("values", "base64", "npz") if kind in data]
        if len(kinds) != 1:
            raise GraphFormatError("a constant must have one of values, base64 and npz")
        content = data[kinds[0]]
        if kinds[0] == "values":
            array = _from_values(content, dtype, count)
        elif kinds[0] == "base64":
            array = _from_bytes(from_base64(content), dtype, count)
        elif dtype.is_string:
            array = self._read_strings(content, count)
        else:
            array = _restored(self._member(content, shape, _stored_dtype(dtype)), dtype)
        array = array.reshape(shape)
        array.flags.writeable = False
        return array

    def _take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise GraphFormatError(
                "the constants are larger than the limit; give a larger limit with Limits", code="file/limit"
            )

    def _read_strings(self, key: Any, count: int) -> Array:
        ends = self._member(f"{key}.ends" if isinstance(key, str) else key, (count,), np.dtype(np.int64)).tolist()
        total = ends[-1] if ends else 0
        self._take(max(total, 0))
        if any(a > b for a, b in zip([0, *ends], ends, strict=False)):
            raise GraphFormatError(f"the strings of {key!r} end before they begin")
        text = self._member(key, (total,), np.dtype(np.uint8)).tobytes()
        return _objects([text[a:b] for a, b in zip([0, *ends], ends, strict=False)])

    def _member(self, key: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """An array of the archive, which must have exactly this shape and dtype."""
        if not isinstance(key, str):
            raise GraphFormatError(f'"npz" of a constant is {short(key)}; it must be the name of an array, a text')
        if key in self._beside:
            found = self._beside[key]
            if found.shape != shape or found.dtype != dtype:
                raise GraphFormatError(f"the constant {key!r} is {found.dtype} {found.shape}, not {dtype} {shape}")
            return found
        if self._zip is None:
            raise GraphFormatError("a constant lies in an npz file, which is not there; keep the two files together")
        size = math.prod(shape) * dtype.itemsize
        try:
            info = self._zip.getinfo(f"{key}.npy")
            if info.compress_type != zipfile.ZIP_STORED or not size <= info.file_size <= size + 65_536:
                raise GraphFormatError(f"{key!r} in the npz file is compressed or does not hold {size} bytes")
            with self._zip.open(info) as file:
                version = np.lib.format.read_magic(file)
                read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[
                    version
                ]
                stored_shape, by_columns, stored = read(file)
                if stored_shape != shape or stored != dtype or (by_columns and len(shape) > 1):
                    raise GraphFormatError(f"{key!r} in the npz file is {stored} {stored_shape}, not {dtype} {shape}")
                content = file.read(size + 1)
        except GraphFormatError:
            raise
        except Exception as error:  # NumPy and zipfile raise errors of a dozen classes for damaged files
            what = f"the npz file beside it holds no valid array {short(key)}"
            raise GraphFormatError(f"{what} ({brief(error)})") from None
        if len(content) != size:
            raise GraphFormatError(f"{key!r} in the npz file has {len(content)} bytes, not {size}")
        return np.frombuffer(content, dtype).reshape(shape)


# ---- in the document ----------------------------------------------------------------------------


def text_or_base64(value: bytes) -> str | dict[str, str]:
    """A string as text where it is UTF-8, else as base64."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": to_base64(value)}


def bytes_of(data: Any) -> bytes:
    """The string that `text_or_base64` wrote."""
    if isinstance(data, str):
        try:
            return data.encode("utf-8")
        except UnicodeEncodeError:
            raise GraphFormatError(
                "a string is not valid Unicode; bytes that are not text are written as base64"
            ) from None
    if isinstance(data, dict) and list(data) == ["base64"]:
        return from_base64(data["base64"])
    raise GraphFormatError("a string must be text or an object with base64")


def _plain_values(array: Array, dtype: DType) -> list[Any] | None:
    """The elements as JSON says them exactly: not complex numbers, NaNs and infinities."""
    if dtype.is_complex:
        return None
    wide = array.astype(np.float64) if dtype.is_floating else array
    if dtype.is_floating and not np.isfinite(wide).all():
        return None
    values: list[Any] = wide.reshape(-1).tolist()
    return values


def _from_values(values: Any, dtype: DType, count: int) -> Array:
    if not isinstance(values, list) or len(values) != count:
        found = f"{len(values)} values" if isinstance(values, list) else "no list of values"
        raise GraphFormatError(f"a constant has {found}; its shape needs {count}")
    if dtype.is_string:
        return _objects([bytes_of(each) for each in values])
    kinds = {type(v) for v in values}
    if not kinds <= ({bool} if dtype.is_bool else {int} if dtype.is_integer else {int, float}) or dtype.is_complex:
        raise GraphFormatError(f"a constant of {dtype.name} has values of other types")
    try:
        return unwarned(np.array(values, np.float64 if dtype.is_floating else dtype.np).astype, dtype.np)
    except (OverflowError, ValueError):
        raise GraphFormatError(f"a constant has values that do not fit {dtype.name}") from None


def _from_bytes(content: bytes, dtype: DType, count: int) -> Array:
    if dtype.is_string or len(content) != count * dtype.size:
        raise GraphFormatError(f"a constant has {len(content)} bytes; its shape needs {count * dtype.size}")
    return _restored(np.frombuffer(content, _stored_dtype(dtype).newbyteorder("<")), dtype)


def _objects(values: list[bytes]) -> Array:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def to_base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def from_base64(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise GraphFormatError("a constant's base64 cannot be read") from None


# ---- dtypes NumPy's files know ------------------------------------------------------------------


def _stored_dtype(dtype: DType) -> np.dtype[Any]:
    """bfloat16 is no dtype of NumPy's own; its bits are."""
    return np.dtype(np.uint16) if dtype.name == "bfloat16" else dtype.np


def _storable(array: Array) -> Array:
    return array.view(_stored_dtype(of_numpy(array.dtype)))


def _restored(array: Array, dtype: DType) -> Array:
    if dtype.is_bool and (array.view(np.uint8) > 1).any():
        raise GraphFormatError("a constant of bool has bytes other than 0 and 1")
    native = array.astype(array.dtype.newbyteorder("="), copy=True)
    return native.view(dtype.np) if native.dtype != dtype.np else native


def _little(array: Array) -> bytes:
    stored = _storable(array)
    return stored.astype(stored.dtype.newbyteorder("<"), copy=False).tobytes()


def dtype_called(name: Any) -> DType:
    """The dtype with exactly that name: files use no other spelling."""
    # A table, and not `as_dtype`, which hands unknown texts to NumPy.
    found = _DTYPES.get(name) if isinstance(name, str) else None
    if found is None:
        raise GraphFormatError(f"there is no dtype {short(name)}")
    return found


_DTYPES = {dtype.name: dtype for dtype in (*ALL, variant)}


def _shape(data: Any) -> tuple[int, ...]:
    good = isinstance(data, list) and len(data) <= 64 and all(type(d) is int and 0 <= d < 1 << 48 for d in data)
    if not good or math.prod(max(d, 1) for d in data) >= 1 << 60:
        raise GraphFormatError("a constant's shape must be a list of at most 64 sizes that memory can hold")
    return tuple(data)
