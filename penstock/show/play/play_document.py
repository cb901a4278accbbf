"""The page that computes: the graph with its stages, the data of `play_data`, and the scripts that run plans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from ...graph.model.nodes import Graph
from ...runtime.base.session_config import SessionConfig
from ...runtime.session.session import Session
from ..content.colour_scales import OF_GRAPH, known_colour
from ..content.constant_labels import Constants
from ..content.picture import Direction
from ..page.page_document import SCRIPTS, page_around, page_json, page_part, program_of
from ..page.page_views import PageOptions, as_patterns, data_of_play
from .compact_script import compact_script
from .play_data import EDITABLE, play_data
from .play_plan import ops_in, plans_inside, why_not_run
from .play_scripts import VIEW_SCRIPTS, needed_scripts

if TYPE_CHECKING:
    from ...runtime.observe.explain import Explanation

_FEW = 12
"""So many constants are drawn as boxes."""
_AFTER = 2
"""The scripts of the usual page that come last, because they draw: gestures and what saves the picture."""


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
    constants: Constants | None = None,
    direction: Direction = "auto",
) -> str:
    """The text of a page in which a reader edits values and sees what follows.

    Args:
        graph: the graph.
        fetches, feeds, session: see `play_data`.
        depth, hide, title, colour, direction: as in `html_page`.
        constants: "labels" or "boxes"; None draws a few constants as boxes, whose cells can be edited in the drawing.

    Raises:
        ValueError: see `play_data`.
    """
    known_colour(colour, OF_GRAPH)
    played = play_data(graph, fetches, feeds, session)
    fed = {name: tuple(facts["shape"]) for name, facts in played["feeds"] if name not in played["constants"]}
    if constants is None:
        constants = "boxes" if len(played["constants"]) <= _FEW else "labels"
    options = PageOptions(played["asked"], depth, as_patterns(hide), title, None, fed, colour, constants, direction)
    explained = _explained(graph, played, feeds)
    data, names, inside = data_of_play(graph, explained, options, lambda plan, step: not why_not_run(plan, step))
    played["names"] = names
    for plan, known in zip(plans_inside(played["plans"]["written"]), inside, strict=True):
        plan["constantNames"] = [
            f"{name}:0" if len(constant["data"]) <= EDITABLE else ""
            for name, (_, constant) in zip(known, plan["constants"], strict=False)
        ]
    types = frozenset(op for plan in played["plans"].values() for op in ops_in(plan))
    return page_around(data["title"], page_json({**data, "play": played}), _program(types), page_part("play.css"))


def _explained(graph: Graph, played: Mapping[str, Any], feeds: Mapping[Any, Any] | None) -> dict[str, Explanation]:
    """How each plan of the page is made."""
    constants = {name: graph.get_tensor_by_name(name) for name in played["constants"]}
    fed: dict[Any, Any] = dict(feeds or {})
    free = {**fed, **{tensor: tensor.op.args[0] for tensor in constants.values()}}
    found = {}
    config = SessionConfig()
    with Session(graph=graph, config=config) as player, Session(graph=graph, config=config.as_written()) as writing:
        for name in played["plans"]:
            session = writing if name == "written" else player
            found[name] = session.explain(played["asked"], fed if name == "optimised" else free)
    return found


@cache
def _program(types: frozenset[str]) -> str:
    """The scripts of a page that computes ops of these types."""
    first, last = SCRIPTS[:-_AFTER], SCRIPTS[-_AFTER:]
    needed = needed_scripts(types, "\n".join([page_part(f"{name}.js") for name in VIEW_SCRIPTS]))
    return compact_script(program_of("", [*needed, *first, *VIEW_SCRIPTS, *last], ""))
