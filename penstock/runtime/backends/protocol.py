"""What must an array module offer, so that plans run on it?"""

from __future__ import annotations

from typing import Any, Protocol

from ...graph.literal import Array


class Backend(Protocol):
    """A place where kernels run.

    name: what device strings call it. xp: what kernels get as array module. array_type: the class of its arrays.
    """

    name: str
    xp: Any
    array_type: type

    def from_host(self, array: Array) -> Any:
        """The array on this device; the same object where the device is the host."""

    def to_host(self, array: Any) -> Array:
        """The array as NumPy's."""
