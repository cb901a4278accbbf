"""Finding operations and tensors of a graph by name, and the operations that read a tensor.

Both tables are brought up to date when they are asked: nodes are cheap because neither is kept while building.
"""

from __future__ import annotations

from typing import Any

from ..errors import GraphError
from .context import INNER
from .lazy_import import load
from .nodes import Operation, Tensor
from .subgraph import holder_of


class GraphLookup:
    """The part of a `Graph` that finds what it holds."""

    lock: Any
    _operations: list[Operation]

    def __init__(self) -> None:
        self._by_name: dict[str, Operation] = {}
        self._consumers: dict[Tensor, list[Operation]] = {}
        self._indexed = 0

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation with a name.

        Args:
            name: the name of the operation, such as "scope/op".

        Returns:
            The Operation.

        Raises:
            KeyError: there is none.
            ValueError: it is the name of a tensor.
            TypeError: it is not a string.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     a = tf.constant(1, name="a")
        >>> g.get_operation_by_name("a")
        <Operation 'a' Const>
        """
        found = self.as_graph_element(name, allow_tensor=False)
        assert isinstance(found, Operation)
        return found

    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor with a name.

        Args:
            name: the name of the tensor, such as "scope/op:0".

        Returns:
            The Tensor.

        Raises:
            KeyError: there is none.
            ValueError: it is the name of an operation.
            TypeError: it is not a string.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     a = tf.constant(1, name="a")
        >>> g.get_tensor_by_name("a:0") is a
        True
        """
        found = self.as_graph_element(name, allow_operation=False)
        assert isinstance(found, Tensor)
        return found

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Tensor | Operation:
        """The tensor or operation that a value is or names.

        Args:
            obj: a Tensor, an Operation, or the name of one.
            allow_tensor: False refuses tensors.
            allow_operation: False refuses operations.

        Returns:
            The Tensor or Operation of this graph.

        Raises:
            KeyError: there is none of that name.
            ValueError: it belongs to another graph, or a name is that of the kind refused.
            TypeError: `obj` is neither, or of the kind refused.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     a = tf.constant(1, name="a")
        >>> g.as_graph_element("a"), g.as_graph_element("a:0") is a
        (<Operation 'a' Const>, True)
        """
        if isinstance(obj, str):
            return self._named(obj, allow_tensor, allow_operation)
        if (isinstance(obj, Tensor) and allow_tensor) or (isinstance(obj, Operation) and allow_operation):
            if obj.graph is not self:
                raise GraphError(f"{obj!r} is not an element of this graph: it belongs to {obj.graph}, this is {self}"
                                 + ("" if obj.graph.outer is None else f". {INNER}"))  # fmt: skip
            return obj
        wanted = " or ".join(k for k, a in (("a Tensor", allow_tensor), ("an Operation", allow_operation)) if a)
        kind = type(obj).__name__
        raise TypeError(f"as_graph_element: {obj!r} is of type {kind}; expected {wanted}, or the name of one")

    def _named(self, name: str, allow_tensor: bool, allow_operation: bool) -> Tensor | Operation:
        self._index()
        op_name, colon, index = name.rpartition(":")
        if not colon:
            if not allow_operation:
                raise GraphError(f"{name!r} is the name of an operation; a tensor's is {name + ':0'!r}")
            if name in self._by_name:
                return self._by_name[name]
            self._refuse_inner(name)
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph {self}{self._near(name)}")
        if not allow_tensor:
            raise GraphError(f"{name!r} is the name of a tensor; its operation's is {op_name!r}")
        if op_name not in self._by_name:
            self._refuse_inner(op_name)
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist: "
                           f"there is no operation {op_name!r} in {self}{self._near(op_name)}")  # fmt: skip
        outputs = self._by_name[op_name].outputs
        if not index.isdigit() or int(index) >= len(outputs):
            count = f"{len(outputs)} output{'' if len(outputs) == 1 else 's'}"
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist: "
                           f"the operation {op_name!r} has {count}")  # fmt: skip
        return outputs[int(index)]

    def _refuse_inner(self, name: str) -> None:
        found = holder_of(self._operations, name)
        if found is not None:
            raise GraphError(f"{name!r} stands inside {found[0].name!r}, in a graph of its own. {INNER}")

    def _near(self, name: str) -> str:
        folded = name.casefold()
        near = [n for n in self._by_name if n.casefold() == folded]
        if not near:
            load("difflib")
            import difflib  # at an error only

            near = difflib.get_close_matches(name, self._by_name, n=1)
        return f"; did you mean {near[0]!r}?" if near else ""

    def find_anywhere(self, name: str) -> Operation | None:
        """The operation called `name`, also one inside another, None if there is none."""
        self._index()
        inside = None if name in self._by_name else holder_of(self._operations, name)
        return inside[1] if inside is not None else self._by_name.get(name)

    def consumers_of(self, tensor: Tensor) -> list[Operation]:
        """The operations that take `tensor` as an input."""
        self._index()
        return list(self._consumers.get(tensor, ()))

    def _index(self) -> None:
        """Bring the tables of names and consumers up to date; nodes are cheap because neither is kept while
        building."""
        with self.lock:
            for op in self._operations[self._indexed :]:
                self._by_name[op.name] = op
                for tensor in dict.fromkeys(op.inputs):
                    self._consumers.setdefault(tensor, []).append(op)
            self._indexed = len(self._operations)
