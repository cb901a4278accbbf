"""The text of a lesson for a terminal: lines of its width, headings in bold where there are colours."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from ..graph.inspect.text_table import folded
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
    """Paragraphs in lines of this width; lines that begin with four spaces are not joined, but folded if they are long.
    """
    lines = []
    for line in text.splitlines():
        if line.startswith("    ") or not line.strip():
            lines += [(indent + part).rstrip() for part in folded([line], width - len(indent))]
        else:
            lines += _wrap(line, width, indent, indent)
    return "\n".join(lines)


def program_lines(program: str, width: int) -> list[str]:
    """A program as lines of a terminal, indented; long ones go on below."""
    return [f"    {part}".rstrip() for line in program.split("\n") for part in _folded_code(line, width - 4)]


def _lines(block: Block, folder: Path, width: int, colours: bool) -> list[str]:
    text = without_links(block.text)
    if block.kind == "code":
        if block.mark == "text":  # what a program prints has a line beside it
            return [f"  | {line}".rstrip() for line in folded(block.text.split("\n"), width - 4)]
        return program_lines(block.text, width)
    if block.kind == "picture":
        return _wrap(f"[picture: {text}. {folder / block.mark}]", width, "    ", "    ")
    if block.kind == "item":
        return _wrap(text, width, f"{block.mark} ", " " * (len(block.mark) + 1))
    if block.kind == "heading":
        line = "=" if block.mark == "#" else "-"
        return [f"\033[1m{text}\033[0m" if colours else text, line * min(len(text), width)]
    return _wrap(text, width, "", "")


def _folded_code(line: str, width: int) -> list[str]:
    """A line of a program in several, where it is long, that are the same program: a comment at its end comes before
    it, and it goes on below behind a comma in brackets.

    >>> _folded_code('print(add(first, second), ", ", third)', 30)
    ['print(add(first, second), ", ",', '        third)']
    >>> _folded_code('total = ...  # your turn: the sum of all prices', 30)
    ['# your turn: the sum of all', '# prices', 'total = ...']
    """
    if len(line) <= width:
        return [line]
    margin = line[: len(line) - len(line.lstrip())]
    code, mark, comment = line.partition("  # ")
    if mark and code.strip():
        return [*_wrap(comment, width, f"{margin}# ", f"{margin}# "), *_folded_code(code, width)]
    if line.lstrip().startswith(('"""', "# ")):
        return _wrap(line.lstrip(), width, margin, f"{margin}# " if line.lstrip()[0] == "#" else margin)
    parts: list[str] = []
    while len(line) > width:
        ends = [(-depth, end) for depth, end in _commas_in_brackets(line) if width // 3 < end <= width + 1]
        if not ends:
            break
        end = max(ends)[1]
        parts.append(line[:end])
        line = f"{margin}        {line[end:].lstrip()}"
    return [*parts, line]


def _commas_in_brackets(line: str) -> Iterator[tuple[int, int]]:
    """(how many brackets are open, the place behind it) of each comma that stands in brackets and in no string."""
    depth, quote = 0, ""
    for place, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth > 0:
            yield depth, place + 1


def _wrap(text: str, width: int, first: str, rest: str) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False,
                         break_on_hyphens=False) or [first.rstrip()]  # fmt: skip
