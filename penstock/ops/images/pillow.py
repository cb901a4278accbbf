"""Image files read and written with Pillow, the optional extra `penstock[images]`, which is imported here only."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from ...errors import InvalidArgumentError, UnimplementedError
from ...graph.common.lazy_import import load
from ...graph.shapes.literal import Array

MOST_PIXELS: Final = 1 << 28
"""The pixels of all frames of one file: a small file may say that it has any number."""
_DEEP: Final = 8
"""The pixels of 16 bits in several channels are at most so many times fewer: reading them takes 30 bytes a pixel."""
_FORMATS: Final = ("JPEG", "PNG", "GIF", "WEBP")
_DENSITY: Final = (300, 300)
"""Points an inch, as TensorFlow's files say."""
_MODES: Final = {1: "L", 3: "RGB", 4: "RGBA"}
_OWN_MODES: Final = {"L": "L", "LA": "LA", "RGB": "RGB", "RGBA": "RGBA", "1": "L", "P": "RGB", "CMYK": "RGB",
                     "YCbCr": "RGB", "PA": "RGBA", "RGBX": "RGB"}  # fmt: skip


def _pillow() -> Any:
    try:
        load("PIL.Image")
        load("PIL")
        from PIL import Image
    except ModuleNotFoundError:
        raise UnimplementedError(
            message="image files are read and written with the package pillow; run `pip install penstock[images]`"
        ) from None
    return Image


@contextmanager
def _opened(contents: bytes) -> Iterator[Any]:
    """An open image file.

    Raises:
        InvalidArgumentError: it is none, is damaged, or has too many pixels.
    """
    library = _pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with library.open(io.BytesIO(contents), formats=_FORMATS) as image:
                width, height = image.size
                frames = getattr(image, "n_frames", 1)
                if width * height * frames > MOST_PIXELS:
                    raise InvalidArgumentError(message=f"the image has {frames} frames of {width} x {height} pixels; "
                                                       f"at most {MOST_PIXELS} are read")  # fmt: skip
                yield image
    except library.UnidentifiedImageError:
        raise InvalidArgumentError(
            message="Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required. The contents begin with "
            f"{contents[:12]!r}"
        ) from None
    except (OSError, SyntaxError, ValueError, EOFError, library.DecompressionBombError) as error:
        raise InvalidArgumentError(message=f"Invalid image data, size {len(contents)}: {error}") from None


