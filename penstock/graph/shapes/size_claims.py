"""Claims about sizes: where a named dimension meets a number, the merged shape holds only if the name has that size.

`merge_dims` reports a claim to the innermost collector that is open in its thread. The caller of a rule, or of a
refinement of a shape, opens one with `claiming`, which returns the claims of that call alone: an exception discards
them, and claims of a nested call stay with the nested call. Without a collector merging is plain arithmetic on shapes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

R = TypeVar("R")


class _Collector(threading.local):
    """The list that claims of this thread (`dimension.SizeClaim`) go to, None while nothing is inferred."""

    found: list[Any] | None = None


collector = _Collector()


def claiming(rule: Callable[..., R], args: Any) -> tuple[R, list[Any]]:
    """`rule(*args)` and the claims that it made."""
    outer = collector.found
    found: list[Any] = []
    collector.found = found
    try:
        return rule(*args), found
    finally:
        collector.found = outer


def claim(dim: Any, size: Any) -> None:
    """Report that the dimension `dim` must be `size`."""
    if collector.found is not None:
        collector.found.append((dim, size))
