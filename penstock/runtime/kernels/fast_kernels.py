"""The table of fast kernels by op, which binding uses.

An op declares one plain kernel, which serves every array module. A fast kernel serves one: a function of the array
module and of the op's arguments, that gives the result or None where it does not apply (the dtype, the size, the
layout, code that is not ready). Then the plain kernel runs, which also words every error. Both give the same bits, but
for the ops in `OF_ONE_TIER`.

Modules are imported when a step of such an op is bound.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeAlias

from ...graph.common.lazy_import import load

Fast: TypeAlias = Callable[..., Any]

ON_NUMPY: Final = {
    "All": "kernels.fast_reductions:reduce_all",
    "Any": "kernels.fast_reductions:reduce_any",
    "ArgSort": "kernels.fast_sort:argsort",
    "AvgPool": "kernels.convolution.fast_pooling:avg_pool",
    "AvgPoolGrad": "kernels.convolution.fast_pooling:avg_pool_gradient",
    "BooleanMask": "kernels.fast_gather:boolean_mask",
    "Cast": "kernels.fast_cast:cast",
    "CombineRows": "kernels.fast_scatter:combined",
    "Concat": "kernels.fast_join:concat",
    "Conv2D": "kernels.convolution.fast_convolution:conv2d",
    "Conv2DBackpropFilter": "kernels.convolution.fast_convolution:conv2d_filter_gradient",
    "Conv2DBackpropInput": "kernels.convolution.fast_convolution:conv2d_input_gradient",
    "Cumprod": "kernels.fast_cumsum:cumprod",
    "Cumsum": "kernels.fast_cumsum:cumsum",
    "DepthwiseConv2dNative": "kernels.convolution.fast_depthwise:depthwise",
    "DepthwiseConv2dNativeBackpropFilter": "kernels.convolution.fast_depthwise:depthwise_filter_gradient",
    "DepthwiseConv2dNativeBackpropInput": "kernels.convolution.fast_depthwise:depthwise_input_gradient",
    "DynamicPartition": "kernels.fast_partition:dynamic_partition",
    "DynamicStitch": "kernels.fast_partition:dynamic_stitch",
    "FixedUnigramCandidateSampler": "kernels.fast_candidates:fixed_unigram",
    "Gather": "kernels.fast_gather:gather",
    "GatherNd": "kernels.fast_gather:gather_nd",
    "LearnedUnigramCandidateSampler": "kernels.fast_candidates:learned_unigram",
    "LogUniformCandidateSampler": "kernels.fast_candidates:log_uniform",
    "MatMul": "kernels.products.fast_matmul:matmul",
    "Max": "kernels.fast_reductions:reduce_max",
    "MaxPool": "kernels.convolution.fast_pooling:max_pool",
    "MaxPoolGrad": "kernels.convolution.fast_pooling:max_pool_gradient",
    "Mean": "kernels.fast_sum:reduce_mean",
    "Min": "kernels.fast_reductions:reduce_min",
    "Multiplex": "kernels.fast_select:multiplex",
    "Pack": "kernels.fast_join:pack",
    "Pad": "kernels.fast_join:pad",
    "ParallelDynamicStitch": "kernels.fast_partition:dynamic_stitch",
    "Prod": "kernels.fast_reductions:reduce_prod",
    "RandomShuffle": "kernels.fast_random:random_shuffle",
    "RandomStandardNormal": "kernels.fast_random:random_normal",
    "RandomUniform": "kernels.fast_random:random_uniform",
    "RandomUniformInt": "kernels.fast_random:random_uniform_int",
    "Range": "kernels.fast_range:range",
    "ReverseSequence": "kernels.fast_sequence:reverse_sequence",
    "ScatterNd": "kernels.fast_scatter:scatter_nd",
    "SegmentMean": "kernels.fast_segments:segment_mean",
    "SegmentSum": "kernels.fast_segments:segment_sum",
    "Select": "kernels.fast_select:select",
    "SparseAddGrad": "kernels.fast_sparse:sparse_sum_gradient",
    "SparseSegmentMean": "kernels.fast_sparse:sparse_segment_mean",
    "SparseSegmentSqrtN": "kernels.fast_sparse:sparse_segment_sqrt_n",
    "SparseSegmentSum": "kernels.fast_sparse:sparse_segment_sum",
    "SparseTensorDenseMatMul": "kernels.fast_sparse:sparse_dense_product",
    "Stack": "kernels.fast_join:stack",
    "StringToNumber": "kernels.fast_strings:string_to_number",
    "Sum": "kernels.fast_sum:reduce_sum",
    "TensorScatterUpdate": "kernels.fast_scatter:update",
    "Tile": "kernels.fast_join:tile",
    "TruncatedNormal": "kernels.fast_random:truncated_normal",
    "TopKV2": "kernels.fast_sort:top_k",
    "Unique": "kernels.fast_unique:unique",
    "UniformCandidateSampler": "kernels.fast_candidates:uniform",
    "UnsortedSegmentSum": "kernels.fast_segments:unsorted_segment_sum",
    "Where": "kernels.fast_where:where",
}
ON_GPU: Final = {
    "Concat": "cuda.device_kernels:concat",
    "DynamicPartition": "cuda.device_kernels:dynamic_partition",
    "DynamicStitch": "cuda.device_kernels:dynamic_stitch",
    "Fused": "cuda.cuda_group:run_body",
    "Gather": "cuda.device_kernels:gather",
    "GatherNd": "cuda.device_kernels:gather_nd",
    "LogSoftmax": "cuda.row_ops:log_softmax",
    "Multiplex": "cuda.device_kernels:multiplex",
    "Pack": "cuda.device_kernels:pack",
    "Pad": "cuda.device_kernels:pad",
    "ParallelDynamicStitch": "cuda.device_kernels:dynamic_stitch",
    "Reverse": "cuda.device_kernels:reverse",
    "ReverseSequence": "cuda.device_kernels:reverse_sequence",
    "ScatterNd": "cuda.device_kernels:scatter_nd",
    "Softmax": "cuda.row_ops:softmax",
    "SoftmaxCrossEntropyWithLogits": "cuda.row_ops:softmax_cross_entropy",
    "SparseSoftmaxCrossEntropyWithLogits": "cuda.row_ops:sparse_softmax_cross_entropy",
    "Stack": "cuda.device_kernels:stack",
    "TensorScatterUpdate": "cuda.device_kernels:tensor_scatter_nd_update",
    "Tile": "cuda.device_kernels:tile",
    "Transpose": "cuda.device_kernels:transpose",
}
IN_PLACE: Final = {
    "CombineRows": "kernels.fast_scatter:combined_in_place",
    "TensorScatterUpdate": "kernels.fast_scatter:update_in_place",
}
"""Fast forms of the rules that change an operand into the result, on NumPy."""
PREPARED: Final = {
    "CombineRows": "kernels.fast_scatter:prepared_combination",
}
"""Fast forms of the rules that prepare such a change, on NumPy."""

OF_ONE_TIER: Final = frozenset(
    {"Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "DepthwiseConv2dNative",
     "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput"}
)  # fmt: skip
"""Ops whose fast kernel adds in another order than the plain one. So which of the two runs depends on sizes, dtypes and
on whether code can be compiled at all, never on how often the op has run: see `convolution.fast_convolution`."""

FAST: Final = {"numpy": ON_NUMPY, "cupy": ON_GPU, "in place": IN_PLACE, "prepared": PREPARED}


@cache
def fast_kernel(op: str, table: str) -> Fast | None:
    """The fast kernel of an op type for "numpy" or "cupy", "in place" of an operand or "prepared"; None if it has none.
    """
    place = FAST.get(table, {}).get(op)
    if place is None:
        return None
    name, _, function = place.partition(":")
    module = f"penstock.runtime.{name}"
    load(module)
    found: Fast = getattr(sys.modules[module], function)
    return found
