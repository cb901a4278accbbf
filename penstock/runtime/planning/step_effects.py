"""The effects of a plan's steps, for parallel execution, captures, profiles and fallbacks.

Copies between devices have no effects. A step with a replaced kernel has the effects of its op.
"""

from __future__ import annotations

from ...graph.effects import PURE, Effects, effects_of_call
from ...graph.op_declaration import OPS
from .plan import Plan, Step


def effects_of_step(step: Step) -> Effects:
    """The resources that the step reads and writes, besides its operands and results."""
    opdef = OPS.get(step.op)
    return PURE if opdef is None or opdef.is_pure else effects_of_call(opdef, step.args)


def first_that_may_not_repeat(plan: Plan) -> Step | None:
    """The first step that may not be repeated; None if a run may be repeated."""
    for step in plan.steps:
        if not effects_of_step(step).may_repeat:
            return step
    return None
