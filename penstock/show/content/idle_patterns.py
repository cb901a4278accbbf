"""Warnings about patterns of `hide=` that fit no name of what is drawn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from ...graph.common.near_names import did_you_mean
from ...graph.common.source_location import user_stacklevel
from ...graph.model.identity_comparison import MistakeWarning
from .visibility import Visibility


def warn_of_idle_patterns(call: str, names: Sequence[str], patterns: Sequence[str]) -> None:
    """Warns of each pattern that leaves nothing out.

    Args:
        call: the call that the program wrote.
        names: the names of what could be drawn.
        patterns: the patterns of `hide=`.
    """
    for pattern in patterns:
        if not Visibility({}, (pattern,)).leaves_out_any(names):
            scopes = {name[:end] for name in names for end, letter in enumerate(name) if letter == "/"}
            warnings.warn(
                f"{call}(hide={pattern!r}) hides nothing: no node and no scope has such a name"
                f"{did_you_mean(pattern, [*names, *scopes])}. 'tower' hides a scope, 'tower/*' all nodes in it",
                MistakeWarning,
                stacklevel=user_stacklevel(),
            )

