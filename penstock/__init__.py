"""Penstock, a lazy computation-graph engine: nothing flows until you open the gate.

>>> import penstock as tf
>>> with tf.Graph().as_default():
...     x = tf.placeholder(tf.float32, ["batch", 3], name="x")
...     y = x + 1.0
>>> y.shape
TensorShape((batch, 3))
"""

from . import shared_names as _shared_names
from .at_exit import show_at_exit as _show_at_exit
from .graph.builder import build as _build
from .graph.hooks import hooks as _hooks
from .lazy_functions import lazy as _lazy
from .missing_names import add_hints as _add_hints
from .ops.concat_stack import concat as concat
from .ops.concat_stack import stack as stack
from .ops.decode_csv import decode_csv as decode_csv
from .ops.gathering import gather as gather
from .ops.getitem import Index as _Index
from .ops.getitem import IndexOperand as _IndexOperand
from .ops.getitem import Span as _Span
from .ops.numpy_functions import FUNCTIONS as _numpy_functions
from .ops.reshaping import expand_dims as expand_dims
from .ops.reshaping import squeeze as squeeze
from .ops.shape_size_rank import shape as shape
from .ops.shape_size_rank import size as size
from .ops.slicing import split as split
from .ops.transpose_reverse import reverse as reverse
from .ops.transpose_reverse import reverse_sequence as reverse_sequence
from .public_names import list_public_names as _list_public_names
from .runtime.planning.placement import has_backend as _has_backend
from .runtime.session.default_session import evaluate_in_default as _evaluate
from .shared_names import *  # noqa: F403  # it holds nothing else

_hooks.numpy_functions.update(_numpy_functions)
_hooks.records.update(Index=_Index, Slot=_IndexOperand, Span=_Span)
_hooks.fill(
    build=_build,
    evaluate=_evaluate,
    has_backend=_has_backend,
    explain_shape=_shared_names.explain_shape,
    cost=_lazy("runtime.observe.cost", "cost"),
    diff=_lazy("graph.inspect.diff", "diff"),
    export=_lazy("show.export_graph", "export_as"),
    markup=_lazy("show.notebook", "markup"),
    summary=_lazy("graph.inspect.graph_summary", "summary"),
    to_networkx=_lazy("graph.inspect.networkx_view", "to_networkx"),
)
_show_at_exit()
_add_hints(__name__)

__version__ = "0.1.0"
__all__: list[str]
_list_public_names(__name__)
