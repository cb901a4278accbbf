"""Parts of a result that shards give, combined into that of the whole: sums, extremes, means.

The order is a choice: "ordered" adds one part after the other, as a loop over the shards on one machine does; "tree"
adds them in pairs, which takes fewer rounds with many workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, Final

from ...graph.distribution import How
from ...graph.nodes import Tensor
from ...graph.op_declaration import OpDef
from ...ops.arithmetic import add, maximum, minimum, multiply
from ...ops.logical import logical_and, logical_or
from ...ops.shards import ORDERS, logsumexp_of_shards, mean_of_shards
from .cut_values import CutValues, ShardParts

_OF_TWO: Final[dict[str, OpDef[Any, Any]]] = {
    "sum": add, "prod": multiply, "max": maximum, "min": minimum, "all": logical_and, "any": logical_or,
}  # fmt: skip


def why_not_combined(how: How, tensor: Tensor) -> str | None:
    """Why parts of this dtype cannot be combined so; None if they can."""
    if how in ("mean", "logsumexp") and not (tensor.dtype.is_floating or tensor.dtype.is_complex):
        return f"a {how} of {tensor.dtype.name} does not follow from those of shards"
    return None


def combined(
    values: CutValues, how: How, parts: Sequence[Tensor], cut: ShardParts | None, tensor: Tensor, sums: str
) -> Tensor:
    """The whole's result from the parts that the copies of an operation give.

    Args:
        values: where new nodes are made.
        how: how parts are combined.
        parts: the parts of the result.
        cut: the operand of each copy whose size weighs a mean.
        tensor: the result in the old stage.
        sums: the order.
    """
    if len(parts) == 1:
        return parts[0]
    op, like = tensor.op, [(tensor.dtype, tensor.shape)]
    if how == "mean":
        assert cut is not None  # an op without a cut operand gives no parts
        args = tuple(parts), values.shapes_of(cut.parts, op), cut.axis, sums
        return values.emit(mean_of_shards, args, op, "mean", outputs=like)
    if how == "logsumexp":
        return values.emit(logsumexp_of_shards, (tuple(parts), sums), op, "logsumexp", outputs=like)
    numbers = count(1)

    def combine(a: Tensor, b: Tensor) -> Tensor:
        return values.emit(_OF_TWO[how], (a, b), op, f"{how}_{next(numbers)}", outputs=like)

    found: Tensor = ORDERS[sums](parts, combine)
    return found
