"""The control flow of a graph as data: blocks of nodes, conditionals and loops, each inside the other.

    while/Enter ... while/Exit     FlowLoop(variables, cond=FlowBlock(while/Less), body=FlowBlock(while/add, ...))
    cond/Switch ... cond/Merge     Conditional(predicate=p, branches=(FlowBlock(cond/sub), FlowBlock(cond/add)),
                                               results=(cond/Merge,))

A node is its number in a `FlowNodes`. `lifting` makes this tree of the nodes, and
`interchange.tensorflow.bodies.flow_builder` makes If and While of it.
"""

from __future__ import annotations

from dataclasses import field
from typing import TypeAlias

from ...graph.common.quick_dataclass import dataclass
from .node_index import FlowNodes, OutputUse

Item: TypeAlias = "int | Conditional | FlowLoop"


@dataclass(frozen=True, slots=True)
class FlowBlock:
    """What runs together, each item after what it needs."""

    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """A Merge: a result of a conditional.

    Attributes:
        node: the Merge.
        inputs: what it gives, one for each branch.
        places: which of its own inputs each of these is, what its second output says.
    """

    node: int
    inputs: tuple[OutputUse, ...]
    places: tuple[int, ...]


@dataclass(slots=True, eq=False)
class Conditional:
    """Blocks of which one runs.

    Attributes:
        predicate: a bool, or the number of the branch where there are more than two.
        branches: for false and true, or by number; a number outside of the range means the last one.
        results: the Merges.
        kept: values of branches that a later conditional on the same predicate uses.
    """

    predicate: OutputUse
    branches: tuple[FlowBlock, ...]
    results: tuple[Merged, ...]
    kept: list[tuple[int, OutputUse]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LoopVariable:
    """A loop variable.

    Attributes:
        merge: the Merge, whose value is that at the beginning of an iteration.
        first: its value before the loop.
        next: what NextIteration gives to the next iteration.
        switch: the Switch between the body (output 1) and the exit (output 0); None where neither needs it.
        exits: the Exits that give its last value.
    """

    merge: int
    first: OutputUse
    next: OutputUse
    switch: int | None
    exits: tuple[int, ...]


@dataclass(slots=True, eq=False)
class FlowLoop:
    """A loop: one frame.

    Attributes:
        frame: the name of the frame.
        variables: the loop variables.
        invariants: the Enters of values that are the same in all iterations.
        predicate: what the LoopCond reads.
        cond: what runs before each iteration and once more at the end.
        body: what runs in each iteration.
        both: nodes of `cond` that the body computes again because it uses them.
    """

    frame: str
    variables: tuple[LoopVariable, ...]
    invariants: tuple[int, ...]
    predicate: OutputUse
    cond: FlowBlock
    body: FlowBlock
    both: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class FlowTree:
    """The whole graph.

    Attributes:
        index: its nodes.
        top: what runs.
        aliases: what Switches stand for: node -> its data.
        refused: node -> why its control flow cannot be said with conditionals and loops.
        waiting: nodes that need refused ones.
    """

    index: FlowNodes
    top: FlowBlock
    aliases: dict[int, OutputUse] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    waiting: tuple[int, ...] = ()
