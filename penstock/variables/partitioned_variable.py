"""`PartitionedVariable`: several variables that are the parts of one along an axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import DTypeError, UnimplementedError, ValueRuleError
from ..graph.common.not_copyable import PART_OF_A_GRAPH, NotCopyable
from ..graph.common.tracebacks import hides_frames_of_methods
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.tensor_source import TensorSource
from ..graph.shapes.dtypes import DType
from ..graph.shapes.shape import TensorShape, as_shape
from ..ops.control.control import identity
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.move.concat_stack import concat
from ..ops.move.split_sizes import split_sizes
from .variable import Variable


@hides_frames_of_methods
class PartitionedVariable(NotCopyable, TensorSource):
    """The parts of one variable along an axis, as `tf.get_variable(partitioner=...)` makes them.

    Where a call takes a tensor it stands for the parts joined. `tf.nn.embedding_lookup` and the losses over sampled
    classes take it for its parts, and join nothing. A checkpoint holds it under its own name, however it is cut.

    Args:
        name: its name.
        shape: the shape of the whole.
        dtype: its dtype.
        variable_list: the parts, variables that say which part they are (`Variable.SaveSliceInfo`).
        partitions: how many parts there are along each axis.

    Raises:
        TypeError: `variable_list` or `partitions` is no list.
        ValueError: there is no part, a part does not fit the shape, or a number of parts is not positive.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.get_variable("v", initializer=tf.constant([1, 2, 3]), partitioner=tf.fixed_size_partitioner(2))
    ...     session.run(tf.global_variables_initializer())
    ...     print([part.name for part in v], session.run(v.as_tensor() * 10))
    ['v/part_0:0', 'v/part_1:0'] [10 20 30]

    Source: TensorFlow 1.x, `tf.PartitionedVariable`.
    """

    __slots__ = ("_dtype", "_joined", "_name", "_partitions", "_parts", "_shape")

    _uncopied = (PART_OF_A_GRAPH, "Make a second one: tf.get_variable(name, shape, partitioner=...).")

    def __init__(
        self, name: str, shape: Any, dtype: DTypeLike, variable_list: Sequence[Variable], partitions: Sequence[int]
    ) -> None:
        for label, given in (("variable_list", variable_list), ("partitions", partitions)):
            if not isinstance(given, (list, tuple)):
                raise DTypeError(f"PartitionedVariable: {label} is not a list or tuple: {given!r}")
        if not variable_list:
            raise ValueRuleError("PartitionedVariable: variable_list may not be empty")
        if any(count < 1 for count in partitions):
            raise ValueRuleError(f"PartitionedVariable: partition values must be positive: {list(partitions)}")
        self._shape = as_shape(shape)
        if len(partitions) != self._shape.ndims:
            raise ValueRuleError(f"PartitionedVariable: len(shape) != len(partitions): {shape} vs. {list(partitions)}")
        for part in variable_list:
            info = part.save_slice_info
            if info is None:
                raise ValueRuleError("PartitionedVariable: All variables must have a save_slice_info available: "
                                     f"{part.name!r} has none")  # fmt: skip
            if list(info.full_shape) != self._shape.as_list():
                raise ValueRuleError(f"PartitionedVariable: All variables' full shapes must match shape {shape}; that "
                                     f"of {part.name!r} is {list(info.full_shape)}")  # fmt: skip
        self._name = name
        self._dtype = variable_list[0].dtype
        self._parts = sorted(variable_list, key=lambda part: list(part.save_slice_info.var_offset))
        self._partitions = list(partitions)
        self._joined: Tensor | None = None

    # ---- parts ------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def parts(self) -> tuple[Variable, ...]:
        """The parts, the first one first."""
        return tuple(self._parts)

    def _get_variable_list(self) -> list[Variable]:
        return list(self._parts)

    def _get_partitions(self) -> list[int]:
        return list(self._partitions)

    @property
    def axis(self) -> int:
        """The axis along which it is cut."""
        return next((axis for axis, count in enumerate(self._partitions) if count > 1), 0)

    # ---- facts ------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Its name, without a number of an output."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The dtype of the parts."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The shape of the whole: `shape` under TensorFlow's older name.

        Returns:
            A TensorShape.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.get_variable("v", [5, 2], partitioner=tf.fixed_size_partitioner(2)).get_shape())
        (5, 2)
        """
        return self._shape

    @property
    def graph(self) -> Graph:
        """Its graph."""
        return self._parts[0].graph

    # ---- values -----------------------------------------------------------------------------

    def as_tensor(self) -> Tensor:
        """The parts joined: new nodes, called after the variable.

        Returns:
            A tensor.

        Raises:
            UnimplementedError: it is cut along more than one axis.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.get_variable("v", [5, 2], partitioner=tf.fixed_size_partitioner(2)).as_tensor())
        <Tensor 'v:0' float32 (5, 2)>
        """
        axes = sum(count > 1 for count in self._partitions)
        if axes > 1:
            raise UnimplementedError(message=f"Cannot concatenate along more than one dimension: {self._partitions}")
        graph = self._parts[0].graph
        inside = get_default_graph()
        home = inside if inside.admits(self._parts[0].element) else graph
        with home.as_default():
            return home.journal.all_or_nothing(self._join, home)

    def _join(self, graph: Graph) -> Tensor:
        with graph.name_scope(None):
            whole: Any = self._parts[0]
            if len(self._parts) > 1:
                with graph.name_scope(f"{self._name}/ConcatPartitions/"):
                    whole = concat(self.axis, self._parts)
            return identity(whole, name=self._name)

    @property
    def element(self) -> Tensor:
        """The tensor that a fetch of it means: its parts joined, made when it is first asked for."""
        if self._joined is None:
            graph = self.graph
            with graph.as_default(), graph.control_dependencies(None):
                self._joined = self.as_tensor()
            graph.journal.note(setattr, self, "_joined", None)
        return self._joined

    @property
    def any_tensor(self) -> Tensor:
        """A tensor of its graph and dtype."""
        return self._parts[0].element

    def as_operand(self) -> Tensor:
        """The parts joined, as a call made now reads them.

        Returns:
            A tensor.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.get_variable("v", [5, 2], partitioner=tf.fixed_size_partitioner(2)).as_operand())
        <Tensor 'v:0' float32 (5, 2)>
        """
        return self.as_tensor()

    # ---- writing ----------------------------------------------------------------------------

    def _write(self, method: str, value: Any, **options: Any) -> list[Any]:
        graph = self.graph
        return graph.journal.all_or_nothing(self._write_parts, method, value, options)

    def _write_parts(self, method: str, value: Any, options: dict[str, Any]) -> list[Any]:
        if isinstance(value, PartitionedVariable):
            values: list[Any] = list(value.parts)
        elif isinstance(value, list) and len(value) == len(self._parts) and all(
            isinstance(each, (Tensor, TensorSource)) or hasattr(each, "shape") for each in value
        ):  # fmt: skip
            values = value
        else:
            sizes = [part.shape.as_list()[self.axis] for part in self._parts]
            with self.graph.as_default():
                whole = convert_to_tensor(value, None if isinstance(value, Tensor) else self._dtype)
                values = split_sizes(whole, sizes, self.axis, len(sizes)) if len(sizes) > 1 else [whole]
        if len(values) != len(self._parts):
            raise ValueRuleError(f"{method}: the variable {self._name!r} has {len(self._parts)} parts, the value "
                                 f"{len(values)}")  # fmt: skip
        return [getattr(part, method)(each, **options) for part, each in zip(self._parts, values, strict=True)]

    def assign(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Tensor] | list[Operation]:
        """Nodes that write all parts.

        Args:
            value: a tensor of the shape of the whole, a list with a tensor for each part, or a partitioned variable.
            use_locking: accepted for TensorFlow's sake.
            name: the name of the nodes.
            read_value: False gives operations.

        Returns:
            A list with the new value of each part.

        Raises:
            TypeError: the value has another dtype.
            ValueError: the value has another shape or number of parts.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.get_variable("v", initializer=tf.constant([1, 2, 3]), partitioner=tf.fixed_size_partitioner(2))
        ...     session.run(tf.global_variables_initializer())
        ...     print([part.tolist() for part in session.run(v.assign([4, 5, 6]))])
        [[4, 5], [6]]
        """
        return self._write("assign", value, use_locking=use_locking, name=name, read_value=read_value)

    def assign_add(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Tensor] | list[Operation]:
        """Nodes that add to all parts.

        Args:
            value, use_locking, name, read_value: as of `assign`.

        Returns:
            A list with the new value of each part.

        Raises:
            TypeError, ValueError: as `assign`.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.get_variable("v", initializer=tf.constant([1, 2, 3]), partitioner=tf.fixed_size_partitioner(2))
        ...     session.run(tf.global_variables_initializer())
        ...     print([part.tolist() for part in session.run(v.assign_add([4, 5, 6]))])
        [[5, 7], [9]]
        """
        return self._write("assign_add", value, use_locking=use_locking, name=name, read_value=read_value)

    @documented_like(assign_add)
    def assign_sub(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Tensor] | list[Operation]:
        """Nodes that subtract from all parts.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.get_variable("v", initializer=tf.constant([1, 2, 3]), partitioner=tf.fixed_size_partitioner(2))
        ...     session.run(tf.global_variables_initializer())
        ...     print([part.tolist() for part in session.run(v.assign_sub([4, 5, 6]))])
        [[-3, -3], [-3]]
        """
        return self._write("assign_sub", value, use_locking=use_locking, name=name, read_value=read_value)

    def __repr__(self) -> str:
        return f"<PartitionedVariable {self._name!r} {self._dtype} {self._shape} of {len(self._parts)} parts>"


def with_parts(values: Sequence[Any]) -> list[Any]:
    """A list of variables with the parts of partitioned ones in their place."""
    variables: list[Any] = []
    for each in values:
        variables += each.parts if isinstance(each, PartitionedVariable) else [each]
    return variables


