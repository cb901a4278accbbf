"""The plan of a run over all places as one `Plan`: what tools print, draw and compare with a record.

A worker plans its partitions itself. The client plans them again in the same way, because a plan holds kernels and
cannot be sent; `PlanOutline` is what the worker tells of its plan, and where the two differ, as on a worker with a GPU,
the worker's is taken, without what is inside fused groups.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import as_dtype
from ...runtime.base.session_config import SessionConfig
from ...runtime.execution.bind import kernel_for
from ...runtime.passes.pipeline import ALL_PASSES, first_stage, optimise
from ...runtime.passes.versions import with_versions
from ...runtime.planning.plan import Plan, Slot, SlotInfo, Step
from ...runtime.planning.planner import make_plan
from .cluster_plan import ClusterPlan
from .partition_graph import PartitionGraph

Position = tuple[int, int]
"""(partition, position of the step in its plan)."""


@dataclass(frozen=True, slots=True)
class PlanOutline:
    """The plan of a partition as its worker tells it.

    Attributes:
        steps: (node, op, device, slots that it reads, slots that it writes, slots that it frees).
        slots: the dtype of each slot.
        feeds: the slots of the feeds.
        fetches: the slots of the fetches.
    """

    steps: tuple[tuple[str, str, str, tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...]
    slots: tuple[str, ...]
    feeds: tuple[int, ...]
    fetches: tuple[int, ...]


def outline_of(plan: Plan) -> PlanOutline:
    """The outline of a plan."""
    return PlanOutline(
        tuple([(s.node, s.op, s.device, _ints(s.inputs), _ints(s.outputs), _ints(s.frees)) for s in plan.steps]),
        tuple([info.dtype.name for info in plan.slots]),
        _ints([slot for _, slot in plan.feeds]),
        _ints(plan.fetches),
    )


def outline_data(outline: PlanOutline) -> list[Any]:
    """An outline as plain data."""
    return [outline.steps, outline.slots, outline.feeds, outline.fetches]


def outline_from(data: Sequence[Any]) -> PlanOutline:
    """The outline that `outline_data` described."""
    steps, slots, feeds, fetches = data
    made = [(node, op, device, tuple(reads), tuple(writes), tuple(frees))
            for node, op, device, reads, writes, frees in steps]  # fmt: skip
    return PlanOutline(tuple(made), tuple(slots), tuple(feeds), tuple(fetches))


def _ints(slots: Iterable[int]) -> tuple[int, ...]:
    return tuple([int(slot) for slot in slots])


def partition_plan(made: PartitionGraph, config: SessionConfig, told: PlanOutline | None) -> Plan:
    """The plan of a partition at its worker, which tells `told`; without it, what is expected."""
    stage = first_stage(made.fetches, made.targets, made.feeds)
    stage = with_versions(stage, made.feeds, made.graph.find_anywhere)
    passes = ALL_PASSES if config.passes is None else config.passes
    stage = optimise(stage, kernel_for, passes, check=config.verify)
    plan = make_plan(stage, [t.name for t in made.feeds], config)
    return plan if told is None or outline_of(plan) == told else _told_plan(made, told)


def _told_plan(made: PartitionGraph, told: PlanOutline) -> Plan:
    steps = tuple([
        Step(op, node, tuple(map(Slot, reads)), tuple(map(Slot, writes)),
             tuple([as_dtype(told.slots[slot]) for slot in writes]), tuple(map(Slot, frees)), device)
        for node, op, device, reads, writes, frees in told.steps
    ])  # fmt: skip
    slots = tuple([SlotInfo(as_dtype(name), None) for name in told.slots])
    feeds = tuple([(t.name, Slot(slot)) for t, slot in zip(made.feeds, told.feeds, strict=True)])
    return Plan(slots, feeds, (), steps, tuple(map(Slot, told.fetches)))


class JoinedPlan:
    """The plans of all partitions of a stage, joined."""

    def __init__(
        self, cluster_plan: ClusterPlan, base: Plan, plans: Mapping[int, Plan], name_of: Callable[[int], str]
    ) -> None:
        """The joined plan.

        Args:
            cluster_plan: the partitions.
            base: the plan of the whole stage, for its feeds and variables.
            plans: the plan of each partition.
            name_of: the name of a place, such as "worker 0".
        """
        self.made = cluster_plan
        self.plans = plans
        self._slots: list[SlotInfo] = []
        self._constants: list[tuple[Slot, Any, str]] = []
        self._steps: dict[Position, Step] = {}
        self._taken: set[str] = set()
        of_tensor: dict[Tensor, Slot] = {}
        feeds = []
        names = [name for name, _ in base.feeds]
        if len(names) != len(cluster_plan.stage.feeds):  # feeds that come in parts have names of their own
            names = [tensor.name for tensor in cluster_plan.stage.feeds]
        for tensor, name in zip(cluster_plan.stage.feeds, names, strict=True):
            of_tensor[tensor] = self._new(SlotInfo(tensor.dtype, tensor.shape.raw))
            feeds.append((name, of_tensor[tensor]))
        for partition in cluster_plan.partitions:
            plan = plans[partition.number]
            local = {slot: of_tensor[t] for t, (_, slot) in zip(partition.inputs, plan.feeds, strict=True)}
            local |= {Slot(i): self._new(info) for i, info in enumerate(plan.slots) if i not in local}
            self._constants += [(local[slot], array, device) for slot, array, device in plan.constants]
            of_tensor.update({t: local[slot] for t, slot in zip(partition.outputs, plan.fetches, strict=False)})
            place = name_of(partition.place)
            for position, step in enumerate(plan.steps):
                self._steps[partition.number, position] = self._there(step, local, place)
        fetches = []
        for tensor, source in zip(cluster_plan.stage.fetches, cluster_plan.fetches, strict=True):
            if tensor not in of_tensor:
                of_tensor[tensor] = self._new(SlotInfo(tensor.dtype, tensor.shape.raw))
                self._constants.append((of_tensor[tensor], source, "cpu"))
            fetches.append(of_tensor[tensor])
        self._base = replace(base, slots=tuple(self._slots), feeds=tuple(feeds), constants=tuple(self._constants),
                             steps=(), fetches=tuple(fetches), pinned=())  # fmt: skip
        self.plan = self.in_order(list(self._steps))
        """The plan with the partitions one after the other."""

    def in_order(self, order: Sequence[Position]) -> Plan:
        """The plan with its steps in this order; steps that are not in it come last."""
        known = set(order)
        order = [*order, *[each for each in self._steps if each not in known]]
        at = {each: number for number, each in enumerate(order)}
        kept = {*self._base.fetches, *[slot for slot, _, _ in self._constants]}
        last: dict[Slot, int] = {}
        for number, each in enumerate(order):
            step = self._steps[each]
            last.update(dict.fromkeys((*step.inputs, *step.outputs), number))
        frees: dict[int, list[Slot]] = defaultdict(list)
        for slot, number in last.items():
            if slot not in kept:
                frees[number].append(slot)
        steps = [
            replace(self._steps[each], frees=tuple(sorted(frees[number])),
                    after=tuple(sorted([at[each[0], before] for before in self._steps[each].after])))
            for number, each in enumerate(order)
        ]  # fmt: skip
        return replace(self._base, steps=tuple(steps))

    def _new(self, info: SlotInfo) -> Slot:
        self._slots.append(info)
        return Slot(len(self._slots) - 1)

    def _there(self, step: Step, local: Mapping[Slot, Slot], place: str) -> Step:
        """A step of a partition as one of the whole."""

        def moved(arg: Any) -> Any:
            if isinstance(arg, Slot):
                return local[arg]
            if isinstance(arg, tuple) and any(isinstance(each, Slot) for each in arg):
                return tuple([local[each] if isinstance(each, Slot) else each for each in arg])
            return arg

        name, number = step.node, 0
        while name in self._taken:  # two partitions may each have a group of that name
            number += 1
            name = f"{step.node}.part_{number}"
        self._taken.add(name)
        return replace(step, node=name, args=tuple([moved(arg) for arg in step.args]),
                       outputs=tuple([local[slot] for slot in step.outputs]), device=device_at(place, step.device),
                       donor=None if step.donor is None else local[step.donor],
                       over=tuple([None if slot is None else local[slot] for slot in step.over]))  # fmt: skip


def device_at(place: str, device: str) -> str:
    """The device of a step at a place: "worker 0", "worker 1 gpu", "client"."""
    return place if device == "cpu" else f"{place} {device}"
