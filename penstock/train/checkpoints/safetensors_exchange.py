"""Variables to and from files of safetensors: the extra `safetensors`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import DataLossError, InvalidArgumentError
from ...graph.common.file_errors import UNCHANGED, file_errors
from ...graph.common.hooks import hooks
from ...graph.common.lazy_import import load
from ...graph.common.tracebacks import hides_frames
from ...graph.shapes.dtypes import bfloat16, of_numpy
from ...graph.shapes.literal import Array
from ...interchange.checkpoints.bundle_entries import BundleEntry
from ...interchange.checkpoints.whole_files import write_whole
from ...interchange.tensorflow.wire.tensor_proto import dtype_number
from ...variables.variable import GLOBAL, Variable
from .checkpoint_files import Path
from .checkpoint_matching import check_matches
from .saved_tensors import SavedTensor, saved_tensors
from .saver import checked_session


@hides_frames
def save_safetensors(sess: Any, path: Path, var_list: Any = None) -> str:
    """Writes the values that variables have now to a file of safetensors, which appears whole.

    Args:
        sess: the session.
        path: the file.
        var_list: the variables, a list, or a dict from names in the file; without it all global variables.

    Returns:
        The path.

    Raises:
        ImportError: the extra is not installed.
        TypeError: `sess` is no session, or `var_list` holds something else than variables.
        InvalidArgumentError: a variable has a dtype that the format has not: string, complex128.
        OpError: the file cannot be written; what was there before still is.

    >>> import penstock as tf
    >>> with tf.Session() as session:  # doctest: +SKIP
    ...     tf.train.save_safetensors(session, "model.safetensors")
    """
    variables = _chosen(sess, var_list, "save_safetensors")
    values = sess.run([variable.element for variable in variables.values()])
    write_safetensors(os.fsdecode(path), {n: _array(v) for n, v in zip(variables, values, strict=True)})
    return os.fsdecode(path)


@hides_frames
def restore_safetensors(sess: Any, path: Path, var_list: Any = None) -> None:
    """Gives variables the values in a file of safetensors: all of them, or none if there is an error.

    Args:
        sess: the session.
        path: the file.
        var_list: the variables, a list, or a dict from names in the file; without it all global variables.

    Raises:
        ImportError: the extra is not installed.
        TypeError: `sess` is no session, or `var_list` holds something else than variables.
        NotFoundError: variables are not in the file, or there is no file; the message lists what matches.
        InvalidArgumentError: a variable has another dtype or shape there.
        DataLossError: the file is damaged.

    >>> import penstock as tf
    >>> with tf.Session() as session:  # doctest: +SKIP
    ...     tf.train.restore_safetensors(session, "model.safetensors")
    """
    variables = _chosen(sess, var_list, "restore_safetensors")
    arrays = read_safetensors(os.fsdecode(path))
    tensors = [SavedTensor(name, variable) for name, variable in variables.items()]
    check_matches(_File(os.fsdecode(path), arrays), tensors, reshape=False)
    hooks.load_values({v.resource: arrays[name] for name, v in variables.items()}, sess.graph, sess)


@dataclass(frozen=True, slots=True)
class _File:
    """A file that was read, with its tensors as entries of a checkpoint."""

    prefix: str
    arrays: Mapping[str, Any]

    @property
    def entries(self) -> Mapping[str, BundleEntry]:
        return {n: BundleEntry(dtype_number(of_numpy(a.dtype)), a.shape) for n, a in self.arrays.items()}


def _chosen(sess: Any, var_list: Any, call: str) -> dict[str, Variable]:
    session = checked_session(sess, call)
    chosen = session.graph.get_collection(GLOBAL) if var_list is None else var_list
    return {each.own_name: each.variable for each in saved_tensors(chosen, call)}  # the format has no parts


def _array(value: Any) -> Any:
    return np.asarray(value)


# ---- files of safetensors, by that library, which is an extra. This is the only module that imports it


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
