"""What the tests of passes share: a stage, a pass run on it, what it noted, and runs with chosen passes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.model.nodes import Operation, Tensor
from penstock.runtime.execution.bind import kernel_for
from penstock.runtime.ir.stage import Notes, Stage
from penstock.runtime.passes.known_sizes import with_known_sizes
from penstock.runtime.passes.pipeline import Pass, first_stage, optimise, passes
from penstock.runtime.passes.stage_verifier import verify
from penstock.runtime.planning.plan import Plan
from penstock.runtime.planning.planner import make_plan

from ...op_samples import same


def stage_of(
    fetches: Tensor | Sequence[Tensor], feeds: Sequence[Tensor] = (), targets: Sequence[Operation] = ()
) -> Stage:
    """What the passes start from."""
    return first_stage([fetches] if isinstance(fetches, Tensor) else list(fetches), targets, tuple(feeds))


def after(name: str, stage: Stage) -> tuple[Stage, Notes]:
    """The stage after the pass of that name, verified, and its notes."""
    return apply(next(p for p in passes(kernel_for) if p.name == name), stage)


def apply(one: Pass, stage: Stage) -> tuple[Stage, Notes]:
    """The stage after a pass, verified, and its notes."""
    notes = Notes()
    made = one.run(stage, notes)
    verify(made, stage)
    return made, notes


def plan_of_run(fetches: Sequence[Tensor], feeds: Mapping[Tensor, Any]) -> Plan:
    """The plan that a session makes for the shapes of these feeds when they have come often."""
    stage = with_known_sizes(stage_of(fetches, list(feeds)), [np.shape(value) for value in feeds.values()])
    return make_plan(optimise(stage, kernel_for), [t.name for t in feeds], tf.SessionConfig())


def types(stage: Stage) -> list[str]:
    """The types of the operations, in order, without constants."""
    return [op.type for op in stage.operations if op.type != "Const"]


def names(stage: Stage) -> list[str]:
    """The names of the operations, in order."""
    return [op.name for op in stage.operations]


def run(
    fetches: Sequence[Tensor], feeds: Mapping[Tensor, Any], passes: tuple[str, ...] | None, verify: bool = True
) -> list[Any]:
    """The values, with these passes."""
    config = tf.SessionConfig(passes=passes, verify=verify)
    with tf.Session(graph=fetches[0].graph, config=config) as session:
        found: list[Any] = session.run(list(fetches), dict(feeds))
    return found


def unlike(fetches: Sequence[Tensor], got: Sequence[Any], want: Sequence[Any]) -> list[str]:
    """The names of the fetches whose values differ, all NaNs counting as one."""
    return [t.name for t, a, b in zip(fetches, got, want, strict=True) if not same(a, b)]
