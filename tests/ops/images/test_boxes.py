"""Boxes of images: what cannot be chosen, drawn or cropped is told, static shapes are known, gradients are slopes.

Random calls stand beside TensorFlow's in `tests/fuzz/test_single_calls_beside_tensorflow.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

BOXES = np.array([[0.11, 0.13, 0.52, 0.63], [0.22, 0.23, 0.88, 0.77]], "f4")
SCORES = np.array([0.4, 0.9], "f4")
IMAGES = np.random.RandomState(0).rand(2, 5, 6, 3).astype("f4")


def run(build: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


@pytest.mark.parametrize(("build", "words"), [
    (lambda: tf.image.non_max_suppression(BOXES, SCORES[:1], 3), "There is one score for each box"),
    (lambda: tf.image.non_max_suppression(BOXES[:, :3], SCORES, 3), "A box is"),
    (lambda: tf.image.non_max_suppression(BOXES, SCORES, 3, 1.5), r"iou_threshold must be in \[0, 1\], and is 1.5"),
    (lambda: tf.image.non_max_suppression_with_scores(BOXES, SCORES, 3, soft_nms_sigma=-1.0), "must not be negative"),
    (lambda: tf.image.non_max_suppression_overlaps(BOXES, SCORES, 3), "A box is"),
    (lambda: tf.image.draw_bounding_boxes(IMAGES[..., :2], BOXES[None]), "have 2 channels; they must have 1, 3 or 4"),
    (lambda: tf.image.draw_bounding_boxes(IMAGES, BOXES[None]), "There is a list of boxes for each image"),
    (lambda: tf.image.draw_bounding_boxes(IMAGES[:1], BOXES[None], colors=[[1.0]]), "colors has 1 channels"),
    (lambda: tf.image.crop_and_resize(IMAGES, BOXES, [0, 2], [2, 2]), "box 1 is of image 2, and there are 2"),
    (lambda: tf.image.crop_and_resize(IMAGES, BOXES, [0], [2, 2]), "There is one number of an image for each box"),
    (lambda: tf.image.crop_and_resize(IMAGES, BOXES, [0, 1], [2, 2], "cubic"), "method must be one of"),
    (lambda: tf.image.resize_area(IMAGES, [0, 2]), "output dimensions must be positive"),
    (lambda: tf.image.resize_area(IMAGES[:, :0], [2, 2]), "input image must be of non-zero size"),
    (lambda: tf.image.resize_area(IMAGES[:, :, :0], [2, 2]), "input image must be of non-zero size"),
])  # fmt: skip
def test_what_does_not_fit_is_told(build: Any, words: str) -> None:
    with pytest.raises((ValueError, tf.errors.OpError), match=words):
        run(build)


@pytest.mark.parametrize(("build", "names"), [
    (lambda **numbers: tf.image.non_max_suppression_with_scores(BOXES, SCORES, **numbers),
     "max_output_size iou_threshold score_threshold soft_nms_sigma"),
    (lambda **numbers: tf.image.non_max_suppression_overlaps(np.eye(2, dtype="f4"), SCORES, **numbers),
     "max_output_size overlap_threshold score_threshold"),
    (lambda **numbers: tf.image.combined_non_max_suppression(BOXES[None, :, None], SCORES[None, :, None], **numbers),
     "max_output_size_per_class max_total_size iou_threshold score_threshold"),
])  # fmt: skip
def test_a_number_of_a_run_that_is_none_is_told(build: Any, names: str) -> None:
    sizes = {name: 1 for name in names.split() if "_size" in name}
    for name in names.split():
        with tf.Graph().as_default(), tf.Session() as session:
            number = tf.placeholder(tf.int32 if name in sizes else tf.float32)
            chosen = build(**{**sizes, name: number})
            with pytest.raises(tf.errors.InvalidArgumentError, match=rf"{name} must be a scalar, and has shape \[1\]"):
                session.run(chosen, {number: [1]})


def test_crop_and_resize_asks_for_what_is_missing() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="box_indices is box_ind's other name"):
        tf.image.crop_and_resize(IMAGES, BOXES)


def test_static_shapes_are_known() -> None:
    with tf.Graph().as_default():
        images = tf.placeholder(tf.float32, ["n", 8, 9, 3])
        boxes = tf.placeholder(tf.float32, ["k", 4])
        crops = tf.image.crop_and_resize(images, boxes, tf.placeholder(tf.int32, ["k"]), [2, 3])
        assert str(crops.shape) == "(k, 2, 3, 3)"
        chosen, count = tf.image.non_max_suppression_padded(boxes, tf.placeholder(tf.float32, ["k"]), 7,
                                                            pad_to_max_output_size=True)  # fmt: skip
        assert (chosen.shape.as_list(), count.shape.as_list()) == ([7], [])
        assert str(tf.image.resize_images(images, [4, 4], tf.image.ResizeMethod.AREA).shape) == "(n, 4, 4, 3)"


def test_the_derivatives_of_a_crop_are_its_slopes() -> None:
    """By differences: all is linear in the image, and in a box between two pixels."""
    places, weights = [0, 1], np.random.RandomState(1).randn(2, 3, 2, 3).astype("f4")

    def total(images: Any, boxes: Any) -> Any:
        return tf.reduce_sum(tf.image.crop_and_resize(images, boxes, places, [3, 2]) * weights)

    with tf.Graph().as_default(), tf.Session() as session:
        images, boxes = tf.placeholder(tf.float32, IMAGES.shape), tf.placeholder(tf.float32, BOXES.shape)
        loss = total(images, boxes)
        by_images, by_boxes = session.run(tf.gradients(loss, [images, boxes]), {images: IMAGES, boxes: BOXES})

        def slope(d_images: Any, d_boxes: Any, step: float) -> float:
            up = session.run(loss, {images: IMAGES + step * d_images, boxes: BOXES + step * d_boxes})
            down = session.run(loss, {images: IMAGES - step * d_images, boxes: BOXES - step * d_boxes})
            return float(up - down) / (2 * step)

        direction = np.random.RandomState(2).randn(*IMAGES.shape).astype("f4")
        np.testing.assert_allclose(slope(direction, 0, 0.5), (by_images * direction).sum(), rtol=1e-4)
        toward = np.random.RandomState(3).randn(*BOXES.shape).astype("f4")
        np.testing.assert_allclose(slope(0, toward, 1e-3), (by_boxes * toward).sum(), rtol=5e-3)


def test_the_area_method_is_the_mean_of_whole_pixels() -> None:
    small = run(lambda: tf.image.resize_images(np.arange(16.0, dtype="f4").reshape(4, 4, 1), [2, 2], 3))
    np.testing.assert_allclose(small[:, :, 0], [[2.5, 4.5], [10.5, 12.5]])
