"""A Python function as an attribute of an operation, as `py_func` has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class PythonFunction:
    """The function of a node. Two are equal if the functions are the same object; the text has no address."""

    function: Callable[..., Any]

    def __repr__(self) -> str:
        return getattr(self.function, "__qualname__", None) or type(self.function).__qualname__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PythonFunction) and other.function is self.function

    def __hash__(self) -> int:
        return id(self.function)
