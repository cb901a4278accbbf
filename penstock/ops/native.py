"""Where do the ops that move elements find compiled loops?

An op names a template and a key (sizes and dtypes that the loop is made for) and gets a function, or None: then it uses
NumPy, which it must be able to do anyway. Templates live in `runtime.kernels` and know no op; they enter here.

    loop = native("take_rows", row_bytes, index_bytes, work=index.size)
    if loop is not None:
        bad = loop(out, rows, index, len(index), len(rows))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Loop = Callable[..., int]
_device: list[Callable[[], Any]] = []
_find: list[Callable[..., Loop | None]] = []


def fill(find: Callable[..., Loop | None]) -> None:
    """Say who finds loops: (template, key ..., work=) -> a function or None."""
    _find[:] = [find]


def native(template: str, *key: Any, work: int) -> Loop | None:
    """The loop of a template for a key, if it is worth it and ready.

    work: elements it is going to move; few are left to NumPy. The function takes arrays (their memory) and ints, in the
    order of the template, releases the GIL, and returns an int that the template defines. It checks nothing: dtypes,
    native byte order and contiguity are the caller's business.
    """
    return _find[0](template, *key, work=work) if _find else None


def fill_device(loops: Callable[[], Any]) -> None:
    """Say who knows the kernels of a GPU: what the function returns has them as attributes."""
    _device[:] = [loops]


def on_device() -> Any:
    """The kernels of a GPU, functions of (array module, arrays ...): see `runtime.cuda.loops`."""
    return _device[0]()
