"""The text of a lesson for a terminal: lines of its width, headings in bold where there are colours."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from pathlib import Path

from .lesson_text import Block, blocks, without_links

WIDEST, NARROWEST = 92, 40


def terminal_width() -> int:
    """The width of lines: that of the terminal, but not so wide that lines are hard to read."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size((80, 24)).columns - 1))


def has_colours() -> bool:
    """Whether the output is a terminal that shows bold letters."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def terminal_text(text: str, folder: Path, width: int, colours: bool = False) -> str:
    """The text for a terminal of this width; `folder` is where its pictures are."""
    lines: list[str] = []
    before = ""
    for block in blocks(text):
        if lines and not block.kind == before == "item":
            lines.append("")
        lines += _lines(block, folder, width, colours)
        before = block.kind
    return "\n".join(lines)


def wrapped(text: str, width: int, indent: str = "") -> str:
    """Paragraphs in lines of this width; lines that begin with four spaces stay as they are."""
    lines = []
    for line in text.splitlines():
        if line.startswith("    ") or not line.strip():
            lines.append((indent + line).rstrip())
        else:
            lines += _wrap(line, width, indent, indent)
    return "\n".join(lines)


def _lines(block: Block, folder: Path, width: int, colours: bool) -> list[str]:
    text = without_links(block.text)
    if block.kind == "code":
        indent = "  | " if block.mark == "text" else "    "  # what a program prints has a line beside it
        return [f"{indent}{line}".rstrip() for line in block.text.split("\n")]
    if block.kind == "picture":
        return _wrap(f"[picture: {text}. {folder / block.mark}]", width, "    ", "    ")
    if block.kind == "item":
        return _wrap(text, width, f"{block.mark} ", " " * (len(block.mark) + 1))
    if block.kind == "heading":
        line = "=" if block.mark == "#" else "-"
        return [f"\033[1m{text}\033[0m" if colours else text, line * min(len(text), width)]
    return _wrap(text, width, "", "")


def _wrap(text: str, width: int, first: str, rest: str) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False,
                         break_on_hyphens=False) or [first.rstrip()]  # fmt: skip
