"""Which array modules can compute, and how do arrays move between them and the host?

A kernel is written once against an array module `xp`. A `Backend` names the module, says which arrays are its own, and
moves them. NumPy is always there; CuPy is asked for on first use; others (a test's stand-in) can be registered.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..errors import InvalidArgumentError
from ..graph.literal import Array
from .cupy_door import cupy_or_reason
from .pooled_numpy import XP


class Backend(Protocol):
    """A place where kernels run."""

    name: str
    xp: Any
    array_type: type

    def from_host(self, array: Array) -> Any:
        """The array on this device; the same object where the device is the host."""

    def to_host(self, array: Any) -> Array:
        """The array as NumPy's."""


class NumpyBackend:
    """The CPU."""

    name = "cpu"
    xp: Any = XP  # NumPy, with the memory of new arrays from the pool
    array_type: type = np.ndarray

    def from_host(self, array: Array) -> Array:
        """Itself: NumPy arrays live here."""
        return array

    def to_host(self, array: Array) -> Array:
        """Itself: NumPy arrays live here."""
        return array


class CupyBackend:
    """An NVIDIA GPU, by CuPy."""

    name = "gpu"

    def __init__(self, cupy: Any) -> None:
        self.xp = cupy
        self.array_type: type = cupy.ndarray

    def from_host(self, array: Array) -> Any:
        """Copy to the device."""
        return self.xp.asarray(array)

    def to_host(self, array: Any) -> Array:
        """Copy from the device."""
        host: Array = self.xp.asnumpy(array)
        return host


HOST = NumpyBackend()
_registered: dict[str, Backend] = {"cpu": HOST}


def register_backend(backend: Backend) -> None:
    """Make a backend known under its name; a test's stand-in enters here."""
    _registered[backend.name] = backend


def find_backend(name: str) -> Backend | None:
    """The backend of that name, or None if it cannot be had on this machine."""
    found = _registered.get(name)
    if found is None and name == "gpu":
        module, _ = cupy_or_reason()
        if module is not None:
            found = _registered["gpu"] = CupyBackend(module)
    return found


def backend_name(device: str) -> str:
    """The backend a device string asks for: "/gpu:0", "/device:GPU:0", "/job:x/task:0/gpu:0" and "gpu" are "gpu".

    Raises:
        InvalidArgumentError: the string names no kind of device.
    """
    last = device.rstrip("/").rsplit("/", 1)[-1].lower()
    kind, *number = last.removeprefix("device:").split(":")
    if not kind.isidentifier() or len(number) > 1 or any(not n.isdigit() and n != "*" for n in number):
        raise InvalidArgumentError(
            message=f"device {device!r} names no device; write '/cpu:0', '/gpu:0' or '/device:GPU:0'"
        )
    return kind


def missing_reason(name: str) -> str:
    """Why `find_backend(name)` is None, in one sentence that says what to install."""
    if name == "gpu":
        return cupy_or_reason()[1]
    return f"no backend is called {name!r}; there are {', '.join(_registered)}"
