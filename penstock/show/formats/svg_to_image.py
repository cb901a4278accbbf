"""PNG and PDF of an SVG, drawn by vl-convert: one wheel with its own fonts, which needs no other program.

It is the optional extra `penstock[pictures]` and is imported here only. Its renderer reads no media queries, so images
are in the light colours. A PDF is one page, a point for each unit of the SVG, and its text can be selected.
"""

from __future__ import annotations

import math
import re

from ...errors import ValueRuleError
from ...graph.common.lazy_import import load

IMAGES = (".pdf", ".png")
"""The suffixes of the forms that are made from an SVG."""

SCALED = ".png"
"""The only form that has a scale."""
_USUAL_SCALE = 2.0
_MOST_PIXELS = 250_000_000  # 1 GB while it is drawn
_PER_INCH = 96.0  # units of an SVG
_POINTS = 72.0  # for each inch: what the library takes as a scale of 1
_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')


def image_of_svg(svg: str, suffix: str, scale: float | None = None) -> bytes:
    """The content of a .png or .pdf file that shows an SVG document.

    Args:
        svg: the document, with a width and a height.
        suffix: ".png" or ".pdf".
        scale: the pixels for one unit of the SVG, for .png; 2 by default.

    Returns:
        The bytes of the file.

    Raises:
        ImportError: the extra `penstock[pictures]` is not installed.
        ValueError: the scale is no positive number, or the image would have too many pixels.
    """
    pixels = _USUAL_SCALE if scale is None else _checked(scale)
    if suffix == SCALED:
        _refuse_too_large(svg, pixels)
    try:
        load("vl_convert")
        import vl_convert  # 3 ms, only for these two forms
    except ModuleNotFoundError:
        raise ImportError(
            f"export: {suffix} needs the package vl-convert-python; run `pip install penstock[pictures]`, or write .svg"
        ) from None
    if suffix == ".pdf":
        return bytes(vl_convert.svg_to_pdf(svg))
    # The file says its resolution, so other programs show it in the size of the SVG.
    return bytes(vl_convert.svg_to_png(svg, scale=_POINTS / _PER_INCH, ppi=_PER_INCH * pixels))


def _checked(scale: float) -> float:
    if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not math.isfinite(scale) or scale <= 0:
        raise ValueRuleError(
            "the scale must be a positive number. Write for example scale=2", attempt=f"export(scale={scale!r})"
        )
    return float(scale)


def _refuse_too_large(svg: str, scale: float) -> None:
    found = _SIZE.match(svg)
    width, height = (float(size) * scale for size in found.groups()) if found else (0.0, 0.0)
    if width * height > _MOST_PIXELS:
        raise ValueRuleError(
            f"the image would have {width:.0f} x {height:.0f} pixels; {_MOST_PIXELS:,} are the most. Write a smaller "
            "scale, or .pdf", attempt=f"export(scale={scale:g})",
        )  # fmt: skip
