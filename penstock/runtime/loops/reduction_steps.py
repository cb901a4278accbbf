"""Reductions and products of small arrays, in NumPy's order of additions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any

from ...graph.declare.op_declaration import OPS
from ...graph.declare.op_facts import ReductionRule
from ...graph.shapes.dtypes import DType
from ...ops.declare.reduction_order import BLOCK, is_trailing, reduced
from ..compiled import int_reduction
from ..compiled.llvm_primitives import kind_of, memory_kind
from ..ir.scalar_ir import HALVES, CannotLower, Scalar, lower_function
from ..llvm import pairwise_sum
from .elementwise_steps import ElementwiseSteps
from .loop_code import LINE, LoopCode
from .loop_values import InMemory, Known, NeedsValue, Number, Value, dense, require_elements
from .number_steps import evaluated


class ReductionSteps:
    """Writes reductions."""

    def __init__(self, code: LoopCode, elements: ElementwiseSteps) -> None:
        self._code = code
        self._elements = elements

    def result(self, op: str, args: Sequence[Any], dtype: DType) -> Value:
        """The result of a reduction; `args` as in the signature.

        Raises:
            CannotLower: its order of additions is not one that is written here.
        """
        rule = OPS[op].reduction
        assert rule is not None  # the caller checked
        x = args[0]
        axis = args[1]  # in a fused group it is an array already
        if isinstance(axis, Known):
            axis = axis.array
        elif isinstance(axis, (Number, InMemory)):
            raise NeedsValue("the axis of a reduction is known only in the run")
        rank = len(x.shape)
        axes = rule.axes(rank, axis, *args[2:])
        keepdims = rule.keepdims(rank, axis, *args[2:])
        if not axes:
            found: Value = x
            return found
        require_elements(x.shape)
        if x.dtype in HALVES:
            raise CannotLower("a reduction of 16-bit floats")
        shape = reduced(x.shape, axes, keepdims)
        wide = rule.wide(x.dtype)
        if wide is not x.dtype:
            x = self._elements.result("Cast", (x, wide), wide)
        if is_trailing(axes, rank):
            count = prod(x.shape[rank - len(axes) :])
            if count > BLOCK:
                raise CannotLower("a reduction of more than a block")
            return self._trailing(rule, self._elements.block(x), shape, count, dtype)
        return self._leading(rule, self._elements.block(x), axes, shape, dtype)

    def _trailing(self, rule: ReductionRule, x: InMemory, shape: Any, count: int, dtype: DType) -> Value:
        code = self._code
        x = code.contiguous(x)
        rows = x.size // count
        fold = self._fold(rule, x.dtype, count)
        finish = _finish(rule, x.dtype, count, dtype)

        def one(pointer: str) -> Any:
            total = fold(pointer)
            return total if finish is None else evaluated(code, finish, [total])

        if rows == 1:
            return Number(dtype, shape, one(x.pointer))
        made = code.intermediate(dtype, shape)
        with code.counted(rows) as i:
            total = one(code.offset(x.pointer, code.scaled(i, count * x.dtype.size)))
            code.store(dtype, total, code.offset(made.pointer, code.scaled(i, dtype.size)))
        return made

    def _fold(self, rule: ReductionRule, dtype: DType, count: int) -> Any:
        """The function (address) -> total of a contiguous row."""
        code, kind = self._code, memory_kind(dtype)
        ufunc = rule.ufunc.__name__
        if int_reduction.is_order_free(ufunc, dtype):
            name = int_reduction.name(ufunc, dtype)
            _declare(code, int_reduction.rule(ufunc, dtype))

            def exact(pointer: str) -> Any:
                code.spend(LINE * count)
                found = code.do(f"call {kind} @{name}(ptr {pointer}, i64 {count})")
                return code.do(f"icmp ne i8 {found}, 0") if dtype.is_bool else found

            return exact
        if ufunc == "add" and dtype.is_floating and pairwise_sum.is_known():
            _declare(code, pairwise_sum.rule(kind_of(dtype)))

            def pairwise(pointer: str) -> str:
                code.spend(LINE * count)
                return code.do(f"fadd {kind} {code.do(f'call {kind} @sum_{kind}(ptr {pointer}, i64 {count})')}, 0.0")

            return pairwise
        return lambda pointer: self._numpy_fold(ufunc, dtype, pointer, count)

    def _numpy_fold(self, ufunc: str, dtype: DType, pointer: str, count: int) -> Any:
        """NumPy's loop over a whole row, which begins as `ufunc.reduce` does."""
        code, item = self._code, dtype.size
        total = code.cell(f"[{item} x i8]")
        start = {"add": 0, "multiply": 1}.get(ufunc)
        if start is None:
            code.copy_bytes(total, pointer, item)
            if count == 1:
                return code.load(dtype, total)
            pointer, count = code.offset(pointer, item), count - 1
        else:
            zero = "0.0" if not dtype.is_integer else "0"
            one = "1.0" if not dtype.is_integer else "1"
            first = zero if start == 0 else one
            code.store(dtype, (first, zero) if dtype.is_complex else first, total)
        code.call_numpy(ufunc, [dtype] * 3, [(total, 0), (pointer, item), (total, 0)], [count])
        return code.load(dtype, total)

    def _leading(self, rule: ReductionRule, x: InMemory, axes: Sequence[int], shape: Any, dtype: DType) -> Value:
        """Rows combined one after the other."""
        code = self._code
        width = prod(x.shape[len(axes) :])
        if tuple(axes) != tuple(range(len(axes))) or width < 2:
            raise CannotLower("a reduction over these axes")
        if x.dtype.is_complex or (rule.finish is not None and x.dtype.is_integer):
            raise CannotLower(f"a reduction of {x.dtype.name} over the first axes")
        x = code.contiguous(x)
        total = code.intermediate(x.dtype, x.shape[len(axes) :])
        item, rows = x.dtype.size, x.size // width
        code.copy_bytes(total.pointer, x.pointer, width * item)
        if rows > 1:
            with code.counted(rows - 1) as i:
                row = code.offset(x.pointer, code.do(f"add i64 {code.scaled(i, width * item)}, {width * item}"))
                places = [(total.pointer, item), (row, item), (total.pointer, item)]
                code.call_numpy(rule.ufunc.__name__, [x.dtype] * 3, places, [width])
        finish = _finish(rule, x.dtype, rows, dtype)
        if finish is None:
            return dense(dtype, shape, total.pointer)
        made = code.intermediate(dtype, shape)
        with code.counted(width) as i:
            value = code.load(x.dtype, code.offset(total.pointer, code.scaled(i, item)))
            code.store(dtype, evaluated(code, finish, [value]), code.offset(made.pointer, code.scaled(i, dtype.size)))
        return made

    # ---- the place of an extreme ------------------------------------------------------------

    def argmax(self, x: Value, axis: Value, output_type: DType) -> Value:
        """The first place of the largest number along the last axis; a NaN counts as the smallest."""
        return self._place_of(x, axis, output_type, "gt", "ogt")

    def argmin(self, x: Value, axis: Value, output_type: DType) -> Value:
        """The first place of the smallest number along the last axis; a NaN counts as the largest."""
        return self._place_of(x, axis, output_type, "lt", "olt")

    def _place_of(self, x: Value, axis: Value, output_type: DType, word: str, ordered: str) -> Value:
        if not isinstance(axis, Known):
            raise NeedsValue("the axis is known only in the run")
        rank = len(x.shape)
        if axis.array.size != 1 or int(axis.array.reshape(())) not in (-1, rank - 1) or not rank:
            raise CannotLower("the place of an extreme along another axis than the last")
        if x.dtype in HALVES or not (x.dtype.is_floating or x.dtype.is_integer):
            raise CannotLower(f"the place of an extreme of {x.dtype.name}")
        require_elements(x.shape)
        code = self._code
        block = code.contiguous(self._elements.block(x))
        count, kind = x.shape[-1], kind_of(x.dtype)
        sign = "u" if x.dtype.is_unsigned else "s"
        compare = f"fcmp {ordered}" if x.dtype.is_floating else f"icmp {sign}{word}"

        def one(start: str) -> str:
            best, place = code.cell(kind), code.cell("i64")
            code.add(f"store {kind} {code.load(x.dtype, start)}, ptr {best}")
            code.add(f"store i64 0, ptr {place}")
            with code.counted(count) as i:
                value = str(code.load(x.dtype, code.offset(start, code.scaled(i, x.dtype.size))))
                before = code.do(f"load {kind}, ptr {best}")
                better = code.do(f"{compare} {kind} {value}, {before}")
                if x.dtype.is_floating:  # a NaN at the beginning gives way to the first number that is more than least
                    least = "0xFFF0000000000000" if word == "gt" else "0x7FF0000000000000"
                    is_nan = code.do(f"fcmp uno {kind} {before}, {before}")
                    more = code.do(f"{compare} {kind} {value}, {least}")
                    better = code.do(f"or i1 {better}, {code.do(f'and i1 {is_nan}, {more}')}")
                code.add(f"store {kind} {code.do(f'select i1 {better}, {kind} {value}, {kind} {before}')}, ptr {best}")
                at = code.do(f"load i64, ptr {place}")
                code.add(f"store i64 {code.do(f'select i1 {better}, i64 {i}, i64 {at}')}, ptr {place}")
            found = code.do(f"load i64, ptr {place}")
            return found if output_type.size == 8 else code.do(f"trunc i64 {found} to {kind_of(output_type)}")

        shape = x.shape[:-1]
        if prod(shape) == 1:
            return Number(output_type, shape, one(block.pointer))
        made = code.intermediate(output_type, shape)
        with code.counted(prod(shape)) as row:
            found = one(code.offset(block.pointer, code.scaled(row, count * x.dtype.size)))
            code.store(output_type, found, code.offset(made.pointer, code.scaled(row, output_type.size)))
        return made


@cache
def _finish(rule: ReductionRule, wide: DType, count: int, dtype: DType) -> Scalar | None:
    """The program from the total to the result; None if that is the total."""
    finish = rule.finish
    if finish is None:
        return None if wide is dtype else lower_function(lambda total: total.astype(dtype.np), wide)
    return lower_function(lambda total: finish(total, count, dtype), wide)


def _declare(code: LoopCode, text: str) -> None:
    code.declared[text] = text
