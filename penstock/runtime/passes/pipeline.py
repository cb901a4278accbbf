"""Which passes does a run's graph go through, and in which order?

One tuple. A pass takes a `Stage` and returns a `Stage`: the same object if it has nothing to do. It never edits an
operation, never changes a result, and says in its notes what it did and what it refused. A session can leave passes
out; with `verify` each stage is checked after the pass that made it. The graphs inside ops are stages too, and go
through each pass before the stage that they are in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ...graph.subgraph import any_holds
from ..ir.body_stages import with_bodies
from ..ir.stage import Notes, Stage
from .fold import Fold
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


PASSES: tuple[Pass, ...] = (Fold(), Merge(), Simplify(), Fuse(), Order())
ALL_PASSES: tuple[str, ...] = tuple(p.name for p in PASSES)

Listener = Callable[[str, Stage, Notes], None]


def optimise(
    stage: Stage, chosen: Sequence[str] = ALL_PASSES, listener: Listener | None = None, check: bool = False
) -> Stage:
    """Run the chosen passes in the order of `PASSES`; `listener` hears of each with the stage it made and its notes."""
    holds = any_holds(stage.operations)
    for each in PASSES:
        if each.name not in chosen:
            continue
        notes = Notes()
        stage = _after(each, stage, notes, check, holds)
        if listener is not None:
            listener(each.name, stage, notes)
    return stage


def _after(each: Pass, stage: Stage, notes: Notes, check: bool, holds: bool) -> Stage:
    """The stage after one pass, which looks into bodies first."""
    before = stage
    if holds:
        stage = with_bodies(stage, lambda body: _after(each, body, notes, check, any_holds(body.operations)))
    stage = each.run(stage, notes)
    if check and stage is not before:
        verify(stage, before)
    return stage
