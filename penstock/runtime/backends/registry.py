"""The registry of backends: NumPy, CuPy where there is a GPU, and those that a test registers.

A kernel is written once for any array module `xp`. A `Backend` names its module, recognises its arrays and copies them.
CuPy is imported on first use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import GraphError, InvalidArgumentError
from ...graph.common.lazy_import import load
from ...graph.devices.device_names import kind_and_number
from ...graph.shapes.literal import Array
from ..memory.pooled_numpy import XP
from .cupy_import import cupy_or_reason
from .protocol import DLPACK_CUDA, Backend


class NumpyBackend:
    """The CPU: NumPy, whose new arrays take memory from the pool."""

    name = "cpu"
    xp: Any = XP
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
    """Add a backend under its name, or replace the one of that name."""
    _registered[backend.name] = backend


def find_backend(name: str) -> Backend | None:
    """The backend of that name, or None if this machine cannot use it."""
    found = _registered.get(name)
    if found is None and name == "gpu":
        module, _ = cupy_or_reason()
        if module is not None:
            load("penstock.runtime.backends.cupy_backend")
            from .cupy_backend import CupyBackend  # loaded only where there is a GPU

            found = _registered["gpu"] = CupyBackend(module)
    return found


def known_backends() -> list[str]:
    """The names of all backends, also of those that this machine has no device for."""
    return list(dict.fromkeys([*_registered, "gpu"]))


def on_device(value: Any) -> Any:
    """A fed value that is on a device, as an array of that device; None if it is on the host."""
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
    """The backend that an array belongs to."""
    return next((b for b in _registered.values() if isinstance(array, b.array_type)), HOST)


def backend_name(device: str, session: str = "cpu") -> str:
    """The backend a device string asks for: "/gpu:0", "/device:GPU:0", "/job:x/task:0/gpu:0" and "gpu" are "gpu".

    session: the device of the session, for strings that name none ("", "/job:x/task:0").

    Raises:
        InvalidArgumentError: the string does not name a device.
    """
    return requested_device(device, session)[0]


def requested_device(device: str, session: str = "cpu") -> tuple[str, int | None]:
    """The backend as in `backend_name`, and the number of the device, None if the string gives no number."""
    try:
        kind, number = kind_and_number(device)
        return (kind, number) if kind else kind_and_number(session)
    except GraphError:  # from a loaded file; tf.device checks its argument itself
        raise InvalidArgumentError(
            message=f"device {device!r} names no device; write '/cpu:0', '/gpu:0' or '/device:GPU:0'"
        ) from None


def missing_reason(name: str) -> str:
    """Why `find_backend(name)` is None, in one sentence that says what to install."""
    if name == "gpu":
        return cupy_or_reason()[1]
    return f"no backend is called {name!r}; there are {', '.join(_registered)}"
