"""The idea in 100 lines: a lazy graph engine, complete and small enough to hold in the head.

A call such as `add(x, y)` computes nothing. It checks what can be checked, works out the shape of the result, and
writes a node down. Running a graph is a second act: find the nodes that the answer needs, put them in order, compute
each once. Each part below names the module of Penstock that does the same thing properly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

Shape = tuple[int | None, ...]  # None: not known before the run. Properly: penstock/graph/shapes/shape.py, dimension.py

# ---- WHAT to compute: nodes in a graph --------------------------------------------------------------
#
# An op is two functions: one from shapes to a shape, used while the graph is built, and one from arrays to an array,
# used when it runs.   Properly: penstock/graph/declare/op_declaration.py, and one declaration per op in penstock/ops/


@dataclass(frozen=True)
class Op:
    name: str
    shape: Callable[..., Shape]
    kernel: Callable[..., Any]

    def __call__(self, *inputs: Node | float, name: str = "") -> Node:
        """The life of a call: convert, infer, name, append.   Properly: penstock/graph/building/builder.py"""
        graph = next(i.graph for i in inputs if isinstance(i, Node))
        nodes = [i if isinstance(i, Node) else graph.constant(i) for i in inputs]  # penstock/graph/building/convert.py
        shape = self.shape(*(n.shape for n in nodes))  # a bad call stops here and has added nothing
        return graph.append(self, nodes, shape, name or self.name)


@dataclass(frozen=True, eq=False)
class Node:  # A node stands for its value and holds none.   Properly: penstock/graph/model/nodes.py
    graph: Graph
    op: Op
    inputs: list[Node]
    shape: Shape
    name: str

    def __add__(self, other: Node | float) -> Node:  # Operators are calls. Properly: penstock/graph/model/operators.py
        return add(self, other)


class Graph:  # Append-only, so the order of creation is an order to run in.   Properly: penstock/graph/model/nodes.py
    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def append(self, op: Op, inputs: list[Node], shape: Shape, name: str) -> Node:
        taken = {node.name for node in self.nodes}
        unique = next(n for n in [name, *(f"{name}_{i}" for i in range(1, len(taken) + 2))] if n not in taken)
        self.nodes.append(Node(self, op, inputs, shape, unique))
        return self.nodes[-1]

    def placeholder(self, shape: Shape, name: str) -> Node:  # a hole, filled by each run
        return self.append(Op("placeholder", lambda: shape, lambda: None), [], shape, name)

    def constant(self, value: float) -> Node:  # penstock/graph/shapes/literal.py decides dtypes; here NumPy does
        array = np.asarray(value)
        return self.append(Op("const", lambda: array.shape, lambda: array), [], array.shape, "const")


# ---- the vocabulary ---------------------------------------------------------------------------------


def broadcast(a: Shape, b: Shape) -> Shape:
    """The shape rule of everything elementwise: unknown in, unknown out, and what must fail, fails now."""
    wide = max(len(a), len(b))
    pairs = zip((1,) * (wide - len(a)) + a, (1,) * (wide - len(b)) + b, strict=True)
    return tuple(_broadcast_size(x, y) for x, y in pairs)


def _broadcast_size(x: int | None, y: int | None) -> int | None:
    if None in (x, y) or x == y or 1 in (x, y):
        return y if x == 1 else x if y == 1 or x == y else max(x or 0, y or 0) or None
    raise ValueError(f"sizes that differ must contain a 1, but are {x} and {y}")


add = Op("add", broadcast, np.add)
multiply = Op("multiply", broadcast, np.multiply)
total = Op("total", lambda x: (), np.sum)

# ---- HOW to compute: prune, order, run --------------------------------------------------------------


def prune(fetches: Iterable[Node], fed: Iterable[Node]) -> set[Node]:
    """Walk backwards from what is wanted and stop at what is given.   Properly: penstock/runtime/passes/pipeline.py"""
    needed: set[Node] = set()
    waiting = list(fetches)
    while waiting:
        node = waiting.pop()
        if node not in needed and node not in set(fed):
            needed.add(node)
            waiting += node.inputs
    return needed


def plan(graph: Graph, needed: set[Node]) -> list[Node]:
    """Inputs before their readers: the order of creation is such a one.   Properly:
    penstock/runtime/planning/planner.py"""
    return [node for node in graph.nodes if node in needed]


def run(fetch: Node, feeds: dict[Node, Any]) -> Any:
    """The life of a run.   Properly: penstock/runtime/session/session.py, feeds.py and executor.py"""
    values = {node: np.asarray(value) for node, value in feeds.items()}
    for node in plan(fetch.graph, prune([fetch], feeds)):
        values[node] = node.op.kernel(*(values[i] for i in node.inputs))
    return values[fetch]


# ---- and it works -----------------------------------------------------------------------------------

if __name__ == "__main__":
    graph = Graph()
    x = graph.placeholder((None, 3), name="x")
    squares = multiply(x, x, name="squares")
    y = squares + 1.0
    answer = total(y, name="answer")
    unused = multiply(y, 100.0, name="unused")

    for node in graph.nodes:  # shapes before anything runs.   Properly: penstock/graph/inspect/graph_summary.py
        print(f"{node.name:8} {node.op.name:12} {node.shape}")
    print("plan:", [node.name for node in plan(graph, prune([answer], [x]))])
    print("answer:", run(answer, {x: [[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]]}))
    print("from the middle:", run(answer, {y: [[1.0, 1.0]]}))  # any node can be fed; x is not needed then
    try:
        add(x, graph.append(x.op, [], (2, 4), "wide"))
    except ValueError as error:
        print("refused:", error)
