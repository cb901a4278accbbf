"""Stream joints: elementwise steps that are computed where an op reads an element, or before it writes one.

    t2 = Fused([t0])             an element of t2 is computed where it is added              segment_sum(f(x), ids)
    t3 = SegmentSum(t2, t1)

    t2 = Cumsum(t0)              what reads t2 is computed before an element is written      relu(cumsum(x))
    t3 = Relu(t2)

    t2 = Gather(t0, t1)          so is a sum over the rows of one index                      sum(gather(x, i), 1)
    t3 = Sum(t2, 1)

The op says that it goes over the rows of an operand or of its result one after the other (`OpFacts.reads_rows`,
`gives_rows`); `execution.fused_nest_calls` makes one nest of the steps. No array of the values in between is written to
memory and read again. As with other joint steps, the steps remain.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ...errors import OpError
from ...graph.building.may_fail import why_it_may_fail
from ...graph.declare.op_declaration import OpDef
from ...graph.model.nodes import Operation, Tensor
from ..ir.element_program import element_program
from ..ir.fused_ir import Body, Instruction, Value, fused
from ..ir.scalar_ir import CannotLower
from ..ir.stage import Stage, TensorReaders
from .neighbours import (
    bytes_of,
    computes_elements,
    is_alone,
    is_first_to_fail,
    keeps_little,
    operation_after,
    reads_elements,
    sizes_of,
)

FEWEST_STREAMED: Final = 3 << 20
"""The fewest bytes of a value in between. Smaller ones stay in the second cache, and native blocks call the steps:
cumsum(x * x, 0) of rows of 16 takes 218 us as two steps and 226 in a nest for 3e5 float32, 740 and 617 for 1e6."""
FEWEST_READ: Final = 1 << 20
"""The same of rows that are read by their numbers: relu(gather(E, i) + b) of 3e5 float32 takes 379 us and 267."""


class StepJoint(NamedTuple):
    """Operations around one that goes over rows, or only moves elements.

    Attributes:
        before: what computes the operand; () if it is there.
        reader: what reads the result; None if it is only returned.
    """

    before: tuple[Operation, ...]
    reader: Operation | None


def streams(opdef: OpDef[..., object]) -> bool:
    """Whether an op goes over the rows of an operand or of its result."""
    return bool(opdef.facts.reads_rows) or opdef.facts.gives_rows


def is_large_stream(op: Operation) -> bool:
    """Whether something that an operation goes over is large."""
    return any(_may_stream(t, op) for t in _streamed(op))


def may_be_large_stream(op: Operation) -> bool:
    """Whether something that an operation goes over is large, or of a size that is not known."""
    return any(sizes_of(t) is None or _may_stream(t, op) for t in _streamed(op))


def _streamed(op: Operation) -> list[Tensor]:
    return [*_operand(op), *(op.outputs if op.opdef.facts.gives_rows else ())]


def stream_joint(stage: Stage, op: Operation, readers: TensorReaders, taken: set[Operation]) -> StepJoint | str:
    """What is computed with an operation that goes over rows; why nothing is.

    taken: operations of other joints.
    """
    if not is_alone(op, readers.held) or any(t.dtype.holds_objects for t in (*op.inputs, *op.outputs)):
        return "its place in the order of steps is fixed, or it moves Python objects"
    before = [t.op for t in _operand(op)
              if t.op not in taken and _may_stream(t, op) and _is_maker(stage, t, op, readers)]  # fmt: skip
    reader = readers.only(op.outputs[0]) if op.opdef.facts.gives_rows and len(op.outputs) == 1 else None
    if reader is not None and (
        reader in taken or not _may_stream(op.outputs[0], op) or not _is_reader(reader, op, readers)
        or (why_it_may_fail(op) is not None and not is_first_to_fail(stage, op, reader))
    ):  # fmt: skip
        reader = None
    if not before and reader is None:
        return "what it reads or gives is too small, or not computed beside it alone, by instructions"
    return StepJoint(tuple(before), reader)


def _operand(op: Operation) -> list[Tensor]:
    """The operand of which an operation reads row after row."""
    facts = op.opdef.facts
    if not facts.reads_rows:
        return []
    operand = op.args[op.opdef.parameters.index(facts.reads_rows)]
    return [] if facts.in_pairs and (operand.shape.ndims or 1) == 1 else [operand]


def _may_stream(tensor: Tensor, op: Operation) -> bool:
    """Whether a value is known to be large."""
    fewest = FEWEST_READ if op.opdef.facts.picks else FEWEST_STREAMED
    return bool(sizes_of(tensor)) and bytes_of(tensor) >= fewest


def _is_maker(stage: Stage, tensor: Tensor, op: Operation, readers: TensorReaders) -> bool:
    """Whether a value is computed element by element, for `op` alone."""
    maker = tensor.op
    if readers.only(tensor) is not op or not computes_elements(maker, readers) or not _may_be_nested(maker):
        return False
    return keeps_little(maker, readers) or operation_after(stage, maker) is op


def _is_reader(reader: Operation, op: Operation, readers: TensorReaders) -> bool:
    """Whether a row of what `reader` gives follows from the same row of what `op` gives."""
    if len(reader.outputs) != 1:
        return False
    if reads_elements(reader, op, readers):
        return _may_be_nested(reader)
    return op.opdef.facts.picks and reader.inputs[0] is op.outputs[0] and is_alone(reader, readers.held) and (
        _sums_rows(reader))  # fmt: skip


def _may_be_nested(op: Operation) -> bool:
    """Whether all that an operation computes for an element is instructions."""
    if op.opdef is fused:
        assert op.opdef.lower_rule is not None  # it makes the body
        body = op.opdef.lower_rule(op.args[1])
    else:
        numbers = {t: Value(i) for i, t in enumerate(dict.fromkeys(op.inputs))}
        args = tuple([numbers[arg] if isinstance(arg, Tensor) else arg for arg in op.args])
        only = Instruction(op.type, args, op.outputs[0].dtype, op.name)
        body = Body(tuple([t.dtype for t in numbers]), (only,), (Value(len(numbers)),))
    try:
        element_program(body)
    except CannotLower:
        return False
    return True


def _sums_rows(reader: Operation) -> bool:
    """Whether an operation is a sum over the axes behind the first one, which are constants, but not over the last."""
    rule, tensor = reader.opdef.reduction, reader.inputs[0]
    sizes = sizes_of(tensor)
    if rule is None or sizes is None or not all(t.op.opdef.facts.is_constant for t in reader.inputs[1:]):
        return False
    if rule.ufunc is not np.add or rule.finish is not None or rule.wide(tensor.dtype) is not tensor.dtype:
        return False
    try:
        axes = rule.axes(len(sizes), *[a.op.args[0] if isinstance(a, Tensor) else a for a in reader.args[1:]])
    except OpError:  # the run will refuse it
        return False
    return bool(axes) and axes == tuple(range(1, 1 + len(axes))) and len(axes) < len(sizes) - 1
