"""Fed arrays on a device: those that a step reads on the host are copied there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backends import backend_of
from ..base.values_elsewhere import is_elsewhere
from .plan import Plan
from .planner import TO_DEVICE


def on_expected_device(plan: Plan, arrays: Sequence[Any]) -> list[Any]:
    """The fed arrays. An array on a device stays there if only copies to that device read it; others go to the host."""
    stays = {slot for _, slot in plan.feeds} - set(plan.fetches)
    for step in plan.steps:
        if step.op != TO_DEVICE:
            stays.difference_update(step.inputs)
    found = []
    for (_, slot), array in zip(plan.user_feeds, arrays, strict=True):
        if array.__class__ is np.ndarray or slot in stays or is_elsewhere(array):
            found.append(array)
        else:
            found.append(backend_of(array).to_host(array))
    return found
