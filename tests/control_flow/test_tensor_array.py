"""The class TensorArray: what is known while building, what is refused, and what a run does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import variant

NO_TEXT: Any = 3


def array(size: Any = 3, **facts: Any) -> tf.TensorArray:
    return tf.TensorArray(tf.float32, size, **facts)


@pytest.fixture
def session() -> Any:
    with tf.Session(graph=tf.Graph()) as made, made.graph.as_default():
        yield made


# ---- what is known ------------------------------------------------------------------------------


def test_shapes_with_names_go_through_an_array(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, ["batch", 3])
    made = tf.TensorArray(tf.float32, tf.shape(x)[0]).unstack(x)
    assert str(made.element_shape) == "(3,)"
    assert str(made.stack().shape) == "(batch, 3)" and str(made.gather([0, 1]).shape) == "(2, 3)"
    assert str(array(4).write(0, x).concat().shape) == "(4*batch, 3)"


@pytest.mark.parametrize("size", ["rows", None])
def test_joined_elements_that_may_differ_in_size_are_no_multiple_of_it(session: tf.Session, size: Any) -> None:
    x, y = tf.placeholder(tf.float32, [size, 3]), tf.placeholder(tf.float32, [None, 3])
    made = array(2, infer_shape=False, element_shape=x.shape).write(0, x).write(1, y)
    joined = made.concat()
    assert str(joined.shape) == "(?, 3)"
    count = tf.shape(joined)[0]  # known shapes say it without the run
    one = tf.reshape(joined, tf.stack([count * 3]))
    values = session.run([count, tf.size(one), joined], {x: np.ones((2, 3)), y: np.zeros((5, 3))})
    assert values[:2] == [7, 21] and values[2].shape == (7, 3)
    same = array(2, element_shape=x.shape).write(0, x).write(1, x).concat()
    assert session.run(tf.shape(same), {x: np.ones((2, 3))}).tolist() == [4, 3]


def test_a_write_says_nothing_about_the_array_before_it(session: tf.Session) -> None:
    before = array()
    after = before.write(0, [1.0, 2.0])
    assert str(before.element_shape) == "<unknown>" and str(after.element_shape) == "(2,)"


def test_the_shape_of_the_elements_is_known_after_a_loop(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, ["n", 2])
    _, made = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a.write(i, x)), [0, array()])
    assert str(made.stack().shape) == "(3, n, 2)"
    _, ragged = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a.write(i, x[:i])),
                              [0, array(infer_shape=False)])  # fmt: skip
    assert str(ragged.element_shape) == "<unknown>"
    folded = tf.foldl(lambda a, row: a.write(a.size() - 1, row), x, initializer=array(1))
    assert str(folded.element_shape) == "(2,)"


def test_branches_have_in_common_what_both_know(session: tf.Session) -> None:
    p = tf.placeholder(tf.bool, [])
    made = tf.cond(p, lambda: array(2).write(0, [1.0, 2.0]), lambda: array(2).write(1, [1.0]))
    assert str(made.element_shape) == "(?,)" and made.size().shape.ndims == 0
    other = tf.cond(p, lambda: array(2).write(0, [1.0]), lambda: array(5).write(1, [1.0]))
    assert str(other.element_shape) == "(1,)" and str(other.stack().shape) == "(?, 1)"
    assert session.run(other.size(), {p: False}) == 5


def test_why_unknown_says_what_only_a_run_knows(session: tf.Session) -> None:
    (reason,) = tf.why_unknown(array(1, dynamic_size=True).write(0, [1.0]).stack())
    assert reason.reason.startswith("only the run knows how many elements there are")


# ---- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "words"), [
    (lambda: array(None), "Argument `size` must be provided"),
    (lambda: array([1]), "rank 0 but is rank 1"),
    (lambda: tf.TensorArray(tf.float32, 2, handle=array(2).flow), "both `handle` and `size`"),
    (lambda: tf.TensorArray(tf.float32, handle=array(2).flow, element_shape=[2]), "both `handle` and `element_shape`"),
    (lambda: tf.TensorArray(tf.float32, handle=tf.constant(1.0)), "give the flow of a TensorArray"),
    (lambda: tf.TensorArray(tf.variant, 1), "give the dtype of the tensors that it will hold"),
    (lambda: array().write(0, tf.constant(1)), r"is int32, and the elements of the TensorArray are float32.*\n(.*\n)*"
                                               r"  Write tf.cast\(value, tf.float32\)"),
    (lambda: array().write(0, [1.0]).write(1, [1.0, 2.0]), r"Inconsistent shapes: saw \(2,\) but expected \(1,\)"),
    (lambda: array().write(0, 1.0).concat(), r"the elements are scalars.*(\n.*)*Write stack\(\)"),
    (lambda: array().unstack(1.0), "the value is a scalar; it has no rows"),
    (lambda: array().scatter([0], [1.0, 2.0]), "Give one index for each row"),
    (lambda: array().grad(NO_TEXT), "source is 3; give a text"),
    (lambda: tf.scan(lambda a, x: a, tf.zeros([2]), initializer=array()), "TensorArrays cannot be stacked"),
    (lambda: tf.map_fn(lambda x: array().write(0, x), tf.zeros([2]), dtype=tf.float32), "cannot be stacked"),
    (lambda: tf.cast(1.0, tf.variant), "must not be variant"),
    (lambda: tf.zeros_like(1.0, tf.variant), "must not be variant"),
    (lambda: tf.py_func(abs, [1.0], tf.variant), "must not be variant"),
    (lambda: tf.add(array().flow, array().flow), "has DataType variant not in list"),
    (lambda: tf.while_loop(lambda a: True, lambda a: tf.TensorArray(tf.int32, 1), [array()]),
     "a TensorArray of float32 in one and a TensorArray of int32 in the other"),
    (lambda: tf.while_loop(lambda a: True, lambda a: a.flow, [array()]),
     "a TensorArray of float32 in one and one tensor in the other"),
])  # fmt: skip
def test_what_cannot_be_right_is_refused_and_leaves_nothing(session: tf.Session, call: Any, words: str) -> None:
    before = {op.name for op in session.graph.get_operations()}
    with pytest.raises((TypeError, ValueError), match=words):
        call()
    left = {op.type for op in session.graph.get_operations() if op.name not in before}
    assert left <= {"Const", "Fill", "TensorArray", "TensorArrayWrite"}  # calls before the one that failed


def test_a_write_that_fails_leaves_nothing(session: tf.Session) -> None:
    start = array().write(0, [1.0])
    count = len(session.graph.get_operations())
    with pytest.raises(ValueError, match="Inconsistent"):
        start.write(1, [1.0, 2.0])
    assert len(session.graph.get_operations()) == count


# ---- elements are used up -----------------------------------------------------------------------


def used_up(session: tf.Session, *fetches: Any) -> bool:
    try:
        session.run(fetches)
    except tf.errors.InvalidArgumentError as error:
        assert "twice because it was cleared" in str(error)
        return True
    return False


def test_an_element_is_read_once_in_a_run(session: tf.Session) -> None:
    rows = array().unstack([1.0, 2.0, 3.0])
    first, second, again = rows.read(0), rows.read(1), rows.read(0)
    i = tf.placeholder_with_default(1, [])
    at_i = rows.read(i)
    assert not used_up(session, first, second)
    assert used_up(session, first, again)
    assert not used_up(session, first) and not used_up(session, again)
    assert used_up(session, second, at_i)
    assert not used_up(session, first, at_i)
    assert used_up(session, first, rows.stack()) and used_up(session, rows.stack(), rows.gather([1]))
    assert used_up(session, rows.gather([1, 1]))


def test_the_array_after_a_read_is_what_a_loop_hands_on(session: tf.Session) -> None:
    rows = array().unstack([1.0, 2.0, 3.0])
    _, total, last = tf.while_loop(
        lambda i, s, a: i < 2, lambda i, s, a: (i + 1, s + a.read(i), a), [0, 0.0, rows]
    )  # fmt: skip
    assert session.run([total, last.read(2)]) == [3.0, 3.0]
    assert used_up(session, total, last.read(1))
    assert session.run(last.read(1)) == 2.0  # no iteration reads anything for that


def test_reads_at_different_constant_indices_need_no_step_between_them(session: tf.Session) -> None:
    rows = array().unstack([1.0, 2.0, 3.0])
    plan = str(session.plan([rows.read(0), rows.read(2)]))
    assert "TensorArrayClear" not in plan
    assert "TensorArrayClear" in str(session.plan([rows.read(0), rows.stack()]))


def test_what_is_not_cleared_may_be_read_again(session: tf.Session) -> None:
    rows = array(clear_after_read=False).unstack([1.0, 2.0, 3.0])
    assert session.run([rows.read(0), rows.read(0), rows.stack()])[1] == 1.0


# ---- runs ---------------------------------------------------------------------------------------


def test_a_fetched_flow_can_be_fed(session: tf.Session) -> None:
    flow = tf.placeholder(tf.variant, [])
    given = tf.TensorArray(tf.float32, handle=flow)
    start = array().write(0, 1.0).flow
    held = session.run(start)
    assert session.run(given.write(1, 5.0).gather([0, 1]), {flow: held}).tolist() == [1.0, 5.0]
    assert session.run(given.write(1, 7.0).gather([0, 1]), {flow: held}).tolist() == [1.0, 7.0]
    with pytest.raises(TypeError, match="feed what a run returned for the flow"):
        session.run(given.size(), {flow: 1.0})
    with pytest.raises(tf.errors.InvalidArgumentError, match="the variant holds nothing"):
        session.run(given.size(), {flow: np.empty((), variant.np)})


def test_errors_name_the_array_and_the_line(session: tf.Session) -> None:
    rows = array(tensor_array_name="rows").unstack([1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"TensorArray rows: Tried to write to index 3") as caught:
        session.run(rows.write(3, 1.0).flow)
    assert "rows.write(3, 1.0)" in str(caught.value)
    _, bad = tf.while_loop(lambda i, _: i < 9, lambda i, a: (i + 1, a.write(i, 1.0)), [0, array()])
    with pytest.raises(tf.errors.InvalidArgumentError, match="index 3") as caught:
        session.run(bad.flow)
    assert "iteration 3" in str(caught.value) + str(getattr(caught.value, "__notes__", ""))


def test_values_that_a_program_changes_later_do_not_change_in_the_array(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [2])
    given = np.array([1.0, 2.0], np.float32)
    held = session.run(array(1).write(0, x).flow, {x: given})
    given[:] = 9.0
    flow = tf.placeholder(tf.variant, [])
    out = tf.TensorArray(tf.float32, handle=flow).read(0)
    first = session.run(out, {flow: held})
    assert first.tolist() == [1.0, 2.0]
    first[:] = 7.0
    assert session.run(out, {flow: held}).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("options", [{}, {"passes": ()}, {"threads": 2}, {"check": True}, {"verify": True}],
                         ids=str)  # fmt: skip
def test_every_configuration_gives_the_same(options: dict[str, Any]) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 2])
        n = tf.shape(x)[0]
        rows = tf.TensorArray(tf.float32, n).unstack(x)

        def body(i: Any, total: Any, out: Any) -> Any:
            total = tf.tanh(total + rows.read(i))
            return i + 1, total, out.write(n - 1 - i, total)

        made = tf.while_loop(lambda i, *_: i < n, body, [0, tf.zeros([2]), tf.TensorArray(tf.float32, n)])[2].stack()
        (slope,) = tf.gradients(made * made, x)
    given = np.linspace(-1, 1, 20, dtype=np.float32).reshape(10, 2)
    with tf.Session(graph=graph, config=tf.SessionConfig(**options)) as session:
        got = session.run([made, slope], {x: given})
    total, want = np.zeros(2, np.float32), np.zeros((10, 2), np.float32)
    for i in range(10):
        want[9 - i] = total = np.tanh(total + given[i])
    assert got[0].tobytes() == want.tobytes()
    assert np.isfinite(got[1]).all() and got[1].shape == (10, 2)


def test_a_graph_with_arrays_is_saved_and_loaded(tmp_path: Any) -> None:
    with tf.Graph().as_default() as graph:
        made = array(element_shape=[2]).write(1, [1.0, 2.0])
        tf.identity(made.stack(), name="out")
    tf.save_graph(graph, tmp_path / "graph.json")
    loaded = tf.load_graph(tmp_path / "graph.json")
    with tf.Session(graph=loaded) as session:
        assert session.run("out:0").tolist() == [[0, 0], [1, 2], [0, 0]]
