"""Variables to and from files of safetensors: the extra `safetensors`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graph.common.hooks import hooks
from ...graph.common.tracebacks import hides_frames
from ...graph.shapes.dtypes import of_numpy
from ...interchange.checkpoints.bundle_entries import BundleEntry
from ...interchange.checkpoints.safetensors_files import read_safetensors, write_safetensors
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
