"""What the code of a loop is made for, and the layout of the memory that it is called with."""

from __future__ import annotations

from typing import Any

from ...graph.common.quick_dataclass import dataclass
from ...graph.shapes.dtypes import DType
from ..ir.tiling import Shape
from ..planning.plan import Plan

ITERATION, SOFT, HARD, BORDER, LAST, STATUS, SCRATCH, ROWS, FIRST = range(9)
"""Words of a frame: the number of the next iteration; ticks of the clock until none begins any more, and until one is
given up; the number at which to return; how many there may be at most; why `@run` ended; the intermediate arrays; the
number of rows; the first address of the operands."""
RAN, ENDED, BAILED, STARVED = range(4)
"""Values of the word STATUS: the time is over, or the border reached; the loop has ended; the next iteration
needs the plain path; the time was over inside an iteration, which was given up."""


@dataclass(frozen=True, slots=True)
class ShapedLoop:
    """A loop for which code is made: everything that the code depends on, besides values that are pinned.

    Attributes:
        cond: the plan of the condition.
        body: the plan of the body.
        dtypes: the dtypes of the operands: loop variables, rows, captures.
        shapes: their shapes; of rows that of one of them.
        variables: how many operands are loop variables.
        rows: how many of the next ones are rows.
        reverse: whether rows and stacks go from the last to the first.
    """

    cond: Plan
    body: Plan
    dtypes: tuple[DType, ...]
    shapes: tuple[Shape, ...]
    variables: int
    rows: int
    reverse: bool


@dataclass(frozen=True, slots=True, eq=False)
class LoopMemory:
    """What the words of a frame from FIRST on are, in this order.

    One address for each operand; for each loop variable a second address; one for each stack, each table and each
    transposed copy.

    Attributes:
        operands: how many operands there are.
        variables: how many of them are loop variables.
        stacks: dtype and shape of a row of each stack.
        tables: constant arrays.
        turned: the numbers of the operands that the code reads transposed.
        scratch: bytes of intermediate arrays.
    """

    operands: int
    variables: int
    stacks: tuple[tuple[DType, Shape], ...]
    tables: tuple[Any, ...]
    turned: tuple[int, ...]
    scratch: int

    @property
    def second(self) -> int:
        """The word of the first variable's second buffer."""
        return FIRST + self.operands

    @property
    def first_stack(self) -> int:
        """The word of the first stack."""
        return self.second + self.variables

    @property
    def first_table(self) -> int:
        """The word of the first table."""
        return self.first_stack + len(self.stacks)

    @property
    def first_turned(self) -> int:
        """The word of the first transposed copy."""
        return self.first_table + len(self.tables)

    @property
    def words(self) -> int:
        """The number of words."""
        return self.first_turned + len(self.turned)
