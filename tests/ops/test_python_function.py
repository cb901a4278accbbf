"""py_func: what the function gets, what it may return, and its errors."""

import threading
import warnings
from typing import Any

import numpy as np
import pytest

import penstock as tf


def run(function: Any, inputs: Any, Tout: Any, **options: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.py_func(function, inputs, Tout, **options))


def test_scalars_arrive_as_numpy_scalars_and_strings_as_bytes() -> None:
    seen: list[Any] = []

    def look(*values: Any) -> Any:
        seen.extend(values)
        return np.float32(1)

    run(look, [1, 2.5, [1, 2], b"s", ["a", "b"], True], tf.float32)
    assert [type(v) for v in seen] == [np.int32, np.float32, np.ndarray, bytes, np.ndarray, np.bool_]
    assert seen[4].tolist() == [b"a", b"b"]


def test_the_function_may_keep_and_change_what_it_gets() -> None:
    kept: list[Any] = []

    def change(x: Any) -> Any:
        kept.append(x)
        x += 1.0
        return x

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [1000])
        y = x * 2.0
        changed = tf.py_func(change, [y], tf.float64)
        feed = np.ones(1000)
        a, b, c = session.run([y, changed, tf.exp(y * 0.0) + y], {x: feed})
        assert (a == 2).all() and (b == 3).all() and (c == 3).all() and (feed == 1).all()
        session.run([y, changed], {x: feed * 7})
        assert (kept[0] == 3).all() and (b == 3).all()
        kept[1][:] = -1
        assert (session.run(changed, {x: feed}) == 3).all()


@pytest.mark.parametrize(
    ("function", "dtype", "expected"),
    [
        (lambda: 1.5, tf.float32, 1.5), (lambda: 1, tf.int64, 1), (lambda: True, tf.bool, True),
        (lambda: "ä", tf.string, "ä".encode()), (lambda: (np.float32(2),), tf.float32, 2),
        (lambda: np.zeros(2, ">f4"), tf.float32, [0, 0]), (lambda: np.array(["a", "bc"]), tf.string, [b"a", b"bc"]),
        (lambda: np.ones((2, 2), "i4").T, tf.int32, [[1, 1], [1, 1]]),
    ],
)  # fmt: skip
def test_python_numbers_and_arrays_of_the_dtype_are_results(function: Any, dtype: Any, expected: Any) -> None:
    found = run(function, [], dtype)
    assert np.asarray(found).tolist() == expected


def test_a_list_of_dtypes_gives_a_list_and_none_an_operation() -> None:
    assert run(lambda: (1, "a"), [], [tf.int64, tf.string]) == [1, b"a"]
    assert run(lambda: [np.float32(1)], [], [tf.float32]) == [1]
    assert run(lambda: None, [], []) is None


@pytest.mark.parametrize(
    ("function", "dtype", "words"),
    [
        (lambda: np.float64(1.5), tf.float32, r"0-th value returned by .*lambda.* is float64, but expects float32"),
        (lambda: np.array([1]), tf.string, r"0-th value returned by .* is no string"),
        (lambda: 1.5, tf.int32, "is no int32"),
        (lambda: (1, 2), tf.int32, "returns 2 values, but expects to see 1 values"),
        (lambda: None, tf.int32, "returns 0 values, but expects to see 1 values"),
        (lambda: [1], [tf.int32, tf.int32], "returns 1 values, but expects to see 2 values"),
    ],
)
def test_a_wrong_number_or_dtype_of_results_is_an_error_of_the_run(function: Any, dtype: Any, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words) as caught:
        run(function, [], dtype)
    assert "test_python_function.py" in str(caught.value)


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (ValueError("v"), tf.errors.InvalidArgumentError), (TypeError("t"), tf.errors.InvalidArgumentError),
        (StopIteration(), tf.errors.OutOfRangeError), (MemoryError("m"), tf.errors.ResourceExhaustedError),
        (NotImplementedError("n"), tf.errors.UnimplementedError), (KeyError("k"), tf.errors.UnknownError),
        (tf.errors.OutOfRangeError(message="end"), tf.errors.OutOfRangeError),
    ],
)  # fmt: skip
def test_an_exception_keeps_its_words_and_is_the_cause(raised: Exception, kind: Any) -> None:
    def fail(x: Any) -> Any:
        raise raised

    with pytest.raises(tf.errors.OpError) as caught:
        run(fail, [1.0], tf.float32, name="fails")
    assert type(caught.value) is kind
    assert caught.value.__cause__ is raised
    assert 'in node "fails" (PyFunc)' in str(caught.value) and "test_python_function.py" in str(caught.value)
    assert str(raised.args[0] if raised.args else "StopIteration") in str(caught.value)


