"""Displays of graphs, tensors, shapes, tables, plans and recorded runs in a notebook.

A graph and a recorded run are shown as the interactive page, in a sandboxed frame. A tensor is a small table with the
lines that made it. A plan is its picture. All text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..graph.diagnostics.unknown_dims import why_unknown
from ..graph.inspect.text_table import TextTable
from ..graph.nodes import Graph, Operation, Tensor
from ..graph.shape import TensorShape
from ..runtime.observe.run_record import RunRecord
from ..runtime.planning.plan import Plan
from .from_graph import picture_of, type_text
from .from_plan import picture_of_plan, picture_of_record
from .page_document import html_page, page_of_record
from .svg import escape, svg_text
from .text_measure import shorten

MOST_NODES = 5000
"""The largest graph that is shown as a page: a notebook saves every output in its file."""

_FRAME_HEIGHT = 620
_SIDE = 8
_MOST_ROWS = 500


def markup(thing: Any, form: str) -> str | None:
    """The display of `thing` as "html" or "svg"; None where its text is shown instead.

    >>> import penstock as tf
    >>> markup(tf.TensorShape(["batch", None]), "html")
    '<code>(batch, ?)</code> rank 2'
    """
    if isinstance(thing, Graph):
        return _page(thing) if form == "html" else svg_text(picture_of(thing, title=_title(thing)))
    if isinstance(thing, TextTable):
        return _columns(thing) if form == "html" else None
    if isinstance(thing, Tensor):
        if form == "html":
            return _tensor_table(thing)
        return svg_text(picture_of(_Around(thing.op), fetches=thing.op.name, title=thing.name))
    if isinstance(thing, Plan):
        drawn = svg_text(picture_of_plan(thing, repr(thing)[1:-1]))
        return f"<div style='overflow:auto'>{drawn}</div>" if form == "html" else drawn
    if isinstance(thing, RunRecord):
        if form == "svg":
            return svg_text(picture_of_record(thing, thing.headline, colour="time"))
        return _framed(page_of_record(thing, title=thing.headline)) if len(thing.plan.steps) <= MOST_NODES else None
    if isinstance(thing, TensorShape) and form == "html":
        rank = "unknown rank" if thing.ndims is None else f"rank {thing.ndims}"
        return f"<code>{escape(str(thing))}</code> {rank}"
    return None


class _Around:
    """A small graph: an operation, the operations that it reads, and some that read it."""

    def __init__(self, op: Operation) -> None:
        readers = (reader for tensor in op.outputs for reader in tensor.consumers()[:_SIDE])
        near = [*(tensor.op for tensor in op.inputs[:_SIDE]), *op.control_inputs[:_SIDE], op, *readers]
        self._operations = sorted(dict.fromkeys(near), key=lambda each: each.index)

    def get_operations(self) -> list[Operation]:
        return self._operations


def _title(graph: Graph) -> str:
    return f"graph of {len(graph)} operations"


def _page(graph: Graph) -> str | None:
    if len(graph) > MOST_NODES:
        return None
    return _framed(html_page(graph, title=_title(graph)))


def _framed(page: str) -> str:
    style = f"width:100%;height:{_FRAME_HEIGHT}px;border:1px solid #8884;border-radius:6px"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(page)}"></iframe>'


def _tensor_table(tensor: Tensor) -> str:
    op = tensor.op
    rows = [("tensor", tensor.name), ("type", type_text(tensor)), ("made by", op.type)]
    rows += [(name, shorten(str(value), 80)) for name, value in op.attrs.items()]
    rows += [(f"input {number}", f"{each.name} {type_text(each)}") for number, each in enumerate(op.inputs[:_SIDE])]
    rows += [("line", f"{origin.place}  {origin.code}") for origin in op.origins[:_SIDE]]
    rows += [("not known", str(reason)) for reason in why_unknown(tensor)]
    return _table(rows)


def _table(rows: Iterable[tuple[str, str]]) -> str:
    cell = "text-align:left;vertical-align:top;padding:2px 10px 2px 0"
    lines = (
        f'<tr><th style="{cell};font-weight:600">{escape(name)}</th>'
        f'<td style="{cell};white-space:pre-wrap;font-family:monospace">{escape(_shorten_lines(text))}</td></tr>'
        for name, text in rows
    )
    return f"<table>{''.join(lines)}</table>"


def _columns(table: TextTable) -> str:
    """A table with a head; of a long one the first rows."""

    def row(cells: Iterable[str], tag: str) -> str:
        style = "text-align:left;vertical-align:top;white-space:pre-wrap;font-family:monospace"
        shown = (f'<{tag} style="{style}">{escape(_shorten_lines(cell))}</{tag}>' for cell in cells)
        return f"<tr>{''.join(shown)}</tr>"

    body = "".join(row(cells, "td") for cells in table.rows[:_MOST_ROWS])
    more = len(table.rows) - _MOST_ROWS
    note = f"<p>and {more:,} more rows: print it, or ask for a scope</p>" if more > 0 else ""
    return f"<table><thead>{row(table.columns, 'th')}</thead><tbody>{body}</tbody></table>{note}"


def _shorten_lines(text: str) -> str:
    """`text` with its lines, each at most 400 letters."""
    return "\n".join(line if len(line) <= 400 else shorten(line, 400) for line in text.split("\n"))
