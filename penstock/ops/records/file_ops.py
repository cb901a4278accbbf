"""Files read and written in a run: `read_file`, `write_file`, `matching_files`."""

from __future__ import annotations

import os
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FailedPreconditionError, InvalidArgumentError, NotFoundError
from ...graph.common.file_errors import file_errors
from ...graph.common.file_paths import local_path
from ...graph.declare.effects import VOLATILE, WORLD_CHANGING
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import string
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.shape_checks import listed, no_shapes, require_rank, shape_of_scalar
from ..declare.string_arguments import Strings, array_of

PUBLIC_NAMES = {"start io": "matching_files read_file write_file"}


def _path(value: Any, what: str) -> str:
    if value.ndim:
        raise InvalidArgumentError(message=f"{what}: a path must be a scalar, not of shape {listed(value.shape)}")
    return local_path(value.item(), what)


@op(
    "ReadFile", graphdef="->contents", host_only=True, out=string, effects=VOLATILE, ranks={"filename": 0},
    shape=shape_of_scalar,
)  # fmt: skip
def read_file(filename: Strings, name: str | None = None) -> Tensor:
    """The content of a file, read in each run.

    Args:
        filename: the path, a scalar string.

    Returns:
        A scalar of dtype string.

    Raises:
        TypeError: `filename` is not string.
        ValueError: it is not a scalar.
        NotFoundError (when run): there is no such file.
        FailedPreconditionError (when run): it is a folder.
        InvalidArgumentError (when run): it is no scalar.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tempfile.NamedTemporaryFile() as file, tf.Session(graph=tf.Graph()) as session:
    ...     _ = file.write(b"hello")
    ...     file.flush()
    ...     with session.graph.as_default():
    ...         print(session.run(tf.read_file(file.name)))
    b'hello'

    Source: TensorFlow 1.x, `tf.read_file`.
    """


@read_file.kernel
def read_file_kernel(xp: Any, filename: Any) -> Any:
    path = _path(filename, "read_file")
    try:
        with file_errors("read_file"), open(path, "rb") as file:
            return array_of([file.read()], ())
    except NotFoundError:
        raise NotFoundError(message=f"{path}; No such file or directory") from None
    except FailedPreconditionError:
        raise FailedPreconditionError(message=f"{path}; Is a directory") from None


@read_file.samples
def read_file_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(os.fsencode(__file__), object))


@op("WriteFile", graphdef="", host_only=True, out=(), effects=WORLD_CHANGING, ranks={"filename": 0, "contents": 0},
    shape=no_shapes)  # fmt: skip
def write_file(filename: Strings, contents: Strings, name: str | None = None) -> Operation:
    """Writes a file, and the folders around it that do not exist.

    Args:
        filename: the path, a scalar string. A file of that name is replaced.
        contents: a scalar string.

    Returns:
        The operation; it has no output.

    Raises:
        TypeError: an argument is not string.
        ValueError: one is not a scalar.
        FailedPreconditionError (when run): there is a folder of that name.
        ResourceExhaustedError (when run): the disk is full.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder, tf.Session(graph=tf.Graph()) as session:
    ...     with session.graph.as_default():
    ...         session.run(tf.write_file(f"{folder}/new/greeting", "hello"))
    ...     print(tf.gfile.GFile(f"{folder}/new/greeting").read())
    hello

    Source: TensorFlow 1.x, `tf.write_file`.
    """


@write_file.kernel
def write_file_kernel(xp: Any, filename: Any, contents: Any) -> tuple[()]:
    path = Path(_path(filename, "write_file"))
    if contents.ndim:
        raise InvalidArgumentError(
            message=f"write_file: contents must be a scalar, not of shape {listed(contents.shape)}"
        )
    with file_errors("write_file"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.item())
    return ()


@op("MatchingFiles", graphdef="->filenames", host_only=True, out=string, effects=VOLATILE)
def matching_files(pattern: Strings, name: str | None = None) -> Tensor:
    """The paths of the files that match a pattern, looked up in each run.

    Args:
        pattern: a scalar or a vector of patterns, as `tf.gfile.Glob` takes them.

    Returns:
        A tensor of shape [None] and dtype string, sorted; it is empty where nothing matches.

    Raises:
        TypeError: `pattern` is not string.
        ValueError: it has more than one dimension.
        InvalidArgumentError (when run): the same.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder, tf.Session(graph=tf.Graph()) as session:
    ...     with session.graph.as_default():
    ...         print(session.run(tf.matching_files(f"{folder}/*.txt")))
    []

    Source: TensorFlow 1.x, `tf.matching_files`.
    """


@matching_files.shape
def matching_files_shape(pattern: Tensor) -> TensorShape:
    if pattern.shape.ndims not in (None, 0):
        require_rank(pattern, 1, 0)
    return shape_of((unknown("how many files match is not known before the run", pattern),))


@matching_files.kernel
def matching_files_kernel(xp: Any, pattern: Any) -> Any:
    if pattern.ndim > 1:
        raise InvalidArgumentError(
            message=f"pattern must be a scalar or a vector, not of shape {listed(pattern.shape)}"
        )
    paths: list[str] = []
    for each in pattern.reshape(-1).tolist():
        paths += glob(local_path(each, "matching_files"), include_hidden=True)
    return array_of(sorted(map(os.fsencode, paths)), (len(paths),))


@write_file.samples
def write_file_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(os.devnull.encode(), object), np.array(b"text", object))


@matching_files.samples
def matching_files_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(os.fsencode(__file__), object))
    yield sample(np.zeros(0, object))
    yield sample(np.array([b"/there/is/no/such/file", os.fsencode(__file__)], object))


for _op in (read_file, write_file, matching_files):
    _op.no_gradient("it reads or writes files")
