"""The HTML page of a picture, graph, plan or run: one file that needs nothing else.

The data are JSON in a script element that is never run. The style and the program of `show/page/` draw them, open and
close scopes, and answer clicks. Names reach the page only as data and are set as text, never as markup. A content
policy in the page forbids every request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ...errors import ValueRuleError
from ...graph.common.lazy_import import load
from ...runtime.base.session_config import RunOptions, SessionConfig
from ...runtime.observe.run_metadata import RunMetadata
from ...runtime.observe.run_record import RunRecord
from ...runtime.planning.memory_plan import MemoryPlan
from ...runtime.planning.plan import Plan
from ...runtime.session.session import Session
from ..content.colour_scales import OF_GRAPH, OF_PLAN, OF_RUN, known_colour
from ..content.constant_labels import Constants
from ..content.from_graph import Context, GraphLike
from ..content.from_plan import picture_of_plan, picture_of_record
from ..content.palette import page_rules
from ..content.picture import Direction, Picture
from ..formats.svg import escape
from ..layout.text_measure import shorten
from .page_views import PageOptions, as_patterns, data_of_graph, data_of_picture, data_of_plan

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from ...runtime.observe.explain import Explanation

SCRIPTS = (
    "layer_order", "coordinates", "vertical_placement", "edge_routing", "layered_nodes", "component_layout",
    "column_layout", "scope_layout", "picture_layout", "kept_arrangement", "view_model", "colour_modes", "svg_drawing",
    "value_charts", "cards", "stage_bar", "memory_charts", "run_bar", "loop_slider", "overview_map", "moving_boxes",
    "window_place", "page_state", "passing_scopes", "run_player", "node_search", "page_address", "narrow_window",
    "drawing_copy", "gestures", "save_picture",
)  # fmt: skip


def html_page(
    drawn: Picture | GraphLike,
    stages: Explanation | None = None,
    run: RunMetadata | RunRecord | None = None,
    *,
    fetches: object = (),
    depth: int | None = None,
    hide: Iterable[str] = (),
    title: str = "",
    memory: MemoryPlan | None = None,
    fed: Mapping[str, tuple[int, ...]] | None = None,
    colour: str = "kind",
    constants: Constants = "labels",
    direction: Direction = "auto",
    context: Context = "dim",
) -> str:
    """A complete HTML document that shows a picture or a graph and needs no network.

    Args:
        drawn: a `Picture`, or a graph, which adds a card to each box: its op, shapes, and the line that made it.
        stages: the result of `session.explain(fetches, feed_dict)`: a slider from the built graph to the plan.
        run: the `RunMetadata` of a run, or its record: a slider over its steps, with times, bytes and values.
        fetches, depth, hide, title, constants, context: as in `picture_of`; scopes closed by `depth` can be opened.
        memory: what `session.memory` gives for that run.
        fed: the shapes of the fed arrays by tensor name, from which the shapes of the run follow.
        colour: the meaning of the colours when the page opens: "kind", "type", "dtype" or "device"; for a plan also
            "order" and "group"; for a run also "time", "bytes", "memory" and "health".
        direction: the way in which arrows point, "auto", "down" or "right"; a `Picture` has its own.

    Returns:
        The text of an .html file.

    Raises:
        ValueError: a fetch names nothing in the graph, `stages` are given without a graph, or there is no such colour.

    >>> page = html_page(Picture("two"))
    >>> page.splitlines()[0], "src=" in page
    ('<!DOCTYPE html>', False)
    """
    if not isinstance(drawn, Picture):
        record = run.record if isinstance(run, RunMetadata) else run
        known_colour(colour, OF_RUN if record is not None else OF_PLAN if stages is not None else OF_GRAPH)
        hidden = as_patterns(hide)
        options = PageOptions(fetches, depth, hidden, title, memory, fed or {}, colour, constants, direction, context)
        return page_text(data_of_graph(drawn, stages, record, options))
    if stages is not None:
        raise ValueError(
            "html_page(stages): a Picture was given; stages are drawn from the graph itself. Give the graph."
        )
    return page_text(data_of_picture(drawn))


def page_of_run(
    graph: GraphLike,
    session: Session,
    fetches: object,
    feeds: Mapping[Any, Any] | Sequence[Any] | None,
    **options: Any,
) -> str:
    """The page of a graph with its stages and one recorded run of `session.run(fetches, feeds)`.

    If `feeds` is a list of tensors, there are no values to run with, and the page has the stages alone.

    Raises:
        ValueError: nothing is fetched, or the session runs another graph; and whatever the run raises.
    """
    if session.graph is not graph:
        raise ValueRuleError(
            f"the session runs {session.graph!r}, the exported graph is {graph!r}; a run of one does not belong on the "
            "page of the other. Export session.graph", attempt="export(session)",
        )  # fmt: skip
    if fetches == ():
        raise ValueRuleError("a run is to be shown, and nothing is fetched", attempt="export(fetches=None)")
    metadata = None
    if feeds is None or isinstance(feeds, Mapping):
        metadata = RunMetadata()
        session.run(fetches, feeds, RunOptions(values=True), metadata)
    found = session.explain(fetches, feeds)
    return html_page(graph, found, metadata, memory=session.memory(fetches, feeds), **options)


def page_of_record(record: RunRecord, **options: Any) -> str:
    """The page of a recorded run: with the stages from the graph to the plan, if the graph still exists.

    Otherwise the steps of the plan are drawn. Options: depth, hide, title, colour, constants, direction.
    """
    graph = record.graph
    if graph is None or not record.fetches:
        return _page_of_steps(record.plan, record, **{"title": "run", **options})
    load("penstock.runtime.observe.explain")
    from ...runtime.observe.explain import (
        explain,  # it imports all passes and the compiler's listings
    )

    fed = tuple(graph.get_tensor_by_name(name) for name, _ in record.plan.user_feeds)
    fetches = [graph.as_graph_element(name) for name in record.fetches]
    shapes = tuple(each.shape for each in record.feeds[: len(fed)])
    run = None if record.memory is None else (record.plan, record.memory)
    found = explain(graph, fetches, fed, record.config or SessionConfig(), shapes, run)
    return html_page(graph, found, record, memory=record.memory, **{"title": "run", **options})


def page_of_plan(plan: Plan, title: str = "plan", **options: Any) -> str:
    """The page of a plan: its steps in order, with what each step reads, makes and frees.

    Options: depth, hide, colour, constants, direction.
    """
    return _page_of_steps(plan, None, title, **options)


def _page_of_steps(
    plan: Plan,
    run: RunRecord | None,
    title: str,
    *,
    depth: int | None = None,
    hide: Iterable[str] = (),
    colour: str = "kind",
    constants: Constants = "labels",
    direction: Direction = "auto",
) -> str:
    known_colour(colour, OF_PLAN if run is None else OF_RUN)
    if run is None:
        picture = picture_of_plan(plan, title, hide=hide, constants=constants)
    else:
        picture = picture_of_record(run, title, hide=hide, constants=constants)
    memory = None if run is None else run.memory
    options = PageOptions(depth=depth, colour=colour, direction=direction)
    return page_text(data_of_plan(plan, run, picture, memory, options))


def page_text(data: dict[str, Any]) -> str:
    """The document around the data."""
    return page_around(data["title"], page_json(data))


def page_json(data: dict[str, Any]) -> str:
    """The data as the text of the data element."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")  # the data cannot end the script element
    return text


