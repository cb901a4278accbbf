"""Kernels of random ops: each call reserves its share of the op's stream in the session, and computes from there."""

from __future__ import annotations

from typing import Any

from ...errors import InternalError
from ...graph.declare.op_declaration import OpDef
from ..base.random_counters import RandomCounters
from ..ir.kernel_protocol import Call, Kernel, RunContext
from ..planning.plan import Step
from .kernel_wrappers import with_arguments


def drawing_kernel(step: Step, opdef: OpDef[Any, Any], kernel: Call, xp: Any) -> Kernel:
    """The kernel of a random op.

    Args:
        step: its step.
        opdef: its op, which has a `draws` rule.
        kernel: takes the array module, a `Position` and the arguments.
        xp: the array module.
    """
    draws = opdef.draws_rule
    remembers = opdef.remembers_rule
    assert draws is not None  # or it would not be a random op
    seed, seed2 = [int(step.args[opdef.parameters.index(name)]) for name in ("seed", "seed2")]

    def in_context(context: RunContext) -> Call:
        counters = RandomCounters() if context.session is None else context.session.random_counters
        stream = counters.stream(context.node, seed, seed2)
        reserve, reserve_and_remember = stream.reserve, stream.reserve_and_remember

        def draw(xp: Any, *args: Any) -> Any:
            return kernel(xp, reserve(draws(*args)), *args)

        if remembers is None:
            return with_arguments(draw, xp, step.args)

        def draw_and_remember(xp: Any, *args: Any) -> Any:
            at = reserve_and_remember(draws(*args), lambda before: remembers(before, *args))
            return kernel(xp, at, *args)

        return with_arguments(draw_and_remember, xp, step.args)

    return Kernel(_without_context, in_context=in_context)


def _without_context(*arrays: Any) -> Any:
    raise InternalError(message="the kernel of a random op was called outside of a session's program")
