"""The effects of the steps of a plan: what parallel execution, captures, profiles and fallbacks ask.

Copies between devices, which are no ops, have none. A step whose kernel was replaced has those of its op.
"""

from __future__ import annotations

from ...graph.effects import PURE, Effects, effects_of_call
from ...graph.op_declaration import OPS
from .plan import Plan, Step


def effects_of_step(step: Step) -> Effects:
    """What the step touches besides its operands and results."""
    opdef = OPS.get(step.op)
    return PURE if opdef is None or opdef.is_pure else effects_of_call(opdef, step.args)


def first_that_may_not_repeat(plan: Plan) -> Step | None:
    """The first step for which a run may not be done twice; None if every one may."""
    for step in plan.steps:
        if not effects_of_step(step).may_repeat:
            return step
    return None
