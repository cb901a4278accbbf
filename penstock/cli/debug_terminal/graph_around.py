"""The graph around a node as text: what it is computed from and what reads it, some hops in each direction.

       x       Placeholder               float32 (n,)  fed
       more    Add          x, more/y    float32 (n,)  done
    => root    Sqrt         more         float32 (n,)  next
       total   Sum          root         float32 ()    later
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...graph.inspect.graph_summary import COLUMNS
from ...graph.inspect.text_table import format_table
from ...graph.model.nesting import within
from ...graph.model.nodes import Graph, Operation
from ...graph.model.subgraph import bodies_of

_HEAD = ("", "name", "op", "inputs", "type", "")
_MOST_NODES = 40


def graph_around(
    graph: Graph, centre: Operation, hops: int, state: Callable[[Operation], str], width: int | None = None
) -> str:
    """The nodes around one, in the order of the program, one line each.

    Args:
        graph: the graph; the node may be inside a loop or branch of it.
        centre: the node.
        hops: how many edges away a node may be.
        state: says in a word what the run has done with a node.
        width: the columns of a line; None for any number.
    """
    beside = operations_beside(graph, centre)
    near = _near(centre, beside, hops)
    # An operand of a graph inside an op is not among its operations.
    shown = [*[op for op in near if op not in set(beside)], *[op for op in beside if op in near]]
    place = shown.index(centre)
    first = max(0, min(place - _MOST_NODES // 2, len(shown) - _MOST_NODES))
    part = shown[first : first + _MOST_NODES]
    cells = [COLUMNS[name] for name in ("name", "op", "inputs", "type")]
    rows = [("=>" if op is centre else "", *[cell(op) for cell in cells], state(op)) for op in part]
    text = format_table(_HEAD, rows, width).partition("\n")[2]
    left = len(shown) - len(part)
    return f"{text}\n({left} nodes more; fewer hops show less)" if left else text


def operations_beside(graph: Graph, op: Operation) -> Sequence[Operation]:
    """The operations of the graph that an operation belongs to: the whole, or one inside a loop or branch."""
    for holder in within(graph.get_operations()):
        for body in bodies_of(holder):
            if op in body.operations or op in [tensor.op for tensor in body.inputs]:
                return body.operations
    return graph.get_operations()


def _near(centre: Operation, beside: Sequence[Operation], hops: int) -> set[Operation]:
    readers: dict[Operation, list[Operation]] = {}
    for op in beside:
        for source in _sources(op):
            readers.setdefault(source, []).append(op)
    return {centre} | _reached(centre, _sources, hops) | _reached(centre, lambda op: readers.get(op, ()), hops)


def _reached(
    centre: Operation, following: Callable[[Operation], Iterable[Operation]], hops: int
) -> set[Operation]:
    found: set[Operation] = set()
    edge = {centre}
    for _ in range(hops):
        edge = {after for op in edge for after in following(op)} - found
        found |= edge
    return found


def _sources(op: Operation) -> list[Operation]:
    return [*[tensor.op for tensor in op.inputs], *op.control_inputs]
