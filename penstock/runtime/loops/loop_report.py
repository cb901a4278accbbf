"""Which loops of a plan may become machine code, and why others stay on the plain path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...graph.shapes.dimension import Dim, Symbol
from ...ops.control.while_op import while_op
from ..compiled.llvm_listing import Listing
from ..ir.scalar_ir import CannotLower
from ..planning.memory_plan import sizes_of_feeds
from ..planning.plan import Plan, Step
from .loop_form import ShapedLoop
from .loop_module import LoopModule, loop_module
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


def list_loop(step: Step, plan: Plan, shapes: tuple[tuple[int, ...], ...] | None) -> Listing:
    """The code of a loop: its steps with their nests, and the module. shapes: those of the feeds."""
    form = _form(step, plan, {} if shapes is None else sizes_of_feeds(plan, shapes))
    formula = f"{', '.join(map(str, step.outputs))} = {step.op}"
    if form is None:
        return Listing(step.node, formula, "", reason=UNKNOWN)
    operands = tuple([f"{slot} {dtype.name} {list(shape)}{how}" for slot, dtype, shape, how in
                      zip(step.args[1], form.dtypes, form.shapes, _roles(form), strict=True)])  # fmt: skip
    module = LoopModule(form, {})
    try:
        source, _ = module.made()
    except Exception as error:  # as in `_reason`
        return Listing(step.node, formula, "", operands=operands, reason=_worded(error))
    return Listing(step.node, formula, "", operands=operands, ir=source.ir, nest=str(module.text))


def _roles(form: ShapedLoop) -> Iterator[str]:
    """What each operand is."""
    for k in range(len(form.dtypes)):
        yield ", a variable" if k < form.variables else ", of each row" if k < form.variables + form.rows else ""


UNKNOWN: Final = "or compiled: that depends on shapes that only a run knows"


def _reason(step: Step, plan: Plan, sizes: Mapping[Symbol, int]) -> str:
    form = _form(step, plan, sizes)
    if form is None:
        return UNKNOWN
    try:
        loop_module(form, {})
    except Exception as error:
        return _worded(error)
    return ""


def _worded(error: Exception) -> str:
    """Why there is no code; any other error is that of a kernel that computes a constant: the run will raise it."""
    if isinstance(error, NeedsValue):
        return f"or compiled for the values of a run: {error}"
    return str(error) if isinstance(error, CannotLower) else f"{type(error).__name__}: {error}"


def _form(step: Step, plan: Plan, sizes: Mapping[Symbol, int]) -> ShapedLoop | None:
    """What the code of a loop is made for; None if shapes are not known."""
    _, operands, cond, body, variables, rows, reverse, *_ = step.args
    infos = [plan.slots[slot] for slot in operands]
    known = [shape for info in infos if (shape := _known(info.shape, sizes)) is not None]
    if len(known) < len(infos):
        return None
    cut = [shape[1:] if variables <= k < variables + rows else shape for k, shape in enumerate(known)]
    return ShapedLoop(cond, body, tuple([info.dtype for info in infos]), tuple(cut), variables, rows, reverse)


def _known(shape: Sequence[Dim] | None, sizes: Mapping[Symbol, int]) -> tuple[int, ...] | None:
    if shape is None:
        return None
    found: list[Any] = [dim if isinstance(dim, int) else dim.at(sizes) for dim in shape]
    return None if None in found else tuple(found)
