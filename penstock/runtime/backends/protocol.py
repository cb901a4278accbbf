"""The protocol of a backend: an array module (`xp`) and the copies between it and the host."""

from __future__ import annotations

from typing import Any, Final, Protocol

from ...graph.shapes.literal import Array


class Backend(Protocol):
    """A device on which kernels run.

    name: its name in device strings.
    xp: the array module that kernels receive.
    array_type: the class of its arrays.
    """

    name: str
    xp: Any
    array_type: type

    def from_host(self, array: Array) -> Any:
        """The array on this device; the same object where the device is the host."""

    def to_host(self, array: Any) -> Array:
        """The array as a NumPy array."""


DLPACK_CUDA: Final = 2
"""The device type of CUDA memory in DLPack."""
