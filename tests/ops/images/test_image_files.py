"""Image files: TensorFlow's pixels, round trips, and files that are damaged or say too much."""

from __future__ import annotations

import base64
import json
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

GOLDEN = json.loads((Path(__file__).parent / "images_of_tensorflow.json").read_text())
FILES = {name: base64.b64decode(text) for name, text in GOLDEN["files"].items()}
JPEG_STEPS = 10
"""TensorFlow decodes JPEG files with the faster of two cosine transforms, Pillow with the exact one."""
PILLOW = pytest.importorskip("PIL.Image", reason="the extra penstock[images] is not installed")


def run(build: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: f"{case['call']}-{case['file']}-{case['arguments']}")
def test_pixels_are_tensorflows(case: dict[str, Any]) -> None:
    content = zlib.decompress(base64.b64decode(case["pixels"]))
    wanted = np.frombuffer(content, case["dtype"]).reshape(case["shape"])
    found = run(lambda: getattr(tf.image, case["call"])(FILES[case["file"]], **case["arguments"]))
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    steps = JPEG_STEPS if case["file"].startswith("jpeg") else case["arguments"].get("channels") == 1
    assert np.abs(found.astype("f8") - wanted.astype("f8")).max() <= steps  # grey of colours is rounded in another way


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_a_png_file_keeps_all_pixels(channels: int, dtype: str) -> None:
    image = np.random.default_rng(channels).integers(0, np.iinfo(dtype).max, (5, 7, channels), dtype, endpoint=True)
    content = run(lambda: tf.image.encode_png(image, compression=channels))
    assert (run(lambda: tf.image.decode_png(content, dtype=dtype)) == image).all()


def test_a_deep_file_of_many_pixels_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = run(lambda: tf.image.encode_png(np.zeros((5, 7, 3), "u2")))
    monkeypatch.setattr("penstock.ops.images.pillow.MOST_PIXELS", 8 * 35)
    assert run(lambda: tf.image.decode_png(content, dtype="uint16")).shape == (5, 7, 3)
    monkeypatch.setattr("penstock.ops.images.pillow.MOST_PIXELS", 8 * 35 - 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="7 x 5 pixels of 16 bits"):
        run(lambda: tf.image.decode_png(content, dtype="uint16"))


def test_several_images_are_encoded_at_once() -> None:
    images = np.arange(2 * 3 * 4 * 3, dtype=np.uint8).reshape(2, 3, 4, 3)
    contents = run(lambda: tf.image.encode_png(images))
    assert contents.shape == (2,)
    assert (run(lambda: tf.image.decode_png(contents[1])) == images[1]).all()


@pytest.mark.parametrize("channels", [1, 3])
def test_a_jpeg_file_keeps_smooth_pixels_nearly(channels: int) -> None:
    image = np.broadcast_to(np.arange(0, 240, 10, dtype=np.uint8)[:, None, None], (24, 16, channels))
    content = run(lambda: tf.image.encode_jpeg(image, quality=100))
    found = run(lambda: tf.image.decode_jpeg(content))
    assert np.abs(found.astype(int) - image).max() <= 3
    smaller = run(lambda: tf.image.encode_jpeg(image, quality=20, progressive=True, optimize_size=True))
    assert len(smaller) < len(content)


def test_damaged_files_are_refused_in_words() -> None:
    for content in (b"", b"hello world, this is no image", FILES["png3"][:30], FILES["jpeg3"][:200], FILES["gif"][:12]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Unknown image file format|Invalid image data"):
            run(lambda content=content: tf.image.decode_image(content))
    for content in (b"", b"BM", FILES["bmp3"][:-9], FILES["bmp3"][:18] + struct.pack("<ii", 1 << 30, 1 << 30)
                    + FILES["bmp3"][26:]):  # fmt: skip
        with pytest.raises(tf.errors.InvalidArgumentError, match="BMP file"):
            run(lambda content=content: tf.image.decode_bmp(content))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Got 2 frames"):
        run(lambda: tf.image.decode_png(FILES["gif"]))


def test_a_small_file_of_many_pixels_is_refused_before_they_are_made() -> None:
    head = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    content = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part)) for kind, part in chunks
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"50000 x 50000 pixels|exceeds limit"):
        run(lambda: tf.image.decode_png(content))


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: tf.image.decode_png(b"", channels=2), ValueError, "channels must be one of 0, 1, 3, 4, not 2"),
        (lambda: tf.image.decode_jpeg(b"", ratio=3), ValueError, "ratio must be one of 1, 2, 4, 8, not 3"),
        (lambda: tf.image.decode_png([b""]), ValueError, "Shape must be rank 0 but is rank 1"),
        (lambda: tf.image.decode_png(b"", dtype=tf.float32), TypeError, "dtype is float32; it must be one of uint8"),
        (lambda: tf.image.encode_png(tf.zeros([2, 3], tf.uint8)), ValueError, "at least rank 3 but is rank 2"),
        (lambda: tf.image.encode_png(tf.zeros([2, 3, 5], tf.uint8)), ValueError, "1, 2, 3, or 4 channels, not 5"),
        (lambda: tf.image.encode_jpeg(tf.zeros([2, 3, 3], tf.uint8), quality=101), ValueError, "quality must be in"),
    ],
)
def test_wrong_calls_are_refused_while_building(build: Any, error: type[Exception], words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=words):
        build()


def test_without_pillow_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.ops.images.pillow.load", _no_module)
    for name in [name for name in sys.modules if name == "PIL" or name.startswith("PIL.")]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(tf.errors.UnimplementedError, match=r"pip install penstock\[images\]"):
        run(lambda: tf.image.decode_jpeg(FILES["jpeg3"]))


def _no_module(name: str) -> None:
    raise ModuleNotFoundError(name)
