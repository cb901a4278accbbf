"""Import rules of nodes that only belong to TensorFlow's control flow, outside of conditionals and loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .foreign_node import ForeignNode

FLOW_NODES: dict[str, Callable[[ForeignNode], Any]] = {
    "ControlTrigger": lambda s: s.add("NoOp"),
}
