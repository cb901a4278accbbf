"""TensorArrays in loops as rows and stacks: what is read and written at the iteration's position.

    before                                        after
    a = TensorArray(n).unstack(x)                 rows of x
    loop: y = f(a.read(i)); b = b.write(i, y)     loop: y = f(row); stack y
    b.stack()                                     the stack

Loops then hold tensors only, which compiled loops keep where they lie. The gradients of reads and writes go the same
way: an array of gradients that is read or added to at the position is rows or a stack, too. An array that something
else uses after its loop is made of the stack there. Other arrays stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from ...graph.building.constant_evaluation import known_scalar, known_value
from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.op_declaration import OpDef
from ...graph.model.append import append_placeholder
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.dimension import Dim
from ...graph.shapes.dtypes import int64
from ...graph.shapes.shape import TensorShape, shape_of
from ...ops.control.while_op import always_goes_on, while_op
from ...ops.create.constant_and_placeholder import const
from ...ops.create.shape_size_rank import shape
from ...ops.declare.held_graphs import means_the_same, outer_symbols
from ...ops.elementwise.casting import cast
from ...ops.move.concat_stack import concat
from ...ops.move.slicing import slice as slice_op
from ...ops.tensor_array.array_reading import array_gather, array_read, stacked_rows
from ...ops.tensor_array.array_writing import array_scatter, array_write, new_array
from ...ops.tensor_array.gradient_elements import element_or_zeros, placed_rows, rows_or_zeros
from ...ops.tensor_array.variant_boxing import no_variant
from ...ops.tensor_array.variant_sums import add_element
from ..ir.body_stages import body_of, stage_of
from ..ir.stage import Notes, Rebuild, Stage
from .iteration_counts import count_iterations, is_one_size, positions

RULE = "ArraysAsRows"


def with_arrays_as_rows(stage: Stage, notes: Notes) -> Stage:
    """The stage in which loops have rows and stacks in place of TensorArrays; the stage itself if there are none."""
    if not any(op.opdef is while_op and _holds_arrays(op) for op in stage.operations):
        return stage
    copy = Rebuild(stage)
    counted: set[Tensor] = set()
    changed = False
    for op in stage.operations:
        if op.opdef is while_op:
            loop = _ArrayLoop(op, [copy.new(t) for t in op.args[1]], counted)
            if loop.finds_rows():
                results: Sequence[Tensor] = loop.emitted(copy)
                notes.applied(RULE, op.name)
                changed = True
            else:
                results = copy.copy(op).outputs
                if _holds_arrays(op):
                    notes.refused(RULE, op.name, "no TensorArray in it is read or written at the iteration's position")
            counted.update(loop.counted_stacks(results))
            continue
        value = _rows_back(op, copy) if changed else None
        if value is None:
            copy.copy(op)
        else:
            copy.drop(op, value.op)
            copy.replace(op.outputs[0], value, for_good=True)
    return copy.finish() if changed else stage


def _holds_arrays(op: Operation) -> bool:
    return any(t.dtype.is_variant for t in op.args[1])


# ---- outside of loops ---------------------------------------------------------------------------


def _rows_back(op: Operation, copy: Rebuild) -> Tensor | None:
    """The tensor that an operation outside reads out of an array as it was put in; None if that is not certain."""
    if not op.outputs or op.control_inputs or op in copy.stage.targets or op.outputs[0] in copy.stage.pinned:
        return None
    if op.opdef is array_gather and op.args[4] is None:
        rows = _written_rows(copy.new(op.inputs[0]))
        if rows is None or not may_be(rows, op.outputs[0]):
            return None
        size = rows.shape.raw[0] if rows.shape.raw else None
        row = (op.outputs[0].shape.raw or (None, None))[1:]
        if all(isinstance(dim, int) for dim in row) or (isinstance(size, int) and size > 0):
            return rows
        (checked,) = copy.emit(stacked_rows, (rows, copy.new(op.inputs[0]).op.inputs[0].op.args[2]), (op,),
                               outputs=[(rows.dtype, rows.shape)])  # fmt: skip
        return checked
    if op.opdef is rows_or_zeros and op.args[4] is None:
        made = copy.new(op.inputs[0]).op
        if made.opdef is placed_rows and made.args[1] is None and _is_same(made.inputs[0], op.outputs[0]):
            return made.inputs[0]
    return None


def _written_rows(array: Tensor) -> Tensor | None:
    """The tensor whose rows are all the elements of an array, in order; None if that is not certain."""
    scatter = array.op
    if scatter.opdef is not array_scatter or scatter.args[2] is not None or scatter.control_inputs:
        return None
    made, value = scatter.inputs
    if made.op.opdef is not new_array or made.op.control_inputs or not value.shape.raw:
        return None
    _, dtype, element_shape, dynamic, *_ = made.op.args
    size = known_scalar(made.op.inputs[0])
    if dtype is not value.dtype or not _allows(element_shape, value.shape.raw[1:]) or size is None:
        return None
    is_full = size == 0 if dynamic and isinstance(size, int) else is_one_size(size, value.shape.raw[0])
    return value if is_full else None


def _allows(declared: TensorShape, dims: Sequence[Dim]) -> bool:
    """Whether an array with the declared shape of elements takes one of this shape in each run."""
    if declared.raw is None:
        return True
    return len(declared.raw) == len(dims) and all(
        not isinstance(a, int) or a == b for a, b in zip(declared.raw, dims, strict=True)
    )  # a kernel compares numbers only


def _is_same(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors certainly have one dtype and shape."""
    x, y = a.shape.raw, b.shape.raw
    if a.dtype is not b.dtype or x is None or y is None or len(x) != len(y):
        return False
    return all(is_one_size(i, j) for i, j in zip(x, y, strict=True))


