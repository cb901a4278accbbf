"""Reading and writing rows that the run names: `x[i]`, gather, gather_nd, scatter_nd and updates of rows.

Every index is checked. One that is out of range gives the iteration back to the plain path, whose kernel words the
error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...graph.shapes.dtypes import DType
from ...ops.move.getitem import Index, IndexOperand, Span
from ..ir.scalar_ir import CannotLower
from ..ir.tiling import Shape
from ..nest.sequential import index_nests
from ..nest.sequential.nest_builder import Build
from .body_nests import place_at, place_of_row
from .elementwise_steps import ElementwiseSteps
from .loop_code import LoopCode
from .loop_values import InMemory, Known, NeedsValue, Value, require_elements
from .nest_in_loop import contiguous, copy, run, value_in


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
        return value_in(self._code, self._selected(self._elements.block(tensor), index, bounds))

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
        copy(self._code, place, self._elements.block(dy))
        return value_in(self._code, made)

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
            pointer = code.offset(pointer, self._offset_of(value, size, stride))
        return InMemory(block.dtype, tuple(shape), pointer, tuple(strides))

    @staticmethod
    def _bound(bound: Any, bounds: Sequence[Value]) -> int | None:
        if isinstance(bound, IndexOperand):
            value = bounds[bound.number]
            if not isinstance(value, Known):
                raise NeedsValue("a bound of a slice is known only in the run")
            return int(value.array)
        return None if bound is None else int(bound)

    def _offset_of(self, index: Value, size: int, stride: int) -> int | str:
        """The bytes to an index, which may count from the end, after a check of its range."""
        if isinstance(index, Known):
            at = int(index.array)
            if not -size <= at < size:
                raise CannotLower("an index is out of range")
            return (at + size if at < 0 else at) * stride
        return run(self._code, place_at(size, stride), self._code.as_index(self._elements.number(index)))

    # ---- rows -------------------------------------------------------------------------------

    def gather(self, params: Value, indices: Value) -> Value:
        """`params[indices]`."""
        if not params.shape:
            raise CannotLower("gather of a scalar")
        return self._gathered(params, indices, 1, indices.shape)

    def gather_nd(self, params: Value, indices: Value) -> Value:
        """`params[indices[..., 0], indices[..., 1], ...]`."""
        return self._gathered(params, indices, self._depth(params.shape, indices), indices.shape[:-1])

    def _depth(self, shape: Shape, indices: Value) -> int:
        depth = indices.shape[-1] if indices.shape else 0
        if not 0 < depth <= len(shape):
            raise CannotLower("its indices do not fit")
        return depth

    def _gathered(self, params: Value, indices: Value, depth: int, batch: Shape) -> Value:
        require_elements((*params.shape, *batch))
        code, source = self._code, self._elements.block(params)
        row = source.shape[depth:]
        if prod(batch) == 1:
            index = contiguous(code, self._elements.block(indices))
            place = place_of_row(_kind(index), source.shape[:depth], source.strides[:depth])
            pointer = code.offset(source.pointer, run(code, place, index.pointer))
            return value_in(code, InMemory(source.dtype, (*batch, *row), pointer,
                                        (*[0] * len(batch), *source.strides[depth:])))  # fmt: skip
        out = code.intermediate(source.dtype, (*batch, *row))
        row_bytes = prod(row) * source.dtype.size
        self._each_row(index_nests.take, (row_bytes,), out, source, indices, source.shape[:depth], row_bytes)
        return out

    def update(self, tensor: Value, indices: Value, updates: Value) -> Value:
        """`tensor` with rows replaced."""
        depth = self._depth(tensor.shape, indices)
        out = self._target(tensor.dtype, tensor.shape, indices, depth, updates)
        copy(self._code, out, self._elements.block(tensor))
        row_bytes = prod(out.shape[depth:]) * out.dtype.size
        self._each_row(index_nests.put, (row_bytes,), out, updates, indices, out.shape[:depth], row_bytes)
        return value_in(self._code, out)

    def scatter(self, indices: Value, updates: Value, shape: Value) -> Value:
        """Zeros with rows added, in the order of the indices."""
        if not isinstance(shape, Known):
            raise NeedsValue("a shape is known only in the run")
        sizes = tuple(int(n) for n in shape.array)
        depth = self._depth(sizes, indices)
        if not (updates.dtype.is_integer or updates.dtype.name in ("float32", "float64")):
            raise CannotLower(f"sums of {updates.dtype.name}")
        out = self._target(updates.dtype, sizes, indices, depth, updates)
        self._code.clear(out.pointer, out.size * out.dtype.size)
        width = prod(sizes[depth:])
        key = out.dtype.np.str[1:], width
        self._each_row(index_nests.add, key, out, updates, indices, sizes[:depth], width)
        return value_in(self._code, out)

    def _target(self, dtype: DType, sizes: Shape, indices: Value, depth: int, updates: Value) -> InMemory:
        """Memory for a result into which rows are written."""
        batch = indices.shape[:-1]
        require_elements((*sizes, *batch))
        if updates.shape != (*batch, *sizes[depth:]):
            raise CannotLower("the shapes of the updates do not fit")
        return self._code.intermediate(dtype, sizes)

    def _each_row(
        self, build: Build, key: tuple[Any, ...], out: InMemory, rows: Value, indices: Value, bounds: Shape, row: int
    ) -> None:
        """A nest of `index_nests` for rows of one size: bytes, or elements if they are added."""
        code = self._code
        index, rows = (contiguous(code, self._elements.block(x)) for x in (indices, rows))
        sizes = f"@bounds_{'_'.join(map(str, bounds))}"
        numbers = ", ".join([f"i64 {bound}" for bound in bounds])
        code.declared[sizes] = f"{sizes} = internal constant [{len(bounds)} x i64] [{numbers}]"
        run(code, build(*key, _kind(index), len(bounds)), out.pointer, rows.pointer, index.pointer, sizes,
            str(index.size // len(bounds)), str(row))  # fmt: skip


def _kind(index: InMemory) -> str:
    return index.dtype.np.str[1:]
