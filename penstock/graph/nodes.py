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
    """A symbolic value: the output number `value_index` of an operation.

    It holds no numbers: `Session.run` computes them. `name` is `"scope/op:0"`, `dtype` a `DType`, `shape` what is known
    of its shape.

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
        """What is known of the shape (TensorFlow's older spelling)."""
        return self._shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Add to what is known of the shape; nodes made from now on can use it, and a run checks it.

        Raises:
            ShapeError (a ValueError): it contradicts what is known.
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
        """The operations that take this tensor as an input, in order of creation."""
        return self.op.graph.consumers_of(self)

    def explain_shape(self) -> Any:
        """Which operand and line each dimension came from; see `penstock.explain_shape`."""
        return hooks.explain_shape(self)

    def eval(self, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> Any:
        """The value: `session.run(self, feed_dict)`, in the default session unless one is given.

        Raises:
            ValueError: no session is given and none is the default.
        """
        return hooks.evaluate(self, feed_dict, session)

    def __repr__(self) -> str:
        return f"<Tensor {self.name!r} {self.dtype.name} {self._shape}>"

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    def _repr_svg_(self) -> str | None:
        return hooks.markup(self, "svg")


class Operation(Uncopied):
    """A node of a graph: what to compute (`type`, attributes), from what (`inputs`), and after what (`control_inputs`).

    `args` is the call as it was bound: tensors, tuples of tensors and attribute values in the order of the op's
    signature. `origins` are the lines of the user's program that made it (several after a rewrite).
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
        """The value of an attribute (a non-tensor argument) by its name in the op's signature.

        Raises:
            GraphError (a ValueError): the op has no attribute of that name.
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
        """Run the operation for its effect, in the default session unless one is given."""
        hooks.evaluate(self, feed_dict, session)

    def values(self) -> Sequence[Tensor]:
        """The outputs."""
        return self.outputs

    def __repr__(self) -> str:
        return f"<Operation {self.name!r} {self.type}>"


give_words(Tensor)
