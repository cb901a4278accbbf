"""Broadcasts and shapes: a broadcast moves behind elementwise ops, which broadcast anyway; a shape is read early.

Gradients of reductions are broadcasts. Behind the elementwise ops that follow them they cost no pass over memory.
"""

from __future__ import annotations

from ....graph.building.may_fail import broadcast_of, why_it_may_fail
from ....graph.model.nodes import Operation, Tensor
from ....ops.create.shape_size_rank import shape
from ....ops.declare.elementwise_decl import BinaryOp, UnaryOp
from ....ops.move.broadcasting import broadcast_to
from .rule import Emitter, Rule, is_one_of, node, reads


class BroadcastLater(Rule):
    """f(broadcast_to(x, s), y) -> f(x, y) if that has the same shape, else broadcast_to(f(x, y), s). f is elementwise.

    Exact, because f broadcasts its operands itself. It ends because each use moves a broadcast one op down."""

    pattern = node(is_one_of(UnaryOp, BinaryOp), bind="op", prefilter=reads(broadcast_to))

    def check(self, op: Operation) -> str | None:
        for tensor in op.inputs:
            if tensor.op.opdef is broadcast_to:
                if tensor.op.control_inputs or tensor.op.device != op.device:
                    return "the broadcast has a place or a device of its own"
                refused = why_it_may_fail(tensor.op)
                if refused is not None:
                    return refused
        if op.opdef.facts.can_fail & op.inputs[0].dtype.bit:
            return f"{op.name} may fail for values that an empty broadcast does not hold"
        shapes = [t.shape.raw for t in _before(op)]
        together = None if None in shapes else broadcast_of([s for s in shapes if s is not None])
        if together is None:
            return "whether the operands fit without the broadcast is not known before the run"
        if together != op.outputs[0].shape.raw and _widest(op) is None:
            return "the result is larger than each broadcast"
        return why_it_may_fail(op)

    def rewrite(self, make: Emitter, op: Operation) -> Tensor:
        operands = _before(op)
        make.cover([t.op for t in op.inputs if t.op.opdef is broadcast_to])
        if broadcast_of([t.shape.raw or () for t in operands]) == op.outputs[0].shape.raw:
            return make.result(op.opdef, *operands)
        widest = _widest(op)
        assert widest is not None
        return make.result(broadcast_to, make.make(op.opdef, *operands), widest.inputs[1])


def _widest(op: Operation) -> Operation | None:
    """A broadcast among the operands that gives the shape of the result of `op` in every run."""
    wanted = op.outputs[0].shape.raw
    return next((t.op for t in op.inputs if t.op.opdef is broadcast_to and t.shape.raw == wanted), None)


def _before(op: Operation) -> list[Tensor]:
    """The operands of `op` without their broadcasts."""
    return [t.op.inputs[0] if t.op.opdef is broadcast_to else t for t in op.inputs]


class ShapeEarlier(Rule):
    """shape(f(x, ...)) -> shape(x), where static shapes say that f keeps the shape of x, and f cannot fail. Exact.

    It ends because each use reads the shape of an earlier tensor."""

    pattern = node(shape, "x", bind="op")

    def check(self, op: Operation, x: Tensor) -> str | None:
        if x.op.control_inputs or _earlier(x) is None:
            return ""
        return why_it_may_fail(x.op)

    def rewrite(self, make: Emitter, op: Operation, x: Tensor) -> Tensor:
        earlier = _earlier(x)
        assert earlier is not None
        return make.result(shape, earlier, *op.args[1:])


def _earlier(x: Tensor) -> Tensor | None:
    """An operand of the op that makes `x`, of the same shape in every run."""
    if not x.op.opdef.facts.elementwise or x.shape.raw is None:
        return None
    return next((t for t in x.op.inputs if t.shape.raw == x.shape.raw), None)
