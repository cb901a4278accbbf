"""The page that computes: the graph with its stages, the data of `play_data`, and the scripts that run plans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from ..graph.nodes import Graph
from ..runtime.session.session import Session
from .colour_scales import OF_GRAPH, known_colour
from .constant_labels import Constants
from .page_document import SCRIPTS, page_around, page_json, page_part, program_of
from .page_views import PageOptions, as_patterns, data_of_graph
from .picture import Direction
from .play_data import play_data
from .play_scripts import VIEW_SCRIPTS, play_script


def play_page(
    graph: Graph,
    fetches: Any,
    feeds: Mapping[Any, Any] | None,
    session: Session | None,
    *,
    depth: int | None = None,
    hide: Iterable[str] = (),
    title: str = "",
    colour: str = "kind",
    constants: Constants = "labels",
    direction: Direction = "auto",
) -> str:
    """The text of a page in which a reader edits values and sees what follows.

    Args:
        graph: the graph.
        fetches, feeds, session: see `play_data`.
        depth, hide, title, colour, constants, direction: as in `html_page`.

    Raises:
        ValueError: see `play_data`.
    """
    known_colour(colour, OF_GRAPH)
    played = play_data(graph, fetches, feeds, session)
    fed = {name: tuple(made["shape"]) for name, made in played["feeds"] if name not in played["constants"]}
    with Session(graph=graph) as looking:
        stages = looking.explain(played["asked"], dict(feeds or {}))
    options = PageOptions(played["asked"], depth, as_patterns(hide), title, None, fed, colour, constants, direction)
    data = {**data_of_graph(graph, stages, None, options), "play": played}
    return page_around(data["title"], page_json(data), _program())


@cache
def _program() -> str:
    views = "\n".join([page_part(f"play/{name}.js") for name in VIEW_SCRIPTS])
    return compact(program_of(play_script(), SCRIPTS, views))


def compact(script: str) -> str:
    """A script without indentation and lines of comments; no text in it goes over the end of a line."""
    lines = [line.strip() for line in script.splitlines()]
    return "\n".join([line for line in lines if line and not line.startswith("//")])
