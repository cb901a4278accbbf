"""A node taken out of a loop or branch: its operands, with the values that they had when it failed.

A trace addresses what is inside by iteration: `loop[3]/add:0` is `loop/body/add:0` in iteration 3. Tensors from outside
that a body uses have the value of the operand that they stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..graph.shapes.literal import Array
from .graph_part import Node, all_inside, bodies_of_node
from .run_parts import inputs_of, is_constant

_ITERATION = re.compile(r"\[(\d+)\]/")


def operands_at_failure(
    nodes: Sequence[Node], inner: Node, recorded: Mapping[str, Array], iteration: int | None = None
) -> Iterator[tuple[list[Node], dict[str, Array]]]:
    """The constants that a node inside reads, and the values of its other operands: the last iteration first.

    Args:
        nodes: the nodes of the graph.
        inner: a node in a loop or branch of one of them.
        recorded: values of tensors by their addresses.
        iteration: the iteration of the innermost loop, if it is known.
    """
    every = [*nodes, *[each for node in nodes for each in all_inside(node)]]
    constants = {f"{node['name']}:0": node for node in every if is_constant(node)}
    stands_for = {inside: outside for node in every for inside, outside in _captures(node)}
    wanted = dict.fromkeys(inputs_of(inner))
    rounds = sorted({int(found[1]) for name in recorded for found in _ITERATION.finditer(name)}, reverse=True)
    if iteration is not None:
        rounds = [iteration]
    parts = _parts(every)
    for number in rounds or [0]:
        values = {_plain(name, parts): array for name, array in recorded.items() if _is_at(name, number)}
        found = {name: _value(name, values, stands_for) for name in wanted if name not in constants}
        known = {name: array for name, array in found.items() if array is not None}
        if len(known) == len(found):
            yield [constants[name] for name in wanted if name in constants], known


def _value(name: str, values: Mapping[str, Array], stands_for: Mapping[str, str]) -> Array | None:
    while name not in values and name in stands_for:
        name = stands_for[name]
    return values.get(name)


def _captures(node: Node) -> Iterator[tuple[str, str]]:
    """(inner tensor, the tensor outside that it stands for) of a node that holds graphs."""
    lists = [value for value in node.get("inputs", {}).values() if isinstance(value, list)]
    for body in bodies_of_node(node):
        count = body["captures"]
        if count and lists:
            inside = [f"{name}:0" for name, _, _ in body["inputs"][-count:]]
            yield from zip(inside, lists[-1][-count:], strict=False)


def place_of(name: str, nodes: Sequence[Node]) -> tuple[str, int | None]:
    """The node inside that the address of a tensor names, and the iteration of the innermost loop."""
    every = [*nodes, *[each for node in nodes for each in all_inside(node)]]
    found = _ITERATION.findall(name)
    return _plain(name, _parts(every)).rpartition(":")[0], int(found[-1]) if found else None


def _parts(nodes: Iterable[Node]) -> dict[str, str]:
    """By the scope of a loop, the last part of the name of its body."""
    names = [body["graph"].rpartition("/") for node in nodes for body in bodies_of_node(node)]
    return {loop: part for loop, _, part in names if part != "cond"}


def _plain(name: str, parts: Mapping[str, str]) -> str:
    """The name of a tensor without iterations."""
    while found := _ITERATION.search(name):
        loop, rest = name[: found.start()], name[found.end() :]
        name = f"{loop}/{rest}" if rest.startswith("cond/") else f"{loop}/{parts.get(loop, 'body')}/{rest}"
    return name


def _is_at(name: str, number: int) -> bool:
    """Whether an address is outside of loops, or in that iteration of the innermost."""
    found = _ITERATION.findall(name)
    return not found or int(found[-1]) == number
