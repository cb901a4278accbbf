"""Values that stand for arrays in other processes: variables and parts of feeds of a cluster's session."""

from __future__ import annotations

from typing import Any


def is_elsewhere(value: Any) -> bool:
    """Whether a value only stands for an array that lies in another process. Such a value never changes."""
    return getattr(value, "is_remote", False) is True
