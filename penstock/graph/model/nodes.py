"""The nodes: `Tensor`, `Operation` and `Graph`, which refer to each other.

An `Operation` is a node, one use of an op, made by one call. A `Tensor` is one of its outputs. A `Graph` lists
operations; what it does with them stands in the classes that it inherits. All three are compared by identity (`==` too,
as in TensorFlow 1). Operations and tensors are small (slots) and immutable once made; only `set_shape` adds to what is
known of a shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ...errors import ShapeError
from ..common.hooks import hooks
from ..common.locks import LockKind, new_lock
from ..common.not_copyable import PART_OF_A_GRAPH, NotCopyable
from ..common.source_location import Origin, user_origin
from ..common.tracebacks import hides_frames
from ..declare.gradient_registry import GraphGradients
from ..declare.op_declaration import OpDef
from ..shapes.dtypes import DType
from ..shapes.shape import ShapeLike, TensorShape, as_shape, refined
from .context import Surroundings
from .foreign_forms import GraphForms, OperationForms
from .graph_collections import GraphCollections
from .graph_contents import GraphContents
from .graph_reports import GraphViews
from .graph_seed import GraphSeed
from .journal import Journal
from .lookup import GraphLookup, NodeIndex
from .names import NameTable
from .operators import TensorOperators
from .scopes import ControlDependencies, GraphScopes, Show


class Tensor(NotCopyable, TensorOperators):
    """A symbolic value: one output of an operation. It holds no numbers; `Session.run` computes them.

    Attributes:
        op: the Operation that makes it.
        value_index: which output of the operation it is.
        name: the name of the operation and that index: "scope/op:0".
        dtype: its DType.
        shape: what is known of its shape, a TensorShape.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, ["batch", 3], name="x")
    ...     print(x.name, x.dtype, x.shape, x.op.type)
    x:0 <dtype: 'float32'> (batch, 3) Placeholder
    """

    __slots__ = ("__weakref__", "_shape", "dtype", "op", "value_index")

    _uncopied = (
        PART_OF_A_GRAPH,
        "Keep its name, and save the graph with tf.save_graph: tf.load_graph(path).get_tensor_by_name(name) is the "
        "same tensor of the loaded graph; tf.identity(t) is another tensor of this one.",
    )

    def __init__(self, op: Operation, value_index: int, dtype: DType, shape: TensorShape) -> None:
        self.op = op
        self.value_index = value_index
        self.dtype = dtype
        self._shape = shape

    @property
    def name(self) -> str:
        """The name of its operation and the index of the output: "scope/op:0"."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def graph(self) -> Graph:
        """The graph that holds its operation."""
        return self.op.graph

    @property
    def device(self) -> str:
        """The device that its operation asks for; "" if it asks for none."""
        return self.op.device

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape, a TensorShape."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """What is known of the shape: `shape` under TensorFlow's older name.

        Returns:
            A TensorShape.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.placeholder(tf.float32, ["n", 3]).get_shape())
        (n, 3)
        """
        return self._shape

    @hides_frames
    def set_shape(self, shape: ShapeLike) -> None:
        """Adds to what is known of the shape. Operations made from now on can use it, and a run checks it.

        Args:
            shape: a TensorShape or a list of sizes, as for `placeholder`.

        Raises:
            ShapeError (a ValueError): it contradicts what is known.
            TypeError: a size is not an int, a name or None.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.placeholder(tf.float32, [None, 3])
        ...     x.set_shape([2, None])
        ...     print(x.shape)
        (2, 3)
        """
        try:
            merged, claims = refined(self._shape, as_shape(shape))
        except ShapeError as error:
            origin = self.op.origin
            raise ShapeError(
                f"set_shape({as_shape(shape)}): {self.name} has shape {self._shape}. {error}\n"
                f"  {origin.made}  {origin.code}".rstrip()
            ) from None
        if merged != self._shape or claims:
            self.op.graph.refine(self, merged, claims)

    def consumers(self) -> list[Operation]:
        """The operations that take this tensor as an input.

        Returns:
            A list, in the order in which they were made.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.placeholder(tf.float32, [], name="x")
        ...     y = tf.negative(x, name="y")
        >>> x.consumers()
        [<Operation 'y' Neg>]
        """
        return self.op.graph.consumers_of(self)

    @hides_frames
    def explain_shape(self) -> Any:
        """Where each dimension came from; see `penstock.explain_shape`.

        Returns:
            A `ShapeProvenance`.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.placeholder(tf.float32, ["batch"], name="x")
        >>> x.explain_shape()[0].end
        'x:0 is a placeholder: its declaration says batch.'
        """
        return hooks.explain_shape(self)

    @hides_frames
    def eval(self, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> Any:
        """The value of this tensor: `session.run(self, feed_dict)`.

        Args:
            feed_dict: the values of fed tensors, as in `Session.run`.
            session: the session; without it, the default session.

        Returns:
            A NumPy array; of rank 0 a NumPy scalar.

        Raises:
            ValueError: no session is given and there is no default session; or as in `Session.run`.
            OpError: an operation failed.

        >>> import penstock as tf
        >>> with tf.Graph().as_default(), tf.Session():
        ...     print(tf.constant([1, 2]).eval())
        [1 2]
        """
        return hooks.evaluate(self, feed_dict, session)

    def __repr__(self) -> str:
        return f"<Tensor {self.name!r} {self.dtype.name} {self._shape}>"

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    def _repr_svg_(self) -> str | None:
        return hooks.markup(self, "svg")


class Operation(NotCopyable, OperationForms):
    """A node of a graph: an operation with its inputs.

    Attributes:
        name: its name, with the scopes: "scope/op".
        type: TensorFlow's name for the kind of operation: "Add".
        inputs: the tensors it reads.
        outputs: the tensors it makes.
        control_inputs: the operations it runs after.
        args: the arguments of the call: tensors, tuples of tensors and attribute values in the order of the signature.
        origins: the lines of the program that made it; several after a rewrite.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     op = tf.reshape([1, 2, 3, 4], [2, 2], name="r").op
    >>> op.name, op.type, [t.name for t in op.inputs], op.values()
    ('r', 'Reshape', ['r/tensor:0', 'r/shape:0'], (<Tensor 'r:0' int32 (2, 2)>,))
    """

    __slots__ = ("__weakref__", "args", "control_inputs", "device", "graph", "index", "inputs", "name", "opdef",
                 "origins", "outputs")  # fmt: skip

    _uncopied = (
        PART_OF_A_GRAPH,
        "Keep its name, and save the graph with tf.save_graph: tf.load_graph(path).get_operation_by_name(name) is the "
        "same operation of the loaded graph.",
    )

    graph: Graph
    index: int
    """Its place in the order of creation, which is a topological order."""
    opdef: OpDef[Any, Any]
    name: str
    args: tuple[Any, ...]
    inputs: tuple[Tensor, ...]
    control_inputs: tuple[Operation, ...]
    device: str
    origins: tuple[Origin, ...]
    outputs: tuple[Tensor, ...]

    @property
    def type(self) -> str:
        """TensorFlow's name for the kind of operation: "Add", "Gather", "Pack"."""
        return self.opdef.type

    @property
    def origin(self) -> Origin:
        """The first line of the program that made it."""
        return self.origins[0]

    @hides_frames
    def get_attr(self, name: str) -> Any:
        """The value of an attribute: an argument of the call that is not a tensor.

        Args:
            name: the name of the argument in the signature, or of an attribute of the node in TensorFlow: "T", "N".

        Returns:
            The value.

        Raises:
            GraphError (a ValueError): the op has no attribute of that name.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     parts = tf.dynamic_partition([1, 2], [0, 1], 2)
        >>> parts[0].op.get_attr("num_partitions")
        2
        """
        for position, attr in self.opdef.attrs:
            if attr.name == name:
                return self.args[position]
        return hooks.foreign_attribute(self, name)

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes by name: the arguments of the call that are not tensors."""
        return {attr.name: self.args[position] for position, attr in self.opdef.attrs}

    @hides_frames
    def run(self, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> None:
        """Runs the operation: `session.run(self, feed_dict)`.

        Args:
            feed_dict: the values of fed tensors, as in `Session.run`.
            session: the session; without it, the default session.

        Raises:
            ValueError: no session is given and there is no default session; or as in `Session.run`.
            OpError: an operation failed.

        >>> import penstock as tf
        >>> with tf.Graph().as_default(), tf.Session():
        ...     tf.no_op().run()
        """
        hooks.evaluate(self, feed_dict, session)

    def values(self) -> Sequence[Tensor]:
        """The outputs.

        Returns:
            A tuple of tensors.
        """
        return self.outputs

    def __repr__(self) -> str:
        return f"<Operation {self.name!r} {self.type}>"

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")


OF_THE_PACKAGE: Final = frozenset({
    "admit", "admits", "attributes_of_programs", "awaited", "check_name", "check_open", "claim", "claim_scope",
    "claims", "consumers_of",
    "equations", "find_anywhere", "journal", "known_entries", "known_values", "lock", "name_also", "names",
    "note_absent", "operations_since", "origin", "outer", "own_gradients", "pinned", "planned_by", "refine",
    "root_prefix", "scope_shows", "seeds_of_op", "serial", "shared_variables", "show_scope", "surroundings",
    "unfeedable", "unfetchable",
})  # fmt: skip
"""Attributes of a graph that only the package uses; `dir(graph)` and the completion of names leave them out."""


class Graph(
    NotCopyable,
    GraphContents["Operation", "Tensor"],
    GraphLookup["Operation", "Tensor"],
    GraphScopes,
    GraphCollections,
    GraphGradients,
    GraphSeed,
    GraphViews,
    GraphForms,
):
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
    ('tower/b:0', '/device:GPU:0', (<Operation 'total' Add>,))
    >>> g.finalize()
    >>> g.finalized
    True
    """

    outer: Graph | None = None
    """The graph around this one, if this is the graph of a body: see `graph.building.capturing`."""

    _uncopied = (
        "its tensors and operations are compared by identity, and a copy would have others",
        "Write it with tf.save_graph(graph, path); tf.load_graph(path) makes an equal graph, here or elsewhere.",
    )

    _kinds = (Tensor, Operation)

    def __init__(self) -> None:
        GraphContents.__init__(self)
        self.origin = user_origin()
        self.serial = next(_count)
        self.lock = new_lock(LockKind.GRAPH)
        self.surroundings = Surroundings()
        self._index = NodeIndex(self._operations, self.lock)
        self.journal = Journal(self)
        self.names = NameTable(self.journal)  # which names are taken; `graph.serial` keeps them
        self.scope_shows: dict[str, Show] = {}  # scope -> how pictures show it: `name_scope(..., show=)`
        self.shared_variables: dict[str, Any] = {}  # what `get_variable` has made, by name
        GraphCollections.__init__(self)
        GraphGradients.__init__(self)
        GraphSeed.__init__(self)

    @hides_frames
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
            raise TypeError(f"control_dependencies({control_inputs!r}): this is not a list of operations and tensors; "
                            "write [...] around it")  # fmt: skip
        given = list(control_inputs)
        if any(each is None for each in given):
            raise TypeError("control_dependencies: the list has None in it; give operations and tensors, and leave out "
                            "what is None")  # fmt: skip
        elements = [self.as_graph_element(each) for each in given]
        return ControlDependencies(self, [self.awaited(e) if isinstance(e, Tensor) else e for e in elements])

    def awaited(self, tensor: Tensor) -> Operation:
        """The operation that has run when `tensor` is computed: the one that makes it.

        A branch or loop is one node, and waiting for it means all of its results. So for one of several results this is
        a new Identity of it.
        """
        op = tensor.op
        if not op.opdef.bodies or len(op.outputs) - op.opdef.facts.closing < 2 or self.finalized:
            return op
        with self.as_default(), ControlDependencies(self, None), self.name_scope(f"{op.name}/"):
            made: Tensor = hooks.operators["identity"](tensor, name="awaited")
        return made.op

    def admits(self, element: Tensor | Operation) -> bool:
        """Whether a call that adds a node here may use `element`; the graph of a body takes those around it too."""
        return element.graph is self

    def admit(self, tensor: Tensor) -> Tensor:
        """The tensor of this graph that stands for `tensor`; one that may not be used here stays what it is."""
        return tensor

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in OF_THE_PACKAGE]

    def __repr__(self) -> str:
        return f"<Graph #{self.serial} of {len(self._operations)} operations, {self.origin.made}>"

    @hides_frames
    def __enter__(self) -> Graph:
        raise TypeError("a Graph is not a context manager: write `with graph.as_default():`")

    def __exit__(self, *exception: object) -> None:
        raise TypeError("a Graph is not a context manager: write `with graph.as_default():`")


_count = iter(range(1, 1 << 62))
