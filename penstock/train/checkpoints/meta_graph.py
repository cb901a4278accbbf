"""MetaGraphDef: a graph with its collections and its Saver, as TensorFlow keeps it beside a checkpoint (`.meta`)."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Sequence
from typing import Any

from ...errors import GraphError, GraphFormatError, UseError
from ...graph.common.file_errors import UNCHANGED, file_errors
from ...graph.common.lazy_import import load
from ...graph.common.tracebacks import hides_frames
from ...graph.common.weak_table import WeakTable
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph, Operation, Tensor
from ...interchange.checkpoints.meta_graph_messages import (
    BytesListProto,
    CollectionEntry,
    CollectionProto,
    FloatListProto,
    IntListProto,
    MetaGraphProto,
    MetaInfoProto,
    NodeListProto,
    SaverDef,
    SliceInfoProto,
    VariableProto,
)
from ...interchange.checkpoints.whole_files import write_whole
from ...interchange.protos.model_protos import MetaGraphDef
from ...interchange.tensorflow.graphdef_writer import graph_proto
from ...interchange.tensorflow.node_writer import NodeWriter
from ...interchange.tensorflow.wire.text_format import to_text
from ...interchange.wire.wire_format import encode
from ...runtime.base.fp_context import collector_paused
from ...variables.variable import Variable
from .checkpoint_files import Path

# ---- writing ------------------------------------------------------------------------------------


@hides_frames
def export_meta_graph(
    filename: Path | None = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: SaverDef | None = None,
    collection_list: Sequence[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
) -> MetaGraphDef:
    """Writes a graph with its collections and a Saver, for `import_meta_graph` here or in TensorFlow.

    Args:
        filename: the file; without it nothing is written.
        meta_info_def: accepted for TensorFlow's sake.
        graph_def: not supported: the graph is `graph`.
        saver_def: the Saver, as `saver.as_saver_def()` gives it.
        collection_list: the keys of the collections to write; without it all.
        as_text: whether the file is protobuf's text form.
        graph: the graph; without it the default graph.
        export_scope: not supported.
        clear_devices: whether devices are left out.
        clear_extraneous_savers: accepted for TensorFlow's sake.
        strip_default_attrs: accepted for TensorFlow's sake.
        save_debug_info: accepted for TensorFlow's sake.

    Returns:
        A `MetaGraphDef`.

    Raises:
        GraphFormatError (a ValueError): an op has no counterpart in TensorFlow.
        OpError: the file cannot be written.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, name="v")
    ...     saver = tf.train.Saver()
    ...     print(tf.train.export_meta_graph(saver_def=saver.as_saver_def()).saver_def.restore_op_name)
    save/restore_all

    Source: TensorFlow 1.x, `tf.train.export_meta_graph`.
    """
    if graph_def is not None or export_scope:
        raise UseError("export_meta_graph: it writes a whole graph; leave out graph_def and export_scope")
    with collector_paused():
        proto = meta_graph_message(graph or get_default_graph(), saver_def, collection_list, clear_devices)
    if filename is not None:
        _write(os.fsdecode(filename), to_text(proto).encode("utf-8") if as_text else encode(proto))
    return MetaGraphDef.FromString(encode(proto))


def write_meta_graph(path: str, graph: Graph, saver_def: SaverDef) -> None:
    """The graph beside a checkpoint. One with ops that TensorFlow lacks is left out; a message says so once for a
    graph: the values are what counts.
    """
    with collector_paused():  # messages are many objects and no garbage
        try:
            content = encode(meta_graph_message(graph, saver_def, None, False))
        except GraphFormatError as error:
            _tell_left_out(path, graph, error)
            return
    _write(path, content)


_told: WeakTable[Graph, None] = WeakTable()


def _tell_left_out(path: str, graph: Graph, error: GraphFormatError) -> None:
    if graph in _told:
        return
    _told[graph] = None
    load("logging")
    import logging  # loaded on demand

    logging.getLogger("penstock").warning(
        "Saver.save: the checkpoint is written without its graph, %r: %s. Write the graph with tf.save_graph(graph, "
        "'graph.json'), or pass write_meta_graph=False", path, str(error).splitlines()[0],
    )  # fmt: skip


def _write(path: str, content: bytes) -> None:
    with file_errors(f"the file {path!r} could not be written", UNCHANGED):
        write_whole(path, content)


def meta_graph_message(
    graph: Graph, saver_def: SaverDef | None, keys: Sequence[str] | None, clear_devices: bool
) -> MetaGraphProto:
    graph_def, writer = graph_proto(graph)
    if clear_devices:
        for node in graph_def.nodes:
            node.device = ""
    wanted = graph.get_all_collection_keys() if keys is None else keys
    encoded: dict[Variable, bytes] = {}  # most variables are in two collections
    found = [(key, _collection(graph.get_collection(key), writer, encoded)) for key in wanted if isinstance(key, str)]
    entries = [CollectionEntry(key, made) for key, made in sorted(found) if made is not None]
    return MetaGraphProto(MetaInfoProto(), graph_def, copy.copy(saver_def), entries)


def _collection(
    values: Iterable[Any], writer: NodeWriter, encoded: dict[Variable, bytes]
) -> CollectionProto | None:
    """The values of a collection; None if it is empty, or holds what files cannot."""
    values = list(values)
    if not values:
        return None
    if all(isinstance(v, Variable) for v in values):
        for v in values:
            if v not in encoded:
                encoded[v] = encode(_variable_proto(v, writer))
        return CollectionProto(bytes_list=BytesListProto([encoded[v] for v in values]))
    if all(isinstance(v, (Tensor, Operation)) for v in values):
        return CollectionProto(node_list=NodeListProto([_name_of(v, writer) for v in values]))
    if all(hasattr(v, "as_saver_def") for v in values):
        return CollectionProto(bytes_list=BytesListProto([encode(v.as_saver_def()) for v in values]))
    if all(hasattr(v, "enqueue_ops") for v in values):
        load("penstock.train.checkpoints.queue_runner_messages")
        from .queue_runner_messages import queue_runner_message  # loaded on demand

        return CollectionProto(bytes_list=BytesListProto([queue_runner_message(v, writer) for v in values]))
    if all(isinstance(v, (str, bytes)) for v in values):
        texts = [v if isinstance(v, bytes) else v.encode() for v in values]
        return CollectionProto(bytes_list=BytesListProto(texts))
    if all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        return CollectionProto(int64_list=IntListProto(values))
    if all(isinstance(v, float) for v in values):
        return CollectionProto(float_list=FloatListProto(values))
    return None


def _name_of(value: Tensor | Operation, writer: NodeWriter) -> str:
    return writer.name_of(value) if isinstance(value, Operation) else _with_index(writer.ref(value))


def _with_index(reference: str) -> str:
    return reference if ":" in reference else f"{reference}:0"


def _variable_proto(v: Variable, writer: NodeWriter) -> VariableProto:
    message = VariableProto(_with_index(writer.variable(v.resource)), snapshot_name=_with_index(writer.ref(v.element)),
                         trainable=v.trainable)  # fmt: skip
    info = v.save_slice_info
    if info is not None:
        message.slice_info = SliceInfoProto(info.full_name, list(info.full_shape), list(info.var_offset),
                                         list(info.var_shape))  # fmt: skip
    try:
        message.initializer_name = writer.name_of(v.initializer)
        message.initial_value_name = _with_index(writer.ref(v.initial_value))
    except GraphError:  # an imported variable may have none
        pass
    return message
