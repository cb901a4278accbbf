"""Changes of shape: chains of reshape, squeeze and expand_dims that combine or cancel.

These ops keep every element and the row-major order, so the last shape alone determines the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....graph.building.constant_evaluation import Entry, known_vector
from ....graph.building.may_fail import why_it_may_fail
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dimension import Dimension
from ....ops.declare.shape_checks import least, total
from ....ops.move.reshaping import expand_dims, reshape, squeeze
from .rule import Emitter, Rule, node

_RESHAPING = (reshape, squeeze, expand_dims)


def _depends_on_operand(entries: Sequence[Entry] | None, x: Tensor) -> bool:
    """True if -1 may be inferred from the operand's shape rather than its size, as it is for an empty operand."""
    if entries is None:
        return True
    if -1 not in entries and all(entry is not None for entry in entries):
        return False
    count = total(x.shape.raw or ())
    if count is not None and least(count) > 0:
        return False
    others = [e for e in entries if e != -1]
    return any(e is None or isinstance(e, Dimension) or e == 0 for e in others)


class ReshapeReshape(Rule):
    """reshape(f(x), s) -> reshape(x, s), where f is reshape, squeeze or expand_dims. Exact.

    It ends because each use removes one change of shape on the way to x."""

    pattern = node(reshape, node(_RESHAPING, "x", bind="first"), "s")

    def check(self, first: Operation, x: Tensor, s: Tensor) -> str | None:
        refused = why_it_may_fail(first)
        if refused is not None:
            return refused
        if _depends_on_operand(known_vector(s), x):
            return "if there are no elements, -1 in the second shape is inferred from the first shape"
        return None

    def rewrite(self, make: Emitter, first: Operation, x: Tensor, s: Tensor) -> Tensor:
        return make.result(reshape, x, s)


class SameShape(Rule):
    """f(x) -> x, where f is reshape, squeeze or expand_dims and the result has the shape of x. Exact.

    It ends because each use removes one node."""

    pattern = node(_RESHAPING, "x", bind="op")

    def check(self, op: Operation, x: Tensor) -> str | None:
        same = op.outputs[0].shape.raw is not None and op.outputs[0].shape.raw == x.shape.raw
        return why_it_may_fail(op) if same else ""


class ReshapeRoundTrip(Rule):
    """f(g(x)) -> x, where f and g are reshape, squeeze or expand_dims and the result has the shape of x. Exact.

    It ends because each use removes one node."""

    pattern = node(_RESHAPING, node(_RESHAPING, "x", bind="first"), bind="second")

    def check(self, first: Operation, second: Operation, x: Tensor) -> str | None:
        result = second.outputs[0]
        if result.shape.raw is None or result.shape.raw != x.shape.raw:
            return ""
        return why_it_may_fail(first) or why_it_may_fail(second)
