"""The ops that write and read checkpoints: SaveV2, RestoreV2 and those beside them, which imported models hold.

`tf.train.Saver` adds them to a graph and runs them. The files are the work of a layer above, `interchange.checkpoints`,
which kernels reach by the hook table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError
from ...graph.building.constant_evaluation import known_value
from ...graph.common.hooks import hooks
from ...graph.declare.effects import RESTORING, SAVING
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, Flag, Operand, TensorLike
from ...graph.declare.signature import Attr as _Attr
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType, as_dtype, bits_of, int32, string
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import no_shapes, require_one, require_rank, scalar_of, shape_of_scalar
from ..declare.string_arguments import Strings, array_of


def _dtypes(value: Any) -> tuple[DType, ...]:
    if not isinstance(value, (list, tuple)):
        raise DTypeError(f"must be a list of dtypes, not {value!r}")
    return tuple(as_dtype(each) for each in value)


_Values: TypeAlias = Annotated[Sequence[TensorLike], Operand(None, ANY, many=True)]
_DTypes: TypeAlias = Annotated[Sequence[Any], _Attr(_dtypes)]
_Count: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int32))]

IS_A_FILE: Final = "it is about files"


@op("SaveV2", graphdef="dtypes=*tensors", out=(), effects=SAVING, host_only=True)
def save_v2(
    prefix: Strings, tensor_names: Strings, shape_and_slices: Strings, tensors: _Values, name: str | None = None
) -> Operation:
    """Writes tensors as a checkpoint of version 2.

    prefix: the path, without ".index". shape_and_slices: for each tensor "", or "4 3 0,2:-" for a part of a variable.
    """


@op("SaveSlices", graphdef="T=*data", out=(), effects=SAVING, host_only=True)
def save_slices(
    filename: Strings, tensor_names: Strings, shapes_and_slices: Strings, data: _Values, name: str | None = None
) -> Operation:
    """Writes tensors as a file of version 1."""


@op("RestoreV2", graphdef="dtypes ->tensors", out=lambda *args: args[-1], effects=RESTORING, host_only=True, fresh=True)
def restore_v2(
    prefix: Strings, tensor_names: Strings, shape_and_slices: Strings, dtypes: _DTypes, name: str | None = None
) -> list[Tensor]:
    """Reads tensors from a checkpoint of either version. All names and dtypes are checked before anything is read."""


@op("MergeV2Checkpoints", graphdef="delete_old_dirs", out=(), effects=SAVING, host_only=True,
    ranks={"checkpoint_prefixes": 1, "destination_prefix": 0}, shape=no_shapes)  # fmt: skip
def merge_v2_checkpoints(
    checkpoint_prefixes: Strings, destination_prefix: Strings, delete_old_dirs: Flag = True, name: str | None = None
) -> Operation:
    """Makes one checkpoint of several by renaming their data files."""


@op("ShardedFilename", graphdef="->filename", out=string, host_only=True)
def sharded_filename(basename: Strings, shard: _Count, num_shards: _Count, name: str | None = None) -> Tensor:
    """The name of one of several files: "model", 1, 3 -> "model-00001-of-00003"."""


@op("ShardedFilespec", graphdef="->filename", out=string, host_only=True, ranks={"basename": 0, "num_shards": 0},
    shape=shape_of_scalar)  # fmt: skip
def sharded_filespec(basename: Strings, num_shards: _Count, name: str | None = None) -> Tensor:
    """The pattern of several files: "model", 3 -> "model-?????-of-00003"."""


# ---- shapes -------------------------------------------------------------------------------------


@save_v2.shape
@save_slices.shape
def save_v2_shape(prefix: Tensor, names: Tensor, slices: Tensor, tensors: Sequence[Tensor]) -> list[TensorShape]:
    _check_operands(prefix, names, slices)
    return []


@restore_v2.shape
def restore_v2_shape(prefix: Tensor, names: Tensor, slices: Tensor, dtypes: tuple[DType, ...]) -> list[TensorShape]:
    _check_operands(prefix, names, slices)
    parts = known_value(slices)
    if parts is None or len(parts) != len(dtypes):
        return [TensorShape(None)] * len(dtypes)
    unknown = TensorShape(None)
    return [unknown if not part else _shape_of_part(part) for part in parts.tolist()]


def _shape_of_part(part: bytes) -> TensorShape:
    """The shape of "4 3 0,2:-", which is (2, 3); unknown if the text is wrong, which the run reports."""
    *sizes, ranges = part.decode("utf-8", "replace").split(" ")
    try:
        taken = [int(size) if each == "-" else int(each.split(",")[1])
                 for size, each in zip(sizes, ranges.split(":"), strict=True)]  # fmt: skip
    except (ValueError, IndexError):
        return TensorShape(None)
    return TensorShape(taken) if min(taken, default=0) >= 0 else TensorShape(None)


def _check_operands(prefix: Tensor, names: Tensor, slices: Tensor) -> None:
    require_rank(prefix, 0, 0)
    require_rank(names, 1, 1)
    require_rank(slices, 1, 2)


@sharded_filename.shape
def sharded_filename_shape(basename: Tensor, shard: Tensor, num_shards: Tensor) -> TensorShape:
    for place, each in enumerate((basename, shard, num_shards)):
        require_rank(each, 0, place)
    return TensorShape([])


# ---- kernels ------------------------------------------------------------------------------------


@save_v2.kernel
def save_v2_kernel(xp: Any, prefix: Any, names: Any, slices: Any, tensors: Sequence[Any]) -> tuple[()]:
    return _save(2, prefix, names, slices, tensors)


@save_slices.kernel
def save_slices_kernel(xp: Any, filename: Any, names: Any, slices: Any, data: Sequence[Any]) -> tuple[()]:
    return _save(1, filename, names, slices, data)


def _save(version: int, prefix: Any, names: Any, slices: Any, tensors: Sequence[Any]) -> tuple[()]:
    count = len(tensors)
    hooks.save_tensors(version, _text(prefix), _texts(names, count), _texts(slices, count), tensors)
    return ()


@restore_v2.kernel
def restore_v2_kernel(xp: Any, prefix: Any, names: Any, slices: Any, dtypes: tuple[DType, ...]) -> Any:
    count = len(dtypes)
    return hooks.restore_tensors(_text(prefix), _texts(names, count), _texts(slices, count), dtypes)


@merge_v2_checkpoints.kernel
def merge_v2_checkpoints_kernel(xp: Any, prefixes: Any, destination: Any, delete: bool) -> tuple[()]:
    hooks.merge_checkpoints(_texts(prefixes, prefixes.size), _text(destination), delete)
    return ()


def _basename(basename: Any) -> bytes:
    require_one(basename, "basename")
    text: bytes = basename.item()
    return text


@sharded_filename.kernel
def sharded_filename_kernel(xp: Any, basename: Any, shard: Any, num_shards: Any) -> Any:
    numbers = scalar_of(shard, "shard"), scalar_of(num_shards, "num_shards")
    return array_of([b"%s-%05d-of-%05d" % (_basename(basename), *numbers)], ())


@sharded_filespec.kernel
def sharded_filespec_kernel(xp: Any, basename: Any, num_shards: Any) -> Any:
    return array_of([b"%s-?????-of-%05d" % (_basename(basename), scalar_of(num_shards, "num_shards"))], ())


def _text(scalar: Any) -> str:
    if scalar.size != 1:
        raise InvalidArgumentError(message=f"the path must be one string, but {scalar.size} are given")
    value: bytes = scalar.reshape(-1)[0]
    return value.decode("utf-8", "surrogateescape")


def _texts(vector: Any, count: int) -> list[str]:
    if vector.size != count:
        raise InvalidArgumentError(message=f"there are {count} tensors, but {vector.size} names or parts of them")
    return [value.decode("utf-8", "surrogateescape") for value in vector.reshape(-1).tolist()]


@sharded_filename.samples
def sharded_filename_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(b"model", object), np.array(1, "i4"), np.array(3, "i4"))


@sharded_filespec.samples
def sharded_filespec_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(b"model", object), np.array(3, "i4"))


for _each in (save_v2, save_slices, restore_v2, merge_v2_checkpoints, sharded_filename, sharded_filespec):
    _each.no_gradient(IS_A_FILE)
