"""`plan.export(path)` and `record.export(path)`: a picture, a page, data or text, by the suffix of the path.

A recorded run can also be written as a timeline. Its suffix has two parts because it is JSON too: run.trace.json or
run.perfetto.json.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath

from ...printable_text import printable_lines
from ...runtime.observe.run_record import RunRecord
from ...runtime.planning.plan import Plan
from ..content.from_plan import picture_of_plan, picture_of_record
from ..content.picture import Picture
from ..content.screen_fit import fit_screen
from ..page.page_document import page_of_plan, page_of_record
from .export import PICTURE_JSON, WRITERS, constants_in, export_picture, scale_is_for_png, write_text
from .export_options import ExportOptions
from .run_json import plan_json, run_json
from .svg_to_image import IMAGES
from .terminal_tree import text_tree
from .timeline import SUFFIXES as TIMELINES
from .timeline import timeline_text


def export_run(drawn: Plan | RunRecord, target: FilePath, options: ExportOptions) -> FilePath:
    """Write a plan or a recorded run to `target` in the form that the suffix names, and return the path.

    Raises ValueError for an unknown suffix or colour, or an option of graphs; OSError if the file cannot be written.
    """
    if options.play:
        kind = "plan" if isinstance(drawn, Plan) else "recorded run"
        raise ValueError(f"{options.call}(play=True): a {kind} was given; a page computes a graph. Write "
                         "graph.export(path, feeds=..., play=True)")  # fmt: skip
    for name in ("fetches", "feeds", "session"):
        if getattr(options, name) is not None:
            kind = "plan" if isinstance(drawn, Plan) else "recorded run"
            raise ValueError(f"{options.call}({name}=...): a {kind} has fetches and feeds of its own; leave {name} out")
    name = target.name.lower()
    suffix = next((each for each in TIMELINES if name.endswith(each)), target.suffix.lower())
    scale_is_for_png(target, suffix, options.scale)
    if suffix in IMAGES:
        return export_picture(_picture(drawn, target, options), target, scale=options.scale)
    write_text(target, _text(drawn, suffix, target, options))
    return target


def _text(drawn: Plan | RunRecord, suffix: str, target: FilePath, options: ExportOptions) -> str:
    if suffix in TIMELINES:
        if isinstance(drawn, Plan):
            raise ValueError(
                f"{options.call}({str(target)!r}): a plan was given; a timeline shows when steps ran, and a plan has "
                "not run. Record a run: session.run(..., run_metadata=metadata), then metadata.record.export(path)."
            )
        return timeline_text(drawn, options.title or "run")
    if suffix == ".html":
        asked = {**options.drawing, "direction": options.direction}
        if isinstance(drawn, Plan):
            return page_of_plan(drawn, options.title or "plan", **asked)
        return page_of_record(drawn, title=options.title or "run", **asked)
    if suffix == ".json":
        return plan_json(drawn) if isinstance(drawn, Plan) else run_json(drawn)
    writer = WRITERS.get(suffix)
    if writer is None:
        found = f"the suffix {target.suffix!r}" if target.suffix else "no suffix"
        known = sorted({*WRITERS, *IMAGES, *(TIMELINES if isinstance(drawn, RunRecord) else ())} - {PICTURE_JSON})
        kind = "plan" if isinstance(drawn, Plan) else "recorded run"
        raise ValueError(
            f"{options.call}({str(target)!r}): the path has {found}; a {kind} is written as {', '.join(known)}. "
            f"Write for example {target.stem + '.svg'!r}."
        )
    picture = _picture(drawn, target, options)
    return f"{_table(drawn)}\n\n{text_tree(picture, options.full_names)}" if suffix == ".txt" else writer(picture)


def _picture(drawn: Plan | RunRecord, target: FilePath, options: ExportOptions) -> Picture:
    asked = {**options.drawing, "repeats": options.repeats or "each"}
    asked["constants"] = options.constants or constants_in(target.suffix.lower())
    if isinstance(drawn, Plan):
        picture = picture_of_plan(drawn, options.title or "plan", **asked)
    else:
        picture = picture_of_record(drawn, options.title or "run", **asked)
    picture = replace(picture, direction=options.direction)
    is_still = options.depth is None and target.suffix.lower() in (".svg", *IMAGES)
    return fit_screen(picture) if is_still else picture


def _table(drawn: Plan | RunRecord) -> str:
    """The plan or the run as it prints: one step per line."""
    text = str(drawn) if isinstance(drawn, Plan) else f"{drawn.headline}\n{drawn.table()}"
    return printable_lines(text)
