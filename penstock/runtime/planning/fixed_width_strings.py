"""Which fed strings may stay in an array of fixed width?

A string tensor is an array of Python's bytes objects, and a fed array of dtype "S" or "U" becomes one: 1e6 objects take
60 ms (220 of "U"). Where an op reads strings of fixed width too, and nobody else sees what is fed, that is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.op_declaration import OPS
from .plan import Plan, Step


def packed_feeds(plan: Plan) -> frozenset[int]:
    """The positions of the feeds that are read by such ops only."""
    return frozenset([i for i, (_, slot) in enumerate(plan.feeds) if _may_stay(plan, slot)])


def _may_stay(plan: Plan, slot: Any) -> bool:
    if not plan.slots[slot].dtype.is_string or slot in plan.fetches:
        return False
    readers = [step for step in plan.steps if slot in step.inputs]
    return bool(readers) and all(_reads_packed(step) for step in readers)


def _reads_packed(step: Step) -> bool:
    opdef = OPS.get(step.op)  # a copy between devices is no op
    return step.kernel is None and opdef is not None and opdef.reads_packed


def is_packed(value: Any) -> bool:
    """Whether a fed value is an array of such strings, each of which can be written as UTF-8."""
    if value.__class__ is not np.ndarray or not value.dtype.isnative or value.size == 0:
        return False
    if value.dtype.kind == "S":
        return True
    if value.dtype.kind != "U" or not value.flags.c_contiguous or value.dtype.itemsize == 0:
        return False
    codes = value.reshape(-1).view(np.uint32)
    return not bool(((codes >> 11) == 0x1B).any())  # no half of a surrogate pair, which `str.encode` refuses
