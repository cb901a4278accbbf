"""Where do the ops that move elements find compiled loops?

An op names a template and a key (sizes and dtypes that the loop is made for) and gets a function, or None: then it uses
NumPy, which it must be able to do anyway. Templates live in `runtime.kernels` and know no op; they enter here.

    loop = native("take", row_bytes, "i4", 1, work=len(index))
    if loop is not None:
        done = loop(out, rows, index, np.array([len(rows)]), len(index), row_bytes)

What can be cut in pieces is shared between threads by `shares_of` and `in_shares`, which enter in the same way.
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


Share = tuple[int, int]
_sharing: list[tuple[Callable[[int, float, int], list[Share]], Callable[[int, Callable[[int], None]], None]]] = []


def fill_sharing(
    shares: Callable[[int, float, int], list[Share]], side_by_side: Callable[[int, Callable[[int], None]], None]
) -> None:
    """Say who divides work: (count, seconds, step) -> the shares, and who calls a function for each of them."""
    _sharing[:] = [(shares, side_by_side)]


def shares_of(count: int, seconds: float, step: int = 1) -> list[Share]:
    """(start, stop) for each thread that should work on `count` elements; it begins at a multiple of `step`.

    seconds: how long one thread would take, about.
    """
    return _sharing[0][0](count, seconds, step) if _sharing else [(0, count)]


def in_shares(shares: list[Share], work: Callable[[int, int, int], int]) -> list[int]:
    """What work(number, start, stop) gives for each share; several threads do it if there are several shares."""
    if len(shares) == 1 or not _sharing:
        return [work(i, *share) for i, share in enumerate(shares)]
    results = [0] * len(shares)

    def one(i: int) -> None:
        results[i] = work(i, *shares[i])

    _sharing[0][1](len(shares), one)
    return results


def fill_device(loops: Callable[[], Any]) -> None:
    """Say who knows the kernels of a GPU: what the function returns has them as attributes."""
    _device[:] = [loops]


def on_device() -> Any:
    """The kernels of a GPU, functions of (array module, arrays ...): see `runtime.cuda.cuda_kernels`."""
    return _device[0]()
