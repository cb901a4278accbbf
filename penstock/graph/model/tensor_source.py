"""Objects that stand for a tensor without being one, such as variables: what calls, fetches and feeds ask them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from .operators import TensorOperators


class TensorSource(TensorOperators):
    """An object that becomes a tensor where a call takes one. Python's operators work on it as on a tensor."""

    __slots__ = ()

    @property
    @abstractmethod
    def element(self) -> Any:
        """The tensor that fetches, feeds and look-ups mean by it. Asking for it adds nothing to the graph."""

    @property
    def any_tensor(self) -> Any:
        """A tensor of its graph and dtype. Asking for it adds nothing to the graph."""
        return self.element

    @abstractmethod
    def as_operand(self) -> Any:
        """The tensor that a call made now reads, which may be a new node."""
