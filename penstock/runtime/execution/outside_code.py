"""Code from outside the package in a run: kernels of extensions, and hooks that a user is called back by.

Our own kernels run in a prepared context (runtime.base.fp_context), which knows nothing of the caller's. What comes
from outside is called as any function is: in the caller's context, whose ContextVars it sees and may set. So a program
with such steps does not enter the prepared context once for the whole run but once for each of our own steps (0.2 us);
other programs pay nothing. A kernel finds NumPy's warnings off, and what it says by `np.seterr` ends with the call; a
hook has the caller's error state. Where a helper thread does the work, it is in a copy of the caller's context.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..base.fp_context import quietly
from ..base.thread_pool import limited
from ..planning.plan import Plan, is_outside
from .bind import Bound
from .nested_runs import Guard

Call = Callable[..., Any]
R = TypeVar("R")

def straight(function: Callable[..., R], *args: Any) -> R:
    """`function(*args)`: what `quietly` is for a program that runs in the caller's context."""
    return function(*args)


def each_apart(bound: Sequence[Bound], plan: Plan, threads: int | None) -> list[Bound]:
    """The bound steps for a run in the caller's context: ours enter the prepared one, each for itself."""
    found = []
    for each, step in zip(bound, plan.steps, strict=True):
        is_foreign = is_outside(step)
        into = each.into
        if is_foreign:
            guard = Guard(f'the kernel of node "{step.node}"')
            call = guard.around(each.call, quiet=True)
            into = None if into is None else guard.around(into, quiet=True)
        else:
            call = _apart(each.call, threads)
            into = None if into is None else _apart(into, threads)
        found.append(each._replace(call=call, into=into))
    return found


def _apart(call: Call, threads: int | None) -> Call:
    def in_prepared(*arrays: Any) -> Any:
        return quietly(call, *arrays)

    def in_prepared_limited(*arrays: Any) -> Any:
        def within_limit() -> Any:
            with limited(threads):
                return call(*arrays)

        return quietly(within_limit)

    return in_prepared if threads is None else in_prepared_limited
