"""`spatial_softmax` gives what tf_slim gives with TensorFlow 2.21: the place along height first."""

from __future__ import annotations

import numpy as np

import penstock as tf

OF_TF_SLIM = [-0.0266, 0.1233, 0.0933, -0.0238, 0.1313, -0.0335, 0.044, 0.1681, -0.0923, 0.0117, -0.0414, -0.1971]
"""Of the first image, rounded."""


def test_the_places_are_those_of_tf_slim() -> None:
    images = np.arange(144, dtype=np.float32).reshape(2, 4, 3, 6) % 7 * np.float32(0.3) - 1
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        places = tf.contrib.layers.spatial_softmax(images)
        turned = tf.contrib.layers.spatial_softmax(images.transpose(0, 3, 1, 2), data_format="NCHW")
        session.run(tf.global_variables_initializer())
        for found in session.run([places, turned]):
            np.testing.assert_allclose(found[0], OF_TF_SLIM, atol=6e-5)
