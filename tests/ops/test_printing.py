"""What is printed in a run, how often, and in which order."""

import contextlib
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.ops.text.value_text import both_ends, first_elements


def printed(*fetches: Any, feeds: Any = None, times: int = 1, config: Any = None) -> str:
    with tf.Session(config=config) as session, contextlib.redirect_stderr(io.StringIO()) as out:
        for _ in range(times):
            session.run(list(fetches), feeds)
    return out.getvalue()


# What TensorFlow 2.21 prints: an array, the number of elements, tf.Print's text.
RECORDED_FIRST: list[tuple[Any, int, str]] = [
    (np.float32(1.5), 3, "1.5"), (np.float32(1.5), 0, "..."),
    (np.arange(10, dtype="f4") / 3, 3, "0 0.333333343 0.666666687..."),
    (np.arange(10, dtype="f4") / 3, 0, "..."),
    (np.arange(12).reshape(3, 4), 3, "[0 1 2...]..."), (np.arange(12).reshape(3, 4), 4, "[0 1 2 3]..."),
    (np.arange(12).reshape(3, 4), -1, "[0 1 2 3][4 5 6 7][8 9 10 11]"),
    (np.array([True, False]), 3, "1 0"), (np.array([True, False]), 0, ""),
    (np.array([b"a\n", b'"q"'], object), 3, 'a\\n \\"q\\"'), (np.array(b"hi", object), 3, "hi"),
    (np.zeros((0, 3), "f4"), 3, ""),
    (np.arange(8).reshape(2, 2, 2) / 7, 3, "[[0 0.14285714285714285][0.2857142857142857...]]..."),
    (np.arange(8).reshape(2, 2, 2) / 7, 2, "[[0 0.14285714285714285]]..."),
    (np.array([1.5, 2.25, 1 / 3], "f2"), 3, "1.5 2.25 0.333251953"),
    (np.array([np.nan, np.inf, -np.inf, 1e20, 1e-7, 123456789.0], "f4"), -1, "nan inf -inf 1e+20 1e-07 123456792"),
    (np.array([1, 2], "u1"), 3, "1 2"), (np.array([-3, 4], "i1"), 3, "-3 4"),
    (np.array([0.1, 1e16, 1e17, 123456.789, 1e-5]), -1, "0.1 1e+16 1e+17 123456.789 1e-05"),
    (np.array([[1, 2], [3, 4], [5, 6]], "i4"), 3, "[1 2][3...]..."),
]  # fmt: skip
RECORDED_ENDS: list[tuple[Any, int, str]] = [
    (np.arange(10, dtype="f4") / 3, 3, "[0 0.333333343 0.666666687 ... 2.33333325 2.66666675 3]"),
    (np.arange(12).reshape(3, 4), 3, "[[0 1 2 3]\n [4 5 6 7]\n [8 9 10 11]]"),
    (np.arange(30).reshape(5, 6), 1, "[[0 ... 5]\n ...\n [24 ... 29]]"),
    (np.arange(30), -1, "[" + " ".join(map(str, range(30))) + "]"),
    (np.arange(8).reshape(2, 2, 2), 3, "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"),
    (np.array([b"a\n", b'"q"'], object), 3, '["a\\n" "\\"q\\""]'), (np.array(b"hi", object), 3, '"hi"'),
    (np.zeros((0, 3)), 3, "[]"), (np.array(True), 3, "1"),
]  # fmt: skip


@pytest.mark.parametrize(("array", "limit", "text"), RECORDED_FIRST)
def test_print_writes_the_first_elements_as_tensorflow_does(array: Any, limit: int, text: str) -> None:
    assert first_elements(np.asarray(array), limit) == text


@pytest.mark.parametrize(("array", "edge", "text"), RECORDED_ENDS)
def test_tf_print_writes_both_ends_as_tensorflow_does(array: Any, edge: int, text: str) -> None:
    assert both_ends(np.asarray(array), edge) == text


def test_print_passes_its_input_on_and_prints_once_in_each_run() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        shown = tf.Print(x, [x, tf.shape(x)], message="x: ", summarize=2)
        assert printed(shown + shown, feeds={x: [1, 2, 3]}, times=2) == "x: [1 2...][3]\n" * 2
        with tf.Session() as session, contextlib.redirect_stderr(io.StringIO()):
            assert session.run(shown, {x: [1, 2]}).tolist() == [1, 2]


