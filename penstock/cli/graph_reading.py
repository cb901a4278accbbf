"""The graphs and models in files, as the commands read them.

Of a GraphDef the supported part is used, and what is missing is reported on standard error.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

from ..graph.common.lazy_import import load
from ..graph.model.nodes import Graph, Tensor
from ..graph.serial.loaded_origins import LoadedOrigin
from ..interchange.graph_files import SUFFIXES, load_graph, load_graphdef
from ..interchange.onnx.onnx_names import clean_label
from ..interchange.onnx_files import ONNX, load_onnx
from ..ops.control.control import identity
from ..printable_text import print_safely, printable


def read_graph(path: str, is_inspected: bool = False) -> tuple[Graph, str]:
    """The graph in a file, and for a GraphDef the report on what is supported; `inspect` shows the report itself."""
    suffix = Path(path).suffix.lower()
    if suffix == ONNX:
        return _read_onnx(path)
    if suffix not in SUFFIXES:
        if told := models().checkpoint_told(path):
            raise ValueError(told)
        if not os.path.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        raise ValueError(f"{path}: the suffix of a saved graph is one of {', '.join((*SUFFIXES, ONNX))}; a model of "
                         "TensorFlow is a .meta file, or the folder with saved_model.pb")  # fmt: skip
    if suffix == ".json":
        return load_graph(path), ""
    loaded = load_graphdef(path)
    if loaded.missing and not is_inspected:
        print_safely(f"{path}: {loaded.report}", sys.stderr)
    return loaded.graph, loaded.report


def _read_onnx(path: str) -> tuple[Graph, str]:
    """The graph of an ONNX model, in which each output is an operation of its name; and what wrote it."""
    graph = Graph()
    graph.origin = LoadedOrigin(path, 0, "")
    graph.surroundings.origins = (graph.origin,)  # the nodes come from the file, and from no line of this one
    with graph.as_default():
        model = load_onnx(path)
        for name, value in model.outputs.items():
            if isinstance(value, Tensor) and value.op.name != clean_label(name):
                identity(value, name=clean_label(name))
    return graph, printable(str(model).partition("\n")[0])


def load_saved(path: str) -> Graph:
    """The graph in a file, or of a model; of a GraphDef the supported part."""
    return models().graph_of_model(path) if is_model(path) else read_graph(path)[0]


def is_model(path: str) -> bool:
    """Whether it is a folder or a MetaGraph, and not the file of one graph."""
    return os.path.isdir(path) or Path(path).suffix.lower() == ".meta"


def models() -> Any:
    """The module of models, imported at its first use."""
    load("penstock.cli.model_files")
    from . import model_files  # it imports Savers

    return model_files
