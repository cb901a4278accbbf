"""TensorFlow's GraphDef, read and written without TensorFlow."""

from .graphdef_reader import LoadedGraphDef, read_graphdef
from .graphdef_writer import write_graphdef

__all__ = ["LoadedGraphDef", "read_graphdef", "write_graphdef"]
