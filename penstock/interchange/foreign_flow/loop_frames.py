"""Frames: which nodes belong to which loop, and what the parts of each loop are.

    first -> Enter -> Merge -> Switch -> Exit -> last value
                      ^   \\    | :1
                      |    LoopCond
                      |         v
                NextIteration <- body

An Enter leads into the frame that its attribute names, an Exit out of it; everything between belongs to the frame. A
loop variable is a Merge with a NextIteration among its inputs. An Enter with `is_constant` gives the same value in all
iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from ...graph.common.quick_dataclass import dataclass
from ...graph.serial.error_text import short
from .flow_tree import LoopVariable
from .node_index import MERGE, NEXT_ITERATION, FlowNodes, OutputUse

ENTER = ("Enter", "RefEnter")
EXIT = ("Exit", "RefExit")
SWITCH = ("Switch", "RefSwitch")
TOP = 0
NOWHERE = -1
"""The frame of a node whose frame cannot be told."""


@dataclass(slots=True, eq=False)
class LoopFrame:
    """One frame; the first one is the graph outside of all loops.

    Attributes:
        name: the frame's name.
        outer: the number of the frame around it.
        nodes: its nodes, Enters and Exits included, each after what it needs.
        children: the numbers of the frames directly inside.
        variables: the loop variables.
        invariants: the Enters of constants.
        loop_cond: its LoopCond.
        reason: why it cannot be a loop; None if it can.
    """

    name: str
    outer: int
    nodes: list[int] = field(default_factory=list)
    children: list[int] = field(default_factory=list)
    variables: tuple[LoopVariable, ...] = ()
    invariants: tuple[int, ...] = ()
    loop_cond: int = NOWHERE
    reason: str | None = None

    def refuse(self, reason: str) -> None:
        """Note why this is no loop; the first reason counts."""
        self.reason = self.reason or reason


class LoopFrames:
    """The frames of a graph.

    A graph that was imported twice has two loops in frames of one name, so frames are also told apart by what is
    connected: each Enter begins one, and a node that needs values of two of the same name and place joins them.

    Attributes:
        frames: all of them.
        gives: for each node the frame in which its outputs are.
        leaves: for each Exit the number of the frame that it leads out of.
        refused: nodes that belong to no frame, with the reason.
    """

    def __init__(self, index: FlowNodes, order: Sequence[int]) -> None:
        self._index = index
        self._names = [""]
        self._outers = [NOWHERE]
        self._joined = [TOP]
        self.gives = [NOWHERE] * len(index.nodes)
        self.leaves: dict[int, int] = {}
        self.refused: dict[int, str] = {}
        self._members: dict[int, int] = {}
        self._leaking: list[tuple[set[int], str]] = []
        for number in order:
            self._place(number)
        for number in order:
            for use in index.data[number]:
                if index.is_back_edge(use.node, number) and NOWHERE not in (self.gives[use.node], self.gives[number]):
                    self._join(self.gives[use.node], self.gives[number])
        self._join_parts_without_end()
        self.frames = self._numbered(order)
        for frame in self.frames[1:]:
            self._read_loop(frame)

    def has_place(self, number: int) -> bool:
        """Whether a node belongs to a frame."""
        return number in self._members

    # ---- which frame --------------------------------------------------------------------------

    def _place(self, number: int) -> None:
        index = self._index
        around = {self._found(self.gives[needed]) for needed in index.needs(number)}
        if NOWHERE in around:
            return
        frame = next(iter(around), TOP)
        if not all(self._join(frame, each) for each in around):
            self._leak(number, around)
            return
        frame = self._found(frame)
        type = index.type(number)
        if type in ENTER:
            self._members[number] = self.gives[number] = self._begin(number, frame)
        elif frame == TOP and (type in (*EXIT, *NEXT_ITERATION) or self._repeats(number)):
            self.refused[number] = f"it is a {short(type)} of an iteration outside of any loop"
        elif type in EXIT:
            self._members[number] = self.leaves[number] = frame
            self.gives[number] = self._outers[frame]
        else:
            self._members[number] = self.gives[number] = frame

    def _repeats(self, number: int) -> bool:
        """Whether it is a Merge of a loop variable."""
        return any(self._index.is_back_edge(use.node, number) for use in self._index.data[number])

    def _leak(self, number: int, around: set[int]) -> None:
        names = sorted(short(self._names[f]) if f else "the outer graph" for f in around)
        values = " and ".join(names)
        reason = f"{self._index.name(number)} uses values of {values}; a value leaves a loop through an Exit"
        self.refused[number] = reason
        self._leaking.append((around - {TOP}, reason))

    def _begin(self, number: int, outer: int) -> int:
        attr = self._index.nodes[number].attr("frame_name")
        name = attr.s.decode("utf-8", "backslashreplace") if attr is not None and attr.s is not None else ""
        self._names.append(name)
        self._outers.append(outer)
        self._joined.append(len(self._joined))
        return len(self._joined) - 1

    def _found(self, frame: int) -> int:
        if frame < 0:
            return frame
        while self._joined[frame] != frame:
            self._joined[frame] = self._joined[self._joined[frame]]
            frame = self._joined[frame]
        return frame

    def _join(self, one: int, other: int) -> bool:
        """Let two frames be one; False if they cannot be."""
        pairs = []
        while True:
            one, other = self._found(one), self._found(other)
            if one == other:
                break
            if TOP in (one, other) or self._names[one] != self._names[other]:
                return False
            pairs.append((one, other))
            one, other = self._outers[one], self._outers[other]
        for one, other in pairs:
            self._joined[max(one, other)] = min(one, other)
        return True

    def _join_parts_without_end(self) -> None:
        """Parts of a frame that nothing connects with its LoopCond, such as unused constants, belong to it too."""
        ending: dict[tuple[str, int], set[int]] = {}
        for number, frame in self._members.items():
            if self._index.type(number) == "LoopCond":
                found = self._found(frame)
                ending.setdefault((self._names[found], self._found(self._outers[found])), set()).add(found)
        ends = {frame for each in ending.values() for frame in each}
        for frame in {self._found(frame) for frame in self._members.values()} - ends - {TOP}:
            fitting = ending.get((self._names[frame], self._found(self._outers[frame])), set())
            if len(fitting) == 1:
                self._join(frame, next(iter(fitting)))

    def _numbered(self, order: Sequence[int]) -> list[LoopFrame]:
        """The frames, each after the one around it."""
        found = sorted({self._found(frame) for frame in self._members.values()} | {TOP})
        numbers = {frame: number for number, frame in enumerate(found)} | {NOWHERE: NOWHERE}
        frames = [LoopFrame(self._names[f], numbers[self._found(self._outers[f])]) for f in found]
        for number in order:
            if number in self._members:
                frames[numbers[self._found(self._members[number])]].nodes.append(number)
        for number, frame in enumerate(frames[1:], 1):
            frames[frame.outer].children.append(number)
        self.gives = [numbers[self._found(frame)] for frame in self.gives]
        self.leaves = {node: numbers[self._found(frame)] for node, frame in self.leaves.items()}
        for around, reason in self._leaking:
            for each in around:
                frames[numbers[self._found(each)]].refuse(reason)
        return frames

    # ---- the parts of a loop ------------------------------------------------------------------

    def _read_loop(self, frame: LoopFrame) -> None:
        index = self._index
        conds = [n for n in frame.nodes if index.type(n) == "LoopCond"]
        if len(conds) != 1 or len(index.data[conds[0]]) != 1:
            frame.refuse(f"the frame {short(frame.name)} has {len(conds)} LoopCond nodes; a loop has one")
            return
        frame.loop_cond = conds[0]
        constant: list[int] = []
        first: list[int] = []
        for number in frame.nodes:
            if index.type(number) in ENTER:
                attr = index.nodes[number].attr("is_constant")
                (constant if attr is not None and attr.b else first).append(number)
        frame.invariants = tuple(constant)
        self._read_variables(frame, set(first))

    def _read_variables(self, frame: LoopFrame, first: set[int]) -> None:
        index = self._index
        switches: dict[int, int] = {}
        exits: dict[int, list[int]] = {}
        candidates: list[tuple[int, OutputUse, OutputUse]] = []
        for number in frame.nodes:
            type, data = index.type(number), index.data[number]
            if type in MERGE and any(index.type(use.node) in NEXT_ITERATION for use in data):
                starts = [use for use in data if use.node in first]
                nexts = [use for use in data if index.type(use.node) in NEXT_ITERATION]
                parts = [index.data[use.node] for use in (*starts, *nexts)]
                if len(data) != 2 or len(starts) != 1 or len(nexts) != 1 or not all(parts):
                    frame.refuse(f"{index.name(number)} is no loop variable: it must merge an Enter of the frame and a "
                                 "NextIteration")  # fmt: skip
                    return
                candidates.append((number, index.data[starts[0].node][0], index.data[nexts[0].node][0]))
            elif type in SWITCH and len(data) == 2 and data[1].node == frame.loop_cond:
                switches[data[0].node] = number
            elif type in EXIT:
                exits.setdefault(self._behind_identities(data[0]) if data else NOWHERE, []).append(number)
            elif any(use.node in first for use in data):
                frame.refuse(f"{index.name(number)} uses the first value of a loop variable, which only its Merge can")
                return
        merges = {merge for merge, _, _ in candidates}
        for merge, switch in switches.items():
            if merge not in merges:
                frame.refuse(f"{index.name(switch)} ends with the loop, but what it reads is no loop variable")
                return
        variables = []
        for merge, start, after in candidates:
            own = switches.get(merge)
            leaving = exits.pop(own, []) if own is not None else []
            variables.append(LoopVariable(merge, start, after, own, tuple(leaving)))
        if exits:
            stray = next(iter(exits.values()))[0]
            frame.refuse(f"{index.name(stray)} leaves the loop with what is no loop variable")
        frame.variables = tuple(variables)

    def _behind_identities(self, use: OutputUse) -> int:
        """The Switch that an Exit reads; gradients have Identities between."""
        while self._index.type(use.node) == "Identity" and self._index.data[use.node]:
            (use,) = self._index.data[use.node][:1]
        return use.node if use.output == 0 else NOWHERE
