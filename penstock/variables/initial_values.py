"""Initial values that depend on other variables: they are computed from values that the others have, or will have.

    a = tf.Variable(2.0)
    b = tf.Variable(a * 2.0)         written: initialized_value(a) * 2.0

An initializer must not wait for another run, so a variable on the way to an initial value stands for its value after
the writes of this run that were made before, else for its value in the session, else for its own initial value. For
that the operations between are copied, with `InitializedValue` in the place of the variable, as TensorFlow 1.x does.
Operations that read or write variables themselves are not copied: what their control inputs order stays as it is.
"""

from __future__ import annotations

from ..graph.model.append import append_operation
from ..graph.model.nodes import Graph, Operation, Tensor
from ..ops.state.variable_ops import initialized_value


def safe_initial_value(value: Tensor, name: str) -> Tensor:
    """The tensor that the initializer of the variable `name` writes: `value`, or a copy that needs no other run.

    The caller has entered the graph, in a transaction.
    """
    if not value.op.inputs and not _holder(value.op):  # the usual case: a constant
        return value
    graph = value.graph
    above = _above(value.op)
    stands: dict[Tensor, Tensor] = {}
    for op in above:
        if (resource := _holder(op)) is not None:
            initial = _initial_value_of(graph, resource)
            if initial is not None and initial is not op.outputs[0]:
                stands[op.outputs[0]] = initialized_value(initial, resource, name=f"{op.name}_{name}".replace("/", "_"))
    if not stands:
        return value
    for op in above:
        if op.opdef.facts.state or not any(t in stands for t in op.inputs):
            continue
        copy = _copied(graph, op, stands, f"{op.name}_{name}".replace("/", "_"))
        stands.update(zip(op.outputs, copy.outputs, strict=True))
    return stands.get(value, value)


def _above(last: Operation) -> list[Operation]:
    """The operation, and those that its inputs come from, in the order in which they were made; none above a read."""
    found = {last}
    waiting = [last]
    while waiting:
        op = waiting.pop()
        if not op.opdef.facts.state:
            new = {t.op for t in op.inputs} - found
            found |= new
            waiting += new
    return sorted(found, key=lambda op: op.index)


def _holder(op: Operation) -> str | None:
    """The variable of which an operation gives the value at the start of the run; None if it gives something else."""
    state = op.opdef.facts.state
    if state == "holds" or (state == "reads" and not op.inputs and not op.control_inputs):
        resource: str = op.args[0]
        return resource
    return None


def _initial_value_of(graph: Graph, resource: str) -> Tensor | None:
    """What the initializer of a variable writes; None if the graph has no initializer of it."""
    op = graph.find_anywhere(f"{resource}/Assign")
    is_initializer = op is not None and op.opdef.facts.state == "writes" and not op.opdef.write_reads
    return op.inputs[0] if op is not None and is_initializer and op.args[1] == resource else None


def _copied(graph: Graph, op: Operation, stands: dict[Tensor, Tensor], name: str) -> Operation:
    def replaced(arg: object) -> object:
        if isinstance(arg, Tensor):
            return stands.get(arg, arg)
        if isinstance(arg, tuple) and any(isinstance(each, Tensor) for each in arg):
            return tuple([stands.get(each, each) for each in arg])
        return arg

    inputs = tuple([stands.get(t, t) for t in op.inputs])
    args = inputs if op.opdef.is_plain else tuple([replaced(arg) for arg in op.args])
    outputs = [(t.dtype, t.shape) for t in op.outputs]
    copy = append_operation(graph, op.opdef, args, inputs, outputs, graph.unique_name(name), op.origins)
    copy.control_inputs = op.control_inputs
    return copy
