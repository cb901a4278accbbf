"""Reductions over no axes, such as gradients of broadcast operands have where nothing was broadcast."""

from __future__ import annotations

from ....graph.model.nodes import Operation, Tensor
from ....ops.declare.reduction_decl import ReductionOp
from .rule import Rule, is_one_of, node


class ReduceNothing(Rule):
    """f(x, []) -> x, where f is a reduction; also f(x) for x of rank 0.

    Exact: a reduction over no axes returns the bits of its operand. It ends because each use removes one node."""

    pattern = node(is_one_of(ReductionOp), "x", bind="op")

    def check(self, op: Operation, x: Tensor) -> str | None:
        axis = op.args[1]
        if axis is None:
            return None if x.shape.raw == () else ""
        if axis.shape.raw == (0,):
            return None
        return "" if axis.shape.is_known else "how many axes are reduced is not known before the run"
