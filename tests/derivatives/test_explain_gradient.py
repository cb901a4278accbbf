"""`explain_gradient` names the paths, the local derivatives, and where and why a path is cut."""

import pytest

import penstock as tf
from penstock.derivatives.explain_gradient import clauses, local_words

from ..op_samples import USERS_OPS


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


def words_of(y: tf.Tensor) -> list[str]:
    return [local_words(y.op, place) for place in range(len(y.op.inputs))]


def test_the_words_of_an_operand_are_its_clause_and_what_is_said_for_all() -> None:
    with tf.Graph().as_default():
        a, b = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [3, 4])
        assert words_of(tf.matmul(a, b)) == [
            "g @ adjoint(b); summed over repeated batches", "adjoint(a) @ g; summed over repeated batches",
        ]  # fmt: skip
        start, stop = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        assert words_of(tf.linspace(start, stop, 3))[1] == "that of g * t; t goes from 0 to 1"
        assert words_of(tf.cumprod(a))[0] == "cumsum(g * out) from the other end, / x; 0 where x is 0"
        stitched = tf.dynamic_stitch([[0], [1, 2]], [a[:1], b[:2, :3]])
        assert words_of(stitched)[2:] == ["gather(g, indices[i])"] * 2


def test_the_words_of_a_repeated_operand_name_the_axes_that_are_summed() -> None:
    with tf.Graph().as_default():
        x, bias = tf.placeholder(tf.float32, ["n", 3]), tf.placeholder(tf.float32, [3])
        unknown = tf.placeholder(tf.float32, [None, 3])
        assert words_of(x + bias) == ["g", "g, summed over axis 0"]
        assert words_of(x + unknown)[1] == "g, summed over the axes that the run repeats"
        assert words_of(x * tf.placeholder(tf.float32, []))[1] == "g * x, summed over axes 0, 1"


def test_every_clause_belongs_to_an_operand_or_to_all() -> None:
    for op in USERS_OPS.values():
        if op.gradient_rule is not None and op.gradient_words:
            names = [name for _, name, _ in op.operands]
            assert all(not label or label.partition("[")[0] in names for label in clauses(op))
            assert all(": " not in clause or clause.partition(": ")[0] not in names for clause in clauses(op).values())
