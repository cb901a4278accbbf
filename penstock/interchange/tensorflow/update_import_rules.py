"""Import rules of updates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .foreign_node import ForeignNode

UPDATE_NODES: dict[str, Callable[[ForeignNode], Any]] = {}
