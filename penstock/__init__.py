"""Penstock, a lazy computation-graph engine: nothing flows until you open the gate.

>>> import penstock as tf
>>> with tf.Graph().as_default():
...     x = tf.placeholder(tf.float32, ["batch", 3], name="x")
...     y = x + 1.0
>>> y.shape
TensorShape((batch, 3))
"""

from . import errors as errors
from .graph.context_functions import control_dependencies as control_dependencies
from .graph.context_functions import device as device
from .graph.context_functions import name_scope as name_scope
from .graph.dimension import Dimension as Dimension
from .graph.dtypes import DType as DType
from .graph.dtypes import as_dtype as as_dtype
from .graph.dtypes import bfloat16 as bfloat16
from .graph.dtypes import bool_ as bool
from .graph.dtypes import complex64 as complex64
from .graph.dtypes import complex128 as complex128
from .graph.dtypes import float16 as float16
from .graph.dtypes import float32 as float32
from .graph.dtypes import float64 as float64
from .graph.dtypes import int8 as int8
from .graph.dtypes import int16 as int16
from .graph.dtypes import int32 as int32
from .graph.dtypes import int64 as int64
from .graph.dtypes import string as string
from .graph.dtypes import uint8 as uint8
from .graph.dtypes import uint16 as uint16
from .graph.dtypes import uint32 as uint32
from .graph.dtypes import uint64 as uint64
from .graph.graph import Graph as Graph
from .graph.graph import get_default_graph as get_default_graph
from .graph.graph import reset_default_graph as reset_default_graph
from .graph.hooks import hooks as _hooks
from .graph.operation import Operation as Operation
from .graph.operation import Tensor as Tensor
from .graph.shape import TensorShape as TensorShape
from .ops.arithmetic import add as add
from .ops.reductions import reduce_all as reduce_all
from .ops.reductions import reduce_any as reduce_any
from .ops.reductions import reduce_max as reduce_max
from .ops.reductions import reduce_mean as reduce_mean
from .ops.reductions import reduce_min as reduce_min
from .ops.reductions import reduce_prod as reduce_prod
from .ops.reductions import reduce_sum as reduce_sum
from .ops.scans import argmax as argmax
from .ops.scans import argmin as argmin
from .ops.scans import cumprod as cumprod
from .ops.scans import cumsum as cumsum
from .ops.shapes import shape as shape
from .ops.source import constant as constant
from .ops.source import convert_to_tensor as convert_to_tensor
from .ops.source import placeholder as placeholder
from .ops.source import placeholder_with_default as placeholder_with_default
from .runtime.config import RunMetadata as RunMetadata
from .runtime.config import RunOptions as RunOptions
from .runtime.config import SessionConfig as SessionConfig
from .runtime.session import InteractiveSession as InteractiveSession
from .runtime.session import Session as Session
from .runtime.session import evaluate_in_default as _evaluate
from .runtime.session import get_default_session as get_default_session
from .show.from_graph import export as _export

_hooks.fill(evaluate=_evaluate, export=_export)

__version__ = "0.1.0"
