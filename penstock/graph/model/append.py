"""Appending operations to a graph: the last step of a call, and of passes. The operations have been checked already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..common.hooks import hooks
from ..common.source_location import Origin
from ..declare.gradient_registry import note_overrides
from ..shapes.dtypes import DType
from ..shapes.shape import TensorShape
from .nodes import Graph, Operation, Tensor


def append_operation(
    graph: Graph,
    opdef: Any,
    args: tuple[Any, ...],
    inputs: tuple[Tensor, ...],
    outputs: Sequence[tuple[DType, TensorShape]],
    name: str,
    origins: tuple[Origin, ...],
) -> Operation:
    """Add a checked operation to `graph` under a claimed name, in the surroundings that hold there."""
    op = Operation()
    op.graph = graph
    op.opdef = opdef
    op.args = args
    op.inputs = inputs
    op.name = name
    op.origins = origins
    surroundings = graph.surroundings
    device = surroundings.device
    controls = surroundings.controls
    if controls and not opdef.bodies:  # a body may use a variable whose value after a control input it means
        controls = tuple([c for c in controls if all(c is not t.op for t in inputs)])
    op.control_inputs = controls
    if len(outputs) == 1:
        dtype, shape = outputs[0]
        op.outputs = (Tensor(op, 0, dtype, shape),)
    else:
        op.outputs = tuple([Tensor(op, i, dtype, shape) for i, (dtype, shape) in enumerate(outputs)])
    op.device = device if isinstance(device, str) else device.choose(op)
    if surroundings.overrides:
        note_overrides(graph, op, surroundings.overrides)
    operations = graph._operations
    with graph.lock:
        op.index = len(operations)
        operations.append(op)
        if operations[op.index] is not op:  # a signal handler built between the two lines before
            op.index = operations.index(op, op.index)
    return op


def append_placeholder(
    graph: Graph, dtype: DType, shape: TensorShape, name: str, origins: tuple[Origin, ...]
) -> Tensor:
    """A new placeholder that stands for a tensor from outside `graph`; it waits for nothing."""
    attrs = (dtype, shape)
    op = append_operation(graph, hooks.operators["placeholder"], attrs, (), (attrs,), name, origins)
    op.control_inputs = ()
    return op.outputs[0]


def append_copy(
    graph: Graph,
    op: Operation,
    args: tuple[Any, ...],
    inputs: tuple[Tensor, ...],
    controls: tuple[Operation, ...],
) -> Operation:
    """Add a copy of `op`, of another graph, to `graph` with other inputs; nothing else of it is computed again.

    Only one thread may use the graph meanwhile. It takes 1.0 us, where `append_operation` takes 1.9.
    """
    new = Operation()
    new.graph = graph
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
    operations = graph._operations
    new.index = len(operations)
    operations.append(new)
    return new
