"""What do the `with` blocks do: name scopes, devices, control dependencies, the default graph?

Each changes one field of the thread's `Surroundings` on entry and puts the old value back on exit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..errors import GraphError
from .context import DeviceFunction, defaults
from .devices import check_device

if TYPE_CHECKING:
    from .graph import Graph
    from .operation import Operation

Show = Literal["open", "collapsed", "hidden"]
SHOWS: tuple[str, ...] = get_args(Show)
"""How pictures can show a scope: open as long as there is room at all, as one box, or not."""


class _Block:
    """Enter and leave: remembers what to put back. Blocks nest and may be entered again."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._saved: list[Any] = []

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore(self._saved.pop())

    def _restore(self, saved: Any) -> None:
        raise NotImplementedError


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
        self.name = surroundings.prefix = prefix
        if self._show is not None:
            self._graph.show_scope(prefix[:-1], self._show)
        return prefix

    def _restore(self, saved: str) -> None:
        self._graph.surroundings.prefix = saved


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
        surroundings.device = chosen if isinstance(chosen, str) else DeviceFunction(chosen, outer)
        return surroundings.device

    def _restore(self, saved: str | DeviceFunction) -> None:
        self._graph.surroundings.device = saved


class ControlDependencies(_Block):
    """`with tf.control_dependencies([a, b]):`: nodes made inside run after a and b; None forgets the blocks around."""

    def __init__(self, graph: Graph, operations: Iterable[Operation] | None) -> None:
        super().__init__(graph)
        self._operations = None if operations is None else tuple(operations)

    def __enter__(self) -> ControlDependencies:
        surroundings = self._graph.surroundings
        self._saved.append(surroundings.controls)
        if self._operations is None:
            surroundings.controls = ()
        else:
            surroundings.controls = tuple(dict.fromkeys(surroundings.controls + self._operations))
        return self

    def _restore(self, saved: tuple[Operation, ...]) -> None:
        self._graph.surroundings.controls = saved


class DefaultGraph:
    """`with graph.as_default():`: the graph is the thread's default inside."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._saved: list[int] = []

    def __enter__(self) -> Graph:
        self._saved.append(len(defaults.stack))
        defaults.stack.append(self._graph)
        return self._graph

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stack, depth = defaults.stack, self._saved.pop()
        in_order = len(stack) <= depth + 1
        del stack[depth:]  # also what an interrupted block inside left behind
        if not in_order and kind is None:
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
