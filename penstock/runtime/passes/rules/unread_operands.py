"""Operands of which an op reads only the shape, such as the maxima for the gradient of `max_pool`."""

from __future__ import annotations

from ....graph.model.nodes import Operation, Tensor
from .rule import Emitter, Rule, node


class UnreadOperand(Rule):
    """f(x, y, g), where f reads of y only the shape, which is that of g -> f(x, g, g). Exact.

    What computes y then runs only for others, or where it may fail. y is that which the fact `unread` of f names, and g
    any operand whose static shape and dtype are the same, so that all checks of shapes have the same outcome. It ends
    because each use removes an operand that is no other operand too."""

    pattern = node(lambda opdef: bool(opdef.facts.unread), bind="op")
    keeps_place = True

    def check(self, op: Operation) -> str | None:
        unread = op.args[_place(op)]
        others = _others(op)
        if any(each is unread for each in others):
            return ""
        if _stand_in(unread, others) is not None:
            return None
        return f"no other operand is known to have the shape of {op.opdef.facts.unread}"

    def rewrite(self, make: Emitter, op: Operation) -> Tensor:
        place = _place(op)
        stand_in = _stand_in(op.args[place], _others(op))
        return make.result(op.opdef, *op.args[:place], stand_in, *op.args[place + 1 :])


def _place(op: Operation) -> int:
    """The place of the operand that is not read, in the signature."""
    return next(place for place, name, _ in op.opdef.operands if name == op.opdef.facts.unread)


def _others(op: Operation) -> list[Tensor]:
    """The other operands."""
    unread = _place(op)
    return [op.args[place] for place, _, _ in op.opdef.operands if place != unread]


def _stand_in(unread: Tensor, others: list[Tensor]) -> Tensor | None:
    """The first of `others` with the same dtype and static shape; None if no shape is known to be the same."""
    dims = unread.shape.raw
    if dims is None:
        return None
    return next((each for each in others if each.dtype is unread.dtype and each.shape.raw == dims), None)
