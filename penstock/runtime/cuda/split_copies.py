"""Splits whose parts are copied in one launch.

The parts of a split are views: they cost nothing and serve every reader of strided memory (fused groups, elementwise
ops, further views). Readers that need contiguous memory, and fetches, would copy each part by itself; where a split has
two such parts or more, all its parts are copied in one launch instead. Parts that are contiguous anyway stay views.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from ...graph.declare.op_declaration import OPS
from ..ir.fused_ir import Body
from ..kernels.kernel_choice import kernel_of
from ..planning.plan import Plan, Slot, Step
from .join_kernels import split

Call = Callable[..., Any]


def with_parts_cut(xp: Any, plan: Plan, calls: Sequence[Call]) -> list[Call]:
    """The calls of the steps, those of splits replaced whose parts are better copied in one launch."""
    found = list(calls)
    for i, step in enumerate(plan.steps):
        operand = _operand_of_parts(step)
        if operand is not None and _parts_to_copy(plan, i) > 1:
            found[i] = _cutting(xp, calls[i], operand)
    return found


def _operand_of_parts(step: Step) -> int | None:
    """The input that a step on the GPU cuts into views, None if it is no such step."""
    opdef = OPS.get(step.op)
    if step.device != "gpu" or opdef is None or len(step.outputs) < 2:
        return None
    viewed = [step.args[place] for place in opdef.facts.sharing.viewed_by(0)]
    return step.inputs.index(viewed[0]) if len(viewed) == 1 and isinstance(viewed[0], Slot) else None


def _parts_to_copy(plan: Plan, position: int) -> int:
    """How many parts of a split have a reader that would copy them."""
    wanted: set[Slot] = set(plan.fetches)
    for step in plan.steps[position + 1 :]:
        if not _reads_strided(step):
            wanted.update(step.inputs)
    return len(wanted & set(plan.steps[position].outputs))


def _reads_strided(step: Step) -> bool:
    """Whether a step reads strided memory as it is: a fused group, an elementwise op, a view, an op of shapes."""
    opdef = OPS.get(step.op)
    if opdef is None:
        return False
    is_view = opdef.facts.sharing.is_view and kernel_of(opdef, "cupy") is opdef.kernels["*"]
    is_group = bool(step.args) and isinstance(step.args[-1], Body)
    return opdef.facts.elementwise or opdef.facts.reads_shape_only or is_view or is_group


def _cutting(xp: Any, call: Call, at: int) -> Call:
    def cut(*arrays: Any) -> Any:
        views = call(*arrays)
        if all(v.flags.c_contiguous for v in views):
            return views
        value = arrays[at]
        parts = views if views[0].ndim == value.ndim else [v[None] for v in views]
        axis = next((d for d, (a, b) in enumerate(zip(value.shape, parts[0].shape, strict=True)) if a != b), 0)
        sizes = [p.shape[axis] for p in parts]
        if not _are_slices(value, parts, axis, sizes):
            return views
        return [p.reshape(v.shape) for p, v in zip(split(xp, value, sizes, axis), views, strict=True)]

    return cut


def _are_slices(value: Any, parts: Sequence[Any], axis: int, sizes: Sequence[int]) -> bool:
    """Whether the parts are all of `value`, cut along `axis`, in order."""
    strides = value.strides
    starts = accumulate(sizes[:-1], initial=0)
    return sum(sizes) == value.shape[axis] and all(
        part.data.ptr == value.data.ptr + start * strides[axis]
        and all(a == b for d, (a, b) in enumerate(zip(part.strides, strides, strict=True)) if d != axis)
        for part, start in zip(parts, starts, strict=True)
        if part.size
    )
