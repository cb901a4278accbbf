"""In which form does a picture go to disk? The suffix of the path says so.

The file is written beside its final place and moved there in one step: a reader sees the old picture or
the new one, never half of one.
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
"""TensorFlow's GraphDef holds a graph; `graph.export` writes it, but a picture is not enough to make one."""
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def export_picture(picture: Picture, path: str | os.PathLike[str]) -> FilePath:
    """Writes `picture` to `path` (UTF-8), in the form that the suffix names, and returns the path.

    Raises ValueError for any other suffix, and OSError as the file system does; then nothing is left behind.
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
    """Writes `text` to `target` in one step."""
    # As tempfile.mkstemp makes one; importing that takes 5 ms of the first picture's 60.
    name = target.parent / f".{target.name}.{os.urandom(6).hex()}.tmp"
    try:
        handle = os.open(name, _NEW_FILE, 0o600)
    except OSError as error:
        error.filename = str(target)  # the one that the caller knows
        raise
    try:
        # Surrogates that came in with undecodable names must not make a picture impossible.
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        os.chmod(name, _usual_mode(target))
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _usual_mode(target: FilePath) -> int:
    """The mode of the file that is replaced, else the one `open` would give: mkstemp's is 0600."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
