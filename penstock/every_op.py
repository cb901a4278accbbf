"""Imports the modules that declare ops which `import penstock` leaves out: loops, networks, checkpoints ...

A file may hold nodes of any op, and a name may be asked for. A program that builds such nodes has imported the module.
"""

from . import nn  # noqa: F401
from .ops.control import if_op, small_functions, while_op  # noqa: F401
from .ops.convolution import conv2d_ops, conv3d_ops, depthwise_ops  # noqa: F401
from .ops.datasets import (  # noqa: F401
    dataset_ops,
    function_ops,
    iterator_ops,
    random_choices,
    reduce_op,
    sparse_slices,
)
from .ops.elementwise import (  # noqa: F401
    conversions,
    select_broadcast,
    truncated_division,
)
from .ops.images import (  # noqa: F401
    area_resizing,
    batch_blocks,
    box_crops,
    box_drawing,
    box_suppression,
    depth_blocks,
    distorted_boxes,
    image_files,
    jpeg_shape,
    resizing_ops,
)
from .ops.index import gather_tree, tensor_scatters, vector_sets  # noqa: F401
from .ops.linalg import factorizations, matrix_bands, matrix_parts, solvers  # noqa: F401
from .ops.move import broadcast_gradient_args, getitem_gradient  # noqa: F401
from .ops.pooling import (  # noqa: F401
    argmax_pool_ops,
    avg_pool_ops,
    fractional_pooling,
    image_patches,
    max_pool3d_ops,
    max_pool_ops,
    response_normalization,
)
from .ops.queues import queue_ops, reader_ops, table_lookups  # noqa: F401
from .ops.random import keyed_random, stateless_random  # noqa: F401
from .ops.records import (  # noqa: F401
    feature_lists_op,
    file_ops,
    parse_example_op,
    raw_bytes,
    sequence_batches,
    tensor_bytes,
)
from .ops.sparse import (  # noqa: F401
    ctc,
    ctc_beams,
    edit_distances,
    sparse_elementwise,
    sparse_joins,
    sparse_order,
    sparse_products,
    sparse_reductions,
    sparse_rows,
    sparse_segments,
    sparse_sums,
    sparse_to_dense_op,
    table_ops,
)
from .ops.special import error_functions, gamma_functions, log_products  # noqa: F401
from .ops.spectral import fourier, real_fourier  # noqa: F401
from .ops.state import checkpoint_ops, summary_nodes, uninitialized_variables  # noqa: F401
from .ops.tensor_array import array_reading, array_writing, gradient_elements, variant_sums  # noqa: F401
from .ops.text import (  # noqa: F401
    simple_patterns,
    string_functions,
    string_parts,
)
from .runtime.ir import fused_ir  # noqa: F401
from .runtime.passes.rules import residual_checks  # noqa: F401


def declare_every_op() -> None:
    """Nothing more: the import has done it."""
