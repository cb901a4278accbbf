"""The passes of a tile function over its elements: a loop of plain instructions, NumPy's functions, the next loop ...

An output may lie in the memory of inputs, as the new value of a variable does. Where a later pass still reads such an
input, the output waits: it stays in a piece of the stack until the last loop stores it. `runtime.planning.aliasing`
decides, with the analysis that also tells which step of a plan may overwrite what:

    level 0   a - 1 --> piece
    call      exp(a) --> piece
    level 1   both pieces --> outputs, one of them over a
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ...graph.common.quick_dataclass import dataclass
from ..ir.fused_ir import Value
from ..ir.scalar_ir import Scalar, ScalarStep
from ..planning.aliasing import in_passes
from ..planning.plan import Slot

Over: TypeAlias = tuple[tuple[int, ...], ...]
"""For each output the inputs in whose memory it may lie, element on element; () if none overlaps any."""


@dataclass(slots=True)
class Storage:
    """Where a value is computed and stored.

    Attributes:
        level: the number of NumPy loops it depends on.
        uniform: whether it is one number for the whole tile.
        loop: whether a NumPy loop computes it.
        home: its memory, "" if it has none.
        strided: whether its memory holds one number per element.
    """

    level: int
    uniform: bool
    loop: bool
    home: str = ""
    strided: bool = True


class TilePasses:
    """The passes of a program whose values, inputs first, are computed as `storage` says."""

    def __init__(self, program: Scalar, storage: Sequence[Storage]) -> None:
        self._program = program
        self._storage = storage
        self._first = len(program.inputs)
        self.last_level = max([k.level for k in storage if not k.uniform], default=0)

    def loop(self, level: int) -> list[tuple[Value, ScalarStep]]:
        """The values and steps of the loop of a level."""
        return [(v, s) for v, s in self._steps() if not self._storage[v].loop and self._storage[v].level == level]

    def calls(self, level: int) -> list[tuple[Value, ScalarStep]]:
        """The values and steps of the calls of NumPy's functions after the loop of a level."""
        return [(v, s) for v, s in self._steps() if self._storage[v].loop and self._storage[v].level == level + 1]

    def _steps(self) -> list[tuple[Value, ScalarStep]]:
        """The steps that run once for each element."""
        found = [(Value(self._first + i), step) for i, step in enumerate(self._program.steps)]
        return [(v, s) for v, s in found if not self._storage[v].uniform]

    def waiting(self, over: Over) -> set[int]:
        """The outputs that only the last loop may store."""
        if not any(over):
            return set()
        passes: list[set[int]] = []
        written: dict[Value, int] = {}  # value -> the pass that computes it
        for level in range(self.last_level + 1):
            own = self.loop(level)
            written.update({value: len(passes) for value, _ in own})
            passes.append({a for _, step in own for a in self._inputs_of(step)})
            for value, step in self.calls(level):
                written[value] = len(passes)
                passes.append(self._inputs_of(step))
        outputs = [o if isinstance(o, Value) else None for o in self._program.outputs]
        last = len(passes) - 1
        passes[last] |= {o for o in outputs if o is not None and o < self._first}  # they are copied
        aliases = in_passes(passes, self._first)
        return {
            k for k, (o, inputs) in enumerate(zip(outputs, over, strict=True))
            if o is not None and aliases.must_wait(written.get(o, last), list(map(Slot, inputs)))
        }  # fmt: skip

    def _inputs_of(self, step: ScalarStep) -> set[int]:
        """The inputs that a step reads itself or through steps that are one number for the whole tile."""
        found: set[int] = set()
        waiting = [a for a in step.args if isinstance(a, Value)]
        while waiting:
            a = waiting.pop()
            if a < self._first:
                found.add(a)
            elif self._storage[a].uniform:
                waiting += [b for b in self._program.steps[a - self._first].args if isinstance(b, Value)]
        return found
