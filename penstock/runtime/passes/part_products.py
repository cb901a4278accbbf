"""Parts of products: split(a @ b) becomes a @ split(b), where some parts are not needed.

A cell of a recurrent network multiplies concat(1, [x, h]) by its weights, so the gradient of the concat is split into
that of x and that of h. Where x is fed, the first is not needed, which is half of the product.

Law: a column of a product needs the same column of the right factor alone, and a row the same row of the left one. The
sums are the same, but BLAS may add in another order for other sizes: a trial tells (`products/trials_of_parts.py`).
Only factors whose parts lie in one piece are taken apart: rows of a left factor, columns of a transposed right one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...graph.building.constant_evaluation import known_int
from ...graph.declare.effects import effects_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import shape_of
from ...ops.create.constant_and_placeholder import const
from ...ops.linalg.matmul import matmul
from ...ops.move.slicing import slice as slice_op
from ...ops.move.slicing import split
from ...ops.move.split_sizes import split_sizes
from ..ir.stage import Notes, Rebuild, Stage, TensorReaders, free_name
from ..kernels.products.trials_of_parts import FEWEST, parts_have_the_same_bits


def with_part_products(stage: Stage, notes: Notes) -> Stage:
    """The stage with the needed parts of products instead of whole products."""
    splits = [op for op in stage.operations if op.opdef in (split, split_sizes) and _product_of(op) is not None]
    if not splits:
        return stage
    readers = TensorReaders(stage)
    used_parts: dict[Operation, list[int]] = {}
    for op in splits:
        product = _product_of(op)
        used = [i for i, tensor in enumerate(op.outputs) if tensor in readers.kept or readers.of(tensor)]
        alone = product is not None and readers.only(product.outputs[0]) is op
        if alone and readers.held.isdisjoint((product, op)) and 0 < len(used) < len(op.outputs) and _is_worth(op, used):
            used_parts[op] = used
    if not used_parts:
        return stage
    copy = Rebuild(stage)
    names = {op.name for op in stage.operations}
    factors: dict[tuple[Tensor, int, int], Tensor] = {}
    for op in stage.operations:
        copy.copy(op)
        if op in used_parts:
            _emit(copy, op, used_parts[op], names, factors)
            notes.applied("part-products", op.name)
    return copy.finish()


def _product_of(op: Operation) -> Operation | None:
    """The product of two matrices of floats that an operation splits; None if it splits something else."""
    value = op.args[2] if op.opdef is split else op.args[0]
    source: Operation = value.op
    if source.opdef is not matmul or any(source.args[4:8]) or value.dtype.name not in ("float32", "float64"):
        return None
    plain = all(
        effects_of(each).is_pure and not each.control_inputs and not each.device for each in (op, source)
    )
    known = all(t.shape.is_known and t.shape.ndims == 2 for t in (*source.inputs, value, *op.outputs))
    return source if plain and known and len(source.inputs) == 2 else None


def _axis(op: Operation) -> int | None:
    axis = known_int(op.args[0] if op.opdef is split else op.args[2])
    return None if axis is None else axis % 2


def _sizes(tensor: Tensor) -> tuple[int, int]:
    first, second = tensor.shape.raw or ()
    assert isinstance(first, int) and isinstance(second, int)  # `_product_of` looked
    return first, second


def _parts(op: Operation, axis: int, used: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """(first, number) of the used parts along the axis."""
    numbers = [_sizes(tensor)[axis] for tensor in op.outputs]
    return tuple([(sum(numbers[:i]), numbers[i]) for i in used])


def _is_worth(op: Operation, used: Sequence[int]) -> bool:
    product, axis = _product_of(op), _axis(op)
    if product is None or axis is None:
        return False
    a, _, turned_a, turned_b = product.args[:4]
    if turned_a if axis == 0 else not turned_b:
        return False  # the part would not lie in one piece
    rows, columns = _sizes(product.outputs[0])
    inner = _sizes(a)[0 if turned_a else 1]
    parts = _parts(op, axis, used)
    left_out = (rows, columns)[axis] - sum([number for _, number in parts])
    if left_out * inner * (rows, columns)[1 - axis] < FEWEST or not all(number for _, number in parts):
        return False
    kind: str = a.dtype.name
    return parts_have_the_same_bits(kind, rows, inner, columns, (bool(turned_a), bool(turned_b)), axis, parts)


def _emit(
    copy: Rebuild, op: Operation, used: Sequence[int], names: set[str], known: dict[tuple[Tensor, int, int], Tensor]
) -> None:
    """Add the products of the used parts; `known` are parts of factors that others have added."""
    product, axis = _product_of(op), _axis(op)
    assert product is not None and axis is not None  # `_is_worth` looked
    a, b, *flags = product.args
    copy.drop(op)
    for number, (first, count) in zip(used, _parts(op, axis, used), strict=True):
        factor = copy.new(b if axis else a)
        part = known.get((factor, first, count))
        if part is None:
            numbers = ((first, 0), (count, _sizes(factor)[1]))
            begin, size = [
                copy.emit(const, (np.array(each, np.int32),), (op,), free_name(names, op.name + what), controls=())[0]
                for what, each in zip(("/begin", "/size"), numbers, strict=True)
            ]
            (part,) = copy.emit(slice_op, (factor, begin, size), (op,), free_name(names, f"{op.name}/part"))
            known[factor, first, count] = part
        factors = (copy.new(a), part) if axis else (part, copy.new(b))
        outputs = [(op.outputs[number].dtype, shape_of(_sizes(op.outputs[number])))]
        name = op.name if number == used[0] else free_name(names, op.name)
        (made,) = copy.emit(matmul, (*factors, *flags), (product, op), name, outputs)
        copy.replace(op.outputs[number], made)
