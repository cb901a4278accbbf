"""Pruning: the operations that a run needs.

The walk goes backwards from the fetches and stops at fed tensors. It keeps the order of creation, which is topological.

A fed tensor in the middle of the graph loses the facts that its producer implied: its value, and which other tensors
share its open sizes. Nodes behind such a feed are therefore inferred again from a placeholder in its place.
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
    """The operations a run needs, as the first stage of the pipeline."""
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
        # A claim about a placeholder (`x.set_shape`) relates dimension names, so it holds wherever they are used.
        equations=tuple(
            (dim, size, op.name) for op, dim, size in graph.equations if op in inside or op.opdef.must_feed
        ),
    )
    if all(t.op.opdef.must_feed for t in fed):
        return stage
    return _inferred_from_feeds(stage)


def _inferred_from_feeds(stage: Stage) -> Stage:
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
