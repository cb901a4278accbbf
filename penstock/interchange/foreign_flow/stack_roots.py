"""Which stack each push and pop of a graph belongs to.

Gradients of TensorFlow's loops push values in the forward loop and pop them in the backward one. The handle of a stack
enters both loops as a constant; its root is the node that makes the stack.
"""

from __future__ import annotations

from collections.abc import Iterable

from .flow_tree import Conditional, FlowBlock, FlowTree
from .loop_frames import ENTER

STACKS = ("Stack", "StackV2")
CHANGES = ("StackPush", "StackPushV2", "StackPop", "StackPopV2")


def stack_roots(tree: FlowTree) -> dict[int, int]:
    """Push or pop -> the node that makes its stack; without those whose handle comes from elsewhere."""
    index = tree.index
    roots: dict[int, int] = {}
    for number in range(len(index.nodes)):
        if index.type(number) not in CHANGES or not index.data[number]:
            continue
        use = index.data[number][0]
        for _ in range(len(index.nodes)):
            if use.node in tree.aliases:
                use = tree.aliases[use.node]
            elif index.type(use.node) in (*ENTER, "Identity") and index.data[use.node]:
                use = index.data[use.node][0]
            else:
                break
        if index.type(use.node) in STACKS:
            roots[number] = use.node
    return roots


def nodes_in(block: FlowBlock) -> list[int]:
    """The nodes of a block and of all blocks inside it."""
    nodes: list[int] = []
    for item in block.items:
        if isinstance(item, int):
            nodes.append(item)
        elif isinstance(item, Conditional):
            nodes += [merged.node for merged in item.results]
            for branch in item.branches:
                nodes += nodes_in(branch)
        else:
            nodes += [n for v in item.variables for n in (v.merge, *v.exits)]
            nodes += [*item.invariants, *nodes_in(item.cond), *nodes_in(item.body)]
    return nodes


def stacks_changed(blocks: Iterable[FlowBlock], roots: dict[int, int]) -> list[int]:
    """The stacks from outside that blocks push to or pop from."""
    if not roots:
        return []
    nodes = [node for block in blocks for node in nodes_in(block)]
    return sorted({roots[node] for node in nodes if node in roots} - set(nodes))
