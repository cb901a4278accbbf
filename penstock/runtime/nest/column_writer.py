"""The code of a nest that only reduces over all rows, by columns: `@rows(spec, first, last, loads ..., results ...)`.

Columns `first` to `last` of all rows are reduced, so that threads can share the columns: the order of additions, row by
row, is then the same for any number of threads. Several rows are computed and added at a time, so that a total is read
and written once for them:

    for four rows at a time, for each column j     t[j] = (((t[j] + f(row 0)) + f(row 1)) + f(row 2)) + f(row 3)

    spec    the number of rows, for each load the bytes from row to row
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..compiled.emit_llvm import is_direct
from ..ir.fused_ir import Value
from ..ir.nest_ir import ELEMENT, ROW, Load, Nest, RowReduction
from ..ir.scalar_ir import Argument, Literal, Scalar, ScalarStep
from ..llvm.array_head import load_data
from .row_writer import NAME, RowWriter

MOST_READ: Final = 12
"""The most addresses of rows that are read at a time: processors follow some dozen streams."""


def fits(nest: Nest) -> bool:
    """True if a nest only reduces over all rows, and its steps are plain instructions."""
    for node in nest.nodes:
        if isinstance(node, Load) and node.at is not None:
            return False
        if isinstance(node, RowReduction):
            adds = ScalarStep(node.ufunc, (Value(0), Value(1)), node.dtype)
            if node.axis != ROW or not is_direct(adds, (node.dtype, node.dtype)):
                return False
        if isinstance(node, ScalarStep) and not is_direct(node, tuple([nest.dtype_of(a) for a in node.args])):
            return False
    reductions = {k for k, node in enumerate(nest.nodes) if isinstance(node, RowReduction)}
    stored = [s.value for s in nest.stores]
    if not reductions or any(not isinstance(v, Value) or int(v) not in reductions for v in stored):
        return False
    return not any(int(a) in reductions for k in range(len(nest.nodes)) for a in nest.operands_of(k)
                   if isinstance(a, Value))  # fmt: skip


class ColumnWriter(RowWriter):
    """Writes the module of a nest for which `fits` holds."""

    by_columns = True

    def __init__(self, nest: Nest) -> None:
        super().__init__(nest)
        by_row = sum([ROW in self.axes[k] for k in self.loads])
        self._at_once = 4 if 4 * by_row <= MOST_READ else 2 if 2 * by_row <= MOST_READ else 1
        self._totals = [s.value for s in nest.stores if isinstance(s.value, Value)]

    def scratch(self, count: int) -> int:
        """No scratch memory is needed."""
        return 0

    def main(self) -> list[str]:
        """The lines of the function."""
        nest, loads = self.nest, self.loads
        arrays = [f"ptr %x{k}" for k in loads] + [f"ptr %y{s.result}" for s in nest.stores] + ["ptr %scratch"]
        lines = [f"define void @{NAME}(ptr %spec, i64 %first, i64 %last, {', '.join(arrays)}) #0 {{", "entry:",
                 "  %count = load i64, ptr %spec", "  %n = sub i64 %last, %first"]  # fmt: skip
        for i, k in enumerate(loads):
            size = nest.dtype_of_number(k).size if ELEMENT in self.axes[k] else 0
            lines += [f"  {load_data(f'%all{k}', f'%x{k}')}", f"  %skip{k} = mul i64 %first, {size}",
                      f"  %p{k} = getelementptr i8, ptr %all{k}, i64 %skip{k}",
                      f"  %d{k} = getelementptr i64, ptr %spec, i64 {1 + i}",
                      f"  %r{k} = load i64, ptr %d{k}"]  # fmt: skip
        for s in nest.stores:
            lines += [f"  {load_data(f'%o{s.result}', f'%y{s.result}')}",
                      f"  %skipped{s.result} = mul i64 %first, {nest.dtype_of(s.value).size}",
                      f"  %t{s.result} = getelementptr i8, ptr %o{s.result}, i64 %skipped{s.result}"]  # fmt: skip
        some = self._at_once
        lines += [*self._rows("begin", 1, "0", has_totals=False), f"  %whole = sub i64 %count, {some - 1}",
                  "  %several = icmp slt i64 1, %whole", "  br i1 %several, label %group, label %rest", "group:",
                  "  %g = phi i64 [1, %entry], [%g1, %group]", *self._rows("several", some, "%g"),
                  f"  %g1 = add i64 %g, {some}", "  %again = icmp slt i64 %g1, %whole",
                  "  br i1 %again, label %group, label %rest", "rest:",
                  "  %start = phi i64 [1, %entry], [%g1, %group]", "  %left = icmp slt i64 %start, %count",
                  "  br i1 %left, label %row, label %done", "row:",
                  "  %i = phi i64 [%start, %rest], [%i1, %row]", *self._rows("one", 1, "%i"), "  %i1 = add i64 %i, 1",
                  "  %more = icmp slt i64 %i1, %count", "  br i1 %more, label %row, label %done", "done:",
                  "  ret void", "}"]  # fmt: skip
        return lines

    def _rows(self, name: str, number: int, row: str, has_totals: bool = True) -> list[str]:
        """Write the function that adds `number` rows to the totals, or begins them; lines that call it at row `row`."""
        nest = self.nest
        lines, places, uniform = [], [f"%t{s.result}" for s in nest.stores], [False] * len(nest.stores)
        inputs = [nest.dtype_of(v) for v in self._totals] if has_totals else []
        places, uniform = (places, uniform) if has_totals else ([], [])
        value_of: list[dict[int, Argument]] = [{} for _ in range(number)]
        for k in self.loads:
            for r in range(number):
                if r and ROW not in self.axes[k]:
                    value_of[r][k] = value_of[0][k]
                    continue
                value_of[r][k] = Value(len(inputs))
                inputs.append(nest.dtype_of_number(k))
                uniform.append(ELEMENT not in self.axes[k])
                at = f"%{name}.{k}.{r}"
                lines += [f"  {at}.row = add i64 {row}, {r}", f"  {at}.skip = mul i64 {at}.row, %r{k}",
                          f"  {at} = getelementptr i8, ptr %p{k}, i64 {at}.skip"]  # fmt: skip
                places.append(at)
        program = self._program(inputs, value_of, has_totals)
        over = tuple([(k,) for k in range(len(self._totals))]) if has_totals else ()
        self.parts.tile(program, tuple(uniform), name, over)
        places += [f"%t{s.result}" for s in nest.stores]
        return [*lines, f"  call void @{name}({', '.join([f'ptr {place}' for place in places])}, i64 %n)"]

    def _program(self, inputs: list[Any], value_of: list[dict[int, Argument]], has_totals: bool) -> Scalar:
        """The totals after some rows, from those before, if there are any, and the loads of each row."""
        steps: list[ScalarStep] = []

        def write(primitive: str, args: tuple[Argument, ...], dtype: Any) -> Value:
            steps.append(ScalarStep(primitive, args, dtype))
            return Value(len(inputs) + len(steps) - 1)

        totals: list[Argument] = [Value(k) for k in range(len(self._totals))] if has_totals else []
        for known in value_of:
            for k, node in enumerate(self.nest.nodes):
                if isinstance(node, ScalarStep):
                    args = tuple([known[a] if isinstance(a, Value) else a for a in node.args])
                    known[k] = write(node.primitive, args, node.dtype)
            added: list[Argument] = []
            for k, total in enumerate(self._totals):
                node = self.nest.nodes[total]
                assert isinstance(node, RowReduction)  # `fits` says so
                one = known[node.value]
                before = totals[k] if totals else _identity(node)
                added.append(one if before is None else write(node.ufunc, (before, one), node.dtype))
            totals = added
        return Scalar(tuple(inputs), tuple(steps), tuple(totals))


def _identity(node: RowReduction) -> Literal | None:
    """What NumPy combines the first row with; None if the first row is the first total."""
    identity = getattr(np, node.ufunc).identity
    return None if identity is None else Literal(node.dtype, node.dtype.np.type(identity).tobytes())
