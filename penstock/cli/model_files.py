"""Models in folders and MetaGraphs, as `penstock inspect` reads and lists them: tags, signatures, assets, variables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import DecodeError, GraphFormatError
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
from ..train.checkpoints.checkpoint_reader import list_variables
from ..train.saved_models import model_constants as names
from ..train.saved_models.model_loading import (
    asset_paths,
    maybe_saved_model_directory,
    parse_saved_model,
    start_operations,
)


def is_model(path: str) -> bool:
    """Whether a path is a SavedModel or a MetaGraph."""
    return os.path.isdir(path) or Path(path).suffix.lower() == ".meta"


def read_model(path: str, tags: list[str]) -> tuple[Graph, str]:
    """The graph of a model, and the report on what is supported; what else the model has is printed.

    Raises:
        ValueError: it is no model, or no graph of it has these tags.
    """
    if os.path.isdir(path):
        if not maybe_saved_model_directory(path):
            raise ValueError(f"{path}: the folder has no {names.SAVED_MODEL_FILENAME_PB}, so it is no SavedModel")
        graphs = list(parse_saved_model(path).meta_graphs)
    else:
        graphs = [_meta_graph(path)]
    fitting = [each for each in graphs if not tags or set(each.meta_info_def.tags) == set(tags)]
    if not fitting:
        there = "; ".join(_tags(each) for each in graphs) or "no graph"
        raise ValueError(f"{path}: no graph has the tags {', '.join(tags)}; there are: {there}")
    for each in graphs:
        mark = "" if each is not fitting[0] or len(graphs) == 1 else "  (the one below)"
        print_safely(f"graph with the tags {_tags(each)}{mark}")
    chosen = fitting[0]
    for line in (*_signatures(chosen), *_rest(path, chosen)):
        print_safely(line)
    loaded = _loaded(path, chosen)
    if loaded.missing:
        print_safely(f"{path}: {loaded.report}", sys.stderr)
    return loaded.graph, loaded.report


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
        found = list_variables(prefix)
        yield f"\nvariables ({len(found)}):"
        for name, shape in found:
            yield f"  {printable(name)}  {TensorShape(shape)}"
    yield ""
