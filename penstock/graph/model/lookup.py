"""Lookup: the operations of a graph by name, and those that read a tensor.

Both tables are brought up to date when they are asked, so that building a node costs nothing here.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ...errors import GraphError
from ..common.near_names import did_you_mean
from ..common.tracebacks import hides_frames
from .journal import Journal, entry
from .nesting import HoldsGraphs, held_by
from .tensor_source import TensorSource

INNER = (
    "It has a value only while the body runs. Return it from the function that makes the "
    "body, and use the result of the call."
)
"""The cure where a tensor inside a body is wanted outside."""


class IndexedNode(HoldsGraphs, Protocol):
    """What the tables need of an `Operation`."""

    @property
    def inputs(self) -> tuple[Any, ...]: ...
    @property
    def outputs(self) -> tuple[Any, ...]: ...
    @property
    def opdef(self) -> Any: ...


N = TypeVar("N", bound=IndexedNode)
T = TypeVar("T")


class NodeIndex(Generic[N]):
    """The two tables over the list of a graph's operations. The graph's lock guards it."""

    __slots__ = (
        "_absent", "_by_name", "_consumers", "_indexed", "_inside", "_lock", "_operations", "_others", "_walked",
    )  # fmt: skip

    def __init__(self, operations: list[N], lock: Any) -> None:
        self._operations = operations
        self._lock = lock
        self._by_name: dict[str, N] = {}
        self._consumers: dict[Any, list[N]] = {}
        self._indexed = 0
        self._inside: dict[str, tuple[N, N]] = {}
        self._walked = 0
        self._others: dict[str, Any] = {}
        self._absent: dict[str, str] = {}

    def name_also(self, name: str, tensor: Any, journal: Journal) -> None:
        """Let a tensor be found under a further name, which no operation has: one of a file that the graph came from.
        """
        journal.note(*entry(self._others, name))
        self._others[name] = tensor

    def note_absent(self, name: str, reason: str, journal: Journal) -> None:
        """Note why a node of the file that the graph came from is no operation of the graph."""
        journal.note(*entry(self._absent, name))
        self._absent[name] = reason

    def element(self, name: str, graph: object, allow_tensor: bool, allow_operation: bool) -> Any:
        """The operation or, for a name such as "scope/op:0", the tensor of that name.

        Args:
            name: the name.
            graph: the graph, as messages name it.
            allow_tensor: False refuses names of tensors.
            allow_operation: False refuses names of operations.

        Raises:
            KeyError: there is none.
            GraphError: it is not of an allowed kind, or stands inside another operation.
        """
        self._update()
        op_name, colon, index = name.rpartition(":")
        if not colon:
            if not allow_operation:
                if name in self._by_name or self._known_as(name) is not None:
                    raise GraphError(f"{name!r} is the name of an operation; a tensor's is {name + ':0'!r}")
                self._refuse_inner(name)
                raise GraphError(f"there is no operation {name!r} in {graph}{self._near(name)}; the name of a tensor "
                                 "is that of its operation with the number of the result, such as 'x:0'")  # fmt: skip
            if name in self._by_name:
                return self._by_name[name]
            other = self._others.get(f"{name}:0", self._known_as(name))
            if other is not None:
                return other.op
            self._refuse_inner(name)
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph {graph}{self._near(name)}")
        if not allow_tensor:
            raise GraphError(f"{name!r} is the name of a tensor; its operation's is {op_name!r}")
        if name in self._others:
            return self._others[name]
        if op_name not in self._by_name:
            known = self._known_as(op_name) if index == "0" else None
            if known is not None:
                return known
            self._refuse_inner(op_name)
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist: "
                           f"there is no operation {op_name!r} in {graph}{self._near(op_name)}")  # fmt: skip
        outputs = self._by_name[op_name].outputs
        if not index.isdigit() or int(index) >= len(outputs):
            count = f"{len(outputs)} output{'' if len(outputs) == 1 else 's'}"
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist: "
                           f"the operation {op_name!r} has {count}")  # fmt: skip
        return outputs[int(index)]

    def find_anywhere(self, name: str) -> N | None:
        """The operation called `name`, also one inside another; None if there is none."""
        self._update()
        inside = None if name in self._by_name else self._holder_of(name)
        return inside[1] if inside is not None else self._by_name.get(name)

    def _holder_of(self, name: str) -> tuple[N, N] | None:
        """(the outermost holder, the operation inside it) for the name of an operation inside; None if there is none.

        The names are collected once: a walk over some thousand operations for each step of a recorded run takes longer
        than the run.
        """
        with self._lock:
            for op in self._operations[self._walked :]:
                for inner in held_by(op):
                    self._inside.setdefault(inner.name, (op, inner))
            self._walked = len(self._operations)
        return self._inside.get(name)

    def consumers(self, tensor: Any) -> list[N]:
        """The operations that take `tensor` as an input, in order of creation."""
        self._update()
        return list(self._consumers.get(tensor, ()))

    def cut(self, count: int) -> None:
        """Forget the tables if they hold operations beyond the first `count`."""
        if self._indexed > count:
            self._by_name.clear()
            self._consumers.clear()
            self._indexed = 0
        if self._walked > count:
            self._inside.clear()
            self._walked = 0

    def _update(self) -> None:
        with self._lock:
            for op in self._operations[self._indexed :]:
                self._by_name[op.name] = op
                for tensor in dict.fromkeys(op.inputs):
                    self._consumers.setdefault(tensor, []).append(op)
            self._indexed = len(self._operations)

    def _known_as(self, name: str) -> Any:
        """The result of an operation that TensorFlow has as one of its own, such as "loop/Exit_1"; None if none."""
        for at in [i for i, letter in enumerate(name) if letter == "/"]:
            op = self._by_name.get(name[:at])
            if op is None:
                continue
            own = name[:at].rpartition("/")[2]
            for i, output in enumerate(op.outputs):
                number = f"_{i}" if i else ""
                if any(name[at + 1 :] == pattern.format(number, name=own) for pattern in op.opdef.result_names):
                    return output
        return None

    def _refuse_inner(self, name: str) -> None:
        found = self._holder_of(name)
        if found is not None:
            raise GraphError(f"{name!r} is inside the body of {found[0].name!r}, a graph of its own. {INNER}")
        if name in self._absent:
            raise GraphError(f"{name!r} is a node of the file, but no operation here: {self._absent[name]}")

    def _near(self, name: str) -> str:
        folded = name.casefold()
        near = [n for n in self._by_name if n.casefold() == folded]
        near += [n for n in self._by_name if n.endswith(f"/{name}")]  # such as below the "import/" of import_graph_def
        return f"; did you mean {near[0]!r}?" if near else did_you_mean(name, self._by_name)


class GraphLookup(Generic[N, T]):
    """The part of a `Graph` that finds its operations and tensors."""

    _kinds: ClassVar[tuple[type[Any], type[Any]]]
    """The classes of tensors and of operations, which stand above this file."""
    _index: NodeIndex[N]
    journal: Journal

    @hides_frames
    def get_operation_by_name(self, name: str) -> N:
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
        found: Any = self.as_graph_element(name, allow_tensor=False)
        return found  # type: ignore[no-any-return]  # an operation: tensors are refused

    @hides_frames
    def get_tensor_by_name(self, name: str) -> T:
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
        found: Any = self.as_graph_element(name, allow_operation=False)
        return found  # type: ignore[no-any-return]  # a tensor: operations are refused

    @hides_frames
    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> T | N:
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
            return self._index.element(obj, self, allow_tensor, allow_operation)  # type: ignore[no-any-return]  # either
        if isinstance(obj, TensorSource):
            obj = obj.element
        elif hasattr(obj, "_as_graph_element"):  # how classes of programs say which tensor they stand for
            obj = obj._as_graph_element()
        tensor, operation = self._kinds
        if (isinstance(obj, tensor) and allow_tensor) or (isinstance(obj, operation) and allow_operation):
            graph = obj.graph
            if graph is not self:
                of_graph = "; a run needs a session of that graph: tf.Session(graph=t.graph)"
                raise GraphError(f"{obj!r} is not an element of this graph: it belongs to {graph}, this is {self}"
                                 f"{of_graph if graph.outer is None else f'. {INNER}'}")  # fmt: skip
            return obj  # type: ignore[no-any-return]  # one of `_kinds`
        wanted = " or ".join(k for k, a in (("a Tensor", allow_tensor), ("an Operation", allow_operation)) if a)
        kind = type(obj).__name__
        raise TypeError(f"as_graph_element: {obj!r} is of type {kind}; expected {wanted}, or the name of one")

    def find_anywhere(self, name: str) -> N | None:
        """The operation called `name`, also one inside another; None if there is none."""
        return self._index.find_anywhere(name)

    def name_also(self, name: str, tensor: T) -> None:
        """Lets a tensor be found under a further name, such as that of a node of a file.

        Args:
            name: the name, which no tensor has.
            tensor: a Tensor of this graph.

        Raises:
            TypeError: the name has no hash.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     g.name_also("exit:0", tf.constant(1.0, name="c"))
        >>> g.get_tensor_by_name("exit:0").name
        'c:0'
        """
        self._index.name_also(name, tensor, self.journal)

    def note_absent(self, name: str, reason: str) -> None:
        """Keeps why a node of a file is no operation here, for errors that name it.

        Args:
            name: the name of the node.
            reason: why, as the end of a sentence.

        Raises:
            TypeError: the name has no hash.

        >>> import penstock as tf
        >>> g = tf.Graph()
        >>> g.note_absent("Enter", "it is a part of a loop")
        >>> try:
        ...     g.get_operation_by_name("Enter")
        ... except ValueError as error:
        ...     print("part of a loop" in str(error))
        True
        """
        self._index.note_absent(name, reason, self.journal)

    def consumers_of(self, tensor: T) -> list[N]:
        """The operations that take `tensor` as an input, in order of creation."""
        return self._index.consumers(tensor)
