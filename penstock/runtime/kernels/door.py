"""How do ops get compiled loops without anything being loaded for those who need none?

`find` is what `ops.native` is filled with. Small calls end here; the first large one loads the table. `shares` says how
many threads a call is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ...graph.lazy_import import load
from ..base.thread_pool import worth

Find = Callable[..., Callable[..., int] | None]

FEWEST: Final = 1 << 14
"""Elements below which NumPy's idioms are left alone: preparing a call takes 10-25 us, a loop saves 1-5 ns an element.

NumPy's time divided by the loop's, for 4,096, 16,384 and 65,536 float32 (in rows of 16): gather 0.8, 1.3, 1.8 (1.0, 7,
2.2); update 1.4, 1.8, 6 (1.9, 5.5, 2.8); sum of updates 1.4, 1.8, 2.1; partition into 2 1.1, 2.0, 8 (0.8, 0.9, 2.5),
into 16 2.2, 6.5, 3.5 (2.1, 1.4, 2.6); mask 0.5, 0.9, 1.5; stitch 1.0, 1.0, 1.7 (1.5, 5, 2). A template may ask more.
"""

_found: list[Find] = []


def find(name: str, *key: Any, work: int) -> Callable[..., int] | None:
    """The loop of the template `name` for `key`, or None if NumPy is to do these `work` elements."""
    if work < FEWEST:
        return None
    return (_found[0] if _found else _load())(name, *key, work=work)


def _load() -> Find:
    load("penstock.runtime.kernels.table")
    from .table import find as found  # 4 ms, which `import penstock` need not spend

    _found[:] = [found]
    return found


def shares(count: int, seconds: float, step: int) -> list[tuple[int, int]]:
    """(start, stop) for each thread that should work on `count` elements which take one thread so long."""
    threads = worth(seconds)
    if threads == 1:
        return [(0, count)]
    size = max(step, -(-count // (threads * step)) * step)
    return [(start, min(start + size, count)) for start in range(0, count, size)]
