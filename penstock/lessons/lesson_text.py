"""The text of a lesson as blocks: headings, paragraphs, list items, programs, output, pictures.

It is the part of Markdown that the texts use. `<!-- notebook: graph -->` before a picture is the expression that
a notebook shows in its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["heading", "paragraph", "item", "code", "picture"]
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_ITEM = re.compile(r"(-|\d+\.) +")
_NOTEBOOK = re.compile(r"<!-- notebook: (.*?) -->")


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a text.

    Attributes:
        kind: what it is.
        text: its text on one line; of code, its lines; of a picture, the words for it.
        mark: of a heading "#" or "##"; of an item "-" or "1."; of code its language; of a picture its path.
        shown: of a picture, the expression that a notebook shows.
    """

    kind: Kind
    text: str
    mark: str = ""
    shown: str = ""


def blocks(text: str) -> list[Block]:
    """The blocks of a text, in order."""
    text_blocks: list[Block] = []
    shown = ""
    for part in _parts(text):
        lines = part.splitlines()
        picture, notebook = _PICTURE.fullmatch(part.strip()), _NOTEBOOK.fullmatch(part.strip())
        heading = re.fullmatch(r"(#+) +(.*)", part.strip())
        if notebook:
            shown = notebook[1]
            continue
        if part.startswith("```"):
            text_blocks.append(Block("code", "\n".join(lines[1:-1]), lines[0][3:].strip()))
        elif part.startswith("    "):
            text_blocks.append(Block("code", "\n".join(line[4:] for line in lines)))
        elif picture:
            text_blocks.append(Block("picture", picture[1], picture[2], shown))
        elif heading:
            text_blocks.append(Block("heading", heading[2], heading[1]))
        elif _ITEM.match(part):
            for item in re.split(r"\n(?=(?:-|\d+\.) )", part):
                mark, _, rest = item.partition(" ")
                text_blocks.append(Block("item", " ".join(rest.split()), mark))
        else:
            text_blocks.append(Block("paragraph", " ".join(part.split())))
        shown = ""
    return text_blocks


def _parts(text: str) -> list[str]:
    """The text cut at its empty lines, except inside of code."""
    parts: list[str] = []
    current: list[str] = []
    fenced = False
    for line in [*text.splitlines(), ""]:
        if line.startswith("```"):
            fenced = not fenced
        if line.strip() or fenced:
            current.append(line)
        elif current and current[0].startswith("    ") and not fenced:
            current.append(line)  # indented code goes on after an empty line if the next line is indented too
        elif current:
            parts.append("\n".join(current))
            current = []
        if current and current[0].startswith("    ") and line.strip() and not line.startswith("    "):
            parts.append("\n".join(current[:-1]).rstrip())
            current = [line]
    if current:
        parts.append("\n".join(current).rstrip())
    return [part for part in parts if part.strip()]


def without_links(text: str) -> str:
    """`see [State](../state.md)` as `see State (docs/state.md)`, for a reader who has no links."""
    return _LINK.sub(lambda link: f"{link[1]} ({_readable(link[2])})", text)


def _readable(target: str) -> str:
    return target.replace("../", "docs/", 1) if target.startswith("../") else target
