"""How do ops get compiled loops without anything being loaded for those who need none?

`find` is what `ops.native` is filled with. Small calls end here; the first large one loads the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

Find = Callable[..., Callable[..., int] | None]

FEWEST: Final = 1 << 14
"""Elements below which NumPy's idioms are left alone: each pointer that ctypes passes costs 0.5 us, and a loop saves
about 1 ns an element. A template may ask for more."""

_found: list[Find] = []


def find(name: str, *key: Any, work: int) -> Callable[..., int] | None:
    """The loop of the template `name` for `key`, or None if NumPy is to do these `work` elements."""
    if work < FEWEST:
        return None
    return (_found[0] if _found else _load())(name, *key, work=work)


def _load() -> Find:
    from .table import find as found  # 4 ms, which `import penstock` need not spend

    _found[:] = [found]
    return found
