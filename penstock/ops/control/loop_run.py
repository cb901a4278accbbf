"""`LoopRun`: a loop while it runs. It can be continued for some iterations at a time, by whatever computes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError, OpError
from ...graph.common.hooks import hooks
from ..declare.held_graphs import Function
from .loop_stacks import LoopStack, first_sizes


class LoopRun:
    """One run of a `While`.

    Args:
        limit: at most so many iterations, as an array; None for no limit.
        operands: loop variables, rows, captures.
        cond: the function of the condition.
        body: the function of the body.
        variables: the number of loop variables.
        rows: the number of operands that are given by rows.
        reverse: whether rows and stacks go from the last to the first.

    Attributes:
        values: the loop variables now.
        given: the operands that are given by rows.
        captures: the other operands.
        most: at most so many iterations; None if that is not known.
        done: the number of iterations so far.
        stacks: what was stacked so far; None before the first iteration.
        has_ended: whether there is no next iteration.
    """

    __slots__ = (
        "_body", "_calls", "_cond", "_first", "captures", "done", "given", "has_ended", "most", "reverse", "stacks",
        "values",
    )  # fmt: skip

    def __init__(
        self,
        limit: Any,
        operands: Sequence[Any],
        cond: Function,
        body: Function,
        variables: int,
        rows: int,
        reverse: bool,
    ) -> None:
        self._cond = cond
        self._body = body
        self._calls: tuple[Function, Function] | None = None
        self._first = operands[:variables]
        self.values = list(operands[:variables])
        for place in getattr(body, "overwrites", ()):  # an iteration may overwrite what the one before has made
            self.values[place] = _read_only(self.values[place])
        self.given = operands[variables : variables + rows]
        self.captures = operands[variables + rows :]
        self.reverse = reverse
        self.most = first_sizes(limit, self.given)
        self.done = 0
        self.stacks: list[LoopStack] | None = None
        self.has_ended = False

    def advance(self, iterations: int | None = None) -> None:
        """Run so many iterations, or all that are left; less if the loop ends."""
        values, rows, captures, most = self.values, self.given, self.captures, self.most
        if self._calls is None:
            self._calls = _for_many_calls(self._cond), _for_many_calls(self._body)
        (cond, body), count, done = self._calls, len(self.values), self.done
        check = hooks.stop_check()
        last = most
        if iterations is not None and (most is None or done + iterations < most):
            last = done + iterations
        try:
            while last is None or done < last:
                if check is not None:
                    check()
                at = most - 1 - done if self.reverse and most is not None else done
                inputs = (*values, *[each[at, ...] for each in rows], *captures) if rows else (*values, *captures)
                (goes_on,) = cond(*inputs)
                if not pred_of(goes_on):
                    self.has_ended = True
                    return
                found = body(*inputs)
                if len(found) > count:
                    self._stack(at, found[count:])
                    del found[count:]
                values = found
                done += 1
            self.has_ended = done == most
        except OpError as error:
            error.iteration = done, values
            raise
        finally:
            self.values, self.done = values, done

    def _stack(self, at: int, rows: Sequence[Any]) -> None:
        if self.stacks is None:
            self.stacks = self.new_stacks(len(rows))
        for stack, row in zip(self.stacks, rows, strict=True):
            stack.put(at, row)

    def new_stacks(self, count: int) -> list[LoopStack]:
        """Stacks without rows."""
        return [LoopStack(self.most if self.given or self.reverse else None) for _ in range(count)]

    def results(self) -> list[Any]:
        """The results of the op, when the loop has ended."""
        if not self.done:
            self.values = list(self._first)
        if self.stacks is not None or self.done:
            stacks = [stack.finished(self.done) for stack in self.stacks or ()]
        else:
            row_inputs = [np.empty(each.shape[1:], each.dtype) for each in self.given]
            stacks = empty_stacks(self._body, len(self.values), [*self.values, *row_inputs, *self.captures])
        return [*self.values, *stacks, np.array(self.done, np.int64)]


def _read_only(array: Any) -> Any:
    """A view that is not written."""
    view = array.view()
    view.flags.writeable = False
    return view


def _for_many_calls(function: Any) -> Function:
    """The function in the form for many calls by one thread, if it has one."""
    form = getattr(function, "repeated", None)
    return function if form is None else form()


def pred_of(pred: Any) -> bool:
    """The bool that chooses.

    Raises:
        InvalidArgumentError: it is not one bool.
    """
    if pred.ndim:
        raise InvalidArgumentError(message=f"a condition must be a scalar bool, and has shape {list(pred.shape)} in "
                                   "this run. Reduce it to one, with tf.reduce_all or tf.reduce_any")  # fmt: skip
    return bool(pred)


def empty_stacks(body: Any, variables: int, inputs: Sequence[Any]) -> list[Any]:
    """The stacks of a loop without iterations, whose body would have got arrays with the shapes of `inputs`."""
    return [np.empty((0, *shape), dtype) for dtype, shape in body.results(inputs)[variables:]]
