"""`tf.contrib.image`: images of every rank, matrices of transforms, and mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

IMAGE: Any = tf.contrib.image
PIXELS = np.random.RandomState(1).rand(3, 5, 5, 2).astype(np.float32)


def run(call: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(call())


def test_a_quarter_turn_is_that_of_numpy_for_images_of_every_rank() -> None:
    for image, axes in ((PIXELS, (1, 2)), (PIXELS[0], (0, 1)), (PIXELS[0, :, :, 0], (0, 1))):
        turned = run(lambda image=image: IMAGE.rotate(image, np.float32(np.pi / 2), "BILINEAR"))
        assert np.allclose(turned, np.rot90(image, 1, axes), atol=1e-5)


def test_each_image_has_its_own_translation() -> None:
    moved = run(lambda: IMAGE.translate(PIXELS, [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    assert np.array_equal(moved[0, :, 1:], PIXELS[0, :, :-1]) and not moved[0, :, 0].any()
    assert np.array_equal(moved[1, 2:], PIXELS[1, :-2]) and np.array_equal(moved[2], PIXELS[2])


def test_composed_transforms_are_one_after_the_other() -> None:
    def call() -> Any:
        turns = IMAGE.angles_to_projective_transforms([0.3, -0.2, 1.0], 5.0, 5.0)
        steps = IMAGE.translations_to_projective_transforms([1.0, 2.0])
        return [IMAGE.compose_transforms(turns, steps), IMAGE.flat_transforms_to_matrices(turns),
                IMAGE.flat_transforms_to_matrices(steps)]  # fmt: skip

    composed, turns, steps = run(call)
    products = (turns @ steps).reshape(3, 9)
    assert np.allclose(composed, products[:, :8] / products[:, 8:], atol=1e-5)


def test_the_size_of_a_result_is_known_where_it_can_be() -> None:
    with tf.Graph().as_default():
        images = tf.placeholder(tf.float32, ["batch", 5, None, 2])
        assert IMAGE.rotate(images, 0.5).shape.as_list() == [None, 5, None, 2]
        assert IMAGE.rotate(PIXELS, 0.5).shape.as_list() == [3, 5, 5, 2]
        assert IMAGE.transform(images, np.zeros(8, np.float32), output_shape=[4, 6]).shape.as_list() == [None, 4, 6, 2]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: IMAGE.rotate([1.0], 0.5), TypeError, "rank between 2 and 4"),
        (lambda: IMAGE.rotate(PIXELS, [[0.5]]), TypeError, "Angles should have rank 0 or 1"),
        (lambda: IMAGE.rotate(PIXELS, [0.5, 0.6]), ValueError, "one transform, or one for each image"),
        (lambda: IMAGE.rotate(PIXELS, 0.5, "CUBIC"), ValueError, "interpolation"),
        (lambda: IMAGE.translate(PIXELS, 1.0), TypeError, "Translations should have rank 1 or 2"),
        (lambda: IMAGE.transform(PIXELS, np.zeros((3, 7), "f4")), ValueError, "8 numbers"),
        (lambda: IMAGE.compose_transforms(), ValueError, "cannot be empty"),
    ],
)
def test_mistakes_are_told_at_the_call(call: Any, error: type[Exception], words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=words):
        call()
