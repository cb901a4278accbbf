"""Sums of a row whose elements are computed where they are added, in NumPy's pairwise order.

`llvm.pairwise_sum` adds what lies in memory. Here the pass of a stage computes eight elements and adds them to the
eight totals of a leaf, so that what only the sums read is never stored:

    (operands ..., sums ..., n)     n > 128: both halves, and the sum of their sums; else eight elements at a time

What the row after this one needs is fetched meanwhile, and the memory of results that a later stage of this row
stores: a processor fetches ahead by itself, but only while a pass reads, and no further than a page. With both, the
gradients of a layer normalisation of 1,000 x 1,000 float32 take 0.6 to 0.7 times as long as with a pass for each sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...graph.shapes.dtypes import DType
from ..compiled.emit_llvm import is_direct
from ..compiled.llvm_primitives import IrFunction, Operand, constant_operand, emit_step, kind_of, memory_kind
from ..ir.nest_ir import ELEMENT, RowReduction
from ..ir.scalar_ir import Argument, CannotLower, Literal, Scalar, ScalarStep
from ..llvm import pairwise_sum
from ..llvm.pairwise_sum import AS_WRITTEN, LANES, LEAF
from .sequential.vector_steps import emit_vector_step, splat

PAGE: Final = 4096
"""How many bytes ahead elements are fetched. Of 1,024 and 2,048 bytes nothing came; 8,192 gave the same."""
_LINE: Final = 64


def is_added_in_pairs(node: RowReduction) -> bool:
    """True if a reduction is a sum of a row in NumPy's pairwise order."""
    is_sum = node.ufunc == "add" and node.axis == ELEMENT and node.dtype.is_floating and node.dtype.size >= 4
    return is_sum and pairwise_sum.is_known()


def has_lanes(step: ScalarStep, dtypes: tuple[DType, ...]) -> bool:
    """True if a step is plain instructions, for vectors too; found by writing it to a discarded function."""
    if not is_direct(step, dtypes) or any(d.is_complex for d in dtypes):
        return False
    try:
        emit_vector_step(IrFunction(), step, dtypes, ("undef",) * len(dtypes), LANES)
    except CannotLower:
        return False
    return True


