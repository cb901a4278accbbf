"""`graph.export(path)`: a picture, a page or the graph itself, by the suffix of the path.

A page (.html) with feeds also shows the stages from the graph to the plan, and one recorded run of the fetches.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from ...cluster.placing.prediction import Prediction
from ...errors import ValueRuleError
from ...graph.common.lazy_import import load
from ...graph.common.tracebacks import hides_frames
from ...graph.model.nodes import Graph
from ...interchange.graph_files import save_graph
from ...interchange.onnx_files import save_onnx
from ...runtime.base.fp_context import collector_paused
from ...runtime.observe.data_flow import DataFlow
from ...runtime.observe.race_search import usual_fetches
from ...runtime.observe.run_record import RunRecord
from ...runtime.planning.plan import Plan
from ...runtime.session.session import Session
from ..content.colour_scales import OF_GRAPH, by_name, known_colour, painted
from ..content.constant_labels import Constants
from ..content.from_data_flow import picture_of_data_flow
from ..content.from_graph import Context, GraphLike, graph_picture
from ..content.from_plan import picture_of_plan
from ..content.from_prediction import picture_of_prediction
from ..content.idle_patterns import warn_of_idle_patterns
from ..content.nested_graphs import with_insides
from ..content.picture import Direction, Picture
from ..content.repeated_scopes import Repetition, with_scopes
from ..content.screen_fit import fit_screen
from ..page.page_document import html_page, page_of_run
from .export import (
    DATA,
    ONNX,
    PICTURE_JSON,
    SAVED,
    constants_in,
    export_picture,
    scale_is_for_png,
    suffix_of,
    write_text,
)
from .export_options import ExportOptions
from .export_run import export_run
from .svg_to_image import IMAGES

_PAGE = ".html"
PYTHON = ".py"
"""The suffix of a program that builds the graph again."""


@hides_frames
def export(
    drawn: GraphLike | Plan | RunRecord,
    path: str | os.PathLike[str],
    *,
    fetches: Any = None,
    feeds: Mapping[Any, Any] | Sequence[Any] | None = None,
    session: Session | None = None,
    depth: int | None = None,
    hide: str | Iterable[str] = (),
    repeats: Repetition | None = None,
    title: str = "",
    colour: str = "kind",
    constants: Constants | None = None,
    direction: Direction = "auto",
    full_names: bool = False,
    scale: float | None = None,
    play: bool = False,
    context: Context | None = None,
    opset: int | None = None,
) -> FilePath:
    """Writes a graph, a plan or a recorded run to a file, in the form that the suffix names.

    Args:
        drawn: a graph, a plan, a `RunRecord`, or a stage.
        path: as in `Graph.export`, `Plan.export` or `RunRecord.export`.
        fetches, feeds, session, play, context, opset: as in `Graph.export`; of a graph only.
        depth, hide, repeats, title, colour, constants, direction, full_names, scale: as there.

    Returns:
        The path.

    Raises:
        ImportError: .png or .pdf without the extra `penstock[pictures]`.
        TypeError: an option is of another type.
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
    return export_as(
        "show.export", drawn, path,
        fetches=fetches, feeds=feeds, session=session, depth=depth, hide=hide, repeats=repeats, title=title,
        colour=colour, constants=constants, direction=direction, full_names=full_names, scale=scale, play=play,
        context=context, opset=opset,
    )  # fmt: skip


