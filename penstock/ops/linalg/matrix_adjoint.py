"""The adjoint of matrices, for the rules of gradients."""

from __future__ import annotations

from typing import Any

from ...graph.model.nodes import Tensor


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
