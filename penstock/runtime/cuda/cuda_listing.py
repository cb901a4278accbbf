"""The listing of a step on a GPU: its formula, its nests, and the CUDA source of each kernel.

The sources are those for operands of the given shapes. Neither a GPU nor CuPy is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...errors import OpError
from ...graph.declare.op_declaration import OPS
from ...graph.shapes.dimension import Dimension
from ..compiled.llvm_listing import Listing
from ..ir.fused_ir import Body
from ..ir.scalar_ir import CannotLower
from ..kernels.kernel_choice import kernel_of
from ..planning.memory_plan import sizes_of_feeds
from ..planning.plan import Plan, Slot, Step
from ..planning.planner import TO_DEVICE, TO_HOST
from .cuda_group import CudaGroup
from .cuda_prelude import PRELUDE
from .dry_run import NotedLaunch, empty, launches_of

ASSUMED: Final = 1024
"""The size of a dimension whose size is unknown."""

Shapes = tuple[tuple[int, ...], ...]


def list_step(plan: Plan, step: Step, shapes: Shapes | None) -> Listing:
    """The listing of a step. shapes: those of the fed values, None if they are unknown."""
    body = step.args[-1] if step.args else None
    if not isinstance(body, Body):
        body = None
    formula = body.formula if body is not None else str(step).partition(" = ")[2].partition("  #")[0]
    known = (step.node, formula, str(body) if body is not None else "")
    try:
        operands, lines = _operands(plan, step, shapes)
        if body is not None:
            return _of_group(known, plan, step, body, operands, tuple(lines))
        return _of_kernel(known, step, operands, tuple(lines))
    except CannotLower as error:
        return Listing(*known, reason=f"the group runs op by op with CuPy: {error}")
    except _Unknown as error:
        return Listing(*known, reason=str(error))


class _Unknown(Exception):
    """The listing is incomplete; the message says why."""


def _of_group(known: tuple[str, str, str], plan: Plan, step: Step, body: Body, operands: Sequence[Any],
              lines: tuple[str, ...]) -> Listing:  # fmt: skip
    group = CudaGroup(body)
    group.note_constants(plan, step)
    started, end = launches_of(lambda xp: group(xp, operands))
    nests = "\n".join(dict.fromkeys(map(str, group.nests)))
    return Listing(*known, lines, reason=_reason(started, end), kernels=_kernels(started), nest=nests)


def _of_kernel(known: tuple[str, str, str], step: Step, operands: Sequence[Any], lines: tuple[str, ...]) -> Listing:
    if step.op not in OPS:
        raise _Unknown("the step is a copy")
    kernel = kernel_of(OPS[step.op], "cupy")
    filled: list[Any] = []
    left = list(operands)
    for arg in step.args:
        if isinstance(arg, Slot):
            filled.append(left.pop(0))
        elif isinstance(arg, tuple) and arg and all(isinstance(a, Slot) for a in arg):
            filled.append([left.pop(0) for _ in arg])
        else:
            filled.append(arg)
    try:
        started, end = launches_of(lambda xp: kernel(xp, *filled))
    except OpError as error:
        raise _Unknown(f"the step fails on operands of these shapes: {error.message.splitlines()[0]}") from error
    nests = "\n".join(dict.fromkeys([each.nest for each in started if each.nest]))
    return Listing(*known, lines, reason=_reason(started, end), kernels=_kernels(started), nest=nests)


def _reason(started: list[NotedLaunch], end: str) -> str:
    if started:
        return f"the work after these kernels needs {end}" if end else ""
    return f"no kernel of Penstock's runs: {end}" if end else "operands of these shapes need no work"


def _kernels(started: list[NotedLaunch]) -> tuple[tuple[str, str], ...]:
    """(launch, source without the prelude) for each launch; a source that is launched again is not repeated."""
    found: list[tuple[str, str]] = []
    seen: set[str] = set()
    for each in started:
        text = each.source.replace(PRELUDE, "").strip("\n") if each.source not in seen else ""
        seen.add(each.source)
        found.append((f"{each.kernel}, {each.blocks} blocks of {each.threads} threads", text))
    return tuple(found)


def _operands(plan: Plan, step: Step, shapes: Shapes | None) -> tuple[list[Any], list[str]]:
    """Arrays without elements for the operands of the step, and a line about each operand."""
    values = {slot: array for slot, array, _ in plan.constants}
    home = {s.outputs[0]: s.inputs[0] for s in plan.steps if s.op in (TO_DEVICE, TO_HOST)}
    known_shapes = zip([slot for _, slot in plan.feeds], shapes or (), strict=False)
    fed = {slot: shape for slot, shape in known_shapes if shape}  # () stands for a feed without a value, too
    sizes = sizes_of_feeds(plan, shapes) if shapes else {}
    hosts = _read_by_host(step)
    operands: list[Any] = []
    lines: list[str] = []
    for slot in step.inputs:
        origin = home.get(slot, slot)
        info = plan.slots[origin]
        if slot in hosts:
            if origin not in values:
                raise _Unknown("the host reads an operand whose value is known only in the run")
            operands.append(values[origin])
            lines.append(f"{slot} {values[origin].tolist()}, read by the host")
            continue
        dims = fed.get(origin, info.shape)
        if dims is None:
            raise _Unknown("the rank of an operand is known only in the run")
        shape: list[int] = []
        guessed = False
        for dim in dims:
            if isinstance(dim, Dimension):
                known = dim.at(sizes)
                guessed = guessed or known is None
                shape.append(ASSUMED if known is None else known)
            else:
                shape.append(int(dim))
        operands.append(empty(shape, info.dtype.np))
        assumed = f", unknown sizes taken as {ASSUMED}" if guessed else ""
        lines.append(f"{slot} {info.dtype.name} {list(shape)}{assumed}")
    return operands, lines


def _read_by_host(step: Step) -> set[Slot]:
    opdef = OPS.get(step.op)
    if opdef is None:
        return set()
    args = [step.args[i] for i, _, operand in opdef.operands if operand.host]
    return {a for a in args if isinstance(a, Slot)}