def export_as(
    call: str, drawn: GraphLike | Plan | RunRecord | Prediction, path: str | os.PathLike[str], **options: Any
) -> FilePath:
    """See `export`; `call` is what errors name, `options` are those of `ExportOptions`."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{call}({path!r}): the path is a text or a pathlib.Path, not {type(path).__name__}")
    asked = ExportOptions(call=call, **options).checked()
    target = FilePath(path)
    if asked.hide and not isinstance(drawn, Prediction):
        warn_of_idle_patterns(call, _names(drawn), tuple(asked.hide))
    try:
        with collector_paused():  # a picture makes many objects and no garbage
            if isinstance(drawn, (Plan, RunRecord)):
                return export_run(drawn, target, asked)
            if isinstance(drawn, DataFlow):
                if suffix_of(target) == ".txt":
                    write_text(target, str(drawn))
                    return target
                return export_picture(picture_of_data_flow(drawn), target, scale=asked.scale)
            if isinstance(drawn, Prediction):
                return export_picture(picture_of_prediction(drawn, asked.title), target, scale=asked.scale)
            return _export_graph(drawn, target, asked)
    except ValueRuleError as error:  # of a function of this package that draws: the user called another
        argument = error.attempt.partition("(")[2] or f"{str(target)!r})"
        raise ValueRuleError(error.message, attempt=f"{call}({argument}", code=error.code) from None


def _names(drawn: Any) -> list[str]:
    """The names of what could be drawn of a graph or a stage, a plan, or a record."""
    if isinstance(drawn, (Plan, RunRecord)):
        plan = drawn.plan if isinstance(drawn, RunRecord) else drawn
        return [box.id for box in picture_of_plan(plan, constants="boxes").boxes]
    return [op.name for op in with_insides(drawn.get_operations())]


def _export_graph(graph: GraphLike, target: FilePath, options: ExportOptions) -> FilePath:
    suffix = suffix_of(target)
    scale_is_for_png(target, suffix, options.scale)
    if suffix == ONNX:
        return _onnx(graph, target, options)
    if options.opset is not None:
        raise ValueError(f"{options.call}({str(target)!r}, opset={options.opset!r}): only {ONNX} files have an opset. "
                         "Leave it out")  # fmt: skip
    if suffix == _PAGE:
        write_text(target, _page(graph, replace(options, title=options.title or target.stem)))
        return target
    if options.play:
        raise ValueError(
            f"{options.call}({str(target)!r}, play=True): only a page ({_PAGE}) computes. Write for example "
            f"{target.stem + _PAGE!r}, or leave play out."
        )
    if options.session is not None or options.feeds is not None:
        raise ValueError(
            f"{options.call}({str(target)!r}): a session or feeds were given; only a page ({_PAGE}) shows a run. "
            f"Write for example {target.stem + _PAGE!r}, or leave them out."
        )
    if suffix == PYTHON:
        if not isinstance(graph, Graph):
            raise ValueError(f"{options.call}({str(target)!r}): a program builds a Graph, not a {type(graph).__name__}")
        load("penstock.repro.graph_text")
        from ...repro.graph_text import graph_text  # its table of functions is needed for such texts only

        write_text(target, graph_text(graph))
        return target
    if suffix in SAVED and isinstance(graph, Graph):
        if options.hide:
            raise ValueError(
                f"{options.call}({str(target)!r}, hide=...): {suffix} is the saved graph, which is always whole. Leave "
                f"hide out, or write {target.stem + PICTURE_JSON!r} for the picture as data."
            )
        return save_graph(graph, target)
    asked: dict[str, Any] = {"fetches": options.fetched, "hide": options.hide, "title": options.title}
    asked["context"] = options.context or ("dim" if suffix in DATA else "cut")
    picture = graph_picture(graph, constants=options.constants or constants_in(suffix), **asked)
    if options.colour != "kind":
        picture = _painted(picture, graph, options.colour)
    usual: Repetition | None = None if suffix in DATA else "fold"
    picture = replace(with_scopes(picture, options.repeats or usual, options.depth), direction=options.direction)
    if options.depth is None and suffix in (".svg", *IMAGES):
        picture = fit_screen(picture)
    return export_picture(picture, target, full_names=options.full_names, scale=options.scale)


def _onnx(graph: GraphLike, target: FilePath, options: ExportOptions) -> FilePath:
    if not isinstance(graph, Graph):
        found = type(graph).__name__
        raise ValueError(f"{options.call}({str(target)!r}): a {found} was given; a Graph becomes a model")
    feeds = list(options.feeds) if isinstance(options.feeds, Mapping) else options.feeds
    fetches = options.fetches if options.fetches not in (None, [], ()) else usual_fetches(graph)
    chosen = {} if options.opset is None else {"opset": options.opset}
    save_onnx(target, fetches, feeds, graph, options.session, **chosen)
    return target


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


def _play(graph: GraphLike, options: ExportOptions, asked: dict[str, Any]) -> str:
    if not isinstance(graph, Graph):
        raise ValueError(f"{options.call}(play=True): a {type(graph).__name__} was given; only a Graph can be run")
    if options.feeds is not None and not isinstance(options.feeds, Mapping):
        raise TypeError(f"{options.call}(play=True, feeds={options.feeds!r}): a page that computes needs values. Give "
                        "a dict from placeholders to arrays")  # fmt: skip
    if options.session is not None and options.session.graph is not graph:
        raise ValueError(f"{options.call}(session=..., play=True): the session runs {options.session.graph!r}, the "
                         f"exported graph is {graph!r}. Export session.graph")  # fmt: skip
    load("penstock.show.play.play_document")
    from ..play.play_document import play_page  # its data and scripts are needed for such pages only

    asked["constants"] = options.constants
    return play_page(graph, options.fetches, options.feeds, options.session, **asked)


def _page(graph: GraphLike, options: ExportOptions) -> str:
    asked = {**options.drawing, "title": options.title, "direction": options.direction}
    if options.play:
        return _play(graph, options, asked)
    if options.session is None and options.feeds is None:
        return html_page(graph, fetches=options.fetched, context=options.usual_context, **asked)
    session = options.session
    if session is None:
        if not isinstance(graph, Graph):
            raise ValueError(f"{options.call}(feeds=...): a {type(graph).__name__} was given; only a Graph can be run")
        session = Session(graph=graph)
        if isinstance(options.feeds, Mapping):
            load("penstock.show.play.play_data")
            from ..play.play_data import initialize_for  # only where a page shows a run

            initialize_for(session, options.fetched, options.feeds)
    return page_of_run(graph, session, options.fetched, options.feeds, **asked)
