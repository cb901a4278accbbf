"""Nodes of a gradient inside a gradient say the scope that they stand in once."""

import penstock as tf


def test_a_recomputed_segment_has_short_names() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.name_scope("train"):
            y = tf.recompute_grad(lambda t: tf.sin(t, name="wave"))(x)
            tf.gradients(y, x)
    names = [op.name for op in graph.get_operations() if "wave_grad" in op.name]
    assert names
    scopes = {name[: name.index("/wave_grad")] for name in names}
    assert len(scopes) == 1
    (scope,) = scopes
    assert scope.startswith("train/gradients/train/") and scope.endswith("_grad/gradients/recomputed")


def test_a_gradient_outside_of_rules_has_the_names_of_tensorflow() -> None:
    with tf.Graph().as_default(), tf.name_scope("train"):
        x = tf.constant([1.0], name="x")
        (slope,) = tf.gradients(tf.sin(x, name="wave"), x)
    assert isinstance(slope, tf.Tensor)
    assert slope.name.startswith("train/gradients/train/wave_grad/")
