"""Mistakes of the first hour with the package: the error names the right cause and the right cure."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pytest

import penstock as tf
from penstock import show
from penstock.extend import find_op


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


def call(name: str, *args: Any, **options: Any) -> Any:
    """A call that type checkers would refuse."""
    return getattr(tf, name)(*args, **options)


def x() -> Any:
    return tf.placeholder(tf.float32, [2, 3], name="x")


KEYWORDS: dict[str, tuple[Callable[[], Any], str]] = {
    "squeeze": (lambda: call("squeeze", x(), axis=0),
                "axis is called squeeze_dims here; penstock.compat.v1.squeeze has TensorFlow 1.x's names"),
    "expand_dims": (lambda: call("expand_dims", x(), axis=0), "axis is called dim here; penstock.compat.v1.expand"),
    "concat": (lambda: call("concat", values=[x()], axis=0),
               "axis is called concat_dim here; penstock.compat.v1.concat"),
    "stack": (lambda: call("stack", values=[x()]), "values is called x here; penstock.compat.v1.stack"),
    "split": (lambda: call("split", value=x(), num_or_size_splits=3, axis=1),
              "num_or_size_splits is called num_split here; axis is called split_dim here; penstock.compat.v1.split"),
    "reverse": (lambda: call("reverse", x(), axis=[0]), "axis is called dims here; penstock.compat.v1.reverse"),
    "transpose": (lambda: call("transpose", x(), axes=[1, 0]), "axes is called perm here"),
    "cumsum": (lambda: call("cumsum", x(), dim=0), "dim is called axis here"),
    "pad": (lambda: call("pad", x(), [[0, 0], [1, 1]], constant_values=1), "it pads with zeros; for another value"),
    "pack": (lambda: call("pack", [x()], axis=1), r"tf.stack\(x, axis\) stacks along another dimension"),
    "where, which is made of ops": (lambda: call("where", cond=[True]), "cond is called condition here"),
    "a misspelling": (lambda: call("matmul", x(), x(), transpos_b=True), "did you mean 'transpose_b'"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", KEYWORDS)
def test_a_keyword_of_tensorflow_names_the_parameter_here_and_the_function_of_v1(mistake: str) -> None:
    wrong, words = KEYWORDS[mistake]
    with pytest.raises(TypeError, match=words):
        wrong()


@pytest.mark.parametrize("name, words", [
    ("unstack", r"write tf.unpack\(value\), or penstock.compat.v1.unstack"),
    ("concatenate", "tf.concat"), ("arange", "tf.range"), ("sum", "the nearest is tf.reduce_sum"),
    ("unstac", "did you mean TensorFlow's unstack"),
])  # fmt: skip
def test_names_of_tensorflow_and_numpy_are_known(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=words):
        getattr(tf, name)


@pytest.mark.parametrize("name, words", [("T", r"tf.transpose\(t\)"), ("mT", "tf.transpose"), ("copy", "tf.identity")])
def test_attributes_of_arrays_are_known(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=words):
        getattr(x(), name)


CAUSES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "swapped placeholder": (lambda: call("placeholder", [2, 3], tf.float32), TypeError,
                            r"dtype \[2, 3\] is a shape, not a dtype(.|\n)*The order is placeholder\(dtype, shape\)\."),
    "Session(g)": (lambda: call("Session", tf.Graph()), ValueError, r"write Session\(graph=\.\.\.\)"),
    "Session(config)": (lambda: call("Session", tf.SessionConfig()), ValueError, r"write Session\(config=\.\.\.\)"),
    "a sum of bools": (lambda: tf.reduce_sum(tf.equal(x(), 0.0)), TypeError,
                       r"Write tf.cast\(input_tensor, tf.int32\), or tf.float32 for shares, if that is meant"),
    "sqrt of ints": (lambda: tf.sqrt(tf.shape(x())), TypeError, r"Write tf.cast\(x, tf.float32\) if that is meant"),
    "axis=1.0": (lambda: tf.reduce_sum(x(), 1.0), TypeError, "Write 1: axis is an int"),
    "axis=1.5": (lambda: tf.reduce_sum(x(), 1.5), TypeError, "axis is an int"),
    "why_unknown": (lambda: call("why_unknown", 3), TypeError, r"why_unknown\(3\): it takes a tensor, not int"),
    "diff": (lambda: tf.get_default_graph().diff(3), TypeError, r"Graph.diff\(3\): a graph is compared"),  # type: ignore[arg-type]
    "summary": (lambda: tf.get_default_graph().summary(3), TypeError, r"Graph.summary\(scope=3\)"),  # type: ignore[arg-type]
    "save_graph": (lambda: call("save_graph", 3, "a.json"), TypeError, "the first argument is a Graph, not int"),
    "eval": (lambda: x().eval(session=3), TypeError, "session is 3, which is not a Session"),
    "threads": (lambda: call("SessionConfig", threads="a"), TypeError, r"SessionConfig\(threads='a'\): a number"),
    "plan_cache_size": (lambda: call("SessionConfig", plan_cache_size=None), TypeError, "a number is expected"),
    "device": (lambda: call("SessionConfig", device=3), TypeError, r"SessionConfig\(device=3\): a device is a text"),
    "range without a start": (lambda: call("range", limit=3), TypeError,
                              r"are tf\.range\(limit\), or tf\.range\(0, limit\)"),
    "rows of a scalar": (lambda: tf.segment_sum(1.0, [0]), ValueError, r"a single row write tf\.expand_dims\(x, 0\)"),
    "ids of rank 2": (lambda: tf.segment_sum([1.0], [[0]]), ValueError, "segment_ids is a vector: one id for each row"),
    "an op that does not exist": (lambda: find_op("Gathr"), KeyError, r"no op of that type; did you mean 'Gather'\?"),
    "a choice of a session": (lambda: call("SessionConfig", thread=1), TypeError,
                              r"^SessionConfig: no parameter is called 'thread'; did you mean 'threads'\?"),
    "feeds without values": (lambda: tf.Session().trace(x(), cast(Any, [x()])), TypeError,
                             r"a run needs values\. Write \{x: value\}"),
    "runs_of_levels": (lambda: show.runs_of_levels(show.picture_of(tf.get_default_graph()), 0), ValueError, "at least"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", CAUSES)
def test_the_cause_and_the_cure_are_named(mistake: str) -> None:
    wrong, kind, words = CAUSES[mistake]
    with pytest.raises(kind, match=words):
        wrong()


def test_a_tensor_of_another_graph_in_a_run_names_the_session_that_it_needs(graph: tf.Graph) -> None:
    with tf.Graph().as_default():
        other = tf.placeholder(tf.float32, [], name="other")
    with pytest.raises(ValueError, match=r"a run needs a session of that graph: tf.Session\(graph=t.graph\)"):
        tf.Session(graph=graph).run(other)


def test_the_preferred_dtype_is_that_of_a_value_that_fits() -> None:
    assert tf.convert_to_tensor(3, preferred_dtype=tf.float32).dtype == tf.float32
    assert tf.convert_to_tensor([1.5], preferred_dtype=tf.int32).dtype == tf.float32
    assert tf.convert_to_tensor(np.float64(3), preferred_dtype=tf.float32).dtype == tf.float32
    assert tf.convert_to_tensor(3, tf.int64, preferred_dtype=tf.float32).dtype == tf.int64


def test_a_lossy_feed_warns_once(graph: tf.Graph) -> None:
    n = tf.placeholder(tf.int32, [2], name="n")
    session = tf.Session(graph=graph)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for i in range(4):
            session.run(n, {n: [1.5 + i, 2.0]})
    assert [each.category for each in found] == [tf.LossyFeedWarning]
