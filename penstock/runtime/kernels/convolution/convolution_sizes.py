"""How a convolution is computed: tiles, blocks of channels, bands of rows, from its sizes and the processor's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from .convolution_loop import SIZES, most_pixels
from .vector_code import Machine

BAND: Final = (1 << 20) // 3
"""Bytes of a copied band, which should stay in the second cache."""
ROW_BY_ROW: Final = 1 << 18
"""Bytes of weights that stay in the second cache beside a row, so that a row gets all its channels at once."""


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
class Plan:
    """A key of the loop, its table of sizes, and the elements of its buffer."""

    key: tuple[int, int, int]
    sizes: Any
    buffer: int
    rows: int


def blocks_of(channels: int, lanes: int) -> tuple[int, int, int, int]:
    """Vectors in a block, blocks, vectors of the rest, channels of the last vector of the rest."""
    vectors, part = divmod(channels, lanes)
    if not part:
        for wide in (4, 3, 2):
            if vectors % wide == 0:
                return wide, vectors // wide, 0, 0
    total = vectors + bool(part)
    blocks, rest = divmod(total, 4)
    if blocks and rest == 0:  # the last block ends in a part of a vector
        blocks, rest = blocks - 1, 4
    return (4 if blocks else 0), blocks, rest, part or lanes


def plan(
    shape: tuple[int, int, int, int],
    down: Window,
    across: Window,
    channels: int,
    itemsize: int,
    host: Machine,
    steps: tuple[int, int, int],
    weights: tuple[int, int, int] | None = None,
) -> Plan:
    """The plan of a convolution.

    shape: of x, NHWC. steps: from one image, row, pixel of the result to the next. weights: from one row of taps, tap,
    channel of x to the next in w; None where w is HWIO.
    """
    _, height, width, depth = shape
    lanes = host.vector_bytes // itemsize
    wide, blocks, rest, last = blocks_of(channels, lanes)
    tiles = max(1, -(-across.places // most_pixels(max(wide, rest), host)))
    pixels = -(-across.places // tiles)
    x_row = width * depth
    skipped = max(0, -across.before)
    columns = across.needed(across.places)
    is_packed = across.before > 0 or columns - across.before > width
    rows, pitch, lead, taken = down.places, x_row, 0, 0
    if is_packed:
        pitch = columns * depth
        lead = min(max(0, across.before), columns)
        taken = max(0, min(width - skipped, columns - lead))
        while rows > 1 and down.needed(rows) * pitch * itemsize > BAND:
            rows = -(-rows // 2) if rows > 16 else rows - 1
        rows = -(-down.places // -(-down.places // rows))
    w_row, w_tap, w_run = weights or (across.taps * depth * channels, depth * channels, channels)
    is_one_run = across.spacing == 1 and w_tap == depth * w_run
    by_row = down.taps * across.taps * depth * channels * itemsize <= ROW_BY_ROW
    table = {
        "image_rows": down.places, "x_image": height * x_row, "x_row": x_row, "height": height, "row_step": down.step,
        "pixel_step": across.step * depth, "tap_rows": down.taps, "tap_row": down.spacing,
        "taps": 1 if is_one_run else across.taps, "tap_step": across.spacing * depth,
        "run": across.taps * depth if is_one_run else depth, "top": down.before, "rows": rows,
        "rows_at_once": 1 if by_row else rows, "packed": int(is_packed), "pitch": pitch, "lead": lead * depth,
        "skipped": skipped * depth, "taken": taken * depth, "trail": pitch - (lead + taken) * depth if is_packed else 0,
        "w_row": w_row, "w_tap": w_tap, "w_run": w_run, "w_block": wide * lanes, "blocks": blocks, "last": last,
        "y_image": steps[0], "y_row": steps[1], "y_pixel": steps[2], "tiles": tiles,
        "larger": across.places - tiles * (pixels - 1),
    }  # fmt: skip
    sizes = np.array([table[name] for name in SIZES], np.int64)
    return Plan((pixels, wide, rest), sizes, down.needed(rows) * pitch if is_packed else 0, rows)
