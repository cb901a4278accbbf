"""The items of one frame: its nodes and the loops inside it, what they need, and under which conditions they run."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable
from typing import Protocol

from .branch_states import BranchStates
from .flow_tree import FlowLoop
from .loop_frames import ENTER, LoopFrame, LoopFrames
from .node_index import NEXT_ITERATION, FlowNodes, OutputUse


class LiftedSoFar(Protocol):
    """What the frames of a graph share while they are lifted; `lifting` has it."""

    index: FlowNodes
    place: dict[int, int]
    frames: LoopFrames
    refused: dict[int, str]
    aliases: dict[int, OutputUse]
    loops: dict[int, FlowLoop]


class FrameParts:
    """The items of one frame: nodes by number, and the loops inside it as ~(number of the frame)."""

    def __init__(self, shared: LiftedSoFar, frame: LoopFrame) -> None:
        self.shared = shared
        self.index = shared.index
        self.frame = frame
        own = {n for v in frame.variables for n in (v.merge, v.switch) if n is not None}
        entering = {n for n in frame.nodes if self.index.type(n) in ENTER}
        skipped = own | entering | {frame.loop_cond}
        ends = {n for n in frame.nodes if shared.frames.leaves.get(n) is not None}
        self.numbers = [n for n in frame.nodes if n not in skipped and n not in ends
                        and self.index.type(n) not in NEXT_ITERATION and n not in shared.refused]  # fmt: skip
        self.children = {~child: shared.loops[child] for child in frame.children if child in shared.loops}
        self.states = BranchStates(self.index, shared.aliases, shared.refused)
        self.states.states.update(dict.fromkeys(skipped, ()))
        self._entering = {~child: [n for n in shared.frames.frames[child].nodes if self.index.type(n) in ENTER]
                          for child in frame.children}  # fmt: skip
        self._raw: dict[int, set[int]] = {}
        self.known = {*self.numbers, *self.children}
        self.items = [item for item in self._in_order() if item < 0 or item not in shared.aliases]
        self.tails = self._tails()

    def item_of(self, node: int) -> int:
        """The item to which a node belongs."""
        leaves = self.shared.frames.leaves.get(node)
        return node if leaves is None else ~leaves

    def uses(self, item: int) -> list[OutputUse]:
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
        return self.shared.place[item if item >= 0 else self._entering[item][0]]

    def _in_order(self) -> list[int]:
        """The items whose state can be told, in an order that can run; their states are told on the way."""
        states, place = self.states, self.place
        needs = {item: {self.item_of(n) for n in (*[u.node for u in self.uses(item)], *self.controls(item))}
                 - states.states.keys() for item in self.known}  # fmt: skip
        consumers: dict[int, list[int]] = {}
        for item, sources in needs.items():
            for needed in sources:
                consumers.setdefault(needed, []).append(item)
        waiting = {item: len(sources) for item, sources in needs.items()}
        ready = [(place(item), item) for item, count in waiting.items() if not count]
        heapq.heapify(ready)
        order: list[int] = []
        while ready:
            _, item = heapq.heappop(ready)
            if item >= 0:
                states.tell(item)
                if item not in states.states:
                    continue
            else:
                self._tell_loop(item)
            order.append(item)
            for consumer in consumers.get(item, ()):
                waiting[consumer] -= 1
                if not waiting[consumer]:
                    heapq.heappush(ready, (place(consumer), consumer))
        return order

    def _tell_loop(self, item: int) -> None:
        state = self.states.together(self.uses(item), self.controls(item))
        self.states.states[item] = state
        for variable in self.children[item].variables:
            for node in variable.exits:
                self.states.states[node] = state

    def state(self, item: int) -> tuple[tuple[OutputUse, int], ...] | None:
        """The state of an item."""
        return self.states.states[item]

    def needs(self, item: int) -> set[int]:
        """The items that must come before an item, Switches left out."""
        states = self.states
        found = {states.data(use).node for use in self.uses(item)}
        for node in self.controls(item):
            found.add(states.data(OutputUse(node)).node)
        found.update(predicate.node for predicate, _ in states.states[item] or ())
        if item in states.merges:
            found.add(states.merges[item][0].node)
        return {self.item_of(node) for node in found} & self.known

    def after(self, starts: set[int]) -> set[int]:
        """The items that need the value of one of these nodes, or run because of it, directly or through others."""
        found: set[int] = set()
        for item in self.items:
            nodes = {use.node for use in self.uses(item)} | set(self.controls(item))
            seen = {self.states.data(OutputUse(node)).node for node in nodes} | nodes
            seen |= {predicate.node for predicate, _ in self.states.states[item] or ()}  # of the branches that it is in
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
        ends = {OutputUse(v.switch, 0) for v in self.frame.variables if v.switch is not None}
        found: set[int] = set()
        for item in self.items:
            if item >= 0 and self.index.type(item) == "Identity":
                (use,) = self.index.data[item][:1] or (None,)
                if use in ends or (use is not None and use.node in found):
                    found.add(item)
        return found

    def reads_switch(self, in_body: Collection[int], frame: LoopFrame) -> bool:
        """Whether a node of the body reads what a loop variable is after the loop; the frame is refused then."""
        ends = {OutputUse(v.switch, 0) for v in frame.variables if v.switch is not None}
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
                if node in self.shared.refused:
                    return f"it needs {self.index.name(node)}: {self.shared.refused[node]}"
        return f"it needs {self.index.name(item) if item >= 0 else 'a loop'}, which cannot run"
