"""Imports the modules that declare ops which `import penstock` leaves out: loops, arrays of tensors, checkpoints ...

A file may hold nodes of any op, and a name may be asked for. A program that builds such nodes has imported the module.
"""

from .ops import (  # noqa: F401  # imported for their declarations
    array_reading,
    array_writing,
    broadcast_gradient_args,
    checkpoint_ops,
    getitem_gradient,
    gradient_elements,
    if_op,
    missing_values,
    summary_nodes,
    variant_sums,
    while_op,
)
from .ops.convolution import conv2d_ops, conv3d_ops, depthwise_ops  # noqa: F401
from .ops.images import batch_blocks, depth_blocks, resizing_ops  # noqa: F401
from .ops.pooling import (  # noqa: F401
    argmax_pool_ops,
    avg_pool_ops,
    image_patches,
    max_pool3d_ops,
    max_pool_ops,
    response_normalization,
)
from .runtime.ir import fused_ir  # noqa: F401
from .runtime.passes.rules import residual_checks  # noqa: F401


def declare_every_op() -> None:
    """Nothing more: the import has done it."""
