"""How many nodes a GraphDef becomes when the functions that it calls take the place of the calls, counted beforehand.

Functions that call each other eight times, ten levels deep, are a file of some kilobytes and a graph of 10^9 nodes. The
count of a function is that of its nodes and of the functions that they call, each computed once, so counting takes
a time in proportion to the file.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from ....errors import GraphFormatError
from ....graph.serial.error_text import short
from ....graph.serial.limits import Limits
from ..wire.messages import FunctionProto, NodeProto

FEWEST = 20_000
"""So many nodes are always allowed; they take a second or two."""


def check_calls(
    nodes: Sequence[NodeProto], functions: Mapping[str, FunctionProto], callers: Container[str], limits: Limits
) -> None:
    """Refuse a graph that is too large with the functions that it calls; nothing is made of it.

    Args:
        nodes: the nodes of the graph.
        functions: the library, by name.
        callers: types of nodes that call the functions which their attributes name.
        limits: `nodes` bounds the graph, `growth` how much larger than the file it may be.

    Raises:
        GraphFormatError: it is too large.
    """
    if not functions:
        return
    in_file = len(nodes) + sum(len(each.nodes) for each in functions.values())
    most = min(limits.nodes, max(FEWEST, limits.growth * in_file))
    counts = _counts(functions, callers, most)
    total = 0
    for number, node in enumerate(nodes):
        total += 1 + sum(counts[name] for name in _called(node, functions, callers))
        if total > most:
            raise GraphFormatError(
                f"node {number} ({short(node.name)}, {short(node.op)}): with the functions that it and the nodes "
                f"before it call, a graph of {in_file} nodes becomes one of more than {most}; the limits are "
                f"{limits.nodes} nodes and {limits.growth} for each in the file. Give larger ones with "
                "Limits(nodes=..., growth=...) if the file is trusted",
                code="file/limit",
            )


def _called(node: NodeProto, functions: Mapping[str, FunctionProto], callers: Container[str]) -> Iterator[str]:
    """The functions of the library that a node calls."""
    if node.op in functions:
        yield node.op
    elif node.op in callers:
        for entry in node.attrs:
            value = entry.value
            if value is not None:
                named = [value.func] if value.func is not None else value.list.func if value.list is not None else ()
                yield from (each.name for each in named if each.name in functions)


def _counts(functions: Mapping[str, FunctionProto], callers: Container[str], most: int) -> dict[str, int]:
    """The nodes of each function with those that it calls, `most + 1` for more. Calls of itself count nothing: they are
    refused where they are met."""
    calls = {
        name: [called for node in proto.nodes for called in _called(node, functions, callers)]
        for name, proto in functions.items()
    }
    counts: dict[str, int] = {}
    entered: set[str] = set()
    for outermost in functions:
        waiting = [outermost]
        while waiting:
            name = waiting[-1]
            if name in counts:
                waiting.pop()
            elif name in entered:
                total = len(functions[name].nodes) + sum(counts.get(called, 0) for called in calls[name])
                counts[name] = min(total, most + 1)
                waiting.pop()
            else:
                entered.add(name)
                waiting += dict.fromkeys(called for called in calls[name] if called not in entered)
    return counts
