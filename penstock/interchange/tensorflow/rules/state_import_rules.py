"""Import rules of nodes about state: variables of both kinds, and the nodes that write and read checkpoints.

TensorFlow has variables by reference (`VariableV2`: a node that uses one reads it when it runs) and by handle
(`VarHandleOp`: `ReadVariableOp` reads it). Both become the one kind of variable here, whose reads and writes name it by
an attribute. What reads a reference after control inputs, reads the value after these.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.literal import Array
from ....graph.shapes.shape import TensorShape
from ..foreign_node import ForeignNode
from ..import_scope import Kept, Made
from ..wire.tensor_proto import Unsupported, dtype_of
from .index_rules import index_of

# ---- variables ----------------------------------------------------------------------------------


def _variable(s: ForeignNode) -> Operation:
    shape = s.attr("shape", "shape", TensorShape(None))
    if s.scope.is_inside:
        raise Unsupported("it is a variable inside a branch, a loop or a function")
    op = s.add("VariableV2", s.true_name, s.attr("dtype", "type"), shape)
    s.scope.state.variables[s.true_name] = op
    return op


def _referred(s: ForeignNode) -> tuple[str, TensorShape]:
    """The resource and the shape of the variable that the first input refers to.

    The reference may be the output of a write, which then comes before this node.
    """
    if not s.inputs:
        raise Unsupported("it refers to no variable")
    op = s.inputs[0].op
    if op.opdef.facts.state == "writes":
        resource = op.args[op.opdef.parameters.index("resource")]
        node = s.scope.state.variables.get(resource)
        s.controls = tuple(dict.fromkeys([*s.controls, op]))
    else:
        node = op if op.opdef.facts.state == "holds" else None
    if node is None:
        raise Unsupported("its first input is no variable")
    return node.args[0], node.outputs[0].shape


def _read(s: ForeignNode) -> Operation:
    resource, shape = _referred(s)
    return s.add("ReadVariableOp", resource, s.inputs[0].dtype, shape)


def _identity(s: ForeignNode) -> Operation | Made:
    """Of a variable it is a read; one that only stands for the variable in files is the variable itself."""
    if len(s.values) == 1 and not isinstance(s.values[0], (Tensor, Kept)):
        return Made(None, s.values)
    (input,) = s.take(1)
    if input.dtype.is_variant:
        return Made(input.op, (input,))
    if input.op.opdef.facts.state == "holds":
        if s.node.attr("_penstock_read") is not None:
            return s.stand_for(input.op)
        if s.node.attr("_penstock_latest") is not None:
            return s.add("LatestValue", *_referred(s)[:1], input.dtype, input.shape)
        if s.controls or s.scope.is_inside:
            return _read(s)
    return s.add("Identity", input)


def _is_initialized(s: ForeignNode) -> Operation:
    return s.add("IsVariableInitialized", _referred(s)[0])


def initialized_value(s: ForeignNode) -> Operation:
    """The end of the branch that our files have for `v.initialized_value()`."""
    initial, resource = s.attr("_penstock_initial", "s"), s.attr("_penstock_variable", "s")
    return s.add("InitializedValue", s.tensor(initial.decode()), resource.decode("utf-8", "surrogatepass"))


def _assign(s: ForeignNode) -> Operation:
    resource, shape = _referred(s)
    _, value = s.take(2)
    checked = s.attr("validate_shape", "b", True) or s.node.op == "AssignVariableOp"
    return s.add("Assign", value, resource, shape if checked else TensorShape(None))


def _update(type: str) -> Callable[[ForeignNode], Operation]:
    def read(s: ForeignNode) -> Operation:
        resource, shape = _referred(s)
        return s.add(type, s.take(2)[1], resource, shape)

    return read


def _scatter(type: str) -> Callable[[ForeignNode], Operation]:
    def read(s: ForeignNode) -> Operation:
        resource, shape = _referred(s)
        _, indices, updates = s.take(3)
        return s.add(type, indices, updates, resource, shape)

    return read


def _write_slice(s: ForeignNode) -> Operation:
    resource, shape = _referred(s)
    _, *vectors, value = s.take(5)
    index, bounds = index_of(s, vectors)
    return s.add("StridedSliceAssign", value, index, resource, shape, bounds)


def _count_up(s: ForeignNode) -> Operation:
    resource, shape = _referred(s)
    return s.add("CountUpTo", s.attr("limit", "i"), resource, s.inputs[0].dtype, shape)


def _resource_gather(s: ForeignNode) -> Operation:
    resource, shape = _referred(s)
    variable, indices = s.take(2)
    if s.attr("batch_dims", "i", 0) != 0:
        raise Unsupported("it gathers in batches")
    (value,) = s.helper("read", "ReadVariableOp", resource, variable.dtype, shape, after=s.controls)
    return s.add("Gather", value, indices)


def _variable_shape(s: ForeignNode) -> Operation:
    (variable,) = s.take(1)
    if s.scope.is_inside and variable.op.opdef.facts.state:
        resource, shape = _referred(s)
        (variable,) = s.helper("read", "ReadVariableOp", resource, variable.dtype, shape, after=s.controls)
    return s.add("Shape", variable)


def read_after_controls(s: ForeignNode) -> None:
    """Let a node with control inputs read its references to variables after these."""

    def read(number: int, tensor: Tensor) -> Tensor:
        if tensor.op.opdef.facts.state != "holds" or s.is_snapshot(number):
            return tensor
        op = tensor.op
        return s.helper(f"read_{number}", "ReadVariableOp", op.args[0], tensor.dtype, tensor.shape, after=s.controls)[0]

    s.replace_inputs(tuple(read(number, tensor) for number, tensor in enumerate(s.inputs)))


# ---- checkpoints --------------------------------------------------------------------------------


def _restore_v2(s: ForeignNode) -> Operation:
    return s.add("RestoreV2", *s.take(3), tuple(dtype_of(number) for number in s.attr("dtypes", "list").type))


def _restore_one(s: ForeignNode) -> Operation:
    """Nodes of version 1 restore one tensor, whose name is a scalar."""
    path, *texts = s.inputs
    vectors = [s.helper(f"name_{i}", "Pack", (text,))[0] for i, text in enumerate(texts)]
    if len(vectors) == 1:
        vectors.append(s.constant("slice", np.array([b""], object)))
    return s.add("RestoreV2", path, *vectors, (s.attr("dt", "type"),))


def _save(s: ForeignNode) -> Operation:
    """Save has no parts of variables."""
    path, names, *data = s.inputs
    parts: Array = np.empty(len(data), object)
    parts[:] = b""
    return s.add("SaveSlices", path, names, s.constant("parts", parts), tuple(data))


_ROWS = ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update", "NdAdd", "NdSub", "NdUpdate")

STATE_NODES: dict[str, Callable[[ForeignNode], Operation | Made]] = {
    "Assign": _assign,
    "AssignAdd": _update("AssignAdd"),
    "AssignAddVariableOp": _update("AssignAdd"),
    "AssignSub": _update("AssignSub"),
    "AssignSubVariableOp": _update("AssignSub"),
    "AssignVariableOp": _assign,
    "CountUpTo": _count_up,
    "ResourceCountUpTo": _count_up,
    "Identity": _identity,
    "IsVariableInitialized": _is_initialized,
    "ReadVariableOp": _read,
    "ResourceGather": _resource_gather,
    "ResourceStridedSliceAssign": _write_slice,
    "Restore": _restore_one,
    "RestoreSlice": _restore_one,
    "RestoreV2": _restore_v2,
    "Save": _save,
    "StridedSliceAssign": _write_slice,
    "VarHandleOp": _variable,
    "VarIsInitializedOp": _is_initialized,
    "Variable": _variable,
    "VariableShape": _variable_shape,
    "VariableV2": _variable,
    **{f"Scatter{how}": _scatter(f"Scatter{how}") for how in _ROWS},
    **{f"ResourceScatter{how}": _scatter(f"Scatter{how}") for how in _ROWS},
}
"""TensorFlow's node -> the rule that reads it."""
