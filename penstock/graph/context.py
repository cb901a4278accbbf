"""The context of a call, for each thread: the default graph, and the scope, device and control inputs of new nodes.

The default graph is a stack (`defaults`). Scope, device and control inputs belong to a graph, which keeps one
`Surroundings` for each thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import GraphError
from .device_names import check_device


@dataclass(frozen=True, slots=True)
class DeviceFunction:
    """A function that names the device of each operation; "" or None leaves it to the block around."""

    function: Callable[[Any], str | None]
    outer: str | DeviceFunction

    def choose(self, op: Any) -> str:
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
    device: str | DeviceFunction = ""
    controls: tuple[Any, ...] = ()  # operations
    origins: tuple[Any, ...] = ()  # the lines that new nodes come from, where that is not the line of the call
    overrides: tuple[tuple[str, str], ...] = ()  # type of an op -> name of the gradient that nodes made here have
    variable_scope: Any = None  # the scope of the innermost `variable_scope` block
    root_variable_scope: Any = None  # the scope outside of all of them, once it has been asked for
    opened_scopes: Any = None  # how often each variable scope has been opened
