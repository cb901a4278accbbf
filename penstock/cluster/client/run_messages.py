"""The messages with which a run of a cluster begins: what each worker is to do, and its feeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..placing.cluster_plan import ClusterPlan
from ..placing.places import CLIENT
from ..worker.worker_run import WorkerProgram
from .remote_value import RemoteValue, RemoteValues

EMPTY = WorkerProgram(())
"""What a worker does that only sends on values of variables."""


def messages_of(
    run: int,
    plan: ClusterPlan,
    values: RemoteValues,
    feeds: Mapping[int, Any],
    streams: Mapping[str, Sequence[int]],
    ahead: Mapping[int, Mapping[int, str]],
) -> tuple[dict[int, dict[str, Any]], dict[int, list[Any]]]:
    """The head of the message to each worker, and the arrays in it.

    Args:
        run: the number of the run.
        plan: what every place does.
        values: the session's remote values.
        feeds: arrays, and `RemoteValue`s of variables, by number.
        streams: for each random op (seed, seed2, blocks drawn before).
        ahead: by number and worker: the name of what the worker has of the feeds of this run.
    """
    heads: dict[int, dict[str, Any]] = {}
    arrays: dict[int, list[Any]] = {}

    def head_of(worker: int) -> dict[str, Any]:
        if worker not in heads:
            program = plan.programs.get(worker, EMPTY)
            heads[worker] = {
                "run": run, "program": plan.keys.get(worker, ""), "slots": [], "kept": [], "caches": [],
                "once": [], "forward": [], "uids": [values.new_uid() for _ in program.keeps], "streams": {},
            }  # fmt: skip
            arrays[worker] = []
        return heads[worker]

    for worker in plan.workers:
        head = head_of(worker)
        names = {user for part in plan.programs[worker].parts for _, user in part.streams}
        head["streams"] = {name: list(streams[name]) for name in names}
    for slot, readers in plan.readers.items():
        value = feeds[slot]
        lacking = [place for place in readers if place != CLIENT]
        if isinstance(value, RemoteValue):
            for worker in lacking:
                if worker in value.places:
                    head_of(worker)["kept"].append([slot, value.uid])
            lacking = [place for place in lacking if place not in value.places]
            if lacking:
                if value.places:
                    head_of(min(value.places))["forward"].append([slot, value.uid, lacking])
                for worker in lacking:
                    if not value.places:
                        head_of(worker)["slots"].append(slot)
                        arrays[worker].append(value.here)
                    head_of(worker)["caches"].append([slot, value.uid])
        else:
            there = ahead.get(slot, {})
            for worker in lacking:
                if worker in there:
                    head_of(worker)["once"].append([slot, there[worker]])
                    continue
                head_of(worker)["slots"].append(slot)
                arrays[worker].append(value)
    return heads, arrays
