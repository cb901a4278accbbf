"""Calls of pooling, patches, blocks of pixels, resizing and tf.image whose values, static shapes and gradients are
recorded; `nn_cases.evaluate` runs them.

TensorFlow has no second derivative of some; there the first ones are recorded alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .nn_cases import Case

RNG = np.random.default_rng(20261129)
START = RNG.bit_generator.state
FLOATS = ("float32", "float64", "float16")


def cases() -> Iterator[Case]:
    """All of them, with the same operands each time."""
    RNG.bit_generator.state = START
    yield from _pools()
    yield from _by_dimensions()
    yield from _neighbours()
    yield from _blocks()
    yield from _resizes()
    yield from _images()
    yield from _wrong()


def _normal(*shape: int) -> Any:
    return RNG.standard_normal(shape).round(2)


def _pools() -> Iterator[Case]:
    ties = RNG.integers(-2, 3, (2, 5, 6, 2)).astype(float)
    for kind in ("max_pool", "avg_pool"):
        for padding in ("SAME", "VALID"):
            for size, step in ((2, 2), (3, 2), (3, 1), (1, 2)):
                yield Case(
                    f"{kind} {padding} {size} {step}",
                    lambda tf, x, k=kind, n=size, s=step, p=padding: getattr(tf.nn, k)(
                        x, [1, n, n, 1], [1, s, s, 1], p
                    ),
                    (ties,), FLOATS if size == 3 else ("float32",),
                )  # fmt: skip
        call = lambda tf, x, k=kind: getattr(tf.nn, k)(x, [1, 2, 3, 1], [1, 2, 1, 1], "SAME")  # noqa: E731
        yield Case(f"{kind}, unknown", call, (_normal(2, 3, 4, 2),), ("float64",), unknown=True)
        yield Case(f"{kind}, no images", call, (_normal(0, 3, 4, 2),), ("float32",))
        yield Case(f"{kind} by numbers", lambda tf, x, k=kind: getattr(tf.nn, k)(x, 2, 2, "VALID"),
                   (_normal(1, 4, 4, 1),), ("float32",))  # fmt: skip
    yield Case("max_pool, explicit", lambda tf, x: tf.nn.max_pool(x, 3, 2, [[0, 0], [1, 0], [2, 1], [0, 0]]),
               (_normal(1, 4, 5, 2),), ("float32", "float64"), second=False)  # fmt: skip
    yield Case("max_pool of ints", lambda tf, x: tf.nn.max_pool(x, 2, 1, "SAME"),
               (RNG.integers(-9, 9, (1, 3, 3, 2)).astype("i4"),), ("float32",))  # fmt: skip
    yield Case("max_pool of channels", lambda tf, x: tf.stop_gradient(
        tf.nn.max_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], "VALID")), (_normal(1, 2, 2, 4),), ("float32",))  # fmt: skip
    odd = np.array([np.nan, 1, 2, np.nan, -np.inf, -np.inf, 3, np.nan, -0.0, 0.0, 0.0, -0.0]).reshape(1, 2, 6, 1)
    yield Case("max_pool of NaN", lambda tf, x: tf.stop_gradient(tf.nn.max_pool(x, [1, 2], [1, 2], "VALID")), (odd,),
               FLOATS)  # fmt: skip
    yield Case("avg_pool of NaN", lambda tf, x: tf.nn.avg_pool(x, [1, 2], [1, 2], "VALID"), (odd,), ("float32",))
    for whole in (False, True):

        def places(tf: Any, x: Any, whole: bool = whole) -> Any:
            return tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", include_batch_in_index=whole)

        yield Case(f"argmax, {whole}", places, (_normal(2, 3, 4, 2),), ("float32", "float64"), second=False)


def _by_dimensions() -> Iterator[Case]:
    for kind in ("max_pool", "avg_pool"):
        for padding in ("SAME", "VALID"):
            yield Case(f"{kind}3d {padding}", lambda tf, x, k=kind, p=padding: getattr(tf.nn, f"{k}3d")(
                x, [1, 2, 3, 2, 1], [1, 2, 1, 2, 1], p), (_normal(1, 4, 3, 4, 2),), ("float32",))  # fmt: skip
            yield Case(f"{kind}1d {padding}", lambda tf, x, k=kind, p=padding: getattr(tf.nn, f"{k}1d")(x, 3, 2, p),
                       (_normal(2, 6, 2),), ("float32",))  # fmt: skip
            yield Case(f"pool {kind} {padding}", lambda tf, x, k=kind, p=padding: tf.nn.pool(
                x, [2, 3], k[:3].upper(), p, strides=[1, 2]), (_normal(1, 4, 5, 2),), ("float32",))  # fmt: skip
        yield Case(f"pool {kind} with holes", lambda tf, x, k=kind: tf.nn.pool(
            x, [2, 2], k[:3].upper(), "VALID", [2, 3]), (_normal(1, 5, 6, 2),), ("float32", "float64"))  # fmt: skip
    ties = RNG.integers(-1, 2, (1, 3, 3, 3, 2)).astype(float)
    yield Case("max_pool3d, ties", lambda tf, x: tf.nn.max_pool3d(x, 2, 1, "VALID"), (ties,), ("float32",))


def _neighbours() -> Iterator[Case]:
    for radius, bias, alpha, beta in (
        (5, 1.0, 1.0, 0.5), (1, 2.0, 0.5, 0.75), (0, 1.0, 1.0, 1.0), (2, 1.0, 1e-4, 0.75),
    ):  # fmt: skip
        yield Case(f"lrn {radius} {beta}", lambda tf, x, r=radius, o=bias, a=alpha, b=beta: tf.nn.lrn(x, r, o, a, b),
                   (_normal(1, 2, 2, 6),), ("float32", "float16"), second=False)  # fmt: skip
    for padding in ("SAME", "VALID"):
        yield Case(f"patches {padding}", lambda tf, x, p=padding: tf.extract_image_patches(
            x, [1, 2, 3, 1], [1, 2, 1, 1], [1, 1, 2, 1], p
        ), (_normal(2, 4, 6, 2),), ("float32", "float64"))  # fmt: skip


def _blocks() -> Iterator[Case]:
    yield Case("space_to_depth", lambda tf, x: tf.space_to_depth(x, 2), (_normal(2, 4, 6, 3),), FLOATS)
    yield Case("depth_to_space", lambda tf, x: tf.depth_to_space(x, 2), (_normal(2, 2, 3, 8),), FLOATS)
    yield Case("space_to_batch", lambda tf, x: tf.space_to_batch(x, [[1, 0], [0, 2]], 2), (_normal(2, 3, 4, 2),))
    yield Case("batch_to_space", lambda tf, x: tf.batch_to_space(x, [[1, 0], [0, 2]], 2), (_normal(8, 2, 3, 2),))
    yield Case("space_to_batch_nd", lambda tf, x: tf.space_to_batch_nd(x, [3], [[1, 2]]), (_normal(2, 6, 2),))
    yield Case("batch_to_space_nd", lambda tf, x: tf.batch_to_space_nd(x, [3], [[1, 0]]), (_normal(6, 2),))
    yield Case("required_space_to_batch_paddings", lambda tf, x: tf.stack(tf.required_space_to_batch_paddings(
        x, [3, 2], [[1, 0], [0, 2]])), (np.array([5, 4], "i4"),), ("float32",), unknown=True)  # fmt: skip


def _resizes() -> Iterator[Case]:
    for name in ("resize_nearest_neighbor", "resize_bilinear", "resize_bicubic"):
        for size in ((3, 7), (6, 2), (1, 1)):
            for corners, half in ((False, False), (True, False), (False, True)):
                yield Case(
                    f"{name} {size} {corners} {half}",
                    lambda tf, x, n=name, s=size, c=corners, h=half: getattr(tf.image, n)(
                        x, s, align_corners=c, half_pixel_centers=h
                    ),
                    (_normal(1, 4, 5, 2),), ("float32",), second=False,
                )  # fmt: skip
    for method in (0, 1):
        yield Case(f"resize_images {method}", lambda tf, x, m=method: tf.image.resize_images(x, [2, 6], m),
                   (_normal(3, 4, 2),), ("float32", "float64"), second=False)  # fmt: skip
    yield Case("resize_images, the form stays", lambda tf, x: tf.image.resize_images(
        x, [7, 20], preserve_aspect_ratio=True), (_normal(3, 4, 2),), ("float32",), second=False)  # fmt: skip


def _images() -> Iterator[Case]:
    x = _normal(2, 4, 5, 3)
    for name in ("flip_left_right", "flip_up_down", "transpose_image", "rot90", "rgb_to_grayscale",
                 "per_image_standardization"):  # fmt: skip
        yield Case(name, lambda tf, x, n=name: getattr(tf.image, n)(x), (x,), ("float32",), second=False)
        yield Case(f"{name} of one", lambda tf, x, n=name: getattr(tf.image, n)(x), (x[0],), ("float32",), second=False)
    for height, width in ((2, 3), (7, 8), (3, 9)):
        yield Case(f"resize_image_with_crop_or_pad {height} {width}", lambda tf, x, h=height, w=width:
                   tf.image.resize_image_with_crop_or_pad(x, h, w), (x,), ("float32",))  # fmt: skip
    yield Case("crop_to_bounding_box", lambda tf, x: tf.image.crop_to_bounding_box(x, 1, 2, 3, 2), (x,), ("float32",))
    yield Case("pad_to_bounding_box", lambda tf, x: tf.image.pad_to_bounding_box(x, 1, 2, 6, 9), (x,), ("float32",))
    yield Case("central_crop", lambda tf, x: tf.image.central_crop(x, 0.6), (x,), ("float32",))
    yield Case("grayscale_to_rgb", lambda tf, x: tf.image.grayscale_to_rgb(x), (x[..., :1],), ("float32",))
    yield Case("adjust_brightness", lambda tf, x: tf.image.adjust_brightness(x, 0.3), (x,), ("float32", "float16"))
    yield Case("adjust_contrast", lambda tf, x: tf.stop_gradient(tf.image.adjust_contrast(x, 1.5)), (x,), ("float32",))
    bytes_of = RNG.integers(0, 256, (3, 4, 3)).astype("u1")
    for name, more in (("adjust_brightness", (0.2,)), ("adjust_contrast", (1.7,)), ("rgb_to_grayscale", ()),
                       ("per_image_standardization", ())):  # fmt: skip
        yield Case(f"{name} of bytes", lambda tf, x, n=name, m=more: getattr(tf.image, n)(x, *m), (bytes_of,),
                   ("float32",))  # fmt: skip
    for dtype in ("float32", "int32", "uint16"):
        yield Case(f"bytes as {dtype}", lambda tf, x, d=dtype: tf.image.convert_image_dtype(x, d), (bytes_of,),
                   ("float32",))  # fmt: skip


def _wrong() -> Iterator[Case]:
    x = _normal(1, 3, 3, 2)
    yield Case("a window larger than the image", lambda tf, x: tf.nn.max_pool(x, 5, 1, "VALID"), (x,), ("float32",))
    yield Case("space_to_depth, no multiple", lambda tf, x: tf.space_to_depth(x, 2), (x,), ("float32",))
    yield Case("crop outside", lambda tf, x: tf.image.crop_to_bounding_box(x, 2, 2, 3, 3), (x,), ("float32",))
    yield Case("images of rank 2", lambda tf, x: tf.image.resize_images(x, [2, 2]), (x[0, 0],), ("float32",))
