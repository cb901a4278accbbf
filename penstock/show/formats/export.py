"""Writing a picture to a file, in the form that the suffix of the path names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path as FilePath

from ...errors import ValueRuleError
from ...graph.serial.atomic_write import write_bytes
from ..content.constant_labels import Constants
from ..content.picture import Picture
from ..page.page_document import html_page
from .dot import dot_text
from .graphml import graphml_text
from .mermaid import mermaid_text
from .picture_json import json_text
from .svg import svg_text
from .svg_to_image import IMAGES, SCALED, image_of_svg
from .terminal_tree import text_tree

PICTURE_JSON = ".picture.json"
"""The suffix of a picture as data; in `graph.export`, .json alone is the saved graph."""
WRITERS: dict[str, Callable[[Picture], str]] = {
    ".dot": dot_text,
    ".graphml": graphml_text,
    ".html": html_page,
    ".json": json_text,
    ".mmd": mermaid_text,
    PICTURE_JSON: json_text,
    ".svg": svg_text,
    ".txt": text_tree,
}
DATA = (".graphml", ".json", PICTURE_JSON)
"""The suffixes of pictures as data, for other programs."""
SAVED = (".json", ".pb", ".pbtxt")
"""The suffixes of saved graphs: `graph.export` writes what `save_graph` does."""
ONNX = ".onnx"
"""The suffix of models for other programs: `graph.export` writes what `save_onnx` does."""


def constants_in(suffix: str) -> Constants:
    """How a form draws constants unless it is told: forms that programs read hold every node."""
    return "boxes" if suffix in (".graphml", PICTURE_JSON) else "labels"


def suffix_of(target: FilePath) -> str:
    """The suffix in lower case, `.picture.json` as one."""
    return PICTURE_JSON if target.name.lower().endswith(PICTURE_JSON) else target.suffix.lower()


def export_picture(
    picture: Picture, path: str | os.PathLike[str], *, full_names: bool = False, scale: float | None = None
) -> FilePath:
    """Writes a picture to a file, in the form that the suffix names.

    Args:
        picture: the picture.
        path: a path that ends with .dot, .graphml, .html, .json or .picture.json, .mmd, .pdf, .png, .svg or .txt.
        full_names: whether a text tree (.txt) shows full names.
        scale: the pixels for one unit of the SVG, for .png; 2 by default.

    Returns:
        The path.

    Raises:
        ImportError: .png or .pdf, and the extra `penstock[pictures]` is not installed.
        ValueError: another suffix, or a scale with another form than .png.
        OSError: the file cannot be written; then no file is left behind.

    >>> import pathlib, tempfile
    >>> from penstock.show import Box, Picture, export_picture
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(export_picture(Picture("t", (Box("a", "a"),)), pathlib.Path(folder, "t.svg")).name)
    t.svg
    """
    target = FilePath(path)
    suffix = suffix_of(target)
    scale_is_for_png(target, suffix, scale)
    if suffix in IMAGES:
        write_bytes(target, image_of_svg(svg_text(picture), suffix, scale))
        return target
    writer = WRITERS.get(suffix)
    if writer is None:
        attempt = f"export_picture({str(target)!r})"
        found = f"the suffix {target.suffix!r}" if target.suffix else "no suffix"
        if suffix in SAVED:
            words = "a picture was given; a GraphDef holds a graph, not a picture. Write graph.export(path)"
            raise ValueRuleError(words, attempt=attempt)
        raise ValueRuleError(
            f"the path has {found}; supported suffixes are {', '.join(sorted({*WRITERS, *IMAGES, *SAVED, ONNX}))}. "
            f"Write for example {target.stem + '.svg'!r}", attempt=attempt,
        )  # fmt: skip
    write_text(target, text_tree(picture, full_names) if writer is text_tree else writer(picture))
    return target


def scale_is_for_png(target: FilePath, suffix: str, scale: float | None) -> None:
    """Refuse a scale for a form that has none."""
    if scale is not None and suffix != SCALED:
        raise ValueRuleError(
            f"only {SCALED} has a scale, in pixels. Leave it out, or write for example {target.stem + SCALED!r}",
            attempt=f"export({str(target)!r}, scale={scale!r})",
        )


def write_text(target: FilePath, text: str) -> None:
    """Write `text` to `target` in one step."""
    # Names that were not decodable hold surrogates, which UTF-8 cannot encode.
    write_bytes(target, text.encode("utf-8", "backslashreplace"))
