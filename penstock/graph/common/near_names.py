"""The known name that is nearest to a misspelled one, for messages of errors."""

from __future__ import annotations

from collections.abc import Iterable

from .lazy_import import load


def nearest(name: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The nearest of `names`, None if none is near.

    >>> nearest("flaot32", ["float32", "int32"]), nearest("x", ["float32"])
    ('float32', None)
    """
    load("difflib")
    import difflib  # at an error only

    return next(iter(difflib.get_close_matches(name, list(names), n=1, cutoff=cutoff)), None)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`; did you mean 'float32'?`, or nothing."""
    near = nearest(name, names)
    return "" if near is None else f"; did you mean {near!r}?"
