"""Where each operation of a run goes: what a device, an effect or a variable decides, and the rest by cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from ...errors import InvalidArgumentError
from ...graph.declare.effects import WORLD, effects_of
from ...graph.model.nesting import within
from ...graph.model.nodes import Operation, Tensor
from ...ops.state.uninitialized_variables import kept_value
from ...runtime.ir.stage import Stage
from ...runtime.sharding.shard_inputs import shard_inputs
from .places import CLIENT

_FEW = 64
"""Elements of a value that is small."""
PlaceOf = Callable[[str], int | None]
"""The place that a device names; None if it names no job and no task."""


def fixed_places(stage: Stage, place_of: PlaceOf, homes: Mapping[str, int]) -> dict[Operation, int]:
    """The places of operations that may not be elsewhere.

    Args:
        stage: the operations.
        place_of: see `PlaceOf`.
        homes: the worker of each variable.

    Raises:
        InvalidArgumentError: a device names a worker that is not there.
    """
    fixed: dict[Operation, int] = dict.fromkeys(before_sending(stage), CLIENT)
    for op in stage.operations:
        if op.opdef.facts.is_constant or op in fixed:
            continue
        asked = asked_place(op, place_of)
        if calls_program(op):  # no process but this one has the function, whatever the device
            fixed[op] = CLIENT
        elif asked is not None:
            fixed[op] = asked
        elif op.opdef is kept_value or belongs_to_client(op):
            fixed[op] = CLIENT
    fed = set(stage.feeds)
    count = len(stage.fetches) - len(stage.written)
    for resource, tensor in zip(stage.written, stage.fetches[count:], strict=True):
        if tensor not in fed and tensor.op not in fixed and not tensor.op.opdef.facts.is_constant:
            fixed[tensor.op] = homes[resource]
    return fixed


def asked_place(op: Operation, place_of: PlaceOf) -> int | None:
    """The place that the device of an operation names; None if it names none.

    Raises:
        InvalidArgumentError: it names a worker that is not there; with the line that made the operation.
    """
    if not op.device:
        return None
    try:
        return place_of(op.device)
    except InvalidArgumentError as error:
        told = InvalidArgumentError(op=op, message=f"Cannot assign a device for operation {op.name!r}: {error.message}")
        told.replace_text(f"{told.message}\n  {op.origin.made}  {op.origin.code}".rstrip())
        raise told from None


def before_sending(stage: Stage) -> list[Operation]:
    """What the client computes before it sends feeds: their shards, and small values that follow from their shapes."""
    own = set(stage.feeds[: len(stage.feeds) - len(stage.state)])
    parts = {t for each in shard_inputs(stage) if each.feed in own for t in each.parts}
    known: set[Tensor] = set()
    operations: list[Operation] = []
    for op in stage.operations:
        facts = op.opdef.facts
        if facts.is_constant or not op.inputs or op.control_inputs or not op.opdef.is_pure:
            continue
        if op.outputs[0] in parts:
            operations.append(op)
            continue
        of_shape = facts.reads_shape_only and all(t in own or t in parts for t in op.inputs)
        follows = any(t in known for t in op.inputs) and all(
            t in known or t.op.opdef.facts.is_constant for t in op.inputs
        )
        if (of_shape or follows) and all(_is_small(t) for t in op.outputs):
            operations.append(op)
            known.update(op.outputs)
    return operations


def _is_small(tensor: Tensor) -> bool:
    shape = tensor.shape.raw
    return shape is not None and all(isinstance(d, int) for d in shape) and prod(map(int, shape)) <= _FEW


def belongs_to_client(op: Operation) -> bool:
    """Whether an operation prints, uses files, or else touches the program or the world around it."""
    return calls_program(op) or any(WORLD in names for names in effects_of(op).touched)


def calls_program(op: Operation) -> bool:
    """Whether an operation, or a body of its own, calls a function of the program."""
    return any(each.opdef.calls_user_code for each in within([op]))


def held_together(stage: Stage) -> dict[Operation, Operation]:
    """For operations whose values cannot be sent, such as those of TensorArrays: the first one of their group."""
    leader: dict[Operation, Operation] = {}

    def find(op: Operation) -> Operation:
        while leader.get(op, op) is not op:
            op = leader[op]
        return op

    fed = set(stage.feeds)
    for op in stage.operations:
        for tensor in op.inputs:
            if tensor.dtype.is_variant and tensor not in fed and not tensor.op.opdef.facts.is_constant:
                one, other = find(tensor.op), find(op)
                leader.setdefault(one, one)
                leader[other] = one
    return {op: find(op) for op in leader}

