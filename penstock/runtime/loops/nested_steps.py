"""Branches and loops inside a body: `If` as two paths, `While` as a loop in the loop.

The work of a branch, and of each iteration of an inner loop, is counted where it is done (`LoopCode.work`). An outer
iteration that takes too long is given up (`starved`); it has changed nothing yet, and runs again on the plain path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np

from ...graph.shapes.dtypes import int64
from ..ir.scalar_ir import CannotLower
from ..planning.plan import Plan
from .body_variables import BodyVariable, next_places, store_next
from .elementwise_steps import ElementwiseSteps
from .loop_code import LoopCode
from .loop_values import InMemory, Known, Number, Value, dense, require_elements
from .nest_in_loop import contiguous, value_in

FEW = 20.0
"""Nanoseconds of work in a branch that is not counted where it is done, because counting takes time too."""

Results = Callable[..., list[Value]]


class NestedSteps:
    """Writes operations that hold graphs.

    Args:
        code: the function.
        elements: the elementwise operations.
        results: writes a plan.
        put: stores a value at an address.
        scopes: where values that later steps read are found.
    """

    def __init__(
        self,
        code: LoopCode,
        elements: ElementwiseSteps,
        results: Results,
        put: Callable[[Value, str], None],
        scopes: list[dict[Any, Value]],
    ) -> None:
        self._code = code
        self._elements = elements
        self._results = results
        self._put = put
        self._scopes = scopes

    @contextmanager
    def _keeping(self, values: Sequence[Value]) -> Iterator[None]:
        """Meanwhile these values count as read later."""
        self._scopes.append(dict(enumerate(values)))
        yield
        self._scopes.pop()

    # ---- If ---------------------------------------------------------------------------------

    def branches(
        self, pred: Value, operands: Sequence[Value], then_branch: Plan, else_branch: Plan, *_: Any
    ) -> list[Value]:
        """The results of one of two plans.

        Raises:
            CannotLower: the results of the branches have several shapes.
        """
        code = self._code
        if pred.shape:
            raise CannotLower("its condition is no scalar")
        if isinstance(pred, Known):
            return self._results(then_branch if pred.array else else_branch, operands)
        chosen = self._elements.number(pred)
        with self._keeping(operands):
            self._elements.flush()
        yes, no, done = (code.new_label(word) for word in ("then", "else", "joined"))
        code.branch(str(chosen.operand), yes, no)
        code.label(yes)
        before, code.work = code.work, 0.0
        places: list[_Place] = []
        with self._keeping(operands), code.text.inside("then"):
            made = self._results(then_branch, operands)
        with self._keeping([*operands, *made]):
            for value in made:
                places.append(_Place(code, value))
                self._put(value, places[-1].pointer())
        self._elements.flush()
        end, then_work = len(code.lines), code.work
        code.jump(done)
        code.label(no)
        code.work = 0.0
        with self._keeping(operands), code.text.inside("else"):
            other = self._results(else_branch, operands)
        with self._keeping([*operands, *other]):
            for place, value in zip(places, other, strict=True):
                if value.shape != place.shape or value.dtype is not place.dtype:
                    raise CannotLower("the results of its branches have several shapes")
                self._put(value, place.pointer())
        self._elements.flush()
        works = then_work, code.work
        if max(works) > max(FEW, 4 * min(works)):
            code.pay()
            rest = code.lines[end:]
            del code.lines[end:]
            code.work = then_work
            code.pay()
            code.lines += rest
            works = 0.0, 0.0
        code.jump(done)
        code.label(done)
        code.work = before + max(works)
        return [place.value() for place in places]

    # ---- While ------------------------------------------------------------------------------

    def loop(
        self, limit: Value | None, operands: Sequence[Value], cond: Plan, body: Plan, variables: int, rows: int,
        reverse: bool, *_: Any,
    ) -> list[Value]:
        """The results of a loop inside the body.

        Raises:
            CannotLower: it has stacks whose length only the run knows, or a variable changes its shape.
        """  # fmt: skip
        code, elements = self._code, self._elements
        with self._keeping(operands):
            elements.flush()
            first = list(operands[:variables])
            row_operands = [contiguous(code, elements.block(x)) for x in operands[variables : variables + rows]]
            captures = list(operands[variables + rows :])
            most, last = self._most(limit, row_operands)
            state = [self._variable(value) for value in first]
            for each, value in zip(state, first, strict=True):
                self._put(value, each.now if each.is_number else code.do(f"load ptr, ptr {each.now}"))
        if len(body.fetches) > variables and not (_always(cond) and most):
            raise CannotLower("the length of its stacks is known only in the run")
        counter = code.cell("i64")
        code.add(f"store i64 0, ptr {counter}")
        head, on, inside, done = (code.new_label(word) for word in ("while", "while.on", "while.body", "while.done"))
        code.jump(head)
        code.label(head)
        before, code.work = code.work, 0.0
        i = code.do(f"load i64, ptr {counter}")
        if last is None:
            code.jump(on)
        else:
            code.branch(code.do(f"icmp slt i64 {i}, {last}"), on, done)
        code.label(on)
        place = code.do(f"sub i64 {(most or 0) - 1}, {i}") if reverse else i
        feeds = [*[each.begin() for each in state], *[self._row(x, place) for x in row_operands], *captures]
        with self._keeping(feeds), code.text.inside("condition"):
            (condition,) = self._results(cond, feeds)
        if condition.shape:
            raise CannotLower("its condition is no scalar")
        with self._keeping(feeds):
            flag = elements.number(condition)
            elements.flush()
            code.branch(str(flag.operand), inside, done)
            code.label(inside)
            with code.text.inside("body"):
                made = self._results(body, feeds, next_places(body.fetches, state))
        stacks: list[_Place] = []
        with self._keeping([*feeds, *made]):
            for value in made[variables:]:
                require_elements(value.shape)
                stacks.append(_Place(code, value, most or 1))
                size = prod(value.shape) * value.dtype.size
                self._put(value, code.offset(stacks[-1].pointer(), code.scaled(place, size)))
            store_next(code, elements, self._put, state, made[:variables])
        elements.flush()
        code.add(f"store i64 {code.do(f'add i64 {i}, 1')}, ptr {counter}")
        code.checkpoint()
        code.jump(head)
        code.label(done)
        code.work = before
        count = Number(int64, (), code.do(f"load i64, ptr {counter}"))
        return [*[each.begin() for each in state], *[stack.value() for stack in stacks], count]

    def _most(self, limit: Value | None, given: Sequence[InMemory]) -> tuple[int | None, int | str | None]:
        """The number of iterations if it is known, and the most there are: a number, a register, None for any."""
        sizes = {x.shape[0] for x in given}
        if len(sizes) > 1:
            raise CannotLower("its operands have different numbers of rows")
        if isinstance(limit, Known):
            sizes.add(max(int(limit.array), 0))
            limit = None
        most = min(sizes) if sizes else None
        if limit is None:
            return most, most
        code = self._code
        bound = code.as_index(self._elements.number(limit))
        if most is not None:
            bound = code.do(f"select i1 {code.do(f'icmp slt i64 {bound}, {most}')}, i64 {bound}, i64 {most}")
        return None, bound

    def _row(self, block: InMemory, place: str) -> Value:
        pointer = self._code.offset(block.pointer, self._code.scaled(place, block.strides[0]))
        return value_in(self._code, dense(block.dtype, block.shape[1:], pointer))

    def _variable(self, value: Value) -> BodyVariable:
        count = 0 if prod(value.shape) == 1 else 2
        buffers = [self._code.intermediate(value.dtype, value.shape).pointer for _ in range(count)]
        return BodyVariable(self._code, value.dtype, value.shape, buffers)


class _Place:
    """Memory for a value that several paths store: a stack cell or intermediate memory."""

    def __init__(self, code: LoopCode, value: Value, rows: int = 0) -> None:
        """rows: how many such values follow each other; 0 for a single one."""
        require_elements(value.shape)
        self.dtype = value.dtype
        self.shape = (rows, *value.shape) if rows else value.shape
        self._code = code
        size = prod(self.shape) * self.dtype.size
        self._cell = code.cell(f"[{self.dtype.size} x i8]") if prod(self.shape) == 1 else ""
        self._offset = 0 if self._cell else code.reserved(size)

    def pointer(self) -> str:
        """Its address."""
        return self._cell or self._code.offset("%scratch", self._offset)

    def value(self) -> Value:
        """What is stored there."""
        if self._cell:
            return Number(self.dtype, self.shape, self._code.load(self.dtype, self._cell))
        return dense(self.dtype, self.shape, self.pointer())


def _always(cond: Plan) -> bool:
    """True if a condition is the constant True."""
    constants = {int(slot): array for slot, array, _ in cond.constants}
    known = constants.get(int(cond.fetches[0]))
    return known is not None and np.ndim(known) == 0 and bool(known)
