"""Summaries of arrays: what a record keeps of a value after the run has dropped or overwritten it.

`summary_of` keeps the first elements as text, the range, mean and spread, the counts of NaN, infinite and zero
elements, the place of the first bad one, a histogram, and for an array with the shape of an image a thumbnail.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ...graph.shapes.dtypes import variant
from ...ops.tensor_array.array_elements import contents_text, kind_of_contents

BINS = 24
SAMPLED = 1 << 18
"""The most elements used for the histogram and the spread; of a larger array every n-th is taken."""
SIDE = 48
"""Pixels of a thumbnail along its longer side."""
SHOWN_ELEMENTS = 6
"""The most elements that are written out in one line."""
BAD = 255
"""The grey of a pixel that contains a NaN or an infinity; finite values reach to 254."""
_LEAST_SIDE = 8
_MOST_STRETCH = 8
_LEAST_HISTOGRAM = 9
_LONGEST_PREVIEW = 900
_LONGEST_LINE = 240


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of the finite elements in equal parts of [low, high]; only every `stride`-th element is counted."""

    low: float
    high: float
    counts: tuple[int, ...]
    stride: int = 1


@dataclass(frozen=True, slots=True)
class Image:
    """A thumbnail of an array: rows of pixels of `channels` bytes (1 grey, 3 colour), black at `low`, white at `high`.
    """

    height: int
    width: int
    channels: int
    pixels: bytes
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of one value.

    Minimum, maximum, mean and std are those of the finite elements; None if there are none or they are not numbers.

    Attributes:
        size: the number of elements.
        preview: the elements as text, the middle left out if there are many.
        minimum: the smallest element.
        maximum: the largest element.
        mean: the mean.
        std: the standard deviation.
        nans: the number of NaN elements.
        infs: the number of infinite elements.
        zeros: the number of zeros; None for strings.
        first_bad: the index of the first NaN or infinity.
        histogram: the histogram; None for few elements.
        image: the thumbnail; None if the array has not the shape of an image.
        brief: the elements in one line; "" if there are more than six.
        is_bool: whether the elements are True and False.
        holds: what a value of dtype `variant` holds: "TensorArray (4)"; "" for other dtypes.
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
    brief: str = ""
    is_bool: bool = False
    holds: str = ""

    @property
    def is_healthy(self) -> bool:
        """True if no element is NaN or infinite."""
        return self.nans == 0 and self.infs == 0

    def __str__(self) -> str:
        if self.size == 0:
            return "empty"
        if self.minimum is None or self.maximum is None or self.mean is None:
            return self.bad or self.preview.partition("\n")[0]
        if self.size == 1 and self.is_healthy:
            return f"{self.mean:.6g}" if isinstance(self.minimum, float) else self.preview.strip("[]")
        if self.is_bool and self.zeros is not None:
            return f"{self.size - self.zeros} of {self.size} are true"
        if self.minimum == self.maximum and self.is_healthy:
            return f"all {self.minimum:.4g}"
        text = f"{self.minimum:.4g} to {self.maximum:.4g}, mean {self.mean:.4g}"
        return f"{text}, {self.bad}" if self.bad else text

    @property
    def bad(self) -> str:
        """The numbers of NaN and infinite elements: "2 NaN, 1 Inf"; "" if there are none."""
        parts = [f"{self.nans} NaN"] * bool(self.nans) + [f"{self.infs} Inf"] * bool(self.infs)
        return ", ".join(parts)


def summary_of(value: Any) -> Summary:
    """The summary of a host array; it keeps no reference to the array.

    >>> found = summary_of(np.array([1.0, 2.0, float("nan"), 0.0]))
    >>> found.minimum, found.maximum, found.mean, found.nans, found.zeros, found.first_bad
    (0.0, 2.0, 1.0, 1, 1, (2,))
    """
    array = np.asarray(value)
    if array.dtype == variant.np and array.size == 1:
        return Summary(1, preview=contents_text(array.item()[0]), holds=kind_of_contents(array.item()[0]))
    preview = preview_of(array)
    numbers = _numbers(array)
    brief = brief_of(array if numbers is None else numbers)
    if numbers is None or array.size == 0:
        return Summary(array.size, preview, brief=brief)
    if array.dtype.kind == "c":
        bad = ~np.isfinite(array)
        nans = int(np.count_nonzero(np.isnan(array)))
        return Summary(array.size, preview, nans=nans, infs=int(np.count_nonzero(bad)) - nans,
                       zeros=array.size - int(np.count_nonzero(array)), first_bad=_first(bad), brief=brief)  # fmt: skip
    with np.errstate(all="ignore"):
        return _of_numbers(array, numbers, preview, brief)


def _of_numbers(array: Any, numbers: Any, preview: str, brief: str) -> Summary:
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
        return Summary(array.size, preview, nans=nans, infs=infs, zeros=zeros, first_bad=first_bad, brief=brief)
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
        brief,
        array.dtype.kind == "b",
    )


def _numbers(array: Any) -> Any:
    """The array in a dtype that NumPy can compute with, None for strings."""
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


def value_text(value: object) -> str:
    """A few values as a person would write it.

    >>> value_text([0.10000000149011612, 2.0])
    '[0.1, 2.0]'
    """
    if isinstance(value, list):
        return f"[{', '.join(value_text(item) for item in value)}]"
    if not isinstance(value, float):
        return repr(value)
    text = f"{value:.6g}"
    return f"{text}.0" if text.lstrip("-").isdigit() else text


def brief_of(array: Any) -> str:
    """The elements in one line if there are at most six of them, else nothing.

    >>> brief_of(np.array([[1, 2], [3, 4]])), brief_of(np.float32(0.1)), brief_of(np.zeros(7))
    ('[[1, 2], [3, 4]]', '0.1', '')
    """
    if not 0 < array.size <= SHOWN_ELEMENTS:
        return ""
    text = value_text(array.tolist())
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1] + "…"


def preview_of(array: Any) -> str:
    """The elements as text; of many only a few from each end of every axis."""
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
    """A thumbnail of an array shaped like an image: (h, w), (h, w, 1 or 3 or 4), or the first of a batch of those."""
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
    """The array as (height, width, channels), None if it has not the shape of an image."""
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
    """Each block of `by` x `by` pixels replaced by its mean; blocks at the lower and right edge may be smaller."""
    if by == 1:
        return plane
    for axis in (0, 1):
        starts = np.arange(0, plane.shape[axis], by)
        sums = np.add.reduceat(plane, starts, axis=axis)
        counts = np.diff(np.append(starts, plane.shape[axis]))
        plane = sums / counts.reshape([-1 if a == axis else 1 for a in range(3)])
    return plane
