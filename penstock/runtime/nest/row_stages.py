"""The stages of a row: a nest cut at its reductions.

    values of rows     elements            reductions
                       x            -->    m = max(x)
                       exp(x - m)   -->    s = sum            stage 1 stores exp(x - m) for the next one
    1 / s              e * (1 / s)                            stage 2

Before each stage the values of the row that have become known are computed. A stage is one pass over the elements. What
it computes stays in registers, unless a reduction reads it, it is a result, or a later stage needs it and computing it
again would take longer than reading it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ..compiled.emit_llvm import is_direct
from ..ir.fused_ir import Value
from ..ir.nest_ir import ELEMENT, ROW, Load, Nest, RowReduction, Store
from ..ir.scalar_ir import Argument, Scalar, ScalarStep
from .summed_pass import has_lanes, is_added_in_pairs

AGAIN: Final = 3
"""The most plain instructions that a later stage repeats rather than reads the value from memory."""
FEWEST: Final = 2
"""The fewest instructions of a stage that takes its sums: one is faster than the additions, which wait for each other.
Squares that are stored and then added take 0.8 of the time in rows of 1,000 (and 1.6 in rows of 100)."""
_SLOW: Final = ("true_divide", "sqrt", "floor_divide", "remainder")
"""Plain instructions that take longer than a load."""

Home: TypeAlias = tuple[Literal["result", "temporary", "slot"], int]
"""Where a value is stored: the memory of a result, of a row of temporary values, of one number of the row."""


@dataclass(frozen=True, slots=True)
class RowPass:
    """A program that runs over the elements of a row, or once for the row.

    Attributes:
        program: the program.
        reads: the value of the nest for each input.
        writes: the home of each output but those of sums.
        sums: the reductions of the row that are sums of the last outputs, which are stored nowhere.
    """

    program: Scalar
    reads: tuple[int, ...]
    writes: tuple[Home, ...]
    sums: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RowStage:
    """One stage.

    Attributes:
        row: computes values of the row; None if there are none.
        elements: the pass over the elements; None if it would store nothing.
        reductions: the reductions of the row that are complete after it, and are no sums of its pass.
        columns: the reductions over all rows to which it gives one more row, and the pass does not.
    """

    row: RowPass | None
    elements: RowPass | None
    reductions: tuple[int, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RowStages:
    """The stages of a nest.

    Attributes:
        stages: the stages.
        homes: where the values lie that are stored; loads are read where they are.
        temporaries: the bytes of an element of each temporary row.
        totals: the reductions over all rows to which passes add rows; they begin with the identity of their function.
    """

    stages: tuple[RowStage, ...]
    homes: dict[int, Home]
    temporaries: tuple[int, ...]
    totals: tuple[int, ...] = ()


class _NestCut:
    def __init__(self, nest: Nest, adds_rows: bool) -> None:
        self.nest = nest
        self.axes = nest.axes()
        self.level = nest.levels()
        self.totals = {v for v in range(len(nest.nodes)) if adds_rows and self._is_added(v)}
        self.sums = {v for v in range(len(nest.nodes)) if adds_rows and self._is_summed(v)}
        self.last = max(self.level, default=0)
        self.homes: dict[int, Home] = {}
        self.temporaries: list[int] = []
        self.kept: list[dict[int, None]] = [{} for _ in range(self.last + 1)]  # what each stage stores for later
        for store in nest.stores:
            is_column = isinstance(store.value, Value) and isinstance(nest.nodes[store.value], RowReduction)
            if isinstance(store.value, Value) and ELEMENT in store.axes and (
                self._is_computed(store.value) or is_column
            ):
                self.homes.setdefault(store.value, ("result", store.result))
        taken = self.totals | self.sums
        for value, node in enumerate(nest.nodes):
            if isinstance(node, RowReduction) and self._is_computed(node.value) and value not in taken:
                self._keep(node.value)
        for value in range(len(nest.nodes)):
            if ELEMENT not in self.axes[value] and not isinstance(nest.nodes[value], Load):
                self.homes[value] = ("slot", value)

    def stages(self) -> RowStages:
        computed = [self._computed_at(level) for level in range(self.last, -1, -1)][::-1]
        found = [
            RowStage(self._row(level), self._elements(level, computed[level]),
                     tuple([v for v in self._reductions(level + 1, ELEMENT) if v not in self.sums]),
                     tuple([v for v in self._reductions(level, ROW) if v not in self.totals]))
            for level in range(self.last + 1)
        ]  # fmt: skip
        return RowStages(tuple(found), self.homes, tuple(self.temporaries), tuple(sorted(self.totals)))

    def _is_added(self, value: int) -> bool:
        """True for a reduction over all rows that a pass over the elements of a row goes on with."""
        node = self.nest.nodes[value]
        if not isinstance(node, RowReduction) or node.axis != ROW or ELEMENT not in self.axes[node.value]:
            return False
        has_start = getattr(np, node.ufunc).identity is not None
        return has_start and has_lanes(ScalarStep(node.ufunc, (Value(0), Value(1)), node.dtype), (node.dtype,) * 2)

    def _is_summed(self, value: int) -> bool:
        """True for a sum of a row whose pass may take it: all that is computed for it has instructions for vectors."""
        node = self.nest.nodes[value]
        if not isinstance(node, RowReduction) or not is_added_in_pairs(node) or not self._is_computed(node.value):
            return False
        level = self.level[node.value]
        steps = [(v, step) for v, step in enumerate(self.nest.nodes) if isinstance(step, ScalarStep)
                 and self._is_computed(v) and self.level[v] <= level]  # fmt: skip
        if sum([self.level[v] == level for v, _ in steps]) < FEWEST:
            return False
        return all(has_lanes(step, tuple(map(self.nest.dtype_of, step.args))) for _, step in steps)

    def _summed_at(self, level: int) -> list[int]:
        return [v for v in self._reductions(level + 1, ELEMENT) if v in self.sums]

    def _added_at(self, level: int) -> list[int]:
        return [v for v in self._reductions(level, ROW) if v in self.totals]

    def _is_computed(self, value: int) -> bool:
        """True for a step with a value for each element."""
        return ELEMENT in self.axes[value] and isinstance(self.nest.nodes[value], ScalarStep)

    def _keep(self, value: int) -> None:
        self.kept[self.level[value]][value] = None
        if value not in self.homes:
            self.homes[value] = ("temporary", len(self.temporaries))
            self.temporaries.append(self.nest.dtype_of(Value(value)).size)

    def _roots(self, level: int) -> list[int]:
        """What a stage has to compute: what it keeps, and its results."""
        results = [s.value for s in self._results(level) if isinstance(s.value, Value) and self._is_computed(s.value)]
        taken = (*self._added_at(level), *self._summed_at(level))
        added = [a for v in taken for a in self.nest.operands_of(v) if isinstance(a, Value)]
        return list(dict.fromkeys([*self.kept[level], *results, *added]))

    def _results(self, level: int) -> list[Store]:
        return [s for s in self.nest.stores if s.axes == ROW + ELEMENT
                and (self.level[s.value] if isinstance(s.value, Value) else 0) == level]  # fmt: skip

    def _computed_at(self, level: int) -> set[int]:
        """The elements that a stage computes, those computed again included. Later stages come first."""
        elements: set[int] = set()
        waiting = self._roots(level)
        while waiting:
            value = waiting.pop()
            if value in elements or not self._is_computed(value):
                continue
            if self.level[value] < level and (value in self.homes or not self._is_cheap(value)):
                self._keep(value)
                continue
            elements.add(value)
            waiting += [a for a in self.nest.operands_of(value) if isinstance(a, Value)]
        return elements

    def _is_cheap(self, value: int) -> bool:
        """True if computing the value again takes no longer than reading it."""
        steps = 0
        waiting, seen = [value], {value}
        while waiting:
            each = waiting.pop()
            node = self.nest.nodes[each]
            if not isinstance(node, ScalarStep) or ELEMENT not in self.axes[each]:
                continue
            if each != value and each in self.homes:
                continue
            dtypes = tuple([self.nest.dtype_of(a) for a in node.args])
            steps += 1
            if steps > AGAIN or node.primitive in _SLOW or not is_direct(node, dtypes):
                return False
            more = [a for a in node.args if isinstance(a, Value) and a not in seen]
            seen.update(more)
            waiting += more
        return True

    def _elements(self, level: int, computed: set[int]) -> RowPass | None:
        outputs: list[tuple[Argument, Home]] = [
            (s.value, ("result", s.result)) for s in self._results(level)
        ]
        outputs += [(Value(v), self.homes[v]) for v in self.kept[level] if self.homes[v][0] == "temporary"]
        return self._pass(sorted(computed), outputs, self._added_at(level), self._summed_at(level))

    def _row(self, level: int) -> RowPass | None:
        """The values of the row that are known from this level on."""
        own = [v for v, node in enumerate(self.nest.nodes)
               if isinstance(node, ScalarStep) and ELEMENT not in self.axes[v] and self.level[v] == level]  # fmt: skip
        outputs: list[tuple[Argument, Home]] = [(Value(v), self.homes[v]) for v in own if self._is_read_later(v, level)]
        for s in self.nest.stores:
            if ELEMENT not in s.axes and (self.level[s.value] if isinstance(s.value, Value) else 0) == level:
                outputs.append((s.value, ("result", s.result)))
        return self._pass(own, outputs)

    def _is_read_later(self, value: int, level: int) -> bool:
        for reader, node in enumerate(self.nest.nodes):
            reads = isinstance(node, ScalarStep) and value in [a for a in node.args if isinstance(a, Value)]
            if reads and (ELEMENT in self.axes[reader] or self.level[reader] > level):
                return True
        return any(s.value == value and ELEMENT in s.axes for s in self.nest.stores if isinstance(s.value, Value))

    def _reductions(self, level: int, axis: str) -> tuple[int, ...]:
        return tuple([v for v, node in enumerate(self.nest.nodes)
                      if isinstance(node, RowReduction) and node.axis == axis and self.level[v] == level])  # fmt: skip

    def _pass(
        self, computed: Iterable[int], outputs: list[tuple[Argument, Home]], totals: Sequence[int] = (),
        sums: Sequence[int] = (),
    ) -> RowPass | None:  # fmt: skip
        """The program of some values; it reads totals, which are reductions over all rows, and goes on with them."""
        if not outputs and not totals and not sums:
            return None
        steps = list(computed)
        own = set(steps)
        read = [a for v in (*steps, *totals, *sums) for a in self.nest.operands_of(v)] + [a for a, _ in outputs]
        read += map(Value, totals)
        reads = tuple(sorted({int(a) for a in read if isinstance(a, Value) and a not in own}))
        number = {v: Value(i) for i, v in enumerate((*reads, *steps))}
        scalars = []
        for v in steps:
            node = self.nest.nodes[v]
            assert isinstance(node, ScalarStep)  # loads and reductions are read, not computed
            args = tuple([number[a] if isinstance(a, Value) else a for a in node.args])
            scalars.append(ScalarStep(node.primitive, args, node.dtype))
        results = [number[a] if isinstance(a, Value) else a for a, _ in outputs]
        for v in totals:
            node = self.nest.nodes[v]
            assert isinstance(node, RowReduction)  # it is a total
            results.append(Value(len(reads) + len(scalars)))
            scalars.append(ScalarStep(node.ufunc, (number[v], number[node.value]), node.dtype))
        results += [number[a] for v in sums for a in self.nest.operands_of(v) if isinstance(a, Value)]
        homes = [home for _, home in outputs] + [self.homes[v] for v in totals]
        dtypes = tuple([self.nest.dtype_of(Value(v)) for v in reads])
        return RowPass(Scalar(dtypes, tuple(scalars), tuple(results)), reads, tuple(homes), tuple(sums))


def row_stages(nest: Nest, adds_rows: bool = False) -> RowStages:
    """The stages of a nest. adds_rows: whether a pass computes one row, and may add it to totals of all rows."""
    return _NestCut(nest, adds_rows).stages()
