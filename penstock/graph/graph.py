"""What is a graph?

Operations in order of creation, which is a topological order because inputs exist before the node that takes them.
A graph only grows; a call that fails is undone to the last node. Names are unique, whatever the case of their letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any

from ..errors import GraphError
from .collecting import GraphCollections
from .context import Surroundings, cure_for, defaults
from .dimension import Dim, Dimension
from .dtypes import DType
from .journal import Journal, entry
from .locks import Kind, new_lock
from .lookup import GraphLookup
from .names import Names, check_name
from .nodes import Operation, Tensor
from .not_copyable import Uncopied
from .scopes import ControlDependencies, DefaultGraph, DeviceScope, NameScope, Show
from .shape import TensorShape
from .size_claims import SizeClaim
from .source_location import Origin, user_origin
from .views import GraphViews

_count = iter(range(1, 1 << 62))


class Graph(Uncopied, GraphCollections, GraphLookup, GraphViews):
    """An append-only graph of operations.

    >>> import penstock as tf
    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     total = tf.add(tf.constant(1.0, name="a"), 2.0, name="total")
    >>> [op.name for op in g.get_operations()]
    ['a', 'total/y', 'total']
    >>> with g.as_default(), g.name_scope("tower"), g.device("/gpu:0"), g.control_dependencies([total]):
    ...     b = tf.constant(3.0, name="b")
    >>> b.name, b.device, b.op.control_inputs
    ('tower/b:0', '/gpu:0', (<Operation 'total' Add>,))
    >>> g.finalize()
    >>> g.finalized
    True
    """

    outer: Graph | None = None
    """Of the graph of a body: the graph in which the op that holds it stands. See `graph.capturing`."""

    _uncopied = (
        "its tensors and operations are told apart by identity, and a copy would have others",
        "Write it with tf.save_graph(graph, path); tf.load_graph(path) makes an equal graph, here or elsewhere.",
    )

    def __init__(self) -> None:
        self.origin = user_origin()
        self.serial = next(_count)
        self.surroundings = Surroundings()
        self.equations: list[tuple[Operation, Dimension, Dim]] = []  # claims about sizes: graph.size_claims
        self.known_values: dict[Tensor, Any] = {}  # caches of graph.constant_evaluation
        self.known_entries: dict[Tensor, Any] = {}
        self._operations: list[Operation] = []
        self.journal = Journal(self)
        self.names = Names(self.journal)  # which names are taken; `graph.serial` keeps them
        self.scope_shows: dict[str, Show] = {}  # scope -> how pictures show it: `name_scope(..., show=)`
        self._pinned: dict[Tensor, None] = {}
        GraphCollections.__init__(self)
        self._finalized = False
        self.lock = new_lock(Kind.GRAPH)
        GraphLookup.__init__(self)

    # ---- what it holds ----------------------------------------------------------------------

    def get_operations(self) -> list[Operation]:
        """All operations of the graph.

        Returns:
            A list in the order in which they were made.
        """
        return list(self._operations)

    def __len__(self) -> int:
        return len(self._operations)

    def __bool__(self) -> bool:
        return True

    @property
    def version(self) -> int:
        """A number that grows with every operation added."""
        return len(self._operations)

    def operations_since(self, version: int) -> list[Operation]:
        """The operations added since the graph had that version."""
        return self._operations[version:]

    @property
    def pinned(self) -> tuple[Tensor, ...]:
        """Tensors whose shape was refined by `set_shape`: a claim that a run has to check."""
        return tuple(self._pinned)

    def refine(self, tensor: Tensor, shape: TensorShape, claims: Iterable[SizeClaim]) -> None:
        """Give `tensor` a shape that says more than its op's rule; a run checks it, and the claims in it."""
        with self.lock:
            self.journal.note(setattr, tensor, "_shape", tensor._shape)
            self.journal.note(*entry(self._pinned, tensor))
            tensor._shape = shape
            self._pinned[tensor] = None
            self.claims(tensor.op, claims)
            self.known_values.clear()
            self.known_entries.clear()

    def claims(self, op: Operation, claims: Iterable[SizeClaim]) -> None:
        """Keep what the static shapes at `op` suppose of sizes: each run that the claims are about checks them."""
        with self.lock:  # no transaction of another thread, which would take them for its own
            self.equations += [(op, dim, size) for dim, size in claims]

    def show_scope(self, scope: str, show: Show) -> None:
        """Note how pictures show a scope."""
        with self.lock:
            self.journal.note(*entry(self.scope_shows, scope))
            self.scope_shows[scope] = show

    # ---- names ------------------------------------------------------------------------------

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

    def name_scope(self, name: str | NameScope | None, show: Show | None = None) -> NameScope:
        """A `with` block in which the names of new operations begin with `name/`; see `penstock.name_scope`.

        Args:
            name: the name of the scope, a scope to enter again, or None for no scope.
            show: how pictures show the scope: "open", "collapsed" or "hidden".

        Returns:
            A context manager, which gives the scope.

        Raises:
            TypeError: `name` is not a string, a scope or None.
            ValueError: `name` is not a valid name, or `show` is another word.
        """
        return NameScope(self, name, show)

    def device(self, device: Any) -> DeviceScope:
        """A `with` block whose operations ask for a device; see `penstock.device`.

        Args:
            device: a name such as "/gpu:0", a function from an operation to a name, or None.

        Returns:
            A context manager.

        Raises:
            TypeError: `device` is none of these.
            ValueError: the name is not that of a device.
        """
        return DeviceScope(self, device)

    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> ControlDependencies:
        """A `with` block whose operations run after `control_inputs`; see `penstock.control_dependencies`.

        Args:
            control_inputs: a list of operations, tensors or their names. None lifts the dependencies of the blocks
                around.

        Returns:
            A context manager.

        Raises:
            TypeError: it is not a list of operations and tensors.
            ValueError: one of them belongs to another graph.
            KeyError: no operation or tensor has that name.
        """
        if control_inputs is None:
            return ControlDependencies(self, None)
        if isinstance(control_inputs, (str, Tensor)) or not isinstance(control_inputs, Iterable):
            raise TypeError(f"control_dependencies({control_inputs!r}): this is no list of operations and tensors; "
                            "write [...] around it")  # fmt: skip
        elements = [self.as_graph_element(c) for c in control_inputs]
        return ControlDependencies(self, [e.op if isinstance(e, Tensor) else e for e in elements])

    def as_default(self) -> DefaultGraph:
        """A `with` block in which this graph is the default graph of the thread.

        Returns:
            A context manager, which gives the graph.
        """
        return DefaultGraph(self)

    # ---- growing ----------------------------------------------------------------------------

    @property
    def finalized(self) -> bool:
        """True once `finalize` was called."""
        return self._finalized

    def finalize(self) -> None:
        """Makes the graph read-only: a call that would add an operation raises a RuntimeError from now on."""
        with self.lock:
            self.journal.note(setattr, self, "_finalized", self._finalized)
            self._finalized = True

    def append(
        self,
        opdef: Any,
        args: tuple[Any, ...],
        inputs: tuple[Tensor, ...],
        outputs: Sequence[tuple[DType, TensorShape]],
        name: str,
        origins: tuple[Origin, ...],
    ) -> Operation:
        """Add a checked operation under a claimed name. For `graph.builder` and passes; users call ops."""
        op = Operation()
        op.graph = self
        op.opdef = opdef
        op.args = args
        op.inputs = inputs
        op.name = name
        op.origins = origins
        surroundings = self.surroundings
        device = surroundings.device
        controls = surroundings.controls
        op.control_inputs = tuple(c for c in controls if all(c is not t.op for t in inputs)) if controls else ()
        if len(outputs) == 1:
            dtype, shape = outputs[0]
            op.outputs = (Tensor(op, 0, dtype, shape),)
        else:
            op.outputs = tuple([Tensor(op, i, dtype, shape) for i, (dtype, shape) in enumerate(outputs)])
        op.device = device if isinstance(device, str) else device.choose(op)
        operations = self._operations
        with self.lock:
            op.index = len(operations)
            operations.append(op)
        return op

    def append_again(
        self, op: Operation, args: tuple[Any, ...], inputs: tuple[Tensor, ...], controls: tuple[Operation, ...]
    ) -> Operation:
        """Add `op` of another graph with other inputs, for passes: nothing but these is looked at anew.

        This graph must be in the hands of one thread: 1.0 us, where `append` takes 1.9.
        """
        new = Operation()
        new.graph = self
        new.opdef = op.opdef
        new.args = args
        new.inputs = inputs
        new.name = op.name
        new.origins = op.origins
        new.control_inputs = controls
        new.device = op.device
        outputs = op.outputs
        if len(outputs) == 1:
            (only,) = outputs
            new.outputs = (Tensor(new, 0, only.dtype, only.shape),)
        else:
            new.outputs = tuple([Tensor(new, i, t.dtype, t.shape) for i, t in enumerate(outputs)])
        operations = self._operations
        new.index = len(operations)
        operations.append(new)
        return new

    def admits(self, element: Tensor | Operation) -> bool:
        """Whether a call that adds a node here may use `element`; the graph of a body takes those around it too."""
        return element.graph is self

    def admit(self, tensor: Tensor) -> Tensor:
        """The tensor of this graph that stands for `tensor`; one that may not be used here stays what it is."""
        return tensor

    def check_open(self) -> None:
        """Raise RuntimeError if the graph is finalized."""
        if self._finalized:
            raise RuntimeError(f"Graph is finalized and cannot be modified: {self}")

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

    def __repr__(self) -> str:
        return f"<Graph #{self.serial} of {len(self._operations)} operations, {self.origin.made}>"

    def __enter__(self) -> Graph:
        raise TypeError("a Graph is no context manager: write `with graph.as_default():`")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        raise TypeError("a Graph is no context manager: write `with graph.as_default():`")


