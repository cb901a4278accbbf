"""The `with` blocks: name scopes, devices, control dependencies, the default graph.

Each changes one field of the thread's `Surroundings` on entry and puts the old value back on exit. Ctrl-C may come at
each call, so entering ends with the change and leaving begins with putting back, both plain assignments. The one
moment that is left, between a block and the first line of its `__exit__`, is made good by the block of the default
graph around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, Literal, Self, TypeVar, get_args

from ...errors import GraphError
from ..common.tracebacks import hides_frames
from ..devices.device_names import check_device, merged_device
from ..devices.device_spec import DeviceSpec
from .context import DeviceChain, Surroundings, defaults, device_inside
from .journal import Journal, entry
from .names import NameTable, check_name

Show = Literal["open", "folded", "collapsed", "hidden"]
SHOWS: tuple[str, ...] = get_args(Show)
"""How pictures can show a scope: open as long as there is room at all, as one box unless a depth is given, as one box,
or not."""


class GraphScopes:
    """The part of a `Graph` that gives names to nodes and opens `with` blocks."""

    surroundings: Surroundings
    names: NameTable
    scope_shows: dict[str, Show]
    journal: Journal
    lock: Any
    root_prefix = ""
    """The prefix outside of all scopes; in the graph of a body the body's own, so that names are unique everywhere."""

    @hides_frames
    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name for an operation inside the current name scope: `name`, or `name_1`, `name_2` ... if it is taken.

        Args:
            name: the name asked for.
            mark_as_used: False leaves the name free for the next call.

        Returns:
            The name, with that of the scope before it.

        Raises:
            TypeError: `name` is not a string.

        >>> import penstock as tf
        >>> g = tf.Graph()
        >>> g.unique_name("a"), g.unique_name("a"), g.unique_name("A")
        ('a', 'a_1', 'A_2')
        """
        with self.lock:
            return self.names.unique(self.surroundings.prefix + name, mark_as_used)

    @hides_frames
    def name_scope(self, name: str | NameScope | None, show: Show | None = None) -> NameScope:
        """A `with` block in which the names of new operations begin with `name/`; see `penstock.name_scope`.

        Args:
            name: the name of the scope, a scope to enter again, or None for no scope.
            show: how pictures show the scope: "open", "folded", "collapsed" or "hidden".

        Returns:
            A context manager, which gives the scope.

        Raises:
            TypeError: `name` is not a string, a scope or None.
            ValueError: `name` is not a valid name, or `show` is another word.
        """
        return NameScope(self, name, show)

    def get_name_scope(self) -> str:
        """The name scope in which new operations are.

        Returns:
            The scope's name without a "/" at its end; "" outside of all scopes.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g, tf.name_scope("tower"), tf.name_scope("layer"):
        ...     print(g.get_name_scope())
        tower/layer

        Source: TensorFlow 1.x, `tf.Graph.get_name_scope`.
        """
        return self.surroundings.prefix.removesuffix("/")

    @hides_frames
    def device(self, device: Any) -> DeviceScope:
        """A `with` block whose operations ask for a device; see `penstock.device`.

        Args:
            device: a name such as "/gpu:0", a `DeviceSpec`, a function from an operation to a name, or None.

        Returns:
            A context manager.

        Raises:
            TypeError: `device` is none of these.
            ValueError: the name is not that of a device.
        """
        return DeviceScope(self, device)

    @hides_frames
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Colocation:
        """A `with` block whose operations ask for the device of another one; see `penstock.colocate_with`.

        Args:
            op: an operation, tensor or variable; None for no device.
            ignore_existing: accepted for TensorFlow's sake; None needs it.

        Returns:
            A context manager.

        Raises:
            TypeError: `op` is none of these.
            ValueError: `op` is None without `ignore_existing`.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as graph:
        ...     with tf.device("/job:ps/task:0"):
        ...         a = tf.constant(1)
        ...     with graph.colocate_with(a):
        ...         print(tf.constant(2).device)
        /job:ps/task:0
        """
        if op is None:
            if not ignore_existing:
                raise GraphError("colocate_with(None): Trying to reset colocation (op is None) but ignore_existing is "
                                 "not True")  # fmt: skip
            return Colocation(self, "")
        device = getattr(op, "device", None)
        if not isinstance(device, str):
            raise TypeError(f"colocate_with({op!r}): give an operation, a tensor or a variable, or None")
        return Colocation(self, device)

    def as_default(self) -> DefaultGraph[Self]:
        """A `with` block in which this graph is the default graph of the thread.

        Returns:
            A context manager, which gives the graph.
        """
        return DefaultGraph(self)

    def show_scope(self, scope: str, show: Show) -> None:
        """Note how pictures show a scope."""
        with self.lock:
            self.journal.note(*entry(self.scope_shows, scope))
            self.scope_shows[scope] = show

    def claim(self, name: str) -> str:
        """Reserve the full name for an operation to be called `name` in the current scope.

        A trailing slash says that it is a whole name: a scope's own name is free for one operation.
        """
        with self.lock:
            if name[-1] == "/":
                return self.names.whole(name[:-1])
            return self.names.unique(self.surroundings.prefix + name)

    def claim_scope(self, name: str) -> str:
        """Reserve a name for a new scope inside the current one."""
        with self.lock:
            return self.names.scope(self.surroundings.prefix + name)

    def check_name(self, name: str) -> None:
        """Raise ValueError unless `name` can be an operation's name in the current scope."""
        check_name(name, scoped=bool(self.surroundings.prefix))


