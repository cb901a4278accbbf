"""Glimpses beside the image, images as JPEG shows them, and mistakes with the later functions of `tf.image`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.ops.images.resizing_kernels import nearest
from penstock.ops.images.resizing_ops import resize_nearest_neighbor_grad_op

IMAGES = np.random.RandomState(7).rand(2, 12, 12, 3).astype(np.float32)


def run(call: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(call())


@pytest.mark.parametrize("uniform", [True, False])
def test_a_glimpse_beside_the_image_is_noise_and_keeps_what_it_sees(uniform: bool) -> None:
    def call() -> Any:
        return tf.image.extract_glimpse(IMAGES, [6, 6], [[-1.0, -1.0], [1.0, 1.0]], uniform_noise=uniform)

    glimpses = run(call)
    assert np.array_equal(glimpses[0, 3:, 3:], IMAGES[0, :3, :3])
    assert np.array_equal(glimpses[1, :3, :3], IMAGES[1, 9:, 9:])
    beside = glimpses[0, :3]
    assert np.unique(beside).size == beside.size
    if uniform:
        assert IMAGES[0].min() <= beside.min() and beside.max() <= IMAGES[0].max()


def test_pixels_of_a_glimpse_have_gradients() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.placeholder(tf.float32, [2, 12, 12, 3])
        seen = tf.image.extract_glimpse(images, [2, 2], [[0.0, 0.0], [-1.0, 0.0]])
        (found,) = session.run(tf.gradients(seen, images), {images: IMAGES})
    assert found.sum() == 3 * (4 + 2) and np.array_equal(np.argwhere(found[0, :, :, 0])[0], [5, 5])


def test_jpeg_keeps_smooth_images_and_less_of_them_at_a_low_quality() -> None:
    pytest.importorskip("PIL")
    line = np.linspace(0, 1, 32, dtype=np.float32)
    image = np.stack([line[:, None] * line[None, :]] * 3, -1)
    high = run(lambda: tf.image.adjust_jpeg_quality(image, 95))
    low = run(lambda: tf.image.adjust_jpeg_quality(image, tf.constant(5)))
    assert high.shape == image.shape and high.dtype == np.float32
    assert np.abs(high - image).max() < 0.02 < np.abs(low - image).max()
    assert run(lambda: tf.image.random_jpeg_quality(image, 90, 96, seed=1)).shape == image.shape


def test_a_part_of_a_jpeg_file_is_that_part_of_its_image() -> None:
    pytest.importorskip("PIL")
    with tf.Graph().as_default(), tf.Session() as session:
        file = tf.image.encode_jpeg(tf.constant((IMAGES[0] * 255).astype(np.uint8)))
        whole, part = session.run([tf.image.decode_jpeg(file), tf.image.decode_and_crop_jpeg(file, [2, 3, 4, 5])])
    assert np.array_equal(part, whole[2:6, 3:8])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.image.psnr(IMAGES, IMAGES[:, :3], 1.0), "the images must have one size"),
        (lambda: tf.image.psnr([1.0], [1.0], 1.0), "the first image must have a height"),
        (lambda: tf.image.ssim_multiscale(IMAGES, IMAGES, 1.0, ()), "power_factors must have an exponent"),
        (lambda: tf.image.ssim(IMAGES, IMAGES, 1.0, filter_size=0), "filter_size must be an int of at least 1"),
        (lambda: tf.image.sobel_edges(IMAGES[0]), "sobel_edges expects images"),
        (lambda: tf.image.rgb_to_yuv(IMAGES[..., :2]), "the last dimension must be 3"),
        (lambda: tf.image.extract_glimpse(IMAGES, [2], [[0.0, 0.0]] * 2), "size must be \\(height, width\\)"),
        (lambda: tf.image.extract_glimpse(IMAGES, [2, 2], [0.0, 0.0]), "offsets must be a row"),
        (lambda: tf.image.adjust_jpeg_quality(IMAGES, 50), "an image must be"),
        (lambda: tf.image.adjust_jpeg_quality(IMAGES[0], 101), "quality must be in \\[0, 100\\]"),
        (lambda: tf.image.random_jpeg_quality(IMAGES[0], 70, 70), "must be less than"),
        (lambda: tf.image.resize_image_with_pad(IMAGES, 0, 5), "target_height must be > 0"),
        (lambda: tf.image.combined_non_max_suppression(np.zeros([1, 4, 2, 4], "f4"), np.zeros([1, 4, 3], "f4"), 1, 1),
         "one for each class"),
    ],
)  # fmt: skip
def test_mistakes_are_told_at_the_call(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        run(call)


@pytest.mark.parametrize("new", [3, 6, 7, 9, 12])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
@pytest.mark.parametrize("corners", [False, True])
def test_gradients_of_the_nearest_pixels_are_added_in_their_order(new: int, dtype: Any, corners: bool) -> None:
    g = (np.random.RandomState(3).standard_normal((2, new, 2 * new, 5)) * 9).astype(dtype)
    g[:, 0] = -0.0
    pixels = [nearest(3, each, corners, False) for each in g.shape[1:3]]
    narrow = np.zeros((2, new, 3, 5), np.float32 if dtype is np.float16 else dtype)
    for place, pixel in enumerate(pixels[1]):
        narrow[:, :, pixel] += g[:, :, place]
    total = np.zeros((2, 3, 3, 5), narrow.dtype)
    for place, pixel in enumerate(pixels[0]):
        total[:, pixel] += narrow[:, place]
    added = run(lambda: resize_nearest_neighbor_grad_op(g, [3, 3], corners))
    assert added.tobytes() == total.astype(dtype).tobytes()
