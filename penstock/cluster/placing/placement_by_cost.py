"""Placement by cost: the free operations of a stage go where the run is expected to end first.

    1  Operations become *units*: chains first, then light ones join their single consumer or single producer, until
       few are left. What must be together is one unit; fixed operations of different places never are.
    2  The units are scheduled, the one with the longest way to the end first, each on the worker on which it ends
       first (HEFT: Topcuoglu, Hariri, Wu, 2002). Values that come from another place arrive later, by what the link
       costs.
    3  The result is compared with everything on one worker. What is predicted to end first is taken.

Contracting an edge whose producer has one consumer, or whose consumer has one producer, makes no cycle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...graph.model.nodes import Operation
from ...runtime.ir.stage import Stage
from .places import CLIENT, Link
from .stage_costs import StageCosts

MOST_UNITS = 600
"""So many units are scheduled one by one."""
_PASSES = 40


@dataclass(slots=True)
class PlacedUnit:
    """Operations that are placed together.

    Attributes:
        seconds: their time on one core.
        place: where they must be; None if they are free.
        before: bytes that come from other units, by their number.
        after: bytes that go to other units.
        feeds: bytes that come from each place at the start.
        returns: bytes that go to the client at the end.
        members: how many operations it has.
    """

    seconds: float = 0.0
    place: int | None = None
    before: dict[int, int] = field(default_factory=dict)
    after: dict[int, int] = field(default_factory=dict)
    feeds: dict[int, int] = field(default_factory=dict)
    returns: int = 0
    members: int = 1


def place_by_cost(
    stage: Stage,
    fixed: Mapping[Operation, int],
    together: Mapping[Operation, Operation],
    homes: Sequence[int | None],
    costs: StageCosts,
    workers: Sequence[int],
    link: Link,
) -> dict[Operation, int]:
    """The place of each operation that is no constant.

    Args:
        stage: the operations.
        fixed: places that are decided already.
        together: for operations that must be at one place: the first of their group.
        homes: for each feed the worker that has it; None for what the client has.
        costs: seconds and bytes.
        workers: the workers that may be used.
        link: what connections cost.
    """
    operations = [op for op in stage.operations if not op.opdef.facts.is_constant]
    if not operations:
        return {}
    units, member_of = _units(stage, operations, fixed, together, homes, costs)
    numbers = _coarse(units, link)
    for i, unit in enumerate(member_of):
        member_of[i] = _root(numbers, unit)
    one = _on_one(units, numbers, workers, homes)
    best, best_time = one, _makespan(units, numbers, one, link)
    if len(workers) > 1 and best_time > 2 * link.latency_s:
        spread = _schedule(units, numbers, workers, link)
        if _makespan(units, numbers, spread, link) < best_time * 0.95:
            best = spread
    return {op: best[unit] for op, unit in zip(operations, member_of, strict=True)}


# ---- units --------------------------------------------------------------------------------------


def _units(
    stage: Stage,
    operations: Sequence[Operation],
    fixed: Mapping[Operation, int],
    together: Mapping[Operation, Operation],
    homes: Sequence[int | None],
    costs: StageCosts,
) -> tuple[list[PlacedUnit], list[int]]:
    """A unit for each operation or group of those that must be together, and the unit of each operation."""
    number: dict[Operation, int] = {}
    units: list[PlacedUnit] = []
    sizes, seconds = costs.sizes, costs.seconds
    home_of = {t: (CLIENT if home is None else home) for t, home in zip(stage.feeds, homes, strict=True)}
    for op in operations:
        leader = together.get(op, op)
        at = number.get(leader)
        if at is None:
            at = number[leader] = len(units)
            units.append(PlacedUnit(members=0))
        number[op] = at
        unit = units[at]
        unit.members += 1
        unit.seconds += seconds[op]
        if op in fixed:
            unit.place = fixed[op]
        for tensor in op.inputs:
            home = home_of.get(tensor)
            if home is not None:
                unit.feeds[home] = unit.feeds.get(home, 0) + sizes[tensor]
                continue
            producer = number.get(tensor.op)
            if producer is not None and producer != at:
                unit.before[producer] = unit.before.get(producer, 0) + sizes[tensor]
        for control in op.control_inputs:
            producer = number.get(control)
            if producer is not None and producer != at:
                unit.before.setdefault(producer, 0)
    for at, unit in enumerate(units):
        for producer, size in unit.before.items():
            units[producer].after[at] = size
    for tensor in stage.fetches[: len(stage.fetches) - len(stage.written)]:
        if tensor.op in number and tensor not in home_of:
            units[number[tensor.op]].returns += sizes[tensor]
    return units, [number[op] for op in operations]


def _root(numbers: list[int], unit: int) -> int:
    while numbers[unit] != unit:
        numbers[unit] = numbers[numbers[unit]]
        unit = numbers[unit]
    return unit


def _coarse(units: list[PlacedUnit], link: Link) -> list[int]:
    """Merge units; for each one the number of the unit that it is in now."""
    numbers = list(range(len(units)))
    for turn in range(_PASSES):
        merged, light = 0, turn % 2 == 1  # chains first, then light units
        for at in range(len(units)):
            if numbers[at] != at:
                continue
            unit = units[at]
            is_light = light and unit.seconds < link.latency_s / 8
            if len(unit.after) == 1:
                (other,) = unit.after
                if is_light or len(units[other].before) == 1:
                    merged += _merge(units, numbers, at, other)
                    continue
            if is_light and len(unit.before) == 1:
                (other,) = unit.before
                merged += _merge(units, numbers, at, other)
        if not merged and light:
            break
    left = [at for at in range(len(units)) if numbers[at] == at]
    threshold = link.latency_s / 64
    while len(left) > MOST_UNITS and threshold < 1e6:
        order = _topological(units, left)
        position = {at: i for i, at in enumerate(order)}
        for at in order:
            unit = units[at]
            if numbers[at] != at or unit.seconds > threshold or not unit.before:
                continue
            # Into the last of its producers: edges still lead from earlier to later ones, so there is no cycle.
            last = max(unit.before, key=position.__getitem__)
            _merge(units, numbers, at, last)
        left = [at for at in order if numbers[at] == at]
        threshold *= 4
    return numbers


def _merge(units: list[PlacedUnit], numbers: list[int], gone: int, into: int) -> bool:
    """Merge a unit into another, if their places allow it."""
    one, other = units[gone], units[into]
    if one.place is not None and other.place is not None and one.place != other.place:
        return False
    if one.place is not None and other.place is None and len(other.after) + len(other.before) > 2:
        return False  # a free unit with many neighbours should stay free
    if one.place is None and other.place is not None and one.seconds > 0 and one.members > 1:
        return False
    numbers[gone] = into
    other.place = other.place if other.place is not None else one.place
    other.seconds += one.seconds
    other.members += one.members
    other.returns += one.returns
    for home, size in one.feeds.items():
        other.feeds[home] = other.feeds.get(home, 0) + size
    for near, size in one.before.items():
        del units[near].after[gone]
        if near != into:
            other.before[near] = other.before.get(near, 0) + size
            units[near].after[into] = other.before[near]
    for near, size in one.after.items():
        del units[near].before[gone]
        if near != into:
            other.after[near] = other.after.get(near, 0) + size
            units[near].before[into] = other.after[near]
    one.before, one.after = {}, {}
    return True


def _topological(units: Sequence[PlacedUnit], left: Sequence[int]) -> list[int]:
    waiting = {at: len(units[at].before) for at in left}
    ready = [at for at in left if not waiting[at]]
    order: list[int] = []
    for at in ready:
        order.append(at)
        for near in units[at].after:
            waiting[near] -= 1
            if not waiting[near]:
                ready.append(near)
    if len(order) < len(left):  # merged groups may wait for each other; they run in parts then
        seen = set(order)
        order += [at for at in left if at not in seen]
    return order


# ---- schedules ----------------------------------------------------------------------------------


def _on_one(
    units: Sequence[PlacedUnit], numbers: Sequence[int], workers: Sequence[int], homes: Sequence[int | None]
) -> dict[int, int]:
    """Everything that is free on one worker: the one that has most of what is read."""
    there: dict[int, int] = defaultdict(int)
    for at, unit in enumerate(units):
        if numbers[at] == at:
            for home, size in unit.feeds.items():
                there[home] += size
            if unit.place is not None:
                there[unit.place] += 1 + sum(unit.before.values()) + sum(unit.after.values())
    favourite = max(workers, key=lambda worker: (there.get(worker, 0), -worker))
    return {at: favourite if unit.place is None else unit.place for at, unit in enumerate(units) if numbers[at] == at}


def _ranks(units: Sequence[PlacedUnit], order: Sequence[int], link: Link) -> dict[int, float]:
    """For each unit the time from its start to the end of the run, if all values were sent."""
    rank: dict[int, float] = {}
    for at in reversed(order):
        unit = units[at]
        tail = max((rank.get(near, 0.0) + link.seconds(size) for near, size in unit.after.items()), default=0.0)
        rank[at] = unit.seconds + tail
    return rank


def _schedule(
    units: Sequence[PlacedUnit], numbers: Sequence[int], workers: Sequence[int], link: Link
) -> dict[int, int]:
    left = [at for at in range(len(units)) if numbers[at] == at]
    order = _topological(units, left)
    rank = _ranks(units, order, link)
    position = {at: i for i, at in enumerate(order)}
    free: dict[int, float] = defaultdict(float)
    end: dict[int, float] = {}
    place: dict[int, int] = {}
    for at in sorted(left, key=lambda at: (-rank[at], position[at])):
        unit = units[at]
        choices = workers if unit.place is None else (unit.place,)
        best: tuple[float, float, int] | None = None
        for worker in choices:
            start = max(free[worker], _arrival(unit, worker, place, end, link))
            stop = start + unit.seconds
            back = link.seconds(unit.returns) if unit.returns and worker != CLIENT else 0.0
            if best is None or stop + back < best[0]:
                best = stop + back, stop, worker
        assert best is not None
        place[at], end[at], free[best[2]] = best[2], best[1], best[1]
    return place


def _arrival(unit: PlacedUnit, worker: int, place: Mapping[int, int], end: Mapping[int, float], link: Link) -> float:
    found = max((link.seconds(size) for home, size in unit.feeds.items() if home != worker), default=0.0)
    for near, size in unit.before.items():
        if near in end:  # groups may wait for each other
            found = max(found, end[near] + (0.0 if place[near] == worker else link.seconds(size)))
    return found


def _makespan(units: Sequence[PlacedUnit], numbers: Sequence[int], place: Mapping[int, int], link: Link) -> float:
    """When the run ends if each place runs its units one after the other."""
    left = [at for at in range(len(units)) if numbers[at] == at]
    order = _topological(units, left)
    rank = _ranks(units, order, link)
    free: dict[int, float] = defaultdict(float)
    end: dict[int, float] = {}
    last = 0.0
    for at in sorted(left, key=lambda at: -rank[at]):
        worker = place[at]
        start = max(free[worker], _arrival(units[at], worker, place, end, link))
        end[at] = free[worker] = start + units[at].seconds
        returns = units[at].returns
        last = max(last, end[at] + (link.seconds(returns) if returns and worker != CLIENT else 0.0))
    used = {worker for worker in place.values() if worker != CLIENT}
    return last + link.call_s + 0.3 * link.call_s * max(0, len(used) - 1)