class SummedPass:
    """Writes the function of a pass with sums.

    Args:
        name: the name of the function.
        program: what it computes; its last outputs are the elements that are summed.
        uniform: for each input, whether it is one number for all elements.
        sums: the number of sums.
        streams: the inputs that are other memory for each row.
        later: the dtypes of results of this row that a later stage stores; their places stand before those of the sums.
    """

    def __init__(
        self, name: str, program: Scalar, uniform: Sequence[bool], sums: int, streams: Sequence[int],
        later: Sequence[DType],
    ) -> None:  # fmt: skip
        self.name, self.program, self.uniform = name, program, uniform
        self._streams, self._later = streams, later
        self.code = IrFunction()
        self._stored = program.outputs[: len(program.outputs) - sums]
        self._summed = program.outputs[len(program.outputs) - sums :]
        self._places = [f"%in{k}" for k in range(len(uniform))] + [f"%out{k}" for k in range(len(self._stored))]
        self._places += [f"%later{k}" for k in range(len(later))]
        self._uniform: dict[int, Operand] = {}

    def text(self) -> str:
        """The function as IR."""
        sums = range(len(self._summed))
        kinds = [kind_of(self.program.dtype_of(a)) for a in self._summed]
        given = ", ".join([f"ptr {p}" for p in [*self._places, *[f"%sum{k}" for k in sums]]])
        code = self.code
        self._uniform_values()
        code.add(f"%is.leaf = icmp sle i64 %n, {LEAF}")
        code.add("br i1 %is.leaf, label %leaf, label %halves")
        self._leaf(kinds)
        self._halves(kinds, given)
        cells = [f"  %half{k} = alloca {kind}" for k, kind in enumerate(kinds)]
        head = f"define internal void @{self.name}({given}, i64 %n) #1 {{\nentry:"
        return "\n".join([head, *cells, *code.allocas, *code.lines, "}"])

    # ---- up to 128 elements -------------------------------------------------------------------

    def _leaf(self, kinds: Sequence[str]) -> None:
        code, sums = self.code, range(len(kinds))
        code.label("leaf")
        code.add(f"%end = and i64 %n, -{LANES}")
        code.add(f"%end.wide = and i64 %n, -{2 * LANES}")
        code.add("%is.short = icmp eq i64 %end, 0")
        code.add("br i1 %is.short, label %rest, label %wide.some")
        code.label("wide.some")
        code.add("%is.wide = icmp sgt i64 %end.wide, 0")
        code.add("br i1 %is.wide, label %wide, label %lanes")
        start = [f"<{', '.join([f'{kind} -0.0'] * LANES)}>" for kind in kinds]  # -0.0 + x is x
        code.label("wide")
        code.add("%i = phi i64 [0, %wide.some], [%i.next, %wide]")
        for k, kind in enumerate(kinds):
            code.add(f"%w{k} = phi <{LANES} x {kind}> [{start[k]}, %wide.some], [%w{k}.next, %wide]")
        self._fetch("%i", 2 * LANES)
        elements = self._elements("%i", 2 * LANES)
        for k, kind in enumerate(kinds):
            before = f"%w{k}"
            for half in (0, 1):
                lanes = ", ".join([f"i32 {c}" for c in range(half * LANES, (half + 1) * LANES)])
                own = code.do(f"shufflevector <{2 * LANES} x {kind}> {elements[k]}, <{2 * LANES} x {kind}> poison, "
                              f"<{LANES} x i32> <{lanes}>")  # fmt: skip
                after = f"%w{k}.next" if half else f"%w{k}.half"
                code.add(f"{after} = fadd <{LANES} x {kind}> {before}, {own}")
                before = after
        code.add(f"%i.next = add i64 %i, {2 * LANES}")
        code.add("%again = icmp slt i64 %i.next, %end.wide")
        code.add(f"br i1 %again, label %wide, label %wide.done, {AS_WRITTEN}")
        code.label("wide.done")
        code.add("%is.even = icmp eq i64 %end, %end.wide")
        code.add("br i1 %is.even, label %across, label %lanes")
        code.label("lanes")
        for k, kind in enumerate(kinds):
            code.add(f"%l{k} = phi <{LANES} x {kind}> [{start[k]}, %wide.some], [%w{k}.next, %wide.done]")
        elements = self._elements("%end.wide", LANES)
        for k, kind in enumerate(kinds):
            code.add(f"%l{k}.next = fadd <{LANES} x {kind}> %l{k}, {elements[k]}")
        code.add("br label %across")
        code.label("across")
        for k, kind in enumerate(kinds):
            code.add(f"%r{k} = phi <{LANES} x {kind}> [%w{k}.next, %wide.done], [%l{k}.next, %lanes]")
        across = [_across(code, f"%r{k}", kind) for k, kind in enumerate(kinds)]
        code.add("br label %rest")
        code.label("rest")
        for k, kind in enumerate(kinds):
            code.add(f"%s{k} = phi {kind} [0.0, %leaf], [{across[k]}, %across]")
        code.add("%is.left = icmp slt i64 %end, %n")
        code.add("br i1 %is.left, label %tail, label %done")
        code.label("tail")
        code.add("%j = phi i64 [%end, %rest], [%j.next, %tail]")
        for k, kind in enumerate(kinds):
            code.add(f"%t{k} = phi {kind} [%s{k}, %rest], [%t{k}.next, %tail]")
        elements = self._elements("%j", 1)
        for k, kind in enumerate(kinds):
            code.add(f"%t{k}.next = fadd {kind} %t{k}, {elements[k]}")
        code.add("%j.next = add i64 %j, 1")
        code.add("%on = icmp slt i64 %j.next, %n")
        code.add(f"br i1 %on, label %tail, label %done, {AS_WRITTEN}")
        code.label("done")
        for k, kind in enumerate(kinds):
            code.add(f"%d{k} = phi {kind} [%s{k}, %rest], [%t{k}.next, %tail]")
        for k in sums:  # a sum begins with 0.0, which makes 0.0 of -0.0
            code.add(f"%e{k} = fadd {kinds[k]} %d{k}, 0.0")
            code.add(f"store {kinds[k]} %e{k}, ptr %sum{k}, align 1")
        code.add("ret void")

    def _fetch(self, index: str, count: int) -> None:
        """Write the instructions that fetch what the next row reads, and what this row stores later."""
        code = self.code
        code.declared["fetch"] = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
        wanted = [(f"%in{k}", self.program.inputs[k].size, PAGE, 0) for k in self._streams]
        wanted += [(f"%later{k}", dtype.size, 0, 1) for k, dtype in enumerate(self._later)]
        for base, size, ahead, is_write in wanted:
            at = code.do(f"getelementptr [{size} x i8], ptr {base}, i64 {index}")
            for line in range(ahead, ahead + count * size, _LINE):
                place = code.do(f"getelementptr i8, ptr {at}, i64 {line}")
                code.add(f"call void @llvm.prefetch.p0(ptr {place}, i32 {is_write}, i32 3, i32 1)")

    def _elements(self, index: str, count: int) -> list[Operand]:
        """Write the instructions for `count` elements from an index on; the elements that are summed."""
        program, first = self.program, len(self.program.inputs)
        values: dict[int, Operand] = {}
        for k, (dtype, one) in enumerate(zip(program.inputs, self.uniform, strict=True)):
            if not one:
                values[k] = self._load(dtype, f"%in{k}", index, count)
        for k, step in enumerate(program.steps, first):
            dtypes = tuple([program.dtype_of(a) for a in step.args])
            operands = tuple([self._operand(a, values, count) for a in step.args])
            found = emit_step(self.code, step, dtypes, operands) if count == 1 else emit_vector_step(
                self.code, step, dtypes, operands, count)  # fmt: skip
            assert found is not None  # `has_lanes` said so
            values[k] = found
        for k, output in enumerate(self._stored):
            self._store(program.dtype_of(output), self._operand(output, values, count), f"%out{k}", index, count)
        return [self._operand(a, values, count) for a in self._summed]

    def _operand(self, argument: Argument, values: dict[int, Operand], count: int) -> Operand:
        if not isinstance(argument, Literal) and argument in values:
            return values[argument]
        one = constant_operand(argument) if isinstance(argument, Literal) else self._uniform[argument]
        return one if count == 1 else splat(self.code, kind_of(self.program.dtype_of(argument)), str(one), count)

    def _load(self, dtype: DType, base: str, index: str, count: int) -> Operand:
        place = self.code.do(f"getelementptr {memory_kind(dtype)}, ptr {base}, i64 {index}")
        if count == 1:
            return self.code.load(dtype, place)
        found = self.code.do(f"load <{count} x {memory_kind(dtype)}>, ptr {place}, align 1")
        return self.code.do(f"icmp ne <{count} x i8> {found}, zeroinitializer") if dtype.is_bool else found

    def _store(self, dtype: DType, operand: Operand, base: str, index: str, count: int) -> None:
        place = self.code.do(f"getelementptr {memory_kind(dtype)}, ptr {base}, i64 {index}")
        if count == 1:
            self.code.store(dtype, operand, place)
            return
        if dtype.is_bool:
            operand = self.code.do(f"zext <{count} x i1> {operand} to <{count} x i8>")
        self.code.add(f"store <{count} x {memory_kind(dtype)}> {operand}, ptr {place}, align 1")

    def _uniform_values(self) -> None:
        """Numbers that are the same for all elements, read once."""
        for k, (dtype, one) in enumerate(zip(self.program.inputs, self.uniform, strict=True)):
            if one:
                self._uniform[k] = self.code.load(dtype, f"%in{k}")

    # ---- longer rows --------------------------------------------------------------------------

    def _halves(self, kinds: Sequence[str], given: str) -> None:
        code, program = self.code, self.program
        steps = [0 if one else d.size for d, one in zip(program.inputs, self.uniform, strict=True)]
        steps += [program.dtype_of(a).size for a in self._stored] + [dtype.size for dtype in self._later]
        code.label("halves")
        code.add("%half = lshr i64 %n, 1")
        code.add(f"%low = and i64 %half, -{LANES}")
        code.add("%high = sub i64 %n, %low")
        code.add(f"call void @{self.name}({given}, i64 %low)")
        places = []
        for place, step in zip(self._places, steps, strict=True):
            offset = code.do(f"mul i64 %low, {step}") if step else "0"
            places.append(code.do(f"getelementptr i8, ptr {place}, i64 {offset}"))
        places += [f"%half{k}" for k in range(len(kinds))]
        code.add(f"call void @{self.name}({', '.join([f'ptr {p}' for p in places])}, i64 %high)")
        for k, kind in enumerate(kinds):
            low = code.do(f"load {kind}, ptr %sum{k}, align 1")
            high = code.do(f"load {kind}, ptr %half{k}, align 1")
            code.add(f"store {kind} {code.do(f'fadd {kind} {low}, {high}')}, ptr %sum{k}, align 1")
        code.add("ret void")