def get_default_graph() -> Graph:
    """The graph to which calls without tensor arguments add, in this thread.

    Returns:
        The Graph.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     tf.get_default_graph() is g
    True
    """
    if defaults.stack:
        return defaults.stack[-1]
    if defaults.base is None:
        defaults.base = Graph()
    return defaults.base


def target_graph(element: Tensor | Operation | None) -> Graph:
    """The graph that a call adds its node to: that of its first tensor or operation, else the default graph.

    Raises:
        GraphError: the call stands in the `with` block of another graph.
    """
    if element is None:
        return get_default_graph()
    graph = element.graph
    stack = defaults.stack
    if not stack or stack[-1] is graph:
        return graph
    around = stack[-1]
    if around.admits(element):
        return around
    if around not in defaults.lasting:
        cure = cure_for(element)
        error = GraphError(
            f"{type(element).__name__} {element.name!r} belongs to {graph}, but the call stands inside the `with` "
            f"block of {around}; a node and what it takes are of one graph",
            cure=cure,
            code="graph/two-graphs",
        )
        error.retell(f"{error.message}\n  {cure}")  # for callers that tell no story of a call
        raise error
    return graph


def reset_default_graph() -> None:
    """Replaces the default graph of this thread with an empty one.

    Raises:
        GraphError (a ValueError): the call is inside `with graph.as_default()`.

    >>> import penstock as tf
    >>> a = tf.constant(1)
    >>> tf.reset_default_graph()
    >>> tf.get_default_graph().get_operations()
    []
    """
    if defaults.stack:
        raise GraphError(
            "reset_default_graph: a graph is the default through `with graph.as_default()`; "
            "call it outside of every such block"
        )
    defaults.base = None
