"""Assert and assert_...: what holds is silent, what does not ends the run, or the call where constants show it."""

from typing import Any

import numpy as np
import pytest

import penstock as tf

PAIRS = {
    "assert_equal": np.equal, "assert_none_equal": np.not_equal, "assert_less": np.less,
    "assert_less_equal": np.less_equal, "assert_greater": np.greater, "assert_greater_equal": np.greater_equal,
}  # fmt: skip
SIGNS = {"assert_positive": np.greater, "assert_negative": np.less, "assert_non_negative": np.greater_equal,
         "assert_non_positive": np.less_equal}  # fmt: skip


def outcome(check: Any, feeds: Any) -> str:
    """"" if the run goes through, else the message."""
    with tf.Session() as session:
        try:
            session.run(check, feeds)
        except tf.errors.InvalidArgumentError as error:
            return error.message
    return ""


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(("x", "y"), [([1, 2], [1, 2]), ([1, 2], [2, 3]), ([3, 4], [1, 2]), ([1, 2], 2), ([], 1),
                                      ([1, 2], [[1, 2], [3, 1]]), ([1.5, np.nan], 1.5)])  # fmt: skip
def test_a_comparison_holds_if_numpys_does_for_all_elements(name: str, x: Any, y: Any) -> None:
    holds = bool(PAIRS[name](np.asarray(x, "f4"), np.asarray(y, "f4")).all())
    assertion = getattr(tf, name)
    with tf.Graph().as_default():
        left, right = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        assert (outcome(assertion(left, right), {left: x, right: y}) == "") is holds
    with tf.Graph().as_default() as graph:
        constants = np.asarray(x, "f4"), np.asarray(y, "f4")
        if holds:
            assert assertion(*constants).type == "NoOp"
        else:
            with pytest.raises(ValueError, match="did not hold element-wise"):
                assertion(*constants)
            assert len(graph.get_operations()) == 0


@pytest.mark.parametrize("name", SIGNS)
@pytest.mark.parametrize("x", [[1, 2], [0, 1], [-1, 0], [-2, -1], []])
def test_a_sign_holds_if_numpys_comparison_does(name: str, x: Any) -> None:
    with tf.Graph().as_default():
        fed = tf.placeholder(tf.int32, [None])
        assert (outcome(getattr(tf, name)(fed), {fed: x}) == "") is bool(SIGNS[name](np.array(x, "i4"), 0).all())


def test_the_message_is_tensorflows() -> None:
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.int32, [2], name="x"), tf.placeholder(tf.int32, [2, 2], name="y")
        feeds = {x: [1, 2], y: [[2, 2], [1, 1]]}
        assert outcome(tf.assert_equal(x, y, message="mine"), feeds) == (
            "assertion failed: [mine] [Condition x == y did not hold element-wise:] [x (x:0) = ] [1 2] "
            "[y (y:0) = ] [[2 2][1...]...]"
        )
        assert outcome(tf.assert_equal(x, y, data=["only", x], summarize=1), feeds) == (
            "assertion failed: [only] [1...]"
        )


def test_near_is_within_the_tolerances() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        assert outcome(tf.assert_near(x, [1.0, 2.0]), {x: [1.0, 2.0 + 1e-6]}) == ""
        assert "tolerance" in outcome(tf.assert_near(x, [1.0, 2.0]), {x: [1.0, 2.1]})
        assert outcome(tf.assert_near(x, [1.0, 2.0], atol=0.2), {x: [1.0, 2.1]}) == ""
        with pytest.raises(TypeError, match=r"floats or complex"):
            tf.assert_near([1], [1])


def test_an_assertion_ends_a_run_before_what_depends_on_it() -> None:
    ran: list[int] = []

    def note(value: Any) -> Any:
        ran.append(1)
        return value

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        with tf.control_dependencies([tf.Assert(x > 0.0, ["not positive", x], name="guard")]):
            y = tf.py_func(note, [x], tf.float32)
        for passes in (None, ()):
            with tf.Session(config=tf.SessionConfig(passes=passes)) as session:
                assert session.run(y, {x: 2.0}) == 2
                with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[not positive\] \[-2\]") as caught:
                    session.run(y, {x: -2.0})
                assert 'in node "guard" (Assert)' in str(caught.value)
        assert ran == [1, 1]


def test_nothing_that_writes_runs_after_a_failed_assertion_made_before_it() -> None:
    ran: list[int] = []
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        check = tf.Assert(x > 0.0, [x])
        write = tf.py_func(lambda: ran.append(1), [], [])
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run([write, check], {x: -1.0})
        assert ran == []


def test_a_constant_condition_that_is_false_warns_and_a_true_one_costs_nothing() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.warns(tf.MistakeWarning, match=r"assertion failed: \[never\]"):
            tf.Assert(False, ["never"])
        with tf.control_dependencies([tf.Assert(True, ["always"])]):
            y = tf.constant(1) + 1
        assert session.run(y) == 2


def test_a_condition_that_is_no_scalar_is_refused_with_the_cure() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.bool, [None])
        with pytest.raises(ValueError, match=r"reduce_all"):
            tf.Assert(x, [x])
        unknown = tf.placeholder(tf.bool)
        assert "condition must be a scalar" in outcome(tf.Assert(unknown, []), {unknown: [True, True]})


def test_ranks_are_checked_while_building_or_by_the_run() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, name="x")
        known = tf.zeros([2, 3])
        checks: tuple[tuple[Any, Any, Any, str], ...] = (
            (tf.assert_rank, 2, 1, "must have rank"), (tf.assert_rank_at_least, 1, 3, "rank at least"),
            (tf.assert_rank_in, (0, 2), (0, 1), "rank in"),
        )  # fmt: skip
        for assertion, right, wrong, words in checks:
            assert assertion(known, right).type == "NoOp"
            with pytest.raises(ValueError, match=words):
                assertion(known, wrong)
            assert outcome(assertion(x, right), {x: np.ones((2, 3))}) == ""
            assert words in outcome(assertion(x, wrong), {x: np.ones((2, 3))})


def test_kinds_are_checked_while_building() -> None:
    with tf.Graph().as_default():
        assert tf.assert_type([1.0], tf.float32).type == "NoOp"
        assert tf.assert_integer([1]).type == "NoOp"
        with pytest.raises(TypeError, match=r"must be of type tf.int32"):
            tf.assert_type([1.0], tf.int32)
        with pytest.raises(TypeError, match="to be integer type"):
            tf.assert_integer([1.0])
        for wrong in ([1.0], tf.placeholder(tf.float32)):
            with pytest.raises(ValueError, match="Expected scalar shape"):
                tf.assert_scalar(wrong)


def test_ensure_shape_refines_the_static_shape_and_checks_the_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        y = tf.ensure_shape(x, [None, 2])
        assert str(y.shape) == "(?, 2)"
        assert session.run(y, {x: [[1, 2]]}).tolist() == [[1, 2]]
        for wrong in (1.0, [1.0, 2.0], [[1.0]]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible with expected shape"):
                session.run(y, {x: wrong})
        with pytest.raises(ValueError):
            tf.ensure_shape(tf.zeros([3]), [4])
