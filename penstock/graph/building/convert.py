"""Conversion of arguments to tensors.

A tensor stays what it is. A list that holds tensors becomes a `pack`. Anything else becomes a constant by the rules of
`literal`. The ops for this come from `graph.common.hooks`: this layer knows no op.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...errors import BuildError, DTypeError, GraphError
from ..common.hooks import hooks
from ..common.source_location import user_origins
from ..model.append import append_operation
from ..model.default_graph import cure_for
from ..model.indexed_slices import IndexedSlices
from ..model.nodes import Tensor
from ..model.tensor_source import TensorSource
from ..shapes.dtypes import DType, of_numpy
from ..shapes.literal import literal
from ..shapes.shape import TensorShape, shape_of
from .registered_conversions import conversions

if TYPE_CHECKING:
    from ..model.nodes import Graph


def first_tensor(value: Any) -> Tensor | None:
    """`value` if it is a tensor, else the first one inside nested lists."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, IndexedSlices):
        return value.values
    if isinstance(value, TensorSource):
        tensor: Tensor = value.any_tensor
        return tensor
    if isinstance(value, conversions.kinds):
        return conversions.tensor(value, None, None)
    if isinstance(value, (list, tuple)):
        kinds = (list, tuple, Tensor, IndexedSlices, TensorSource, *conversions.kinds)
        for item in value:
            if isinstance(item, kinds):
                found = first_tensor(item)
                if found is not None:
                    return found
    return None


def convert(
    graph: Graph, value: Any, dtype: DType | None, prefer: DType | None, name: str, label: str = "value"
) -> Tensor:
    """`value` as a tensor of `graph`, of `dtype` if one is given; `prefer` is the dtype of an empty list.

    Raises:
        BuildError: the value is no tensor, number, bool, string or list of these, or not of that dtype.
    """
    if value.__class__ is Tensor:
        tensor: Tensor = value
        return tensor if tensor.op.graph is graph else graph.admit(tensor)
    if isinstance(value, conversions.kinds):
        own = conversions.tensor(value, dtype, name)
        if own is not None:
            return own if own.op.graph is graph else graph.admit(own)
    if isinstance(value, (list, tuple)):
        if conversions.kinds:
            value = conversions.in_list(value, dtype)
        found = first_tensor(value)
        if found is not None:
            return _pack(graph, value, dtype or found.dtype, name)
        if prefer is not None and dtype is None and not value:
            dtype = prefer
    if isinstance(value, TensorSource):
        return convert(graph, value.as_operand(), dtype, prefer, name, label)
    if isinstance(value, IndexedSlices):
        dense: Tensor = hooks.operators["densify"](value)
        return graph.admit(dense)
    try:
        array = literal(value, dtype)
    except BuildError as error:
        if error.code != "value/kind":
            error.reword(f"{label}: {error.brief}")
        elif label != "value":
            error.reword(f"{error.brief} passed to parameter '{label}'")
        raise
    return constant_node(graph, array, name)


def _pack(graph: Graph, values: Any, dtype: DType, name: str) -> Tensor:
    parts = [convert(graph, v, dtype, None, f"{name}{i}/") for i, v in enumerate(values)]
    for part in parts:
        if part.op.graph is not graph:
            raise two_graphs(part, graph)
        if part.dtype is not dtype:
            raise DTypeError(f"{part.name!r} is {part.dtype.name} in a list whose first tensor is {dtype.name}; "
                             "operands must share one dtype")  # fmt: skip
    packed: Tensor = hooks.operators["pack"](parts, name=name)
    return packed


def check_one_graph(graph: Graph, values: Iterable[Any]) -> None:
    """GraphError if one of `values` is, or begins with, a tensor that no call here may use."""
    for value in values:
        tensor = first_tensor(value)
        if tensor is not None and not graph.admits(tensor):
            raise two_graphs(tensor, graph)


def two_graphs(tensor: Tensor, graph: Graph, operand: int | None = None) -> GraphError:
    """What to raise for a tensor of another graph than the one the node would be added to."""
    return GraphError(
        f"Tensor {tensor.name!r} belongs to {tensor.op.graph}, but the node would be added to {graph}; "
        "all tensors of a call must be from the same graph",
        operand=operand,
        cure=cure_for(tensor),
        code="graph/two-graphs",
    )


def constant_node(graph: Graph, array: Any, name: str) -> Tensor:
    """A `Const` node that holds `array`, which must not change any more."""
    graph.check_open()
    dtype = of_numpy(array.dtype)
    shape = shape_of(array.shape) if array.ndim else _SCALAR
    opdef = hooks.operators["constant"]
    origins = graph.surroundings.origins or user_origins()
    op = append_operation(graph, opdef, (array,), (), ((dtype, shape),), graph.claim(name), origins)
    return op.outputs[0]


_SCALAR = TensorShape(())
