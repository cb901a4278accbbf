"""Calls of the code of a nest: how operands lie, memory for results, rows divided among threads."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.op_declaration import OPS
from ...graph.declare.op_facts import ReductionRule
from ...graph.shapes.dtypes import DType
from ...ops.declare.reduction_order import finished
from ..base import thread_pool
from ..base.shape_cache import ShapeCache
from ..base.thread_pool import parallel_ranges, threads_for
from ..compiled.loop_spec import LoopSpec
from ..ir.fused_ir import Body
from ..ir.nest_ir import ELEMENT, ROW, Load
from ..ir.shaped_rows import ShapedRows
from ..ir.strides import coalesced, is_plain
from ..ir.tiling import Shape
from ..kernels.native_forms import finishing_calls
from ..llvm.array_head import require_known_data_address
from ..llvm.native_calls import NativeCall, NativeMemory
from ..llvm.toolchain import Library
from ..memory.buffer_pool import POOL, SMALL, allocator
from .row_writer import NAME, RowWriter

LINE: Final = 64
"""Columns that stay with one thread: results of whole cache lines, which no other thread writes."""
KEPT: Final = 16
"""The most layouts of operands, and pieces of scratch memory, that are kept for one combination of shapes."""


class RowCode:
    """The machine code of a nest."""

    def __init__(self, library: Library, arrays: int) -> None:
        require_known_data_address()
        self.library = library
        head = (None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        self.rows = ctypes.CFUNCTYPE(*head, *[ctypes.c_void_p] * arrays)(library[NAME])


@dataclass(frozen=True, slots=True)
class _NestResult:
    """A result of the code.

    Attributes:
        shape, dtype: of what the code writes.
        rule: the reduction over all rows; None for another result.
        operand: the dtype of what it reduces.
        final: the shape and dtype of what becomes of the total.
    """

    shape: Shape
    dtype: Any
    rule: ReductionRule | None
    operand: DType
    final: tuple[Shape, Any]

    @classmethod
    def of(cls, body: Body, form: ShapedRows, value: int) -> _NestResult:
        """The result that is a value of the body."""
        dtype, number = body.dtype_of(value), value - len(body.inputs)
        final = form.shapes[value], dtype.np
        rule = OPS[body.instructions[number].op].reduction
        if rule is None or form.kinds[number] != "column":
            return cls(*final, None, dtype, final)
        operand = body.dtype_of(body.instructions[number].args[0])
        return cls((form.count,), rule.wide(operand).np, rule, operand, final)


class RowLaunch:
    """How the code of a nest runs on inputs of given shapes."""

    is_direct = False

    def __init__(self, body: Body, form: ShapedRows, writer: RowWriter, seconds: float) -> None:
        self._form = form
        self._is_dense = writer.is_dense
        self._by_columns = writer.by_columns
        self._loads = [node for node in writer.nest.nodes if isinstance(node, Load)]
        self._results = [_NestResult.of(body, form, o) for o in map(int, body.outputs)]
        self._columns = [k for k, result in enumerate(self._results) if result.rule is not None]
        self._copies = [(k, first) for k, first in writer.repeated_results() if k in self._columns]
        self._read = [load.operand for load in self._loads]
        self._memory = [(allocator(result.shape, result.dtype), result.shape, result.dtype) for result in self._results]
        self._scratch = writer.scratch(form.count)
        self._idle: list[Any] = []
        self._seconds = seconds
        self._specs: ShapeCache[tuple[LoopSpec, tuple[int, ...]]] = ShapeCache(KEPT)

    def run(self, code: RowCode, inputs: Sequence[Any], place: Any) -> list[Any]:
        """The results of the body. place: flat memory for a single result, or None."""
        key = tuple([x.strides for x in inputs])
        known = self._specs.get(key)
        operands = [inputs[k] for k in self._read]
        if known is None or not is_plain(inputs):
            operands, spec = self._laid_out(operands, key if is_plain(inputs) else None)
        else:
            spec, copied = known
            for k in copied:
                operands[k] = self._copied(self._loads[k], operands[k])
        if place is None or self._columns:
            results = [empty(shape, dtype) for empty, shape, dtype in self._memory]
        else:
            results = [place.reshape(self._results[0].shape)]
        heads = [id(x) for x in operands]
        heads += [id(x) for x in results]
        rows = self._form.rows
        pieces, size = (-(-self._form.count // LINE), LINE) if self._by_columns else (rows, 1)
        is_whole = pieces == 1 or self._seconds < thread_pool.WORTH or (bool(self._columns) and not self._by_columns)
        threads = 1 if is_whole else threads_for(self._seconds)
        last = self._form.count if self._by_columns else rows
        if threads <= 1:
            self._work(code, spec.address, 0, last, heads)
        else:
            address = spec.address
            parallel_ranges(pieces, lambda start, stop: self._work(code, address, start * size, min(last, stop * size),
                            heads), threads)  # fmt: skip
        for k, first in self._copies:
            np.copyto(results[k], results[first])
        for k in self._columns:
            own = self._results[k]
            assert own.rule is not None  # or it is no column
            results[k] = finished(own.rule, results[k].reshape(-1, 1), rows, own.final[1]).reshape(own.final[0])
        if place is not None and self._columns:
            place = place.reshape(results[0].shape)
            place[...] = results[0]
            return [place]
        return results

    def _work(self, code: RowCode, spec: int, first: int, last: int, heads: Sequence[int]) -> None:
        """Compute some rows; their scratch memory is kept for the next ones."""
        try:
            scratch = self._idle.pop()
        except IndexError:
            scratch = POOL.empty((self._scratch,), np.uint8)
        code.rows(spec, first, last, *heads, id(scratch))
        if self._scratch < SMALL and len(self._idle) < KEPT:
            self._idle.append(scratch)

    def native(
        self, code: RowCode, inputs: Sequence[Any], results: Sequence[Any], memory: NativeMemory
    ) -> list[NativeCall] | None:
        """The calls that compute the results on one thread; None if operands are copied."""
        rows = self._form.rows
        is_one_call = rows == 1 or (bool(self._columns) and not self._by_columns) or threads_for(self._seconds) <= 1
        if not is_one_call or self._copies or not is_plain(inputs):
            return None
        operands = [inputs[k] for k in self._read]
        laid_out, spec = self._laid_out(operands.copy(), tuple([x.strides for x in inputs]))
        if any(one is not other for one, other in zip(laid_out, operands, strict=True)):
            return None
        finishing: list[NativeCall] = []
        for own, result in zip(self._results, results, strict=True):
            if not result.flags.c_contiguous:
                return None
            if own.rule is not None:
                calls = finishing_calls(own.rule, own.operand, result, rows, memory)
                if calls is None:
                    return None
                finishing += calls
        memory.seconds += self._seconds
        memory.keep(spec)
        last = self._form.count if self._by_columns else rows
        scratch = memory.scratch((self._scratch,), np.dtype(np.uint8)) if self._scratch else results[0]
        whole = NativeCall(code.library[NAME], (spec.address, 0, last, *operands, *results, scratch))
        return [whole, *finishing]

    def _laid_out(self, operands: list[Any], key: Any) -> tuple[list[Any], LoopSpec]:
        """The operands as the code reads them, copied where it cannot read them as they are."""
        steps = []
        copied = []
        for k, (load, x) in enumerate(zip(self._loads, operands, strict=True)):
            step = self._row_step(load, x) if is_plain([x]) else None
            if step is None:
                copied.append(k)
                x = operands[k] = self._copied(load, x)
                step = self._row_step(load, x)
                assert step is not None  # it is contiguous now
            steps.append(step)
        spec = LoopSpec([self._form.rows if self._by_columns else self._form.count, *steps])
        if key is not None:
            self._specs.keep(key, (spec, tuple(copied)))
        return operands, spec

    def _row_step(self, load: Load, x: Any) -> int | None:
        """The bytes from row to row; None if there is no such number, or the elements of a row do not lie together."""
        shape, strides, outer = self._padded(load, x)
        if ELEMENT in load.reach:
            inner, steps = coalesced(shape[outer:], [strides[outer:]])
            if len(inner) > 1 or steps[0][0] != x.itemsize:
                return None
        if ROW not in load.axes:
            return 0
        whole = self._form.whole[:outer]
        walk = [0 if size == 1 else step for size, step in zip(shape[:outer], strides[:outer], strict=True)]
        rows, steps = coalesced(whole, [walk])
        if len(rows) > 1:
            return None
        step = steps[0][0] if rows else 0
        dense = x.itemsize * (self._form.count if ELEMENT in load.reach else 1)
        return None if self._is_dense and rows and step != dense else step

    def _padded(self, load: Load, x: Any) -> tuple[tuple[int, ...], list[int], int]:
        """The shape and strides of an operand with as many axes as what reads it, and the axes before a row."""
        outer = len(self._form.whole) - self._form.axes
        missing = load.rank - x.ndim
        return (1,) * missing + x.shape, [0] * missing + list(x.strides), outer

    def _copied(self, load: Load, x: Any) -> Any:
        shape, _, outer = self._padded(load, x)
        wide = x.reshape(shape)
        if ROW in load.axes:
            wide = np.broadcast_to(wide, (*self._form.whole[:outer], *shape[outer:]))
        return np.array(wide, dtype=x.dtype.newbyteorder("="), order="C")