def frames_of(contents: bytes, channels: int, ratio: int = 1) -> tuple[str, list[Array]]:
    """The format of an image file, and its frames as arrays (height, width, channels).

    Args:
        contents: the file.
        channels: how many are wanted; 0: as many as the file has.
        ratio: what a JPEG is made smaller by: 1, 2, 4 or 8.

    Raises:
        InvalidArgumentError: the file is damaged, or no image.
    """
    with _opened(contents) as image:
        kind = str(image.format)
        if kind == "JPEG":
            if ratio > 1:
                width, height = image.size
                image.draft(None, (max(1, width // ratio), max(1, height // ratio)))
            if channels == 1:
                image.draft("L", None)
        if kind == "PNG" and _is_deep(contents) and image.mode in ("RGB", "RGBA", "LA"):
            width, height = image.size
            if width * height > MOST_PIXELS // _DEEP:
                raise InvalidArgumentError(message=f"the image has {width} x {height} pixels of 16 bits in several "
                                                   f"channels; at most {MOST_PIXELS // _DEEP} are read")  # fmt: skip
            return kind, [_of_deep(_deep_pixels(contents, image), channels)]
        frames = []
        for number in range(getattr(image, "n_frames", 1)):
            if number:
                image.seek(number)
            frames.append(_pixels(image, channels, kind))
    return kind, frames


def _is_deep(contents: bytes) -> bool:
    return contents[24:25] == b"\x10"


def _deep_pixels(contents: bytes, image: Any) -> Array:
    """The pixels of a PNG with 16 bits for each of several channels.

    Pillow keeps the upper byte of the two. Grey and alpha have the bytes of an image with four channels of 8 bits, and
    are read as one. Colours are read a second time as if the lower byte were the upper one.
    """
    if contents[25:26] == b"\x04":  # Pillow's mode is LA or RGBA, by its version
        head = b"IHDR" + contents[16:24] + b"\x08\x06" + contents[26:29]
        renamed = contents[:12] + head + struct.pack(">I", zlib.crc32(head)) + contents[33:]
        with _opened(renamed) as four:
            return np.ascontiguousarray(four).view(">u2").astype(np.uint16)
    upper = np.asarray(image).astype(np.uint16)
    with _opened(contents) as again:
        again.tile = [(*tile[:3], f"{image.mode};16L") for tile in again.tile]
        lower = np.asarray(again)
    return upper << np.uint16(8) | lower


def _of_deep(pixels: Array, channels: int) -> Array:
    """Pixels of 16 bits with `channels` channels, 0: their own."""
    width = pixels.shape[2]
    if channels in (0, width):
        return pixels
    has_alpha = width in (2, 4)
    colours = pixels[:, :, : width - has_alpha]
    if channels == 1:
        return colours if width == 2 else _deep_grey_of(colours)
    if width == 2:
        colours = np.repeat(colours, 3, axis=2)
    if channels == 3:
        return colours
    alpha = pixels[:, :, width - 1 :] if has_alpha else np.full_like(colours[:, :, :1], 65535)
    return np.concatenate([colours, alpha], axis=2)


def _deep_grey_of(colours: Array) -> Array:
    """The brightness of pixels of 16 bits, rounded to the nearest with the weights of libpng."""
    red, green, blue = (colours[:, :, i : i + 1].astype(np.uint32) for i in range(3))
    return ((9797 * red + 19234 * green + 3737 * blue + 16384) >> 15).astype(np.uint16)


def _pixels(image: Any, channels: int, kind: str) -> Array:
    mode = image.mode
    if mode.startswith("I"):  # one channel of 16 bits
        grey = np.asarray(image).astype(np.uint16)[:, :, None]
        return _of_grey(grey, channels)
    if kind == "GIF":
        wanted = _MODES.get(channels, "RGB")
    elif channels:
        wanted = _MODES[channels]
    else:
        wanted = "RGBA" if mode == "P" and "transparency" in image.info else _OWN_MODES.get(mode, "RGB")
    if wanted == "RGB" and mode in ("RGBA", "LA"):  # alpha is left out, not blended
        image = image.convert("RGBA")
        return np.asarray(image)[:, :, :3]
    if wanted == "L" and mode == "LA":
        return np.asarray(image)[:, :, :1]
    if wanted == "L" and kind == "PNG" and mode in ("RGB", "RGBA", "P"):
        return _grey_of(np.asarray(image.convert("RGB")))
    array = np.asarray(image if mode == wanted else image.convert(wanted))
    return array if array.ndim == 3 else array[:, :, None]


def _grey_of(colours: Array) -> Array:
    """The brightness of pixels, rounded down with the weights of libpng, which TensorFlow reads with."""
    red, green, blue = (colours[:, :, i : i + 1].astype(np.uint32) for i in range(3))
    return ((9797 * red + 19234 * green + 3737 * blue) >> 15).astype(np.uint8)


def _of_grey(grey: Array, channels: int) -> Array:
    if channels in (0, 1):
        return grey
    colours = np.repeat(grey, 3, axis=2)
    return colours if channels == 3 else np.concatenate([colours, np.full_like(grey, 65535)], axis=2)


def jpeg_of(pixels: Array, quality: int, progressive: bool, optimize: bool, chroma_downsampling: bool) -> bytes:
    """The JPEG file of an image (height, width, channels) of bytes, of 1 or 3 channels."""
    library = _pillow()
    image = library.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality, progressive=progressive, optimize=optimize or progressive,
               subsampling=2 if chroma_downsampling else 0, dpi=_DENSITY)  # fmt: skip
    return out.getvalue()
