"""Where the entries of an index come from that a native block computes itself.

A block tests its indices before its first call, so it must not compute them. But joined, reshaped or repeated indices
are in range if those that they are made of are, and the place of an extreme always is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...graph.declare.op_declaration import OPS
from ..planning.plan import Plan, Slot, Step


class IndexOrigins:
    """The steps that made the arrays of one run."""

    def __init__(self, plan: Plan, slots: Sequence[Any]) -> None:
        self._slots = slots
        self._steps = {id(slots[slot]): step for step in plan.steps for slot in step.outputs}

    def __call__(self, index: Any, passes: Callable[[Any], bool], size: int) -> list[Any] | None:
        """The arrays of which an index has the entries; None if that is not known.

        Args:
            index: an array of the run.
            passes: the test that its entries pass.
            size: what they are less than.
        """
        step = self._steps.get(id(index))
        opdef = None if step is None else OPS.get(step.op)
        if step is None or opdef is None:
            return None
        if opdef.row_rule is not None and opdef.row_rule.takes_places and index.dtype.kind == "i":
            values = self._slots[step.inputs[0]]
            return [] if values.size <= size * index.size else None
        if not opdef.facts.moves:
            return None
        operands = [each for each in self._data(step) if each.dtype == index.dtype]
        return operands if operands and all(passes(each) for each in operands) else None

    def _data(self, step: Step) -> list[Any]:
        """The operands that are no axes or shapes."""
        found: list[Any] = []
        for position, _, operand in OPS[step.op].operands:
            arg = step.args[position]
            if not operand.host:
                found += [self._slots[each] for each in ([arg] if isinstance(arg, Slot) else arg or ())]
        return found
