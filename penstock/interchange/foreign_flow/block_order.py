"""The order of a frame's items, and the blocks into which conditionals divide them.

What runs in the current block comes first. Where nothing of it is ready, all that is ready in the branches of one
predicate becomes a conditional. So two conditionals that use each other's results in turn become four, and a value of a
branch that a later conditional on the same predicate uses is *kept*. Constants of a branch come where the first node
needs them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import TypeAlias

from ...graph.common.quick_dataclass import dataclass
from .flow_tree import Conditional, FlowBlock, Item, Merged
from .frame_parts import FrameParts
from .node_index import OutputUse

Path: TypeAlias = "tuple[tuple[Conditional, int], ...]"


@dataclass(slots=True, eq=False)
class _Region:
    """One branch of the conditionals around it, all those on the same predicates together."""

    above: _Region | None
    key: tuple[OutputUse, int] | None
    ready: list[tuple[int, int]] = field(default_factory=list)
    active: dict[tuple[OutputUse, int], _Region] = field(default_factory=dict)
    regions: dict[tuple[OutputUse, int], _Region] = field(default_factory=dict)
    merges: dict[OutputUse, list[int]] = field(default_factory=dict)


class OrderedBlocks:
    """Some items of a frame, put into blocks."""

    def __init__(self, parts: FrameParts, items: Sequence[int]) -> None:
        self._parts = parts
        chosen = set(items)
        self._consumers: dict[int, list[int]] = {}
        self._waiting: dict[int, int] = {}
        self._top = _Region(None, None)
        self.paths: dict[int, Path] = {}
        self.light: set[int] = set()
        self._conditionals: list[tuple[Conditional, Path]] = []
        for item in items:
            if parts.state(item) is None:
                continue  # it never runs
            needed = parts.needs(item) & chosen
            self._waiting[item] = len(needed)
            for each in needed:
                self._consumers.setdefault(each, []).append(item)
        for item in [item for item, count in self._waiting.items() if not count]:  # a light one makes others ready
            self._is_ready(item)

    def lift(self) -> FlowBlock:
        """The items as a block."""
        return FlowBlock(tuple(self._block(self._top, ())))

    def _region(self, item: int) -> _Region:
        region = self._top
        for key in self._parts.state(item) or ():
            found = region.regions.get(key)
            if found is None:
                found = region.regions[key] = _Region(region, key)
            region = found
        return region

    def _is_ready(self, item: int) -> None:
        region = self._region(item)
        merged = self._parts.states.merges.get(item)
        if merged is not None:
            key = merged[0], 0
            region.merges.setdefault(merged[0], []).append(item)
            self._activate(region.regions.setdefault(key, _Region(region, key)))
            return
        if region is not self._top and self._parts.is_light(item):
            self.light.add(item)  # it comes with what needs it
            self._release(item)
            return
        heapq.heappush(region.ready, (self._parts.place(item), item))
        self._activate(region)

    def _activate(self, region: _Region) -> None:
        while region.above is not None and region.key is not None and region.key not in region.above.active:
            region.above.active[region.key] = region
            region = region.above

    def _release(self, item: int) -> None:
        for consumer in self._consumers.get(item, ()):
            self._waiting[consumer] -= 1
            if not self._waiting[consumer]:
                self._is_ready(consumer)

    def _light_before(self, needed: Iterable[int], path: Path) -> list[int]:
        """The light nodes among `needed`, and those that they need, that have no place yet; they get one."""
        found: list[int] = []
        for item in needed:
            if item in self.light and item not in self.paths:
                self.paths[item] = path
                found += [*self._light_before(self._parts.needs(item), path), item]
        return found

    def _block(self, region: _Region, path: Path) -> list[Item]:
        items: list[Item] = []
        while True:
            while region.ready:
                _, item = heapq.heappop(region.ready)
                items += self._light_before(self._parts.needs(item), path)
                items.append(item if item >= 0 else self._parts.children[item])
                self.paths[item] = path
                self._release(item)
            if not region.active:
                return items
            predicate = min(region.active.values(), key=self._first_place).key
            assert predicate is not None
            items.append(self._conditional(region, predicate[0], path))

    def _first_place(self, region: _Region) -> int:
        places = [region.ready[0][0]] if region.ready else [len(self._parts.index.nodes)]
        return min([*places, *[self._first_place(each) for each in region.active.values()]])

    def _conditional(self, region: _Region, predicate: OutputUse, path: Path) -> Conditional:
        count = self._parts.states.branches[predicate]
        conditional = Conditional(predicate, (), ())
        self._conditionals.append((conditional, path))
        branches: list[list[Item]] = [[] for _ in range(count)]
        while keys := [key for key in region.active if key[0] == predicate]:
            for key in keys:
                inner = region.active.pop(key)
                branches[key[1]] += self._block(inner, (*path, (conditional, key[1])))
        merges = region.merges.pop(predicate, [])
        conditional.results = tuple([self._merged(m) for m in merges])
        for merged in conditional.results:
            for branch, use in enumerate(merged.inputs):
                branches[branch] += self._light_before([use.node], (*path, (conditional, branch)))
        conditional.branches = tuple([FlowBlock(tuple(items)) for items in branches])
        for merge in merges:
            self.paths[merge] = path
            self._release(merge)
        return conditional

    def _merged(self, merge: int) -> Merged:
        states = self._parts.states
        uses, data = states.merges[merge][1], self._parts.index.data[merge]
        return Merged(merge, tuple([states.data(use) for use in uses]), tuple([data.index(use) for use in uses]))

    # ---- kept values --------------------------------------------------------------------------

    def keep(self, results: Sequence[OutputUse]) -> None:
        """Note which values of branches are used outside of the conditional; `results` are used by the block itself."""
        parts = self._parts
        for use in results:
            self._keep(use, ())
        for conditional, path in self._conditionals:
            self._keep(conditional.predicate, path)
            for merged in conditional.results:
                for branch, use in enumerate(merged.inputs):
                    self._keep(use, (*path, (conditional, branch)))
        merges = parts.states.merges
        for item, path in list(self.paths.items()):
            for use in () if item in merges else parts.uses(item):
                self._keep(parts.states.data(use), path)

    def _keep(self, use: OutputUse, consumer: Path) -> None:
        made = self.paths.get(self._parts.item_of(use.node), ())
        same = 0
        while same < len(made) and same < len(consumer) and made[same] == consumer[same]:
            same += 1
        for conditional, branch in made[same:]:
            if (branch, use) not in conditional.kept:
                conditional.kept.append((branch, use))


