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
from .ops.sparse import (  # noqa: F401
    ctc,
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
from .runtime.ir import fused_ir  # noqa: F401
from .runtime.passes.rules import residual_checks  # noqa: F401


def declare_every_op() -> None:
    """Nothing more: the import has done it."""
