"""The code of a nest, row by row: `@rows(spec, first, last, loads ..., results ..., scratch)`.

The arguments after the numbers are NumPy's arrays; the code reads the addresses of their data. A load has one address
for each row, `spec` says how far apart; within a row its elements are contiguous. Everything that is kept for a later
stage lies in `scratch`, which stays in the first or second cache:

    spec       elements of a row, for each load the bytes from row to row
    scratch    a row for each temporary value of `row_stages`

Reductions over all rows: each row is combined with the total of those before it, as NumPy does it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ..compiled.emit_llvm import METADATA, once_each
from ..compiled.llvm_primitives import memory_kind
from ..compiled.module_parts import ModuleParts
from ..compiled.row_folds import RowFolds
from ..ir.fused_ir import Value
from ..ir.nest_ir import ELEMENT, ROW, Load, Nest, RowReduction, Store
from ..ir.scalar_ir import Argument, CannotLower, Scalar, ScalarStep
from ..llvm.array_head import load_data
from ..llvm.pairwise_sum import AS_WRITTEN
from ..llvm.tier import ModuleSource
from ..llvm.toolchain import attributes
from .row_stages import Home, RowPass, row_stages
from .summed_pass import SummedPass, filled

MOST: Final = 64
"""The most arrays of one nest."""
NAME: Final = "rows"
PAD: Final = 16
"""Temporary rows begin at multiples of this many elements."""


class RowWriter:
    """Writes the module of a nest."""

    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self.loads = [k for k, node in enumerate(nest.nodes) if isinstance(node, Load)]
        self.stages = row_stages(nest, self.adds_rows)
        self.folds = RowFolds()
        self.parts = ModuleParts()
        self.axes = nest.axes()

    adds_rows = True
    """Whether a pass computes one row, and may add it to totals."""
    is_dense = False
    """Whether the rows of an operand must lie one behind the other, and its numbers for rows too."""
    by_columns = False
    """Whether a call computes some columns of all rows instead of some rows."""
    width = 0
    """The elements of a row where they are a part of the code, else 0."""

    def scratch(self, count: int) -> int:
        """The bytes of scratch memory for rows of `count` elements."""
        return (count + PAD) * sum(self.stages.temporaries)

    def module(self) -> ModuleSource:
        """The module.

        Raises:
            CannotLower: there are too many operands, or a step has neither an instruction nor a NumPy loop.
        """
        if len(self.loads) + len(self.nest.stores) > MOST:
            raise CannotLower(f"it has more than {MOST} operands")
        main = self.main()
        parts, folds = self.parts, self.folds
        text = once_each("\n".join([*parts.declared.values(), *folds.rules, *parts.functions, *main]))
        ir = "\n".join([text, attributes(), *parts.metadata, METADATA])
        return ModuleSource(ir, (NAME,), {**parts.imports, **folds.imports})

    # ---- the loop over rows -------------------------------------------------------------------

    def main(self) -> list[str]:
        nest, loads = self.nest, self.loads
        arrays = [f"ptr %x{k}" for k in loads] + [f"ptr %y{s.result}" for s in nest.stores] + ["ptr %scratch"]
        lines = [f"define void @{NAME}(ptr %spec, i64 %first, i64 %last, {', '.join(arrays)}) #0 {{", "entry:",
                 "  %n = load i64, ptr %spec"]  # fmt: skip
        lines += [f"  %slot{v} = alloca [16 x i8], align 16" for v, (kind, _) in self.stages.homes.items()
                  if kind == "slot"]  # fmt: skip
        for i, k in enumerate(loads):
            lines += [f"  {load_data(f'%p{k}', f'%x{k}')}", f"  %d{k} = getelementptr i64, ptr %spec, i64 {1 + i}",
                      f"  %r{k} = load i64, ptr %d{k}"]  # fmt: skip
        lines += [f"  {load_data(f'%o{s.result}', f'%y{s.result}')}" for s in nest.stores]
        lines += [f"  {load_data('%room', '%scratch')}", f"  %padded = add i64 %n, {PAD - 1}",
                  f"  %pad = and i64 %padded, -{PAD}"]  # fmt: skip
        before = 0
        for t, size in enumerate(self.stages.temporaries):
            lines += [f"  %at{t} = mul i64 %pad, {before}",
                      f"  %temporary{t} = getelementptr i8, ptr %room, i64 %at{t}"]  # fmt: skip
            before += size
        lines += [self._start(v) for v in self.stages.totals]
        lines += ["  %some = icmp slt i64 %first, %last", "  br i1 %some, label %row, label %done", "row:",
                  "  %i = phi i64 [%first, %entry], [%next, %row]",
                  "  %is_first = icmp eq i64 %i, %first"]  # fmt: skip
        for k in loads:
            name = f"%q{k}" if self.label_of(k) is None else f"%row{k}"
            lines += [f"  %m{k} = mul i64 %r{k}, %i", f"  {name} = getelementptr i8, ptr %p{k}, i64 %m{k}"]
        for k in loads:
            label = self.label_of(k)
            if label is not None:
                lines += picked_element(f"%q{k}", f"%row{k}", f"%q{label}", self.nest, k, label, "%n")
        for s in nest.stores:
            lines += self._result(s)
        for number, stage in enumerate(self.stages.stages):
            if stage.row is not None:
                lines.append(self._row(f"row{number}", stage.row))
            if stage.elements is not None:
                lines.append(self._elements(f"stage{number}", stage.elements))
            for v in stage.reductions:
                node = self._reduction(v)
                lines.append(self.folds.fold(node, self.place_of(node.value), "%n", f"%slot{v}"))
            lines += [self.added(v, "1", "%n") for v in stage.columns]
        return [*lines, "  %next = add i64 %i, 1", "  %more = icmp slt i64 %next, %last",
                f"  br i1 %more, label %row, label %done, {AS_WRITTEN}", "done:", "  ret void", "}"]  # fmt: skip

    def _result(self, s: Store) -> list[str]:
        size = self.nest.dtype_of(s.value).size
        row = [f"  %l{s.result} = mul i64 %i, {size if ROW in s.axes else 0}"]
        if ELEMENT in s.axes:
            row = [f"  %b{s.result} = mul i64 %n, {size if ROW in s.axes else 0}",
                   f"  %l{s.result} = mul i64 %i, %b{s.result}"]  # fmt: skip
        return [*row, f"  %w{s.result} = getelementptr i8, ptr %o{s.result}, i64 %l{s.result}"]

    def label_of(self, load: int) -> int | None:
        """The load of the number that says which element of its row a load reads; None if it reads each one."""
        node = self.nest.nodes[load]
        assert isinstance(node, Load)  # the caller says so
        if node.at is None:
            return None
        return next(k for k in self.loads if isinstance(there := self.nest.nodes[k], Load) and there.at is None
                    and there.operand == node.at and there.axes == ROW)  # fmt: skip

    def repeated_results(self) -> list[tuple[int, int]]:
        """Each result over all rows that is an earlier one again, with that one: the code writes a total once."""
        first: dict[Argument, int] = {}
        stores = [s for s in self.nest.stores if s.axes == ELEMENT]
        return [(s.result, first[s.value]) for s in stores if first.setdefault(s.value, s.result) != s.result]

    def place_of(self, value: int) -> str:
        """The memory of a value in this row."""
        home = self.stages.homes.get(value)
        return f"%q{int(value)}" if home is None else memory_of(home)

    # ---- passes -------------------------------------------------------------------------------

    def _row(self, name: str, part: RowPass) -> str:
        """Write the function of the numbers of a row; the line that calls it."""
        name = self.parts.tile(part.program, (True,) * len(part.reads), name, is_single=True)
        return f"  call void @{name}({joined(self._places(part))}, i64 1)"

    def _elements(self, name: str, part: RowPass) -> str:
        """Write the function of a pass over the elements of a row; the line that calls it."""
        uniform = tuple([ELEMENT not in self.axes[v] for v in part.reads])
        places = self._places(part)
        if part.sums:
            streams = [k for k, v in enumerate(part.reads) if v in self.loads and self.axes[v] == ROW + ELEMENT]
            later = [s for s in self.nest.stores if s.axes == ROW + ELEMENT and f"%w{s.result}" not in places]
            dtypes = [self.nest.dtype_of(s.value) for s in later]
            code = SummedPass(name, part.program, uniform, len(part.sums), streams, dtypes)
            self.parts.functions.append(code.text())
            self.parts.declared.update(code.code.declared)
            places += [f"%w{s.result}" for s in later] + [f"%slot{v}" for v in part.sums]
        else:
            before = {self.stages.homes[v]: (part.reads.index(v),) for v in self.stages.totals if v in part.reads}
            over = tuple([before.get(home, ()) for home in part.writes]) if before else ()
            name = self.parts.tile(part.program, uniform, name, over)
        return f"  call void @{name}({joined(places)}, i64 %n)"

    def _places(self, part: RowPass) -> list[str]:
        return [self.place_of(v) for v in part.reads] + [memory_of(home) for home in part.writes]

    def _start(self, total: int) -> str:
        """Write the function that gives a total over all rows its first value; the line that calls it."""
        self.parts.functions.append(filled(f"start{total}", self._reduction(total)))
        return f"  call void @start{total}(ptr %o{self.stages.homes[total][1]}, i64 %n)"

    def _reduction(self, value: int) -> RowReduction:
        node = self.nest.nodes[value]
        assert isinstance(node, RowReduction)  # the stages say so
        return node

    def added(self, value: int, rows: str, count: str) -> str:
        """Write the function that adds rows to a reduction over all of them; the line that calls it."""
        node = self._reduction(value)
        step = ScalarStep(node.ufunc, (Value(0), Value(1)), node.dtype)
        program = Scalar((node.dtype, node.dtype), (step,), (Value(2),))
        name = self.parts.tile(program, (False, False), f"plus{value}", over=((0,),))
        self.parts.functions.append(added(f"column{value}", node, name, self.width))
        places = f"ptr {self.place_of(value)}, ptr {self.place_of(node.value)}"
        return f"  call void @column{value}({places}, i64 {rows}, i64 {count}, i1 %is_first)"


def joined(places: Sequence[str]) -> str:
    return ", ".join([f"ptr {place}" for place in places])


def picked_element(to: str, row: str, label_at: str, nest: Nest, load: int, label: int, count: str) -> list[str]:
    """Lines for the address `to` of the element of a row that the number at `label_at` says, or of the first one."""
    dtype = nest.dtype_of_number(label)
    bits = f"i{8 * dtype.size}"
    widened = f"{'zext' if dtype.is_unsigned else 'sext'} {bits} {to}.label to i64"
    return [f"  {to}.label = load {bits}, ptr {label_at}, align 1",
            f"  {to}.wide = {widened if dtype.size < 8 else f'add i64 {to}.label, 0'}",
            f"  {to}.inside = icmp ult i64 {to}.wide, {count}",
            f"  {to}.place = select i1 {to}.inside, i64 {to}.wide, i64 0",
            f"  {to} = getelementptr i{8 * nest.dtype_of_number(load).size}, ptr {row}, i64 {to}.place"]  # fmt: skip


def memory_of(home: Home) -> str:
    kind, number = home
    return {"result": f"%w{number}", "temporary": f"%temporary{number}", "slot": f"%slot{number}"}[kind]


NARROW: Final = 64
"""The widest rows that are added in registers."""


def added(name: str, node: RowReduction, one: str, width: int) -> str:
    """The text of `@{name}(total, rows, number, width, first)`: `number` rows are combined with the total.

    Args:
        name: its name.
        node: the reduction.
        one: the function (total, row, total, width) that combines one row.
        width: the elements of a row if they are known, else 0.
    """
    kind, size = memory_kind(node.dtype), node.dtype.size
    if 0 < width <= NARROW and node.ufunc == "add" and node.dtype.is_floating:
        return _in_registers(name, f"<{width} x {kind}>", size * width)
    identity = getattr(np, node.ufunc).identity
    bits = f"i{8 * size}"
    begin: list[str]
    if identity is None:  # the first row is the total
        begin = ["  call void @llvm.memcpy.p0.p0.i64(ptr %total, ptr %rows, i64 %bytes, i1 false)", "  br label %each"]
        start = "1"
    else:
        number: Any = node.dtype.np.type(identity).tobytes()
        begin = ["  br label %fill", "fill:", "  %k = phi i64 [0, %begin], [%k1, %fill]",
                 f"  %p = getelementptr {bits}, ptr %total, i64 %k",
                 f"  store {bits} {int.from_bytes(number, 'little')}, ptr %p, align 1", "  %k1 = add i64 %k, 1",
                 "  %filled = icmp slt i64 %k1, %width", "  br i1 %filled, label %fill, label %each"]  # fmt: skip
        start = "0"
    came = "%begin" if identity is None else "%fill"
    return "\n".join([
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        f"define internal void @{name}(ptr %total, ptr %rows, i64 %number, i64 %width, i1 %first) #1 {{", "entry:",
        f"  %bytes = mul i64 %width, {size}", "  br i1 %first, label %begin, label %each", "begin:", *begin, "each:",
        f"  %from = phi i64 [0, %entry], [{start}, {came}]", "  %some = icmp slt i64 %from, %number",
        "  br i1 %some, label %row, label %done", "row:", "  %r = phi i64 [%from, %each], [%r1, %row]",
        "  %at = mul i64 %r, %bytes", "  %x = getelementptr i8, ptr %rows, i64 %at",
        f"  call void @{one}(ptr %total, ptr %x, ptr %total, i64 %width)", "  %r1 = add i64 %r, 1",
        "  %more = icmp slt i64 %r1, %number", "  br i1 %more, label %row, label %done", "done:", "  ret void", "}",
    ])  # fmt: skip


def _in_registers(name: str, vector: str, size: int) -> str:
    return f"""define internal void @{name}(ptr %total, ptr %rows, i64 %number, i64 %width, i1 %first) #1 {{
entry:
  %before = load {vector}, ptr %total, align 1
  %start = select i1 %first, {vector} zeroinitializer, {vector} %before
  br label %row
row:
  %r = phi i64 [0, %entry], [%r1, %row]
  %sum = phi {vector} [%start, %entry], [%next, %row]
  %at = mul i64 %r, {size}
  %x = getelementptr i8, ptr %rows, i64 %at
  %y = load {vector}, ptr %x, align 1
  %next = fadd {vector} %sum, %y
  %r1 = add i64 %r, 1
  %more = icmp slt i64 %r1, %number
  br i1 %more, label %row, label %done
done:
  store {vector} %next, ptr %total, align 1
  ret void
}}"""
