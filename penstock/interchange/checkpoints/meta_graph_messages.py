"""The protobuf messages around a GraphDef: MetaGraphDef, what is in its collections, and the state of a folder.

Source: TensorFlow's meta_graph.proto, saver.proto, variable.proto, checkpoint_state.proto.
"""

# ruff: noqa: RUF009  # the calls in the classes below return dataclasses.field(...)

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..tensorflow.wire.messages import GraphProto
from ..wire.message_fields import many, member, one


@dataclass(slots=True)
class CheckpointState:
    """Which checkpoints are in a folder: the content of its file "checkpoint".

    Attributes:
        model_checkpoint_path: the prefix of the latest one.
        all_model_checkpoint_paths: those that are there, from the oldest to the latest.
        all_model_checkpoint_timestamps: when each was written, in seconds since 1970; mostly empty.
        last_preserved_timestamp: when the last one that is kept for ever was written; 0 if that is not known.
    """

    model_checkpoint_path: str = one(1, "text", "")
    all_model_checkpoint_paths: list[str] = many(2, "text")
    all_model_checkpoint_timestamps: list[float] = many(3, "double")
    last_preserved_timestamp: float = one(4, "double", 0.0)


@dataclass(slots=True)
class SaverDef:
    """What a file says about a Saver: its nodes, and which checkpoints it keeps.

    Attributes:
        filename_tensor_name: the tensor to feed with the path.
        save_tensor_name: the tensor to fetch to save; its value is the path.
        restore_op_name: the operation to run to restore.
        max_to_keep: how many of the latest checkpoints are kept; 0 keeps all.
        sharded: whether it writes a file for each device.
        keep_checkpoint_every_n_hours: after so many hours one more checkpoint is kept.
        version: the version of the format, `SaverDef.V1` or `SaverDef.V2`.
    """

    LEGACY: ClassVar[int] = 0
    V1: ClassVar[int] = 1
    V2: ClassVar[int] = 2

    filename_tensor_name: str = one(1, "text", "")
    save_tensor_name: str = one(2, "text", "")
    restore_op_name: str = one(3, "text", "")
    max_to_keep: int = one(4, "int", 0)
    sharded: bool = one(5, "bool", False)
    keep_checkpoint_every_n_hours: float = one(6, "float", 0.0)
    version: int = one(7, "int", 0)


@dataclass(slots=True)
class SliceInfoProto:
    """Which part of a partitioned variable a variable is."""

    full_name: str = one(1, "text", "")
    full_shape: list[int] = many(2, "int")
    var_offset: list[int] = many(3, "int")
    var_shape: list[int] = many(4, "int")


@dataclass(slots=True)
class VariableProto:
    """A variable: the names of its tensors and operations."""

    variable_name: str = one(1, "text", "")
    initializer_name: str = one(2, "text", "")
    snapshot_name: str = one(3, "text", "")
    slice_info: SliceInfoProto | None = one(4, SliceInfoProto, None, "save_slice_info_def")
    is_resource: bool = one(5, "bool", False)
    initial_value_name: str = one(6, "text", "")
    trainable: bool = one(7, "bool", False)


@dataclass(slots=True)
class QueueRunnerProto:
    """What fills a queue: the names of its operations, and the numbers of the errors that mean an end."""

    queue_name: str = one(1, "text", "")
    enqueue_op_name: list[str] = many(2, "text")
    close_op_name: str = one(3, "text", "")
    cancel_op_name: str = one(4, "text", "")
    queue_closed_exception_types: list[int] = many(5, "enum")


@dataclass(slots=True)
class NodeListProto:
    """Names of nodes or tensors."""

    value: list[str] = many(1, "text")


@dataclass(slots=True)
class BytesListProto:
    """Messages, encoded."""

    value: list[bytes] = many(1, "bytes")


@dataclass(slots=True)
class IntListProto:
    """Ints."""

    value: list[int] = many(1, "int")


@dataclass(slots=True)
class FloatListProto:
    """Floats."""

    value: list[float] = many(1, "float")


@dataclass(slots=True)
class CollectionProto:
    """A collection: one of the lists is there."""

    node_list: NodeListProto | None = member(1, NodeListProto)
    bytes_list: BytesListProto | None = member(2, BytesListProto)
    int64_list: IntListProto | None = member(3, IntListProto)
    float_list: FloatListProto | None = member(4, FloatListProto)


@dataclass(slots=True)
class CollectionEntry:
    """An entry of the map from keys to collections."""

    key: str = one(1, "text", "")
    value: CollectionProto | None = one(2, CollectionProto, None)


@dataclass(slots=True)
class MetaInfoProto:
    """Facts about the file."""

    meta_graph_version: str = one(1, "text", "")
    tags: list[str] = many(4, "text")
    tensorflow_version: str = one(5, "text", "")


@dataclass(slots=True)
class MetaGraphProto:
    """A graph with its collections and its Saver."""

    meta_info: MetaInfoProto | None = one(1, MetaInfoProto, None, "meta_info_def")
    graph_def: GraphProto | None = one(2, GraphProto, None)
    saver_def: SaverDef | None = one(3, SaverDef, None)
    collections: list[CollectionEntry] = many(4, CollectionEntry, "collection_def")
