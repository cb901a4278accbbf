"""Displays of graphs, tensors, plans, runs and reports in a notebook.

A graph and a recorded run are shown as the interactive page, in a sandboxed frame. A tensor or an operation is a small
table with the lines that made it. A plan is its picture, a report its tables. All text is escaped.
"""

from __future__ import annotations

from typing import Any

from ...graph.common.source_location import GradientOrigin
from ...graph.diagnostics.unknown_dims import why_unknown
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.shapes.shape import TensorShape
from ...runtime.debugger.debugger import Debugger
from ...runtime.observe.data_flow import DataFlow
from ...runtime.observe.profile import Profile
from ...runtime.observe.run_record import RunRecord
from ...runtime.planning.plan import Plan
from ..content.from_data_flow import picture_of_data_flow
from ..content.from_graph import picture_of
from ..content.from_plan import picture_of_plan, picture_of_record
from ..content.type_texts import type_text
from ..layout.text_measure import shorten
from ..page.page_document import html_page, page_of_record
from .html_table import listing, named_values, opening
from .notebook_page import image, page_output
from .notebook_reports import report_html
from .svg import escape, svg_text

MOST_NODES = 5000
"""The largest graph that is shown as a page: a notebook saves every output in its file."""

_SIDE = 8
_BOXES_OF_A_STILL = 25
_BOXES_OF_A_PICTURE = 60
"""The most boxes of the picture that stands in for a page, and of the one that a notebook keeps for other programs.

In full, 90 nodes take 57 KB as a picture, three times as much as the data of their page.
"""


def markup(thing: Any, form: str) -> str | None:
    """The display of `thing` as "html" or "svg"; None where its text is shown instead.

    >>> import penstock as tf
    >>> markup(tf.TensorShape(["batch", None]), "html")
    '<code>(batch, ?)</code> rank 2'
    """
    return _picture(thing) if form == "svg" else _html(thing)


def _html(thing: Any) -> str | None:
    if isinstance(thing, Graph):
        return _page(thing, html_page(thing, title=_title(thing))) if len(thing) <= MOST_NODES else None
    if isinstance(thing, RunRecord):
        return _html_of_record(thing)
    if isinstance(thing, Debugger):
        return _html_of_record(thing.record())
    if isinstance(thing, Profile):
        return (report_html(thing) or "") + (_html_of_record(thing.record, "time") or "")
    if isinstance(thing, Tensor):
        return _tensor_table(thing)
    if isinstance(thing, Operation):
        return _operation_table(thing)
    if isinstance(thing, Plan):
        return image(_picture(thing) or "", escape(_title(thing))) + opening("its steps", listing(str(thing)))
    if isinstance(thing, TensorShape):
        rank = "unknown rank" if thing.ndims is None else f"rank {thing.ndims}"
        return f"<code>{escape(str(thing))}</code> {rank}"
    return report_html(thing)


def _html_of_record(record: RunRecord, colour: str = "kind") -> str | None:
    if len(record.plan.steps) > MOST_NODES:
        return None
    return _page(record, page_of_record(record, title=_title(record), colour=colour))


def _picture(thing: Any, limit: int = _BOXES_OF_A_PICTURE) -> str | None:
    if isinstance(thing, Graph):
        return svg_text(picture_of(thing, title=_title(thing)), limit)
    if isinstance(thing, Tensor):
        return svg_text(picture_of(_Around(thing.op), fetches=thing.op.name, title=thing.name))
    if isinstance(thing, Plan):
        return svg_text(picture_of_plan(thing, _title(thing)))
    if isinstance(thing, RunRecord):
        return svg_text(picture_of_record(thing, _title(thing), colour="time"), limit)
    if isinstance(thing, DataFlow):
        return svg_text(picture_of_data_flow(thing))
    return _picture(thing.record) if isinstance(thing, Profile) else None


def _page(thing: Graph | RunRecord, page: str) -> str:
    return page_output(page, _picture(thing, _BOXES_OF_A_STILL) or "", escape(_title(thing)))


def _title(thing: Graph | Plan | RunRecord) -> str:
    if isinstance(thing, RunRecord):
        return thing.headline
    return repr(thing)[1:-1] if isinstance(thing, Plan) else f"graph of {len(thing)} operations"


class _Around:
    """A small graph: an operation, the operations that it reads, and some that read it."""

    def __init__(self, op: Operation) -> None:
        readers = (reader for tensor in op.outputs for reader in tensor.consumers()[:_SIDE])
        near = [*(tensor.op for tensor in op.inputs[:_SIDE]), *op.control_inputs[:_SIDE], op, *readers]
        self._operations = sorted(dict.fromkeys(near), key=lambda each: each.index)

    def get_operations(self) -> list[Operation]:
        return self._operations


def _tensor_table(tensor: Tensor) -> str:
    op = tensor.op
    rows = [("tensor", tensor.name), ("type", type_text(tensor)), ("made by", op.type), *_facts(op)]
    rows += [("not known", str(reason)) for reason in why_unknown(tensor)]
    return named_values(rows)


def _operation_table(op: Operation) -> str:
    rows = [("operation", op.name), ("op", op.type)]
    rows += [(f"output {number}", f"{each.name} {type_text(each)}") for number, each in enumerate(op.outputs[:_SIDE])]
    rows += [("device", op.device)] if op.device else []
    rows += [("runs after", ", ".join(each.name for each in op.control_inputs[:_SIDE]))] if op.control_inputs else []
    return named_values([*rows, *_facts(op)])


def _facts(op: Operation) -> list[tuple[str, str]]:
    """Attributes, inputs and lines of an operation."""
    rows = [(name, shorten(str(value), 80)) for name, value in op.attrs.items()]
    rows += [(f"input {number}", f"{each.name} {type_text(each)}") for number, each in enumerate(op.inputs[:_SIDE])]
    differentiated = dict.fromkeys(origin.of for origin in op.origins if isinstance(origin, GradientOrigin))
    rows += [("gradient of", name) for name in list(differentiated)[:_SIDE]]
    return rows + [("line", f"{origin.place}  {origin.code}") for origin in op.origins[:_SIDE]]
