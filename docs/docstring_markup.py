"""Docstrings of Penstock as reStructuredText, for the API reference of the site.

They are plain text: a summary, the sections Args, Attributes, Returns and Raises, examples, and code between single
backticks. `tests/test_public_docstrings.py` holds them to that form, so a line-by-line translation is enough. Outside
of backticks nothing is markup: `2*n` and `|x|` stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

HEADINGS = {"Args": "Arguments", "Attributes": "Attributes", "Returns": "Returns", "Raises": "Raises"}
ENTRY = re.compile(r"    (\*{0,2}\w+(?:, \*{0,2}\w+)*(?: \([^)]+\))?): (\S.*)")
CODE = re.compile(r"`([^`]+)`")
MARKUP = re.compile(r"([\\*|])|(?<=\w)(_)(?!\w)")

PathOf = Callable[[str], str | None]
"""The full name of something public that is described in the reference, or None."""


def restructured(lines: Sequence[str], path_of: PathOf) -> list[str]:
    """A docstring as reStructuredText; code that `path_of` knows becomes a link.

    >>> restructured(["x * 2.", "", "Args:", "    x, y: numbers, see `x`.", "        More."], lambda code: None)
    ['x \\\\* 2.', '', ':Arguments:', '    ``x``, ``y``', '        numbers, see ``x``.', '        More.']
    """
    made: list[str] = []
    section = ""
    in_example = is_literal = False
    for line in lines:
        if not line.strip():
            in_example = is_literal = False
            made.append("")
        elif in_example or line.startswith(">>>"):
            in_example = True
            section = ""
            made.append(line)
        elif line.endswith(":") and line[:-1] in HEADINGS:
            section = line[:-1]
            made.append(f":{HEADINGS[section]}:")
        elif line.startswith(" ") and section:
            made += _entry(section, line, path_of)
        elif line.startswith("  "):  # a formula or a table
            made += [line] if is_literal else ["::", "", line]
            is_literal = True
        else:
            section = ""
            made.append(f"*{line}*".replace("`", "") if line.startswith("Source: ") else _inline(line, path_of))
    return made


def _entry(section: str, line: str, path_of: PathOf) -> list[str]:
    """A line of a section. A name before a colon begins a new entry of a list."""
    if section != "Returns" and (found := ENTRY.match(line)) is not None:
        names, _, when = found[1].partition(" (")
        terms = ", ".join(_code(name, path_of) for name in names.split(", "))
        return [f"    {terms}{f' ({_inline(when, path_of)}' if when else ''}", f"        {_inline(found[2], path_of)}"]
    return [_inline(line, path_of)]


def _inline(text: str, path_of: PathOf) -> str:
    """A line of text: code between backticks, and everything else literally."""
    parts = CODE.split(text)
    joined = ""
    for i, part in enumerate(parts):
        piece = _code(part, path_of) if i % 2 else MARKUP.sub(lambda found: f"\\{found[0]}", part)
        is_joint = joined[-1:].isalnum() if i % 2 else joined and piece[:1].isalnum()
        joined += f"\\ {piece}" if is_joint else piece  # inline code needs an (escaped) space beside a letter
    return joined


def _code(text: str, path_of: PathOf) -> str:
    path = path_of(text)
    return f"``{text}``" if path is None else f":py:obj:`{text} <{path}>`"
