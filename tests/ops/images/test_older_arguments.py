"""`resize_images(images, new_height, new_width, method)`, as TensorFlow up to 0.11 had it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

RESIZE: Any = tf.image.resize_images
X = np.random.RandomState(1).rand(2, 4, 5, 3).astype(np.float32)


def test_a_height_and_a_width_are_a_size() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        pairs = [
            (RESIZE(X, 8, 10), RESIZE(X, [8, 10])),
            (RESIZE(X, np.int64(2), 3, tf.image.ResizeMethod.NEAREST_NEIGHBOR), RESIZE(X, [2, 3], 1)),
            (RESIZE(X, 7, 9, align_corners=True), RESIZE(X, [7, 9], align_corners=True)),
        ]
        for older, newer in pairs:
            got, wanted = session.run([older, newer])
            assert got.shape == wanted.shape and np.array_equal(got, wanted)


def test_a_method_that_is_not_there_is_still_told() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Resize method is not implemented: 84"):
        RESIZE(X, [84, 84], 84)
