"""`explain_gradient` names the paths, the local derivatives, and where and why a path is cut."""

import pytest

import penstock as tf


def test_a_path_lists_each_operation_with_its_derivative_and_line() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        y = tf.reduce_sum(tf.tanh(x * 2.0, name="t"), name="y")
        report = tf.explain_gradient(y, x)
    assert [(step.op.type, step.words) for step in report.paths[0]] == [
        ("Mul", "g * y"), ("Tanh", "g * (1.0 - square(out))"), ("Sum", "g, repeated along the reduced axes")
    ]  # fmt: skip
    assert report.count == 1 and report.is_connected and not report.cuts
    assert "test_explain_gradient.py" in str(report)


def test_a_cut_names_the_node_the_reason_and_the_cure() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.cast(tf.cast(x, tf.int32, name="steps"), tf.float32)
        report = tf.explain_gradient(y, x)
        assert tf.gradients(y, x) == [None]
    assert not report.is_connected
    (cut,) = report.cuts
    assert cut.op.name == "steps" and cut.reason == "it gives int32, and ints have no derivative"
    assert "tf.custom_gradient" in cut.cure and "no gradient reaches x:0" in str(report)


@pytest.mark.parametrize("cutting", [tf.floor, tf.stop_gradient, tf.ones_like, lambda t: tf.cast(t > 0.0, tf.float32)])
def test_gradients_gives_none_exactly_where_the_report_says_so(cutting: object) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        y = cutting(tf.exp(x)) + 1.0  # type: ignore[operator]  # a function
        assert tf.gradients(y, x) == [None]
        assert not tf.explain_gradient(y, x).is_connected and tf.explain_gradient(y, x).cuts


def test_an_independent_x_is_told_with_what_y_does_depend_on() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [], name="x")
        other = tf.placeholder(tf.float32, [], name="other")
        report = tf.explain_gradient(tf.exp(other), x)
    assert [op.name for op in report.sources] == ["other"]
    assert "does not depend on x:0" in str(report)


def test_many_paths_are_counted_and_a_few_are_listed() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        y = x
        for _ in range(40):
            y = y + y
        report = tf.explain_gradient(y, x)
    assert report.count == 2**40 and len(report.paths) == 5


def test_a_notebook_shows_tables() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        shown = tf.explain_gradient(tf.exp(x) + tf.floor(x), x)._repr_html_()
    assert shown is not None and "<table" in shown and "constant between whole numbers" in shown


def test_two_graphs_are_refused() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
    with tf.Graph().as_default():
        y = tf.placeholder(tf.float32, [])
    with pytest.raises(ValueError, match="must be from the same graph"):
        tf.explain_gradient(y, x)
