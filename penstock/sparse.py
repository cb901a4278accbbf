"""`tf.sparse`: the functions of sparse tensors under their short names."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .compat.sparse_segment_calls import (
    sparse_segment_mean as segment_mean, sparse_segment_sqrt_n as segment_sqrt_n, sparse_segment_sum as segment_sum,
)
from .graph.model.sparse_tensor import SparseTensor
from .ops.sparse.sparse_elementwise import (
    sparse_maximum as maximum, sparse_minimum as minimum, sparse_softmax as softmax,
)
from .ops.sparse.sparse_joins import sparse_concat as concat, sparse_slice as slice, sparse_split as split
from .ops.sparse.sparse_order import sparse_reorder as reorder, sparse_reshape as reshape, sparse_transpose as transpose
from .ops.sparse.sparse_placeholders import sparse_placeholder as placeholder
from .ops.sparse.sparse_products import (
    sparse_tensor_dense_matmul as matmul, sparse_tensor_dense_matmul as sparse_dense_matmul,
)
from .ops.sparse.sparse_reductions import (
    sparse_reduce_max as reduce_max, sparse_reduce_max_sparse as reduce_max_sparse, sparse_reduce_sum as reduce_sum,
    sparse_reduce_sum_sparse as reduce_sum_sparse,
)
from .ops.sparse.sparse_rows import (
    sparse_fill_empty_rows as fill_empty_rows, sparse_mask as mask, sparse_reset_shape as reset_shape,
    sparse_retain as retain,
)
from .ops.sparse.sparse_sums import sparse_add as add
from .ops.sparse.sparse_to_dense_op import (
    sparse_merge as merge, sparse_tensor_to_dense as to_dense, sparse_to_indicator as to_indicator,
)

__all__ = [
    "SparseTensor", "add", "concat", "fill_empty_rows", "mask", "matmul", "maximum", "merge", "minimum", "placeholder",
    "reduce_max", "reduce_max_sparse", "reduce_sum", "reduce_sum_sparse", "reorder", "reset_shape", "reshape", "retain",
    "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax", "sparse_dense_matmul", "split", "to_dense",
    "to_indicator", "transpose",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
