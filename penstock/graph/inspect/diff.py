"""Comparison of two graphs, node by node.

Nodes are matched by name. The lines of the programs that made them, and their order, are no difference. Graphs inside
ops are compared where both graphs have the op that holds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..model.nodes import Graph, Operation
from ..model.subgraph import SubGraph, bodies_of
from ..shapes.shape import TensorShape
from .graph_diff import Change, GraphDiff, NodeDiff

_WIDEST = 120


def diff(before: Graph, after: Graph) -> GraphDiff:
    """Compares two graphs by the names of their nodes.

    >>> import penstock as tf
    >>> def graph(second):
    ...     with tf.Graph().as_default() as g:
    ...         tf.add(tf.constant(1.0, name="a"), second, name="sum")
    ...     return g
    >>> print(graph(2.0).diff(graph(3.0)))
    ~ sum/y  Const
        value: 2.0 -> 3.0
    """
    return GraphDiff(tuple(_differences(before.get_operations(), after.get_operations())))


def _differences(before: Sequence[Operation], after: Sequence[Operation]) -> list[NodeDiff]:
    old = {op.name: op for op in before}
    new = {op.name: op for op in after}
    found = [_gone(op, "-") for op in old.values() if op.name not in new]
    for op in old.values():
        if op.name in new:
            found += _changes_at(op, new[op.name])
    found += [_gone(op, "+") for op in new.values() if op.name not in old]
    return found


def _changes_at(old: Operation, new: Operation) -> list[NodeDiff]:
    """What changed of a node that both graphs have, and in the graphs that it holds."""
    change = _changed(old, new)
    found = [] if change is None else [change]
    if old.type == new.type:
        for one, other in zip(bodies_of(old), bodies_of(new), strict=True):
            found += _differences(one.operations, other.operations)
    return found


def _gone(op: Operation, sign: Literal["+", "-"]) -> NodeDiff:
    return NodeDiff(sign, op.name, op.type, _types(op))


def _changed(old: Operation, new: Operation) -> NodeDiff | None:
    pairs: list[tuple[str, Any, Any]] = [("op", old.type, new.type)]
    if old.type == new.type:
        pairs += [(attr.name, _plain(old.args[i]), _plain(new.args[i])) for i, attr in old.opdef.attrs]
    pairs += [
        ("inputs", _inputs(old), _inputs(new)),
        ("outputs", _types(old), _types(new)),
        ("device", old.device, new.device),
    ]
    changes = tuple(Change(what, *_texts(before, after)) for what, before, after in pairs if not _equal(before, after))
    return NodeDiff("~", old.name, new.type, "", changes) if changes else None


def _plain(value: Any) -> Any:
    """An attribute's value to compare; of a graph the names of what goes in and comes out: its nodes are compared."""
    if isinstance(value, SubGraph):
        ins, outs = (", ".join(t.name for t in each) for each in (value.inputs, value.outputs))
        return f"({ins}) -> {outs}"
    return value


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        # Bit for bit: -0.0 is not 0.0, and a NaN equals itself.
        return bool((a == b).all()) if a.dtype == object else a.tobytes() == b.tobytes()
    if isinstance(a, TensorShape) and isinstance(b, TensorShape):
        return str(a) == str(b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b)
    return type(a) is type(b) and bool(a == b)


def _texts(a: Any, b: Any) -> tuple[str, str]:
    first, second = _text(a), _text(b)
    if first != second or not isinstance(a, np.ndarray):
        return first, second
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype} {a.shape}", f"{b.dtype} {b.shape}"
    places = np.argwhere(a != b)
    if not len(places):
        return first + " (other bits)", second
    where = tuple(int(i) for i in places[0])
    return f"{a[where]!r} at {list(where)}", f"{b[where]!r}, {len(places)} elements differ"


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        value = str(value.tolist()) if value.size <= 8 else f"{value.dtype} {value.shape}"
    text = str(value) if value != "" else "none"
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def _inputs(op: Operation) -> str:
    return ", ".join([t.name for t in op.inputs] + ["^" + c.name for c in op.control_inputs])


def _types(op: Operation) -> str:
    return ", ".join(f"{t.dtype.name} {t.shape}" for t in op.outputs[:4]) + (", ..." if len(op.outputs) > 4 else "")
