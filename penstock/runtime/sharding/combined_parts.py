"""Parts of a result that shards give, combined into that of the whole: sums, extremes, means.

The order is a choice: "ordered" adds one part after the other, as a loop over the shards on one machine does; "tree"
adds them in pairs, which takes fewer rounds with many workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Final, Protocol

from ...graph.declare.distribution import How
from ...graph.declare.op_declaration import OpDef
from ...graph.model.nodes import Operation, Tensor
from ...ops.elementwise.arithmetic import add, maximum, minimum, multiply
from ...ops.elementwise.logical import logical_and, logical_or
from ...ops.sharding.shards import ORDERS, logsumexp_of_shards, mean_of_shards

_OF_TWO: Final[dict[str, OpDef[Any, Any]]] = {
    "sum": add, "prod": multiply, "max": maximum, "min": minimum, "all": logical_and, "any": logical_or,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PartialResult:
    """Parts of a result.

    Attributes:
        how: how they are combined.
        parts: one for each shard.
        weighed_by: the operands along whose `axis` a mean was taken, one for each shard.
        axis: the axis along which these are cut.
        plus: what a sum has besides its parts, of the same shape.
    """

    how: How
    parts: tuple[Tensor, ...]
    weighed_by: tuple[Tensor, ...] = ()
    axis: int = 0
    plus: Tensor | None = None


def why_not_combined(how: How, tensor: Tensor) -> str | None:
    """Why parts of this dtype cannot be combined so; None if they can."""
    if how in ("mean", "logsumexp") and not (tensor.dtype.is_floating or tensor.dtype.is_complex):
        return f"a {how} of {tensor.dtype.name} does not follow from those of shards"
    return None


class MakesNodes(Protocol):
    """What adds nodes to the stage with shards."""

    def emit(self, opdef: OpDef[Any, Any], args: Sequence[Any], like: Operation, suffix: str, **more: Any) -> Tensor:
        """The result of a new node, called after `like`."""

    def shapes_of(self, parts: Sequence[Tensor], like: Operation) -> tuple[Tensor, ...]:
        """The shapes of parts."""


def combined(values: MakesNodes, partial: PartialResult, tensor: Tensor, sums: str) -> Tensor:
    """The whole's result from the parts that the copies of an operation give.

    Args:
        values: makes new nodes.
        partial: the parts.
        tensor: the result in the old stage.
        sums: the order.
    """
    op, like = tensor.op, [(tensor.dtype, tensor.shape)]
    if partial.plus is not None:
        total = combined(values, replace(partial, plus=None), tensor, sums)
        return values.emit(add, (total, partial.plus), op, "whole", outputs=like)
    parts = partial.parts
    if len(parts) == 1:
        return parts[0]
    if partial.how == "mean":
        args = parts, values.shapes_of(partial.weighed_by, op), partial.axis, sums
        return values.emit(mean_of_shards, args, op, "mean", outputs=like)
    if partial.how == "logsumexp":
        return values.emit(logsumexp_of_shards, (parts, sums), op, "logsumexp", outputs=like)
    numbers = count(1)

    def combine(a: Tensor, b: Tensor) -> Tensor:
        return values.emit(_OF_TWO[partial.how], (a, b), op, f"{partial.how}_{next(numbers)}", outputs=like)

    found: Tensor = ORDERS[sums](parts, combine)
    return found
