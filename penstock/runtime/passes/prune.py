"""Which operations does a run need?

Mark backwards from the fetches, stop at what is fed, and keep the order of creation, which is a topological order.

Feeding a tensor in the middle cuts what was known of it: its former value, and that its open sizes are those of other
tensors. Nodes behind such a feed are therefore inferred anew from a placeholder in its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from operator import attrgetter

from ...graph.nodes import Operation, Tensor
from ..ir.body_stages import inferred_again
from ..ir.stage import Rebuild, Stage


def prune(tensors: Iterable[Tensor], operations: Iterable[Operation], fed: Collection[Tensor]) -> list[Operation]:
    """The operations needed for `tensors` and `operations` if `fed` tensors have values, in order of creation."""
    needed: set[Operation] = set(operations)
    waiting = list(needed)
    for tensor in tensors:
        if tensor not in fed and tensor.op not in needed:
            needed.add(tensor.op)
            waiting.append(tensor.op)
    while waiting:
        op = waiting.pop()
        for tensor in op.inputs:
            producer = tensor.op
            if producer not in needed and tensor not in fed:
                needed.add(producer)
                waiting.append(producer)
        for control in op.control_inputs:
            if control not in needed:
                needed.add(control)
                waiting.append(control)
    return sorted(needed, key=attrgetter("index"))


def first_stage(tensors: Sequence[Tensor], operations: Sequence[Operation], fed: Sequence[Tensor]) -> Stage:
    """The operations a run needs, as the stage that passes start from."""
    cut = set(fed)
    kept = prune(tensors, operations, cut)
    asked = next((t.op for t in tensors), next(iter(operations), None))
    if asked is None:
        return Stage((), tuple(fed), (), ())
    graph = asked.graph
    inside = set(kept) if graph.equations or graph.pinned else set()
    pinned = tuple(t for t in graph.pinned if t.op in inside and t not in cut)
    stage = Stage(
        operations=tuple([op for op in kept if not (op.opdef.must_feed and op.outputs[0] in cut)]),
        feeds=tuple(fed),
        fetches=tuple(tensors),
        targets=tuple(op for op in operations if not (op.opdef.must_feed and op.outputs[0] in cut)),
        pinned=pinned,
        pinned_names=tuple(t.name for t in pinned),
        # A claim about a placeholder (`x.set_shape`) is about its names, so it holds for whatever else is fed by them.
        equations=tuple(
            (dim, size, op.name) for op, dim, size in graph.equations if op in inside or op.opdef.must_feed
        ),
    )
    if all(t.op.opdef.must_feed for t in fed):
        return stage
    return _without_former_facts(stage)


def _without_former_facts(stage: Stage) -> Stage:
    copy = Rebuild(stage)
    feeds: list[Tensor] = []
    for tensor in stage.feeds:
        fed = tensor
        if not tensor.op.opdef.must_feed:
            fed = copy.placeholder_for(tensor)
            copy.replace(tensor, fed, for_good=True)
        feeds.append(fed)
    for op in stage.operations:
        bodies = inferred_again(op, copy.new) if op.opdef.bodies else None
        copy.copy(op, infer_again=True, bodies=bodies)
    return replace(copy.finish(), feeds=tuple(feeds))
