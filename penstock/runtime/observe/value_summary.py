"""What is worth keeping of an array that will not be there any more?

A run drops and overwrites its values as it goes. `summary_of` takes from one what a person wants to see of it: the
first elements as text, its range, mean and spread, how many elements are NaN, infinite or zero and where the first bad
one stands, a histogram, and for an array of the shape of an image a small one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

BINS = 24
SAMPLED = 1 << 18
"""Elements that the histogram and the spread are made of; of a larger array every n-th is taken."""
SIDE = 48
"""Pixels of a small image along its longer side."""
BAD = 255
"""The grey of a pixel in which something is NaN or infinite; values reach to 254."""
_LEAST_SIDE = 8
_MOST_STRETCH = 8
_LEAST_HISTOGRAM = 9
_LONGEST_PREVIEW = 900
_LONGEST_LINE = 240


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many of the finite elements lie in each of equal parts of [low, high]; of every `stride`-th element."""

    low: float
    high: float
    counts: tuple[int, ...]
    stride: int = 1


@dataclass(frozen=True, slots=True)
class Image:
    """A small image of an array: rows of `channels` bytes a pixel (1 grey, 3 colour), black at `low`, white at
    `high`.
    """

    height: int
    width: int
    channels: int
    pixels: bytes
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What was kept of one value.

    preview: its elements as text, the middle left out where there are many. minimum, maximum, mean, std: of the finite
    elements, None where there are none or they are no numbers. nans, infs, zeros: how many; None of texts. first_bad:
    the index of the first NaN or infinity.
    """

    size: int
    preview: str
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    std: float | None = None
    nans: int = 0
    infs: int = 0
    zeros: int | None = None
    first_bad: tuple[int, ...] | None = None
    histogram: Histogram | None = None
    image: Image | None = None

    @property
    def is_healthy(self) -> bool:
        """True if no element is NaN or infinite."""
        return self.nans == 0 and self.infs == 0

    def __str__(self) -> str:
        if self.size == 0:
            return "empty"
        if self.minimum is None or self.maximum is None or self.mean is None:
            return self._bad or self.preview.partition("\n")[0]
        if self.size == 1 and self.is_healthy:
            return f"{self.mean:.6g}" if isinstance(self.minimum, float) else self.preview.strip("[]")
        told = f"{self.minimum:.4g} to {self.maximum:.4g}, mean {self.mean:.4g}"
        return f"{told}, {self._bad}" if self._bad else told

    @property
    def _bad(self) -> str:
        parts = [f"{self.nans} NaN"] * bool(self.nans) + [f"{self.infs} Inf"] * bool(self.infs)
        return ", ".join(parts)


def summary_of(value: Any) -> Summary:
    """The summary of a host array; nothing of the array is kept.

    >>> found = summary_of(np.array([1.0, 2.0, float("nan"), 0.0]))
    >>> found.minimum, found.maximum, found.mean, found.nans, found.zeros, found.first_bad
    (0.0, 2.0, 1.0, 1, 1, (2,))
    """
    array = np.asarray(value)
    preview = preview_of(array)
    numbers = _numbers(array)
    if numbers is None or array.size == 0:
        return Summary(array.size, preview)
    if array.dtype.kind == "c":
        bad = ~np.isfinite(array)
        nans = int(np.count_nonzero(np.isnan(array)))
        return Summary(array.size, preview, nans=nans, infs=int(np.count_nonzero(bad)) - nans,
                       zeros=array.size - int(np.count_nonzero(array)), first_bad=_first(bad))  # fmt: skip
    with np.errstate(all="ignore"):
        return _of_numbers(array, numbers, preview)


def _of_numbers(array: Any, numbers: Any, preview: str) -> Summary:
    nans = infs = 0
    first_bad = None
    finite = numbers
    if numbers.dtype.kind == "f":
        good = np.isfinite(numbers)
        if not good.all():
            nans = int(np.count_nonzero(np.isnan(numbers)))
            infs = int(numbers.size - np.count_nonzero(good)) - nans
            first_bad = _first(~good)
            finite = numbers[good]
    zeros = int(numbers.size - np.count_nonzero(numbers))
    if finite.size == 0:
        return Summary(array.size, preview, nans=nans, infs=infs, zeros=zeros, first_bad=first_bad)
    low, high = finite.min(), finite.max()
    flat = finite.reshape(-1)
    stride = -(-flat.size // SAMPLED)
    sample = flat[::stride].astype(np.float64)
    mean = float(finite.mean(dtype=np.float64))
    return Summary(
        array.size,
        preview,
        _plain(low),
        _plain(high),
        mean,
        float(sample.std()),
        nans,
        infs,
        zeros,
        first_bad,
        _histogram(sample, float(low), float(high), stride) if array.size >= _LEAST_HISTOGRAM else None,
        image_of(numbers, float(low), float(high)),
    )


def _numbers(array: Any) -> Any:
    """The array in a dtype that NumPy computes with, None for texts."""
    if array.dtype.kind in "biufc":
        return array.astype(np.float32) if array.dtype == np.float16 else array
    if array.dtype.kind == "V" and array.dtype.names is None and array.dtype.itemsize == 2:
        return array.astype(np.float32)  # bfloat16
    return None


def _plain(number: Any) -> float:
    found: float = number.item()  # an int stays exact
    return int(found) if isinstance(found, bool) else found


def _first(bad: Any) -> tuple[int, ...] | None:
    at = int(np.argmax(bad))
    place = np.unravel_index(at, bad.shape) if bad.ndim else ()
    return tuple(int(i) for i in place) if bool(bad.reshape(-1)[at]) else None


def _histogram(sample: Any, low: float, high: float, stride: int) -> Histogram | None:
    if not np.isfinite(high - low):  # the range of finite numbers can overflow
        return None
    if low == high:
        return Histogram(low, high, (int(sample.size),), stride)
    counts, _ = np.histogram(sample, BINS, (low, high))
    return Histogram(low, high, tuple(counts.tolist()), stride)


def preview_of(array: Any) -> str:
    """The elements as text, a few from each end of every axis where there are many."""
    if array.ndim == 0 and array.dtype.kind != "O":
        return str(array[()])
    edge = 6 if array.ndim == 1 else 2
    shown = np.array2string(array, threshold=36, edgeitems=edge, max_line_width=44, precision=4)
    if len(shown) <= _LONGEST_PREVIEW and array.dtype.kind != "O":
        return shown
    lines = [line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…" for line in shown.split("\n")]
    text = "\n".join(lines)
    return text if len(text) <= _LONGEST_PREVIEW else text[: _LONGEST_PREVIEW - 1] + "…"


# ---- images -------------------------------------------------------------------------------------------


def image_of(numbers: Any, low: float, high: float) -> Image | None:
    """A small image of an array that has the shape of one: (h, w), (h, w, 1 or 3 or 4), or the first of a batch."""
    plane = _plane(numbers)
    if plane is None:
        return None
    stride = max(1, max(plane.shape[:2]) // (8 * SIDE))
    small = _shrunk(plane[::stride, ::stride].astype(np.float64), max(1, -(-max(plane.shape[:2]) // stride // SIDE)))
    if small.shape[2] == 3 and low >= 0 and high <= 255:
        low, high = 0.0, (1.0 if high <= 1 and numbers.dtype.kind == "f" else 255.0)
    span = high - low
    scaled = (small - low) / span * (BAD - 1) if span > 0 and np.isfinite(span) else np.full_like(small, 127.0)
    grey = np.where(np.isfinite(scaled), np.clip(np.rint(scaled), 0, BAD - 1), BAD).astype(np.uint8)
    height, width, channels = grey.shape
    return Image(height, width, channels, grey.tobytes(), low, high)


def _plane(numbers: Any) -> Any:
    """(height, width, channels) of it, None if it does not look like an image."""
    if numbers.ndim == 4 and numbers.shape[0] and numbers.shape[3] in (1, 3, 4):
        numbers = numbers[0]
    if numbers.ndim == 2:
        numbers = numbers[:, :, None]
    if numbers.ndim != 3 or numbers.shape[2] not in (1, 3, 4) or min(numbers.shape[:2]) < _LEAST_SIDE:
        return None
    if max(numbers.shape[:2]) > _MOST_STRETCH * min(numbers.shape[:2]):
        return None  # a table, not an image
    return numbers[:, :, :3] if numbers.shape[2] == 4 else numbers


def _shrunk(plane: Any, by: int) -> Any:
    """Every `by` x `by` pixels as their mean; those at the lower and right edge may be fewer."""
    if by == 1:
        return plane
    for axis in (0, 1):
        starts = np.arange(0, plane.shape[axis], by)
        sums = np.add.reduceat(plane, starts, axis=axis)
        counts = np.diff(np.append(starts, plane.shape[axis]))
        plane = sums / counts.reshape([-1 if a == axis else 1 for a in range(3)])
    return plane
