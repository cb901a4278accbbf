"""Walks: an op that holds graphs, one run of a graph at a time, as a debugger steps through it.

A kernel runs the graphs of its op itself. A walk only says which graph comes next and with what inputs, takes the
results, and gives the results of the op at the end. What it holds is small and never changed in place, so a copy is a
few references:

    walk = loop_walk(*arguments)
    while (call := walk.call()) is not None:
        walk = walk.after(results of call.part for call.inputs)
    walk.results()
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from ...errors import OpError
from ...graph.common.quick_dataclass import dataclass
from ..declare.held_graphs import Function
from .loop_run import LoopRun, empty_stacks, pred_of
from .loop_stacks import LoopStack, first_sizes, require_one_shape


@dataclass(frozen=True, slots=True)
class GraphCall:
    """One run of a graph that an op holds.

    Attributes:
        part: which graph, the place among those of the op.
        inputs: the arrays that it gets.
        iteration: the number of the iteration; 0 in a branch.
    """

    part: int
    inputs: tuple[Any, ...]
    iteration: int = 0


class GraphWalk(Protocol):
    """The runs of the graphs of one op, one by one. Immutable."""

    @property
    def variables(self) -> tuple[Any, ...]:
        """The loop variables now; () in a branch."""

    @property
    def rows(self) -> StackedRow | None:
        """The last row that was stacked; it refers to those before it."""

    def steers(self, part: int) -> bool:
        """Whether the results of that graph only say what runs next."""

    def call(self) -> GraphCall | None:
        """The next run; None at the end."""

    def after(self, results: Sequence[Any]) -> GraphWalk:
        """The walk after that run.

        Raises:
            InvalidArgumentError: what a condition gave is not one bool, or a value to stack has another shape than
                those before.
        """

    def rest(self, functions: Sequence[Function]) -> list[Any]:
        """The results of the op, after the runs that are left.

        Args:
            functions: those of the graphs.

        Raises:
            OpError: one of the runs fails.
        """

    def results(self) -> list[Any]:
        """The results of the op, at the end.

        Raises:
            InvalidArgumentError: rows of a stack differ in their shapes.
        """


@dataclass(frozen=True, slots=True)
class StackedRow:
    """What one iteration stacked, and the row of the iteration before."""

    at: int
    values: tuple[Any, ...]
    before: StackedRow | None


@dataclass(frozen=True, slots=True)
class BranchWalk:
    """The walk of an `If`: one run of one branch."""

    part: int
    operands: tuple[Any, ...]
    made: tuple[Any, ...] | None = None

    variables: tuple[Any, ...] = ()
    rows: None = None

    def steers(self, part: int) -> bool:
        """No: a branch gives the results."""
        return False

    def call(self) -> GraphCall | None:
        """The chosen branch, once."""
        return GraphCall(self.part, self.operands) if self.made is None else None

    def after(self, results: Sequence[Any]) -> BranchWalk:
        """The walk after the branch."""
        return replace(self, made=tuple(results))

    def rest(self, functions: Sequence[Function]) -> list[Any]:
        """The results of the branch, which runs if it has not."""
        return functions[self.part](*self.operands) if self.made is None else self.results()

    def results(self) -> list[Any]:
        """The results of the branch."""
        assert self.made is not None  # the walk has ended
        return list(self.made)


@dataclass(frozen=True, slots=True)
class LoopWalk:
    """The walk of a `While`: condition, body, condition, body, ..., condition.

    Attributes:
        variables: the loop variables now.
        given: the operands that are given by rows.
        captures: the other operands.
        most: at most so many iterations; None if that is not known.
        reverse: whether rows and stacks go from the last to the first.
        body: the function of the body, asked for shapes only.
        done: the number of iterations so far.
        rows: what was stacked so far.
        is_chosen: whether the condition has said that there is a next iteration.
        has_ended: whether there is none.
    """

    variables: tuple[Any, ...]
    given: tuple[Any, ...]
    captures: tuple[Any, ...]
    most: int | None
    reverse: bool
    body: Function
    done: int = 0
    rows: StackedRow | None = None
    is_chosen: bool = False
    has_ended: bool = False

    def steers(self, part: int) -> bool:
        """Whether it is the condition."""
        return part == 0

    def call(self) -> GraphCall | None:
        """The condition, or the body if the condition holds."""
        if self.has_ended or self.done == self.most:
            return None
        rows = [each[self._at, ...] for each in self.given]
        return GraphCall(int(self.is_chosen), (*self.variables, *rows, *self.captures), self.done)

    def after(self, results: Sequence[Any]) -> LoopWalk:
        """The walk after a condition, or after a body."""
        try:
            return self._after(results)
        except OpError as error:
            error.iteration = self.done, list(self.variables)
            raise

    def _after(self, results: Sequence[Any]) -> LoopWalk:
        if not self.is_chosen:
            goes_on = pred_of(results[0])
            return replace(self, is_chosen=goes_on, has_ended=not goes_on)
        count, rows = len(self.variables), self.rows
        stacked = tuple(results[count:])
        if rows is not None:
            for value, before in zip(stacked, rows.values, strict=True):
                require_one_shape(self._at, value.shape, before.shape)
        if stacked:
            rows = StackedRow(self._at, stacked, rows)
        return replace(self, variables=tuple(results[:count]), done=self.done + 1, rows=rows, is_chosen=False)

    def rest(self, functions: Sequence[Function]) -> list[Any]:
        """The results of the loop, after the iterations that are left, as its kernel runs them."""
        cond, body = functions
        walk = self
        call = self.call() if self.is_chosen else None
        if call is not None:
            try:
                walk = self.after(body(*call.inputs))
            except OpError as error:
                error.iteration = self.done, list(self.variables)
                raise
        if walk.has_ended:
            return walk.results()
        operands = (*walk.variables, *walk.given, *walk.captures)
        run = LoopRun(None, operands, cond, body, len(walk.variables), len(walk.given), walk.reverse)
        run.most, run.done = walk.most, walk.done
        run.stacks = walk.stacked() or None
        run.advance()
        return run.results()

    def results(self) -> list[Any]:
        """The last values of the loop variables, the stacks, and the number of iterations."""
        return [*self.variables, *self._stacks(), np.array(self.done, np.int64)]

    @property
    def _at(self) -> int:
        return self.most - 1 - self.done if self.reverse and self.most is not None else self.done

    def _stacks(self) -> list[Any]:
        if not self.done:
            row_inputs = [np.empty(each.shape[1:], each.dtype) for each in self.given]
            return empty_stacks(self.body, len(self.variables), [*self.variables, *row_inputs, *self.captures])
        return [stack.finished(self.done) for stack in self.stacked()]

    def stacked(self) -> list[LoopStack]:
        """The stacks with the rows so far; [] without any."""
        listed = []
        row = self.rows
        while row is not None:
            listed.append(row)
            row = row.before
        if not listed:
            return []
        stacks = [LoopStack(self.most if self.given or self.reverse else None) for _ in listed[0].values]
        for each in reversed(listed):
            for stack, value in zip(stacks, each.values, strict=True):
                stack.put(each.at, value)
        return stacks


def branch_walk(pred: Any, operands: Sequence[Any], *rest: Any) -> BranchWalk:
    """The walk of an `If`."""
    return BranchWalk(0 if pred_of(pred) else 1, tuple(operands))


def loop_walk(
    limit: Any, operands: Sequence[Any], cond: Function, body: Function, variables: int, rows: int, reverse: bool,
    *rest: Any,
) -> LoopWalk:  # fmt: skip
    """The walk of a `While`."""
    given = tuple(operands[variables : variables + rows])
    captures = tuple(operands[variables + rows :])
    return LoopWalk(tuple(operands[:variables]), given, captures, first_sizes(limit, given), reverse, body)
