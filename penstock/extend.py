"""The names that a program needs to declare an op of its own.

They are those with which Penstock declares its ops: the declaration, aliases for signatures, shapes, values known
before a run, and the errors that rules and kernels raise. `docs/adding-an-op.md` shows how they are used.
"""

from .errors import DTypeError, InvalidArgumentError, ShapeError, UnimplementedError, ValueRuleError
from .graph.capturing import subgraph
from .graph.constant_evaluation import known_int, known_shape, known_value, known_vector
from .graph.dimension import Dim, Dimension, unknown
from .graph.nodes import Tensor
from .graph.op_declaration import OpDef, Sample, find_op, op, sample
from .graph.shape import TensorShape, broadcast, merge_shapes, shape_of, unknown_dims, unknown_rank
from .graph.signature import (
    ANY,
    BOOL,
    COMPLEX,
    FLOATS,
    INTEGERS,
    NUMBERS,
    REALS,
    STRING,
    Attr,
    Body,
    Bool,
    DTypeLike,
    Flag,
    Float,
    HostIndex,
    Index,
    Inner,
    Int,
    Ints,
    Number,
    Operand,
    Real,
    T,
    TensorLike,
    Tensors,
)
from .graph.subgraph import SubGraph
from .ops.composite import composite
from .ops.shape_checks import merge_all

__all__ = [
    # the declaration
    "OpDef",
    "Sample",
    "composite",
    "find_op",
    "op",
    "sample",
    # signatures: operands
    "Bool",
    "Float",
    "HostIndex",
    "Index",
    "Number",
    "Operand",
    "Real",
    "T",
    "Tensor",
    "TensorLike",
    "Tensors",
    # signatures: attributes
    "Attr",
    "DTypeLike",
    "Flag",
    "Int",
    "Ints",
    # signatures: graphs inside ops
    "Body",
    "Inner",
    "SubGraph",
    "subgraph",
    # sets of dtypes
    "ANY",
    "BOOL",
    "COMPLEX",
    "FLOATS",
    "INTEGERS",
    "NUMBERS",
    "REALS",
    "STRING",
    # shapes
    "Dim",
    "Dimension",
    "TensorShape",
    "broadcast",
    "merge_all",
    "merge_shapes",
    "shape_of",
    "unknown",
    "unknown_dims",
    "unknown_rank",
    # values known before the run
    "known_int",
    "known_shape",
    "known_value",
    "known_vector",
    # errors
    "DTypeError",
    "InvalidArgumentError",
    "ShapeError",
    "UnimplementedError",
    "ValueRuleError",
]
