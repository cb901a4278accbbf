"""Docstrings that a family shares: the parts that differ are written, all others are taken from a sibling or a text.

`help` shows every function with all parts; the source has each sentence once, at the first of the family:

    @documented_like(true_positives)
    def false_positives(labels, predictions, weights=None, ...):
        \"\"\"How many predictions of True were wrong.\"\"\"

A family of equal signatures is a function that makes its members. Its inner docstring is the text of all of them, with
words in braces: `named` fills them in.

    def _comparison(name, compare, sign):
        @named(name, sign=sign)
        def function(x, y, name=None):
            \"\"\"An operation that fails unless x {sign} y for all elements.\"\"\"
            return _compared(compare, sign, x, y)

        return function

    assert_less = _comparison("assert_less", less, "<")
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

_HEADINGS = ("", "Args:", "Attributes:", "Returns:", "Raises:", ">>> ", "Source:")
"""How the parts of a docstring begin, in their order; the first is the summary."""
_HEADING = re.compile("^(" + "|".join(_HEADINGS[1:]) + ")", re.MULTILINE)
_IN_CODE = re.compile(r"""(?<=[.`'"])\w+|\b\w+(?=\()""")
"""Where a name stands for a function, and not as the word in: the mean of ..."""
_ENTRY = re.compile(r" {4}(\*{0,2}\w+(?:, \*{0,2}\w+)*): ")

F = TypeVar("F", bound=Callable[..., Any])


def named(name: str, **words: str) -> Callable[[F], F]:
    """A decorator for a function that is made inside another one: it gets the name of the member of the family.

    Args:
        name: the name; `{name}` in the docstring stands for it, too.
        words: for `{word}` in the docstring, the text in its place.
    """

    def decorate(function: F) -> F:
        function.__name__ = function.__qualname__ = name
        if function.__doc__ is not None:  # it is under `python -OO`
            text = inspect.cleandoc(function.__doc__)
            for word, replacement in {"name": name, **words}.items():
                text = text.replace(f"{{{word}}}", replacement)
            function.__doc__ = f"{text}\n"
        return function

    return decorate


def documented_like(sibling: Any) -> Callable[[F], F]:
    """A decorator for a function or class: what its docstring lacks is taken from that of `sibling`.

    These are the descriptions of its parameters, Returns, Raises, the example and the source. In what is taken, the
    name of the sibling becomes that of the function.

    Args:
        sibling: a function, class or op with a whole docstring.
    """

    def decorate(function: F) -> F:
        if function.__doc__ is None or sibling.__doc__ is None:  # under `python -OO`
            return function
        name = sibling.__name__
        text = inspect.cleandoc(sibling.__doc__)
        text = _IN_CODE.sub(lambda found: function.__name__ if found[0] == name else found[0], text)
        own, others = _parts(inspect.cleandoc(function.__doc__)), _parts(text)
        parts = others | own
        parts["Args:"] = _arguments(_parameters(function), own.get("Args:", ""), others.get("Args:", ""))
        function.__doc__ = "\n\n".join(parts[each] for each in _HEADINGS if parts.get(each)) + "\n"
        return function

    return decorate


def with_signature(form: inspect.Signature) -> Callable[[F], F]:
    """A decorator for a function of `*args, **kwargs`: `help`, stubs and messages of errors have this signature."""

    def decorate(function: F) -> F:
        vars(function)["__signature__"] = form
        return function

    return decorate


def _parts(text: str) -> dict[str, str]:
    """The parts of a docstring by their headings."""
    summary, *pieces = _HEADING.split(text)  # a heading, what follows it, and so on
    parts = {"": summary}
    for heading, rest in zip(pieces[::2], pieces[1::2], strict=True):  # each line of an example begins with a heading
        parts[heading] = parts.get(heading, "") + heading + rest
    return {heading: part.strip("\n") for heading, part in parts.items()}


def _arguments(parameters: tuple[str, ...], own: str, others: str) -> str:
    """The part `Args:`: the function's own entries, and those of the sibling for its other parameters."""
    entries = _entries(own)
    described = {name for names in entries for name in names}
    for names, text in _entries(others).items():
        left = tuple(name for name in names if name.strip("*") in parameters and name not in described)
        if left:
            entries[left] = text
    if not entries:
        return ""
    places = {name: place for place, name in enumerate(parameters)}
    ordered = sorted(entries, key=lambda names: places.get(names[0].strip("*"), len(places)))
    return "\n".join(["Args:", *(f"    {', '.join(names)}: {entries[names]}" for names in ordered)])


def _entries(part: str) -> dict[tuple[str, ...], str]:
    """The entries of the part `Args:`: the names that each describes, and its text."""
    entries: dict[tuple[str, ...], str] = {}
    names: tuple[str, ...] = ()
    for line in part.split("\n")[1:]:
        if start := _ENTRY.match(line):
            names = tuple(start[1].split(", "))
            entries[names] = line[start.end() :]
        else:
            entries[names] += f"\n{line}"
    return entries


def _parameters(function: Any) -> tuple[str, ...]:
    """The names of its parameters, of a class those of its constructor."""
    if (signature := getattr(function, "__signature__", None)) is not None:  # it takes *args, **kwargs to hand them on
        return tuple(signature.parameters)
    code = inspect.unwrap(function.__init__ if inspect.isclass(function) else function).__code__
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return tuple(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars])
