"""What stands before and behind an operation of a stage: who alone reads a value, what computes element by element.

`joint_steps` and `stream_joints` ask it when they choose steps that one call may compute.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import prod

from ...graph.building.may_fail import why_it_may_fail
from ...graph.declare.effects import effects_of
from ...graph.declare.op_facts import combines_rows
from ...graph.model.nodes import Operation, Tensor
from ..ir.fused_ir import LARGEST, fused
from ..ir.stage import Stage, TensorReaders


def keeps_little(op: Operation, readers: TensorReaders) -> bool:
    """Whether the operands that only `op` needs take no more memory than its result, which they replace."""
    own = {t for t in op.inputs if readers.only(t) is op and not t.op.opdef.facts.is_constant}
    return sum(map(bytes_of, own)) <= bytes_of(op.outputs[0])


def bytes_of(tensor: Tensor) -> int:
    """The bytes of a tensor of known sizes."""
    return prod(sizes_of(tensor) or ()) * tensor.dtype.size


def operation_after(stage: Stage, op: Operation) -> Operation | None:
    """The operation after `op`, constants left out."""
    return next((each for each in _after(stage, op) if not each.opdef.facts.is_constant), None)


def is_first_to_fail(stage: Stage, op: Operation, reader: Operation) -> bool:
    """Whether no operation between the two has effects or may fail, so that `op` may come right before the reader."""
    for each in _after(stage, op):
        if each is reader:
            return True
        members = each.args[1].operations if each.opdef is fused else (each,)
        if not effects_of(each).is_pure or any(why_it_may_fail(member) is not None for member in members):
            return False
    return False


def _after(stage: Stage, op: Operation) -> Iterator[Operation]:
    """The operations after `op`."""
    after = iter(stage.operations)
    for each in after:
        if each is op:
            break
    return after


def sizes_of(tensor: Tensor) -> tuple[int, ...] | None:
    """The sizes of a tensor if all are known."""
    dims = tensor.shape.raw
    return dims if dims is not None and all(d.__class__ is int for d in dims) else None  # type: ignore[return-value]


def is_alone(op: Operation, held: Collection[Operation]) -> bool:
    """Whether nothing fixes the place of an operation but its operands."""
    return effects_of(op).is_pure and not op.control_inputs and not op.device and op not in held


def computes_elements(op: Operation, readers: TensorReaders) -> bool:
    """Whether an operation computes its one result element by element, and cannot fail."""
    return len(op.outputs) == 1 and _is_elementwise(op, readers.held)


def _is_elementwise(op: Operation, held: Collection[Operation]) -> bool:
    if not is_alone(op, held) or any(sizes_of(t) is None or t.dtype.holds_objects for t in (*op.inputs, *op.outputs)):
        return False
    if len({t.shape.raw for t in op.outputs}) > 1:
        return False
    if op.opdef is not fused:
        opdef = op.opdef
        allowed = opdef.facts.elementwise and opdef.is_tensorwise and bool(op.inputs)
        if not allowed or (opdef.fuse_rule is not None and opdef.fuse_rule(*op.args) is not None):
            return False
        return why_it_may_fail(op) is None
    members = [each for each in op.args[1].operations if not each.opdef.facts.is_constant]
    return len(members) <= LARGEST and all(
        not combines_rows(each.opdef) and why_it_may_fail(each) is None for each in members
    )


def reads_elements(reader: Operation, op: Operation, readers: TensorReaders) -> bool:
    """Whether `reader` computes results of the shape of what `op` moves, element by element."""
    return _is_elementwise(reader, readers.held) and reader.outputs[0].shape.raw == op.outputs[0].shape.raw
