"""What is a node, and what is an edge?

An `Operation` is a node: one use of an op, made by one call. A `Tensor` is an edge's source: one of its outputs. Both
are compared by identity (`==` too, as in TensorFlow 1), small (slots), and immutable once made; `set_shape` alone may
add to what is known of a shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import GraphError, ShapeError
from .dtypes import DType
from .hooks import hooks
from .not_copyable import PART_OF_A_GRAPH, Uncopied
from .numpy_hints import give_words
from .operators import TensorOperators
from .shape import ShapeLike, TensorShape, as_shape, refined
from .source_location import Origin

if TYPE_CHECKING:
    from .graph import Graph
    from .op_declaration import OpDef


class Tensor(Uncopied, TensorOperators):
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
    x:0 float32 (batch, 3) Placeholder
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
        """`"scope/op:0"`."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def graph(self) -> Graph:
        """The graph that holds the operation."""
        return self.op.graph

    @property
    def device(self) -> str:
        """The device asked for the operation, "" if none was."""
        return self.op.device

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
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

    def explain_shape(self) -> Any:
        """Where each dimension came from; see `penstock.explain_shape`.

        Returns:
            A `ShapeStory`.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.placeholder(tf.float32, ["batch"], name="x")
        >>> x.explain_shape()[0].end
        'x:0 is a placeholder: its declaration says batch.'
        """
        return hooks.explain_shape(self)

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


class Operation(Uncopied):
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
        """The first line that made it."""
        return self.origins[0]

    def get_attr(self, name: str) -> Any:
        """The value of an attribute: an argument of the call that is not a tensor.

        Args:
            name: the name of the argument in the signature.

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
        known = ", ".join(attr.name for _, attr in self.opdef.attrs) or "none"
        raise GraphError(f"get_attr({name!r}): {self.type} has no attribute of that name; it has {known}")

    @property
    def attrs(self) -> dict[str, Any]:
        """All attributes by name."""
        return {attr.name: self.args[position] for position, attr in self.opdef.attrs}

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


give_words(Tensor)
