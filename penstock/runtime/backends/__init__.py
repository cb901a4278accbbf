"""Backends: the array modules on which kernels run."""

from .devices import Device, list_devices
from .protocol import Backend
from .registry import (
    HOST,
    NumpyBackend,
    backend_name,
    backend_of,
    find_backend,
    known_backends,
    missing_reason,
    on_device,
    register_backend,
    requested_device,
)

__all__ = [
    "HOST", "Backend", "Device", "NumpyBackend", "backend_name", "backend_of", "find_backend", "known_backends",
    "list_devices", "missing_reason", "on_device", "register_backend", "requested_device",
]  # fmt: skip
