"""Which loops of a plan may become machine code, and why others stay on the plain path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...graph.shapes.dimension import Dim, Symbol
from ...ops.control.while_op import while_op
from ..ir.scalar_ir import CannotLower
from ..planning.memory_plan import sizes_of_feeds
from ..planning.plan import Plan, Step
from .loop_form import ShapedLoop
from .loop_module import loop_module
from .loop_values import NeedsValue


@dataclass(frozen=True, slots=True)
class LoopReport:
    """A loop of a plan.

    Attributes:
        node: its node.
        reason: why it stays on the plain path; "" if it is compiled when it has run for some time.
    """

    node: str
    reason: str

    def __str__(self) -> str:
        if not self.reason:
            return f"{self.node}: compiled when it has run for some time"
        return f"{self.node}: on the plain path, {self.reason}"


def loop_reports(plan: Plan, shapes: tuple[tuple[int, ...], ...] | None) -> tuple[LoopReport, ...]:
    """The loops of a plan, those inside of loops that are not compiled included. shapes: those of the feeds."""
    sizes = {} if shapes is None else sizes_of_feeds(plan, shapes)
    return tuple(_reports(plan, sizes))


def _reports(plan: Plan, sizes: Mapping[Symbol, int]) -> Iterator[LoopReport]:
    for step in plan.steps:
        reason = _reason(step, plan, sizes) if step.op == while_op.type else None
        if reason is not None:
            yield LoopReport(step.node, reason)
        if reason != "":
            for arg in step.args:
                if isinstance(arg, Plan):
                    yield from _reports(arg, sizes)


def _reason(step: Step, plan: Plan, sizes: Mapping[Symbol, int]) -> str:
    _, operands, cond, body, variables, rows, reverse, *_ = step.args
    infos = [plan.slots[slot] for slot in operands]
    known = [_known(info.shape, sizes) for info in infos]
    if any(shape is None for shape in known):
        return "or compiled: that depends on shapes that only a run knows"
    given = [shape for shape in known if shape is not None]
    cut = [shape[1:] if variables <= k < variables + rows else shape for k, shape in enumerate(given)]
    form = ShapedLoop(cond, body, tuple([info.dtype for info in infos]), tuple(cut), variables, rows, reverse)
    try:
        loop_module(form, {})
    except NeedsValue as error:
        return f"or compiled for the values of a run: {error}"
    except CannotLower as error:
        return str(error)
    except Exception as error:  # of a kernel that computes a constant: the run will raise it
        return f"{type(error).__name__}: {error}"
    return ""


def _known(shape: Sequence[Dim] | None, sizes: Mapping[Symbol, int]) -> tuple[int, ...] | None:
    if shape is None:
        return None
    found: list[Any] = [dim if isinstance(dim, int) else dim.at(sizes) for dim in shape]
    return None if None in found else tuple(found)
