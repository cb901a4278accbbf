"""When are the parts of a split views, and when memory of their own?

A view costs nothing and serves whatever reads strided memory: fused groups, elementwise ops, further slices. Readers
that need rows without gaps, or results that are fetched, would copy each part by itself; where a split has two such
parts or more, all its parts are cut out in one launch instead. Parts that lie without gaps anyway are always views.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ...graph.op_declaration import OPS
from ..execution.bind import Bound, backend_for
from ..planning.plan import Plan, Slot, Step
from .strided_moves import split

_SPLITS: Final = frozenset(("Split", "Unpack"))
_STRIDED: Final = frozenset(("Fused", "Slice", "StridedSlice", "ExpandDims", *_SPLITS))
"""Ops that read memory with gaps as it is."""


def together(plan: Plan, bound: Sequence[Bound]) -> list[Bound]:
    """The bound steps, those splits changed whose parts are better cut out in one launch."""
    found = list(bound)
    for i, step in enumerate(plan.steps):
        if step.op in _SPLITS and step.device == "gpu" and _parts_to_copy(plan, i) > 1:
            found[i] = found[i]._replace(call=_cutting(found[i].call, _value_of(step)))
    return found


def _parts_to_copy(plan: Plan, position: int) -> int:
    """How many parts of a split somebody would copy."""
    wanted: set[Slot] = set(plan.fetches)
    for step in plan.steps[position + 1 :]:
        if not _reads_strided(step):
            wanted.update(step.inputs)
    return len(wanted & set(plan.steps[position].outputs))


def _reads_strided(step: Step) -> bool:
    opdef = OPS.get(step.op)
    return step.op in _STRIDED or (opdef is not None and (opdef.elementwise or opdef.reads_shape_only))


def _value_of(step: Step) -> int:
    """Which of the step's inputs is split: the one whose memory the parts may lie in."""
    (place,) = OPS[step.op].sharing.viewed_by(0)
    return step.inputs.index(step.args[place])


def _cutting(call: Callable[..., Any], at: int) -> Callable[..., Any]:
    def cut(*arrays: Any) -> Any:
        views = call(*arrays)
        if all(v.flags.c_contiguous for v in views):
            return views
        value = arrays[at]
        axis = next(d for d, (a, b) in enumerate(zip(value.shape, views[0].shape, strict=True)) if a != b)
        return split(backend_for("gpu").xp, value, [v.shape[axis] for v in views], axis)

    return cut
