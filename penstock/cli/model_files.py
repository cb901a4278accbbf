"""Models in folders and MetaGraphs, as commands read, list and run them: tags, signatures, assets, variables."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import DecodeError, GraphFormatError, PenstockError
from ..graph.model.nodes import Graph
from ..graph.serial.limits import DEFAULT_LIMITS, read_limited
from ..graph.shapes.named_dtypes import DataType
from ..graph.shapes.shape import TensorShape
from ..interchange.checkpoints.open_checkpoint import exists
from ..interchange.protos.message_texts import Parse
from ..interchange.protos.model_protos import MetaGraphDef
from ..interchange.tensorflow.graphdef_reader import LoadedGraphDef, add_graphdef
from ..interchange.tensorflow.wire.messages import GraphProto
from ..interchange.wire.wire_format import decode
from ..printable_text import print_safely, printable
from ..train.checkpoints.checkpoint_files import latest_checkpoint
from ..train.checkpoints.checkpoint_reader import list_variables
from ..train.checkpoints.meta_graph_import import import_meta_graph
from ..train.saved_models import model_constants as names
from ..train.saved_models.model_loading import (
    asset_paths,
    maybe_saved_model_directory,
    parse_saved_model,
    start_operations,
)
from ..train.saved_models.model_loading import load as load_model

_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""An entry of checkpoints of TensorFlow 2 that is no variable."""


def read_model(path: str, tags: str) -> tuple[Graph, str]:
    """The graph of a model, and the report on what is supported; what else the model has is printed.

    Raises:
        ValueError: it is no model, or no graph of it has these tags.
    """
    graphs = _graphs(path)
    chosen = _chosen(path, graphs, tags)
    for each in graphs:
        mark = "" if each is not chosen or len(graphs) == 1 else "  (the one below)"
        print_safely(f"graph with the tags {_tags(each)}{mark}")
    for line in (*_signatures(chosen), *_rest(path, chosen)):
        print_safely(line)
    loaded = _loaded(path, chosen)
    return loaded.graph, loaded.report


def graph_of_model(path: str) -> Graph:
    """The graph of a model, for commands that look at graphs alone; of several graphs the first one."""
    loaded = _loaded(path, _graphs(path)[0])
    if loaded.missing:
        print_safely(f"{path}: {loaded.report}", sys.stderr)
    return loaded.graph


def open_model(session: Any, path: str, tags: str) -> MetaGraphDef:
    """Load a model into a session: its graph, the values of its variables, and what it starts with.

    Raises:
        ValueError: it is no model, or no graph has these tags.
    """
    if not os.path.isdir(path):
        prefix = path.removesuffix(".meta")
        with session.graph.as_default():
            saver = import_meta_graph(path)
        if saver is not None and exists(prefix):
            saver.restore(session, prefix)
        return _meta_graph(path)
    chosen = _chosen(path, _graphs(path), tags)
    return load_model(session, list(chosen.meta_info_def.tags), path)


def tensors_of_signature(model: MetaGraphDef, key: str) -> tuple[dict[str, str], dict[str, str]]:
    """What a signature takes and gives: the names of tensors by its own names. Without a key, of its only signature.

    Raises:
        ValueError: there is none with that name, or there are several.
    """
    there = sorted(each for each in model.signature_def if each != names.INIT_OP_SIGNATURE_KEY)
    if not key:
        usual = names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        key = usual if usual in there else there[0] if len(there) == 1 else ""
    if key not in there:
        if not there and not key:
            return {}, {}
        raise ValueError(f"--signature {key}: the model has the signatures {', '.join(there) or 'none'}")
    signature = model.signature_def[key]
    return ({name: info.name for name, info in signature.inputs.items()},
            {name: info.name for name, info in signature.outputs.items()})  # fmt: skip


def _graphs(path: str) -> list[MetaGraphDef]:
    if not os.path.isdir(path):
        return [_meta_graph(path)]
    if not maybe_saved_model_directory(path):
        told = checkpoint_told(path)
        raise ValueError(told or f"{path}: the folder has no {names.SAVED_MODEL_FILENAME_PB}, so it is no SavedModel")
    found = list(parse_saved_model(path).meta_graphs)
    if not found:
        raise ValueError(f"{path}: the SavedModel has no graph")
    return found