def may_be(a: Tensor, b: Tensor) -> bool:
    """Whether `a` may stand for `b`: it has its dtype and every size that is known of it as a number."""
    return a.dtype is b.dtype and a.shape.raw is not None and _allows(b.shape, a.shape.raw)


# ---- one loop -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Changes:
    """What becomes of the arrays of one loop.

    Attributes:
        reads: operation of the body -> the tensor outside whose row at the position it reads.
        zeros: operation of the body -> the array of gradients outside, and the shape of the rows that are taken out of
            it before the loop, whose first dimension is that of the loop's rows where the iterations are not a number.
        writes: place of a loop variable -> the operation of the body that writes its element at the position.
        passed: places of loop variables that no iteration changes.
    """

    reads: dict[Operation, Tensor] = field(default_factory=dict)
    zeros: dict[Operation, tuple[Tensor, tuple[Dim, ...]]] = field(default_factory=dict)
    writes: dict[int, Operation] = field(default_factory=dict)
    passed: list[int] = field(default_factory=list)


class _ArrayLoop:
    """A loop and what changes in it.

    Args:
        op: the loop.
        operands: its operands in the new stage.
        counted: tensors of the new stage whose rows are 0, 1, 2 and so on.
    """

    def __init__(self, op: Operation, operands: Sequence[Tensor], counted: Collection[Tensor]) -> None:
        self.op = op
        self._operands = operands
        self._limit, _, self._cond, self._body, self._variables, self._rows, self._reverse = op.args[:7]
        self._positions = positions(operands, self._body, self._variables, self._rows, self._reverse, counted)
        self._changes = _Changes()
        self._uses = Counter(t for each in self._body.operations for t in each.inputs)
        self._uses.update(self._body.outputs)
        self._uses.update(t for each in self._cond.operations for t in each.inputs)

    def counted_stacks(self, results: Sequence[Tensor]) -> list[Tensor]:
        """Those of the loop's results in the new stage whose rows are 0, 1, 2 and so on."""
        first = self._variables
        return [results[i] for i, t in enumerate(self._body.outputs) if i >= first and t in self._positions]

    # ---- what changes ---------------------------------------------------------------------------

    def finds_rows(self) -> bool:
        """Find what changes; False if nothing does."""
        if not self._positions or not _holds_arrays(self.op) or self._body.equations:
            return False
        body, changes = self._body, self._changes
        self._count = count_iterations(self._limit, self._operands, self._cond, body, self._variables, self._rows,
                                       self._positions)  # fmt: skip
        self._known = outer_symbols(self._operands, body.inputs)
        places = {t: i for i, t in enumerate(body.inputs)}
        self._outside = outside = {t: self._operands[i] for t, i in places.items()
                   if i >= self._variables + self._rows or body.outputs[i : i + 1] == (t,)}  # fmt: skip
        read = set(body.pinned)
        for op in body.operations:
            if op.control_inputs or op in body.targets or any(t in read for t in op.outputs) or len(op.inputs) < 2:
                continue
            if op.opdef is array_read and op.inputs[0] in outside and op.inputs[1] in self._positions:
                rows = _written_rows(outside[op.inputs[0]])
                if rows is not None and self._is_bounded(rows) and self._is_row(rows, op.outputs[0]):
                    changes.reads[op] = rows
            elif op.opdef is element_or_zeros and op.inputs[0] in outside and op.inputs[1] in self._positions:
                self._find_zeros(op, outside[op.inputs[0]])
        for place in range(self._variables):
            if body.inputs[place].dtype.is_variant:
                self._find_write(place)
        if not (changes.reads or changes.zeros or changes.writes):
            return False
        changes.passed = [i for i in range(self._variables)
                          if body.inputs[i].dtype.is_variant and body.outputs[i] is body.inputs[i]]  # fmt: skip
        return True

    def _is_bounded(self, rows: Tensor) -> bool:
        """Whether there is a row for each iteration, and rows do not end the loop earlier than it would end."""
        dims = rows.shape.raw or ()
        return bool(dims) and any(is_one_size(dims[0], bound) for bound in self._count.bounds)

    def _is_row(self, rows: Tensor, element: Tensor) -> bool:
        dims, row = rows.shape.raw, element.shape.raw
        if not dims or row is None or rows.dtype is not element.dtype or len(dims) != len(row) + 1:
            return False
        return all(is_one_size(a, b) for a, b in zip(dims[1:], row, strict=True))

    def _find_zeros(self, op: Operation, array: Tensor) -> None:
        """Find whether the rows that a gradient reads can be had before the loop."""
        made, element = array.op, op.outputs[0]
        rows = made.inputs[0] if made.opdef is placed_rows and made.args[1] is None else None
        count, dims = self._count.count, _sizes_of_element(op)
        if rows is not None and self._is_bounded(rows) and self._is_row(rows, element):
            self._changes.reads[op] = rows
        elif dims is not None and all(isinstance(dim, int) for dim in dims):
            if isinstance(count, int):
                self._changes.zeros[op] = array, (count, *dims)
            elif self._rows and self._operands[self._variables].shape.raw:
                self._changes.zeros[op] = array, (self._operands[self._variables].shape.raw[0], *dims)

    def _find_write(self, place: int) -> None:
        """Find whether what the iterations write to a loop variable can be a stack."""
        body, start = self._body, self._operands[place].op
        before, op = body.inputs[place], body.outputs[place].op
        if op.opdef not in (array_write, add_element) or op.inputs[0] is not before or op.control_inputs:
            return
        if self._uses[before] != 1 or self._uses[op.outputs[0]] != 1 or before in body.pinned or op in body.targets:
            return
        _, index, value = op.inputs
        dims = value.shape.raw
        if index not in self._positions or dims is None or value.dtype.is_variant:
            return
        if not all(means_the_same(dim, self._known) for dim in dims):
            return
        if op.opdef is add_element:
            if start.opdef is no_variant:
                self._changes.writes[place] = op
            return
        if start.opdef is not new_array or start.control_inputs:
            return
        _, dtype, element_shape, dynamic, *_ = start.args
        size = known_scalar(start.inputs[0])
        if dtype is not value.dtype or not _allows(element_shape, dims) or size is None:
            return
        if any(is_one_size(size, bound) for bound in self._count.bounds) or (dynamic and size == 0):
            self._changes.writes[place] = op

    # ---- the new loop ---------------------------------------------------------------------------

    def emitted(self, copy: Rebuild) -> list[Tensor]:
        """Emit the loop, and what stands for its results; gives these."""
        changes, op, count = self._changes, self.op, self._variables
        rows = dict(changes.reads)
        copy.cover([self._outside[inner.inputs[0]].op for inner in rows])  # the rows fit: that cannot fail
        for inner, (array, dims) in changes.zeros.items():
            rows[inner] = self._taken_out(copy, inner, array, dims)
        distinct = list(dict.fromkeys(rows.values()))
        gone = {*changes.writes, *changes.passed}
        kept = [i for i in range(count) if i not in gone]
        given = list(range(count, count + self._rows))
        captures = [i for i in (*range(count + self._rows, len(self._operands)), *changes.passed) if self._is_read(i)]
        operands = [*[self._operands[i] for i in (*kept, *given)], *distinct, *[self._operands[i] for i in captures]]
        body = self._new_body(kept, given, captures, rows, distinct)
        cond = self._new_cond(kept, given, captures, distinct)
        args = (self._new_limit(copy, bool(given or distinct)), tuple(operands), cond, body, len(kept),
                len(given) + len(distinct), *op.args[6:])  # fmt: skip
        outputs = copy.emit(while_op, args, (op,), op.name)
        results: list[Tensor] = []
        stacks = iter(outputs[len(kept) + len(self._body.outputs) - count :])
        last = iter(outputs)
        made_of = {place: next(stacks) for place in changes.writes}
        for place in range(count):
            if place in made_of:
                results.append(self._array_of(copy, place, made_of[place]))
            else:
                results.append(self._operands[place] if place in gone else next(last))
        results += [*outputs[len(kept) : len(kept) + len(self._body.outputs) - count], outputs[-1]]
        copy.settle(op, results, outputs[0].op)
        return results

    def _is_read(self, place: int) -> bool:
        """Whether something in the new loop still reads an input."""
        body, cond = self._body, self._cond
        inner, test = body.inputs[place], cond.inputs[place]
        if not inner.dtype.is_variant or inner in body.pinned or test in (*cond.outputs, *cond.pinned):
            return True
        changes = self._changes
        results = [t for i, t in enumerate(body.outputs) if i not in changes.writes and i not in changes.passed]
        rest = [op for op in body.operations if op not in changes.reads and op not in changes.zeros]
        return inner in results or any(inner in op.inputs or test in op.inputs for op in (*rest, *cond.operations))

    def _taken_out(self, copy: Rebuild, op: Operation, array: Tensor, dims: tuple[Dim, ...]) -> Tensor:
        """All rows that a gradient reads, as a tensor before the loop."""
        name, dtype = f"{self.op.name}/{op.name.rpartition('/')[2]}", op.outputs[0].dtype
        count, *row = dims
        if isinstance(count, int):
            (sizes,) = copy.emit(const, (np.array(dims, np.int32),), (op,), f"{name}/sizes", controls=())
        else:  # as many as there are rows of another operand
            sizes = self._sizes_like(copy, op, f"{name}/sizes", row)
        (rows,) = copy.emit(rows_or_zeros, (array, sizes, dtype, shape_of(dims), None), (op,), name, controls=())
        return rows

    def _sizes_like(self, copy: Rebuild, op: Operation, name: str, row: Sequence[Dim]) -> Tensor:
        """The sizes of a tensor with as many rows as the first operand that is given by rows."""

        def emitted(opdef: OpDef[Any, Any], args: tuple[Any, ...], label: str) -> Tensor:
            return copy.emit(opdef, args, (op,), f"{name}/{label}", controls=())[0]

        axis = emitted(const, (np.array([0], np.int32),), "axis")
        one = emitted(const, (np.array([1], np.int32),), "one")
        whole = emitted(shape, (self._operands[self._variables],), "like")
        count = emitted(slice_op, (whole, axis, one), "count")
        rest = emitted(const, (np.array(row, np.int32),), "row")
        first = emitted(const, (np.array(0, np.int32),), "dim")
        return emitted(concat, (first, (count, rest)), "all")

    def _array_of(self, copy: Rebuild, place: int, stack: Tensor) -> Tensor:
        """The array that has the rows of a stack, for other uses of the array."""
        op = self._changes.writes[place]
        name = f"{self.op.name}/{op.name.rpartition('/')[2]}"
        if op.opdef is add_element:
            (array,) = copy.emit(placed_rows, (stack, None), (op,), name, controls=())
        else:
            (array,) = copy.emit(array_scatter, (self._operands[place], stack, None), (op,), name, controls=())
        copy.cover([array.op])
        return array

    def _new_limit(self, copy: Rebuild, has_rows: bool) -> Tensor | None:
        if self._count.count is None or self._count.limit is None:
            return None if self._limit is None else copy.new(self._limit)
        if has_rows:
            return None
        end = self._count.limit
        name = f"{self.op.name}/limit"
        if end.op.opdef.facts.is_constant:
            return copy.emit(const, (np.array(end.op.args[0], np.int64),), (end.op,), name, controls=())[0]
        return copy.emit(cast, (end, int64), (self.op,), name, controls=())[0]

    def _new_cond(
        self, kept: Sequence[int], given: Sequence[int], captures: Sequence[int], distinct: Sequence[Tensor]
    ) -> SubGraph:
        cond = self._cond
        if self._count.count is None or always_goes_on(cond):
            inner = Rebuild(stage_of(cond))
            inputs = _inputs(inner, cond, (*kept, *given), distinct, captures)
            return body_of(replace(stage_of(cond), feeds=tuple(inputs)), cond)
        inner = Rebuild(Stage((), (), ()))
        inputs = _inputs(inner, cond, (*kept, *given), distinct, captures)
        (true,) = inner.emit(const, (np.array(True),), (self.op,), f"{cond.name}/always", controls=())
        return body_of(Stage((true.op,), tuple(inputs), (true,)), replace(cond, pinned_names=(), captures=()))

    def _new_body(
        self, kept: Sequence[int], given: Sequence[int], captures: Sequence[int], rows: dict[Operation, Tensor],
        distinct: Sequence[Tensor]
    ) -> SubGraph:  # fmt: skip
        body, count = self._body, self._variables
        writes = list(self._changes.writes.values())
        fetches = [*[body.outputs[i] for i in kept], *body.outputs[count:], *[op.inputs[2] for op in writes]]
        inner = Rebuild(replace(stage_of(body), fetches=tuple(fetches)))
        inputs = _inputs(inner, body, (*kept, *given), distinct, captures)
        row_of = dict(zip(distinct, inputs[len(kept) + len(given) :], strict=False))
        for op in body.operations:
            if op in rows:
                inner.drop(op)
                inner.replace(op.outputs[0], row_of[rows[op]], for_good=True)
            elif op in writes:
                inner.drop(op)
            else:
                inner.copy(op)
        made = replace(inner.finish(), feeds=tuple(inputs))
        return body_of(made, replace(body, captures=()))


def _sizes_of_element(op: Operation) -> tuple[Dim, ...] | None:
    """The sizes of what `element_or_zeros` gives: of its result, or those that it is told."""
    sizes = known_value(op.inputs[2])
    return op.outputs[0].shape.raw if sizes is None else tuple(sizes.tolist())


def _inputs(
    inner: Rebuild, body: SubGraph, first: Sequence[int], rows: Sequence[Tensor], captures: Sequence[int]
) -> list[Tensor]:
    """The inputs of a body: some of its own, new ones for rows, and more of its own."""
    new = [append_placeholder(inner.graph, t.dtype, shape_of((t.shape.raw or ())[1:]), f"{body.name}/row_{i}",
                              t.op.origins) for i, t in enumerate(rows)]  # fmt: skip
    return [*[body.inputs[i] for i in first], *new, *[body.inputs[i] for i in captures]]
