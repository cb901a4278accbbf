"""`plan.export(path)` and `record.export(path)`: a picture, a page, data or text, by the suffix of the path.

A recorded run can also be written as a timeline. Its suffix has two parts because it is JSON too: run.trace.json or
run.perfetto.json.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from ..graph.inspect.printable_text import printable
from ..runtime.observe.run_record import RunRecord
from ..runtime.planning.plan import Plan
from .export import WRITERS, export_picture, scale_is_for_png, write_text
from .from_plan import picture_of_plan, picture_of_record
from .page_document import page_of_plan, page_of_record
from .picture import Picture
from .run_json import plan_json, run_json
from .svg_to_image import IMAGES
from .terminal_tree import text_tree
from .timeline import SUFFIXES as TIMELINES
from .timeline import timeline_text


def export_run(
    drawn: Plan | RunRecord,
    path: str | os.PathLike[str],
    *,
    depth: int | None = None,
    hide: Iterable[str] = (),
    title: str = "",
    colour: str = "kind",
    full_names: bool = False,
    scale: float | None = None,
) -> FilePath:
    """Write a plan or a recorded run to `path` in the form that the suffix names, and return the path.

    depth, hide: as in `picture_of`, for pictures and pages.
    colour: the meaning of the colours: "kind", "type", "dtype", "device", "order" or "group"; for a run also "time",
        "bytes", "memory" or "health". A page opens with this one and offers all of them.
    full_names: whether the tree in a text (.txt) shows full names.
    scale: the pixels for one unit of the SVG, for .png; 2 by default.

    Raises ValueError for an unknown suffix or colour, ImportError where .png and .pdf need an extra, and OSError if the
    file cannot be written.
    """
    target = FilePath(path)
    name = target.name.lower()
    suffix = next((each for each in TIMELINES if name.endswith(each)), target.suffix.lower())
    patterns = (hide,) if isinstance(hide, str) else tuple(hide)
    options = _Options(depth, patterns, title, colour, full_names)
    scale_is_for_png(target, suffix, scale)
    if suffix in IMAGES:
        return export_picture(_picture(drawn, options), target, scale=scale)
    write_text(target, _text(drawn, suffix, target, options))
    return target


@dataclass(frozen=True, slots=True)
class _Options:
    depth: int | None
    hide: tuple[str, ...]
    title: str
    colour: str
    full_names: bool


def _text(drawn: Plan | RunRecord, suffix: str, target: FilePath, options: _Options) -> str:
    if suffix in TIMELINES:
        if isinstance(drawn, Plan):
            raise ValueError(
                f"export({str(target)!r}): a plan was given; a timeline shows when steps ran, and a plan has not run. "
                "Record a run: session.run(..., run_metadata=metadata), then metadata.record.export(path)."
            )
        return timeline_text(drawn, options.title or "run")
    if suffix == ".html":
        if isinstance(drawn, Plan):
            return page_of_plan(drawn, options.title or "plan", options.hide, options.colour)
        asked = {"depth": options.depth, "hide": options.hide, "colour": options.colour}
        return page_of_record(drawn, title=options.title or "run", **asked)
    if suffix == ".json":
        return plan_json(drawn) if isinstance(drawn, Plan) else run_json(drawn)
    writer = WRITERS.get(suffix)
    if writer is None:
        found = f"the suffix {target.suffix!r}" if target.suffix else "no suffix"
        known = sorted([*WRITERS, *IMAGES, *(TIMELINES if isinstance(drawn, RunRecord) else ())])
        raise ValueError(
            f"export({str(target)!r}): the path has {found}; a {'plan' if isinstance(drawn, Plan) else 'recorded run'} "
            f"is written as {', '.join(known)}. Write for example {target.stem + '.svg'!r}."
        )
    picture = _picture(drawn, options)
    return f"{_table(drawn)}\n\n{text_tree(picture, options.full_names)}" if suffix == ".txt" else writer(picture)


def _picture(drawn: Plan | RunRecord, options: _Options) -> Picture:
    asked: dict[str, Any] = {"colour": options.colour, "depth": options.depth, "hide": options.hide}
    if isinstance(drawn, Plan):
        return picture_of_plan(drawn, options.title or "plan", **asked)
    return picture_of_record(drawn, options.title or "run", **asked)


def _table(drawn: Plan | RunRecord) -> str:
    """The plan or the run as it prints: one step per line."""
    text = str(drawn) if isinstance(drawn, Plan) else f"{drawn.headline}\n{drawn.table()}"
    return "\n".join(printable(line) for line in text.split("\n"))
