"""Values while the code of a loop is written: numbers in registers, arrays in memory, and values known by then.

All shapes are known when the code is written; code is made for one combination of shapes.
"""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

from ...graph.common.quick_dataclass import dataclass
from ...graph.shapes.dtypes import DType, of_numpy
from ..compiled.llvm_primitives import Operand
from ..ir.scalar_ir import CannotLower
from ..ir.strides import contiguous_strides
from ..ir.tiling import Shape


@dataclass(frozen=True, slots=True)
class Number:
    """A value of one element, in registers."""

    dtype: DType
    shape: Shape
    operand: Operand


@dataclass(frozen=True, slots=True)
class InMemory:
    """A value in memory: the register of the address of its first element, and its strides in bytes."""

    dtype: DType
    shape: Shape
    pointer: str
    strides: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of its elements."""
        return prod(self.shape)

    @property
    def is_contiguous(self) -> bool:
        """True if its elements follow each other in row-major order."""
        dense = contiguous_strides(self.shape, self.dtype.size)
        return all(n == 1 or a == b for n, a, b in zip(self.shape, self.strides, dense, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A value that is known when the code is written."""

    array: Any

    @property
    def dtype(self) -> DType:
        """Its dtype."""
        return of_numpy(self.array.dtype)

    @property
    def shape(self) -> Shape:
        """Its shape."""
        found: Shape = self.array.shape
        return found


@dataclass(slots=True, eq=False)
class Pending:
    """The result of an elementwise operation on arrays whose loop is not written yet: see `elementwise_steps`.

    Attributes:
        dtype: its dtype.
        shape: its shape.
        number: its position in the open group.
        place: the address where it has to lie, "" if that does not matter.
        block: its memory, once the loop is written.
    """

    dtype: DType
    shape: Shape
    number: int
    place: str = ""
    block: InMemory | None = None


Value: TypeAlias = Number | InMemory | Known | Pending


def dense(dtype: DType, shape: Shape, pointer: str) -> InMemory:
    """A contiguous value at `pointer`."""
    return InMemory(dtype, shape, pointer, tuple(contiguous_strides(shape, dtype.size)))


def require_elements(shape: Shape) -> None:
    """CannotLower for a shape without elements."""
    if not prod(shape):
        raise CannotLower("a value in it is empty")


class NeedsValue(CannotLower):
    """The code depends on a value that is known only when the loop begins, such as the axis of a reduction."""
