"""The public names of modules: `__all__` where import lines are the names, and what `dir` and completion show.

What only some programs need (`LAZY_MODULES`, `LAZY_NAMES`) are names like any other, and are imported at first use:
sessions too, because a program that only builds, inspects or exports a graph runs nothing.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from ..graph.common.lazy_import import LATER, load

LAZY_MODULES = (
    "app", "bitwise", "compat", "config", "contrib", "data", "debugging", "distributions", "dtypes", "flags", "gfile",
    "graph_util", "image", "initializers", "io", "layers", "linalg", "logging", "lookup", "losses", "manip", "math",
    "metrics", "nn", "python_io", "random", "saved_model", "signal", "sparse", "spectral", "strings", "summary", "test",
    "train",
)  # fmt: skip
"""Modules of `penstock` and of `penstock.compat.v1` that the first use imports."""
RENAMED_MODULES = {"dtypes": "dtype_names"}
NAMES_OF_OPS = {
    "ops.control.small_functions": (
        "accumulate_n broadcast_dynamic_shape broadcast_static_shape get_static_value guarantee_const is_tensor "
        "parallel_stack shape_n where_v2"
    ),
    "ops.create.range_linspace": "lin_space=linspace",
    "ops.elementwise.arithmetic": "complex_abs=abs inv=reciprocal",
    "ops.elementwise.conversions": "angle bitcast realdiv saturate_cast scalar_mul to_complex128 to_complex64",
    "ops.elementwise.fake_quantization": "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient",
    "ops.elementwise.round_and_classify": "nextafter",
    "ops.elementwise.truncated_division": "truncatediv truncatemod",
    "ops.images.batch_blocks": (
        "batch_to_space batch_to_space_nd required_space_to_batch_paddings space_to_batch space_to_batch_nd"
    ),
    "ops.images.depth_blocks": "depth_to_space space_to_depth",
    "ops.index.tensor_scatters": (
        "tensor_scatter_add=tensor_scatter_nd_add tensor_scatter_max=tensor_scatter_nd_max "
        "tensor_scatter_min=tensor_scatter_nd_min tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min "
        "tensor_scatter_nd_sub tensor_scatter_sub=tensor_scatter_nd_sub"
    ),
    "ops.index.vector_sets": (
        "batch_gather invert_permutation listdiff=setdiff1d setdiff1d unique_with_counts unravel_index"
    ),
    "ops.linalg.factorizations": "batch_cholesky=cholesky cholesky self_adjoint_eig self_adjoint_eigvals svd",
    "ops.linalg.matrix_bands": "batch_matrix_band_part=matrix_band_part matrix_band_part",
    "ops.linalg.matrix_functions": "batch_matmul cholesky_solve matrix_solve_ls matrix_transpose norm tensordot trace",
    "ops.linalg.matrix_parts": (
        "batch_matrix_diag=matrix_diag batch_matrix_diag_part=matrix_diag_part matrix_diag matrix_diag_part "
        "matrix_set_diag"
    ),
    "ops.linalg.solvers": (
        "batch_matrix_determinant=matrix_determinant batch_matrix_inverse=matrix_inverse "
        "batch_matrix_solve=matrix_solve batch_matrix_triangular_solve=matrix_triangular_solve matrix_determinant "
        "matrix_inverse matrix_solve matrix_triangular_solve"
    ),
    "ops.pooling.image_patches": "extract_image_patches",
    "ops.pooling.volume_patches": "extract_volume_patches",
    "ops.records.feature_specs": "FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature",
    "ops.records.parsing_calls": "parse_example parse_single_example parse_single_sequence_example",
    "ops.reduce.argmax": "arg_max=argmax arg_min=argmin",
    "ops.reduce.counting": "bincount confusion_matrix count_nonzero",
    "ops.sparse.edit_distances": "edit_distance",
    "ops.sparse.serialized_sparse": "deserialize_many_sparse serialize_many_sparse serialize_sparse",
    "ops.sparse.sparse_elementwise": "sparse_maximum sparse_minimum sparse_softmax",
    "ops.sparse.sparse_joins": "sparse_concat sparse_slice sparse_split",
    "ops.sparse.sparse_order": "sparse_reorder sparse_reshape sparse_transpose",
    "ops.sparse.sparse_placeholders": "sparse_placeholder",
    "ops.sparse.sparse_products": "sparse_tensor_dense_matmul",
    "ops.sparse.sparse_reductions": (
        "sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse"
    ),
    "ops.sparse.sparse_rows": "sparse_fill_empty_rows sparse_mask sparse_reset_shape sparse_retain",
    "ops.sparse.sparse_segments": "sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum",
    "ops.sparse.sparse_sums": "sparse_add",
    "ops.sparse.sparse_to_dense_op": "sparse_merge sparse_tensor_to_dense sparse_to_dense sparse_to_indicator",
    "ops.sparse.table_ops": "string_to_hash_bucket_fast",
    "ops.special.error_functions": "erfc",
    "ops.special.gamma_functions": "betainc digamma igamma igammac lbeta lgamma polygamma zeta",
    "ops.spectral.fourier": "fft fft2d fft3d ifft ifft2d ifft3d",
    "ops.text.string_functions": "decode_base64 encode_base64 string_strip",
    "ops.text.string_parts": "reduce_join regex_replace substr",
}
"""Module -> its names in `penstock`, as "name" or "name=own name": made by `python docs/make_names.py --write`."""
NN_NAMES_OF_OPS = {
    "ops.convolution.atrous_convolutions": "atrous_conv2d atrous_conv2d_transpose convolution",
    "ops.convolution.convolution_calls": (
        "conv1d conv2d conv2d_backprop_filter conv2d_backprop_input conv3d conv3d_backprop_filter_v2"
    ),
    "ops.convolution.depthwise_calls": (
        "depthwise_conv2d depthwise_conv2d_native depthwise_conv2d_native_backprop_filter "
        "depthwise_conv2d_native_backprop_input separable_conv2d"
    ),
    "ops.convolution.transposed_convolutions": "conv1d_transpose conv2d_transpose conv3d_transpose conv_transpose",
    "ops.images.batch_blocks": "batch_to_space space_to_batch",
    "ops.images.depth_blocks": "depth_to_space space_to_depth",
    "ops.pooling.fractional_pooling": "fractional_avg_pool fractional_max_pool",
    "ops.pooling.general_pooling": "pool",
    "ops.pooling.pooling_calls": (
        "avg_pool avg_pool1d avg_pool2d avg_pool3d max_pool max_pool1d max_pool2d max_pool3d max_pool_with_argmax"
    ),
    "ops.pooling.response_normalization": "local_response_normalization lrn",
    "ops.sparse.ctc": "ctc_greedy_decoder ctc_loss",
    "ops.sparse.ctc_beams": "ctc_beam_search_decoder ctc_beam_search_decoder_v2",
}
"""The same of `penstock.nn`."""


def _table(*modules: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Name -> its module and its own name there."""
    rows = [(module, each.partition("=")) for table in modules for module in table for each in table[module].split()]
    return {name: (module, own or name) for module, (name, _, own) in rows}


