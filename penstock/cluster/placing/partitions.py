"""Partitions: the parts of a stage that run on one place without waiting for another.

The level of an operation is the number of changes of place on the longest way to it:

    level(op) = max over its operands and control inputs of level(producer) + (1 if the producer is at another place)

A partition is what one place has of one level. Edges never lead to a lower level, and edges within a level stay in one
partition, so partitions have no cycles. Constants are copied into each partition that reads them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import InternalError
from ...graph.model.nodes import Operation, Tensor
from ...runtime.ir.stage import Stage


@dataclass(frozen=True, slots=True)
class Partition:
    """A part of a run that one place computes at once.

    Attributes:
        number: its place in the list of partitions.
        place: where it runs.
        level: how many changes of place come before it.
        operations: its operations in the order of the stage, constants that it reads included.
        inputs: the tensors that come from outside: feeds, and results of other partitions.
        outputs: its tensors that other partitions read or that the run fetches.
        after: the numbers of partitions that must have ended before it begins, and give it nothing.
    """

    number: int
    place: int
    level: int
    operations: tuple[Operation, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    after: tuple[int, ...] = ()


def partitions_of(
    stage: Stage, places: Mapping[Operation, int], waits: Mapping[Operation, Sequence[Operation]] | None = None
) -> tuple[Partition, ...]:
    """The partitions of a stage, each after those that it needs.

    Args:
        stage: the operations.
        places: where each operation runs that is no constant.
        waits: other operations that an operation must follow, such as those with the same effect.
    """
    waits = waits or {}
    fed = set(stage.feeds)
    level: dict[Operation, int] = {}
    groups: dict[tuple[int, int], list[Operation]] = defaultdict(list)
    for op in stage.operations:
        if op.opdef.facts.is_constant:
            continue
        here = places[op]
        depth = 0
        for before in _before(op, fed, waits):
            if before in level:
                depth = max(depth, level[before] + (places[before] != here))
        level[op] = depth
        groups[depth, here].append(op)
    keys = sorted(groups)
    number = {key: i for i, key in enumerate(keys)}
    of = {op: number[level[op], places[op]] for op in level}
    partitions: list[Partition] = []
    wanted = {t for t in stage.fetches if t not in fed}
    inputs: list[dict[Tensor, None]] = [{} for _ in keys]
    held: list[dict[Operation, None]] = [{} for _ in keys]
    after: list[set[int]] = [set() for _ in keys]
    read: dict[Tensor, None] = dict.fromkeys(t for t in wanted if not t.op.opdef.facts.is_constant)
    for op, mine in of.items():
        for tensor in op.inputs:
            producer = tensor.op
            if tensor in fed:
                inputs[mine][tensor] = None
            elif producer.opdef.facts.is_constant:
                held[mine][producer] = None
            elif of[producer] != mine:
                inputs[mine][tensor] = None
                read[tensor] = None
        for control in (*op.control_inputs, *waits.get(op, ())):
            if control in of and of[control] != mine:
                after[mine].add(of[control])
    outputs: list[list[Tensor]] = [[] for _ in keys]
    for tensor in read:
        outputs[of[tensor.op]].append(tensor)
    for i, key in enumerate(keys):
        operations = (*held[i], *groups[key])
        sources = {of[t.op] for t in inputs[i] if t not in fed}
        partitions.append(Partition(i, key[1], key[0], operations, tuple(inputs[i]), tuple(outputs[i]),
                              tuple(sorted(after[i] - sources))))  # fmt: skip
    check_convex(partitions, stage)
    return tuple(partitions)


def _before(op: Operation, fed: set[Tensor], waits: Mapping[Operation, Sequence[Operation]]) -> list[Operation]:
    return [*[t.op for t in op.inputs if t not in fed], *op.control_inputs, *waits.get(op, ())]


def check_convex(partitions: Sequence[Partition], stage: Stage) -> None:
    """Check that each partition comes after all that it needs, and that no operation is lost.

    Raises:
        InternalError: one does not.
    """
    fed = set(stage.feeds)
    done: set[Tensor] = set()
    seen: set[Operation] = set()
    for each in partitions:
        for tensor in each.inputs:
            if tensor not in fed and tensor not in done:
                raise InternalError(message=f"partition {each.number} reads {tensor.name!r} before it is computed")
        if any(number >= each.number for number in each.after):
            raise InternalError(message=f"partition {each.number} waits for a later one")
        done.update(each.outputs)
        seen.update(each.operations)
    lost = [op for op in stage.operations if op not in seen and not op.opdef.facts.is_constant]
    if lost:
        raise InternalError(message=f"the operation {lost[0].name!r} is in no partition")
