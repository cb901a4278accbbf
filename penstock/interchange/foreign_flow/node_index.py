"""`FlowNodes`: the nodes of a GraphDef by number, with the numbers of the nodes that each of them needs."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from ...errors import GraphFormatError
from ...graph.common.quick_dataclass import dataclass
from ...graph.serial.error_text import short

NEXT_ITERATION = ("NextIteration", "RefNextIteration")
MERGE = ("Merge", "RefMerge")
_FLOW = ("Switch", "Merge")


@dataclass(frozen=True, slots=True)
class OutputUse:
    """One output of a node: what an input of another one refers to."""

    node: int
    output: int = 0


class FlowNodes:
    """The nodes of a graph or of a function, by their place in the file.

    Attributes:
        nodes: the nodes: messages with `name`, `op`, `inputs` and `attr(name)`, as `tensorflow.messages.NodeProto`.
        numbers: name -> number.
        data: for each node the outputs that it reads.
        controls: for each node those that must run before it.
        awaited_by: for each node that others wait for: those.
        second_outputs: the second outputs of nodes that others read.

    Raises:
        GraphFormatError: a name occurs twice, or an input is no node.
    """

    __slots__ = ("awaited_by", "controls", "data", "nodes", "numbers", "second_outputs")

    def __init__(self, nodes: Sequence[Any]) -> None:
        self.nodes = nodes
        self.numbers: dict[str, int] = {}
        for number, node in enumerate(nodes):
            if self.numbers.setdefault(node.name, number) != number:
                raise GraphFormatError(f"the name {short(node.name)} occurs twice; names are unique")
        self.data: list[tuple[OutputUse, ...]] = []
        self.controls: list[tuple[int, ...]] = []
        self.awaited_by: dict[int, list[int]] = {}
        self.second_outputs: set[OutputUse] = set()
        for node in nodes:
            self.data.append(tuple([self.use(node, text) for text in node.inputs if text[:1] != "^"]))
            self.second_outputs.update([use for use in self.data[-1] if use.output == 1])
            controls = [self.use(node, text[1:]).node for text in node.inputs if text[:1] == "^"]
            for each in controls:
                self.awaited_by.setdefault(each, []).append(len(self.controls))
            self.controls.append(tuple(dict.fromkeys(controls)))

    def use(self, node: Any, text: str) -> OutputUse:
        """The output that an input of `node` refers to: "name" or "name:1"."""
        name, colon, index = text.rpartition(":")
        output = int(index[:9]) if colon and index.isascii() and index.isdigit() else None
        found = self.numbers.get(text if output is None else name)
        if found is None:
            raise GraphFormatError(
                f"node {short(node.name)} has the input {short(text if output is None else name)}, which is no node"
            )
        return OutputUse(found, output or 0)

    def type(self, number: int) -> str:
        """The type of a node; "" of one that our own files have as a part of another."""
        node = self.nodes[number]
        type: str = node.op
        return type if type not in _FLOW or node.attr("_penstock_part") is None else ""

    def name(self, number: int) -> str:
        """The name of a node, as errors show it."""
        return short(self.nodes[number].name)

    def is_back_edge(self, needed: int, consumer: int) -> bool:
        """Whether an edge leads from the end of an iteration to the beginning of the next."""
        return self.type(needed) in NEXT_ITERATION and self.type(consumer) in MERGE

    def needs(self, number: int) -> set[int]:
        """The nodes that must come before one, back edges left out."""
        found = {use.node for use in self.data[number] if not self.is_back_edge(use.node, number)}
        found.update(self.controls[number])
        return found

    def order(self) -> list[int]:
        """The nodes' numbers, inputs first, otherwise as in the file.

        Raises:
            GraphFormatError: nodes need each other in a circle that is no loop.
        """
        consumers: list[list[int]] = [[] for _ in self.nodes]
        waiting = [0] * len(self.nodes)
        for number in range(len(self.nodes)):
            for needed in self.needs(number):
                consumers[needed].append(number)
                waiting[number] += 1
        ready = [number for number, count in enumerate(waiting) if not count]
        order: list[int] = []
        while ready:
            number = heapq.heappop(ready)
            order.append(number)
            for consumer in consumers[number]:
                waiting[consumer] -= 1
                if not waiting[consumer]:
                    heapq.heappush(ready, consumer)
        if len(order) < len(self.nodes):
            stuck = next(node.name for node, count in zip(self.nodes, waiting, strict=True) if count)
            raise GraphFormatError(f"node {short(stuck)} depends on itself through its inputs; a graph has no cycles")
        return order