class _Block:
    """The base of the blocks: it keeps what to restore, may nest and may be entered again."""

    def __init__(self, graph: GraphScopes) -> None:
        self._graph = graph
        self._saved: list[Any] = []


class NameScope(_Block):
    """`with tf.name_scope("tower") as scope:`: nodes made inside are called `tower/...`.

    A name already taken gets `_1`. `scope` is "tower/"; a name with a trailing slash, or the block object itself,
    enters the same scope again. None or "" leaves all scopes. `show` says how pictures show the scope, until another
    block of the same scope says otherwise.
    """

    def __init__(self, graph: GraphScopes, name: str | NameScope | None, show: Show | None = None) -> None:
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
            prefix = self._graph.root_prefix
        elif self._asked[-1] == "/":
            root = self._graph.root_prefix
            prefix = self._asked if self._asked.startswith(root) else root + self._asked
        elif self.name:  # the object is entered again
            prefix = self.name
        else:
            prefix = self._graph.claim_scope(self._asked) + "/"
        if self._show is not None:
            self._graph.show_scope(prefix[:-1], self._show)
        self.name = surroundings.prefix = prefix
        return prefix

    def __exit__(self, *exception: object) -> None:
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
        raise GraphError(f"name_scope({name!r}, show={show!r}): show is 'open', "
                         "'folded', 'collapsed' or 'hidden'. Without it, `depth` and the space decide")  # fmt: skip
    if not name:
        raise GraphError(f"name_scope(None, show={show!r}): this block leaves all scopes; there is none to show. "
                         "Give the scope's name; for part of a graph write graph.export(path, hide=[...])")  # fmt: skip
    found: Show = show
    return found


class DeviceScope(_Block):
    """`with tf.device("/gpu:0"):`: nodes made inside ask for that device; what it leaves open the blocks around say."""

    def __init__(self, graph: GraphScopes, device: str | DeviceSpec | Callable[..., Any] | None) -> None:
        super().__init__(graph)
        if isinstance(device, DeviceSpec):
            device = device.to_string()
        if device is not None and not isinstance(device, str) and not callable(device):
            raise TypeError(
                f"device({device!r}): a device is a name such as '/gpu:0', a tf.DeviceSpec, a function from an "
                "operation to one, or None"
            )
        if isinstance(device, str):
            check_device(device)
            device = merged_device(device, "")
        self._device = device

    def __enter__(self) -> str | DeviceChain:
        surroundings = self._graph.surroundings
        outer = surroundings.device
        self._saved.append(outer)
        device = device_inside(self._device, outer)
        surroundings.device = device
        return device

    def __exit__(self, *exception: object) -> None:
        self._graph.surroundings.device = self._saved[-1]
        self._saved.pop()


class Colocation(_Block):
    """`with tf.colocate_with(op):`: nodes made inside ask for the device of `op`, whatever the blocks say."""

    def __init__(self, graph: GraphScopes, device: str) -> None:
        super().__init__(graph)
        self._device = DeviceChain(pinned=device) if device else ""

    def __enter__(self) -> Colocation:
        surroundings = self._graph.surroundings
        self._saved.append(surroundings.device)
        surroundings.device = self._device
        return self

    def __exit__(self, *exception: object) -> None:
        self._graph.surroundings.device = self._saved[-1]
        self._saved.pop()


class ControlDependencies(_Block):
    """`with tf.control_dependencies([a, b]):`: nodes made inside run after a and b; None forgets the blocks around."""

    def __init__(self, graph: GraphScopes, operations: Iterable[Any] | None) -> None:
        super().__init__(graph)
        self._operations = None if operations is None else tuple(operations)

    def __enter__(self) -> ControlDependencies:
        surroundings = self._graph.surroundings
        self._saved.append(surroundings.controls)
        inside = () if self._operations is None else tuple(dict.fromkeys(surroundings.controls + self._operations))
        surroundings.controls = inside
        return self

    def __exit__(self, *exception: object) -> None:
        self._graph.surroundings.controls = self._saved[-1]
        self._saved.pop()


G = TypeVar("G", bound=GraphScopes)


class DefaultGraph(Generic[G]):
    """`with graph.as_default():`: the graph is the thread's default inside."""

    def __init__(self, graph: G) -> None:
        self._graph = graph
        self._saved: list[tuple[int, str, str | DeviceChain, tuple[Any, ...], Any]] = []

    def __enter__(self) -> G:
        around, stack = self._graph.surroundings, defaults.stack
        self._saved.append((len(stack), around.prefix, around.device, around.controls, around.variable_scope))
        stack += [self._graph]  # no call is made here: see the head
        return self._graph

    def __exit__(self, *exception: object) -> None:
        stack, around = defaults.stack, self._graph.surroundings
        depth, prefix, device, controls, variable_scope = self._saved[-1]
        mine = stack[depth:]
        del stack[depth:]  # also what an interrupted block inside left behind
        around.prefix, around.device, around.controls = prefix, device, controls
        around.variable_scope = variable_scope
        self._saved.pop()
        if not mine and exception[0] is None:  # the block around ended before, and took this one with it
            raise GraphError("as_default: `with` blocks must end in the reverse order of their beginning")

    def enter_until_withdrawn(self) -> None:
        """Make the graph the default until `withdraw`, without a block, as an interactive session does."""
        defaults.lasting.append(self._graph)
        defaults.stack.append(self._graph)

    def withdraw(self) -> None:
        """Undo `enter_until_withdrawn`, whatever was entered since."""
        for graphs in (defaults.stack, defaults.lasting):
            for position in reversed(range(len(graphs))):
                if graphs[position] is self._graph:
                    del graphs[position]
                    break
