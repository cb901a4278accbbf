"""A writer of LLVM IR for loops over vectors: addresses, loads with masks, nested loops with sums in registers.

Ints may be Python ints, which are folded, or names of i64 values. All memory is accessed with the alignment of an
element, so views of unaligned memory are not served.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from ....graph.common.quick_dataclass import dataclass
from ...llvm.array_head import load_data
from ...llvm.toolchain import AS_IS, features
from ..loops.loop_ir import AS_WRITTEN

Int: TypeAlias = int | str
Values: TypeAlias = list[str]

_TYPES: Final = {"f4": ("float", "f32", 4), "f8": ("double", "f64", 8)}


@dataclass(frozen=True, slots=True)
class Machine:
    """What loops are written for: bytes of a vector, vector registers, whether there is a fused multiply-add."""

    vector_bytes: int
    registers: int
    has_fma: bool

    def lanes(self, kind: str) -> int:
        """The elements of a vector."""
        return self.vector_bytes // _TYPES[kind][2]


def machine() -> Machine:
    """This processor."""
    there = features()
    if "avx512f" in there:
        return Machine(64, 32, has_fma=True)
    if "avx" in there:
        return Machine(32, 16, has_fma="fma" in there)
    if "neon" in there:
        return Machine(16, 32, has_fma=True)
    return Machine(16, 16, has_fma=False)


class SizeTable(dict[str, str]):
    """The entries of a table by name: those that are asked for are read where the function begins."""

    __slots__ = ("_head", "_names", "_new", "_table")

    def __init__(self, head: list[str], new: Callable[[], str], table: str, names: Sequence[str]) -> None:
        super().__init__()
        self._head, self._new, self._table = head, new, table
        self._names = {name: i for i, name in enumerate(names)}

    def __missing__(self, name: str) -> str:
        place, value = self._new(), self._new()
        self._head.append(f"  {place} = getelementptr i64, ptr {self._table}, i64 {self._names[name]}")
        self._head.append(f"  {value} = load i64, ptr {place}, align 8")
        self[name] = value
        return value


class VectorCode:
    """The body of one function, and the module around it."""

    def __init__(self, kind: str, host: Machine | None = None) -> None:
        self.machine = host or machine()
        self.type, self.suffix, self.size = _TYPES[kind]
        self.lanes = self.machine.vector_bytes // self.size
        self.vector = f"<{self.lanes} x {self.type}>"
        self.bits = f"<{self.lanes} x i1>"
        self.lines: list[str] = []
        self._head: list[str] = []
        self._parts: list[str] = []
        self._block = "entry"
        self._count = 0

    # ---- values ------------------------------------------------------------------------------

    def new(self) -> str:
        """A new name."""
        self._count += 1
        return f"%v{self._count}"

    def value(self, instruction: str) -> str:
        """The name of the value of an instruction."""
        name = self.new()
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        """An instruction without a value."""
        self.lines.append(f"  {instruction}")

    def mul(self, a: Int, b: Int) -> Int:
        """a * b."""
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if 0 in (a, b):
            return 0
        return b if a == 1 else a if b == 1 else self.value(f"mul nsw i64 {a}, {b}")

    def add(self, a: Int, b: Int) -> Int:
        """a + b."""
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        return b if a == 0 else a if b == 0 else self.value(f"add nsw i64 {a}, {b}")

    def sub(self, a: Int, b: Int) -> Int:
        """a - b."""
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        return a if b == 0 else self.value(f"sub nsw i64 {a}, {b}")

    def div(self, a: Int, b: Int) -> str:
        """a // b of numbers that are not negative."""
        return self.value(f"udiv i64 {a}, {b}")

    def rem(self, a: Int, b: Int) -> str:
        """a % b of numbers that are not negative."""
        return self.value(f"urem i64 {a}, {b}")

    def min(self, a: Int, b: Int) -> str:
        """The smaller one."""
        return self.value(f"call i64 @llvm.smin.i64(i64 {a}, i64 {b})")

    def max(self, a: Int, b: Int) -> str:
        """The larger one."""
        return self.value(f"call i64 @llvm.smax.i64(i64 {a}, i64 {b})")

    def ceil_div(self, a: Int, b: Int) -> str:
        """a / b rounded up; 0 if a is negative."""
        return self.div(self.add(self.max(a, 0), self.sub(b, 1)), b)

    def is_less(self, a: Int, b: Int) -> str:
        """a < b."""
        return self.value(f"icmp slt i64 {a}, {b}")

    def one_of(self, condition: str, a: Int, b: Int) -> str:
        """a if the condition holds, else b."""
        return self.value(f"select i1 {condition}, i64 {a}, i64 {b}")

    # ---- memory ------------------------------------------------------------------------------

    def at(self, base: str, offset: Int) -> str:
        """The address `offset` elements behind `base`."""
        return base if offset == 0 else self.value(f"getelementptr {self.type}, ptr {base}, i64 {offset}")

    def sizes(self, table: str, names: Sequence[str]) -> SizeTable:
        """The entries of a table of i64 by name, for the function that is being written."""
        return SizeTable(self._head, self.new, table, names)

    def mask(self, count: Int) -> str:
        """The first `count` lanes."""
        numbers = ", ".join(f"i64 {i}" for i in range(self.lanes))
        one = self.value(f"insertelement <{self.lanes} x i64> poison, i64 {count}, i32 0")
        many = f"<{self.lanes} x i64>"
        spread = f"{many} {one}, {many} poison, <{self.lanes} x i32> zeroinitializer"
        all_ = self.value(f"shufflevector {spread}")
        return self.value(f"icmp slt {many} <{numbers}>, {all_}")

    def splat_bit(self, bit: str) -> str:
        """A mask of equal bits."""
        one = self.value(f"insertelement {self.bits} poison, i1 {bit}, i32 0")
        return self.value(f"shufflevector {self.bits} {one}, {self.bits} poison, <{self.lanes} x i32> zeroinitializer")

    def inverse(self, mask: str) -> str:
        """The other lanes."""
        ones = ", ".join(["i1 true"] * self.lanes)
        return self.value(f"xor {self.bits} {mask}, <{ones}>")

    def load(self, place: str, mask: str | None = None) -> str:
        """A vector; lanes outside of the mask are 0 and not read."""
        if mask is None:
            return self.value(f"load {self.vector}, ptr {place}, align {self.size}")
        name = f"@llvm.masked.load.v{self.lanes}{self.suffix}.p0"
        others = f"{self.vector} zeroinitializer"
        return self.value(
            f"call {self.vector} {name}(ptr {place}, i32 {self.size}, {self.bits} {mask}, {others})"
        )

    def store(self, value: str, place: str, mask: str | None = None, is_streamed: bool = False) -> None:
        """Write a vector, or its lanes in the mask; past the caches if it is streamed, to a multiple of its size."""
        if is_streamed:
            aligned = f"align {self.machine.vector_bytes}"
            self.do(f"store {self.vector} {value}, ptr {place}, {aligned}, !nontemporal !3")
            return
        if mask is None:
            self.do(f"store {self.vector} {value}, ptr {place}, align {self.size}")
            return
        name = f"@llvm.masked.store.v{self.lanes}{self.suffix}.p0"
        self.do(f"call void {name}({self.vector} {value}, ptr {place}, i32 {self.size}, {self.bits} {mask})")

    def store_sum(self, value: str, place: str) -> None:
        """Write the sum of the lanes."""
        name = f"@llvm.vector.reduce.fadd.v{self.lanes}{self.suffix}"
        total = self.value(f"call reassoc {self.type} {name}({self.type} 0.0, {self.vector} {value})")
        self.do(f"store {self.type} {total}, ptr {place}, align {self.size}")

    def spread(self, place: str) -> str:
        """A vector of equal numbers, read from memory."""
        return self.spread_value(self.value(f"load {self.type}, ptr {place}, align {self.size}"))

    def spread_value(self, number: str) -> str:
        """A vector of equal numbers."""
        one = self.value(f"insertelement {self.vector} poison, {self.type} {number}, i32 0")
        many = f"{self.vector} {one}, {self.vector} poison, <{self.lanes} x i32> zeroinitializer"
        return self.value(f"shufflevector {many}")

    def copy(self, to: str, source: str, count: Int) -> None:
        """Copy `count` elements."""
        size = self.mul(count, self.size)
        places = f"ptr align {self.size} {to}, ptr align {self.size} {source}"
        self.do(f"call void @llvm.memcpy.p0.p0.i64({places}, i64 {size}, i1 false)")

    def clear(self, to: str, count: Int) -> None:
        """Write `count` zeros."""
        size = self.mul(count, self.size)
        self.do(f"call void @llvm.memset.p0.i64(ptr align {self.size} {to}, i8 0, i64 {size}, i1 false)")

    # ---- arithmetic --------------------------------------------------------------------------

    def plus(self, a: str, b: str) -> str:
        """The sum of vectors."""
        return self.value(f"fadd {self.vector} {a}, {b}")

    def plus_product(self, a: str, b: str, total: str) -> str:
        """a * b + total, rounded once if the processor can."""
        v = self.vector
        if not self.machine.has_fma:
            return self.plus(self.value(f"fmul {v} {a}, {b}"), total)
        return self.value(f"call {v} @llvm.fma.v{self.lanes}{self.suffix}({v} {a}, {v} {b}, {v} {total})")

    def divided(self, a: str, number: Int) -> str:
        """A vector divided by an int."""
        count = self.value(f"sitofp i64 {number} to {self.type}")
        return self.value(f"fdiv {self.vector} {a}, {self.spread_value(count)}")

    def choose(self, mask: str, a: str, b: str) -> str:
        """Lanes of a where the mask is set, else of b."""
        return self.value(f"select {self.bits} {mask}, {self.vector} {a}, {self.vector} {b}")

    def where_positive(self, x: str, a: str) -> str:
        """Lanes of a where x is positive, else a times 0."""
        nothing = self.value(f"fmul {self.vector} {a}, zeroinitializer")
        return self.choose(self.compare("ogt", x, "zeroinitializer"), a, nothing)

    def compare(self, how: str, a: str, b: str) -> str:
        """The mask of a comparison of floats."""
        return self.value(f"fcmp {how} {self.vector} {a}, {b}")

    # ---- control -----------------------------------------------------------------------------

    def label(self) -> str:
        """A new label."""
        self._count += 1
        return f"b{self._count}"

    def start(self, label: str) -> None:
        """Go on at a label."""
        self.do(f"br label %{label}")
        self._begin(label)

    def _begin(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self._block = label

    def loop(
        self,
        low: Int,
        high: Int,
        body: Callable[[Int, Values], Sequence[str] | None],
        values: Sequence[str] = (),
        step: Int = 1,
    ) -> Values:
        """body(i, vectors) -> vectors for i from `low` below `high`; the vectors after the last one."""
        values = list(values)
        if isinstance(low, int) and isinstance(high, int) and isinstance(step, int) and high - low <= step:
            return list(body(low, values) or values) if high > low else values

        def one(i: str, inside: Values) -> tuple[Int, Values]:
            after = list(body(i, inside) or ())
            return self.value(f"add nsw i64 {i}, {step}"), after

        return self._rounds(low, high, one, values)

    def walk(self, low: Int, high: Int, body: Callable[[str], Int]) -> None:
        """body(i) for i from `low`, each time with what the last call returned, as long as that is below `high`."""
        self._rounds(low, high, lambda i, _: (body(i), []), [])

    def _rounds(
        self, low: Int, high: Int, body: Callable[[str, Values], tuple[Int, Values]], values: Values
    ) -> Values:
        """body(i, vectors) -> the next i, the vectors after it."""
        before, head, done = self._block, self.label(), self.label()
        some = self.is_less(low, high)
        self.do(f"br i1 {some}, label %{head}, label %{done}")
        self._begin(head)
        i = self.new()
        inside = [self.new() for _ in values]
        place = len(self.lines)
        self.lines.append("")
        following, after = body(i, inside)
        more = self.is_less(following, high)
        latch = self._block
        self.do(f"br i1 {more}, label %{head}, label %{done}, !llvm.loop !0")
        self._begin(done)
        phis = [f"  {i} = phi i64 [{low}, %{before}], [{following}, %{latch}]"]
        for name, first, last in zip(inside, values, after, strict=True):
            phis.append(f"  {name} = phi {self.vector} [{first}, %{before}], [{last}, %{latch}]")
        self.lines[place] = "\n".join(phis)
        return [self._one_of_two(first, before, last, latch) for first, last in zip(values, after, strict=True)]

    def _one_of_two(self, first: str, before: str, last: str, latch: str) -> str:
        return self.value(f"phi {self.vector} [{first}, %{before}], [{last}, %{latch}]")

    def when(self, condition: str, body: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        """Code that runs if a condition holds, and code for the other case."""
        yes, no, done = self.label(), self.label(), self.label()
        self.do(f"br i1 {condition}, label %{yes}, label %{done if otherwise is None else no}")
        self._begin(yes)
        body()
        if otherwise is not None:
            self.do(f"br label %{done}")
            self._begin(no)
            otherwise()
        self.start(done)

    def values_if(self, condition: str, body: Callable[[], Sequence[str]], values: Sequence[str]) -> Values:
        """What body() returns if a condition holds, else these vectors."""
        before, yes, done = self._block, self.label(), self.label()
        self.do(f"br i1 {condition}, label %{yes}, label %{done}")
        self._begin(yes)
        after = body()
        last = self._block
        self.start(done)
        pairs = zip(values, after, strict=True)
        return [self._one_of_two(without, before, with_it, last) for without, with_it in pairs]

    # ---- the module --------------------------------------------------------------------------

    def part(self, name: str, parameters: Sequence[str], write: Callable[[], None]) -> None:
        """A function of the module for what runs most of the time: `write` writes it. The function that calls it is
        then compiled as fast as LLVM can, not as well.

        parameters: each with its type.
        """
        outside = self.lines, self._head, self._block
        self.lines, self._head, self._block = [], [], "entry"
        write()
        body = "\n".join(["entry:", *self._head, *self.lines])
        self._parts.append(f"define internal void @{name}({', '.join(parameters)}) #0 {{\n{body}\n  ret void\n}}\n")
        self.lines, self._head, self._block = outside

    def call(self, name: str, arguments: Sequence[str]) -> None:
        """Call a part."""
        self.do(f"call void @{name}({', '.join(arguments)})")

    def module(
        self, name: str, arrays: Sequence[str], ints: Sequence[str] = (), may_overlap: bool = False,
        is_final: bool = True,
    ) -> str:  # fmt: skip
        """The module of the function `name`, over array objects and i64, which returns 0.

        Args:
            name: the name.
            arrays, ints: the names of its parameters.
            may_overlap: whether an array that is written may be one that is read.
            is_final: False if LLVM's passes improve the code: addresses that are products of what a loop counts.
        """
        parameters = ", ".join([*[f"ptr {a}_object" for a in arrays], *[f"i64 {i}" for i in ints]])
        addresses = "\n  ".join(load_data(a, f"{a}_object") for a in arrays)
        pointer = "ptr" if may_overlap else "ptr noalias"
        inner = ", ".join([*[f"{pointer} {a}" for a in arrays], *[f"i64 {i}" for i in ints]])
        arguments = ", ".join([*[f"ptr {a}" for a in arrays], *[f"i64 {i}" for i in ints]])
        v, suffix = self.vector, f"v{self.lanes}{self.suffix}"
        body = "\n".join([*self._head, *self.lines])
        care = "optnone " if self._parts else ""
        return f"""{AS_IS if is_final else ''}declare {v} @llvm.fma.{suffix}({v}, {v}, {v})
declare {v} @llvm.masked.load.{suffix}.p0(ptr, i32, {self.bits}, {v})
declare void @llvm.masked.store.{suffix}.p0({v}, ptr, i32, {self.bits})
declare {self.type} @llvm.vector.reduce.fadd.{suffix}({self.type}, {v})
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
{"".join(self._parts)}define internal void @{name}_code({inner}) noinline {care}#0 {{
entry:
{body}
  ret void
}}
define i64 @{name}({parameters}) #0 {{
entry:
  {addresses}
  call void @{name}_code({arguments})
  ret i64 0
}}
{AS_WRITTEN}!3 = !{{i32 1}}
"""
