"""Reading and writing rows that the run names: `x[i]`, gather, gather_nd, scatter_nd and updates of rows.

Every index is checked. One that is out of range gives the iteration back to the plain path, whose kernel words the
error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...ops.move.getitem import Index, IndexOperand, Span
from ..ir.fused_ir import Value as ValueNumber
from ..ir.scalar_ir import CannotLower
from ..ir.strides import contiguous_strides
from .elementwise_steps import ElementwiseSteps
from .loop_code import LoopCode
from .loop_values import InMemory, Known, NeedsValue, Number, Value, require_elements
from .number_steps import evaluated, scalar_program


class IndexingSteps:
    """Writes operations with indices that the run computes."""

    def __init__(self, code: LoopCode, elements: ElementwiseSteps) -> None:
        self._code = code
        self._elements = elements

    def rules(self) -> dict[str, Callable[..., Value]]:
        """The writers by op; each takes the arguments of the signature."""
        return {
            "StridedSlice": self.getitem,
            "StridedSliceGrad": self.placed_at_index,
            "Gather": self.gather,
            "GatherNd": self.gather_nd,
            "TensorScatterUpdate": self.update,
            "ScatterNd": self.scatter,
        }

    # ---- x[i, a:b] --------------------------------------------------------------------------

    def getitem(self, tensor: Value, index: Index, bounds: Sequence[Value]) -> Value:
        """`tensor[index]`, where numbers of the index are computed and bounds of slices are not."""
        require_elements(tensor.shape)
        return self._as_value(self._selected(self._elements.block(tensor), index, bounds))

    def placed_at_index(self, shape: Value, dy: Value, index: Index, bounds: Sequence[Value]) -> Value:
        """Zeros with `dy` at `index`: the gradient of `getitem`."""
        if not isinstance(shape, Known):
            raise NeedsValue("a shape is known only in the run")
        sizes = tuple(int(n) for n in shape.array)
        require_elements(sizes)
        made = self._code.intermediate(dy.dtype, sizes)
        place = self._selected(made, index, bounds)
        if place.shape != dy.shape:
            raise CannotLower("the shape of a gradient does not fit its index")
        self._code.clear(made.pointer, made.size * made.dtype.size)
        self._code.copy(place, self._elements.block(dy))
        return self._as_value(made)

    def _selected(self, block: InMemory, index: Index, bounds: Sequence[Value]) -> InMemory:
        """The view of a block at an index."""
        code = self._code
        pointer = block.pointer
        shape: list[int] = []
        strides: list[int] = []
        for at, item in index.expanded(len(block.shape)):
            if item is None:
                shape.append(1)
                strides.append(0)
                continue
            size, stride = block.shape[at], block.strides[at]
            if isinstance(item, Span):
                cut = slice(*[self._bound(b, bounds) for b in (item.start, item.stop, item.step)])
                taken = range(size)[cut]
                require_elements((len(taken),))
                shape.append(len(taken))
                strides.append(stride * taken.step)
                pointer = code.offset(pointer, taken.start * stride)
                continue
            value = bounds[item.number] if isinstance(item, IndexOperand) else Known(np.array(item, np.int64))
            pointer = code.offset(pointer, self._offset_of(value, size, stride, from_the_end=True))
        return InMemory(block.dtype, tuple(shape), pointer, tuple(strides))

    @staticmethod
    def _bound(bound: Any, bounds: Sequence[Value]) -> int | None:
        if isinstance(bound, IndexOperand):
            value = bounds[bound.number]
            if not isinstance(value, Known):
                raise NeedsValue("a bound of a slice is known only in the run")
            return int(value.array)
        return None if bound is None else int(bound)

    # ---- rows -------------------------------------------------------------------------------

    def gather(self, params: Value, indices: Value) -> Value:
        """`params[indices]`."""
        if not params.shape:
            raise CannotLower("gather of a scalar")
        return self._rows(params, indices, 1, indices.shape, params.shape[1:])

    def gather_nd(self, params: Value, indices: Value) -> Value:
        """`params[indices[..., 0], indices[..., 1], ...]`."""
        depth = self._depth(params.shape, indices)
        return self._rows(params, indices, depth, indices.shape[:-1], params.shape[depth:])

    def _depth(self, shape: Sequence[int], indices: Value) -> int:
        depth = indices.shape[-1] if indices.shape else 0
        if not 0 < depth <= len(shape):
            raise CannotLower("its indices do not fit")
        return depth

    def _rows(self, params: Value, indices: Value, depth: int, batch: Any, row: Any) -> Value:
        require_elements((*params.shape, *batch))
        source = self._elements.block(params)
        if prod(batch) == 1:
            pointer = self._row(source, indices, depth, None)
            view = InMemory(source.dtype, (*batch, *row), pointer, (*[0] * len(batch), *source.strides[depth:]))
            return self._as_value(view)
        code = self._code
        made = code.intermediate(source.dtype, (*batch, *row))
        index = code.contiguous(self._elements.block(indices))
        bytes_of_row = prod(row) * source.dtype.size
        with code.counted(prod(batch)) as b:
            of = InMemory(source.dtype, row, self._row(source, index, depth, b), source.strides[depth:])
            to = code.offset(made.pointer, code.scaled(b, bytes_of_row))
            code.copy(InMemory(source.dtype, row, to, tuple(contiguous_strides(row, source.dtype.size))), of)
        return made

    def update(self, tensor: Value, indices: Value, updates: Value) -> Value:
        """`tensor` with rows replaced."""
        depth = self._depth(tensor.shape, indices)
        row, batch = tensor.shape[depth:], indices.shape[:-1]
        self._check(tensor.shape, batch, row, updates)
        code = self._code
        made = code.intermediate(tensor.dtype, tensor.shape)
        code.copy(made, self._elements.block(tensor))
        self._each_row(made, indices, depth, updates, row, lambda to, of: code.copy(to, of))
        return self._as_value(made)

    def scatter(self, indices: Value, updates: Value, shape: Value) -> Value:
        """Zeros with rows added, in the order of the indices."""
        if not isinstance(shape, Known):
            raise NeedsValue("a shape is known only in the run")
        sizes = tuple(int(n) for n in shape.array)
        depth = self._depth(sizes, indices)
        row, batch = sizes[depth:], indices.shape[:-1]
        self._check(sizes, batch, row, updates)
        if not (updates.dtype.is_integer or updates.dtype.name in ("float32", "float64")):
            raise CannotLower(f"sums of {updates.dtype.name}")
        made = self._code.intermediate(updates.dtype, sizes)
        self._code.clear(made.pointer, made.size * made.dtype.size)
        self._each_row(made, indices, depth, updates, row, self._add)
        return self._as_value(made)

    def _add(self, to: InMemory, of: InMemory) -> None:
        code, of = self._code, self._code.contiguous(of)
        add = scalar_program("Add", (ValueNumber(0), ValueNumber(1)), (to.dtype, to.dtype), to.dtype)
        with code.counted(max(to.size, 1)) as i:
            at = code.scaled(i, to.dtype.size)
            a, b = code.offset(to.pointer, at), code.offset(of.pointer, at)
            code.store(to.dtype, evaluated(code, add, [code.load(to.dtype, a), code.load(to.dtype, b)]), a)

    @staticmethod
    def _check(sizes: Any, batch: Any, row: Any, updates: Value) -> None:
        require_elements((*sizes, *batch))
        if updates.shape != (*batch, *row):
            raise CannotLower("the shapes of the updates do not fit")

    def _each_row(
        self, target: InMemory, indices: Value, depth: int, updates: Value, row: Any,
        write: Callable[[InMemory, InMemory], None],
    ) -> None:  # fmt: skip
        code = self._code
        rows = self._elements.block(updates)
        batch = prod(indices.shape[:-1])
        if batch == 1:
            to = InMemory(target.dtype, row, self._row(target, indices, depth, None), target.strides[depth:])
            write(to, InMemory(target.dtype, row, rows.pointer, rows.strides[len(indices.shape) - 1 :]))
            return
        rows, index = code.contiguous(rows), code.contiguous(self._elements.block(indices))
        dense = tuple(contiguous_strides(row, target.dtype.size))
        with code.counted(batch) as b:
            to = InMemory(target.dtype, row, self._row(target, index, depth, b), target.strides[depth:])
            of = code.offset(rows.pointer, code.scaled(b, prod(row) * target.dtype.size))
            write(to, InMemory(target.dtype, row, of, dense))

    def _row(self, source: InMemory, indices: Value, depth: int, vector: str | None) -> str:
        """The address of a row that a vector of indices names. vector: which one, None for the only one."""
        code = self._code
        pointer = source.pointer
        count = prod(indices.shape)
        for k in range(depth):
            if count == 1:
                number: Value = indices
            elif isinstance(indices, Known) and vector is None:
                number = Known(indices.array.reshape(-1)[k])
            else:
                block = code.contiguous(self._elements.block(indices))
                item = block.dtype.size
                start = code.offset(block.pointer, 0 if vector is None else code.scaled(vector, depth * item))
                number = Number(block.dtype, (), code.load(block.dtype, code.offset(start, k * item)))
            pointer = code.offset(pointer, self._offset_of(number, source.shape[k], source.strides[k]))
        return pointer

    def _offset_of(self, index: Value, size: int, stride: int, from_the_end: bool = False) -> int | str:
        """The bytes to an index, after a check of its range."""
        code = self._code
        if isinstance(index, Known):
            at = int(index.array)
            if not (-size if from_the_end else 0) <= at < size:
                raise CannotLower("an index is out of range")
            return (at + size if at < 0 else at) * stride
        number = code.as_index(self._elements.number(index))
        if from_the_end:
            is_negative = code.do(f"icmp slt i64 {number}, 0")
            counted = code.do(f"add i64 {number}, {size}")
            number = code.do(f"select i1 {is_negative}, i64 {counted}, i64 {number}")
        code.bail_if(code.do(f"icmp uge i64 {number}, {size}"))
        return code.scaled(number, stride)

    def _as_value(self, block: InMemory) -> Value:
        return self._elements.number(block) if block.size == 1 else block

