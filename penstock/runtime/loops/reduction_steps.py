"""Reductions and products of small arrays, in NumPy's order of additions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ...graph.declare.op_declaration import OPS
from ...graph.declare.op_facts import ReductionRule
from ...graph.shapes.dtypes import DType
from ...ops.declare.reduction_order import BLOCK, is_trailing, reduced
from ..compiled.row_folds import RowFolds
from ..ir.fused_ir import Value as ValueNumber
from ..ir.nest_ir import ELEMENT, RowReduction
from ..ir.scalar_ir import HALVES, CannotLower
from ..ir.tiling import Shape
from .body_nests import column_reduction, place_of_extreme, row_reduction
from .elementwise_steps import ElementwiseSteps
from .loop_code import LINE, NUMPY, LoopCode
from .loop_values import InMemory, Known, NeedsValue, Number, Value, require_elements
from .nest_in_loop import contiguous, place_for, run, value_in


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

    def _trailing(self, rule: ReductionRule, x: InMemory, shape: Shape, count: int, dtype: DType) -> Value:
        code = self._code
        x, out = contiguous(code, x), place_for(code, dtype, shape)
        nest = row_reduction(rule, self._fold(rule.ufunc.__name__, x.dtype), x.dtype, x.size // count, count, dtype)
        run(code, nest, out.pointer, x.pointer, code.cell(f"[{x.dtype.size} x i8]"))
        return value_in(code, out)

    def _fold(self, ufunc: str, dtype: DType) -> str:
        """The name of the function (row, count, total) that reduces a row."""
        code, folds = self._code, RowFolds()
        name = folds.function(RowReduction(ufunc, ValueNumber(0), ELEMENT, dtype))
        code.declared.update({text: text for text in folds.rules})
        code.parts.imports.update(folds.imports)
        code.rates[name] = NUMPY if folds.imports else LINE
        return name

    def _leading(self, rule: ReductionRule, x: InMemory, axes: Sequence[int], shape: Shape, dtype: DType) -> Value:
        """Rows combined one after the other."""
        code = self._code
        width = prod(x.shape[len(axes) :])
        if tuple(axes) != tuple(range(len(axes))) or width < 2:
            raise CannotLower("a reduction over these axes")
        if x.dtype.is_complex or (rule.finish is not None and x.dtype.is_integer):
            raise CannotLower(f"a reduction of {x.dtype.name} over the first axes")
        x, out = contiguous(code, x), code.intermediate(dtype, shape)
        is_total = rule.finish is None and x.dtype is dtype
        total = out if is_total else code.intermediate(x.dtype, x.shape[len(axes) :])
        nest = column_reduction(rule, x.dtype, x.size // width, width, dtype)
        run(code, nest, out.pointer, x.pointer, total.pointer)
        return out

    # ---- the place of an extreme ------------------------------------------------------------

    def argmax(self, x: Value, axis: Value, output_type: DType) -> Value:
        """The first place of the largest number along the last axis; a NaN counts as the smallest."""
        return self._place_of(x, axis, output_type, is_most=True)

    def argmin(self, x: Value, axis: Value, output_type: DType) -> Value:
        """The first place of the smallest number along the last axis; a NaN counts as the largest."""
        return self._place_of(x, axis, output_type, is_most=False)

    def _place_of(self, x: Value, axis: Value, output_type: DType, is_most: bool) -> Value:
        if not isinstance(axis, Known):
            raise NeedsValue("the axis is known only in the run")
        rank = len(x.shape)
        if axis.array.size != 1 or int(axis.array.reshape(())) not in (-1, rank - 1) or not rank:
            raise CannotLower("the place of an extreme along another axis than the last")
        if x.dtype in HALVES or not (x.dtype.is_floating or x.dtype.is_integer):
            raise CannotLower(f"the place of an extreme of {x.dtype.name}")
        require_elements(x.shape)
        code = self._code
        block, out = contiguous(code, self._elements.block(x)), place_for(code, output_type, x.shape[:-1])
        nest = place_of_extreme(x.dtype, out.size, x.shape[-1], is_most, output_type)
        run(code, nest, out.pointer, block.pointer)
        return value_in(code, out)
