"""The pipeline: the passes that a run's graph goes through, in order.

A pass takes a `Stage` and returns a `Stage`, the same object if it has nothing to do. It never edits an operation and
never changes a result, and it notes what it did and what it refused. A session can leave passes out; with `verify` each
stage is checked after the pass that made it. Graphs inside ops are stages too: each pass transforms them before the
stage that contains them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Protocol

from ...graph.building.constant_evaluation import known_value
from ...graph.declare.effects import effects_of
from ...graph.model.nesting import any_holds
from ...graph.model.nodes import Operation, Tensor
from ..ir.body_stages import inferred_again, with_bodies
from ..ir.stage import Notes, Rebuild, Stage
from .extended import with_extended
from .fold import FIRST_ALLOWANCE, Fold, KernelFor
from .fuse import Fuse
from .loops import Loops
from .merge import Merge
from .needed_results import with_needed_results
from .order import Order
from .read_once_arrays import with_cleared_elements
from .simplify import Simplify
from .stage_verifier import verify
from .untaken_elements import without_untaken_elements


class Pass(Protocol):
    """One step of the pipeline. `name` is what `SessionConfig.passes` calls it."""

    name: str

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage after this pass."""


ALL_PASSES: tuple[str, ...] = (Fold.name, Loops.name, Merge.name, Simplify.name, Fuse.name, Order.name)


def passes(kernel_for: KernelFor) -> tuple[Pass, ...]:
    """Every pass, in the order in which they run; fold runs twice."""
    first = Fold(kernel_for, FIRST_ALLOWANCE)
    return first, Loops(), Merge(), Simplify(), Fold(kernel_for), Fuse(), Order()


Listener = Callable[[str, Stage, Notes], None]


def optimise(
    stage: Stage,
    kernel_for: KernelFor,
    chosen: Sequence[str] = ALL_PASSES,
    listener: Listener | None = None,
    check: bool = False,
) -> Stage:
    """Run the chosen passes in the order of `ALL_PASSES`.

    Args:
        stage: the first stage.
        kernel_for: gives the function that a run would call for an operation; folding computes constants with it.
        chosen: the names of the passes.
        listener: called after each pass with its name, the new stage and its notes; the second time for a name only if
            something has changed.
        check: True to verify each stage.
    """
    holds = any_holds(stage.operations)
    done: set[str] = set()
    for each in passes(kernel_for):
        if each.name not in chosen or (each.name == Loops.name and not holds):
            continue
        notes = Notes()
        before, stage = stage, _after(each, stage, notes, check, holds)
        if listener is not None and (stage is not before or each.name not in done):
            listener(each.name, stage, notes)
        done.add(each.name)
    return stage


def _after(each: Pass, stage: Stage, notes: Notes, check: bool, holds: bool) -> Stage:
    """The stage after one pass, which transforms bodies first."""
    before = stage
    if holds:
        stage = with_bodies(stage, lambda body: _after(each, body, notes, check, any_holds(body.operations)))
    stage = each.run(stage, notes)
    if check and stage is not before:
        verify(stage, before)
    return stage


# ---- the first stage ----------------------------------------------------------------------------


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
        operations=tuple([op for op in kept if not (op.opdef.facts.must_feed and op.outputs[0] in cut)]),
        feeds=tuple(fed),
        fetches=tuple(tensors),
        targets=tuple(op for op in operations if not (op.opdef.facts.must_feed and op.outputs[0] in cut)),
        pinned=pinned,
        pinned_names=tuple(t.name for t in pinned),
        # A claim about a placeholder (`x.set_shape`) relates dimension names, so it holds wherever they are used.
        equations=tuple(
            (dim, size, op.name) for op, dim, size in graph.equations if op in inside or op.opdef.facts.must_feed
        ),
    )
    if any(not op.opdef.is_pure and effects_of(op).uses_objects for op in stage.operations):
        stage = without_untaken_elements(stage)
    if any_holds(stage.operations):
        stage = with_cleared_elements(with_needed_results(with_extended(stage)))
    elif any(op.opdef.facts.uses_up for op in stage.operations):
        stage = with_cleared_elements(stage)
    if all(t.op.opdef.facts.must_feed for t in fed):
        return stage
    return _inferred_from_feeds(stage)


def loops_over_rows(
    fetches: Sequence[Tensor], fed: Sequence[Tensor]
) -> tuple[tuple[Operation, ...], tuple[Tensor, ...], tuple[Tensor, ...]]:
    """The operations that a run needs, what it fetches, and its feeds, after the pass of loops alone.

    TensorArrays that are read and written at the position of a loop are rows and stacks then, which formats of other
    systems have.
    """
    stage = _after(Loops(), first_stage(fetches, (), fed), Notes(), False, True)
    return stage.operations, stage.fetches, stage.feeds


def _tells_only_its_shape(tensor: Tensor) -> bool:
    """Whether no shape depends on what is fed for a result: floats of known sizes, whose value no rule knew.

    All shapes can stay then. Inferring them again would lose what the graph says beyond the rules, as of gradients.
    """
    return tensor.shape.is_known and tensor.dtype.is_floating and known_value(tensor) is None


def _inferred_from_feeds(stage: Stage) -> Stage:
    """The stage with placeholders for fed results, and the shapes that follow from them."""
    copy = Rebuild(stage)
    again = not all(t.op.opdef.facts.must_feed or _tells_only_its_shape(t) for t in stage.feeds)
    feeds: list[Tensor] = []
    for tensor in stage.feeds:
        fed = tensor
        if not tensor.op.opdef.facts.must_feed:
            fed = copy.placeholder_for(tensor)
            copy.replace(tensor, fed, for_good=True)
        feeds.append(fed)
    for op in stage.operations:
        bodies = inferred_again(op, copy.new) if op.opdef.bodies and again else None
        copy.copy(op, infer_again=again, bodies=bodies)
    return replace(copy.finish(), feeds=tuple(feeds))
