"""Stacks of boxes as stacks of the values in them, where a plan knows what the loop did not know when it was built.

    forward   box = wrap(x); stack box            -->   stack x
    backward  x = unwrap(row of the stack)        -->   the row

The backward pass of a loop keeps a value whose sizes were not known as boxes, for they might change from one iteration
to the next (`ops.tensor_array.variant_boxing`). Where the feeds' shapes tell the sizes, each box holds an array of one
shape. Then both loops hold tensors only, and can be compiled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...graph.model.append import append_placeholder
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.shape import TensorShape, merge_shapes, shape_of
from ...ops.control.while_op import while_op
from ...ops.tensor_array.variant_boxing import unwrap, wrap
from ..ir.body_stages import body_of, inferred_again, stage_of
from ..ir.stage import Notes, Rebuild, Stage
from .arrays_as_rows import may_be

RULE = "UnboxedStacks"


def with_unboxed_stacks(stage: Stage, notes: Notes) -> Stage:
    """The stage in which boxes of one known shape are no boxes; the stage itself if there are none."""
    loops = [op for op in stage.operations if op.opdef is while_op]
    stacks = {t for op in loops for t in _boxed_stacks(op)}
    if not stacks:
        return stage
    stacks -= {*stage.fetches, *stage.pinned}
    for op in stage.operations:
        if stacks and not stacks.isdisjoint(op.inputs):
            stacks -= _read_as_boxes(op, stacks)
    if not stacks:
        return stage
    copy = Rebuild(stage)
    for op in stage.operations:
        rows = {place: copy.new(t) for place, t in enumerate(op.args[1]) if t in stacks} if op.opdef is while_op else {}
        outputs = [t for t in op.outputs if t in stacks]
        if rows or outputs:
            _copy_loop(copy, op, {t.value_index for t in outputs}, rows)
            notes.applied(RULE, op.name)
        else:
            copy.copy(op)
    return copy.finish()


def _boxed_stacks(op: Operation) -> list[Tensor]:
    """The stacks of a loop whose rows are boxes of arrays of one known shape."""
    body, variables = op.args[3], op.args[4]
    boxes = [t.op for t in body.outputs]
    return [op.outputs[i] for i in range(variables, len(boxes))
            if boxes[i].opdef is wrap and not boxes[i].control_inputs and _is_plain(boxes[i].inputs[0])]  # fmt: skip


def _is_plain(value: Tensor) -> bool:
    return value.shape.is_known and not value.dtype.holds_objects


def _read_as_boxes(op: Operation, stacks: set[Tensor]) -> set[Tensor]:
    """Those of the stacks that an operation reads otherwise than row by row, each as what is in its boxes."""
    if op.opdef is not while_op:
        return stacks.intersection(op.inputs)
    cond, body, variables, rows = op.args[2:6]
    kept = set()
    for place, tensor in enumerate(op.args[1]):
        if tensor not in stacks:
            continue
        value = tensor.op.args[3].outputs[tensor.value_index].op.inputs[0]
        is_row = variables <= place < variables + rows
        if not (is_row and _is_only_unwrapped(cond, body, place, value)):
            kept.add(tensor)
    return kept


def _is_only_unwrapped(cond: SubGraph, body: SubGraph, place: int, value: Tensor) -> bool:
    """Whether all that is read of an input of a loop is the tensor in it, as one that a box of `value` can hold."""
    row, test = body.inputs[place], cond.inputs[place]
    if row in (*body.outputs, *body.pinned) or test in (*cond.outputs, *cond.pinned):
        return False
    if any(test in op.inputs for op in cond.operations):
        return False
    readers = [op for op in body.operations if row in op.inputs]
    return all(op.opdef is unwrap and not op.control_inputs
               and may_be(value, op.outputs[0])
               and op.outputs[0] not in (*body.outputs, *body.pinned) for op in readers)  # fmt: skip


def _copy_loop(copy: Rebuild, op: Operation, outputs: set[int], rows: Mapping[int, Tensor]) -> None:
    """Copy a loop with these stacks of values, and with these operands in the place of stacks of boxes."""
    limit, operands, cond, body, *rest = op.args
    args = (copy.argument(limit), tuple([rows.get(i, copy.new(t)) for i, t in enumerate(operands)]),
            _without_boxes(cond, set(), rows), _without_boxes(body, outputs, rows), *rest)  # fmt: skip
    made = copy.emit(while_op, args, (op,), op.name)
    copy.settle(op, made, made[0].op)


def _without_boxes(body: SubGraph, outputs: set[int], rows: Mapping[int, Tensor]) -> SubGraph:
    """A body or condition that gives and takes values in place of boxes, with the shapes that follow from them."""
    fetches = tuple([t.op.inputs[0] if i in outputs else t for i, t in enumerate(body.outputs)])
    inner = Rebuild(replace(stage_of(body), fetches=fetches))
    inputs = list(body.inputs)
    for place, stack in rows.items():
        before = body.inputs[place]
        inputs[place] = append_placeholder(inner.graph, stack.dtype, shape_of((stack.shape.raw or ())[1:]),
                                           before.op.name, before.op.origins)  # fmt: skip
    values = {body.inputs[place]: inputs[place] for place in rows}

    def settle(before: Tensor, shape: TensorShape) -> TensorShape:
        return merge_shapes(shape, before.shape)

    for op in body.operations:
        if op.opdef is unwrap and op.inputs[0] in values:
            inner.drop(op)
            inner.replace(op.outputs[0], values[op.inputs[0]], for_good=True)
            continue
        bodies = inferred_again(op, inner.new, settle) if op.opdef.bodies else None
        made = inner.copy(op, infer_again=True, bodies=bodies)
        if made is not op:
            for old, tensor in zip(op.outputs, made.outputs, strict=True):
                tensor._shape = settle(old, tensor._shape)
    return body_of(replace(inner.finish(), feeds=tuple(inputs)), replace(body, captures=()))
