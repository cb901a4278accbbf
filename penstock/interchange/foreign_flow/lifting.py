"""Lifting: the tree of conditionals and loops that the nodes of a graph are.

Each frame is lifted on its own, the innermost first; a loop is then one item of the frame around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.model.subgraph import DEEPEST
from .block_order import OrderedBlocks
from .flow_tree import FlowLoop, FlowTree
from .frame_parts import FrameParts
from .loop_frames import ENTER, EXIT, TOP, LoopFrame, LoopFrames
from .node_index import NEXT_ITERATION, FlowNodes, OutputUse


def lifted(nodes: Sequence[Any]) -> FlowTree:
    """The tree of a graph's nodes.

    Raises:
        GraphFormatError: a name occurs twice, an input is no node, or nodes need each other in a circle.
    """
    index = FlowNodes(nodes)
    return Lifting(index).tree()


class Lifting:
    """The lifting of one graph."""

    def __init__(self, index: FlowNodes) -> None:
        self.index = index
        self.order = index.order()
        self.place = {number: place for place, number in enumerate(self.order)}
        self.frames = LoopFrames(index, self.order)
        self.refused = dict(self.frames.refused)
        self.aliases: dict[int, OutputUse] = {}
        self.loops: dict[int, FlowLoop] = {}

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
                own = [n for n in frame.nodes if self.index.type(n) in (*ENTER, *EXIT, *NEXT_ITERATION, "LoopCond")]
                own += [n for variable in frame.variables for n in (variable.merge, variable.switch) if n is not None]
                self.refused.update(dict.fromkeys(own, frame.reason))
        parts = FrameParts(self, frames[TOP])
        blocks = OrderedBlocks(parts, parts.items)
        block = blocks.lift()
        blocks.keep([])
        placed = blocks.paths.keys() | blocks.light | self.refused.keys() | self.aliases.keys()
        waiting = [n for n in parts.numbers if n not in placed]
        # What is inside a refused loop has no place in the tree either.
        waiting += [n for n in range(len(self.index.nodes)) if not self.frames.has_place(n) and n not in self.refused]
        waiting += [n for f in frames[1:] if f.reason is not None for n in f.nodes if n not in self.refused]
        return FlowTree(self.index, block, self.aliases, self.refused, tuple(sorted(set(waiting))))

    def _lift_loop(self, number: int, frame: LoopFrame) -> None:
        index = self.index
        parts = FrameParts(self, frame)
        predicate = parts.states.data(index.data[frame.loop_cond][0])
        in_body = parts.after({v.switch for v in frame.variables if v.switch is not None})
        in_body -= parts.tails
        if parts.reads_switch(in_body, frame):
            return
        nexts = [parts.states.data(v.next) for v in frame.variables]
        first = [item for item in parts.items if item not in in_body and item not in parts.tails]
        wanted = parts.needed_by([parts.item_of(predicate.node)])
        if any(item in in_body for item in wanted):
            frame.refuse(f"the condition of the frame {frame.name!r} needs what the body computes")
            return
        loose = [item for item in first if item not in wanted]  # what neither part needs stands in the body
        needed = parts.needed_by([*[parts.item_of(use.node) for use in nexts], *in_body, *loose])
        both = {item for item in needed if item not in in_body}
        cond = OrderedBlocks(parts, [item for item in first if item in wanted])
        body = OrderedBlocks(parts, [item for item in parts.items if item in in_body or item in both])
        halves = cond.lift(), body.lift()
        cond.keep([predicate])
        body.keep(nexts)
        for blocks, uses in ((cond, [predicate]), (body, nexts)):
            for use in uses:
                item = parts.item_of(use.node)
                if item in parts.known and item not in blocks.paths:
                    frame.refuse(parts.why_not(item))
                    return
        self.loops[number] = FlowLoop(
            frame.name, frame.variables, frame.invariants, predicate, *halves,
            frozenset(item for item in both if item >= 0 and item in cond.paths),
        )  # fmt: skip


def _depth(frames: Sequence[LoopFrame], number: int) -> int:
    found = 0
    while number > 0:
        number, found = frames[number].outer, found + 1
    return found
