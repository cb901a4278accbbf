"""Texts of numbers are made together, before the writes whose old values they read."""

from __future__ import annotations

import penstock as tf


def test_summaries_stand_together_before_the_writes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        tf.summary.histogram("v", v)
        y = tf.matmul(tf.matmul(v, v), v)
        tf.summary.scalar("y", tf.reduce_max(y))
        loss = tf.reduce_sum(y * y)
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        fetches = [tf.summary.merge_all(), loss, step]
        steps = session.plan(fetches).steps
        texts = [i for i, each in enumerate(steps) if all(dtype.is_string for dtype in each.dtypes)]
        assert [steps[i].op for i in texts] == ["HistogramSummary", "ScalarSummary", "MergeSummary"]
        assert texts[1] == texts[0] + 1 and texts[0] > 1
        writes = [i for i, each in enumerate(steps) if any(slot is not None for slot in each.over)]
        assert writes and all(i > texts[1] for i in writes)
        session.run(tf.global_variables_initializer())
        summary = tf.Summary.FromString(session.run(fetches)[0])
        assert summary.value[0].histo.max == 2.0  # before the step


def test_what_reads_a_text_follows_it() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        text = tf.as_string(x * 2.0)
        again = tf.string_to_number(text) + x
        assert session.run([again, text], {x: [1.0, 2.0]})[0].tolist() == [3.0, 6.0]
