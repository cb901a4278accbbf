"""Lifting: the tree of conditionals and loops that the nodes of a graph are.

Each frame is lifted on its own, the innermost first; a loop is then one item of the frame around it. The items of a frame
are put in order greedily. What runs in the current block comes first; where nothing of it is ready, all that is ready in
the branches of one predicate becomes a conditional. So two conditionals that use each other's results in turn become
four, and a value of a branch that a later conditional on the same predicate uses is *kept*. Constants of a branch come
where the first node needs them.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ...graph.subgraph import DEEPEST
from ..tensorflow.messages import NodeProto
from .branch_states import BranchStates
from .flow_tree import Block, Conditional, FlowTree, Item, Loop, Merged
from .loop_frames import ENTER, EXIT, TOP, Frame, LoopFrames
from .node_index import NEXT_ITERATION, NodeIndex, Use

Path: TypeAlias = "tuple[tuple[Conditional, int], ...]"


def lifted(nodes: Sequence[NodeProto]) -> FlowTree:
    """The tree of a graph's nodes.

    Raises:
        GraphFormatError: a name occurs twice, an input is no node, or nodes need each other in a circle.
    """
    index = NodeIndex(nodes)
    return _Lifting(index).tree()


class _Lifting:
    """The lifting of one graph."""

    def __init__(self, index: NodeIndex) -> None:
        self.index = index
        self.order = index.order()
        self.place = {number: place for place, number in enumerate(self.order)}
        self.frames = LoopFrames(index, self.order)
        self.refused = dict(self.frames.refused)
        self.aliases: dict[int, Use] = {}
        self.loops: dict[int, Loop] = {}

    def tree(self) -> FlowTree:
        """The tree of the whole graph."""
        frames = self.frames.frames
        for number in range(len(frames) - 1, 0, -1):  # a frame has a higher number than the one around it
            frame = frames[number]
            if _depth(frames, number) > DEEPEST:
                frame.refuse(f"it is inside more than {DEEPEST} loops")
            if frame.reason is None:
                self._lift_loop(number, frame)
            if frame.reason is not None:
                parts = [n for n in frame.nodes if self.index.type(n) in (*ENTER, *EXIT, *NEXT_ITERATION, "LoopCond")]
                parts += [n for variable in frame.variables for n in (variable.merge, variable.switch) if n is not None]
                self.refused.update(dict.fromkeys(parts, frame.reason))
        parts = _FrameParts(self, frames[TOP])
        blocks = _Blocks(parts, parts.items)
        block = blocks.lift()
        blocks.keep([])
        placed = blocks.paths.keys() | blocks.light | self.refused.keys() | self.aliases.keys()
        waiting = [n for n in parts.numbers if n not in placed]
        # What is inside a refused loop has no place in the tree either.
        waiting += [n for f in frames[1:] if f.reason is not None for n in f.nodes if n not in self.refused]
        return FlowTree(self.index, block, self.aliases, self.refused, tuple(sorted(set(waiting))))

    def _lift_loop(self, number: int, frame: Frame) -> None:
        index = self.index
        parts = _FrameParts(self, frame)
        predicate = parts.states.data(index.data[frame.loop_cond][0])
        in_body = parts.after({v.switch for v in frame.variables if v.switch is not None})
        in_body -= parts.tails
        if parts.reads_switch(in_body, frame):
            return
        nexts = [parts.states.data(v.next) for v in frame.variables]
        needed = parts.needed_by([*[parts.item_of(use.node) for use in nexts], *in_body])
        both = {item for item in needed if item not in in_body}
        first = [item for item in parts.items if item not in in_body and item not in parts.tails]
        wanted = parts.needed_by([parts.item_of(predicate.node)])
        if any(item in in_body for item in wanted):
            frame.refuse(f"the condition of the frame {frame.name!r} needs what the body computes")
            return
        cond = _Blocks(parts, [item for item in first if item in wanted or item not in both])
        body = _Blocks(parts, [item for item in parts.items if item in in_body or item in both])
        made = cond.lift(), body.lift()
        cond.keep([predicate])
        body.keep(nexts)
        for blocks, uses in ((cond, [predicate]), (body, nexts)):
            for use in uses:
                item = parts.item_of(use.node)
                if item in parts.known and item not in blocks.paths:
                    frame.refuse(parts.why_not(item))
                    return
        self.loops[number] = Loop(
            frame.name, frame.variables, frame.invariants, predicate, *made,
            frozenset(item for item in both if item >= 0 and item in cond.paths),
        )  # fmt: skip


def _depth(frames: Sequence[Frame], number: int) -> int:
    found = 0
    while number > 0:
        number, found = frames[number].outer, found + 1
    return found


class _FrameParts:
    """The items of one frame: nodes by number, and the loops inside it as ~(number of the frame)."""

    def __init__(self, lifting: _Lifting, frame: Frame) -> None:
        self.lifting = lifting
        self.index = lifting.index
        self.frame = frame
        own = {n for v in frame.variables for n in (v.merge, v.switch) if n is not None}
        self.given = {n for n in frame.nodes if self.index.type(n) in ENTER and n in frame.nodes} if frame.name else set()
        skipped = own | self.given | {frame.loop_cond}
        ends = {n for n in frame.nodes if lifting.frames.leaves.get(n) is not None}
        self.numbers = [n for n in frame.nodes if n not in skipped and n not in ends
                        and self.index.type(n) not in NEXT_ITERATION and n not in lifting.refused]  # fmt: skip
        self.children = {~child: lifting.loops[child] for child in frame.children if child in lifting.loops}
        self.states = BranchStates(self.index, lifting.aliases, lifting.refused)
        self.states.states.update(dict.fromkeys(skipped, ()))
        self._entering = {~child: [n for n in lifting.frames.frames[child].nodes if self.index.type(n) in ENTER]
                          for child in frame.children}  # fmt: skip
        self._raw: dict[int, set[int]] = {}
        self.known = {*self.numbers, *self.children}
        self.items = [item for item in self._in_order() if item < 0 or item not in lifting.aliases]
        self.tails = self._tails()

    def item_of(self, node: int) -> int:
        """The item to which a node belongs."""
        leaves = self.lifting.frames.leaves.get(node)
        return node if leaves is None else ~leaves

    def uses(self, item: int) -> list[Use]:
        """What an item reads."""
        if item >= 0:
            return list(self.index.data[item])
        return [use for enter in self._entering[item] for use in self.index.data[enter]]

    def controls(self, item: int) -> list[int]:
        """The nodes that must run before an item."""
        if item >= 0:
            return list(self.index.controls[item])
        return [node for enter in self._entering[item] for node in self.index.controls[enter]]

    def place(self, item: int) -> int:
        """The place of an item in the order of the graph."""
        return self.lifting.place[item if item >= 0 else self._entering[item][0]]

    def _in_order(self) -> list[int]:
        """The items whose state can be told, in an order that can run; their states are told on the way."""
        states, place = self.states, self.place
        needs = {item: {self.item_of(n) for n in (*[u.node for u in self.uses(item)], *self.controls(item))}
                 - states.states.keys() for item in self.known}  # fmt: skip
        consumers: dict[int, list[int]] = {}
        for item, found in needs.items():
            for needed in found:
                consumers.setdefault(needed, []).append(item)
        waiting = {item: len(found) for item, found in needs.items()}
        ready = [(place(item), item) for item, count in waiting.items() if not count]
        heapq.heapify(ready)
        made: list[int] = []
        while ready:
            _, item = heapq.heappop(ready)
            if item >= 0:
                states.tell(item)
                if item not in states.states:
                    continue
            else:
                self._tell_loop(item)
            made.append(item)
            for consumer in consumers.get(item, ()):
                waiting[consumer] -= 1
                if not waiting[consumer]:
                    heapq.heappush(ready, (place(consumer), consumer))
        return made

    def _tell_loop(self, item: int) -> None:
        state = self.states.together(self.uses(item), self.controls(item))
        self.states.states[item] = state
        for variable in self.children[item].variables:
            for node in variable.exits:
                self.states.states[node] = state

    def state(self, item: int) -> tuple[tuple[Use, int], ...] | None:
        """The state of an item."""
        return self.states.states[item]

    def needs(self, item: int) -> set[int]:
        """The items that must come before an item, Switches left out."""
        states = self.states
        found = {states.data(use).node for use in self.uses(item)}
        for node in self.controls(item):
            found.add(states.data(Use(node)).node)
        found.update(predicate.node for predicate, _ in states.states[item] or ())
        if item in states.merges:
            found.add(states.merges[item][0].node)
        return {self.item_of(node) for node in found} & self.known

    def after(self, starts: set[int]) -> set[int]:
        """The items that need the value of one of these nodes, directly or through others."""
        found: set[int] = set()
        for item in self.items:
            nodes = {use.node for use in self.uses(item)} | set(self.controls(item))
            seen = {self.states.data(Use(node)).node for node in nodes} | nodes
            if seen & starts or any(self.item_of(node) in found for node in seen):
                found.add(item)
        return found

    def needed_by(self, items: Iterable[int]) -> set[int]:
        """These items and all that they need."""
        found: set[int] = set()
        waiting = [item for item in items if item in self.known]
        while waiting:
            item = waiting.pop()
            if item not in found and item in self.states.states:
                found.add(item)
                waiting += self.needs(item)
        return found

    def _tails(self) -> set[int]:
        """The Identities between the Switch of a loop variable and its Exit."""
        ends = {Use(v.switch, 0) for v in self.frame.variables if v.switch is not None}
        found: set[int] = set()
        for item in self.items:
            if item >= 0 and self.index.type(item) == "Identity":
                (use,) = self.index.data[item][:1] or (None,)
                if use in ends or (use is not None and use.node in found):
                    found.add(item)
        return found

    def reads_switch(self, in_body: Collection[int], frame: Frame) -> bool:
        """Whether a node of the body reads what a loop variable is after the loop; the frame is refused then."""
        ends = {Use(v.switch, 0) for v in frame.variables if v.switch is not None}
        for item in in_body:
            if any(use in ends or use.node in self.tails for use in self.uses(item)):
                name = self.index.name(item) if item >= 0 else "a loop"
                frame.refuse(f"{name} uses the last value of a loop variable inside the loop; an Exit leads out of it")
                return True
        return False

    def is_light(self, item: int) -> bool:
        """Whether a node costs nothing and has no effect: a constant, or what only marks a branch."""
        if item < 0 or self.index.type(item) not in ("Const", "Identity", "NoOp"):
            return False
        predicates = {predicate for predicate, _ in self.states.states[item] or ()}
        return all(self.states.root(use) in predicates for use in self.uses(item))

    def why_not(self, item: int) -> str:
        """Why an item has no place in the tree."""
        for each in sorted(self.needed_by([item]) | {item}):
            for node in [each, *[use.node for use in self.uses(each)]]:
                if node in self.lifting.refused:
                    return f"it needs {self.index.name(node)}: {self.lifting.refused[node]}"
        return f"it needs {self.index.name(item) if item >= 0 else 'a loop'}, which cannot run"


@dataclass(slots=True, eq=False)
class _Region:
    """One branch of the conditionals around it, all those on the same predicates together."""

    above: _Region | None
    key: tuple[Use, int] | None
    ready: list[tuple[int, int]] = field(default_factory=list)
    active: dict[tuple[Use, int], _Region] = field(default_factory=dict)
    regions: dict[tuple[Use, int], _Region] = field(default_factory=dict)
    merges: dict[Use, list[int]] = field(default_factory=dict)


class _Blocks:
    """Some items of a frame, put into blocks."""

    def __init__(self, parts: _FrameParts, items: Sequence[int]) -> None:
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
        for item, count in self._waiting.items():
            if not count:
                self._is_ready(item)

    def lift(self) -> Block:
        """The items as a block."""
        return Block(tuple(self._block(self._top, ())))

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
        found: list[Item] = []
        while True:
            while region.ready:
                _, item = heapq.heappop(region.ready)
                found += self._light_before(self._parts.needs(item), path)
                found.append(item if item >= 0 else self._parts.children[item])
                self.paths[item] = path
                self._release(item)
            if not region.active:
                return found
            predicate = min(region.active.values(), key=self._first_place).key
            assert predicate is not None
            found.append(self._conditional(region, predicate[0], path))

    def _first_place(self, region: _Region) -> int:
        places = [region.ready[0][0]] if region.ready else [len(self._parts.index.nodes)]
        return min([*places, *[self._first_place(each) for each in region.active.values()]])

    def _conditional(self, region: _Region, predicate: Use, path: Path) -> Conditional:
        count = self._parts.states.branches[predicate]
        made = Conditional(predicate, (), ())
        self._conditionals.append((made, path))
        branches: list[list[Item]] = [[] for _ in range(count)]
        while keys := [key for key in region.active if key[0] == predicate]:
            for key in keys:
                inner = region.active.pop(key)
                branches[key[1]] += self._block(inner, (*path, (made, key[1])))
        merges = region.merges.pop(predicate, [])
        states = self._parts.states
        made.results = tuple([Merged(m, tuple([states.data(use) for use in states.merges[m][1]])) for m in merges])
        for merged in made.results:
            for branch, use in enumerate(merged.inputs):
                branches[branch] += self._light_before([use.node], (*path, (made, branch)))
        made.branches = tuple([Block(tuple(items)) for items in branches])
        for merge in merges:
            self.paths[merge] = path
            self._release(merge)
        return made

    # ---- kept values --------------------------------------------------------------------------

    def keep(self, results: Sequence[Use]) -> None:
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

    def _keep(self, use: Use, consumer: Path) -> None:
        made = self.paths.get(self._parts.item_of(use.node), ())
        same = 0
        while same < len(made) and same < len(consumer) and made[same] == consumer[same]:
            same += 1
        for conditional, branch in made[same:]:
            if (branch, use) not in conditional.kept:
                conditional.kept.append((branch, use))


