"""Calls of compiled code that write results over operands: new values of variables, in the memory of the old ones.

They are calls of a ufunc on checked operands, which the run makes at its end: see `base.pending_writes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

from ...graph.shapes.dtypes import bfloat16
from ..base.pending_writes import PendingWrites
from ..base.thread_pool import threads_for
from ..memory.buffer_pool import POOL
from .compiled_code import BITS, CompiledCode
from .compiled_run import LaunchPlan


def run_over(
    writes: PendingWrites, launch: LaunchPlan, code: CompiledCode, inputs: Sequence[Any], places: Sequence[Any]
) -> list[Any] | None:
    """The results, those with a place to be written there: see `Kernel.over`. None if the code cannot do that, or it
    would take too long.

    Args:
        writes: the writes of the run.
        launch: the launch plan.
        code: its code.
        inputs: the operands.
        places: for each result an operand that it may overwrite, or None.
    """
    if launch.ends.tails or not launch.is_flat(inputs):
        return None
    outputs = [int(o) for o in launch.body.outputs]
    helpers = threads_for(launch.seconds)
    if sorted(outputs) != sorted(launch.made) or not writes.may_add(launch.seconds, helpers):
        return None
    place_of = dict(zip(outputs, places, strict=True))
    values = {}
    for v, dtype in zip(launch.made, launch.outputs, strict=True):
        place = place_of[v]
        values[v] = POOL.empty(launch.whole, dtype.np) if place is None else place
    given = [x.view(BITS) if x.dtype == bfloat16.np else x for x in (*inputs, *values.values())]
    if helpers <= 1:
        writes.calls.append(partial(code.ufunc, *given))
        return [values[v] for v in outputs]
    given = [x.reshape(()) if x.size == 1 else x.reshape(-1) for x in given]
    length = prod(launch.whole)
    shares = min(length, helpers)
    cuts = [slice(length * k // shares, length * (k + 1) // shares) for k in range(shares)]
    writes.calls += [partial(code.ufunc, *[x[cut] if x.ndim else x for x in given]) for cut in cuts]
    return [values[v] for v in outputs]
