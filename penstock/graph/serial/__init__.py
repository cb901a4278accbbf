"""Graphs as data: our own JSON form, TensorFlow's GraphDef."""

from .files import load_graph, save_graph
from .graphdef_read import LoadedGraphDef, load_graphdef, read_graphdef
from .graphdef_write import write_graphdef
from .limits import Limits

__all__ = [
    "Limits",
    "LoadedGraphDef",
    "load_graph",
    "load_graphdef",
    "read_graphdef",
    "save_graph",
    "write_graphdef",
]
