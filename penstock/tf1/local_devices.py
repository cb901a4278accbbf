"""`tensorflow.python.client.device_lib`: the devices of this machine as programs list them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import list_devices

__all__ = ["list_local_devices"]


@dataclass(frozen=True, slots=True)
class _LocalDevice:
    """What programs read of a device: its name, as in `/device:CPU:0`, and its type."""

    name: str
    device_type: str
    physical_device_desc: str = ""


def list_local_devices(session_config: Any = None) -> list[Any]:
    """The devices of this machine, each with a `name` and a `device_type`, CPU or GPU.

    >>> [device.device_type for device in list_local_devices()][0]
    'CPU'
    """
    found = []
    for device in list_devices():
        kind, _, number = device.name.strip("/").partition(":")
        found.append(_LocalDevice(f"/device:{kind.upper()}:{number}", kind.upper(), str(device)))
    return found
