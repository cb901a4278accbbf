"""The node of a variable, and the nodes that write it: what `Variable` and its parts share."""

from __future__ import annotations

from typing import Any

from ..errors import BuildError, DTypeError, GraphError, ShapeError, UseError
from ..graph.building.convert import first_tensor
from ..graph.common.tracebacks import hides_frames
from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.tensor_source import TensorSource
from ..graph.shapes.dtypes import DType, int32
from ..graph.shapes.shape import TensorShape
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.state.partial_writes import SCATTER, write_slice
from .slice_info import SaveSliceInfo as PartInfo


class VariablesAsObjects:
    """A switch of the process: whether a variable is true in an `if`, as any object of Python is.

    Programs of TensorFlow 1 write `if bias:` for a variable or None. `tf.tensorflow_stand_in` turns this on; elsewhere
    such an `if` is an error, as it is on a tensor, because it is mostly meant to ask for the value.
    """

    are_true = False


class VariableNode(TensorSource):
    """The facts of a variable that its operation holds."""

    __slots__ = ("_element", "_save_slice_info")

    SaveSliceInfo = PartInfo
    _element: Tensor
    _save_slice_info: PartInfo | None

    @property
    def element(self) -> Tensor:
        """The tensor of its value at the start of a run."""
        return self._element

    @property
    def op(self) -> Operation:
        """Its operation."""
        return self._element.op

    @property
    def resource(self) -> str:
        """The name under which sessions and files keep its value: that of its operation."""
        return self._element.op.name

    @property
    def name(self) -> str:
        """The name of its tensor: "scope/w:0"."""
        return self._element.name

    @property
    def dtype(self) -> DType:
        """Its DType."""
        return self._element.dtype

    @property
    def shape(self) -> TensorShape:
        """Its static shape."""
        return self._element.shape

    @property
    def graph(self) -> Graph:
        """Its graph."""
        return self._element.op.graph

    @property
    def device(self) -> str:
        """The device that it asks for; "" if it asks for none."""
        return self._element.op.device

    @property
    def save_slice_info(self) -> Any:
        """Which part of a partitioned variable it is, a `SaveSliceInfo`; None if it is a whole one."""
        return self._save_slice_info

    def _get_save_slice_info(self) -> PartInfo | None:  # programs call it
        return self._save_slice_info

    def _set_save_slice_info(self, save_slice_info: PartInfo | None) -> None:
        self._save_slice_info = save_slice_info

    def get_shape(self) -> TensorShape:
        """Its static shape: `shape` under TensorFlow's older name.

        Returns:
            A TensorShape.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.Variable([1.0, 2.0]).get_shape())
        (2,)
        """
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Adds to what is known of its shape, where `validate_shape` was False.

        Args:
            shape: a TensorShape or a list of sizes.

        Raises:
            ValueError: it contradicts what is known.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable([1.0, 2.0], validate_shape=False)
        ...     v.set_shape([None])
        ...     print(v.shape)
        (?,)
        """
        self._element.set_shape(shape)


class VariableSlice(TensorSource):
    """`v[key]`: a part of a variable, as a tensor that can be written too.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable([1, 2, 3, 4])
    ...     session.run(v.initializer)
    ...     print(session.run(v[1:3]), session.run(v[1:3].assign([7, 8])))
    [2 3] [1 7 8 4]
    """

    __slots__ = ("_tensor", "_variable")

    def __init__(self, variable: VariableNode, tensor: Tensor) -> None:
        self._variable = variable
        self._tensor = tensor

    @property
    def element(self) -> Tensor:
        """The tensor of the part."""
        return self._tensor

    def as_operand(self) -> Tensor:
        """The tensor of the part."""
        return self._tensor

    @hides_frames
    def assign(self, value: Any, name: str | None = None) -> Tensor:
        """A node that writes the part.

        Args:
            value: a tensor, or what becomes one, of the variable's dtype and the shape of the part.
            name: the name of the node.

        Returns:
            A tensor of the whole new value of the variable.

        Raises:
            TypeError: the value has another dtype, or the key is a mask.
            ValueError: the value has another shape.
        """
        v, node = self._variable, self._tensor.op
        if node.type != "StridedSlice":
            raise UseError("assign: a part that a mask selects cannot be written; use tf.scatter_nd_update")
        graph = graph_of_write(v)

        def build() -> Tensor:
            with graph.as_default():
                operand = operand_of(v, value, "assign")
                if not operand.shape.is_compatible_with(self._tensor.shape):
                    raise ShapeError(f"assign: the value has shape {operand.shape}, the part {self._tensor.shape}")
                _, index, bounds = node.args
                with graph.colocate_with(v):
                    written: Tensor = write_slice(operand, index, v.resource, v.shape, bounds, name=name or "assign")
                return written

        return graph.journal.all_or_nothing(build)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tensor, name)

    def __repr__(self) -> str:
        return repr(self._tensor)


class AbsentMember:
    """A method of TensorFlow's variables that these lack, of the class too; the message says what takes its place."""

    __slots__ = ("_cure", "_name")

    def __init__(self, cure: str) -> None:
        self._cure = cure

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: Any = None) -> Any:
        raise AttributeError(f"a Variable has no {self._name!r}: {self._cure}")


def scatter_into(v: VariableNode, function: str, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """The node of one of `SCATTER` for a variable."""
    opdef = SCATTER[function]
    graph = graph_of_write(v)

    def build() -> Tensor:
        with graph.as_default():
            places = convert_to_tensor(indices, preferred_dtype=int32)
            rows = operand_of(v, updates, function)
            with graph.colocate_with(v):
                made: Tensor = opdef(places, rows, v.resource, v.shape, name=name or opdef.type)
            return made

    return graph.journal.all_or_nothing(build)


def written_whole(v: VariableNode, op: Any, kind: str, value: Any, name: str | None) -> Tensor:
    """The node of an op that writes a whole variable."""
    graph = graph_of_write(v)

    def build() -> Tensor:
        with graph.as_default():
            operand = operand_of(v, value, kind)
            with graph.colocate_with(v):
                written: Tensor = op(operand, v.resource, v.shape, name=name or kind)
            return written

    first = first_tensor(value)
    if first is not None and not graph.admits(first):
        raise GraphError(f"{kind}: {first.name!r} belongs to {first.graph}, the variable {v.resource!r} to {graph}")
    return graph.journal.all_or_nothing(build)


def operand_of(v: VariableNode, value: Any, kind: str) -> Tensor:
    """What a write of `v` is given, as a tensor of its dtype."""
    try:
        tensor = convert_to_tensor(value, None if isinstance(value, (Tensor, TensorSource)) else v.dtype)
    except BuildError as error:
        error.reword(f"{kind} of the variable {v.resource!r}: {error.brief}")
        raise
    if tensor.dtype is not v.dtype:
        raise DTypeError(f"{kind}: {tensor.name!r} is {tensor.dtype}, the variable {v.resource!r} is {v.dtype}; they "
                         f"must be of one dtype. Write tf.cast(..., tf.{v.dtype}) if that is meant")  # fmt: skip
    return tensor


def graph_of_write(v: VariableNode) -> Graph:
    """The graph to which a write is added: that of the body that is being built, else the variable's own."""
    graph = get_default_graph()
    return graph if graph.admits(v.element) else v.graph


def name_below(v: VariableNode, name: str) -> str:
    """A free whole name below that of a variable, whatever scope a call stands in."""
    graph = graph_of_write(v)
    with graph.name_scope(None):
        return graph.unique_name(f"{v.resource}/{name}", mark_as_used=False) + "/"
