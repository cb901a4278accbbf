"""Writing a picture to a file, in the form that the suffix of the path names.

The file is written beside its final place and moved there in one step. A reader sees the old picture or the new one,
never half of one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path as FilePath

from .dot import dot_text
from .graphml import graphml_text
from .mermaid import mermaid_text
from .page_document import html_page
from .picture import Picture
from .picture_json import json_text
from .svg import svg_text
from .terminal_tree import text_tree

WRITERS: dict[str, Callable[[Picture], str]] = {
    ".dot": dot_text,
    ".graphml": graphml_text,
    ".html": html_page,
    ".json": json_text,
    ".mmd": mermaid_text,
    ".svg": svg_text,
    ".txt": text_tree,
}
GRAPH_ONLY = (".pb", ".pbtxt")
"""Suffixes of TensorFlow's GraphDef: `graph.export` writes it, but it cannot be made from a picture."""
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def export_picture(picture: Picture, path: str | os.PathLike[str]) -> FilePath:
    """Write `picture` to `path` (UTF-8) in the form that the suffix names, and return the path.

    Raises ValueError for any other suffix, and OSError if the file cannot be written; then no file is left behind.
    """
    target = FilePath(path)
    writer = WRITERS.get(target.suffix.lower())
    if writer is None:
        found = f"the suffix {target.suffix!r}" if target.suffix else "no suffix"
        if target.suffix.lower() in GRAPH_ONLY:
            raise ValueError(
                f"export_picture({str(target)!r}): a picture was given; a GraphDef holds a graph, not a picture. "
                "Write graph.export(path)."
            )
        raise ValueError(
            f"export_picture({str(target)!r}): the path has {found}; supported suffixes are "
            f"{', '.join(sorted([*WRITERS, *GRAPH_ONLY]))}. Write for example {target.stem + '.svg'!r}."
        )
    write_text(target, writer(picture))
    return target


def write_text(target: FilePath, text: str) -> None:
    """Write `text` to `target` in one step."""
    # As tempfile.mkstemp does, whose import would take 5 ms of the first picture's 60.
    name = target.parent / f".{target.name}.{os.urandom(6).hex()}.tmp"
    try:
        handle = os.open(name, _NEW_FILE, 0o600)
    except OSError as error:
        error.filename = str(target)  # the name that the caller gave
        raise
    try:
        # Names that were not decodable hold surrogates, which UTF-8 cannot encode.
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        os.chmod(name, _usual_mode(target))
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _usual_mode(target: FilePath) -> int:
    """The mode of the file that is replaced, else the mode that `open` would give."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
