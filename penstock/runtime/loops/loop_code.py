"""`LoopCode`: the text of a loop function while it is written: blocks, memory on the stack, NumPy calls.

Numbers that change from iteration to iteration live in stack cells (`alloca`); LLVM keeps them in registers. Loops over
elements are those of nests (`nest_in_loop`).

The text form of a loop's code: its steps, each with the nests that its code begins with or is made of.

    t2 = Gather(t0, t1)
      take(out, rows, index, sizes, count, row)
      %6 = sizes[0]  int64
      for i < count
        ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any, Final, NamedTuple

from ...graph.shapes.dtypes import DType, of_numpy
from ..compiled.imported_loops import imported_loop
from ..compiled.llvm_primitives import IrFunction, kind_of
from ..compiled.module_parts import ModuleParts
from ..ir.scalar_ir import CannotLower
from ..ir.tiling import Shape
from ..planning.plan import Step
from .chunk_clock import SEGMENT, SLICE
from .loop_form import HARD
from .loop_values import InMemory, Number, dense

MOST_SCRATCH = 1 << 22
"""The most bytes of intermediate arrays of a body."""
LINE: Final = 0.3
"""Estimated nanoseconds of an instruction."""
BYTE: Final = 0.1
"""Estimated nanoseconds of a byte that is copied or cleared."""
NUMPY: Final = 2.0
"""Estimated nanoseconds of an element in one of NumPy's loops."""
PRODUCT: Final = 0.2
"""Estimated nanoseconds of a multiplication in a product of matrices."""


