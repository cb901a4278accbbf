"""Native forms of single reductions over the first or the last axes, such as the mean of losses: nests of one each.

In Python such a step is one call of NumPy, so code for it pays only between other native steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

from ...graph.dtypes import DType, of_numpy
from ...graph.op_declaration import OPS
from ...ops.reduction_order import BLOCK, is_trailing
from ..ir.fused_ir import Body, Instruction, Value
from ..llvm.native_calls import NativeCall, NativeMemory
from .row_group import RowGroup

KEPT_GROUPS: Final = 256
"""The most groups that are remembered."""
_groups: dict[Any, RowGroup] = {}


def reduction_calls(
    op: str, args: Sequence[Any], dtype: DType, result: Any, memory: NativeMemory
) -> list[NativeCall] | None:
    """The calls of a reduction; None if it is over other axes, or too large for a nest.

    Args:
        op: its type.
        args: its arguments with arrays in place of operands.
        dtype: the dtype of the result.
        result: the array for it.
        memory: see `llvm.native_calls`.
    """
    rule = OPS[op].reduction
    x, *rest = args
    if rule is None or not x.ndim or not x.size:
        return None
    axes = rule.axes(x.ndim, *rest)
    is_leading = axes == tuple(range(len(axes))) and len(axes) < x.ndim
    if not axes or not (is_trailing(axes, x.ndim) or is_leading):
        return None
    in_row = [size for axis, size in enumerate(x.shape) if (axis in axes) != is_leading]
    if not 1 < prod(in_row) <= BLOCK:
        return None
    key = op, x.dtype, x.ndim, axes, rule.keepdims(x.ndim, *rest), dtype
    group = _groups.get(key)
    if group is None:
        only = Instruction(op, (Value(0), *rest), dtype)
        if len(_groups) >= KEPT_GROUPS:
            _groups.clear()
        group = _groups.setdefault(key, RowGroup(Body((of_numpy(x.dtype),), (only,), (Value(1),), is_nest=True), True))
    return group.native([x], [result], memory)
