"""`OnnxOp`: a line of the table of operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..onnx_node import OnnxNode


@dataclass(frozen=True, slots=True)
class OnnxOp:
    """An operator of ONNX and how its nodes are read.

    Attributes:
        name: its name.
        read: the values that a node gives.
        since: the oldest opset whose nodes are read.
        domain: its domain; "" for ai.onnx.
        differs: what differs from ONNX, if something does.
    """

    name: str
    read: Callable[[OnnxNode], Any]
    since: int = 1
    domain: str = ""
    differs: str = ""
