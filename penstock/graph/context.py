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
from .device_names import check_device

if TYPE_CHECKING:
    from .graph import Graph
    from .nodes import Operation, Tensor


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


class Defaults(threading.local):
    """The default graphs of a thread: of its `with` blocks, the innermost last, and the one below all of them."""

    def __init__(self) -> None:
        self.stack: list[Graph] = []
        self.lasting: list[Graph] = []  # those of `stack` that no block entered but an interactive session
        self.base: Graph | None = None


defaults = Defaults()

ONE_GRAPH = (
    "Make all tensors of a call inside one graph's block, and call the op there too: `with x.graph.as_default():`. "
    "To use a value of another graph, run it there and feed it to a placeholder here."
)
"""The cure where a call meets two graphs."""

INNER = (
    "It has a value only while the body runs, as often as the body runs. Return it from the function that makes the "
    "body, and use what the call gives for it."
)
"""The cure where a tensor inside a body is wanted outside."""


def cure_for(element: Tensor | Operation) -> str:
    """What to do where `element` is wanted in another graph."""
    return ONE_GRAPH if element.graph.outer is None else INNER


class Surroundings(threading.local):
    """What the `with` blocks of this thread say about nodes added to one graph."""

    prefix: str = ""  # the name scope with its trailing slash, or ""
    device: str | DeviceFunction = ""
    controls: tuple[Operation, ...] = ()
