"""The two parts of a fused group: elementwise values, and the reductions at its end."""

from __future__ import annotations

from dataclasses import dataclass

from ...graph.declare.op_declaration import OPS
from ..ir.fused_ir import Body
from ..ir.scalar_ir import CannotLower, Scalar, lower
from ..numpy.writers import TailReduction, tail_of
from .loop_nest import Column, column


@dataclass(frozen=True, slots=True)
class GroupParts:
    """The parts of a body.

    Attributes:
        made: the elementwise values that are results.
        tails: the reductions.
    """

    made: tuple[int, ...]
    tails: tuple[TailReduction, ...]

    @property
    def wanted(self) -> tuple[int, ...]:
        """The outputs of the elementwise part, in the order of the scalar program."""
        return (*self.made, *[t.operand for t in self.tails])


def parts_of(body: Body) -> GroupParts:
    """The two parts of a body.

    Raises:
        CannotLower: the body has no results, or reduces a value that no elementwise op of it computes.
    """
    first = len(body.inputs)
    ends = [i for i, n in enumerate(body.instructions) if OPS[n.op].reduction is not None]
    tails = tuple([t for t in (tail_of(body, i, body.instructions[i]) for i in ends) if t is not None])
    reduced = {t.value for t in tails}
    made = dict.fromkeys([int(o) for o in body.outputs if o >= first and o not in reduced])
    if not made and not tails:
        raise CannotLower("it computes nothing")
    if any(t.operand < first or t.operand in reduced for t in tails):
        raise CannotLower("a reduction reads a value that no elementwise op of the group computes")
    return GroupParts(tuple(made), tails)


def scalar_of(body: Body, parts: GroupParts) -> Scalar:
    """The elementwise part as a scalar program; operands of reductions are widened to the accumulator's dtype.

    Raises:
        CannotLower: an op has no scalar form.
    """
    results = [(v, body.dtype_of(v)) for v in parts.made]
    ends = [(t.operand, t.rule.wide(body.dtype_of(t.operand))) for t in parts.tails]
    return lower(body, results + ends, zeros_are_found=True)


def divisors_of(body: Body) -> tuple[int, ...]:
    """The inputs that are divisors, in which a zero is an error.

    Raises:
        CannotLower: the group computes a divisor itself.
    """
    found: list[int] = []
    for instruction in body.instructions:
        opdef = OPS[instruction.op]
        if opdef.facts.zero_fails is None or not opdef.facts.can_fail & body.dtype_of(instruction.operands[0]).bit:
            continue
        divisor = instruction.args[opdef.facts.zero_fails]
        if divisor >= len(body.inputs):
            raise CannotLower(f"the group computes the divisor of {instruction.op}, which must be checked for zeros")
        found.append(int(divisor))
    return tuple(dict.fromkeys(found))


def columns_of(body: Body, parts: GroupParts) -> tuple[Column, ...]:
    """The reductions in their compiled form."""
    first = len(body.inputs) + len(parts.made)
    return tuple([
        column(first + k, t.rule, t.rule.wide(body.dtype_of(t.operand))) for k, t in enumerate(parts.tails)
    ])  # fmt: skip
