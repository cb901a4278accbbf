"""Where do kernels run? Array modules behind one protocol."""

from .devices import Device, list_devices
from .protocol import Backend
from .registry import HOST, NumpyBackend, backend_name, find_backend, missing_reason, register_backend

__all__ = [
    "HOST", "Backend", "Device", "NumpyBackend", "backend_name", "find_backend", "list_devices", "missing_reason",
    "register_backend",
]  # fmt: skip
