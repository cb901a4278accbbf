"""Branches: under which conditions each node of a frame runs.

The *state* of a node is a list of (predicate, branch), the outermost first: all of them must hold. A Switch adds one to
each of its outputs, a node has those of all its inputs, control inputs included, and a Merge whose inputs differ in the
last predicate drops it:

    p, x                        ()
    Switch(x, p):1              ((p, 1),)
    mul(Switch(x, p):1, 2)      ((p, 1),)
    Merge(sub, mul)             ()               a result of a conditional on p

A state with two branches of one predicate never holds: what has it is *dead* and never runs.
"""

from __future__ import annotations

from dataclasses import field
from typing import TypeAlias

from ...graph.common.quick_dataclass import dataclass
from ...graph.model.subgraph import DEEPEST
from .loop_frames import SWITCH
from .node_index import MERGE, FlowNodes, OutputUse

State: TypeAlias = tuple[tuple[OutputUse, int], ...]
_IDENTITIES = ("Identity", "RefIdentity")


@dataclass(slots=True)
class BranchStates:
    """The states of the nodes of one frame, told one after the other, each after what it needs.

    Attributes:
        index: the nodes.
        states: node -> state; None of one that is dead. A node that is missing needs one that is refused.
        aliases: Switch -> its data, for all frames; a Merge with one input that is not dead -> that.
        branches: predicate -> number of its branches.
        merges: Merge -> (predicate, inputs by branch).
        refused: node -> why its state cannot be told.
    """

    index: FlowNodes
    aliases: dict[int, OutputUse]
    refused: dict[int, str]
    states: dict[int, State | None] = field(default_factory=dict)
    branches: dict[OutputUse, int] = field(default_factory=dict)
    merges: dict[int, tuple[OutputUse, tuple[OutputUse, ...]]] = field(default_factory=dict)
    _roots: dict[OutputUse, OutputUse] = field(default_factory=dict)
    _switched: dict[int, tuple[State, OutputUse, int]] = field(default_factory=dict)

    def root(self, use: OutputUse) -> OutputUse:
        """Where a value comes from, through Identity and Switch: conditionals on one root are on one predicate."""
        passed = []
        while use not in self._roots:
            alias = self.aliases.get(use.node)
            if alias is None and self.index.type(use.node) in _IDENTITIES and self.index.data[use.node]:
                alias = self.index.data[use.node][0]
            if alias is None:
                break
            passed.append(use)
            use = alias
        found = self._roots.get(use, use)
        self._roots.update(dict.fromkeys(passed, found))
        return found

    def data(self, use: OutputUse) -> OutputUse:
        """What an input refers to, with Switches replaced by what they stand for."""
        while use.node in self.aliases:
            use = self.aliases[use.node]
        return use

    def of_use(self, use: OutputUse) -> State | None:
        """The state of one output."""
        found = self._switched.get(use.node)
        if found is None:
            return self.states[use.node]
        state, predicate, count = found
        return _with(state, predicate, min(use.output, count - 1))

    def together(self, uses: list[OutputUse], controls: list[int]) -> State | None:
        """The state of what needs all of these; None if it is dead."""
        states = [*[self.of_use(use) for use in uses], *[self.states[c] for c in controls]]
        found: State = ()
        for state in sorted([each for each in states if each is not None], key=len, reverse=True):
            if state and state != found[: len(state)]:
                found = (*found, *[each for each in state if each not in found])
        return None if None in states or _contradicts(found) else found

    def tell(self, number: int) -> None:
        """Find the state of a node; what it needs has one."""
        type, data = self.index.type(number), self.index.data[number]
        controls = list(self.index.controls[number])
        if type in MERGE:
            self._merge(number, controls)
            return
        state = self.together(list(data), controls)
        if state is not None and len(state) > DEEPEST:
            self.refused[number] = f"it is inside more than {DEEPEST} conditionals"
            return
        self.states[number] = state
        if state is not None and (type in SWITCH or type == "_SwitchN"):
            self._switch(number, state)

    def _switch(self, number: int, state: State) -> None:
        data = self.index.data[number]
        attr = self.index.nodes[number].attr("num_outs")
        count = 2 if self.index.type(number) in SWITCH else attr.i if attr is not None and attr.i is not None else 0
        if len(data) != 2 or not 1 <= count <= 10_000:
            del self.states[number]
            self.refused[number] = "a Switch has a value and a predicate"
            return
        predicate = self.root(data[1])
        if self.branches.setdefault(predicate, count) != count:
            del self.states[number]
            self.refused[number] = "another Switch with its predicate has another number of branches"
            return
        self._switched[number] = state, predicate, count
        self.aliases[number] = data[0]

    def _merge(self, number: int, controls: list[int]) -> None:
        data = self.index.data[number]
        alive = [(use, state) for use in data if (state := self.of_use(use)) is not None]
        if not alive:
            self.states[number] = None
            return
        if len(alive) == 1:
            self.aliases[number] = alive[0][0]
            self.states[number] = self.together([alive[0][0]], controls)
            return
        (_, state), *others = alive
        if not state or any(each[:-1] != state[:-1] or not each or each[-1][0] != state[-1][0] for _, each in others):
            self.refused[number] = "its inputs are not the branches of one conditional"
            return
        predicate = state[-1][0]
        by_branch = {each[-1][1]: use for use, each in alive}
        if len(by_branch) != len(alive) or len(by_branch) != self.branches[predicate]:
            self.refused[number] = "it does not have one input for each branch of its conditional"
            return
        self.merges[number] = predicate, tuple([by_branch[b] for b in range(len(by_branch))])
        self.states[number] = self.together([], controls) if not state[:-1] else self._joined(state[:-1], controls)

    def _joined(self, state: State, controls: list[int]) -> State | None:
        waits = self.together([], controls)
        found = None if waits is None else (*state, *[each for each in waits if each not in state])
        return None if found is None or _contradicts(found) else found


def _with(state: State, predicate: OutputUse, branch: int) -> State | None:
    found = state if (predicate, branch) in state else (*state, (predicate, branch))
    return None if _contradicts(found) else found


def _contradicts(state: State) -> bool:
    return len({predicate for predicate, _ in state}) < len(state)
