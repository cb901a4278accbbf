"""Penstock builds computation graphs over arrays, checks and draws them, and runs them.

>>> import penstock as tf
>>> with tf.Graph().as_default():
...     x = tf.placeholder(tf.float32, ["batch", 3], name="x")
...     y = x + 1.0
>>> y.shape
TensorShape((batch, 3))
"""

from .api import api_common as _shared_names
from .api.api_0x import *  # noqa: F403  # it holds nothing else
from .api.api_common import *  # noqa: F403  # it holds nothing else
from .api.lazy_functions import lazy as _lazy
from .api.lazy_functions import run_if_set as _run_if_set
from .api.missing_names import add_hints as _add_hints
from .api.public_names import list_public_names as _list_public_names
from .api.public_names import public_name as _public_name
from .api.public_names import show_public_names_only as _show_public_names_only
from .graph.building.builder import build as _build
from .graph.common.hooks import hooks as _hooks
from .graph.model.missing_function import MissingFunction as _MissingFunction
from .ops.move.getitem import Index as _Index
from .ops.move.getitem import IndexOperand as _IndexOperand
from .ops.move.getitem import Span as _Span
from .ops.move.numpy_functions import FUNCTIONS as _numpy_functions

_hooks.numpy_functions.update(_numpy_functions)
_hooks.records.update(Index=_Index, MissingFunction=_MissingFunction, Slot=_IndexOperand, Span=_Span)
_hooks.fill(
    build=_build,
    public_name=_public_name,
    declare_every_op=_lazy("every_op", "declare_every_op", hook="declare_every_op"),
    evaluate=_lazy("runtime.session.default_session", "evaluate_in_default"),
    open_session=_lazy("runtime.session.default_session", "open_session"),
    load_values=_lazy("runtime.session.default_session", "load_in_default"),
    loops_over_rows=_lazy("runtime.passes.pipeline", "loops_over_rows"),
    read_values=_lazy("runtime.session.default_session", "read_in_default"),
    empty=_lazy("runtime.memory.buffer_pool", "POOL.empty", hook="empty"),
    has_backend=_lazy("runtime.planning.placement", "has_backend", hook="has_backend"),
    stop_check=_lazy("runtime.base.stop_signal", "stop_check", hook="stop_check"),
    gradient_of_branches=_lazy("derivatives.branch_gradient", "gradient_of_branches"),
    gradient_of_loop=_lazy("derivatives.loop_gradient", "gradient_of_loop"),
    explain_shape=_shared_names.explain_shape,
    compiled_loop=_lazy("runtime.kernels.loops.loop_cache", "find", hook="compiled_loop"),
    product=_lazy("runtime.kernels.products.blas_products", "blas_product"),
    with_one_thread=_lazy("runtime.base.blas_threads", "with_one_thread"),
    cost=_lazy("runtime.observe.cost", "cost"),
    diff=_lazy("graph.inspect.diff", "diff"),
    partitions=_lazy("cluster.client.asked_partitions", "asked_partitions"),
    races=_lazy("runtime.observe.race_search", "races_of"),
    export=_lazy("show.formats.export_graph", "export_as"),
    save_tensors=_lazy("interchange.checkpoints.save_restore", "save_tensors"),
    restore_tensors=_lazy("interchange.checkpoints.save_restore", "restore_tensors"),
    merge_checkpoints=_lazy("interchange.checkpoints.save_restore", "merge_bundles"),
    open_cluster=_lazy("cluster.client.session_cluster", "open_cluster"),
    records_of=_lazy("interchange.records.record_files", "records_of"),
    serialized_tensor=_lazy("interchange.tensorflow.wire.serialized_tensors", "serialized"),
    parsed_tensor=_lazy("interchange.tensorflow.wire.serialized_tensors", "parsed"),
    dtype_number=_lazy("graph.shapes.named_dtypes", "DataType"),
    dtype_reference=_lazy("graph.shapes.named_dtypes", "reference_to"),
    plain_dtype=_lazy("graph.shapes.named_dtypes", "plain_dtype"),
    as_graph_def=_lazy("interchange.protos.graph_to_protos", "as_graph_def"),
    create_op=_lazy("interchange.protos.create_op", "create_op"),
    node_def=_lazy("interchange.protos.graph_to_protos", "node_def"),
    shape_proto=_lazy("interchange.protos.tensor_protos", "shape_message"),
    op_def=_lazy("interchange.protos.graph_to_protos", "op_def"),
    foreign_attribute=_lazy("interchange.protos.graph_to_protos", "foreign_attribute"),
    repro=_lazy("repro.session_repro", "session_repro"),
    markup=_lazy("show.formats.notebook", "markup"),
    sparse_product=_lazy("ops.sparse.sparse_elementwise", "multiplied"),
    sparse_quotient=_lazy("ops.sparse.sparse_elementwise", "divided"),
    summary_bytes=_lazy("summary.value_protos", "summary_bytes", "summary_bytes"),
    summary=_lazy("graph.inspect.graph_summary", "summary"),
    to_networkx=_lazy("graph.inspect.networkx_view", "to_networkx"),
)

__version__ = "0.1.0"

_run_if_set("PENSTOCK_SHOW", "show.at_exit", "show_at_exit")
_run_if_set("PENSTOCK_REPRO", "repro.at_failure", "write_failures")  # these modules read the names above
_add_hints(__name__)

__all__: list[str]
_list_public_names(__name__)
_show_public_names_only(__name__, errors.__name__)  # noqa: F405  # of shared_names
