"""User code in a run: kernels of extensions, and hooks.

The package's own kernels run in a prepared context (runtime.base.fp_context) that does not inherit the caller's. User
code runs in the caller's context, whose ContextVars it sees and may set. A program with such steps therefore enters the
prepared context once for each of the package's steps (0.2 us) instead of once for the whole run. A user's kernel finds
NumPy's warnings off, and its `np.seterr` ends with the call; a hook has the caller's error state. A helper thread runs
in a copy of the caller's context.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..base.fp_context import in_quiet_context
from ..base.thread_pool import thread_limit
from ..base.user_results import keeping
from ..planning.plan import Plan, Step, is_user_code
from .bind import BoundStep
from .nested_runs import RecursionGuard

Call = Callable[..., Any]
R = TypeVar("R")

def in_caller_context(function: Callable[..., R], *args: Any) -> R:
    """`function(*args)`; takes the place of `in_quiet_context` in a program that runs in the caller's context."""
    return function(*args)


def with_caller_context(bound: Sequence[BoundStep], plan: Plan, threads: int | None) -> list[BoundStep]:
    """The bound steps for a run in the caller's context; each step of the package enters the prepared context."""
    return [step_in_caller_context(each, step, threads) for each, step in zip(bound, plan.steps, strict=True)]


def step_in_caller_context(bound: BoundStep, step: Step, threads: int | None) -> BoundStep:
    """One of `with_caller_context`."""
    into = bound.into
    if is_user_code(step):
        guard = RecursionGuard(f'the kernel of node "{step.node}"')
        call = keeping(step.node, guard.around(bound.call, quiet=True))
        into = None if into is None else guard.around(into, quiet=True)
    else:
        call = _in_prepared_context(bound.call, threads)
        into = None if into is None else _in_prepared_context(into, threads)
    return bound._replace(call=call, into=into)


def _in_prepared_context(call: Call, threads: int | None) -> Call:
    def in_prepared(*arrays: Any) -> Any:
        return in_quiet_context(call, *arrays)

    def in_prepared_limited(*arrays: Any) -> Any:
        def within_limit() -> Any:
            with thread_limit(threads):
                return call(*arrays)

        return in_quiet_context(within_limit)

    return in_prepared if threads is None else in_prepared_limited
