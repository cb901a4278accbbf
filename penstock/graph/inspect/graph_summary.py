"""The table of a graph's nodes, one row per node: name, op, inputs, dtype, shape, the user's line, and more on demand.

A node with several outputs shows all of them. The nodes of a graph inside an op follow it, indented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..common.near_names import did_you_mean
from ..declare.effects import effects_of
from ..model.nesting import with_depth
from ..model.nodes import Graph, Operation
from .text_table import TextTable, cut_text, distinct_width, usual_width

USUAL = ("name", "op", "inputs", "dtype", "shape", "line")
_LONGEST_VALUE = 60
_GOES = ("inputs", "line")
"""The columns that a narrow table has no room for, in this order."""
_READABLE = 10
_KEPT = {"name": 32, "op": 16, "line": 24}


def summary(
    graph: Graph, scope: str | None = None, width: int | None = None, columns: Iterable[str] | None = None
) -> TextTable:
    """The table; see `Graph.summary`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     x = tf.placeholder(tf.float32, ["batch", 6], name="x")
    ...     parts = tf.split(1, 2, x)
    >>> g.summary(columns=("name", "op", "inputs", "dtype", "shape"))
    name             op           inputs              dtype       shape
    x                Placeholder                      float32     (batch, 6)
    split/split_dim  Const                            int32       ()
    split            Split        split/split_dim, x  float32 x2  (batch, 3) (batch, 3)
    """
    chosen = _known(USUAL if columns is None else columns)
    cells = [COLUMNS[name] for name in chosen]
    prefix = "" if not scope else scope.rstrip("/")
    rows = [
        tuple(["  " * depth * (name == "name") + cell(op) for name, cell in zip(chosen, cells, strict=True)])
        for op, depth in with_depth(graph.get_operations())
        if not prefix or op.name == prefix or op.name.startswith(prefix + "/")
    ]
    room = (usual_width() if width is None else width) or None
    if columns is not None or room is None:
        return TextTable.of(chosen, rows, room, keep=_KEPT)
    table = TextTable.of(*_that_fit(chosen, rows, room), room, keep=_KEPT)
    table.columns, table.rows = chosen, tuple(rows)  # a notebook has room for all
    return table


def _that_fit(
    head: tuple[str, ...], rows: list[tuple[str, ...]], width: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The columns for which there is room beside names that can be told apart; with the inputs the longest go first."""
    name = distinct_width([row[0] for row in rows], min(_READABLE, max([len(row[0]) for row in rows], default=0)))
    for gone in _GOES:
        widths = [max(map(len, cells)) for cells in zip(head, *rows, strict=True)]
        if name + sum(min(_READABLE, each) + 2 for each in widths[1:]) <= width:
            break
        at = head.index(gone)
        head, rows = head[:at] + head[at + 1 :], [row[:at] + row[at + 1 :] for row in rows]
    return head, rows


def _known(columns: Iterable[str]) -> tuple[str, ...]:
    found = (columns,) if isinstance(columns, str) else tuple(columns)
    for name in found:
        if name not in COLUMNS:
            raise ValueError(f"Graph.summary(columns={list(found)!r}): there is no column {name!r}"
                             f"{did_you_mean(str(name), list(COLUMNS))}; there are {', '.join(COLUMNS)}")  # fmt: skip
    if not found:
        raise ValueError(f"Graph.summary(columns={columns!r}): no column is named; there are {', '.join(COLUMNS)}")
    return found


def _inputs(op: Operation) -> str:
    """The inputs, and the variable that is read or written: "delta -> w"."""
    inputs = [t.name.removesuffix(":0") for t in op.inputs] + ["^" + c.name for c in op.control_inputs]
    target = op.attrs.get("resource")
    if target is None or target == op.name:
        return ", ".join(inputs)
    if effects_of(op).touched[1]:
        return f"{', '.join(inputs)} -> {target}".lstrip()
    return ", ".join([str(target), *inputs])


def _dtype(op: Operation) -> str:
    dtypes = list(dict.fromkeys(t.dtype.name for t in op.outputs))
    count = f" x{len(op.outputs)}" if len(op.outputs) > 1 and len(dtypes) == 1 else ""
    return " ".join(dtypes) + count


def _attributes(op: Operation) -> str:
    return ", ".join(f"{name}={_value(value)}" for name, value in op.attrs.items())


def _value(value: object) -> str:
    if isinstance(value, np.ndarray):
        if value.size > _LONGEST_VALUE:
            return f"array of shape {value.shape}"
        value = value.tolist()
    return cut_text(" ".join(str(value).split()), _LONGEST_VALUE)


COLUMNS: dict[str, Callable[[Operation], str]] = {
    "name": lambda op: op.name,
    "op": lambda op: op.type,
    "inputs": _inputs,
    "dtype": _dtype,
    "shape": lambda op: " ".join(str(t.shape) for t in op.outputs),
    "line": lambda op: op.origin.place,
    "type": lambda op: ", ".join(f"{t.dtype.name} {t.shape}" for t in op.outputs),
    "attributes": _attributes,
    "device": lambda op: op.device,
    "code": lambda op: op.origin.code,
}
