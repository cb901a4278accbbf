"""Errors and warnings name a line of the program as `model.py:12`, not by the whole path of its file."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import penstock as tf
from penstock.compat import v1
from penstock.runtime.session.graph_growth import PATIENCE

from .kept_results import kept
from .package_modules import package_modules

WHOLE = {"co_filename", "origin"}
"""Attributes whose text is a whole path; `Origin.place` and `os.path.basename` are short."""
DATA = ("graph/inspect/networkx_view.py",)
"""Modules that give whole paths as data."""
HERE = str(Path(__file__).parent)


@kept
def whole_paths(source: str) -> list[str]:
    """The texts of a module into which a whole path goes: f"{op.origin}", str(origin), f"{code.co_filename}"."""
    complaints = []
    occurs = re.search(rf"\b(?:{'|'.join(WHOLE)})\b", source)
    for node in ast.walk(ast.parse(source)) if occurs else ():
        value = node.value if isinstance(node, ast.FormattedValue) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
            value = node.args[0]
        name = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
        if value is not None and name in WHOLE:
            complaints.append(f"{value.lineno}: {ast.unparse(value)}")
    return sorted(complaints)


def test_no_text_has_a_whole_path() -> None:
    modules = {path.as_posix(): path for path in package_modules() if not path.as_posix().endswith(DATA)}
    found = {name: told for name, path in modules.items() if (told := whole_paths(path.read_text("utf-8")))}
    assert found == {}


def test_the_search_finds_whole_paths() -> None:
    assert whole_paths('f"{op.origin}: text"\nstr(origin)\nf"{code.co_filename}"') == [
        "1: op.origin", "2: origin", "3: code.co_filename",
    ]  # fmt: skip
    assert whole_paths('f"{op.origin.place}"\nstr(origin.line)\nf"{os.path.basename(code.co_filename)}"') == []


def growing() -> None:
    with tf.Session() as session:
        for i in range(3 * PATIENCE):
            session.run(tf.constant(1.0) + float(i))


def column_and_vector() -> None:
    tf.placeholder(tf.float32, ["rows", 1]) - tf.placeholder(tf.float32, ["rows"])


def lossy_feed() -> None:
    x = tf.placeholder(tf.int32, [], name="x")
    with tf.Session() as session:
        session.run(tf.negative(x), {x: 1.5})


def a_run_that_fails() -> None:
    x = tf.placeholder(tf.int32, [], name="x")
    with tf.Session() as session:
        session.run(tf.floordiv(1, x, name="part"), {x: 0})


def shapes_that_do_not_fit() -> None:
    tf.matmul(tf.ones([2, 3]), tf.ones([4, 2]))


def a_loop_whose_shape_changes() -> None:
    tf.while_loop(lambda v: True, lambda v: tf.concat(0, [v, v]), [tf.ones([2])])


def a_gradient_registered_twice() -> None:
    for _ in range(2):
        tf.RegisterGradient("TestShortPlacesTwice")(lambda op, grad: grad)


def a_gradient_of_the_wrong_shape() -> None:
    name = "TestShortPlacesWrong"
    if name not in v1.__dict__:
        with_wrong = tf.RegisterGradient(name)
        with_wrong(lambda op, grad: [grad, grad, grad])
    x = tf.placeholder(tf.float32, [2])
    with tf.get_default_graph().gradient_override_map({"Tanh": name}):
        y = tf.tanh(x)
    tf.gradients(y, x)


def a_kernel_of_python_that_fails() -> None:
    def own(value: float) -> float:
        raise ValueError("no")

    with tf.Session() as session:
        session.run(tf.py_func(own, [1.0], tf.float32))


def a_variable_twice() -> None:
    v1.get_variable("twice", [2])
    v1.get_variable("twice", [3])


def a_tensor_of_another_graph() -> None:
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    tf.add(other, tf.constant(2.0))


def a_name_that_is_not_there() -> None:
    tf.constant(1.0, name="known")
    tf.get_default_graph().get_tensor_by_name("knwon:0")


def not_fed() -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    with tf.Session() as session:
        session.run(tf.exp(x))


def nan_in_a_watched_run() -> None:
    with tf.Session(config=tf.SessionConfig(watch=tf.Watch())) as session:
        session.run(tf.log(tf.constant([-1.0])))


MISTAKES: list[Callable[[], None]] = [
    growing, column_and_vector, lossy_feed, a_run_that_fails, shapes_that_do_not_fit, a_loop_whose_shape_changes,
    a_gradient_registered_twice, a_gradient_of_the_wrong_shape, a_kernel_of_python_that_fails, a_variable_twice,
    a_tensor_of_another_graph, a_name_that_is_not_there, not_fed, nan_in_a_watched_run,
]  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_is_told_of_a_mistake_has_short_places(mistake: Callable[[], None]) -> None:
    texts = []
    with tf.Graph().as_default(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            mistake()
        except Exception as error:
            texts.append(str(error))
    texts += [str(each.message) for each in caught]
    assert texts, "there is no mistake"
    assert [text for text in texts if HERE in text] == []
