"""What will probably be fed to the run after the one that has begun, for sessions that can send it ahead."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

ComingFeeds: TypeAlias = Callable[[], dict[int, Any]]
"""Gives arrays by the places of their feeds; the next run is fed with the very same arrays, or with others."""

COMING_FEEDS: Final[ContextVar[ComingFeeds | None]] = ContextVar("COMING_FEEDS", default=None)
