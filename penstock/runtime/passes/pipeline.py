"""The pipeline: the passes that a run's graph goes through, in order.

A pass takes a `Stage` and returns a `Stage`, the same object if it has nothing to do. It never edits an operation and
never changes a result, and it notes what it did and what it refused. A session can leave passes out; with `verify` each
stage is checked after the pass that made it. Graphs inside ops are stages too: each pass transforms them before the
stage that contains them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ...graph.nesting import any_holds
from ..ir.body_stages import with_bodies
from ..ir.stage import Notes, Stage
from .fold import Fold, KernelFor
from .fuse import Fuse
from .merge import Merge
from .order import Order
from .simplify import Simplify
from .stage_verifier import verify


class Pass(Protocol):
    """One step of the pipeline. `name` is what `SessionConfig.passes` calls it."""

    name: str

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage after this pass."""


ALL_PASSES: tuple[str, ...] = (Fold.name, Merge.name, Simplify.name, Fuse.name, Order.name)


def passes(kernel_for: KernelFor) -> tuple[Pass, ...]:
    """Every pass, in the order in which they run."""
    return Fold(kernel_for), Merge(), Simplify(), Fuse(), Order()


Listener = Callable[[str, Stage, Notes], None]


def optimise(
    stage: Stage,
    kernel_for: KernelFor,
    chosen: Sequence[str] = ALL_PASSES,
    listener: Listener | None = None,
    check: bool = False,
) -> Stage:
    """Run the chosen passes in the order of `ALL_PASSES`.

    kernel_for: gives the function that a run would call for an operation; folding computes constants with it.
    listener: hears of each pass with the stage it made and its notes. check: verify each stage.
    """
    holds = any_holds(stage.operations)
    for each in passes(kernel_for):
        if each.name not in chosen:
            continue
        notes = Notes()
        stage = _after(each, stage, notes, check, holds)
        if listener is not None:
            listener(each.name, stage, notes)
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
