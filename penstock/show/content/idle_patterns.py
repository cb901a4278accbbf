"""Warnings about patterns of `hide=` that fit no name of what is drawn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ...graph.common.near_names import did_you_mean
from ...graph.common.source_location import user_stacklevel
from ...graph.model.identity_comparison import MistakeWarning
from ...runtime.observe.run_record import RunRecord
from ...runtime.planning.plan import Plan
from .from_plan import picture_of_plan
from .nested_graphs import with_insides
from .visibility import Visibility


def warn_of_idle_patterns(call: str, drawn: Any, patterns: Sequence[str]) -> None:
    """Warns of each pattern that leaves nothing out.

    Args:
        call: the call that the program wrote.
        drawn: a graph or a stage, a plan, or a record.
        patterns: the patterns of `hide=`.
    """
    if not patterns:
        return
    names = _names(drawn)
    for pattern in patterns:
        if not Visibility({}, (pattern,)).leaves_out_any(names):
            scopes = {name[:end] for name in names for end, letter in enumerate(name) if letter == "/"}
            warnings.warn(
                f"{call}(hide={pattern!r}) hides nothing: no node and no scope has such a name"
                f"{did_you_mean(pattern, [*names, *scopes])}. 'tower' hides a scope, 'tower/*' all nodes in it",
                MistakeWarning,
                stacklevel=user_stacklevel(),
            )


def _names(drawn: Any) -> list[str]:
    if isinstance(drawn, (Plan, RunRecord)):
        plan = drawn.plan if isinstance(drawn, RunRecord) else drawn
        return [box.id for box in picture_of_plan(plan, constants="boxes").boxes]
    return [op.name for op in with_insides(drawn.get_operations())]
