"""`list_devices`: the devices of this machine, and why no GPU is among them."""

from __future__ import annotations

import os

from ...graph.common.quick_dataclass import dataclass
from .cupy_import import cupy_or_reason
from .registry import find_backend


@dataclass(frozen=True, slots=True)
class Device:
    """A device that nodes can run on.

    Attributes:
        name: its device string.
        kind: "cpu" or "gpu".
        description: its model.
        memory: its size in bytes, 0 if unknown.
    """

    name: str
    kind: str
    description: str
    memory: int = 0

    def __str__(self) -> str:
        size = f", {self.memory / 2**30:.0f} GiB" if self.memory else ""
        return f"{self.name}  {self.description}{size}"


class Devices(tuple[Device, ...]):
    """The devices of this machine, a tuple that prints one device a line.

    Attributes:
        missing: why there is no GPU; "" if there is one.
    """

    missing: str = ""

    def __str__(self) -> str:
        lines = [str(d) for d in self]
        return "\n".join([*lines, f"no GPU: {self.missing}"] if self.missing else lines)


def list_devices() -> Devices:
    """The devices on which operations can run; the CPU comes first.

    Returns:
        A tuple of devices, each with a `name`. It prints one a line; `missing` says why there is no GPU, or is "".

    >>> import penstock as tf
    >>> print(tf.list_devices()[0].name)
    /cpu:0
    """
    members = [Device("/cpu:0", "cpu", f"{os.cpu_count()} cores, NumPy", _host_memory())]
    reason = ""
    if find_backend("gpu") is not None:
        module, reason = cupy_or_reason()
        if module is not None:
            for i in range(module.cuda.runtime.getDeviceCount()):
                about = module.cuda.runtime.getDeviceProperties(i)
                text = f"{about['name'].decode()}, CuPy {module.__version__}"
                members.append(Device(f"/gpu:{i}", "gpu", text, about["totalGlobalMem"]))
    else:
        reason = cupy_or_reason()[1]
    devices = Devices(members)
    devices.missing = reason
    return devices


@dataclass(frozen=True, slots=True)
class SessionDevice:
    """A device as `Session.list_devices` gives it.

    Attributes:
        name: its full name.
        device_type: "CPU" or "GPU".
        memory_limit_bytes: its memory.
        incarnation: 0.
    """

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int = 0


def session_devices() -> list[SessionDevice]:
    """The devices of this machine under TensorFlow's full names."""
    found = []
    for device in list_devices():
        kind = device.kind.upper()
        number = device.name.rpartition(":")[2]
        full = f"/job:localhost/replica:0/task:0/device:{kind}:{number}"
        found.append(SessionDevice(full, kind, device.memory))
    return found


def _host_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return 0
