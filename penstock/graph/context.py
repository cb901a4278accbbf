"""Where does a call add its node: which graph, scope, device, after which operations?

All of it is per thread. The default graph is a stack; scope, device and control inputs belong to a graph and are kept
by it, one `Surroundings` per thread and graph.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import GraphError
from .devices import check_device

if TYPE_CHECKING:
    from .operation import Operation


@dataclass(frozen=True, slots=True)
class DeviceFunction:
    """A function that names the device of each operation; "" or None leaves it to the block around."""

    function: Callable[[Any], str | None]
    outer: str | DeviceFunction

    def choose(self, op: Operation) -> str:
        """The device of a new operation.

        Raises:
            TypeError: the function gave something else than a name or None. GraphError: it gave no device's name.
        """
        found = self.function(op)
        if not found:
            return self.outer if isinstance(self.outer, str) else self.outer.choose(op)
        if not isinstance(found, str):
            raise TypeError(
                f"device({self.function!r}): for {op.name!r} the function gave {found!r}; it gives a name such as "
                "'/gpu:0', or None to leave the choice to the block around"
            )
        try:
            check_device(found)
        except GraphError as error:
            raise GraphError(f"{error.message} (a device function gave it for {op.name!r})") from None
        return found


class Surroundings(threading.local):
    """What the `with` blocks of this thread say about nodes added to one graph."""

    prefix: str = ""  # the name scope with its trailing slash, or ""
    device: str | DeviceFunction = ""
    controls: tuple[Operation, ...] = ()
