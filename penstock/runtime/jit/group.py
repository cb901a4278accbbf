"""When does a fused group become machine code, and how does it run then?

A `Group` starts with the interpreter, which is always there. It asks for code at once where one run is so large that
compiling pays within it, where the object cache holds the code, or where `PENSTOCK_JIT=now`; otherwise in the
background, once interpreting it has taken as long as compiling would. The switch is one attribute that the next run
reads; the results are the same bits, so nobody sees it.

Code is made for a pattern: which inputs are one number along the innermost dimension. Runs that it does not serve (no
elements, results of several shapes, reductions it cannot combine) stay with the interpreter, and `Group.why` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from time import perf_counter
from typing import Any, Final

from ...graph.opdef import OPS
from ...ops.blocks import is_trailing, reduced, split_shape
from ..body import Body, Value
from ..bound import broadcast
from ..interpreter import Interpreter
from ..tiling import Shape
from . import tier
from .emit import generate
from .loops import Code, Ends, Pattern, Way, pattern_of
from .parts import Parts, columns_of, divisors_of, parts_of, scalar_of
from .scalar import CannotLower, Scalar
from .tier import Source
from .toolchain import Library

AT_ONCE: Final = 1e8
"""Elements times instructions of one run from which compiling (20 ms) pays within it."""
ASK_CACHE: Final = 1e7
"""The same from which it pays to lower a group and write its IR (1-3 ms) to see whether the object cache has its code.
Interpreting as much takes some 3 ms."""
ASK_SPENT: Final = 3e-3
"""Seconds of interpreting from which the same pays."""
SPENT: Final = 20e-3
"""Seconds of interpreting after which code is made in the background."""
KEPT: Final = 64
"""How many combinations of input shapes are remembered."""


@dataclass(slots=True, eq=False)
class _Slot:
    """The code for one pattern: wanted, on its way, there, or impossible. looked: it is not in the object cache."""

    source: Source | None = None
    code: Code | None = None
    asked: bool = False
    looked: bool = False
    reason: str = ""


@dataclass(slots=True, eq=False)
class _Plan:
    """What is known about one combination of input shapes. work: elements times instructions.

    slot None: the interpreter runs it, for `reason`; without a reason nobody has looked yet whether code could.
    """

    work: float
    slot: _Slot | None = None
    way: Way | None = None
    reason: str = ""


_OFF: Final = _Plan(0.0, reason="the compiled tier is off")


class Group:
    """Runs one body, interpreted at first and compiled later. Safe to use from several threads at once."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.interpreter = Interpreter(body)
        self.spent = 0.0
        self._first = len(body.inputs)
        self._plans: dict[tuple[Shape, ...], _Plan] = {}
        self._slots: dict[Pattern, _Slot] = {}
        self._parts: Parts | None = None
        self._scalar: Scalar | None = None
        self._divisors: tuple[int, ...] = ()
        self._refused = ""

    def __call__(self, *inputs: Any) -> list[Any]:
        """The results, each an array of its own; one that is an input itself is the caller's to copy."""
        plan = self._plans.get(tuple([x.shape for x in inputs])) or self._planned(inputs)
        slot = plan.slot
        if slot is not None and slot.code is not None and tier.on():
            made = self._run(plan, slot.code, inputs, None)
            return self.interpreter(*inputs) if made is None else made
        if plan.reason:
            return self.interpreter(*inputs)
        if self._made_now(plan, inputs):
            return self(*inputs)
        start = perf_counter()
        results = self.interpreter(*inputs)
        self.spent += perf_counter() - start
        return results

    def into(self, place: Any, *inputs: Any) -> Any:
        """The only result, in `place`: flat memory of its dtype and size that no input shares."""
        plan = self._plans.get(tuple([x.shape for x in inputs])) or self._planned(inputs)
        slot = plan.slot
        if slot is not None and slot.code is not None and tier.on():
            made = self._run(plan, slot.code, inputs, place)
            return self.interpreter.into(place, *inputs) if made is None else made[0]
        if plan.reason:
            return self.interpreter.into(place, *inputs)
        if self._made_now(plan, inputs):
            return self.into(place, *inputs)
        start = perf_counter()
        result = self.interpreter.into(place, *inputs)
        self.spent += perf_counter() - start
        return result

    def _run(self, plan: _Plan, code: Code, inputs: Sequence[Any], place: Any) -> list[Any] | None:
        """The results of compiled code; None if the interpreter is to run, which says what is divided by zero."""
        if self._divisors and not all(inputs[i].all() for i in self._divisors):
            return None
        assert plan.way is not None  # it has one with the slot
        return plan.way.run(code, inputs, place)

    # ---- what there is to see ---------------------------------------------------------------

    @property
    def tier(self) -> str:
        """"compiled" once code has run or can run for some combination of shapes, otherwise "interpreted"."""
        return "compiled" if any(slot.code is not None for slot in self._slots.values()) else "interpreted"

    @property
    def why(self) -> str:
        """Why the last combination of shapes is interpreted; empty where it is compiled, or may be later."""
        plan = next(reversed(self._plans.values()), _Plan(0.0))
        return tier.why_off() or (plan.reason if plan.slot is None else plan.slot.reason)

    # ---- promotion --------------------------------------------------------------------------

    def _made_now(self, plan: _Plan, inputs: Sequence[Any]) -> bool:
        """Whether the code is there after all; if it is not, and it is time, it is asked for."""
        slot = plan.slot
        if (slot is not None and slot.reason) or not tier.on():
            return False
        now = plan.work >= AT_ONCE or tier.at_once()
        late = self.spent >= SPENT
        if not now:
            if slot is not None and (slot.asked or (slot.looked and not late)):
                return False
            if not late and not (tier.is_ready() and (plan.work >= ASK_CACHE or self.spent >= ASK_SPENT)):
                return False
        if slot is None:  # lowering takes 15 us an instruction, which most groups never earn
            slot = self._lowered(plan, tuple([x.shape for x in inputs]))
            if slot is None or slot.code is not None:
                return slot is not None
        source = slot.source or self._source(plan, slot)
        if source is None:
            return False
        if late and not now:
            slot.asked = True
            tier.build_later(source, lambda built: self._deliver(slot, plan, built))
            return slot.code is not None
        if not now and not tier.is_cached(source):
            slot.looked = True
            return False
        try:
            self._deliver(slot, plan, tier.build_now(source))
        except RuntimeError as error:
            slot.reason = str(error)
        return slot.code is not None

    def _source(self, plan: _Plan, slot: _Slot) -> Source | None:
        assert plan.way is not None  # or there would be no slot
        try:
            slot.source = generate(plan.way.scalar, plan.way.pattern, plan.way.ends.columns)
        except (CannotLower, RuntimeError) as error:
            slot.reason = str(error)
        return slot.source

    def _deliver(self, slot: _Slot, plan: _Plan, built: Library | Exception) -> None:
        if isinstance(built, Exception):
            slot.reason = str(built)
            return
        assert plan.way is not None  # or there would be no slot
        try:
            slot.code = Code(built, plan.way.scalar, plan.way.ends.columns)
        except RuntimeError as error:
            slot.reason = str(error)

    # ---- what is worked out once per combination of shapes ----------------------------------

    def _planned(self, inputs: Sequence[Any]) -> _Plan:
        if not tier.on():
            return _OFF
        shapes = tuple([x.shape for x in inputs])
        plan = _Plan(self.interpreter.elements(inputs) * len(self.body.instructions))
        if self._scalar is not None:  # it is lowered, so code may be there
            self._lowered(plan, shapes)
        self._plans[shapes] = plan
        with suppress(RuntimeError):  # another thread has just done it
            while len(self._plans) > KEPT:
                self._plans.pop(next(iter(self._plans)), None)
        return plan

    def _lowered(self, plan: _Plan, shapes: tuple[Shape, ...]) -> _Slot | None:
        """The slot of the code that serves these shapes, entered into the plan; None if there cannot be any."""
        try:
            if self._refused:
                raise CannotLower(self._refused)
            way = plan.way = self._way(shapes)
        except CannotLower as error:
            plan.reason = str(error)
            return None
        plan.slot = self._slots.setdefault(way.pattern, _Slot())  # last: other threads look at it first
        return plan.slot

    def _way(self, given: tuple[Shape, ...]) -> Way:
        """How runs on inputs of these shapes go.

        Raises:
            CannotLower: code does not serve them.
        """
        body = self.body
        shapes: list[Shape] = list(given)
        for instruction in body.instructions:
            rule = OPS[instruction.op].reduction
            operands = [shapes[v] for v in instruction.operands]
            if rule is None:
                shapes.append(broadcast(operands))
            else:
                rank, args = len(operands[0]), instruction.args[1:]
                shapes.append(reduced(operands[0], rule.axes(rank, *args), rule.keepdims(rank, *args)))
        parts = self._parts = self._parts or parts_of(body)
        whole = shapes[parts.wanted[0]]
        if prod(whole) <= 1:
            raise CannotLower("it has one element or none")
        if any(shapes[v] != whole for v in parts.wanted):
            raise CannotLower("its results have several shapes")
        if self._scalar is None:
            try:
                self._divisors = divisors_of(body)
                self._scalar = scalar_of(body, parts)
            except CannotLower as error:
                self._refused = str(error)
                raise
        if not _powers_are_even(self._scalar, given):
            raise CannotLower("NumPy's power has other last bits for one exponent than for many")
        ends = _ends(body, parts, whole)
        return Way(body, self._scalar, pattern_of(given, whole), whole, tuple(shapes), parts.made, ends)


def _ends(body: Body, parts: Parts, whole: Shape) -> Ends:
    if not parts.tails:
        return Ends()
    axes = {t.rule.axes(len(whole), *t.args) for t in parts.tails}
    if len(axes) > 1 or not is_trailing(next(iter(axes)), len(whole)):
        raise CannotLower("it reduces axes that are not the last ones, or not the same")
    (own,) = axes
    return Ends(parts.tails, columns_of(body, parts), len(whole) - len(own), *split_shape(whole, own))


def _powers_are_even(scalar: Scalar, given: Sequence[Shape]) -> bool:
    """Whether each exponent is one number: only then NumPy takes it the same way however it cuts the work."""
    exponents = [step.args[1] for step in scalar.steps if step.primitive == "power"]
    return all(isinstance(e, Value) and e < len(given) and prod(given[e]) == 1 for e in exponents)
