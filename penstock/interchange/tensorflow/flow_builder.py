"""`If` and `While` from the tree of a graph's control flow (`interchange.foreign_flow`).

    cond/Switch ... cond/Merge     If "cond", and an Identity "cond/Merge" of its result
    while/Enter ... while/Exit     While "while", and an Identity "while/Exit" of the last value

So what programs fetch keeps its name. What is inside has a name only inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.dtypes import bool_
from ...graph.nodes import Operation, Tensor
from ...graph.serial.error_text import short
from ...graph.serial.loaded_origins import LoadedOrigin
from ...graph.shape import TensorShape
from ...graph.subgraph import SubGraph
from ..foreign_flow.flow_tree import Block, Conditional, Loop, LoopVariable, Merged
from ..foreign_flow.node_index import Use
from .body_builder import arguments, finished, new_body, read_block, settled_body
from .foreign_node import add_operation, outputs_of
from .import_errors import naming
from .import_scope import Handle, Kept, Made, Scope, Value
from .tensor_proto import Unsupported

FALSE, TRUE = 0, 1


def build_flow(scope: Scope, item: Conditional | Loop) -> None:
    """Add a conditional or a loop.

    Raises:
        Unsupported: something inside has no counterpart here. GraphFormatError: something is damaged.
    """
    number = item.predicate.node if isinstance(item, Conditional) else item.variables[0].merge if item.variables else 0
    with naming(scope, number):
        if isinstance(item, Conditional):
            _Branches(scope, item).build()
        else:
            _Iterations(scope, item).build()


def nodes_in(block: Block) -> list[int]:
    """The nodes of a block and of all blocks inside it."""
    found: list[int] = []
    for item in block.items:
        if isinstance(item, int):
            found.append(item)
        elif isinstance(item, Conditional):
            found += [merged.node for merged in item.results]
            for branch in item.branches:
                found += nodes_in(branch)
        else:
            found += [n for v in item.variables for n in (v.merge, *v.exits)]
            found += [*item.invariants, *nodes_in(item.cond), *nodes_in(item.body)]
    return found


def _identity(scope: Scope, node: int, value: Tensor) -> Made:
    """An Identity that has the name of a node."""
    proto = scope.index.nodes[node]
    waits = [scope.operation(each) for each in scope.index.controls[node]]
    controls = tuple([op for op in waits if op is not None])
    name = scope.prefix + proto.name
    return outputs_of(add_operation(scope, name, "Identity", (value,), controls, proto.device, _origin(scope, node)))


def _origin(scope: Scope, node: int) -> LoadedOrigin:
    return LoadedOrigin(scope.state.file, node + 1, scope.index.nodes[node].op)


class _Branches:
    """The building of one conditional."""

    def __init__(self, scope: Scope, item: Conditional) -> None:
        self._scope = scope
        self._item = item
        first = item.results[0].node if item.results else item.predicate.node
        self._origin = _origin(scope, first)
        self._name = scope.prefix + (scope.index.nodes[first].name.rpartition("/")[0] or "cond")
        # A Merge has a second output: which of its inputs it gives.
        self._numbers = [m for m in item.results if Use(m.node, 1) in scope.index.second_outputs]

    def build(self) -> None:
        """Add an If, or several where there are more than two branches, and an Identity for each result."""
        scope, item = self._scope, self._item
        if not scope.is_inside and not item.results and not item.kept:
            return  # nothing outside can make it run
        predicate = scope.tensor(item.predicate)
        if len(item.branches) == 2:
            op = self._if(scope, predicate, [TRUE], [FALSE])
        else:
            op = self._chosen(scope, self._clipped(scope, predicate), list(range(len(item.branches))))
        for block in item.branches:
            scope.holders.update(dict.fromkeys(nodes_in(block), op))
        numbers = iter(op.outputs[len(item.results) :])
        for merged, value in zip(item.results, op.outputs, strict=False):
            made = _identity(scope, merged.node, value)
            scope.made[merged.node] = Made(made.op, (*made.outputs, next(numbers) if merged in self._numbers else None))
        for (branch, use), value in zip(item.kept, numbers, strict=False):
            scope.made.setdefault(use.node, _KeptOutputs()).put(use.output, Kept(value, self._likes[branch, use]))

    _likes: dict[tuple[int, Use], Any]
