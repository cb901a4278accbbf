"""The table of operators: which are read, by which rule, since which opset."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ..onnx_errors import UnsupportedOnnx
from ..onnx_node import OnnxNode
from .activation_reads import ACTIVATIONS
from .attention_reads import ATTENTION
from .cast_reads import CASTS
from .convolution_reads import CONVOLUTIONS
from .elementwise_reads import ELEMENTWISE
from .flow_reads import FLOW
from .index_reads import INDEXING
from .matrix_reads import MATRICES
from .ml_reads import MACHINE_LEARNING
from .normalization_reads import NORMALIZATIONS
from .onnx_row import OnnxOp
from .padding_reads import PADDING
from .pooling_reads import POOLING
from .random_reads import RANDOM
from .recurrent_reads import RECURRENT
from .reduction_reads import REDUCTIONS
from .resize_reads import RESIZING
from .sampling_reads import SAMPLING
from .shape_reads import SHAPES
from .signal_reads import SIGNALS
from .text_reads import TEXTS
from .tree_reads import TREES

KINDS: dict[str, tuple[OnnxOp, ...]] = {
    "Element by element": ELEMENTWISE,
    "Activations": ACTIVATIONS,
    "Casts and quantisation": CASTS,
    "Reductions": REDUCTIONS,
    "Shapes and moves": SHAPES + PADDING,
    "Indexing": INDEXING,
    "Matrices": MATRICES,
    "Convolutions": CONVOLUTIONS,
    "Pooling": POOLING,
    "Normalisations and losses": NORMALIZATIONS,
    "Recurrent networks": RECURRENT,
    "Attention": ATTENTION,
    "Images": RESIZING + SAMPLING,
    "Signals": SIGNALS,
    "Random numbers": RANDOM,
    "Strings": TEXTS,
    "Machine learning and training": MACHINE_LEARNING + TREES,
    "Control flow, sequences, optional values": FLOW,
}
"""The operators by kinds."""


@cache
def rows() -> dict[tuple[str, str], OnnxOp]:
    """The operators by domain and name."""
    return {(row.domain, row.name): row for kind in KINDS.values() for row in kind}


def has_rule(domain: str, name: str) -> bool:
    """Whether an operator is read."""
    return (domain, name) in rows()


def read_rule(domain: str, name: str, version: int) -> Callable[[OnnxNode], Any] | None:
    """The rule that reads an operator.

    Raises:
        UnsupportedOnnx: nodes of that version are not read.
    """
    row = rows().get((domain, name))
    if row is None:
        return None
    if version < row.since:
        raise UnsupportedOnnx(f"{name} is read since opset {row.since}; the model is of opset {version}")
    return row.read
