"""The memory of native blocks while they are written: which value of a plan an address belongs to, and for how long.

Blocks are written from the arrays of one run. A *root* is a piece of memory: that of a value which a step allocated,
of a feed, of a constant, or scratch memory of a step. Values that are views lie in the root of another value.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ..kernels.native_row_forms import InRange
from ..llvm.block_driver import BlockDriver
from ..llvm.native_calls import Address, Addresses, NativeCall
from .index_origins import IndexOrigins

END: Final = 1 << 40
"""The position of what is called at the end of the run."""
BEFORE: Final = -1
"""The position of feeds."""
FIXED: Final = -2
"""The position of constants, whose addresses stay what they are."""


class CannotBlock(Exception):
    """The memory of a run does not tell which address belongs to what."""


@dataclass(slots=True, eq=False)
class Root:
    """A piece of memory.

    Attributes:
        start: its first address.
        size: its bytes.
        made: the position of the step that made it; see also `BEFORE` and `FIXED`.
        array: the array that was allocated.
        is_known: whether that is all of it, rather than parts that lie between each other.
    """

    start: int
    size: int
    made: int
    array: Any
    is_known: bool = True


class BlockMemory:
    """The roots of one run. As a `NativeMemory` it serves one step after the other.

    Attributes:
        copy, choices, spent, seconds, is_early, uses_blas, turned: see `NativeMemory`.
        divides: whether an operand has to be tested that the block makes: another one could begin with the step.
        position: the position of the step.
        begin: where its block begins.
        origins: where the entries of an index come from that the block makes.
        required: (operand, test) for what has to be tested before the calls of the step.
        kept: what has to live as long as the blocks.
    """

    def __init__(self, driver: BlockDriver, spent: float) -> None:
        self.copy = driver.copy
        self.choices: Mapping[int, int] = driver.choices
        self.spent = spent
        self.seconds = 0.0
        self.is_early = False
        self.uses_blas = False
        self.divides = False
        self.origins: IndexOrigins | None = None
        self.turned: dict[Any, Any] = {}
        self.position = self.begin = 0
        self.required: list[tuple[Any, Callable[[Any], bool]]] = []
        self.kept: list[Any] = []
        self._starts: list[int] = []
        self._roots: list[Root] = []

    # ---- roots ------------------------------------------------------------------------------

    def add(self, array: Any, step: int) -> None:
        """An array of the run; nothing is new if it is a view of another one.

        Raises:
            CannotBlock: it overlaps another one in a way that may be another in the next run.
        """
        start, stop = np.lib.array_utils.byte_bounds(array)
        at = bisect_right(self._starts, start)
        if at < len(self._starts) and self._starts[at] < stop:
            raise CannotBlock
        before = self._roots[at - 1] if at else None
        if before is not None and start < before.start + before.size:
            if step == BEFORE:
                raise CannotBlock
            if stop > before.start + before.size:  # as two columns of a matrix that is no value of the plan
                before.size, before.is_known = stop - before.start, False
            return
        self._starts.insert(at, start)
        self._roots.insert(at, Root(start, stop - start, step, array))

    def root(self, address: int) -> Root:
        """The root that an address lies in.

        Raises:
            CannotBlock: there is none.
        """
        at = bisect_right(self._starts, address)
        root = self._roots[at - 1] if at else None
        if root is None or address >= root.start + root.size or not root.is_known:
            raise CannotBlock
        return root

    # ---- what a step needs ------------------------------------------------------------------

    def scratch(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Memory that the calls of the step may use."""
        array = np.empty(shape, dtype)
        self.add(array, self.position)
        return array

    def constant(self, x: Any) -> Any:
        """An array that every run reads."""
        self.add(x, FIXED)
        self.kept.append(x)
        return x

    def may_require(self, x: Any, test: Callable[[Any], bool]) -> bool:
        """Have an operand tested before each run; False if it is made within the block."""
        root = self.root(x.ctypes.data)
        if root.made == FIXED:
            return test(x)
        is_known = root.made < self.begin
        if is_known:
            self.required.append((x, test))
        elif isinstance(test, InRange) and self.origins is not None:
            origins = self.origins(x, test, test.size)
            if origins is not None:
                return all(self.may_require(each, test) for each in origins)
        self.divides |= not is_known
        return is_known

    def keep(self, thing: object) -> None:
        """Have something live as long as the blocks."""
        self.kept.append(thing)


def addresses(call: NativeCall) -> Sequence[int]:
    """The addresses that a call uses."""
    operands: list[int] = []
    for each in call.arguments:
        if isinstance(each, np.ndarray):
            operands.append(each.ctypes.data)
        elif isinstance(each, Address):
            operands.append(each.of)
        elif isinstance(each, Addresses):
            operands += each.of
    return operands
