"""How a convolution is computed: tiles, blocks of channels, bands of rows, from its sizes and the processor's."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from ....graph.common.quick_dataclass import dataclass
from . import convolution_loop, filter_gradient_loop
from .convolution_loop import MOST_MISSING, most_pixels, size_of_code
from .few_channels_loop import PIXELS
from .vector_code import Machine

BAND: Final = (1 << 20) // 3
"""Bytes of a copied band, which should stay in the second cache."""
GRADIENT_BAND: Final = 128 << 10
"""The same for a filter gradient, with the rows of the gradient."""
ENDLESS: Final = 1 << 40
"""More elements than any run has."""
DEEP: Final = 16
"""Channels of x from which a filter gradient goes tap by tap, if pixels are missing left or right."""
ROW_BY_ROW: Final = 1 << 18
"""Bytes of weights that stay in the second cache beside a row, so that a row gets all its channels at once."""

Shape: TypeAlias = tuple[int, int, int, int]
Steps: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Window:
    """Taps of one axis: their number, pixels from one place of the window to the next, pixels between taps, pixels
    that are missing before the first one (negative if some are left out), places.
    """

    taps: int
    step: int
    spacing: int
    before: int
    places: int

    def needed(self, places: int) -> int:
        """The pixels from the first to the last tap of so many places."""
        return (places - 1) * self.step + (self.taps - 1) * self.spacing + 1


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """How a loop is called: its key, its table of sizes, the elements of its buffer, and the parts that it can do."""

    key: tuple[Any, ...]
    sizes: Any
    buffer: int
    parts: int


@dataclass(frozen=True, slots=True)
class Bands:
    """Bands of rows of x: rows of the result in each, elements from one row to the next, and those of a copied row."""

    rows: int
    pitch: int
    is_packed: bool
    lead: int
    skipped: int
    taken: int
    buffer: int

    @property
    def trail(self) -> int:
        """The zeros at the end of a copied row."""
        return self.pitch - self.lead - self.taken if self.is_packed else 0


def blocks_of(channels: int, lanes: int, registers: int) -> tuple[int, int, int, int]:
    """Vectors in a block, blocks, vectors of the rest, channels of the last vector of the rest."""
    most = 4 if registers >= 32 else 2
    vectors, part = divmod(channels, lanes)
    if not part:
        for wide in range(most, 1, -1):
            if vectors % wide == 0:
                return wide, vectors // wide, 0, 0
    blocks, rest = divmod(vectors + bool(part), most)
    if blocks and rest == 0:  # the last block ends in a part of a vector
        blocks, rest = blocks - 1, most
    return (most if blocks else 0), blocks, rest, part or lanes


def is_cut(shape: Shape, across: Window) -> bool:
    """Whether windows reach beyond the left or right end of a row."""
    return across.before > 0 or across.needed(across.places) - across.before > shape[2]


def bands_of(shape: Shape, down: Window, across: Window, itemsize: int, most: int, more: int = 0) -> Bands:
    """The bands of x, of up to `most` bytes if they are copied. more: bytes of a row that count too, if > 0 always."""
    _, _, width, depth = shape
    columns = across.needed(across.places)
    skipped = max(0, -across.before)
    is_packed = is_cut(shape, across)
    pitch = (columns if is_packed else width) * depth
    rows = down.places
    if is_packed or more:
        while rows > 1 and down.needed(rows) * pitch * itemsize + rows * more > most:
            rows = -(-rows // 2) if rows > 16 else rows - 1
        rows = -(-down.places // -(-down.places // rows))
    if not is_packed:
        return Bands(rows, pitch, is_packed, 0, skipped * depth, 0, 0)
    lead = min(max(0, across.before), columns)
    taken = max(0, min(width - skipped, columns - lead))
    return Bands(rows, pitch, is_packed, lead * depth, skipped * depth, taken * depth, down.needed(rows) * pitch)


def tiles_of(size: int, most: int) -> tuple[int, int, int]:
    """The size of the largest of tiles of about equal sizes, their number, and how many have that size."""
    tiles = max(1, -(-size // most))
    largest = -(-size // tiles)
    return largest, tiles, size - tiles * (largest - 1)


def sizes_of_taps(shape: Shape, down: Window, across: Window, weights: Steps, bands: Bands) -> dict[str, int]:
    """The entries of the tables that say which numbers of x, of w and of a band belong together."""
    _, height, width, depth = shape
    w_row, w_tap, w_run = weights
    is_one_run = across.spacing == 1 and w_tap == depth * w_run
    return {
        "image_rows": down.places, "x_image": height * width * depth, "x_row": width * depth, "height": height,
        "row_step": down.step, "pixel_step": across.step * depth, "tap_rows": down.taps, "tap_row": down.spacing,
        "taps": 1 if is_one_run else across.taps, "tap_step": across.spacing * depth,
        "run": across.taps * depth if is_one_run else depth, "top": down.before, "rows": bands.rows,
        "packed": int(bands.is_packed), "pitch": bands.pitch, "lead": bands.lead, "skipped": bands.skipped,
        "taken": bands.taken, "trail": bands.trail, "w_row": w_row, "w_tap": w_tap, "w_run": w_run,
    }  # fmt: skip


def convolution_plan(
    shape: Shape,
    down: Window,
    across: Window,
    channels: int,
    itemsize: int,
    host: Machine,
    steps: Steps,
) -> LoopPlan:
    """The plan of a convolution; its parts are the rows of all images.

    shape: of x, NHWC. steps: from one image, row, pixel of the result to the next.
    """
    depth = shape[3]
    lanes = host.vector_bytes // itemsize
    wide, blocks, rest, last = blocks_of(channels, lanes, host.registers)
    most = max(1, most_pixels(max(wide, rest), host))
    pixels, tiles, larger = tiles_of(across.places, most)
    left_out = few_are_missing(shape, across)
    inside = Window(1, 1, 1, 0, 1) if left_out else across  # what is not copied
    bands = bands_of(shape, down, inside, itemsize, BAND)
    by_row = down.taps * across.taps * depth * channels * itemsize <= ROW_BY_ROW
    weights = across.taps * depth * channels, depth * channels, channels
    table = sizes_of_taps(shape, down, across, weights, bands) | {
        "rows_at_once": 1 if by_row else bands.rows, "w_block": wide * lanes, "blocks": blocks, "last": last,
        "y_image": steps[0], "y_row": steps[1], "y_pixel": steps[2], "tile": pixels, "tiles": tiles, "larger": larger,
        "before": 0, "end": ENDLESS,
    }  # fmt: skip
    if left_out:
        before = across.before * depth
        table |= {"skipped": -before, "before": before, "end": before + shape[2] * depth}
    sizes = np.array([table[name] for name in convolution_loop.SIZES], np.int64)
    return LoopPlan((size_of_code(pixels, most), wide, rest), sizes, bands.buffer, shape[0] * down.places)


def few_are_missing(shape: Shape, across: Window) -> bool:
    """Whether windows reach beyond an end of a row, and only by so few pixels that nothing is copied for these."""
    behind = across.needed(across.places) - across.before - shape[2]
    return across.spacing == 1 and 0 < max(across.before, behind) <= MOST_MISSING


def few_channels_plan(
    shape: Shape, down: Window, across: Window, channels: int, itemsize: int, host: Machine, steps: Steps
) -> LoopPlan:
    """The plan of a convolution with few channels of results, whose filter is OHWI; see `convolution_plan`."""
    depth = shape[3]
    most = PIXELS[channels] if host.registers >= 32 else max(1, PIXELS[channels] // 2)
    pixels, tiles, larger = tiles_of(across.places, most)
    bands = bands_of(shape, down, across, itemsize, BAND)
    table = sizes_of_taps(shape, down, across, (across.taps * depth, depth, 1), bands) | {
        "rows_at_once": 0, "w_block": down.taps * across.taps * depth, "blocks": 0, "last": 0, "y_image": steps[0],
        "y_row": steps[1], "y_pixel": steps[2], "tile": pixels, "tiles": tiles, "larger": larger, "before": 0,
        "end": ENDLESS,
    }  # fmt: skip
    sizes = np.array([table[name] for name in convolution_loop.SIZES], np.int64)
    return LoopPlan((pixels, channels), sizes, bands.buffer, shape[0] * down.places)


def filter_gradient_plan(
    shape: Shape, down: Window, across: Window, channels: int, itemsize: int, host: Machine
) -> LoopPlan:
    """The plan of a filter gradient; its parts are the tiles of all blocks of channels."""
    depth = shape[3]
    lanes = host.vector_bytes // itemsize
    wide, blocks, rest, last = blocks_of(channels, lanes, host.registers)
    y_row = across.places * channels
    inside = across
    left_out = depth >= DEEP and is_cut(shape, across)
    if left_out:  # tap by tap, as if no pixel were missing
        inside = Window(1, 1, 1, 0, 1)
    bands = bands_of(shape, down, inside, itemsize, GRADIENT_BAND, y_row * itemsize)
    weights = across.taps * depth * channels, depth * channels, channels
    table = sizes_of_taps(shape, down, across, weights, bands) | {
        "step": across.step, "spacing": 0, "left": 0, "width": across.places * across.step,
    }  # fmt: skip
    if left_out:
        table |= {
            "taps": across.taps, "run": depth, "skipped": -across.before * depth, "spacing": across.spacing,
            "left": across.before, "width": shape[2],
        }  # fmt: skip
    most = max(1, most_pixels(max(wide, rest), host))
    height, tiles, larger = tiles_of(table["run"], most)
    table |= {
        "images": shape[0], "blocks": blocks, "last": last, "y_image": down.places * y_row, "y_row": y_row,
        "y_pixel": channels, "pixels": across.places, "tile": height, "tiles": tiles, "larger": larger,
    }  # fmt: skip
    sizes = np.array([table[name] for name in filter_gradient_loop.SIZES], np.int64)
    parts = (blocks + bool(rest)) * down.taps * table["taps"] * tiles
    return LoopPlan((size_of_code(height, most), wide, rest), sizes, bands.buffer, parts)
