"""The `with` blocks: name scopes, devices, control dependencies, the default graph.

Each changes one field of the thread's `Surroundings` on entry and puts the old value back on exit. Ctrl-C may come at
each call, so entering ends with the change and leaving begins with putting back, both plain assignments. The one
moment that is left, between a block and the first line of its `__exit__`, is made good by the block of the default
graph around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..errors import GraphError
from .context import DeviceFunction, defaults
from .device_names import check_device

if TYPE_CHECKING:
    from .graph import Graph
    from .nodes import Operation

Show = Literal["open", "collapsed", "hidden"]
SHOWS: tuple[str, ...] = get_args(Show)
"""How pictures can show a scope: open as long as there is room at all, as one box, or not."""


class _Block:
    """What blocks have in common: they remember what to put back, nest, and may be entered again."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._saved: list[Any] = []


class NameScope(_Block):
    """`with tf.name_scope("tower") as scope:`: nodes made inside are called `tower/...`.

    A name already taken gets `_1`. `scope` is "tower/"; a name with a trailing slash, or the block object itself,
    enters the same scope again. None or "" leaves all scopes. `show` says how pictures show the scope, until another
    block of the same scope says otherwise.
    """

    def __init__(self, graph: Graph, name: str | NameScope | None, show: Show | None = None) -> None:
        super().__init__(graph)
        if isinstance(name, NameScope):
            if name._graph is not graph:
                raise GraphError(f"name_scope: the scope object belongs to {name._graph}, the default graph is {graph}")
            name = name.name
        if name is None:
            name = ""
        if not isinstance(name, str) or name:
            graph.check_name(name)
        self._asked = name
        self._show = checked_show(self._asked, show)
        self.name: str = ""

    def __enter__(self) -> str:
        surroundings = self._graph.surroundings
        self._saved.append(surroundings.prefix)
        if not self._asked:
            prefix = ""
        elif self._asked[-1] == "/":
            prefix = self._asked
        elif self.name:  # the object is entered again
            prefix = self.name
        else:
            prefix = self._graph.claim_scope(self._asked) + "/"
        if self._show is not None:
            self._graph.show_scope(prefix[:-1], self._show)
        self.name = surroundings.prefix = prefix
        return prefix

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._graph.surroundings.prefix = self._saved[-1]
        self._saved.pop()


def checked_show(name: str, show: Any) -> Show | None:
    """`show` of the scope `name`.

    Raises:
        GraphError (a ValueError): it is none of `SHOWS`, or there is no scope to show.
    """
    if show is None:
        return None
    if show not in SHOWS:
        raise GraphError(f"name_scope({name!r}, show={show!r}): pictures do not know this; show is 'open', "
                         "'collapsed' or 'hidden'. Leave it out for what `depth` and the room decide")  # fmt: skip
    if not name:
        raise GraphError(f"name_scope(None, show={show!r}): this block leaves all scopes; there is none to show. "
                         "Give the scope's name; for part of a graph write graph.export(path, hide=[...])")  # fmt: skip
    found: Show = show
    return found


class DeviceScope(_Block):
    """`with tf.device("/gpu:0"):`: nodes made inside ask for that device; the innermost block decides."""

    def __init__(self, graph: Graph, device: str | Callable[..., Any] | None) -> None:
        super().__init__(graph)
        if device is not None and not isinstance(device, str) and not callable(device):
            raise TypeError(
                f"device({device!r}): a device is a name such as '/gpu:0', a function from an operation to one, or None"
            )
        if isinstance(device, str):
            check_device(device)
            device = device if device.strip("/") else ""
        self._device = device or ""

    def __enter__(self) -> str | DeviceFunction:
        surroundings = self._graph.surroundings
        outer = surroundings.device
        self._saved.append(outer)
        chosen = self._device
        device = chosen if isinstance(chosen, str) else DeviceFunction(chosen, outer)
        surroundings.device = device
        return device

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._graph.surroundings.device = self._saved[-1]
        self._saved.pop()


class ControlDependencies(_Block):
    """`with tf.control_dependencies([a, b]):`: nodes made inside run after a and b; None forgets the blocks around."""

    def __init__(self, graph: Graph, operations: Iterable[Operation] | None) -> None:
        super().__init__(graph)
        self._operations = None if operations is None else tuple(operations)

    def __enter__(self) -> ControlDependencies:
        surroundings = self._graph.surroundings
        self._saved.append(surroundings.controls)
        inside = () if self._operations is None else tuple(dict.fromkeys(surroundings.controls + self._operations))
        surroundings.controls = inside
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._graph.surroundings.controls = self._saved[-1]
        self._saved.pop()


class DefaultGraph:
    """`with graph.as_default():`: the graph is the thread's default inside."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._saved: list[tuple[int, str, str | DeviceFunction, tuple[Operation, ...]]] = []

    def __enter__(self) -> Graph:
        around, stack = self._graph.surroundings, defaults.stack
        self._saved.append((len(stack), around.prefix, around.device, around.controls))
        stack += [self._graph]  # no call: see above
        return self._graph

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stack, around = defaults.stack, self._graph.surroundings
        depth, prefix, device, controls = self._saved[-1]
        mine = stack[depth:]
        del stack[depth:]  # also what an interrupted block inside left behind
        around.prefix, around.device, around.controls = prefix, device, controls
        self._saved.pop()
        if not mine and kind is None:  # the block around ended before, and took this one with it
            raise GraphError("as_default: `with` blocks must end in the reverse order of their beginning")

    def enter_for_long(self) -> None:
        """Become the default without being a block, as an interactive session does; until `withdraw`."""
        defaults.lasting.append(self._graph)
        defaults.stack.append(self._graph)

    def withdraw(self) -> None:
        """Undo `enter_for_long`, whatever was entered since."""
        for graphs in (defaults.stack, defaults.lasting):
            for position in reversed(range(len(graphs))):
                if graphs[position] is self._graph:
                    del graphs[position]
                    break
