"""Which array modules can compute here?

A kernel is written once against an array module `xp`. A `Backend` names the module, says which arrays are its own, and
moves them. NumPy is always there; CuPy is asked for on first use; others (a test's stand-in) can be registered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import GraphError, InvalidArgumentError
from ...graph.devices import kind_and_number
from ...graph.literal import Array
from ...graph.loading import load
from ..pooled_numpy import XP
from .cupy_door import cupy_or_reason
from .protocol import Backend


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
            load("penstock.runtime.backends.cupy_backend")
            from .cupy_backend import CupyBackend  # loaded where there is a GPU

            found = _registered["gpu"] = CupyBackend(module)
    return found


def on_device(value: Any) -> Any:
    """A fed value that lies on a device, as an array of that device; None if it lies on the host."""
    if value.__class__ is np.ndarray or isinstance(value, (int, float, list, tuple)):
        return None
    for backend in _registered.values():
        if backend is not HOST and isinstance(value, backend.array_type):
            return value
    if hasattr(value, "__cuda_array_interface__") or (
        hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] == DLPACK_CUDA
    ):
        gpu = find_backend("gpu")
        adopt = getattr(gpu, "adopt", None)
        return adopt(value) if adopt is not None else None
    return None


def backend_of(array: Any) -> Backend:
    """The backend whose array it is."""
    return next((b for b in _registered.values() if isinstance(array, b.array_type)), HOST)


DLPACK_CUDA = 2
"""What DLPack calls the memory of an NVIDIA GPU."""


def backend_name(device: str, session: str = "cpu") -> str:
    """The backend a device string asks for: "/gpu:0", "/device:GPU:0", "/job:x/task:0/gpu:0" and "gpu" are "gpu".

    session: the device of the session, for strings that name none ("", "/job:x/task:0").

    Raises:
        InvalidArgumentError: it is not the name of a device.
    """
    return wanted(device, session)[0]


def wanted(device: str, session: str = "cpu") -> tuple[str, int | None]:
    """The backend as `backend_name` says it, and the number of the device, None where any will do."""
    try:
        kind, number = kind_and_number(device)
        return (kind, number) if kind else kind_and_number(session)
    except GraphError:  # a file brought it in: whoever calls tf.device is told there and then
        raise InvalidArgumentError(
            message=f"device {device!r} names no device; write '/cpu:0', '/gpu:0' or '/device:GPU:0'"
        ) from None


def missing_reason(name: str) -> str:
    """Why `find_backend(name)` is None, in one sentence that says what to install."""
    if name == "gpu":
        return cupy_or_reason()[1]
    return f"no backend is called {name!r}; there are {', '.join(_registered)}"
