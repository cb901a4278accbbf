"""Smaller forms of a saved run: fewer nodes, fed values in place of computed ones, smaller arrays.

A run is data (`SavedRun`), so each form is a new document and new arrays; nothing is built here. Whether a form can be
built and still does what it must is for `criteria` to say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..graph.declare.op_declaration import declared
from ..graph.shapes.dtypes import of_numpy
from ..graph.shapes.literal import Array
from ..runtime.base.random_counters import RandomState
from .graph_part import Node, bodies_of_node, free_name, placeholder_node
from .saved_run import SavedRun


def nodes_of(saved: SavedRun) -> list[Node]:
    """The nodes of the graph, outermost ones only."""
    nodes: list[Node] = saved.document["nodes"]
    return nodes


def size_of_run(saved: SavedRun) -> tuple[int, int]:
    """(the number of nodes, those in bodies included; of elements fed and held by variables): smaller is better."""
    elements = sum([array.size for array in (*saved.feeds.values(), *saved.variables.values())])
    return _count(nodes_of(saved)), elements


def _count(nodes: Iterable[Node]) -> int:
    return sum([1 + sum([_count(body["nodes"]) for body in bodies_of_node(node)]) for node in nodes])


def inputs_of(node: Node) -> list[str]:
    """The names of the tensors that a node reads."""
    found: list[str] = []
    for value in node.get("inputs", {}).values():
        found += value if isinstance(value, list) else [] if value is None else [value]
    return found


def with_inputs(node: Node, new: Mapping[str, str]) -> Node:
    """A node that reads other tensors."""
    if not any(name in new for name in inputs_of(node)):
        return node

    def changed(value: Any) -> Any:
        return [new.get(each, each) for each in value] if isinstance(value, list) else new.get(value, value)

    return node | {"inputs": {key: changed(value) for key, value in node["inputs"].items()}}


def is_placeholder(node: Node) -> bool:
    """Whether a node must be fed."""
    return bool((op := declared(node["op"])) and op.facts.must_feed)


def is_constant(node: Node) -> bool:
    """Whether a node is a constant."""
    return bool((op := declared(node["op"])) and op.facts.is_constant)


def with_nodes(saved: SavedRun, nodes: list[Node], **changes: Any) -> SavedRun:
    """A run with other nodes, without what nothing needs."""
    return pruned(replace(saved, document=saved.document | {"nodes": nodes}, **changes))


def pruned(saved: SavedRun) -> SavedRun:
    """A run without nodes, feeds, variables and random streams that the fetches do not need."""
    by_name = {node["name"]: node for node in nodes_of(saved)}
    needed: set[str] = set()
    waiting = [name.partition(":")[0] for name in saved.fetches]
    while waiting:
        name = waiting.pop()
        if name in needed or name not in by_name:
            continue
        needed.add(name)
        node = by_name[name]
        waiting += [each.partition(":")[0] for each in inputs_of(node)]
        waiting += [*node.get("after", ()), *_texts(node.get("attrs", {}))]
    nodes = [_without_controls(node, needed) for node in nodes_of(saved) if node["name"] in needed]
    random = None
    if saved.random is not None:
        tops = tuple(f"{name}/" for name in needed)
        kept = {name: each for name, each in saved.random.items() if name in needed or name.startswith(tops)}
        random = RandomState(kept) if kept else None
    return replace(
        saved,
        document=saved.document | {"nodes": nodes},
        feeds={name: each for name, each in saved.feeds.items() if name.partition(":")[0] in needed},
        variables={name: each for name, each in saved.variables.items() if name in needed},
        random=random,
        archive=saved.archive if _has_archived(nodes) else None,
    )


def _without_controls(node: Node, needed: Collection[str]) -> Node:
    if "after" not in node or all(name in needed for name in node["after"]):
        return node
    left = [name for name in node["after"] if name in needed]
    return {key: value for key, value in node.items() if key != "after"} | ({"after": left} if left else {})


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _has_archived(value: Any) -> bool:
    if isinstance(value, dict):
        return "npz" in value or any(map(_has_archived, value.values()))
    return isinstance(value, list) and any(map(_has_archived, value))


# ---- feeding ------------------------------------------------------------------------------------


def feeding(saved: SavedRun, values: Mapping[str, Array], shapes: Mapping[str, Any]) -> SavedRun:
    """A run in which tensors are fed instead of computed.

    Args:
        saved: the run.
        values: by tensor, what is fed.
        shapes: by tensor, its static shape as data; that of the value where it is missing.
    """
    new: dict[str, str] = {}
    nodes: list[Node] = []
    feeds = dict(saved.feeds)
    taken = {node["name"] for node in nodes_of(saved)}
    for node in nodes_of(saved):
        outputs = node.get("outputs", [])
        fed = [index for index in range(len(outputs)) if f"{node['name']}:{index}" in values]
        kept = len(fed) < len(outputs) or not outputs
        for index in fed:
            tensor = f"{node['name']}:{index}"
            name = node["name"] if len(outputs) == 1 else free_name(f"{node['name']}_{index}", taken)
            taken.add(name)
            new[tensor] = f"{name}:0"
            array = values[tensor]
            shape = _without_sums(shapes.get(tensor, list(array.shape)), name)
            nodes.append(placeholder_node(name, of_numpy(array.dtype).name, shape, node.get("origins", ())))
            feeds[f"{name}:0"] = array
        if kept:
            nodes.append(node)
    nodes = [with_inputs(node, new) for node in nodes]
    return with_nodes(saved, nodes, feeds=feeds, fetches=tuple([new.get(name, name) for name in saved.fetches]))


def _without_sums(shape: Any, name: str) -> Any:
    """A static shape as data in which sizes such as 2*batch + 1 are open, so that each may shrink alone."""
    if shape is None:
        return None
    return [f"?{name}.{axis}" if isinstance(size, dict) else size for axis, size in enumerate(shape)]


def with_shapes_unsaid(saved: SavedRun) -> SavedRun:
    """A run whose nodes claim no shapes, so that arrays may get other sizes: shapes follow from the placeholders."""
    return replace(saved, document=saved.document | {"nodes": [_unsaid(node) for node in nodes_of(saved)]})


def _unsaid(node: Node) -> Node:
    new = {key: value for key, value in node.items() if key != "pinned"}
    if not is_placeholder(node):
        new["outputs"] = [[dtype, None] for dtype, _ in node.get("outputs", [])]
        if not new["outputs"]:
            del new["outputs"]
    bodies = bodies_of_node(node)
    if bodies:
        new["attrs"] = {
            name: value if not any(value is body for body in bodies) else value | {
                "nodes": [_unsaid(inner) for inner in value["nodes"]],
                "inputs": [[name, dtype, None] for name, dtype, _ in value["inputs"]],
            }
            for name, value in node["attrs"].items()
        }  # fmt: skip
    return new


# ---- leaving out --------------------------------------------------------------------------------


def bypassing(saved: SavedRun, node: Node) -> Iterator[SavedRun]:
    """Runs in which an operand of a node stands for its first result; the node itself goes."""
    if is_placeholder(node) or is_constant(node) or not node.get("outputs"):
        return
    result, dtype = f"{node['name']}:0", node["outputs"][0][0]
    dtypes = {f"{n['name']}:{i}": out[0] for n in nodes_of(saved) for i, out in enumerate(n.get("outputs", []))}
    for operand in dict.fromkeys(inputs_of(node)):
        if dtypes.get(operand) == dtype:
            new = {result: operand}
            nodes = [with_inputs(each, new) for each in nodes_of(saved) if each is not node]
            fetches = tuple([new.get(name, name) for name in saved.fetches])
            if node["name"] not in fetches:
                yield with_nodes(saved, nodes, fetches=fetches)


def with_smaller_bodies(saved: SavedRun) -> Iterator[SavedRun]:
    """Runs in which one node inside a loop or branch is replaced by an operand of its own."""
    for position, node in enumerate(nodes_of(saved)):
        for smaller in _smaller_bodies(node):
            yield with_nodes(saved, [*nodes_of(saved)[:position], smaller, *nodes_of(saved)[position + 1 :]])


def _smaller_bodies(node: Node) -> Iterator[Node]:
    for name, body in node.get("attrs", {}).items():
        if not any(body is each for each in bodies_of_node(node)):
            continue
        dtypes = {f"{each[0]}:0": each[1] for each in body["inputs"]}
        dtypes |= {f"{n['name']}:{i}": o[0] for n in body["nodes"] for i, o in enumerate(n.get("outputs", []))}
        for inner in reversed(body["nodes"]):
            for i, (dtype, _) in enumerate(inner.get("outputs", [])[:1]):
                for operand in dict.fromkeys([*inputs_of(inner), *dtypes]):
                    if dtypes.get(operand) != dtype or operand.partition(":")[0] == inner["name"]:
                        continue
                    new = {f"{inner['name']}:{i}": operand}
                    nodes = [with_inputs(each, new) for each in body["nodes"] if each is not inner]
                    changed = body | {"nodes": nodes, "results": [new.get(each, each) for each in body["results"]]}
                    yield node | {"attrs": node["attrs"] | {name: _pruned_body(changed)}}
                    if operand in inputs_of(inner):
                        continue
                    break  # of the values that it does not read, the first will do
        for inner in body["nodes"]:
            for smaller in _smaller_bodies(inner):
                nodes = [smaller if each is inner else each for each in body["nodes"]]
                yield node | {"attrs": node["attrs"] | {name: body | {"nodes": nodes}}}


def _pruned_body(body: dict[str, Any]) -> dict[str, Any]:
    """A body without nodes that nothing reads; those without results and those that others wait for stay."""
    nodes = body["nodes"]
    while True:
        read = {each.partition(":")[0] for node in nodes for each in inputs_of(node)}
        read |= {each.partition(":")[0] for each in body["results"]}
        read |= {name for node in nodes for name in (*node.get("after", ()), *_texts(node.get("attrs", {})))}
        left = [node for node in nodes if node["name"] in read or not node.get("outputs") or not _is_pure(node)]
        if len(left) == len(nodes):
            return body | {"nodes": [_without_controls(node, {each["name"] for each in nodes}) for node in nodes]}
        nodes = left


def _is_pure(node: Node) -> bool:
    return bool((op := declared(node["op"])) and op.is_pure)


# ---- arrays -------------------------------------------------------------------------------------

Axis = tuple[str, int]
"""(fed tensor, dimension)."""


def axes_together(saved: SavedRun) -> Iterator[tuple[list[Axis], int]]:
    """Dimensions of fed arrays that may have to shrink together, with their size: those of one name, each alone, and
    those of equal size."""
    by_name: dict[str, list[Axis]] = {}
    by_size: dict[int, list[Axis]] = {}
    alone: list[list[Axis]] = []
    for node in nodes_of(saved):
        tensor = f"{node['name']}:0"
        if tensor not in saved.feeds or not is_placeholder(node):
            continue
        shape = node["attrs"]["shape"]["shape"]
        for axis, size in enumerate(saved.feeds[tensor].shape):
            alone.append([(tensor, axis)])
            by_size.setdefault(size, []).append((tensor, axis))
            if isinstance(shape, list) and isinstance(shape[axis], str):
                by_name.setdefault(shape[axis], []).append((tensor, axis))
    groups = [*by_name.values(), *alone, *by_size.values()]
    seen: set[tuple[Axis, ...]] = set()
    for group in groups:
        size = saved.feeds[group[0][0]].shape[group[0][1]]
        same = all(saved.feeds[tensor].shape[axis] == size for tensor, axis in group)
        if size and same and tuple(group) not in seen:
            seen.add(tuple(group))
            yield group, size


def taking(saved: SavedRun, axes: Iterable[Axis], kept: Array) -> SavedRun:
    """A run whose fed arrays have only some elements along some dimensions."""
    feeds = dict(saved.feeds)
    shapes: dict[str, list[tuple[int, int]]] = {}
    for tensor, axis in axes:
        feeds[tensor] = np.take(feeds[tensor], kept, axis=axis)
        shapes.setdefault(tensor.rpartition(":")[0], []).append((axis, len(kept)))
    nodes = [_resized(node, shapes[node["name"]]) if node["name"] in shapes else node for node in nodes_of(saved)]
    return with_nodes(saved, nodes, feeds=feeds)


def _resized(node: Node, sizes: Iterable[tuple[int, int]]) -> Node:
    shape = node["attrs"]["shape"]["shape"]
    if not isinstance(shape, list):
        return node
    new = list(shape)
    for axis, size in sizes:
        if isinstance(new[axis], int):
            new[axis] = size
    dtype = node["outputs"][0][0]
    return node | {"attrs": node["attrs"] | {"shape": {"shape": new}}, "outputs": [[dtype, new]]}


def simpler_values(array: Array) -> Iterator[Array]:
    """Arrays of the same shape with simpler elements: all 0, all 1, halves, then element by element."""
    dtype = array.dtype
    if dtype.kind == "O":
        if any(array.reshape(-1).tolist()):
            yield _filled(array, b"")
        return
    if dtype.names is not None:
        return
    for value in (0, 1):
        candidate = np.full(array.shape, value).astype(dtype)
        if candidate.tobytes() != array.tobytes():
            yield candidate
    if dtype.kind in "fc" or of_numpy(dtype).is_floating:
        whole = np.rint(array.astype(np.complex128 if dtype.kind == "c" else np.float64)).astype(dtype)
        if whole.tobytes() != array.tobytes():
            yield whole
    elif dtype.kind in "iu":
        for smaller in (array // 2, array - np.sign(array)):
            if (smaller != array).any():
                yield smaller.astype(dtype)
    if 1 < array.size <= 64:
        for place in np.ndindex(array.shape):
            for value in (0, 1):
                if array[place] != value:
                    candidate = array.copy()
                    candidate[place] = value
                    yield candidate
                else:
                    break


def _filled(array: Array, value: Any) -> Array:
    made = np.empty(array.shape, array.dtype)
    made[...] = value
    return made
