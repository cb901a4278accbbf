"""What of a fused group is computed element by element, and what is reduced at its end?"""

from __future__ import annotations

from dataclasses import dataclass

from ...graph.op_declaration import OPS
from ..ir.fused_ir import Body
from ..ir.scalar_ir import CannotLower, Scalar, lower
from ..numpy.bound_instruction import Tail, tail_of
from .loop_nest import Column, column


@dataclass(frozen=True, slots=True)
class Parts:
    """made: the elementwise values that are results of the body. tails: its reductions."""

    made: tuple[int, ...]
    tails: tuple[Tail, ...]

    @property
    def wanted(self) -> tuple[int, ...]:
        """The values that the elementwise part gives, in the order of the scalar program's outputs."""
        return (*self.made, *[t.operand for t in self.tails])


def parts_of(body: Body) -> Parts:
    """The two parts.

    Raises:
        CannotLower: the body has none, or reduces what it does not compute.
    """
    first = len(body.inputs)
    ends = [i for i, n in enumerate(body.instructions) if OPS[n.op].reduction is not None]
    tails = tuple([t for t in (tail_of(body, i, body.instructions[i]) for i in ends) if t is not None])
    reduced = {t.value for t in tails}
    made = dict.fromkeys([int(o) for o in body.outputs if o >= first and o not in reduced])
    if not made and not tails:
        raise CannotLower("it computes nothing")
    if any(t.operand < first or t.operand in reduced for t in tails):
        raise CannotLower("it reduces what is no result of the group")
    return Parts(tuple(made), tails)


def scalar_of(body: Body, parts: Parts) -> Scalar:
    """The elementwise part as a scalar program; operands of reductions in the dtype in which they are combined.

    Raises:
        CannotLower: some op has no such form.
    """
    results = [(v, body.dtype_of(v)) for v in parts.made]
    ends = [(t.operand, t.rule.wide(body.dtype_of(t.operand))) for t in parts.tails]
    return lower(body, results + ends, zeros_are_found=True)


def divisors_of(body: Body) -> tuple[int, ...]:
    """The inputs in which a zero is an error of the run.

    Raises:
        CannotLower: some divisor is computed by the group itself.
    """
    found: list[int] = []
    for instruction in body.instructions:
        opdef = OPS[instruction.op]
        if opdef.zero_fails is None or not opdef.can_fail & body.dtype_of(instruction.operands[0]).bit:
            continue
        divisor = instruction.args[opdef.zero_fails]
        if divisor >= len(body.inputs):
            raise CannotLower(f"{instruction.op}: its divisor, of which a zero is an error, is computed by the group")
        found.append(int(divisor))
    return tuple(dict.fromkeys(found))


def columns_of(body: Body, parts: Parts) -> tuple[Column, ...]:
    """The reductions as code sees them."""
    first = len(body.inputs) + len(parts.made)
    return tuple([
        column(first + k, t.rule, t.rule.wide(body.dtype_of(t.operand))) for k, t in enumerate(parts.tails)
    ])  # fmt: skip
