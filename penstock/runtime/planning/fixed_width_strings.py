"""Fed strings that may stay in a fixed-width NumPy array.

A string tensor is an array of Python bytes objects, and a fed array of dtype "S" or "U" is converted to one: 60 ms for
1e6 objects (220 ms from "U"). The conversion is skipped if every op that reads the feed also reads fixed-width strings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.declare.op_declaration import OPS
from .plan import Plan, Step


def fixed_width_feeds(plan: Plan) -> frozenset[int]:
    """The positions of the feeds that may stay arrays of fixed-width strings."""
    return frozenset([i for i, (_, slot) in enumerate(plan.user_feeds) if _may_stay(plan, slot)])


def _may_stay(plan: Plan, slot: Any) -> bool:
    if not plan.slots[slot].dtype.is_string or slot in plan.fetches:
        return False
    readers = [step for step in plan.steps if slot in step.inputs]
    return bool(readers) and all(_reads_fixed_width(step) for step in readers)


def _reads_fixed_width(step: Step) -> bool:
    opdef = OPS.get(step.op)  # None for a copy between devices
    return step.kernel is None and opdef is not None and opdef.facts.reads_fixed_width


def is_fixed_width(value: Any) -> bool:
    """True if a fed value is an array of fixed-width strings that can all be encoded as UTF-8."""
    if value.__class__ is not np.ndarray or not value.dtype.isnative or value.size == 0:
        return False
    if value.dtype.kind == "S":
        return True
    if value.dtype.kind != "U" or not value.flags.c_contiguous or value.dtype.itemsize == 0:
        return False
    codes = value.reshape(-1).view(np.uint32)
    return not bool(((codes >> 11) == 0x1B).any())  # `str.encode` refuses halves of surrogate pairs