def _across(code: IrFunction, vector: str, kind: str) -> str:
    """The sum of eight lanes: neighbours first, as NumPy adds them."""
    for count in (LANES, LANES // 2, LANES // 4):
        halves = []
        for start in (0, 1):
            lanes = ", ".join([f"i32 {k}" for k in range(start, count, 2)])
            halves.append(code.do(f"shufflevector <{count} x {kind}> {vector}, <{count} x {kind}> poison, "
                                  f"<{count // 2} x i32> <{lanes}>"))  # fmt: skip
        vector = code.do(f"fadd <{count // 2} x {kind}> {halves[0]}, {halves[1]}")
    return code.do(f"extractelement <1 x {kind}> {vector}, i64 0")


def filled(name: str, node: RowReduction) -> str:
    """The text of `@{name}(total, n)`: n totals begin with the identity of their function."""
    number: Any = node.dtype.np.type(getattr(np, node.ufunc).identity)
    bits = f"i{8 * node.dtype.size}"
    return f"""define internal void @{name}(ptr %total, i64 %n) #1 {{
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %fill, label %done
fill:
  %k = phi i64 [0, %entry], [%k1, %fill]
  %p = getelementptr {bits}, ptr %total, i64 %k
  store {bits} {int.from_bytes(number.tobytes(), "little")}, ptr %p, align 1
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %n
  br i1 %more, label %fill, label %done, {AS_WRITTEN}
done:
  ret void
}}"""
