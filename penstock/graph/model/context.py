"""The context of a call, for each thread: the default graph, and the scope, device and control inputs of new nodes.

The default graph is a stack (`defaults`). Scope, device and control inputs belong to a graph, which keeps one
`Surroundings` for each thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ...errors import GraphError
from ..common.quick_dataclass import dataclass
from ..devices.device_names import check_device, merged_device
from ..devices.device_spec import DeviceSpec


@dataclass(frozen=True, slots=True)
class DeviceChain:
    """What the blocks around a call say of devices where one of them gave a function: names and functions.

    They are applied as in TensorFlow, the innermost first: a name fills in what is open so far; a function sees that as
    the device of the operation, and what it gives takes its place.
    """

    parts: tuple[str | Callable[[Any], Any], ...] = ()
    pinned: str = ""
    """The device of a block of `colocate_with`, which decides alone."""

    def choose(self, op: Any) -> str:
        """The device of a new operation.

        Raises:
            TypeError: a function gave something else than a name or None. GraphError: it gave no device's name.
        """
        op.device = self.pinned
        for part in self.parts:
            op.device = merged_device(op.device, part) if isinstance(part, str) else _chosen(part, op)
        found: str = op.device
        return found


def device_inside(device: str | Callable[[Any], Any] | None, outer: str | DeviceChain) -> str | DeviceChain:
    """What holds in a block of `device` inside what holds around it; None forgets the blocks around."""
    if device == "" or (isinstance(outer, DeviceChain) and outer.pinned):
        return outer
    if device is None:
        return ""
    if isinstance(outer, DeviceChain):
        return DeviceChain((device, *outer.parts))
    if isinstance(device, str):
        return merged_device(device, outer)
    return DeviceChain((device, outer) if outer else (device,))


def _chosen(function: Callable[[Any], Any], op: Any) -> str:
    """What a function names for an operation; None leaves what the blocks inside named."""
    device = function(op)
    if device is None:
        before: str = op.device
        return before
    if isinstance(device, DeviceSpec):
        device = device.to_string()
    if not isinstance(device, str):
        raise TypeError(
            f"device({function!r}): for {op.name!r} the function gave {device!r}; it gives a name such as "
            "'/gpu:0', a DeviceSpec, or None to leave the choice to the other blocks"
        )
    try:
        check_device(device)
    except GraphError as error:
        raise GraphError(f"{error.message} (a device function gave it for {op.name!r})") from None
    return merged_device(device, "")


class Defaults(threading.local):
    """The default graphs of a thread: those of its `with` blocks, the innermost last, and the one below all blocks."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.lasting: list[Any] = []  # those of `stack` that an interactive session entered, and no block
        self.base: Any = None


defaults = Defaults()


class Surroundings(threading.local):
    """What the `with` blocks of this thread say about nodes added to one graph."""

    prefix: str = ""  # the name scope with its trailing slash, or ""
    device: str | DeviceChain = ""
    controls: tuple[Any, ...] = ()  # operations
    origins: tuple[Any, ...] = ()  # the lines that new nodes come from, where that is not the line of the call
    overrides: tuple[tuple[str, str], ...] = ()  # type of an op -> name of the gradient that nodes made here have
    variable_scope: Any = None  # the scope of the innermost `variable_scope` block
    root_variable_scope: Any = None  # the scope outside of all of them, once it has been asked for
    opened_scopes: Any = None  # how often each variable scope has been opened
