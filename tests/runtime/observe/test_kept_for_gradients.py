"""An explanation lists the forward values that the backward pass reads."""

import penstock as tf


def test_what_the_backward_pass_reads_is_listed_with_its_size() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, w = tf.placeholder(tf.float32, [8, 4], name="x"), tf.placeholder(tf.float32, [4, 4], name="w")
        h = tf.tanh(tf.matmul(x, w), name="h")
        y = tf.matmul(h, w)
        found = session.explain(tf.gradients(y, [w]))
        kept = {each.tensor: each for each in found.kept_for_gradients}
        assert kept["h:0"].bytes == 8 * 4 * 4 and kept["h:0"].readers
        assert not any(name.startswith("gradients") for name in kept)
        assert f"kept for the backward pass: {len(kept)} value" in str(found)
        assert "h:0: 128 B, for gradients" in str(found)


def test_a_plan_without_gradients_lists_none() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, [8, 4])
        found = session.explain(tf.matmul(tf.tanh(x), x, transpose_b=True))
        assert found.kept_for_gradients == () and "backward" not in str(found)