LAZY_NAMES = _table(NAMES_OF_OPS, {
    "summary.summary_messages": "Event HistogramProto LogMessage SessionLog Summary SummaryMetadata",
    "summary.older_summaries": "histogram_summary image_summary merge_all_summaries merge_summary scalar_summary",
    "control_flow.case": "case switch_case",
    "control_flow.cond": "cond",
    "control_flow.map_fn": "map_fn",
    "control_flow.scan": "foldl foldr scan",
    "control_flow.tensor_array": "TensorArray",
    "control_flow.while_loop": "while_loop",
    "derivatives.backward": "AggregationMethod UnconnectedGradients gradients",
    "derivatives.custom": "custom_gradient recompute_grad",
    "derivatives.explain_gradient": "explain_gradient",
    "derivatives.jvp_and_hessians": "hessians jvp",
    "compat.lesser_names": (
        "convert_to_tensor_or_indexed_slices convert_to_tensor_or_sparse_tensor count_up_to sparse_matmul"
    ),
    "compat.slicing_padding": "strided_slice",
    "queues.queue_classes": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    "queues.readers": "FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader TextLineReader WholeFileReader",
    "graph.shapes.named_dtypes": (
        "DataType QUANTIZED_DTYPES bfloat16_ref bool_ref complex128_ref complex64_ref float16_ref float32_ref "
        "float64_ref half_ref int16_ref int32_ref int64_ref int8_ref qint16 qint16_ref qint32 qint32_ref qint8 "
        "qint8_ref quint16 quint16_ref quint8 quint8_ref resource resource_ref string_ref uint16_ref uint32_ref "
        "uint64_ref uint8_ref variant_ref"
    ),
    "interchange.graph_files": "load_graph load_graphdef save_graph",
    "interchange.protos.graph_protos": (
        "AttrValue FunctionDef GraphDef NameAttrList NodeDef OpDef TensorProto TensorShapeProto VersionDef"
    ),
    "interchange.protos.model_protos": "MetaGraphDef SignatureDef TensorInfo",
    "interchange.protos.import_graph_def": "import_graph_def",
    "interchange.protos.tensor_protos": "make_ndarray make_tensor_proto",
    "interchange.onnx_files": "load_onnx save_onnx",
    "runtime.arguments.feed_values": "LossyFeedWarning",
    "runtime.backends": "list_devices",
    "runtime.base.config_protos": "ConfigProto GPUOptions GraphOptions OptimizerOptions",
    "runtime.base.progress": "progress_bar",
    "runtime.base.session_config": "RunOptions SessionConfig",
    "runtime.base.watch": "Watch",
    "runtime.observe.run_metadata": "RunMetadata",
    "runtime.observe.run_record": "RunRecord",
    "runtime.session.default_session": "InteractiveSession get_default_session",
    "runtime.session.graph_growth": "GrowthWarning",
    "runtime.session.session": "Session",
    "runtime.sharding.sharded_feed": "ShardedFeed",
    "variables.get_variable": "no_regularizer",
    "variables.templates": "make_template",
    "tf1.stand_in": "TensorFlowStandIn tensorflow_stand_in",
    "variables.variable_lists": "initialize_all_tables=tables_initializer",
})
"""Names of `penstock` and of `penstock.compat.v1` whose module the first use imports: that module, the name in it."""
LAZY_V1_NAMES = _table({
    "compat.parsing": "parse_example parse_single_example",
    "compat.sparse_segment_calls": "sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum",
})
"""Names that have other parameters in `penstock.compat.v1`, and wait there too."""
LAZY_NN_NAMES = _table(NN_NAMES_OF_OPS, {
    "recurrent.dynamic_rnn": "bidirectional_dynamic_rnn dynamic_rnn",
    "recurrent.legacy_rnn": "bidirectional_rnn rnn state_saving_rnn",
    "recurrent.raw_rnn": "raw_rnn",
    "recurrent.static_rnn": "static_bidirectional_rnn static_rnn static_state_saving_rnn",
})
"""Names of `penstock.nn` and of `penstock.compat.v1.nn` whose module the first use imports."""
NN = ("penstock.nn", "penstock.compat.nn_v1")
LAZY_NN_MODULES = {"rnn_cell": "recurrent.rnn_cell", "seq2seq": "contrib.legacy_seq2seq"}
"""Modules of these two that the first use imports."""
_SUBMODULES = (
    "errors", "extend", "legacy_seq2seq", "rnn", "rnn_cell", "seq2seq", "show", "testing", "training", "v1",
    *LAZY_MODULES,
)
"""The modules that users import or reach by a name."""


