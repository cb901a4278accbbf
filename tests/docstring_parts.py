"""The parts of a public docstring: summary, Args, Attributes, Returns, Raises, examples and source."""

import builtins
import doctest
import inspect
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import penstock as tf

HEADINGS = ("Args", "Attributes", "Returns", "Raises")
ENTRY = re.compile(r"    (\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \([\w ]+\))?: \S")


@dataclass(frozen=True, slots=True)
class Parts:
    """What a docstring says.

    summary: its first paragraph.
    entries: of each heading with a list below it, the names that begin a line ("x, y: ..." are two names).
    returns: the text below `Returns:`.
    examples: how many lines begin with `>>>`.
    source: the text after `Source:`.
    order: the headings, in the order in which they occur.
    """

    summary: str
    entries: dict[str, tuple[str, ...]]
    returns: str
    examples: int
    source: str
    order: tuple[str, ...]


@cache
def parts_of(docstring: str) -> Parts:
    """A docstring taken apart."""
    text = inspect.cleandoc(docstring)
    blocks: dict[str, list[str]] = {}
    heading = ""
    for line in text.splitlines():
        if line.endswith(":") and line[:-1] in HEADINGS:
            heading = line[:-1]
            blocks[heading] = []
        elif line and not line.startswith(" "):
            heading = ""
        elif heading:
            blocks[heading].append(line)
    entries = {
        heading: tuple(
            name.strip("* ") for line in lines if (found := ENTRY.match(line)) for name in found[1].split(",")
        )
        for heading, lines in blocks.items()
        if heading != "Returns"
    }
    source = re.search(r"^Source: (.*)", text, re.MULTILINE)
    return Parts(
        summary=" ".join(text.split("\n\n")[0].split()),
        entries=entries,
        returns=" ".join(" ".join(blocks.get("Returns", ())).split()),
        examples=len(doctest.DocTestParser().get_examples(text)),
        source=source[1] if source else "",
        order=tuple(blocks),
    )


@cache
def errors_named(docstring: str) -> tuple[type[BaseException], ...]:
    """The classes that stand below `Raises:`; NameError for a name that is no error."""
    found = []
    for name in parts_of(docstring).entries.get("Raises", ()):
        error = getattr(tf.errors, name, None) or getattr(builtins, name, None)
        if not (isinstance(error, type) and issubclass(error, BaseException)):
            raise NameError(f"Raises names {name}, which is no error")
        found.append(error)
    return tuple(found)


def is_documented(function: Any, error: BaseException) -> bool:
    """Whether the docstring of `function` names the class of `error`, or one that it derives from."""
    return isinstance(error, errors_named(function.__doc__ or ""))
