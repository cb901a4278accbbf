"""The values of the nodes inside a fused group, which no step of a plan makes: they are computed one by one.

The kernels are NumPy's, so the last digits may differ from what the group's compiled code has in its registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graph.common.float_errors import unwarned
from ...graph.declare.op_declaration import OPS
from ..ir.fused_ir import Body, Value
from ..observe.nan_watch import on_host
from ..planning.slot_names import body_of
from .run_state import RunFrame, RunState


@dataclass(frozen=True, slots=True)
class MemberPlace:
    """A node inside a fused group.

    Attributes:
        frame: the frame of the group.
        position: the step that is the group.
        name: the name of the tensor.
    """

    frame: RunFrame
    position: int
    name: str


def member_place(state: RunState, name: str) -> MemberPlace | None:
    """The place of a tensor that a group computes and does not return; None if no group does.

    The innermost graph comes first; a name inside a loop or branch may be given without that of the loop.
    """
    for frame in reversed(state.frames):
        for full in (name, f"{name}:0", f"{frame.scope}/{name}", f"{frame.scope}/{name}:0"):
            for position, step in enumerate(frame.code.plan.steps):
                body = body_of(step)
                if body is not None and full in {f"{each.node}:{each.output}" for each in body.instructions}:
                    return MemberPlace(frame, position, full)
    return None


def member_values(body: Body, inputs: Sequence[Any]) -> dict[str, Any]:
    """The values of all tensors inside a group, by name.

    Args:
        body: the group.
        inputs: the values of its inputs.
    """
    found: dict[str, Any] = {}
    values: list[Any] = [on_host(each) for each in inputs]
    for each in body.instructions:
        opdef = OPS[each.op]
        arguments = [values[a] if isinstance(a, Value) else a for a in each.args]
        values.append(unwarned(opdef.kernels.get("numpy") or opdef.kernels["*"], np, *arguments))
        found[f"{each.node}:{each.output}"] = values[-1]
    return found


def members(frame: RunFrame, position: int) -> Iterator[tuple[str, str]]:
    """(name of the tensor, its op) of each node inside a group that is not its result."""
    body = body_of(frame.code.plan.steps[position])
    results = frame.code.results[position]
    for each in body.instructions if body is not None else ():
        if f"{each.node}:{each.output}" not in results:
            yield f"{each.node}:{each.output}", each.op
