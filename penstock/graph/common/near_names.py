"""The known name that is nearest to a misspelled one, for messages of errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

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


def holding(name: str, names: Iterable[str], most: int = 4) -> list[str]:
    """Those of `names` that hold all of `name`, whatever its case and underscores: the shortest, if they are few.

    >>> holding("crossEntropy", ["softmax_cross_entropy", "sigmoid_cross_entropy", "sigmoid"])
    ['sigmoid_cross_entropy', 'softmax_cross_entropy']
    """
    wanted = _squeezed(name)
    held = [each for each in names if not each.startswith("_") and wanted in _squeezed(each)]
    return sorted(held, key=lambda each: (len(each), each))[:most] if len(wanted) >= _TELLS else []


_TELLS: Final = 4
"""The fewest letters that say something of a name of which they are a part."""


def _squeezed(name: str) -> str:
    return name.replace("_", "").lower()