class LoopCode(IrFunction):
    """The text of one function, and what the module needs besides it.

    Attributes:
        parts: other functions of the module, and what they need.
        tables: constant arrays, whose addresses the frame holds.
        captures: the number and shape of an operand that no iteration changes, by the register of its address.
        rows_of_captures: the capture and the position of the first element, by the register of the address of some of
            its rows.
        turned: the numbers of captures that the code reads transposed; the frame has the address of a transposed copy.
        scratch: bytes of intermediate arrays so far.
        rates: estimated nanoseconds of an element in each function that nests call, by its name.
        text: what the code does, for people.
        bail: the label at which an iteration is given back to the plain path.
        work: estimated nanoseconds of the instructions since the last checkpoint.
        counts_work: whether there are checkpoints, because iterations differ or are long.
    """

    def __init__(self) -> None:
        super().__init__()
        self.parts = ModuleParts()
        self.parts.declared = self.declared
        self.tables: list[Any] = []
        self.captures: dict[str, tuple[int, Shape]] = {}
        self.rows_of_captures: dict[str, tuple[str, int]] = {}
        self.turned: list[int] = []
        self.scratch = 0
        self.rates: dict[str, float] = {}
        self.text = BodyText()
        self.bail = "bail"
        self.work = 0.0
        self.counts_work = False
        self._labels = 0
        self._trips = 1  # how often the instructions that are being written run

    def turned_capture(self, block: InMemory) -> TurnedRows | None:
        """Where a contiguous matrix lies in a transposed copy; None if it is not a capture, or some rows of one."""
        pointer, first = self.rows_of_captures.get(block.pointer, (block.pointer, 0))
        operand, shape = self.captures.get(pointer, (0, ()))
        if len(shape) != 2 or block.shape[1:] != shape[1:]:
            return None
        return TurnedRows(operand, shape[0], first // shape[1])

    def read_turned(self, block: InMemory, rows: TurnedRows) -> InMemory:
        """The transposed matrix, in a copy that is made when the loop begins."""
        if rows.operand not in self.turned:
            self.turned.append(rows.operand)
        item = block.dtype.size
        pointer = self.offset(f"%turned{self.turned.index(rows.operand)}", rows.first * item)
        return InMemory(block.dtype, block.shape[::-1], pointer, (rows.step * item, item))

    # ---- work -------------------------------------------------------------------------------

    def add(self, line: str) -> None:
        """Add an instruction without a result."""
        super().add(line)
        self.work += LINE * self._trips

    def do(self, text: str) -> str:
        """Add an instruction and return the register of its result."""
        self.work += LINE * self._trips
        return super().do(text)

    def spend(self, nanoseconds: float) -> None:
        """Count the work of a call, which is estimated."""
        self.work += nanoseconds * self._trips

    def pay(self) -> str:
        """Take the work since the last checkpoint from the fuel; the register of what is left."""
        self.counts_work = True
        work, self.work = max(int(self.work), 1), 0.0
        left = self.do(f"sub i64 {self.do('load i64, ptr %fuel')}, {work}")
        self.add(f"store i64 {left}, ptr %fuel")
        return left

    def checkpoint(self) -> None:
        """Give the iteration up here if it takes too long."""
        self.look(self.pay(), HARD, "starved")

    def pause(self) -> None:
        """A checkpoint if there was much work since the last one."""
        if self.work > SEGMENT:
            self.checkpoint()

    def look(self, left: str, word: int, late: str) -> None:
        """If no fuel is left, look at the clock; if the time of `word` has come, jump to a label."""
        ask, fed = self.new_label("ask"), self.new_label("fed")
        self.branch(self.do(f"icmp sgt i64 {left}, 0"), fed, ask)
        self.label(ask)
        is_late = self.do(f"call i1 @is_late(ptr %frame, i64 {word})")
        self.add(f"store i64 {SLICE}, ptr %fuel")
        self.branch(is_late, late, fed)
        self.label(fed)
        self.work = 0.0

    # ---- blocks -----------------------------------------------------------------------------

    def new_label(self, word: str) -> str:
        """A label that is not used yet."""
        self._labels += 1
        return f"{word}{self._labels}"

    def jump(self, label: str) -> None:
        """End the block with a jump."""
        self.add(f"br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        """End the block with a jump to one of two labels."""
        self.add(f"br i1 {condition}, label %{yes}, label %{no}")

    def bail_if(self, condition: str) -> None:
        """Give the iteration back to the plain path if the condition holds."""
        on = self.new_label("on")
        self.branch(condition, self.bail, on)
        self.label(on)

    @contextmanager
    def repeated(self, count: int) -> Iterator[None]:
        """What is written meanwhile runs so many times."""
        outside = self._trips
        self._trips = outside * max(count, 1)
        yield
        self._trips = outside

    # ---- memory -----------------------------------------------------------------------------

    def intermediate(self, dtype: DType, shape: Shape) -> InMemory:
        """Memory for an intermediate array."""
        start = self.reserved(prod(shape) * dtype.size)
        return dense(dtype, shape, self.do(f"getelementptr i8, ptr %scratch, i64 {start}"))

    def reserved(self, count: int) -> int:
        """The offset of `count` bytes among the intermediate arrays."""
        start = self.scratch
        self.scratch = start + -(-max(count, 1) // 64) * 64
        if self.scratch > MOST_SCRATCH:
            raise CannotLower(f"its intermediate arrays take more than {MOST_SCRATCH >> 20} MiB")
        return start

    def table(self, array: Any) -> InMemory:
        """A constant array in memory."""
        name = f"%table{len(self.tables)}"
        self.tables.append(array)
        return dense(of_numpy(array.dtype), array.shape, name)

    def offset(self, pointer: str, count: int | str) -> str:
        """The address `count` bytes later."""
        return pointer if count == 0 else self.do(f"getelementptr i8, ptr {pointer}, i64 {count}")

    def spilled(self, number: Number) -> InMemory:
        """A number in a stack cell."""
        cell = self.cell(f"[{number.dtype.size} x i8]")
        self.store(number.dtype, number.operand, cell)
        return dense(number.dtype, number.shape, cell)

    def clear(self, target: str, count: int) -> None:
        """Set memory to zeros."""
        self.spend(BYTE * count)
        self.declared["@llvm.memset"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
        self.add(f"call void @llvm.memset.p0.i64(ptr {target}, i8 0, i64 {count}, i1 false)")

    def scaled(self, index: str, stride: int) -> int | str:
        """The bytes that an index moves."""
        return 0 if stride == 0 else self.do(f"mul i64 {index}, {stride}")

    def as_index(self, number: Number) -> str:
        """A number of ints as an i64."""
        kind = kind_of(number.dtype)
        if number.dtype.size == 8:
            return str(number.operand)
        return self.do(f"{'zext' if number.dtype.is_unsigned else 'sext'} {kind} {number.operand} to i64")

    # ---- NumPy's loops ----------------------------------------------------------------------

    def call_numpy(
        self, function: str, dtypes: Sequence[DType], places: Sequence[tuple[str, int]], sizes: Sequence[int],
        more_strides: Sequence[int] = (),
    ) -> None:
        """Call NumPy's loop of a function.

        Args:
            function: its name.
            dtypes: those of its operands and of its result, the last.
            places: for each of these the address and the stride.
            sizes: the number of elements, and the core sizes of a generalised function.
            more_strides: the core strides of a generalised function.

        Raises:
            CannotLower: NumPy has no such loop.
        """
        loop = imported_loop(function, dtypes)
        self.parts.imports.update(loop.imports)
        self.spend((PRODUCT if function == "matmul" else NUMPY) * prod(sizes))
        self.call_loop(loop, places, sizes, more_strides)


class TurnedRows(NamedTuple):
    """Rows of a capture, which are columns of its transposed copy.

    Attributes:
        operand: the number of the capture.
        step: from one row of the copy to the next, in elements.
        first: the first of the columns.
    """

    operand: int
    step: int
    first: int


class BodyText:
    """The text while code is written. Its nests are printed only when it is asked for."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, object]] = []
        self._depth = 0

    def add(self, part: object, deeper: int = 0) -> None:
        """Add the text of something, by default at the present depth."""
        self._parts.append((self._depth + deeper, part))

    def step(self, step: Step) -> None:
        """Add a step without the graphs that it holds."""
        self.add(str(step).partition("\n")[0])

    @contextmanager
    def inside(self, head: str = "") -> Iterator[None]:
        """What is added meanwhile stands one level deeper, below a head."""
        if head:
            self.add(head)
        self._depth += 1
        yield
        self._depth -= 1

    def __str__(self) -> str:
        return "\n".join([f"{'  ' * depth}{line}" for depth, part in self._parts for line in str(part).splitlines()])
