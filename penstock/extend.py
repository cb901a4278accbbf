"""The names that a program needs to declare an op of its own.

They are those with which Penstock declares its ops: the declaration, aliases for signatures, shapes, values known
before a run, and the errors that rules and kernels raise. `docs/adding-an-op.md` shows how they are used.
"""

from .errors import DTypeError, InvalidArgumentError, ShapeError, UnimplementedError, ValueRuleError
from .graph.building.capturing import subgraph
from .graph.building.constant_evaluation import known_int, known_shape, known_value, known_vector
from .graph.building.written_nodes import body, claim_shape, node, record
from .graph.declare.axis_labels import labelled
from .graph.declare.distributing import distribute
from .graph.declare.distribution import SIZES, WHOLE, Along, Distributed, Partial, Refused
from .graph.declare.op_declaration import OpDef, Sample, find_op, op, sample
from .graph.declare.signature import (
    ANY, BOOL, COMPLEX, FLOATS, INTEGERS, NUMBERS, REALS, STRING, Attr, Body, Bool, DTypeLike, Flag, Float,
    FloatAttr, HostIndex, Index, Inner, Int, Ints, Number, Operand, Real, T, TensorLike, Tensors,
)
from .graph.model.nodes import Tensor
from .graph.model.subgraph import SubGraph
from .graph.shapes.dimension import Dim, Dimension, unknown
from .graph.shapes.shape import TensorShape, broadcast, merge_shapes, shape_of, unknown_dims, unknown_rank
from .ops.declare.composite import composite
from .ops.declare.shape_checks import merge_all
from .ops.random.philox import Position, random_words
from .variables.standing_variable import standing_variable

__all__ = [
    "ANY", "Along", "Attr", "BOOL", "Body", "Bool", "COMPLEX", "DTypeError", "DTypeLike", "Dim", "Dimension",
    "Distributed", "FLOATS", "Flag", "Float", "FloatAttr", "HostIndex", "INTEGERS", "Index", "Inner", "Int", "Ints",
    "InvalidArgumentError", "NUMBERS", "Number", "OpDef", "Operand", "Partial", "Position", "REALS", "Real",
    "Refused", "SIZES", "STRING", "Sample", "ShapeError", "SubGraph", "T", "Tensor", "TensorLike", "TensorShape",
    "Tensors", "UnimplementedError", "ValueRuleError", "WHOLE", "body", "broadcast", "claim_shape", "composite",
    "distribute", "find_op", "known_int", "known_shape", "known_value", "known_vector", "labelled", "merge_all",
    "merge_shapes", "node", "op", "random_words", "record", "sample", "shape_of", "standing_variable", "subgraph",
    "unknown", "unknown_dims", "unknown_rank",
]  # fmt: skip