def page_around(title: str, data: str, program: str = "", style: str = "") -> str:
    """The document around `data`, the text of its data element.

    program: what stands in place of the usual program. style: what follows the usual style.
    """
    parts = {
        "title": escape(shorten(title, 120)),
        "style": page_rules() + page_part("page.css") + style,
        "data": data,
        "program": program or _program(),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page_part("page.html"))


def data_in(page: str) -> str:
    """The text of the data element of a page."""
    return page.partition('<script id="data" type="application/json">')[2].partition("</script>")[0]


@cache
def _program() -> str:
    return program_of("", SCRIPTS, "")


def program_of(first: str, scripts: Sequence[str], last: str) -> str:
    """Scripts of the page between two others, as one function: no name of them reaches the page's global scope."""
    parts = [first, *(page_part(f"{name}.js") for name in scripts), last]
    return "\n".join(['(() => {\n"use strict";', *filter(None, parts), "})();"])


@cache
def page_part(name: str) -> str:
    """The text of a file of `show/page/`, `show/play/` or of a folder in them, whose names differ."""
    return _page_files()[name].read_text("utf-8")


@cache
def _page_files() -> dict[str, Traversable]:
    load("importlib.resources")
    from importlib.resources import files  # 2 ms, only for pages

    parents = [files(__package__.rpartition(".")[0]) / folder for folder in ("page", "play")]
    folders = [each for parent in parents for each in (parent, *parent.iterdir()) if each.is_dir()]
    return {each.name: each for folder in folders for each in folder.iterdir()}
