"""`LoopCode`: the text of a loop function while it is written: blocks, memory on the stack, counted loops, NumPy calls.

Numbers that change from iteration to iteration live in stack cells (`alloca`); LLVM keeps them in registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any, Final

from ...graph.shapes.dtypes import DType, bfloat16, of_numpy
from ..compiled.llvm_primitives import IrFunction, Operand, kind_of, memory_kind, symbol
from ..ir.scalar_ir import CannotLower
from ..ir.strides import coalesced
from ..ir.tiling import Shape
from ..llvm.ufunc_loops import numpy_loop
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
        functions: other functions of the module.
        metadata: lines at the end of the module.
        imports: addresses of NumPy's loops by name.
        tables: constant arrays, whose addresses the frame holds.
        captures: the number of an operand that no iteration changes, by the register of its address.
        turned: the numbers of those that the code reads transposed; the frame has the address of a transposed copy.
        scratch: bytes of intermediate arrays so far.
        bail: the label at which an iteration is given back to the plain path.
        work: estimated nanoseconds of the instructions since the last checkpoint.
        counts_work: whether there are checkpoints, because iterations differ or are long.
    """

    def __init__(self) -> None:
        super().__init__()
        self.allocas: list[str] = []
        self.functions: list[str] = []
        self.metadata: list[str] = []
        self.imports: dict[str, int] = {}
        self.tables: list[Any] = []
        self.captures: dict[str, int] = {}
        self.turned: list[int] = []
        self.scratch = 0
        self.loops = 0
        self.bail = "bail"
        self.work = 0.0
        self.counts_work = False
        self._labels = 0
        self._trips = 1  # how often the instructions that are being written run

    def is_capture(self, pointer: str) -> bool:
        """Whether an address is that of an operand that no iteration changes."""
        return pointer in self.captures

    def turned_capture(self, pointer: str) -> str | None:
        """The register of the address of a transposed copy of a capture; None if the address is not that of one."""
        operand = self.captures.get(pointer)
        if operand is None:
            return None
        if operand not in self.turned:
            self.turned.append(operand)
        return f"%turned{self.turned.index(operand)}"

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
    def counted(self, count: int, step: int = 1) -> Iterator[str]:
        """A loop over 0, step, 2 step ... below `count`, which is above 0; gives the register of the counter."""
        cell = self.cell("i64")
        head, done = self.new_label("loop"), self.new_label("after")
        self.add(f"store i64 0, ptr {cell}")
        self.jump(head)
        self.label(head)
        index = self.do(f"load i64, ptr {cell}")
        outside = self._trips
        self._trips = outside * max(count // step, 1)
        yield index
        following = self.do(f"add nuw nsw i64 {index}, {step}")
        self.add(f"store i64 {following}, ptr {cell}")
        self.branch(self.do(f"icmp slt i64 {following}, {count}"), head, done)
        self._trips = outside
        self.label(done)

    # ---- memory -----------------------------------------------------------------------------

    def cell(self, kind: str) -> str:
        """A place on the stack for one word of a type."""
        name = f"%cell{len(self.allocas)}"
        self.allocas.append(f"  {name} = alloca {kind}, align 16")
        return name

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

    def load(self, dtype: DType, pointer: str) -> Operand:
        """The number at an address."""
        kind = memory_kind(dtype)
        if dtype.is_complex:
            other = self.offset(pointer, dtype.size // 2)
            return self.do(f"load {kind}, ptr {pointer}, align 1"), self.do(f"load {kind}, ptr {other}, align 1")
        found = self.do(f"load {kind}, ptr {pointer}, align 1")
        return self.do(f"icmp ne i8 {found}, 0") if dtype.is_bool else found

    def store(self, dtype: DType, operand: Operand, pointer: str) -> None:
        """Store a number at an address."""
        kind = memory_kind(dtype)
        if isinstance(operand, tuple):
            self.add(f"store {kind} {operand[0]}, ptr {pointer}, align 1")
            self.add(f"store {kind} {operand[1]}, ptr {self.offset(pointer, dtype.size // 2)}, align 1")
            return
        if dtype.is_bool:
            operand = self.do(f"zext i1 {operand} to i8")
        self.add(f"store {kind} {operand}, ptr {pointer}, align 1")

    def spilled(self, number: Number) -> InMemory:
        """A number in a stack cell."""
        cell = self.cell(f"[{number.dtype.size} x i8]")
        self.store(number.dtype, number.operand, cell)
        return dense(number.dtype, number.shape, cell)

    def copy_bytes(self, target: str, source: str, count: int) -> None:
        """Copy memory that does not overlap."""
        self.spend(BYTE * count)
        self.declared["@llvm.memcpy"] = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
        self.add(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {count}, i1 false)")

    def clear(self, target: str, count: int) -> None:
        """Set memory to zeros."""
        self.spend(BYTE * count)
        self.declared["@llvm.memset"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
        self.add(f"call void @llvm.memset.p0.i64(ptr {target}, i8 0, i64 {count}, i1 false)")

    def copy(self, target: InMemory, source: InMemory) -> None:
        """Copy the elements of an array to one of the same shape, which does not overlap it."""
        size = source.dtype.size
        shape, (to, of) = coalesced(source.shape, [list(target.strides), list(source.strides)])
        into, out_of = target.pointer, source.pointer
        if not shape or (len(shape) == 1 and to[0] == of[0] == size):
            self.copy_bytes(into, out_of, size * prod(shape))
            return
        self._copy_axes(shape, to, of, into, out_of, size)

    def _copy_axes(self, shape: Shape, to: Sequence[int], of: Sequence[int], into: str, out_of: str, size: int) -> None:
        if len(shape) == 1 and to[0] == of[0] == size:
            self.copy_bytes(into, out_of, size * shape[0])
            return
        if not shape:
            self.copy_bytes(into, out_of, size)
            return
        with self.counted(shape[0]) as i:
            a, b = self.scaled(i, to[0]), self.scaled(i, of[0])
            self._copy_axes(shape[1:], to[1:], of[1:], self.offset(into, a), self.offset(out_of, b), size)

    def scaled(self, index: str, stride: int) -> int | str:
        """The bytes that an index moves."""
        return 0 if stride == 0 else self.do(f"mul i64 {index}, {stride}")

    def contiguous(self, block: InMemory) -> InMemory:
        """The array with its elements in row-major order."""
        if block.is_contiguous:
            return dense(block.dtype, block.shape, block.pointer)
        made = self.intermediate(block.dtype, block.shape)
        self.copy(made, block)
        return made

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
        if bfloat16 in dtypes:
            raise CannotLower(f"NumPy has no {function} of bfloat16")
        self.spend((PRODUCT if function == "matmul" else NUMPY) * prod(sizes))
        letters = [d.np.char for d in dtypes]
        types = f"{''.join(letters[:-1])}->{letters[-1]}"
        loop = numpy_loop(function, types)
        if loop is None:
            raise CannotLower(f"NumPy has no loop {types} of {function}")
        name = symbol(function, types)
        self.imports[name] = loop.address
        self.declared[f"@{name}"] = f"declare void @{name}(ptr, ptr, ptr, ptr)"
        data = "null"
        if loop.data:
            data = f"@{name}_data"
            self.imports[f"{name}_data"] = loop.data
            self.declared[data] = f"declare void {data}()"
        args, steps, dims = (self._call_words(word) for word in ("args", "steps", "dims"))
        for k, (pointer, _) in enumerate(places):
            self.add(f"store ptr {pointer}, ptr {self.offset(args, 8 * k)}")
        for k, stride in enumerate([*[stride for _, stride in places], *more_strides]):
            self.add(f"store i64 {stride}, ptr {self.offset(steps, 8 * k)}")
        for k, size in enumerate(sizes):
            self.add(f"store i64 {size}, ptr {self.offset(dims, 8 * k)}")
        self.add(f"call void @{name}(ptr {args}, ptr {dims}, ptr {steps}, ptr {data})")

    def _call_words(self, word: str) -> str:
        line = f"  %numpy.{word} = alloca [16 x i64], align 16"
        if line not in self.allocas:
            self.allocas.append(line)
        return f"%numpy.{word}"
