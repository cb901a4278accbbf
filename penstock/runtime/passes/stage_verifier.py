"""The verifier: checks that a stage is well formed and needs the same feeds as the stage before.

The tests run it after every pass, a session with `SessionConfig(verify=True)` too. An error names the node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...errors import InternalError
from ...graph.declare.effects import effect_order, effects_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph, bodies_of
from ..ir.body_stages import stage_of
from ..ir.stage import Stage


def verify(stage: Stage, before: Stage | None = None) -> None:
    """Raise InternalError unless the stage is well formed and has the interface and effects of `before`.

    - Inputs and control inputs come earlier or are fed.
    - Names are unique, and every node has an origin.
    - Fetches, targets and pinned tensors exist.
    - Feeds, the number, dtypes and shapes of fetches, and writing operations are those of `before`.
    - Operations whose effects meet keep their order.
    - Graphs inside ops satisfy the same rules.
    """
    available: set[Tensor] = set(stage.feeds)
    done: set[Operation] = set()
    for op in stage.operations:
        for tensor in op.inputs:
            _require(tensor in available, f"{op.name!r} reads {tensor.name!r}, which nothing before it makes")
        for control in op.control_inputs:
            fed = any(t in available for t in control.outputs)
            _require(control in done or fed, f"{op.name!r} waits for {control.name!r}, which does not run before it")
        _require(bool(op.origins), f"{op.name!r} has no origin")
        for (_, place), body in zip(op.opdef.body_operands, bodies_of(op), strict=True):
            _check_body(op, body, op.args[place])
        available.update(op.outputs)
        done.add(op)
    for name, count in Counter(op.name for op in stage.operations).items():
        _require(count == 1, f"{count} nodes are called {name!r}")
    for tensor in (*stage.fetches, *stage.pinned):
        _require(tensor in available, f"the fetch {tensor.name!r} is not made by any node")
    for op in stage.targets:
        _require(op in done, f"the target {op.name!r} does not run")
    if before is not None:
        _compare(stage, before)


def _check_body(op: Operation, body: SubGraph, operands: Sequence[Tensor]) -> None:
    verify(stage_of(body))
    _require(len(body.inputs) == len(operands), f"{op.name!r} has {len(operands)} operands for a body that takes "
             f"{len(body.inputs)}")  # fmt: skip
    for inner, outer in zip(body.inputs, operands, strict=True):
        _require(inner.dtype is outer.dtype, f"{outer.name!r} is {outer.dtype}, for the {inner.dtype} {inner.name!r}")
    for inside in body.operations:
        declared = effects_of(inside).may_drop or not effects_of(op).may_drop
        _require(declared, f"{op.name!r} does not declare that it {effects_of(inside)}, as {inside.name!r} inside does")


def _compare(stage: Stage, before: Stage) -> None:
    _require(stage.feeds == before.feeds, "a pass changed what is fed")
    _require(len(stage.fetches) == len(before.fetches), "a pass changed the number of fetches")
    for new, old in zip(stage.fetches, before.fetches, strict=True):
        _require(new.dtype is old.dtype, f"the fetch {old.name!r} changed from {old.dtype} to {new.dtype}")
        compatible = new.shape.is_compatible_with(old.shape)
        _require(compatible, f"the fetch {old.name!r} changed its shape from {old.shape} to {new.shape}")
    _compare_effects(stage, before)


def _compare_effects(stage: Stage, before: Stage) -> None:
    """Writing operations still run, and operations whose effects meet keep their order."""
    position = {op.name: i for i, op in enumerate(stage.operations) if not op.opdef.is_pure}
    for op in before.operations:
        if not op.opdef.is_pure and not effects_of(op).may_drop:
            _require(op.name in position, f"{op.name!r}, which {effects_of(op)}, does not run any more")
    for op, firsts in effect_order(before.operations, set(before.targets)).items():
        for first in firsts:
            if op.name in position and first.name in position:
                kept = position[first.name] < position[op.name]
                _require(kept, f"{op.name!r} came after {first.name!r} because of their effects, and now comes before")


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise InternalError(message=f"verify: {complaint}")