def test_first_n_counts_the_runs_of_a_session_whatever_they_fetch() -> None:
    with tf.Graph().as_default():
        shown = tf.Print(tf.constant(1), [7], first_n=3)
        other = shown + 1
        with tf.Session() as session, contextlib.redirect_stderr(io.StringIO()) as out:
            for fetch in (shown, other, shown, other, [shown, other]):
                session.run(fetch)
        assert out.getvalue() == "[7]\n" * 3
        assert printed(shown) == "[7]\n"  # another session counts anew


def test_what_is_not_needed_or_is_fed_is_not_printed() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1)
        shown = tf.Print(x, [x])
        assert printed(x + 1) == ""
        assert printed(shown + 1, feeds={shown: 5}) == ""


def test_a_print_with_a_constant_operand_is_not_folded_or_merged() -> None:
    with tf.Graph().as_default():
        pair = [tf.Print(tf.constant(1), [2], message="m") for _ in range(2)]
        assert printed(pair[0] + pair[1]) == "m[2]\n" * 2


def test_gradients_go_through_print() -> None:
    with tf.Graph().as_default(), tf.Session() as session, contextlib.redirect_stderr(io.StringIO()):
        x = tf.constant([1.0, 2.0])
        (slope,) = tf.gradients(tf.reduce_sum(tf.square(tf.Print(x, [x]))), x)
        assert session.run(slope).tolist() == [2.0, 4.0]


def test_tf_print_prints_structures_as_python_does() -> None:
    with tf.Graph().as_default():
        v, s = tf.constant([1, 2]), tf.constant(b'h"i')
        cases = {
            tf.print("x", s): 'x "h\\"i"\n',
            tf.print(s): 'h"i\n',
            tf.print({"k": "str"}, 1.0, [1, "a"], ("t",), None, True, "plain{}"):
                "{'k': 'str'} 1.0 [1, 'a'] ('t',) None True plain{}\n",
            tf.print([v, "a", 1.5, {"k": v}]): "[[1 2], 'a', 1.5, {'k': [1 2]}]\n",
            tf.print({"b": v * 2, "a": v}): "{'a': [1 2], 'b': [2 4]}\n",
            tf.print("a {} b", v, sep="|", end="E"): "a {} b|[1 2]E",
            tf.print(): "\n",
            tf.print([v] * 20): "[" + ",\n ".join(["[1 2]"] * 20) + "]\n",
            tf.print(tf.SparseTensor([[0, 1]], [3.0], [2, 2])):
                "SparseTensor(indices=[[0 1]], values=[3], shape=[2 2])\n",
        }  # fmt: skip
        for op, text in cases.items():
            assert printed(op) == text


def test_tf_print_goes_to_the_stream_it_is_given(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "out.txt"
    with tf.Graph().as_default(), tf.Session() as session, contextlib.redirect_stdout(io.StringIO()) as out:
        session.run(tf.print(1, output_stream=sys.stdout))
        for _ in range(2):
            session.run(tf.print(2, output_stream=f"file://{path}"))
        with caplog.at_level("INFO", "penstock"):
            session.run(tf.print(3, output_stream=20))
        with pytest.raises(ValueError, match=r"sys.stdout, sys.stderr, tf.logging.info"):
            tf.print(4, output_stream="elsewhere")
    assert (out.getvalue(), path.read_text(), caplog.messages) == ("1\n", "2\n2\n", ["3"])


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("passes", [None, ()])
def test_prints_come_in_the_order_of_creation(threads: int, passes: Any) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [100, 100])
        heavy = [tf.matmul(x, x + float(i)) for i in range(4)]
        shown = [tf.Print(h, [i], message="node ") for i, h in enumerate(heavy)]
        config = tf.SessionConfig(threads=threads, passes=passes)
        text = printed(tf.add_n(shown[::-1]), feeds={x: np.ones((100, 100))}, config=config)
    assert text == "".join(f"node [{i}]\n" for i in range(4))
