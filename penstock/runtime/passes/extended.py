"""Extended copies of operations: a run that needs an operation and its extended copy does only the copy.

The gradient of a branch or a loop needs values from inside it. A graph is append-only, so the operation cannot get more
results; `derivatives` adds a copy that has them, which names what it extends. Both have the same operands, so the copy
can run in the place of the first, and its results are the same ones and more. Effects happen once for that reason.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from ...graph.model.nodes import Operation, Tensor
from ..ir.body_stages import with_bodies
from ..ir.stage import Rebuild, Stage


def with_extended(stage: Stage) -> Stage:
    """The stage in which extended copies stand for what they extend; the same stage if there is none."""
    stage = with_bodies(stage, with_extended)
    stands = _stands(stage.operations)
    if not stands:
        return stage
    copy = Rebuild(stage)
    placed: dict[Operation, Operation] = {}
    for op in stage.operations:
        best = stands.get(op, op)
        if best not in placed:
            placed[best] = copy.copy(best)
        if best is not op:
            made = placed[best]
            pairs = result_pairs(op, made)
            copy.settle(op, [new for _, new in pairs], made, [old for old, _ in pairs])
    return copy.finish()


def copy_among(operations: Sequence[Operation], name: str, kept: Container[str]) -> Operation | None:
    """The extended copy that a run does in the place of an operation; None if there is none.

    Args:
        operations: those of the graph.
        name: the name of the operation.
        kept: the names of the operations that the run does.
    """
    copies = (op for op in reversed(operations) if op.opdef.facts.extends and op.name in kept)
    return next((op for op in copies if name in op.get_attr("extends")), None)


def _stands(operations: Sequence[Operation]) -> dict[Operation, Operation]:
    """Operation -> the last of its extended copies."""
    copies = [op for op in operations if op.opdef.facts.extends and op.get_attr("extends")]
    if not copies:
        return {}
    by_name = {op.name: op for op in operations if op.opdef.facts.extends}
    found: dict[Operation, Operation] = {}
    for op in copies:  # in the order of creation: a later copy has the results of the earlier ones
        for name in op.get_attr("extends"):
            if name in by_name:
                found[by_name[name]] = op
    return found


def result_pairs(op: Operation, copy: Operation) -> list[tuple[Tensor, Tensor]]:
    """Each result of an operation with that of its extended copy."""
    last = op.opdef.facts.closing
    split = len(op.outputs) - last
    return [
        *zip(op.outputs[:split], copy.outputs, strict=False),
        *zip(op.outputs[split:], copy.outputs[len(copy.outputs) - last :], strict=True),
    ]
