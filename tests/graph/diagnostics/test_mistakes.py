"""Constants that show an error of every run: the node is added, as in TensorFlow, and a warning names the line."""

import inspect
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def x() -> Tensor:
    return tf.placeholder(tf.float32, [2, 3])


MISTAKES: dict[str, tuple[Callable[[], Tensor], str]] = {
    "transpose": (lambda: tf.transpose(x(), [0, 0]), r"1 is missing from \{0,0\}"),
    "reshape": (lambda: tf.reshape(x(), [-1, -1]), "Only one input size may be -1, not both 0 and 1"),
    "gather": (lambda: tf.gather(x(), [0, 5]), r"indices\[1\] = 5 is not in \[0, 2\)"),
    "slice": (lambda: tf.slice(x(), [1, 0], [2, 3]), r"Expected size\[0\] in \[0, 1\], but got 2"),
    "tile": (lambda: tf.tile(x(), [1, -1]), r"Expected multiples\[1\] >= 0, but got -1"),
    "partition": (lambda: tf.dynamic_partition(x(), [0, 2], 2)[0], r"partitions\[1\] = 2 is not in \[0, 2\)"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_that_constants_show_is_warned_of_and_an_error_of_the_run(name: str) -> None:
    make, words = MISTAKES[name]
    with pytest.warns(tf.MistakeWarning, match=f"every run that reaches this will fail: {words}"):
        wrong = make()
    fed = {t.outputs[0]: np.ones((2, 3)) for t in wrong.graph.get_operations() if t.type == "Placeholder"}
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=words):
        session.run(wrong, fed)


def test_the_warning_names_the_users_line_and_comes_once_for_it() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            tf.gather(x(), [7]); line = inspect.currentframe().f_lineno  # type: ignore[union-attr]  # noqa: E702
    assert [(w.filename, w.lineno) for w in caught] == [(__file__, line)]


def test_as_an_error_the_warning_leaves_the_graph_as_it_was() -> None:
    given = x()
    before = [op.name for op in given.graph.get_operations()]
    with warnings.catch_warnings():
        warnings.simplefilter("error", tf.MistakeWarning)
        with pytest.raises(tf.MistakeWarning):
            tf.transpose(given, [0, 0])
    assert [op.name for op in given.graph.get_operations()] == before
    assert tf.transpose(given, name="transpose").op.name == "transpose"


def test_what_may_be_right_draws_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", tf.MistakeWarning)
        anything, rows = tf.placeholder(tf.float32), tf.placeholder(tf.float32, ["n", 3])
        tf.transpose(anything, [1, 0])
        tf.transpose(rows, [-1, 0])
        tf.gather(rows, [99])
        tf.gather(tf.zeros([2, 0]), [99])
        tf.slice(rows, [5, 0], [-1, 3])
        tf.tile(rows, [0, 2])
        tf.reshape(rows, [-1, 3])
        tf.dynamic_partition(rows, tf.placeholder(tf.int32, ["n"]), 2)


def test_passes_that_infer_again_do_not_warn_again() -> None:
    with pytest.warns(tf.MistakeWarning):
        wrong = tf.gather(x() * 2.0, [7])
    with warnings.catch_warnings():
        warnings.simplefilter("error", tf.MistakeWarning)
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
            session.run(wrong, {wrong.op.inputs[0]: np.ones((2, 3))})
