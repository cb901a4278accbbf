"""A row that is added to a product in another shape is added to the product itself: its loop adds it as it stores.

    reshape(x @ w, shape) + bias    -->    reshape(x @ w + bias, shape)

A dense layer on sequences is such a sum, for its product is of a matrix. Where the sum is alone, in no group, it is a
pass over the result of its own. Behind the product it is none (`execution.joined.summed_products`).

Law: a reshape keeps the elements and their order, so where both shapes end in the length of the row, each element gets
the same number. The reshape fails, or not, as before; the sum cannot.
"""

from __future__ import annotations

from ....graph.model.nodes import Operation, Tensor
from ....ops.linalg.matmul import matmul
from ....ops.move.reshaping import reshape
from ...ir.stage import Notes, Rebuild, Stage, TensorReaders, free_name

RULE = "SumBeforeReshape"


def with_sums_before_reshapes(stage: Stage, notes: Notes) -> Stage:
    """The stage in which rows are added to products before these get another shape; the stage itself if none is.

    Args:
        stage: the stage, whose groups are made.
        notes: where to note what was done.
    """
    sums = [op for op in stage.operations if op.opdef.facts.additive == "sum" and _view(op) is not None]
    if not sums:
        return stage
    readers = TensorReaders(stage)
    moved = {op: view for op in sums if (view := _view(op)) is not None and _is_alone(op, view, readers)}
    if not moved:
        return stage
    copy = Rebuild(stage)
    names = {op.name for op in stage.operations}
    for op in stage.operations:
        view = moved.get(op)
        if view is None:
            copy.copy(op)
            continue
        product, shape = view.args
        operands = [copy.new(product if t is view.outputs[0] else t) for t in op.inputs]
        covered = (view, op)
        copy.cover(covered)
        (total,) = copy.emit(op.opdef, operands, (op,), free_name(names, f"{op.name}.rows"))
        results = copy.emit(reshape, (total, copy.argument(shape)), covered, op.name,
                            [(t.dtype, t.shape) for t in op.outputs])  # fmt: skip
        copy.settle(op, results, results[0].op)
        notes.applied(RULE, op.name)
    return copy.finish()


def _view(op: Operation) -> Operation | None:
    """The reshape of a product to which an operation adds a row that fits both shapes."""
    if len(op.inputs) != 2 or len(op.args) != 2:
        return None
    for view, row in (op.inputs, reversed(op.inputs)):
        if view.op.opdef is reshape and view.op.inputs[0].op.opdef is matmul and _fits(view, row):
            return view.op
    return None


def _fits(view: Tensor, row: Tensor) -> bool:
    length, dims, before = row.shape.raw, view.shape.raw, view.op.inputs[0].shape.raw
    if not length or not dims or not before or len(length) != 1 or not isinstance(length[0], int):
        return False
    return dims[-1] == length[0] == before[-1] and len(before) == 2


def _is_alone(op: Operation, view: Operation, readers: TensorReaders) -> bool:
    """Whether nothing else reads the product and its other shape, and no place in the order of effects is fixed."""
    if not readers.held.isdisjoint((op, view)) or op.control_inputs or view.control_inputs:
        return False
    if op.device != view.device:
        return False
    return all(readers.only(t) is not None for t in (view.outputs[0], view.inputs[0]))
