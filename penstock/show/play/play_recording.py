"""What Python computes where the play page has no kernel: recorded values by plan and slot.

The graph as written runs once. A step of another plan with the same node has the same values, unless it is a loop or a
branch; if there is none, that plan runs too, from the same random state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from weakref import ref

import numpy as np

from ...errors import OpError
from ...graph.shapes.literal import Array
from ...runtime.execution.executor import Program
from ...runtime.execution.row_major import row_major_copy
from ...runtime.execution.step_listener import OutermostOnly
from ...runtime.planning.plan import Plan, Step
from ...runtime.session.session import Session
from .play_values import NoPageFormError, tensor_data


class _Keeper(OutermostOnly):
    """A listener that keeps the results of some steps as data."""

    calls_user_code = False

    def __init__(self, plan: Plan, wanted: frozenset[int]) -> None:
        self._plan = plan
        self._wanted = wanted
        self.ended: set[int] = set()
        self.kept: dict[int, dict[str, Any]] = {}

    def begin(self, slots: Sequence[Any]) -> None:
        """Nothing is kept before the first step."""

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """Keep the results of a step that is wanted, if a page has a form for them."""
        self.ended.add(position)
        if position not in self._wanted:
            return
        for slot, result in zip(self._plan.steps[position].outputs, results, strict=True):
            try:
                self.kept[int(slot)] = tensor_data(row_major_copy(np.asarray(result)))
            except NoPageFormError:
                continue


def recorded_values(
    player: Session,
    plans: Mapping[str, Plan],
    documents: Mapping[str, dict[str, Any]],
    fed: Mapping[str, Array],
    variables: Mapping[str, Array | None],
) -> dict[str, dict[int, Any]]:
    """The values of the steps that a page cannot run, for each plan by slot.

    documents: the plans as data, in which such a step has "given". One that failed gets "lacks", which says how.
    """
    recordings: dict[str, dict[int, Any]] = {}
    state = player.random_state()
    by_step: dict[Any, list[Any]] = {}
    for name, plan in plans.items():
        lacking = frozenset(k for k, step in enumerate(documents[name]["steps"]) if "given" in step)
        known = {k: by_step[_identity(plan.steps[k])] for k in lacking if _identity(plan.steps[k]) in by_step}
        recordings[name] = {
            int(slot): value
            for k, values in known.items() for slot, value in zip(plan.steps[k].outputs, values, strict=True)
        }  # fmt: skip
        if len(known) == len(lacking):
            continue
        player.set_random_state(state)
        keeper = _Keeper(plan, lacking)
        inputs = [*(fed[each] for each, _ in plan.user_feeds), *_state(plan, variables)]
        failure: OpError | None = None
        try:  # the page computes up to the step that failed, and says what failed
            Program(plan, player.graph.find_anywhere, player.config, ref(player)).run(inputs, keeper)
        except OpError as error:
            failure = error
        failed = min(set(range(len(plan.steps))) - keeper.ended, default=None)
        if failure is not None and failed in lacking:
            documents[name]["steps"][failed]["lacks"] = failure.message.partition("\n")[0]
        recordings[name] |= keeper.kept
        for k in lacking & keeper.ended:
            values = [keeper.kept.get(int(slot)) for slot in plan.steps[k].outputs]
            if None not in values and not any(isinstance(arg, Plan) for arg in plan.steps[k].args):
                by_step[_identity(plan.steps[k])] = values
    return recordings


def _identity(step: Step) -> tuple[Any, ...]:
    """What a step has in common with that of the same node in another plan.

    Loops and branches are not told by it: passes drop results of theirs that nothing reads.
    """
    return step.node, step.op, step.dtypes


def _state(plan: Plan, variables: Mapping[str, Array | None]) -> list[Any]:
    """The state feeds of a plan; each is a copy, which a step may overwrite."""
    given = []
    for each, (_, slot) in zip(plan.state, plan.feeds[len(plan.user_feeds) :], strict=True):
        value, info = variables[each.resource], plan.slots[slot]
        if each.kind == "asks":
            given.append(np.array(value is not None))
        elif value is None:
            given.append(np.zeros([n if isinstance(n, int) else 0 for n in info.shape or ()], info.dtype.np))
        else:
            given.append(value.copy())
    return given
