"""`graph.export(path)`: a picture, a page or the graph itself, by the suffix of the path.

With a session a page also shows the passes and one recorded run of the fetches, each as a slider.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any

from ..graph.near_names import did_you_mean
from ..graph.nodes import Graph
from ..interchange.graph_files import save_graph
from ..runtime.base.fp_context import collector_paused
from ..runtime.observe.run_record import RunRecord
from ..runtime.planning.plan import Plan
from ..runtime.session.session import Session
from .closed_scopes import collapse
from .colour_scales import OF_GRAPH, by_name, known_colour, painted
from .export import GRAPH_ONLY, export_picture, scale_is_for_png, write_text
from .export_run import export_run
from .from_graph import GraphLike, picture_of
from .nested_graphs import with_insides
from .page_document import html_page, page_of_run
from .picture import Picture

_PAGE = ".html"


def export(drawn: GraphLike | Plan | RunRecord, path: str | os.PathLike[str], **options: Any) -> FilePath:
    """Writes a graph, a plan or a recorded run to a file, in the form that the suffix names.

    Args:
        drawn: a graph, a plan, a `RunRecord`, or a stage.
        path: a path with one of the suffixes that docs/looking.md lists.
        options: those of `export_graph` or `export_run`, such as depth, hide, title and colour.

    Returns:
        The path.

    Raises:
        TypeError: there is no such option.
        ValueError: another suffix, or a value that an option does not take.
        OSError: the file cannot be written.

    >>> import pathlib, tempfile, penstock as tf
    >>> from penstock.show import export
    >>> with tf.Graph().as_default() as g:
    ...     a = tf.constant(1, name="a")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(export(g, pathlib.Path(folder, "graph.dot"), title="one").name)
    graph.dot
    """
    draw: Callable[..., FilePath] = export_run if isinstance(drawn, (Plan, RunRecord)) else export_graph
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"export({path!r}): the path is a text or a pathlib.Path, not {type(path).__name__}")
    known = [name for name, p in inspect.signature(draw).parameters.items() if p.kind is p.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise TypeError(f"export({os.fspath(path)!r}): no option is called {name!r}{did_you_mean(name, known)}; "
                            f"the options are {', '.join(known)}")  # fmt: skip
    with collector_paused():  # a picture makes many objects and no garbage
        return draw(drawn, path, **options)


def export_graph(
    graph: GraphLike,
    path: str | os.PathLike[str],
    *,
    fetches: object = (),
    depth: int | None = None,
    hide: Iterable[str] = (),
    title: str = "",
    colour: str = "kind",
    full_names: bool = False,
    session: Session | None = None,
    feed_dict: Mapping[Any, Any] | None = None,
    scale: float | None = None,
) -> FilePath:
    """Write `graph` to `path` in the form that the suffix names; options as in `picture_of`.

    colour: the meaning of the colours: "kind", "type" (of the op), "dtype" or "device". A page opens with this one and
    offers all of them. Times and bytes need a recorded run, which has an `export` of its own.

    full_names: whether a text tree (.txt) shows full names, `dense/kernel`, instead of their last parts.

    For a page (.html), `session` with `feed_dict` adds the stages and one recorded run of `fetches`. A GraphDef (.pb,
    .pbtxt) is always the whole graph, whatever the options say.

    scale: the pixels for one unit of the SVG, for .png; 2 by default. Images (.png, .pdf) need the extra
    `penstock[pictures]`; without it the call raises ImportError.

    Raises ValueError for an unknown suffix or colour, for a session or feeds with another form than the page, and for a
    fetch that names nothing; OSError if the file cannot be written; with a session also what the run raises.
    """
    target = FilePath(path)
    suffix = target.suffix.lower()
    if (session is not None or feed_dict is not None) and suffix != _PAGE:
        raise ValueError(
            f"export({str(target)!r}): a session or feed_dict was given; only a page ({_PAGE}) shows a run. "
            f"Write for example {target.stem + _PAGE!r}, or leave them out."
        )
    scale_is_for_png(target, suffix, scale)
    if suffix == _PAGE:
        options = {"depth": depth, "hide": hide, "title": title or "graph", "colour": colour}
        write_text(target, _page(graph, session, feed_dict, fetches, **options))
        return target
    if suffix in GRAPH_ONLY and isinstance(graph, Graph):
        return save_graph(graph, target)
    if colour == "kind":
        drawn = picture_of(graph, fetches=fetches, depth=depth, hide=hide, title=title)
        return export_picture(drawn, path, full_names=full_names, scale=scale)
    picture = _painted(picture_of(graph, fetches=fetches, hide=hide, title=title), graph, colour)
    closed = picture if depth is None else collapse(picture, depth=depth)
    return export_picture(closed, path, full_names=full_names, scale=scale)


def _painted(picture: Picture, graph: GraphLike, colour: str) -> Picture:
    ways: dict[str, Callable[[Any], str]] = {
        "type": lambda op: str(op.type),
        "dtype": lambda op: str(op.outputs[0].dtype.name) if op.outputs else "no result",
        "device": lambda op: getattr(op, "device", "") or "no device asked for",
    }
    known_colour(colour, OF_GRAPH)
    shown = {box.id for box in picture.boxes}
    drawn = with_insides(graph.get_operations())
    return painted(picture, by_name({op.name: ways[colour](op) for op in drawn if op.name in shown}))


def _page(
    graph: GraphLike,
    session: Session | None,
    feed_dict: Mapping[Any, Any] | None,
    fetches: object,
    **options: Any,
) -> str:
    if session is not None:
        return page_of_run(graph, session, fetches, feed_dict, **options)
    if feed_dict is not None:
        raise ValueError(
            "export(feed_dict): values were given but no session; a run needs both. "
            "Add session=tf.Session(graph=graph)."
        )
    return html_page(graph, fetches=fetches, **options)