def checkpoint_told(path: str) -> str:
    """What to do about a path that belongs to a checkpoint: its folder, its prefix or one of its files; else ""."""
    prefix = latest_checkpoint(path) if os.path.isdir(path) else re.sub(r"\.index$|\.data-\d+-of-\d+$", "", path)
    if prefix is None or not exists(prefix):
        return ""
    if not os.path.isfile(f"{prefix}.index"):
        try:
            list_variables(prefix)  # of the first format a checkpoint is one file, which may have any name
        except (PenstockError, OSError):
            return ""
    there = f"{path} holds the checkpoint {prefix}" if os.path.isdir(path) else f"{path} is a checkpoint"
    graph = f"Its graph is in {prefix}.meta: give that" if os.path.isfile(f"{prefix}.meta") else "It has no .meta file"
    return f"{there}: values of variables, without a graph. {graph}; tf.train.list_variables({prefix!r}) lists it"


def _chosen(path: str, graphs: list[MetaGraphDef], tags: str) -> MetaGraphDef:
    """The graph with these tags, which commas separate; without any the first one."""
    wanted = {each.strip() for each in tags.split(",") if each.strip()}
    for each in graphs:
        if not wanted or set(each.meta_info_def.tags) == wanted:
            return each
    there = "; ".join(_tags(each) for each in graphs)
    raise ValueError(f"{path}: no graph has the tags {', '.join(sorted(wanted))}; there are: {there}")


def _meta_graph(path: str) -> MetaGraphDef:
    content = read_limited(Path(path), DEFAULT_LIMITS.file_bytes)
    try:
        return MetaGraphDef.FromString(content)
    except DecodeError as error:
        try:
            return Parse(content, MetaGraphDef())
        except DecodeError:
            raise GraphFormatError(f"{path} is damaged or no MetaGraphDef: {error}") from None


def _loaded(path: str, chosen: MetaGraphDef) -> LoadedGraphDef:
    graph: GraphProto = decode(GraphProto, chosen.graph_def.SerializeToString())
    return add_graphdef(graph, path, Graph())


def _tags(graph: MetaGraphDef) -> str:
    return ", ".join(sorted(graph.meta_info_def.tags)) or "none"


def _signatures(graph: MetaGraphDef) -> Iterator[str]:
    for key in sorted(graph.signature_def):
        if key == names.INIT_OP_SIGNATURE_KEY:
            continue
        signature = graph.signature_def[key]
        method = f"  ({printable(signature.method_name)})" if signature.method_name else ""
        yield f"\nsignature {printable(key)}{method}"
        for title, infos in (("in ", signature.inputs), ("out", signature.outputs)):
            for name in sorted(infos):
                yield f"  {title} {printable(name)} = {_typed(infos[name])}"


def _typed(info: Any) -> str:
    name = info.name or info.coo_sparse.values_tensor_name
    dtype = DataType(info.dtype).name[3:].lower() if info.dtype in iter(DataType) else str(info.dtype)
    return f"{printable(name)}  {dtype} {TensorShape(info.tensor_shape)}"


def _rest(path: str, graph: MetaGraphDef) -> Iterator[str]:
    for tensor, file in sorted(asset_paths(graph, path).items()):
        yield f"\nasset {printable(os.path.basename(file))}, fed to {printable(tensor)}"
    for name in start_operations(graph):
        yield f"\nstarts with {printable(name)}"
    prefix = os.path.join(path, names.VARIABLES_DIRECTORY, names.VARIABLES_FILENAME)
    prefix = prefix if os.path.isdir(path) else path.removesuffix(".meta")
    if exists(prefix):
        found = [each for each in list_variables(prefix) if each[0] != _OBJECTS]
        yield f"\nvariables ({len(found)}):"
        for name, shape in found:
            yield f"  {printable(name)}  {TensorShape(shape)}"
    yield ""
