"""Calls of functions that came late in TensorFlow 1.x, whose values, static shapes and gradients are recorded.

As `name_cases`; they stand in `later_names.json`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .nn_cases import Case

WIDE = ("float32", "float64")
RNG = np.random.default_rng(20261129)
START = RNG.bit_generator.state


def cases() -> Iterator[Case]:
    """All of them, with the same operands each time."""
    RNG.bit_generator.state = START
    yield from (replace(case, in_float32=True) for case in _alike())
    yield from _slopes()
    yield from _colors()
    yield from _boxes()
    yield from _glimpses()
    yield from _frames()
    yield from _activations()
    yield from _moved()


def _alike() -> Iterator[Case]:
    a = RNG.uniform(0, 1, (2, 20, 23, 3))
    b = np.clip(a + RNG.normal(scale=0.05, size=a.shape), 0, 1)
    for name, call in (
        ("psnr", lambda tf, x, y: tf.image.psnr(x, y, 1.0)),
        ("ssim", lambda tf, x, y: tf.image.ssim(x, y, 1.0)),
        ("ssim, a map", lambda tf, x, y: tf.image.ssim(x, y, 1.0, filter_size=5, return_index_map=True)),
        ("ssim, options", lambda tf, x, y: tf.image.ssim(x, y, 1.0, 7, 1.0, 0.02, 0.05)),
        ("ssim_multiscale", lambda tf, x, y: tf.image.ssim_multiscale(x, y, 1.0, (0.3, 0.7), 7)),
        ("ssim_multiscale, three", lambda tf, x, y: tf.image.ssim_multiscale(x, y, 1.0, (0.3, 0.4, 0.3), 4)),
    ):
        yield Case(name, call, (a, b), ("float32",), second=False)
        if "multiscale" not in name:
            yield Case(f"{name}, float64", call, (a, b), ("float64",), second=False)
        yield Case(f"{name}, unknown", call, (a, b), ("float32",), unknown=True, second=False)
    ints = (a * 255).astype("u1"), (b * 255).astype("u1")
    yield Case("psnr of bytes", lambda tf, x, y: tf.image.psnr(x, y, 255), ints, ("float32",))
    yield Case("ssim of bytes", lambda tf, x, y: tf.image.ssim(x, y, 255), ints, ("float32",))
    yield Case("psnr of one image", lambda tf, x, y: tf.image.psnr(x, y, 1.0), (a[0], b[0]), ("float32",), second=False)
    yield Case("psnr, other sizes", lambda tf, x, y: tf.image.psnr(x, y, 1.0), (a, b[:, :5]), ("float32",))
    yield Case("ssim, other channels", lambda tf, x, y: tf.image.ssim(x, y, 1.0), (a, b[..., :1]), ("float32",))
    yield Case("ssim, small images", lambda tf, x, y: tf.image.ssim(x, y, 1.0), (a[:, :8], b[:, :8]), ("float32",),
               unknown=True)  # fmt: skip


def _slopes() -> Iterator[Case]:
    images = RNG.normal(size=(2, 5, 4, 3)).round(2)
    ints = RNG.integers(0, 50, (2, 4, 3, 2)).astype("i4")
    yield Case("total_variation", lambda tf, x: tf.image.total_variation(x), (images,), WIDE, second=False)
    yield Case("total_variation of one", lambda tf, x: tf.image.total_variation(x), (images[0],), WIDE, second=False)
    yield Case("total_variation of ints", lambda tf, x: tf.image.total_variation(x), (ints,), ("float32",))
    yield Case("total_variation of a matrix", lambda tf, x: tf.image.total_variation(x), (images[0, 0],), ("float32",))
    yield Case("image_gradients", lambda tf, x: tf.image.image_gradients(x), (images,), WIDE, second=False)
    yield Case("image_gradients of ints", lambda tf, x: tf.image.image_gradients(x), (ints,), ("float32",))
    yield Case("image_gradients of one", lambda tf, x: tf.image.image_gradients(x), (images[0],), ("float32",))
    yield Case("sobel_edges", lambda tf, x: tf.image.sobel_edges(x), (images,), WIDE, second=False)


def _colors() -> Iterator[Case]:
    pixels = RNG.uniform(0, 1, (2, 3, 3))
    for name in ("rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb"):
        yield Case(name, lambda tf, x, name=name: getattr(tf.image, name)(x), (pixels,), WIDE, second=False)
    yield Case("rgb_to_yuv, two colours", lambda tf, x: tf.image.rgb_to_yuv(x), (pixels[..., :2],), ("float32",))


def _boxes() -> Iterator[Case]:
    corners, sizes = RNG.random((2, 9, 3, 2)), RNG.uniform(0.2, 0.6, (2, 9, 3, 2))
    boxes, scores = np.concatenate([corners, corners + sizes], -1) - 0.1, RNG.random((2, 9, 3))

    def suppressed(tf: Any, x: Any, y: Any, *rest: Any, **more: Any) -> Any:
        return list(tf.image.combined_non_max_suppression(x, y, *rest, **more))

    one = boxes[:, :, :1]
    yield Case("combined suppression", lambda tf, x, y: suppressed(tf, x, y, 3, 7), (boxes, scores), ("float32",))
    yield Case("combined suppression, shared boxes", lambda tf, x, y: suppressed(tf, x, y, 3, 7), (one, scores),
               ("float32",))  # fmt: skip
    yield Case("combined suppression, options",
               lambda tf, x, y: suppressed(tf, x, y, 2, 12, 0.2, 0.3, pad_per_class=True, clip_boxes=False),
               (one, scores), ("float32",))  # fmt: skip
    yield Case("combined suppression, unknown", lambda tf, x, y: suppressed(tf, x, y, 3, 7), (boxes, scores),
               ("float32",), unknown=True)  # fmt: skip
    yield Case("combined suppression, two boxes for three classes", lambda tf, x, y: suppressed(tf, x, y, 3, 7),
               (boxes[:, :, :2], scores), ("float32",), unknown=True)  # fmt: skip
    yield Case("combined suppression, none per class", lambda tf, x, y: suppressed(tf, x, y, 0, 7), (one, scores),
               ("float32",))  # fmt: skip


def _glimpses() -> Iterator[Case]:
    images = RNG.normal(size=(3, 9, 8, 2)).round(2)
    inside = np.array([[0.1, -0.2], [0.3, 0.25], [-0.4, 0.0]])

    def glimpse(**more: Any) -> Any:
        return lambda tf, x, y: tf.stop_gradient(tf.image.extract_glimpse(x, [3, 4], y, **more))

    yield Case("extract_glimpse", glimpse(), (images, inside), ("float32",))
    yield Case("extract_glimpse, unknown", glimpse(), (images, inside), ("float32",), unknown=True)
    yield Case("extract_glimpse, from the corner", glimpse(centered=False), (images, np.abs(inside) + 0.3),
               ("float32",))  # fmt: skip
    yield Case("extract_glimpse, in pixels", glimpse(centered=False, normalized=False),
               (images, np.array([[4.0, 3.0], [1.6, 2.4], [5.0, 5.0]])), ("float32",))  # fmt: skip
    yield Case("extract_glimpse, in pixels from the middle", glimpse(normalized=False),
               (images, np.array([[2.0, -3.0], [1.0, 0.0], [0.0, 1.5]])), ("float32",))  # fmt: skip
    yield Case("extract_glimpse, two rows of offsets", glimpse(), (images, inside[:2]), ("float32",))


def _frames() -> Iterator[Case]:
    images = RNG.uniform(0, 9, (2, 5, 8, 3)).round(1)
    for name, size in (("wide", (6, 6)), ("tall", (4, 13)), ("odd", (7, 3))):
        yield Case(f"resize_image_with_pad, {name}",
                   lambda tf, x, size=size: tf.image.resize_image_with_pad(x, *size), (images,), ("float32",),
                   second=False)  # fmt: skip
        yield Case(f"resize_image_with_pad, {name}, unknown",
                   lambda tf, x, size=size: tf.image.resize_image_with_pad(tf.reshape(x, [1, *[-1] * 1, 8, 3]), *size),
                   (images[:1],), ("float32",), unknown=True, second=False)  # fmt: skip
    yield Case("resize_image_with_pad, nearest", lambda tf, x: tf.image.resize_image_with_pad(x, 7, 7, 1), (images[0],),
               ("float32",), second=False)  # fmt: skip
    yield Case("resize_image_with_pad, no height", lambda tf, x: tf.image.resize_image_with_pad(x, 0, 7), (images[0],),
               ("float32",))  # fmt: skip
    yield Case("image.transpose", lambda tf, x: tf.image.transpose(x), (images,), ("float32",), second=False)
    yield Case("image.extract_patches", lambda tf, x: tf.image.extract_patches(
        images=x, sizes=[1, 2, 2, 1], strides=[1, 1, 2, 1], rates=[1, 1, 1, 1], padding="VALID"), (images,),
        ("float32",), second=False)  # fmt: skip


def _activations() -> Iterator[Case]:
    x = np.array([[-30.0, -2.5, -0.3], [0.0, 0.7, 12.0]])
    yield Case("swish", lambda tf, x: tf.nn.swish(x), (x,), WIDE, second=False)


def _moved() -> Iterator[Case]:
    """`tf.contrib.image` beside the op of TensorFlow 2 that has taken its place."""

    def moved(tf: Any, x: Any, rows: Any, method: str, shape: Any = None) -> Any:
        if not hasattr(tf, "raw_ops"):
            return tf.contrib.image.transform(x, rows, method, shape)
        return tf.raw_ops.ImageProjectiveTransformV3(
            images=x, transforms=rows, output_shape=tf.shape(x)[1:3] if shape is None else shape, fill_value=0.0,
            interpolation=method,
        )  # fmt: skip

    def turned(tf: Any, x: Any, angles: Any, method: str) -> Any:
        if not hasattr(tf, "raw_ops"):
            return tf.contrib.image.rotate(x, angles, method)
        wide, tall = float(x.shape[2]) - 1, float(x.shape[1]) - 1
        c, s = tf.cos(angles)[:, None], tf.sin(angles)[:, None]
        rows = [c, -s, (wide - (c * wide - s * tall)) / 2, s, c, (tall - (s * wide + c * tall)) / 2, 0 * c, 0 * c]
        return moved(tf, x, tf.concat(rows, 1), method)

    def filled(tf: Any, x: Any, rows: Any, method: str, mode: str) -> Any:
        if not hasattr(tf, "raw_ops"):
            op = importlib.import_module("penstock.extend").find_op("ImageProjectiveTransformV2")
            return tf.stop_gradient(op(x, rows, [6, 7], method, mode))
        return tf.stop_gradient(tf.raw_ops.ImageProjectiveTransformV3(
            images=x, transforms=rows, output_shape=[6, 7], fill_value=0.0, interpolation=method, fill_mode=mode
        ))  # fmt: skip

    images = RNG.normal(size=(2, 6, 7, 2)).round(2)
    rows = np.array([[0.9, -0.3, 1.0, 0.3, 0.9, -0.5, 0.01, 0.02], [1.2, 0.1, -2.0, 0.0, 0.7, 1.0, 0.0, -0.01]])
    ints = RNG.integers(0, 250, (2, 6, 7, 2)).astype("u1")
    for method in ("NEAREST", "BILINEAR"):
        for name, x in (("floats", images), ("bytes", ints)):
            yield Case(f"transform {method} of {name}", lambda tf, x, r, m=method: moved(tf, x, tf.stop_gradient(r), m),
                       (x, rows), ("float32",), second=False)  # fmt: skip
        yield Case(f"transform {method} to another size", lambda tf, x, r, m=method: moved(
            tf, x, tf.stop_gradient(r), m, [4, 9]), (images, rows[:1]), ("float32",), second=False)  # fmt: skip
        yield Case(f"rotate {method}", lambda tf, x, a, m=method: turned(tf, x, tf.stop_gradient(a), m),
                   (images, np.array([0.3, -1.1])), ("float32",), second=False)  # fmt: skip
    yield Case("transform of infinite places", lambda tf, x, r: moved(tf, x, tf.stop_gradient(r), "NEAREST"),
               (images, np.array([[1.0, 0, 0, 0, 1, 0, -0.5, 0]])), ("float32",), second=False)  # fmt: skip
    for mode in ("REFLECT", "WRAP", "NEAREST"):
        for method in ("NEAREST", "BILINEAR"):
            yield Case(f"transform {method}, {mode} outside", lambda tf, x, r, m=method, f=mode: filled(tf, x, r, m, f),
                       (images, np.array([[1.7, -0.9, -3.2, 0.8, 2.1, -8.3, 0, 0]])), ("float32",))  # fmt: skip