def test_an_interrupt_inside_ends_the_run_and_the_session_goes_on() -> None:
    interrupts = [True]

    def work(x: Any) -> Any:
        if interrupts:
            raise KeyboardInterrupt
        return x

    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.py_func(work, [tf.constant([1.0])], tf.float32) + 1.0
        with pytest.raises(KeyboardInterrupt):
            session.run(y)
        interrupts.clear()
        assert session.run(y).tolist() == [2.0]


def test_the_function_may_run_the_same_session_but_not_the_same_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(3.0)
        other = tf.square(x)
        made = tf.py_func(lambda v: session.run(other) + v, [x], tf.float32)
        assert session.run(made) == 12
        loop: Any = tf.py_func(lambda: session.run(loop), [], tf.float32)
        with pytest.raises(tf.errors.FailedPreconditionError, match="would call it again without end"):
            session.run(loop)


def test_the_shape_is_unknown_until_it_is_set_and_then_checked() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.py_func(lambda: np.zeros((2, 3), "f4"), [], tf.float32)
        assert y.shape.ndims is None and "set_shape" in str(tf.why_unknown(y))
        y.set_shape([2, None])
        assert session.run(y).shape == (2, 3)
        wrong = tf.py_func(lambda: np.zeros((2, 3), "f4"), [], tf.float32)
        wrong.set_shape([3, None])
        with pytest.raises(tf.errors.InvalidArgumentError, match="set_shape said"):
            session.run(wrong)


def test_a_stateful_one_runs_once_in_each_run_and_a_stateless_one_may_be_merged() -> None:
    calls: list[str] = []

    def note(word: str) -> Any:
        def function() -> Any:
            calls.append(word)
            return np.float32(1)

        return function

    with tf.Graph().as_default(), tf.Session() as session:
        a = note("stateful")
        both = tf.py_func(a, [], tf.float32) + tf.py_func(a, [], tf.float32)
        assert calls == []
        for _ in range(2):
            session.run(both)
        assert calls == ["stateful"] * 4
        calls.clear()
        b = note("stateless")
        same = tf.py_func(b, [], tf.float32, stateful=False) + tf.py_func(b, [], tf.float32, stateful=False)
        other = tf.py_func(note("other"), [], tf.float32, stateful=False)
        session.run(same)
        session.run([same, other])
        assert calls == ["stateless", "stateless", "other"]


@pytest.mark.parametrize("stateful", [True, False])
def test_it_runs_on_the_callers_thread(stateful: bool) -> None:
    seen: list[Any] = []

    def look(x: Any) -> Any:
        seen.append(threading.current_thread())
        return x

    with tf.Graph().as_default(), tf.Session(config=tf.SessionConfig(threads=4)) as session:
        x = tf.placeholder(tf.float32, [200, 200])
        heavy = [tf.matmul(x, x) + i for i in range(4)]
        calls = [tf.py_func(look, [h], tf.float32, stateful) for h in heavy]
        session.run(calls, {x: np.ones((200, 200))})
    assert set(seen) == {threading.current_thread()}


def test_numpy_warnings_inside_are_off_as_in_kernels() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(run(lambda x: np.divide(x, np.float32(0)), [[1.0]], tf.float32)).all()


def test_plans_and_errors_show_the_name_of_the_function_and_no_address() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.py_func(np.median, [[1.0, 2.0]], tf.float32)
        assert "PyFunc([t0], median, [float32])" in str(session.plan(y))


def test_a_graph_with_a_function_is_not_saved(tmp_path: Any) -> None:
    with tf.Graph().as_default() as graph:
        tf.py_func(np.median, [[1.0]], tf.float32)
        with pytest.raises(ValueError, match=r"Python function median"):
            tf.save_graph(graph, tmp_path / "g.json")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((1, [], tf.float32), "func must be a function"), ((abs, 1.0, tf.float32), "inp must be a list"),
        ((abs, [], "no dtype"), "dtype"), ((abs, [], [tf.float32, 3]), "dtype"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(args: Any, words: str) -> None:
    with tf.Graph().as_default() as graph, pytest.raises(TypeError, match=words):
        tf.py_func(*args)
    assert len(graph.get_operations()) == 0
