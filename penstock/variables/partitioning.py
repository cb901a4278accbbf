"""Variables in parts: what `tf.get_variable` does where there is a partitioner.

Each part is a variable of its own, "v/part_0", made as any other; the graph keeps the whole under "v".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..errors import GraphError
from ..graph.model.nodes import Graph, Tensor
from ..graph.model.tensor_source import TensorSource
from ..graph.shapes.dtypes import DType
from ..graph.shapes.shape import TensorShape, as_shape, merge_shapes
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.move.slicing import slice as slice_op
from .constant_initializers import sizes_of
from .partitioned_variable import PartitionedVariable
from .partitioners import checked_partitions
from .slice_info import PartitionInfo, SaveSliceInfo, parts_along
from .variable import Variable
from .variable_scope_object import Reuse


class Wanted(Protocol):
    """The arguments of a call of `tf.get_variable`, with what the scope says of those that are left out."""

    @property
    def name(self) -> str: ...
    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def initializer(self) -> Any: ...
    @property
    def reuse(self) -> Reuse: ...
    @property
    def partitioner(self) -> Any: ...


MakePart = Callable[[str, Any, Any, DType, PartitionInfo], Variable]
"""(name, shape, initializer, dtype, part) -> a variable; the shape is None where the initializer is a value."""


def partitioned(graph: Graph, wanted: Wanted, make: MakePart) -> PartitionedVariable:
    """The partitioned variable of a name: an existing one if the scope says so, else a new one.

    Raises:
        GraphError (a ValueError): the name is taken, or what is there has other parts, another shape or dtype.
        ValueRuleError: the partitioner gives something else than numbers of parts.
    """
    known = graph.shared_variables.get(wanted.name)
    if isinstance(known, Variable):
        raise GraphError(f"A partitioner was provided, but an unpartitioned version of the variable was found: "
                         f"{wanted.name}, made at {known.op.origin.place}. Perhaps a variable of the same name was "
                         "already created without partitioning?", code="variable/differs")  # fmt: skip
    shape = TensorShape(None) if wanted.shape is None else as_shape(wanted.shape)
    value = wanted.initializer
    if value is not None and not _is_function(value):
        with graph.as_default(), graph.name_scope(f"{wanted.name}/PartitionedInitializer"):
            value = convert_to_tensor(value, None if isinstance(value, (Tensor, TensorSource)) else wanted.dtype)
        shape = merge_shapes(shape, value.shape)
    counts = None
    if wanted.partitioner is not None:
        counts = checked_partitions(wanted.partitioner, wanted.name, shape, wanted.dtype)
    if known is not None:
        return _shared(known, wanted, shape, counts)
    if wanted.reuse is True:
        raise GraphError(f"PartitionedVariable {wanted.name} does not exist, or was not created with "
                         "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?",
                         code="variable/missing")  # fmt: skip
    assert counts is not None  # without a partitioner only a known one is asked for
    whole = _made(graph, wanted, shape, value, counts, make)
    graph.journal.note(graph.shared_variables.pop, wanted.name, None)
    graph.shared_variables[wanted.name] = whole
    return whole


def _is_function(initializer: Any) -> bool:
    return callable(initializer) and not isinstance(initializer, (Tensor, TensorSource))


def _shared(
    known: PartitionedVariable, wanted: Wanted, shape: TensorShape, counts: Sequence[int] | None
) -> PartitionedVariable:
    what = f"Trying to reuse partitioned variable {wanted.name}, but specified"
    if not wanted.reuse:
        raise GraphError(f"Partitioned variable with name {wanted.name} already exists. Did you mean to set reuse=True "
                         "or reuse=tf.AUTO_REUSE in VarScope?", code="variable/exists")  # fmt: skip
    if not shape.is_compatible_with(known.shape):
        raise GraphError(f"{what} shape {shape} and found shape {known.shape}.", code="variable/differs")
    if wanted.dtype is not known.dtype:
        raise GraphError(f"{what} dtype {wanted.dtype.name} and found dtype {known.dtype.name}.",
                         code="variable/differs")  # fmt: skip
    if counts is not None and list(counts) != known._get_partitions():
        raise GraphError(f"{what} partitions {list(counts)} and found partitions {known._get_partitions()}.",
                         code="variable/differs")  # fmt: skip
    return known


def _made(
    graph: Graph, wanted: Wanted, shape: TensorShape, value: Any, counts: Sequence[int], make: MakePart
) -> PartitionedVariable:
    full = sizes_of(shape)
    axis = next((axis for axis, count in enumerate(counts) if count > 1), 0)
    parts = []
    for i, (offset, sizes) in enumerate(parts_along(full, counts[axis], axis)):
        name, initial, dtype = f"{wanted.name}/part_{i}", value, wanted.dtype
        own_shape: list[int] | None = sizes
        if isinstance(value, Tensor):
            with graph.as_default(), graph.name_scope(f"{name}/PartitionedInitializer/"):
                initial, dtype, own_shape = slice_op(value, offset, sizes), value.dtype, None
        part = make(name, own_shape, initial, dtype, PartitionInfo(full, offset))
        part._set_save_slice_info(SaveSliceInfo(wanted.name, full, offset, sizes))
        parts.append(part)
    return PartitionedVariable(wanted.name, shape, parts[0].dtype, parts, counts)
