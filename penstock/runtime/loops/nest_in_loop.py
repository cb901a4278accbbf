"""Sequential nests inside the function of a loop: what the steps of a body do with elements in memory.

A nest is written where its step stands. Its parameters are registers and numbers, a check that fails gives the
iteration back to the plain path, and its work counts as all work of the loop does.
"""

from __future__ import annotations

from math import prod
from typing import Final

from ...graph.shapes.dtypes import DType
from ..compiled.llvm_primitives import Operand
from ..ir.fused_ir import Value
from ..ir.scalar_ir import Argument, Literal, ScalarStep
from ..ir.strides import coalesced
from ..kernels.loops.loop_ir import MEMCPY
from ..llvm.pairwise_sum import AS_WRITTEN
from ..nest.sequential.sequential_ir import For, FunctionCall, Keep, Read, SequentialNest, Statement
from ..nest.sequential.sequential_writer import NestCode
from .body_nests import strided_copy
from .loop_code import BYTE, LoopCode
from .loop_values import InMemory, Number, dense
from .number_steps import computed

UNROLLED: Final = 8
"""The most rounds of longer statements that LLVM may write one behind the other. With those of 32 rows that are joined,
an LSTM's body takes 76 ms to compile instead of 50."""
ONE_INSTRUCTION: Final = 16
"""The most bytes that move in one instruction on every processor."""


class NestInLoop(NestCode):
    """Writes a nest into the function of a loop."""

    def __init__(self, nest: SequentialNest, code: LoopCode) -> None:
        super().__init__(nest, code)
        self._loop = code
        self.block = ""  # the one that is open, whichever that is

    def written(self, arguments: tuple[Operand, ...]) -> str:
        """Write it on these arguments; the register of its result."""
        for k, (_, argument) in enumerate(zip(self.nest.parameters(), arguments, strict=True)):
            self.made[Value(k)] = [argument]
        self.body(self.nest.body)
        return self.one(self.nest.result)

    def check(self, inside: str, otherwise: Argument) -> None:
        """Give the iteration back unless `inside`."""
        on = self.label("on")
        self._loop.branch(inside, on, self._loop.bail)
        self.begin(on)

    def call(self, each: FunctionCall) -> None:
        """A call; its only number is that of the elements."""
        (count,) = [int(a.value) for a in each.arguments if isinstance(a, Literal)]
        self._loop.spend(self._loop.rates[str(each.function)] * count)
        super().call(each)

    def label(self, word: str) -> str:
        """A label of the whole function."""
        return self._loop.new_label(word)

    def loop(self, each: For) -> None:
        """A loop, whose first block has to know the one before it."""
        if not self.block:
            start = self.label("nest")
            self._loop.jump(start)
            self.begin(start)
        super().loop(each)

    def rounds(self, each: For, size: str, start: str, count: int) -> str:
        """The rounds, whose number is known, as everything that follows from shapes."""
        number = int(size) // count if start == "0" else int(size) % each.together[0]
        if not number:
            return start
        with self._loop.repeated(number):
            return super().rounds(each, size, start, count)

    def mark(self, each: For) -> str:
        """Marks of the whole module."""
        if each.is_parallel:
            return f", !llvm.loop !{self._loop.parts.mark('!2')}"
        if each.together or (int(self.one(each.size)) > UNROLLED and not all(map(self._is_short, each.body))):
            return f", {AS_WRITTEN}"
        if any(isinstance(statement, For | FunctionCall) for statement in each.body):
            # Without a mark it may inherit that of a loop inside, and LLVM warns that it is not vectorised.
            return f", !llvm.loop !{self._loop.parts.mark('!5')}"
        return ""

    def _is_short(self, statement: Statement) -> bool:
        node = self.nest.nodes[statement] if isinstance(statement, Value) else None
        if isinstance(node, Read) and node.size is not None:
            return int(self.one(node.size)) <= ONE_INSTRUCTION
        return not isinstance(statement, For | Keep)

    def step(self, node: ScalarStep, k: int, lanes: bool) -> Operand:
        """A step, by NumPy's loop on one element where there are no instructions."""
        dtypes = tuple([self.nest.dtype_of(a) for a in node.args])
        return computed(self._loop, node, dtypes, tuple([self.operand(a, k, lanes) for a in node.args]))

    def move(self, to: str, source: str, row: Read, k: int) -> None:
        """Move a row, as one instruction or as a call."""
        assert isinstance(row.size, Literal)  # shapes are known
        self._loop.spend(BYTE * int(row.size.value))
        self._loop.declared["memcpy"] = MEMCPY
        super().move(to, source, row, k)


def run(code: LoopCode, nest: SequentialNest, *arguments: Operand) -> str:
    """Write a nest on these arguments; the register of its result.

    Raises:
        CannotLower: NumPy has no loop for one of its steps.
    """
    code.text.add(nest, deeper=1)
    return NestInLoop(nest, code).written(arguments)


def copy(code: LoopCode, target: InMemory, source: InMemory) -> None:
    """Copy the elements of an array to one of the same shape, which does not overlap it."""
    sizes, (to, of) = coalesced(source.shape, [list(target.strides), list(source.strides)])
    piece = source.dtype.size
    if sizes and to[-1] == of[-1] == piece:
        piece *= sizes[-1]
        sizes, to, of = sizes[:-1], to[:-1], of[:-1]
    run(code, strided_copy(tuple(zip(sizes, to, of, strict=True)), piece), target.pointer, source.pointer)


def contiguous(code: LoopCode, block: InMemory) -> InMemory:
    """The array with its elements in row-major order."""
    if block.is_contiguous:
        return dense(block.dtype, block.shape, block.pointer)
    row_major = code.intermediate(block.dtype, block.shape)
    copy(code, row_major, block)
    return row_major


def place_for(code: LoopCode, dtype: DType, shape: tuple[int, ...]) -> InMemory:
    """Memory for a result of a nest: on the stack for one element."""
    if prod(shape) == 1:
        return dense(dtype, shape, code.cell(f"[{dtype.size} x i8]"))
    return code.intermediate(dtype, shape)


def value_in(code: LoopCode, block: InMemory) -> Number | InMemory:
    """What lies in memory as a value: a number if it is one element."""
    return Number(block.dtype, block.shape, code.load(block.dtype, block.pointer)) if block.size == 1 else block
