"""`op.traceback` names the lines of the program that made an operation."""

import penstock.compat.v1 as tf


def test_the_last_entry_is_the_line_of_the_call() -> None:
    with tf.Graph().as_default():
        made = tf.constant(1.0) + 2.0
    file, line, function, text = made.op.traceback[-1]
    assert file == __file__
    assert function == "test_the_last_entry_is_the_line_of_the_call"
    assert text == "made = tf.constant(1.0) + 2.0"
    with open(file) as lines:
        assert lines.read().splitlines()[line - 1].strip() == text
