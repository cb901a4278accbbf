"""`map_fn` of elementwise operations: one pass over all rows in place of a loop over rows.

    map over rows of x:  tanh(row) * w        tanh(x) * w

A loop without loop variables, whose rows all run, may compute all rows at once if each operation of its body works
element by element and gives an element the same bits whatever stands beside it. The values that depend on a row must
have the rank of their result, so that captures broadcast against all rows as they do against one.
"""

from __future__ import annotations

from collections.abc import Collection

from ...errors import BuildError
from ...graph.building.builder import infer
from ...graph.building.may_fail import must_run
from ...graph.declare.effects import effects_of
from ...graph.model.append import append_placeholder
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.dimension import Dim
from ...graph.shapes.shape import TensorShape, shape_of
from ...ops.control.while_op import always_goes_on, while_op
from ..ir.fused_ir import Body, Instruction, value_of
from ..ir.scalar_ir import CannotLower, lower
from ..ir.stage import Notes, Rebuild, Stage, free_name, with_tensors
from .iteration_counts import is_one_size


def with_whole_rows(stage: Stage, notes: Notes) -> Stage:
    """The stage in which loops that compute rows element by element are elementwise operations."""
    plans = {op: found for op in stage.operations if op.opdef is while_op and (found := _row_values(op)) is not None}
    if not plans:
        return stage
    read = {t for op in stage.operations for t in op.inputs} | {*stage.fetches, *stage.pinned}
    plans = {op: found for op, found in plans.items() if op.outputs[-1] not in read and op not in stage.targets}
    if not plans:
        return stage
    copy = Rebuild(stage)
    names = {op.name for op in stage.operations}
    for op in stage.operations:
        if op not in plans:
            copy.copy(op)
            continue
        outputs = _inlined(copy, op, plans[op], names)
        copy.settle(op, outputs, outputs[0].op, op.outputs[: len(outputs)])
        notes.applied("WholeRows", op.name)
    return copy.finish()


def computes_whole_rows(op: Operation) -> bool:
    """Whether an operation is a loop over rows that becomes operations on all rows."""
    return op.opdef is while_op and _row_values(op) is not None


def _row_values(op: Operation) -> set[Tensor] | None:
    """The tensors of the body that differ from row to row; None if the loop has to run row by row."""
    limit, operands, cond, body, variables, rows, *_ = op.args
    if limit is not None or variables or not rows or not body.outputs or not always_goes_on(cond):
        return None
    if op.control_inputs or body.equations or body.targets or body.pinned:
        return None
    sizes = [t.shape.raw[0] for t in operands[:rows] if t.shape.raw]
    if len(sizes) < rows or not all(is_one_size(size, sizes[0]) for size in sizes):
        return None
    row_values = set(body.inputs[:rows])
    if any(t.shape.raw is None for t in body.inputs):
        return None
    for inner in body.operations:
        if inner.opdef.facts.is_constant:
            continue
        if not _is_elementwise(inner) or must_run(inner):
            return None
        if any(t in row_values for t in inner.inputs):
            rank = inner.outputs[0].shape.ndims
            if any(
                (t.shape.ndims != rank) if t in row_values else (t.shape.ndims or 0) > (rank or 0)
                for t in inner.inputs
            ):
                return None
            row_values.update(inner.outputs)
    if not all(t in row_values for t in body.outputs) or not _take_rows(body, row_values, sizes[0]):
        return None
    return row_values


def _take_rows(body: SubGraph, differ: Collection[Tensor], size: Dim) -> bool:
    """Whether the operations of a body take all rows at once, next to what is the same in each row.

    Their shape rules say: some elementwise operations want operands of one shape, and do not broadcast.
    """
    graph = Graph()
    outer: dict[Tensor, Tensor] = {}

    def stand_in(tensor: Tensor) -> Tensor:
        shape = shape_of([size, *(tensor.shape.raw or ())]) if tensor in differ else tensor.shape
        return outer.setdefault(tensor, append_placeholder(graph, tensor.dtype, shape, tensor.op.name, ()))

    for op in body.operations:
        if op.outputs[0] in differ:
            args = [with_tensors(arg, stand_in) for arg in op.args]
            try:
                (_, shape), *_ = infer(op.opdef, args)[1]
            except BuildError:
                return False
            if shape.raw != stand_in(op.outputs[0]).shape.raw:
                return False
    return True


def _is_elementwise(op: Operation) -> bool:
    """True if the operation gives each element the same bits, whatever stands beside it, and cannot fail."""
    return gives_equal_bits(op) and not op.opdef.facts.can_fail & (*op.inputs, *op.outputs)[0].dtype.bit


def gives_equal_bits(op: Operation) -> bool:
    """True if the operation works element by element and gives each the same bits, whatever stands beside it."""
    opdef, facts = op.opdef, op.opdef.facts
    if not facts.elementwise or not opdef.is_tensorwise or opdef.calls_user_code or op.control_inputs:
        return False
    tensors = (*op.inputs, *op.outputs)
    if not effects_of(op).may_rewrite or any(t.shape.raw is None or t.dtype.is_string for t in tensors):
        return False
    if facts.staged and _has_powers(op):
        return False
    return opdef.fuse_rule is None or opdef.fuse_rule(*op.args) is None


def _has_powers(op: Operation) -> bool:
    """True if the operation calls NumPy's power, which gives other last bits for one exponent than for many."""
    dtypes = tuple([t.dtype for t in op.inputs])
    numbers = iter(range(len(dtypes)))
    args = tuple([value_of(next(numbers)) if isinstance(arg, Tensor) else arg for arg in op.args])
    result = value_of(len(dtypes))
    body = Body(dtypes, (Instruction(op.type, args, op.outputs[0].dtype),), (result,))
    try:
        program = lower(body, [(result, op.outputs[0].dtype)])
    except CannotLower:
        return True
    return any(step.primitive == "power" for step in program.steps)


def _inlined(copy: Rebuild, loop: Operation, differ: Collection[Tensor], names: set[str]) -> list[Tensor]:
    """The operations of the body on all rows; the stacks."""
    body: SubGraph = loop.args[3]
    operands = [copy.new(t) for t in loop.args[1]]
    outer: dict[Tensor, Tensor] = dict(zip(body.inputs, operands, strict=True))
    size = operands[0].shape.raw[0] if operands[0].shape.raw else None

    def shape_for(tensor: Tensor) -> TensorShape:
        if tensor not in differ or tensor.shape.raw is None or size is None:
            return tensor.shape
        return shape_of([size, *tensor.shape.raw])

    for op in body.operations:
        args = [with_tensors(arg, outer.__getitem__) for arg in op.args]
        name = free_name(names, op.name, ".")
        made = copy.emit(op.opdef, args, (op,), name, [(t.dtype, shape_for(t)) for t in op.outputs])
        outer.update(zip(op.outputs, made, strict=True))
    return [outer[t] for t in body.outputs]
