"""The variables of a loop in code: numbers in cells, arrays in two buffers that are swapped at the end of an iteration.

    now      the present value, which an iteration reads
    spare    the next one, which it writes: an iteration that is given up has changed nothing
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from ...graph.shapes.dtypes import DType
from ..ir.scalar_ir import CannotLower
from ..ir.tiling import Shape
from .elementwise_steps import ElementwiseSteps
from .loop_code import LoopCode
from .loop_values import InMemory, Number, Value, dense, require_elements


class BodyVariable:
    """One variable.

    Attributes:
        now: the cell of the number, or of the address of the array.
        spare: the cell of the address of the other buffer; "" for a number.
        value: the value of this iteration.
        following: the address of the value of the next one; "" for a number.
    """

    def __init__(self, code: LoopCode, dtype: DType, shape: Shape, buffers: Sequence[str]) -> None:
        """buffers: the addresses of two buffers; none are needed for a number."""
        require_elements(shape)
        self.dtype = dtype
        self.shape = shape
        self.is_number = prod(shape) == 1
        self.following = ""
        self._code = code
        if self.is_number:
            self.now, self.spare = code.cell(f"[{dtype.size} x i8]"), ""
            return
        self.now, self.spare = code.cell("ptr"), code.cell("ptr")
        for cell, buffer in zip((self.now, self.spare), buffers, strict=True):
            code.add(f"store ptr {buffer}, ptr {cell}")

    def begin(self) -> Number | InMemory:
        """Read the cells at the beginning of an iteration, or behind the loop; the value."""
        code = self._code
        if self.is_number:
            self.value: Number | InMemory = Number(self.dtype, self.shape, code.load(self.dtype, self.now))
        else:
            self.value = dense(self.dtype, self.shape, code.do(f"load ptr, ptr {self.now}"))
            self.following = code.do(f"load ptr, ptr {self.spare}")
        return self.value

    def swap(self) -> None:
        """Make the next array the present one."""
        assert isinstance(self.value, InMemory)  # a number has no buffers
        self._code.add(f"store ptr {self.following}, ptr {self.now}")
        self._code.add(f"store ptr {self.value.pointer}, ptr {self.spare}")


def next_places(fetches: Sequence[int], state: Sequence[BodyVariable]) -> dict[int, str]:
    """For the slots of next arrays the addresses where they have to lie."""
    return {int(slot): each.following for slot, each in zip(fetches, state, strict=False) if not each.is_number}


def store_next(
    code: LoopCode, elements: ElementwiseSteps, put: Callable[[Value, str], None], state: Sequence[BodyVariable],
    results: Sequence[Value],
) -> None:  # fmt: skip
    """Store the results of an iteration as the next values of the variables.

    Raises:
        CannotLower: a variable changes its shape.
    """
    numbers = []
    for each, value in zip(state, results, strict=True):
        if value.shape != each.shape or value.dtype is not each.dtype:
            raise CannotLower("a loop variable changes its shape")
        if each.is_number:
            numbers.append((each, elements.number(value)))
        elif value is not each.value:
            put(value, each.following)
    for each, number in numbers:
        code.store(each.dtype, number.operand, each.now)
    for each, value in zip(state, results, strict=True):
        if not each.is_number and value is not each.value:
            each.swap()
