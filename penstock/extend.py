"""The names that a program needs to declare an op of its own.

They are those with which Penstock declares its ops: the declaration, aliases for signatures, shapes, values known
before a run, and the errors that rules and kernels raise. `docs/adding-an-op.md` shows how they are used.
"""

from .errors import DTypeError as DTypeError
from .errors import InvalidArgumentError as InvalidArgumentError
from .errors import ShapeError as ShapeError
from .errors import UnimplementedError as UnimplementedError
from .errors import ValueRuleError as ValueRuleError
from .graph.capturing import subgraph as subgraph
from .graph.constant_evaluation import known_int as known_int
from .graph.constant_evaluation import known_shape as known_shape
from .graph.constant_evaluation import known_value as known_value
from .graph.constant_evaluation import known_vector as known_vector
from .graph.dimension import Dim as Dim
from .graph.dimension import Dimension as Dimension
from .graph.dimension import unknown as unknown
from .graph.nodes import Tensor as Tensor
from .graph.op_declaration import OpDef as OpDef
from .graph.op_declaration import Sample as Sample
from .graph.op_declaration import find_op as find_op
from .graph.op_declaration import op as op
from .graph.op_declaration import sample as sample
from .graph.shape import TensorShape as TensorShape
from .graph.shape import broadcast as broadcast
from .graph.shape import merge_shapes as merge_shapes
from .graph.shape import shape_of as shape_of
from .graph.shape import unknown_dims as unknown_dims
from .graph.shape import unknown_rank as unknown_rank
from .graph.signature import ANY as ANY
from .graph.signature import BOOL as BOOL
from .graph.signature import COMPLEX as COMPLEX
from .graph.signature import FLOATS as FLOATS
from .graph.signature import INTEGERS as INTEGERS
from .graph.signature import NUMBERS as NUMBERS
from .graph.signature import REALS as REALS
from .graph.signature import STRING as STRING
from .graph.signature import Attr as Attr
from .graph.signature import Body as Body
from .graph.signature import Bool as Bool
from .graph.signature import DTypeLike as DTypeLike
from .graph.signature import Flag as Flag
from .graph.signature import Float as Float
from .graph.signature import HostIndex as HostIndex
from .graph.signature import Index as Index
from .graph.signature import Inner as Inner
from .graph.signature import Int as Int
from .graph.signature import Ints as Ints
from .graph.signature import Number as Number
from .graph.signature import Operand as Operand
from .graph.signature import Real as Real
from .graph.signature import T as T
from .graph.signature import TensorLike as TensorLike
from .graph.signature import Tensors as Tensors
from .graph.subgraph import SubGraph as SubGraph
from .ops.composite import composite as composite
from .ops.philox import Position as Position
from .ops.philox import random_words as random_words
from .ops.shape_checks import merge_all as merge_all
