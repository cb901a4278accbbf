"""Two halves of a run that updates variables: what it computes from their values, and the updates themselves.

Asynchronous runs (`SessionConfig(asynchronous=True)`) take turns only for the second half:

    first     everything that does not depend on what a write starts from: losses, gradients, values to assign
    second    the writes, and what reads or follows them

The second half starts from the values that the variables have by then, so an update by another run is not lost. Tensors
that lead from the first half into the second are *handed over*: fetches there, feeds here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.effects import effect_order
from ...graph.model.append import append_placeholder
from ...graph.model.nodes import Operation, Tensor
from ..ir.stage import Rebuild, Stage, StateFeed


@dataclass(frozen=True, slots=True)
class Halves:
    """The two stages of an asynchronous run.

    Attributes:
        first: its last fetches are handed over.
        second: its feeds are some of the caller's, what is handed over, and the values that writes start from.
        feeds: for each half the places of the feeds of the caller that it has.
        handed: the number of tensors that are handed over.
        results: for each fetch of the caller, which half gives it (0 or 1), and its place among the fetches there.
    """

    first: Stage
    second: Stage
    feeds: tuple[tuple[int, ...], tuple[int, ...]]
    handed: int
    results: tuple[tuple[int, int], ...]


def in_halves(stage: Stage) -> Halves | None:
    """The halves of a stage whose writes start from feeds of kind "base"; None if the first one would do nothing.

    Args:
        stage: a stage from `with_versions(..., apart=True)`.
    """
    feeds = _Feeds(stage)
    later = _later(stage, feeds)
    if not stage.written or all(op in later or op.opdef.facts.is_constant for op in stage.operations):
        return None
    count = len(stage.fetches) - len(stage.written)
    results: list[tuple[int, int]] = []
    fetches: tuple[list[Tensor], list[Tensor]] = ([], [])
    for tensor in stage.fetches[:count]:
        half = int(tensor.op in later or tensor in feeds.bases)
        results.append((half, len(fetches[half])))
        fetches[half].append(tensor)
    at_end = (*fetches[1], *stage.fetches[count:])
    read = [*[t for op in stage.operations if op in later for t in op.inputs], *at_end]
    given = {*feeds.of_caller, *feeds.bases}
    handed = [
        t for t in dict.fromkeys(read) if t.op not in later and t not in given and not t.op.opdef.facts.is_constant
    ]
    if any(t.dtype.is_variant for t in handed):
        return None  # such a value stays inside of a run
    first = _first(stage, later, (*fetches[0], *handed), feeds)
    second, fed = _second(stage, later, handed, at_end, feeds)
    taken = _taken(first, feeds), _taken(second, feeds)
    first = replace(first, feeds=(*[feeds.of_caller[i] for i in taken[0]], *feeds.others))
    second = replace(second, feeds=(*[feeds.of_caller[i] for i in taken[1]], *fed, *feeds.bases))
    return Halves(first, second, taken, len(handed), tuple(results))


class _Feeds:
    """The feeds of a stage: those of the caller, the values that writes start from, and what else the session gives."""

    def __init__(self, stage: Stage) -> None:
        count = len(stage.feeds) - len(stage.state)
        of_session = dict(zip(stage.feeds[count:], stage.state, strict=True))
        self.of_caller = stage.feeds[:count]
        self.bases = {tensor: each for tensor, each in of_session.items() if each.kind == "base"}
        self.others = {tensor: each for tensor, each in of_session.items() if each.kind != "base"}


def _later(stage: Stage, feeds: _Feeds) -> set[Operation]:
    """The operations that depend on what a write starts from, or come after such an operation."""
    waits = effect_order(stage.operations, stage.targets)
    later: set[Operation] = set()
    for op in stage.operations:
        before = (*[t.op for t in op.inputs], *op.control_inputs, *waits.get(op, ()))
        if any(each in later for each in before) or any(t in feeds.bases for t in op.inputs):
            later.add(op)
    return later


def _part(stage: Stage, operations: Sequence[Operation]) -> Stage:
    """The stage with some of its operations only, and of its targets and claims those that are about them."""
    inside = set(operations)
    pinned = [i for i, t in enumerate(stage.pinned) if t.op in inside]
    return replace(
        stage,
        operations=tuple(operations),
        targets=tuple([op for op in stage.targets if op in inside]),
        pinned=tuple([stage.pinned[i] for i in pinned]),
        pinned_names=tuple([stage.pinned_names[i] for i in pinned]),
    )


def _taken(half: Stage, feeds: _Feeds) -> tuple[int, ...]:
    """The places of the feeds of the caller that a half reads."""
    read = {*[t for op in half.operations for t in op.inputs], *half.fetches}
    return tuple([i for i, tensor in enumerate(feeds.of_caller) if tensor in read])


def _first(stage: Stage, later: set[Operation], fetches: Sequence[Tensor], feeds: _Feeds) -> Stage:
    """The stage of what comes before the updates."""
    part = _part(stage, [op for op in stage.operations if op not in later])
    copy = Rebuild(replace(part, fetches=tuple(fetches), state=tuple(feeds.others.values()), written=()))
    for op in part.operations:
        copy.copy(op)
    return copy.finish()  # what only a later operation waited for stays if it may fail


def _second(
    stage: Stage, later: set[Operation], handed: Sequence[Tensor], fetches: Sequence[Tensor], feeds: _Feeds
) -> tuple[Stage, list[Tensor]]:
    """The stage of the updates, and the feeds that stand for what is handed over."""
    operations = [op for op in stage.operations if op in later or op.opdef.facts.is_constant]
    inside = set(operations)
    copy = Rebuild(
        replace(
            _part(stage, operations),
            fetches=tuple(fetches),
            state=tuple([StateFeed(each.resource) for each in feeds.bases.values()]),
        )
    )
    fed: list[Tensor] = []
    for tensor in handed:
        made = append_placeholder(copy.graph, tensor.dtype, tensor.shape, tensor.op.name, tensor.op.origins)
        copy.replace(tensor, made, for_good=True)
        fed.append(made)
    for op in stage.operations:
        if op in inside:
            copy.copy(op)
        else:
            copy.drop(op)
    return copy.finish(), fed
