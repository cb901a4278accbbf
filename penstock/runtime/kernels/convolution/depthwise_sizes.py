"""The plans of depthwise convolutions, of their filter gradients, and of pooling."""

from __future__ import annotations

from typing import Final

import numpy as np

from .convolution_sizes import LoopPlan, Shape, Steps, Window
from .depthwise_loops import SIZES, pixels_at_once
from .vector_code import Machine

ROWS: Final = 32
"""Rows of a part of a filter gradient, each of which is summed by one thread."""


def depthwise_plan(
    shape: Shape, down: Window, across: Window, itemsize: int, host: Machine, steps: Steps, rows: int = ROWS
) -> LoopPlan:
    """The plan of a depthwise convolution, whose parts are rows of all images.

    shape: of x, NHWC. steps: from one image, row, pixel of the result to the next.
    """
    images, height, width, channels = shape
    # The first pixel whose taps all lie inside, and the first one behind the last of them.
    inner = min(across.places, max(0, -(-across.before // across.step)))
    room = width + across.before - (across.taps - 1) * across.spacing
    outer = min(across.places, max(inner, -(-room // across.step)))
    table = {
        "image_rows": down.places, "x_image": height * width * channels, "x_row": width * channels, "height": height,
        "width": width, "channels": channels, "row_step": down.step, "tap_rows": down.taps, "tap_row": down.spacing,
        "top": down.before, "left": across.before, "w_row": across.taps * channels, "y_image": steps[0],
        "y_row": steps[1], "y_pixel": steps[2], "pixels": across.places, "inner": inner, "outer": outer, "rows": rows,
        "parts": -(-down.places // rows),
    }  # fmt: skip
    sizes = np.array([table[name] for name in SIZES], np.int64)
    has_tail = channels % (host.vector_bytes // itemsize) > 0
    together = pixels_at_once(across.taps, across.step, outer - inner, host)
    return LoopPlan((across.taps, across.step, across.spacing, has_tail, together), sizes, 0, images * down.places)