def lazy_module(module: str, name: str) -> ModuleType | None:
    """A module of the package, imported and made an attribute of `module`; None if it is none of those that wait.

    >>> lazy_module("penstock", "add") is None
    True
    """
    modules = LAZY_NN_MODULES if module in NN else {each: each for each in LAZY_MODULES} | RENAMED_MODULES
    if name not in modules:
        return None
    path = f"penstock.{modules[name]}"
    load(path)
    found = sys.modules[path]
    show_public_names_only(path)
    setattr(sys.modules[module], name, found)
    return found


def lazy_name(module: str, name: str) -> Any:
    """A name whose module is imported now, made an attribute of `module`; None if it is none of those that wait.

    >>> lazy_name("penstock", "add") is None
    True
    """
    names = LAZY_NN_NAMES if module in NN else LAZY_NAMES
    if module == "penstock.compat.v1" and name in LAZY_V1_NAMES:
        names = LAZY_V1_NAMES
    if name not in names:
        return None
    where, own = names[name]
    path = f"penstock.{where}"
    load(path)
    found = getattr(sys.modules[path], own)
    setattr(sys.modules[module], name, found)
    return found


def public_name(name: str) -> Any:
    """What `penstock` calls `name`; None if it is not one of its functions and classes.

    >>> import penstock as tf
    >>> public_name("add") is tf.add, public_name("relu_grad"), public_name("random")
    (True, None, None)
    """
    top = sys.modules["penstock"]
    found = getattr(top, name) if name in top.__all__ else None
    return None if isinstance(found, ModuleType) else found


def list_public_names(module: str) -> None:
    """Set `__all__` of a module whose import lines are its public names; the module among them is `errors`.

    Written out, it would repeat each line. Computed in the module, it would hide the names from type checkers, which
    take the import lines where they see no `__all__`.

    >>> import penstock as tf
    >>> "add" in tf.__all__, "graph" in tf.__all__
    (True, False)
    """
    names = vars(sys.modules[module])
    own = {
        name
        for name, value in names.items()
        if name[0] != "_" and (not isinstance(value, ModuleType) or name == "errors")
    }
    lazy = (*LAZY_NN_NAMES, *LAZY_NN_MODULES) if module in NN else ()
    lazy = (*LAZY_MODULES, *LAZY_NAMES) if module == "penstock" else lazy
    names["__all__"] = sorted(own.union(lazy))


def show_public_names_only(*modules: str) -> None:
    """Let `dir` of modules, and so completion at a prompt, show public names and documented submodules only.

    >>> import penstock as tf
    >>> "add" in dir(tf), "graph" in dir(tf), "annotations" in dir(tf.errors)
    (True, False, False)
    """
    for module in modules:
        names = vars(sys.modules[module])
        names["__dir__"] = functools.partial(_public, names)


def _public(names: dict[str, object]) -> list[str]:
    listed = names.get("__all__")
    shown = listed if isinstance(listed, list) else [name for name in names if name[0] != "_"]
    if names["__name__"] == "penstock.compat.v1":
        shown = [*shown, *LAZY_NAMES, *LAZY_MODULES]
    shown = [*shown, *LATER.get(str(names["__name__"]), ())]
    modules = {name for name, value in names.items() if isinstance(value, ModuleType) and name not in _SUBMODULES}
    beside = [name for name in (*_SUBMODULES, "__doc__", "__version__") if name in names]
    return sorted({*shown, *beside} - modules)
