"""Files of safetensors, by that library, which is an extra. This is the only module that imports it."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from ...errors import DataLossError, InvalidArgumentError
from ...graph.common.file_errors import UNCHANGED, file_errors
from ...graph.common.lazy_import import load
from ...graph.shapes.dtypes import bfloat16, of_numpy
from ...graph.shapes.literal import Array
from .whole_files import write_whole

_MISSING = "safetensors is not installed; pip install penstock[safetensors]"


def write_safetensors(path: str, arrays: Mapping[str, Array]) -> None:
    """Write arrays to a file, which appears whole.

    Raises:
        InvalidArgumentError: the format has no such dtype. OpError: the file cannot be written.
    """
    try:
        load("safetensors.numpy")
    except ImportError:
        raise ImportError(_MISSING) from None
    from safetensors.numpy import save

    for name, array in arrays.items():
        dtype = of_numpy(array.dtype)
        if dtype.is_string or dtype.name == "complex128":
            raise InvalidArgumentError(message=f"{name!r:.200} is {dtype}, which files of safetensors cannot hold")
    content: bytes = save({name: np.ascontiguousarray(a).reshape(a.shape) for name, a in arrays.items()})
    with file_errors(f"the file {path!r} could not be written", UNCHANGED):
        write_whole(path, content)


def read_safetensors(path: str) -> dict[str, Array]:
    """The arrays of a file.

    Raises:
        DataLossError: it is damaged or no such file. OpError: it cannot be read.
    """
    try:
        load("safetensors")
    except ImportError:
        raise ImportError(_MISSING) from None
    from safetensors import SafetensorError, deserialize

    with file_errors(f"the file {path!r} cannot be read"), open(os.fspath(path), "rb") as file:
        content = file.read()
    try:
        found = deserialize(content)
    except SafetensorError as error:
        raise DataLossError(message=f"the file {path!r} is damaged or no file of safetensors: {error}") from None
    arrays: dict[str, Array] = {}
    for name, facts in found:
        dtype = _DTYPES.get(facts["dtype"])
        if dtype is None:
            raise InvalidArgumentError(message=f"{name!r:.200} has the dtype {facts['dtype']}, "
                                               "which does not exist here")  # fmt: skip
        arrays[name] = np.frombuffer(bytearray(facts["data"]), dtype).reshape(facts["shape"]).copy()
    return arrays


_DTYPES = {
    "BOOL": np.dtype("?"), "U8": np.dtype("u1"), "U16": np.dtype("u2"), "U32": np.dtype("u4"), "U64": np.dtype("u8"),
    "I8": np.dtype("i1"), "I16": np.dtype("i2"), "I32": np.dtype("i4"), "I64": np.dtype("i8"), "F16": np.dtype("f2"),
    "BF16": bfloat16.np, "F32": np.dtype("f4"), "F64": np.dtype("f8"), "C64": np.dtype("c8"),
}  # fmt: skip
"""Its names of dtypes; numbers are little-endian."""
