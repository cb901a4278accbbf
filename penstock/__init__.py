"""Penstock: a lazy computation graph. Nothing flows until you open the gate."""
from .graph.graph import Graph
from .graph.dtypes import *
from .ops.source import *
from .ops.arithmetic import add
from .ops.shapes import shape
