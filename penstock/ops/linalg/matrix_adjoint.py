"""The adjoint of matrices, for the rules of gradients, and the smaller of their sizes."""

from __future__ import annotations

from typing import Any

from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dim, unknown


def adjoint(ops: Any, matrices: Tensor) -> Tensor:
    """The matrices with rows and columns exchanged, and conjugated."""
    rank = matrices.shape.ndims
    turned = ops.conj(matrices)
    if rank is not None:
        order = [*range(rank - 2), rank - 1, rank - 2]
        return ops.transpose(turned, order)
    count = ops.rank(matrices)
    whole: Tensor = ops.transpose(turned, ops.concat(0, [ops.range(count - 2), [count - 1, count - 2]]))
    return whole


def smaller(rows: Dim, columns: Dim, input: Tensor) -> Dim:
    """The smaller of both sizes of a matrix."""
    if rows == columns:
        return rows
    if isinstance(rows, int) and isinstance(columns, int):
        return min(rows, columns)
    return unknown("which side of the matrix is shorter is not known before the run", input)
